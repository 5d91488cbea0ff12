// The workloads that recorders are measured with, and real pages: the real rrweb replays our export to the live
// document, node for node, at the end and at moments between. What rrweb itself changes is listed at CANON.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildSync } from 'esbuild';
import { record, root, scratch } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { servePages } from '../miniwob/pages.mjs';
import { launch } from '../sensor/lib.mjs';
import { CANON, convert, difference, masked, Player, Session } from './lib.mjs';

const same = (got, wanted, what) => { if (got !== wanted) assert.fail(`${what}: ${difference(JSON.parse(got), JSON.parse(wanted))}`); };

const GRID = `(() => { let html = ''; for (let i = 0; i < 200; i++) { html += '<tr>'; for (let j = 0; j < 50; j++) html += '<td>' + i + '</td>'; html += '</tr>'; } document.getElementById('stage').innerHTML = '<table>' + html + '</table>'; })()`;
const REACT = () => buildSync({
  stdin: { contents: `import { createElement as h, useState } from 'react'; import { createRoot } from 'react-dom/client'; import { flushSync } from 'react-dom';
    let set; const App = () => { const [rows, put] = useState(Array.from({ length: 1000 }, (_, i) => i)); set = put; return h('ul', null, rows.map(i => h('li', { key: i, className: i % 2 ? 'odd' : 'even' }, 'Row ' + i))); };
    flushSync(() => createRoot(document.getElementById('stage')).render(h(App)));
    window.__sort = n => flushSync(() => set(rows => [...rows].sort((a, b) => ((a * 7919 + n * 31) % 1000) - ((b * 7919 + n * 31) % 1000))));`, resolveDir: root },
  bundle: true, write: false, format: 'iife', define: { 'process.env.NODE_ENV': '"production"' },
}).outputFiles[0].text;

// rrweb's replayer takes minutes for the whole of some workloads; `TRACERULE_WHOLE=1` plays them.
const WHOLE = Boolean(process.env.TRACERULE_WHOLE);
const ROUNDS = WHOLE ? 20 : 4;
const SORTS = WHOLE ? 50 : 10;

/** Each: what is there before recording, and what is done then. */
const WORKLOADS = {
  'append 10,000 nodes': ['0', `(() => { const s = document.getElementById('stage'); for (let i = 0; i < 5000; i++) { const p = document.createElement('p'); p.textContent = 'Row ' + i; s.append(p); } })()`],
  '10,000 texts': [GRID, `document.querySelectorAll('td').forEach((td, i) => { td.firstChild.data = 'v' + i; })`],
  '20,000 attributes': [GRID, `document.querySelectorAll('td').forEach((td, i) => { td.className = 'c' + i % 7; td.title = 't' + i; })`],
  'remove and re-insert 5,000 nodes': [GRID, `(async () => { const t = document.querySelector('tbody'); for (let n = 0; n < ${ROUNDS}; n++) { const rows = [...t.children].slice(50, 150); rows.forEach(r => r.remove()); t.append(...rows); await new Promise(r => setTimeout(r)); } })()`],
  'a React list re-sorted': [null, `(async () => { for (let n = 0; n < ${SORTS}; n++) { __sort(n); await new Promise(r => setTimeout(r)); } })()`],
};

