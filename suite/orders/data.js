// The shop's orders: made from the seed in the address (`?seed=7`), so that everybody with that seed has
// the same ones. What the person changes is kept for this tab, and goes when the tab does.

export const statuses = ["New", "Packed", "Shipped", "On hold", "Cancelled"];
export const regions = ["Central", "East", "North", "South", "West"];
export const couriers = ["Albatross Air", "Blue Van", "Courier & Sons"];

const first = ["Alder", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heron", "Iris", "Juniper", "Kestrel", "Larch"];
const second = ["Books", "Cycles", "Foods", "Garden", "Lighting", "Outdoor", "Press", "Tools"];
const goods = ["Desk lamp", "Field notebook", "Garden shears", "Lantern", "Rain jacket", "Seed box", "Tool roll", "Water flask"];

export const seed = Number(new URLSearchParams(location.search).get("seed") ?? 1) >>> 0;

/** Mulberry32: small, good enough for a shop. */
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function make() {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  return Array.from({ length: 48 }, (_, i) => {
    const quantity = 1 + Math.floor(next() * 20);
    return {
      id: 10480 - i,
      customer: `${pick(first)} ${pick(second)}`,
      region: pick(regions),
      item: pick(goods),
      // Cents.
      price: 490 + Math.floor(next() * 90) * 100,
      placed: new Date(Date.UTC(2026, 9, 30) - i * 19 * 3600e3).toISOString().slice(0, 10),
      status: pick(statuses),
      quantity,
      note: "",
      express: false,
    };
  });
}

const kept = (name, absent) => JSON.parse(sessionStorage.getItem(`harbour:${seed}:${name}`) ?? "null") ?? absent;
const keep = (name, value) => sessionStorage.setItem(`harbour:${seed}:${name}`, JSON.stringify(value));

/** All orders, with the changes made in this tab. */
export function orders() {
  const changes = kept("orders", {});
  return make().map((order) => ({ ...order, ...changes[order.id] }));
}

export function change(id, fields) {
  const changes = kept("orders", {});
  keep("orders", { ...changes, [id]: { ...changes[id], ...fields } });
}

export const filters = () => kept("filters", { query: "", status: "", region: "", page: 0 });
export const setFilters = (value) => keep("filters", value);
export const settings = () => kept("settings", { courier: couriers[0], time: "16:30", notify: false });
export const setSettings = (value) => keep("settings", value);

export const money = (cents) => `€ ${(cents / 100).toFixed(2)}`;
