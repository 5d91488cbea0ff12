// The pages that are recorded, and what is done to them. Each page has `go`, which does it; those that a person
// works on have none.
import { buildSync } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** `n` elements in rows as applications have them: ten to a row. */
const grid = n => `let html = ''; for (let i = 0; i < ${Math.round(n / 10)}; i++) html += '<div class="row" data-key="' + i + '"><span class="cell name">Item ' + i + '</span><span class="cell">' + i * 7 % 1000 + '</span><a href="#' + i + '">Open</a><label>Done <input type="checkbox"></label><button type="button" class="act">Act ' + i + '</button><i class="icon"></i><b>' + i % 13 + '</b><em>note</em></div>';
  root.innerHTML = html;`;
const html = (script, body = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bench</title></head><body>${body}<main id="root"></main><script>const root = document.getElementById('root'); const pause = () => new Promise(done => setTimeout(done)); ${script}</script></body></html>`;
const fields = '<input id="field" aria-label="Field"><p id="said"></p>';
const answers = `document.getElementById('field').addEventListener('input', e => { document.getElementById('said').textContent = e.target.value.length + ' letters'; });
  let clicks = 0; root.addEventListener('click', e => { const row = e.target.closest('.row'); if (row) row.classList.toggle('chosen'); document.getElementById('said').textContent = ++clicks + ' clicks'; });`;

const react = () => buildSync({
  stdin: { contents: REACT, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'js' },
  bundle: true, minify: true, write: false, format: 'iife', define: { 'process.env.NODE_ENV': '"production"' },
}).outputFiles[0].text;

const REACT = `
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
const items = Array.from({ length: 1000 }, (_, i) => ({ id: i, name: 'Product ' + i, price: (i * 7919) % 1009, stock: (i * 104729) % 997 }));
const orders = Array.from({ length: 50 }, (_, n) => (a, b) => ((a.price * (n + 3)) % 1013) - ((b.price * (n + 3)) % 1013) || a.id - b.id);
let sort;
function List() {
  const [order, set] = useState(-1);
  sort = set;
  const list = order < 0 ? items : [...items].sort(orders[order]);
  return h('ul', null, list.map(item => h('li', { key: item.id, className: 'item' }, h('b', null, item.name), ' ', h('span', null, item.price))));
}
flushSync(() => createRoot(document.getElementById('root')).render(h(List)));
window.go = async () => { for (let n = 0; n < 50; n++) { flushSync(() => sort(n)); await new Promise(done => setTimeout(done)); } };`;

/** Workloads by name: the page, and `clicks` or `keys` where a person does it. `start`: the recorder's start is what is measured. */
export const WORKLOADS = {
  append: {
    title: 'append 10,000 nodes',
    page: () => html(`window.go = async () => { for (let part = 0; part < 10; part++) { for (let i = 0; i < 250; i++) {
      const row = document.createElement('div'); row.className = 'row'; const name = document.createElement('span'); name.append('Row ' + (part * 250 + i)); row.append(name, document.createElement('b')); root.append(row);
    } await pause(); } };`),
  },
  texts: {
    title: "10,000 cells' text",
    page: () => html(`let table = '<table>'; for (let r = 0; r < 1000; r++) { table += '<tr>'; for (let c = 0; c < 10; c++) table += '<td>' + r * c + '</td>'; table += '</tr>'; } root.innerHTML = table + '</table>';
      const cells = [...document.querySelectorAll('td')]; window.go = async () => { for (let part = 0; part < 10; part++) { for (let i = part * 1000; i < part * 1000 + 1000; i++) cells[i].firstChild.data = 'v' + (i * 31 % 9973); await pause(); } };`),
  },
  attributes: {
    title: '20,000 attribute changes',
    page: () => html(`${grid(5000)} const all = [...root.querySelectorAll('*')].slice(0, 5000); window.go = async () => { for (let part = 0; part < 4; part++) { for (let i = 0; i < all.length; i++) { if (part % 2) all[i].className = 'state' + (i + part) % 7; else all[i].setAttribute('data-state', (i * 17 + part) % 101); } await pause(); } };`),
  },
  move: {
    title: 'remove and re-insert 5,000 nodes 20 times',
    page: () => html(`let list = ''; for (let i = 0; i < 2500; i++) list += '<li>Entry ' + i + '</li>'; root.innerHTML = '<ul id="list">' + list + '</ul><p>end</p>';
      const list1 = document.getElementById('list'); window.go = async () => { for (let i = 0; i < 20; i++) { list1.remove(); root.append(list1); await pause(); } };`),
  },
  leave: {
    title: 'the same, away for a task in between',
    page: () => html(`let list = ''; for (let i = 0; i < 2500; i++) list += '<li>Entry ' + i + '</li>'; root.innerHTML = '<ul id="list">' + list + '</ul><p>end</p>';
      const list1 = document.getElementById('list'); window.go = async () => { for (let i = 0; i < 20; i++) { list1.remove(); await pause(); root.append(list1); await pause(); } };`),
  },
  react: {
    title: 'a React list of 1,000 re-sorted 50 times',
    page: () => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bench</title></head><body><main id="root"></main><script>${react().replaceAll('</script', '<\\/script')}</script></body></html>`,
  },
  snapshot: { title: 'first snapshot at 20,000 nodes', start: true, page: () => html(grid(14_300)) },
  type: { title: 'typing 500 keys at 5,000 elements', keys: 500, page: () => html(`${grid(5000)} ${answers}`, fields) },
  click: { title: '500 clicks at 5,000 elements', clicks: 500, page: () => html(`${grid(5000)} ${answers}`, fields) },
};

/** Clicks and typing where nothing but the size of the page grows. */
export const SIZES = Object.fromEntries([10_000, 50_000].flatMap(n => [
  [`type_${n / 1000}k`, { title: `typing 200 keys at ${n} elements`, keys: 200, page: () => html(`${grid(n)} ${answers}`, fields) }],
  [`click_${n / 1000}k`, { title: `200 clicks at ${n} elements`, clicks: 200, page: () => html(`${grid(n)} ${answers}`, fields) }],
]));
SIZES.snapshot_50k = { title: 'first snapshot at 50,000 elements', start: true, page: () => html(grid(50_000)) };

/** Pages to be armed on. */
export const ARMING = {
  page: html(`let list = ''; for (let i = 0; i < 2500; i++) list += '<li>Entry ' + i + '</li>'; root.innerHTML = '<ul>' + list + '</ul>';`),
  frames: html('', '<iframe></iframe>'.repeat(20)),
};
