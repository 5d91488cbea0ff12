import { filters, money, orders, regions, setFilters, statuses } from "./data.js";
import { by, element, fill, pill, to } from "./page.js";

const perPage = 10;
const all = orders();
let wanted = filters();

function fits(order) {
  const words = `${order.id} ${order.customer}`.toLowerCase();
  return words.includes(wanted.query.trim().toLowerCase())
    && (!wanted.status || order.status === wanted.status)
    && (!wanted.region || order.region === wanted.region);
}

function row(order) {
  const link = element("a", { href: to("order.html", { id: order.id }), textContent: `Order ${order.id}` });
  const cell = (...children) => element("td", {}, ...children);
  return element(
    "tr", {},
    element("th", { scope: "row" }, link),
    cell(order.customer), cell(order.region), cell(order.placed),
    element("td", { className: "number" }, money(order.price * order.quantity)),
    cell(pill(order.status)),
  );
}

function show() {
  const found = all.filter(fits);
  const pages = Math.max(1, Math.ceil(found.length / perPage));
  wanted.page = Math.min(wanted.page, pages - 1);
  by("rows").replaceChildren(...found.slice(wanted.page * perPage, (wanted.page + 1) * perPage).map(row));
  by("none").hidden = found.length > 0;
  by("count").textContent = `${found.length} of ${all.length} orders`;
  by("page").textContent = `Page ${wanted.page + 1} of ${pages}`;
  by("previous").disabled = wanted.page === 0;
  by("next").disabled = wanted.page === pages - 1;
  setFilters(wanted);
}

function read(page) {
  wanted = { query: by("query").value, status: by("status").value, region: by("region").value, page };
  show();
}

fill(by("status"), [["", "Any status"], ...statuses.map((s) => [s, s])], wanted.status);
fill(by("region"), [["", "Any region"], ...regions.map((r) => [r, r])], wanted.region);
by("query").value = wanted.query;

by("filters").addEventListener("submit", (event) => {
  event.preventDefault();
  read(0);
});
for (const id of ["status", "region"]) by(id).addEventListener("change", () => read(0));
by("clear").addEventListener("click", () => {
  by("query").value = by("status").value = by("region").value = "";
  read(0);
});
by("previous").addEventListener("click", () => read(wanted.page - 1));
by("next").addEventListener("click", () => read(wanted.page + 1));
show();
