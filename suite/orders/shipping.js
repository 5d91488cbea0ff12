import { couriers, orders, setSettings, settings } from "./data.js";
import { by, element, fill, pill, say, to } from "./page.js";

const queue = orders().filter((order) => order.express && ["New", "Packed"].includes(order.status));
by("count").textContent = `${queue.length} express ${queue.length === 1 ? "order" : "orders"} waiting`;
by("none").hidden = queue.length > 0;
by("rows").replaceChildren(...queue.map((order) => element(
  "tr", {},
  element("th", { scope: "row" }, element("a", { href: to("order.html", { id: order.id }), textContent: `Order ${order.id}` })),
  element("td", {}, order.customer),
  element("td", { className: "number" }, String(order.quantity)),
  element("td", {}, pill(order.status)),
)));

const now = settings();
fill(by("courier"), couriers.map((c) => [c, c]), now.courier);
by("time").value = now.time;
by("notify").checked = now.notify;
by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  setSettings({ courier: by("courier").value, time: by("time").value, notify: by("notify").checked });
  say("Settings saved.");
});
