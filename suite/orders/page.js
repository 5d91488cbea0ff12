// What the three pages share: the seed in every link, the toast, small makers of elements.
import { seed } from "./data.js";

export const by = (id) => document.getElementById(id);

/** An address of the shop under the same seed. */
export function to(page, query = {}) {
  return `${page}?${new URLSearchParams({ ...query, seed })}`;
}

for (const link of document.querySelectorAll("a[href$='.html']")) link.href = to(link.getAttribute("href"));

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, label]) => new Option(label, value, false, value === chosen)));
}

export function pill(status) {
  return element("span", { className: `pill ${status.toLowerCase().replace(" ", "-")}`, textContent: status });
}

let timer;
/** Says something at the foot of the page; it fades but stays readable for assistive technology. */
export function say(text) {
  const toast = by("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => toast.classList.remove("shown"), 6000);
}
