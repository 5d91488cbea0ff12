import { change, money, orders, statuses } from "./data.js";
import { by, element, fill, pill, say } from "./page.js";

const id = Number(new URLSearchParams(location.search).get("id"));
let order = orders().find((o) => o.id === id);

function show() {
  document.title = `Order ${order.id} · Harbour`;
  by("title").textContent = `Order ${order.id}`;
  by("pill").replaceWith(Object.assign(pill(order.status), { id: "pill" }));
  fill(by("status"), statuses.map((s) => [s, s]), order.status);
  by("quantity").value = order.quantity;
  by("note").value = order.note;
  by("express").checked = order.express;
  const facts = {
    Customer: order.customer, Region: order.region, Placed: order.placed, Item: order.item,
    "Unit price": money(order.price), Total: money(order.price * order.quantity),
  };
  by("facts").replaceChildren(
    ...Object.entries(facts).flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]),
  );
}

function edited() {
  return {
    status: by("status").value,
    quantity: Number(by("quantity").value),
    note: by("note").value.trim(),
    express: by("express").checked,
  };
}

function changes() {
  const words = { status: "Status", quantity: "Quantity", note: "Note", express: "Express delivery" };
  const said = (value) => (value === true ? "yes" : value === false ? "no" : value === "" ? "none" : String(value));
  const now = edited();
  return Object.keys(words).filter((key) => now[key] !== order[key]).map((key) => `${words[key]}: ${said(order[key])} → ${said(now[key])}`);
}

if (!order) {
  by("title").textContent = "No such order";
  by("form").remove();
} else {
  show();
  // Typing replaces the number, as in a till.
  by("quantity").addEventListener("focus", () => by("quantity").select());
  by("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const list = changes();
    if (list.length === 0) return say("Nothing was changed.");
    by("changes").replaceChildren(...list.map((text) => element("li", { textContent: text })));
    by("confirm").showModal();
  });
  by("form").addEventListener("reset", (event) => {
    event.preventDefault();
    show();
    say("Changes discarded.");
  });
  by("confirm").addEventListener("close", () => {
    if (by("confirm").returnValue !== "save") return;
    by("confirm").returnValue = "";
    change(order.id, edited());
    order = orders().find((o) => o.id === id);
    show();
    say(`Order ${order.id} saved.`);
  });
}