/** Files of a folder. */
async function serveFolder(folder) {
  const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
  const server = createServer((request, response) => {
    try {
      const path = normalize(new URL(request.url, 'http://x').pathname);
      response.setHeader('content-type', types[extname(path)] ?? 'text/plain');
      response.end(readFileSync(join(folder, path)));
    } catch { response.statusCode = 404; response.end(); }
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { url: path => `http://127.0.0.1:${server.address().port}${path}`, close: () => { server.closeAllConnections(); server.close(); } };
}

describe('rrweb replays what was live', () => {
  let held;
  let player;
  before(async () => { held = await launch('chromium'); player = await Player.open(held.browser); });
  after(async () => { await player?.close(); await held?.close(); });

  const check = async (session, moments, what, { between = true, ways = [true, false] } = {}) => {
    const { events, loss, raw, gzip } = await convert(session.save());
    assert.ok(!loss.items.some(item => item.severity === 'major' && item.field.startsWith('dom')), JSON.stringify(loss.items));
    for (const virtual of ways) {
      await player.load(events, { virtual });
      same(await player.at(), moments.at(-1).live, `${what}, at the end, ${virtual ? 'fast-forward' : 'step by step'}`);
      assert.deepEqual(player.warnings.filter(w => !/Failed to load resource/.test(w)), [], what);
    }
    if (between) {
      await player.load(events);
      for (const [i, moment] of moments.entries()) same(await player.at(moment.t), moment.live, `${what}, moment ${i}`);
    }
    return { raw, gzip };
  };

  for (const [name, [prepare, work]] of Object.entries(WORKLOADS)) {
    it(name, { timeout: 240_000 }, async test => {
      const session = await Session.open(held.browser, '<main id="stage"></main>', { pages: {}, rival: false });
      try {
        await session.run(prepare ?? REACT());
        const moments = [await session.moment({ measure: false })];
        await new Promise(done => setTimeout(done, 20));
        await session.inject();
        session.rival = true;
        await session.inject();
        await session.run(work);
        moments.push(await session.moment({ measure: false }));
        const rival = await session.rivalBytes();
        const exported = await check(session, moments, name, {});
        test.diagnostic(`bytes raw/gzip: stream ${session.bytes.raw}/${session.bytes.gzip}, exported events ${exported.raw}/${exported.gzip}, rrweb's own ${rival.raw}/${rival.gzip}`);
      } finally { await session.close(); }
    });
  }

  it('typing, boxes, lists, scrolling, dialogs, style sheets', { timeout: 180_000 }, async () => {
    const session = await Session.open(held.browser, `<input id=t><textarea id=a>old</textarea><input type=checkbox id=c><input type=radio name=r id=r1><input type=radio name=r id=r2 checked>
      <select id=s><option>one<option>two</select><input type=password id=p><div id=box style="height:60px;overflow:auto"><div style="height:600px">long</div></div>
      <dialog id=d><p>Modal</p></dialog><style id=st>.x { color: red } .y:hover { color: blue }</style><style id=empty></style><div id=host></div><x-late>late</x-late><div style="height:3000px"></div>`, { head: '<style>html { overflow-anchor: none; }</style>' }); // the player's browser would shift by itself
    try {
      const moments = [await session.moment()];
      const { page } = session;
      await page.click('#t');
      await page.keyboard.type('hello there');
      moments.push(await session.moment());
      await page.fill('#p', 'hunter2hunter2');
      await page.check('#c');
      await page.check('#r1');
      await page.selectOption('#s', 'two');
      await page.fill('#a', 'new');
      moments.push(await session.moment());
      await session.run(`(() => { box.scrollTop = 120; scrollTo(0, 200); d.showModal(); })()`);
      await new Promise(done => setTimeout(done, 300));
      moments.push(await session.moment());
      await session.run(`(() => { d.close(); st.sheet.insertRule('.z { margin: 1px; }', 1); st.sheet.deleteRule(0); for (let i = 0; i < 5; i++) empty.sheet.insertRule('.e' + i + ' { top: ' + i + 'px; }', i);
        const sheet = new CSSStyleSheet(); sheet.replaceSync('p { color: green; }'); document.adoptedStyleSheets = [sheet]; const r = host.attachShadow({ mode: 'closed' }); window.__roots.set(host, r); r.innerHTML = '<b>in</b>'; r.adoptedStyleSheets = [sheet];
        customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>'; } }); })()`);
      await new Promise(done => setTimeout(done, 700));
      moments.push(await session.moment());
      await session.run(`(() => { st.sheet.cssRules[0].style.margin = '2px'; document.adoptedStyleSheets[0].insertRule('i { color: red; }'); document.body.append(st); empty.textContent = '.w { left: 0px; }'; })()`);
      moments.push(await session.moment());
      const last = JSON.stringify(JSON.parse(moments.at(-1).live));
      for (const wanted of ['hello there', '.w {', 'p { color: green; }', 'i { color: red; }']) assert.ok(last.includes(wanted), wanted);
      await check(session, moments, 'states');
    } finally { await session.close(); }
  });

  it('the exam app, over a navigation', { timeout: 180_000 }, async () => {
    const server = await serveFolder(join(root, 'suite'));
    const session = await Session.open(held.browser, '', { url: server.url('/orders/index.html?seed=7'), wait: 500 });
    try {
      const moments = [await session.moment()];
      const { page } = session;
      await page.locator('a[href*="order.html"], tbody tr a, main a').first().click();
      await page.waitForLoadState('load');
      await new Promise(done => setTimeout(done, 400));
      await session.inject();
      moments.push(await session.moment());
      await page.locator('button').first().click({ timeout: 3000 }).catch(() => {});
      await new Promise(done => setTimeout(done, 300));
      await session.inject();
      moments.push(await session.moment());
      await check(session, moments, 'orders');
    } finally { await session.close(); server.close(); }
  });

  it('MiniWoB pages', { timeout: 240_000 }, async () => {
    const server = await servePages();
    try {
      for (const task of ['click-button', 'enter-text', 'use-autocomplete', 'click-tab-2', 'book-flight', 'choose-date']) {
        const session = await Session.open(held.browser, '', { url: server.url(task, 3, 'r'), wait: 200 });
        try {
          // Its clock would tick between the last fact and what is compared with it.
          await session.run('core.startEpisodeReal ? core.startEpisodeReal() : core.startEpisode(); clearInterval(core.CD_TIMER)');
          await new Promise(done => setTimeout(done, 200));
          const moments = [await session.moment()];
          const field = session.page.locator('#area input[type=text], #area input:not([type])').first();
          if (await field.count()) { await field.click(); await session.page.keyboard.type('ab'); }
          await session.page.locator('#area button, #area a, #area .ui-tabs-anchor').first().click({ timeout: 2000 }).catch(() => {});
          await new Promise(done => setTimeout(done, 500));
          moments.push(await session.moment());
          await check(session, moments, task);
        } finally { await session.close(); }
      }
    } finally { server.close(); }
  });

  it('a recording of the extension, as installed', { timeout: 180_000 }, async test => {
    const server = await serveFolder(join(root, 'suite'));
    try {
      const out = join(scratch(test), 'orders.trace.zip');
      const recording = await record(server.url('/orders/index.html?seed=7'), { out });
      let live;
      let code;
      try {
        const human = new Human(recording.page, 'chromium');
        await human.click('document.querySelector("main a, tbody a")');
        await human.page.waitForURL(/order\.html/);
        await human.page.waitForLoadState('load');
        await recording.page.evaluate(`(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync('.adopted { color: red; }'); document.adoptedStyleSheets = [sheet]; document.body.append('later'); })()`);
        await human.click('document.querySelector("h1")');
        await new Promise(done => setTimeout(done, 1500));
        live = masked(await recording.page.evaluate(`(${CANON})(document)`));
      } finally { code = await recording.stop(); }
      assert.equal(code, 0, recording.log);
      const { events, loss } = await convert(out);
      await player.load(events);
      same(await player.at(), live, 'as installed');
      assert.ok(live.includes('.adopted'), 'the adopted sheet is in the live form');
      assert.ok(events.some(e => e.type === 5 && e.data.tag === 'tracerule.step'));
      assert.ok(loss.items.some(item => item.change === 'aside' && item.step === 0));
    } finally { server.close(); }
  });
});
