// Random operations on a page, over frames and shadow roots: the mirror and the real rrweb's replay of our
// export both end at the live document. The seed is printed; TRACERULE_SEED repeats it.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { launch } from '../sensor/lib.mjs';
import { convert, difference, Player, Session } from './lib.mjs';

const SEED = Number(process.env.TRACERULE_SEED ?? 20261130);
const ROUNDS = Number(process.env.TRACERULE_ROUNDS ?? 4);

const CHAOS = `window.__chaos = seed => {
  let state = seed >>> 0;
  const random = () => { state = (state + 0x6d2b79f5) >>> 0; let t = state; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const below = n => Math.floor(random() * n);
  const pick = list => list[below(list.length)];
  const inside = (n, a) => { for (; n; n = n.parentNode ?? n.host) if (n === a) return true; return false; };
  // For each document: an adopted node has the prototypes of the page it came from.
  const limbos = new Map();
  const stages = () => [document.getElementById('stage'), ...[...document.querySelectorAll('iframe')].map(f => f.contentDocument?.getElementById('stage')).filter(Boolean)];
  const parents = stage => { const all = [stage]; for (const p of all) { for (const c of p.children) if (c.localName !== 'iframe') all.push(c); const r = p.nodeType === 1 && window.__roots.get(p); if (r) all.push(r); } return all; };
  const make = (doc, depth) => {
    const kind = below(14);
    if (kind === 0) return doc.createComment('c' + below(100));
    if (kind < 4) return doc.createTextNode('t' + below(1000));
    if (kind === 4) { const svg = doc.createElementNS('http://www.w3.org/2000/svg', 'svg'); const use = doc.createElementNS('http://www.w3.org/2000/svg', 'linearGradient'); use.setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', '#' + below(9)); svg.append(use); return svg; }
    if (kind === 5) { const i = doc.createElement('input'); if (below(2)) i.type = 'checkbox'; if (i.type === 'checkbox') i.checked = !!below(2); else i.value = 'v' + below(99); return i; }
    if (kind === 6) { const s = doc.createElement('style'); s.textContent = '.a' + below(9) + '{color:red} .b{margin:' + below(9) + 'px}'; return s; }
    if (kind === 7) { const s = doc.createElement('select'); for (let n = 3; n--;) { const o = doc.createElement('option'); o.textContent = 'o' + n; s.append(o); } s.selectedIndex = below(3); return s; }
    if (kind === 8) { const t = doc.createElement('textarea'); t.textContent = 'x' + below(9); return t; }
    const e = doc.createElement(pick(['div', 'span', 'p', 'section', 'ul', 'x-thing']));
    e.setAttribute('data-x', below(1000));
    for (let i = below(4); depth < 3 && i > 0; i--) e.append(make(doc, depth + 1));
    return e;
  };
  const host = e => e.nodeType === 1 && ['div', 'span', 'p', 'section'].includes(e.localName);
  const full = e => ['style', 'select', 'textarea', 'input', 'option'].includes(e.localName);
  const step = () => {
    const stage = pick(stages());
    const doc = stage.ownerDocument;
    if (!limbos.has(doc)) limbos.set(doc, []);
    const limbo = limbos.get(doc);
    const all = parents(stage).filter(p => !full(p));
    const p = pick(all);
    const kids = p.childNodes;
    const child = kids.length ? kids[below(kids.length)] : null;
    switch (below(22)) {
      case 0: case 1: p.insertBefore(make(doc, 0), child); break;
      case 2: if (child) child.remove(); break;
      case 3: if (child && child.localName !== 'iframe') { limbo.push(child); child.remove(); } break;
      case 4: { const back = limbo.length ? limbo.splice(below(limbo.length), 1)[0] : null; if (back && !inside(p, back)) p.insertBefore(back, child); break; }
      case 5: case 6: { const q = pick(all); if (child && child.localName !== 'iframe' && !inside(q, child)) q.insertBefore(child, q.childNodes.length ? q.childNodes[below(q.childNodes.length)] : null); break; }
      case 7: { const f = doc.createDocumentFragment(); for (let i = below(5); i > 0; i--) f.append(make(doc, 1)); p.insertBefore(f, child); break; }
      case 8: if (p !== stage && p.nodeType === 1 && random() < .3) p.innerHTML = '<b>x<i>' + below(99) + '</i></b><!--y-->z'; break;
      case 9: if (child) p.replaceChild(make(doc, 1), child); break;
      case 10: if (p.nodeType === 1) p.setAttribute(pick(['class', 'title', 'data-x', 'style']), pick(['v', 'color: red', 'a b']) ); break;
      case 11: if (p.nodeType === 1) p.removeAttribute(pick(['class', 'title', 'data-x', 'style'])); break;
      case 12: if (child && child.nodeType === 3) child.data = 'd' + below(999); break;
      case 13: if (child && child.nodeType === 3) child.splitText(Math.min(1, child.length)); else p.normalize(); break;
      case 14: if (host(p) && p !== stage && !window.__roots.get(p)) { const r = p.attachShadow({ mode: pick(['open', 'closed']) }); window.__roots.set(p, r); if (below(3)) r.append(make(doc, 1)); const w = doc.createElement('i'); p.after(w); p.remove(); w.before(p); w.remove(); } break;
      case 15: if (kids.length > 1) { const f = doc.createDocumentFragment(); f.append(...[...kids].reverse()); p.append(f); } break;
      case 16: { const x = make(doc, 0); p.append(x); x.remove(); break; }
      case 17: if (p.nodeType === 1 && p !== stage && p.parentNode) { const w = doc.createElement('section'); p.replaceWith(w); if (random() < .5) w.append(p); else { const inner = p.firstChild; if (inner) w.append(inner); } } break;
      case 18: { const i = pick([...stage.querySelectorAll('input')]); if (i) { if (i.type === 'checkbox') i.checked = !i.checked; else i.value = 'w' + below(999); } break; }
      case 19: { const s = pick([...stage.querySelectorAll('select')]); if (s) s.selectedIndex = below(3); const t = pick([...stage.querySelectorAll('textarea')]); if (t) t.value = 'y' + below(99); break; }
      case 20: { const s = pick([...stage.querySelectorAll('style')]); if (s?.sheet) { if (below(3)) s.sheet.insertRule('.n' + below(99) + '{color:blue}', below(s.sheet.cssRules.length + 1)); else if (s.sheet.cssRules.length) s.sheet.deleteRule(0); } break; }
      case 21: { const w = doc.defaultView; const sheet = new w.CSSStyleSheet(); sheet.replaceSync('.c' + below(9) + '{color:green}'); const roots = [doc, ...parents(stage).filter(x => x.nodeType === 11)]; const r = pick(roots); r.adoptedStyleSheets = below(3) ? [...r.adoptedStyleSheets, sheet].slice(-4) : []; break; }
    }
    if (parents(stage).length > 250) { const rest = [...stage.childNodes].filter(x => x.localName !== 'iframe'); for (const x of rest.slice(0, rest.length >> 1)) x.remove(); }
  };
  return count => { for (let i = 0; i < count; i++) { try { step(); } catch (e) { if (e.name !== 'HierarchyRequestError' && e.name !== 'NotSupportedError') throw e; } } };
}`;

const same = (got, wanted, what) => { if (got !== wanted) assert.fail(`${what}: ${difference(JSON.parse(got), JSON.parse(wanted))}`); };

describe('random operations', () => {
  let held;
  let player;
  before(async () => { held = await launch('chromium'); player = await Player.open(held.browser); });
  after(async () => { await player?.close(); await held?.close(); });

  for (let round = 0; round < ROUNDS; round++) {
    const seed = SEED + round;
    it(`seed ${seed}: live, replayed to the end, and replayed to moments between`, { timeout: 180_000 }, async () => {
      const frame = '<!doctype html><html><head><title>In</title></head><body><main id=stage></main></body></html>';
      const session = await Session.open(held.browser, '<main id="stage"></main><iframe id="f" src="/frame"></iframe><iframe id="g" srcdoc="<main id=stage>x</main>"></iframe>', { pages: { '/frame': frame }, wait: 200 });
      try {
        await session.run(`(${CHAOS}, window.__go = window.__chaos(${seed}), 0)`);
        const moments = [];
        for (let part = 0; part < 6; part++) {
          await session.run('(async () => { for (let i = 0; i < 8; i++) { __go(12); if (i % 3 === 0) await 0; if (i % 4 === 0) await new Promise(r => setTimeout(r)); } })()');
          moments.push(await session.moment());
          await new Promise(done => setTimeout(done, 30));
        }
        const file = session.save();
        if (process.env.TRACERULE_KEEP) copyFileSync(file, `${process.env.TRACERULE_KEEP}-${seed}.trace.zip`);
        const { events, loss } = await convert(file);
        assert.ok(!loss.items.some(item => /torn/.test(item.field)), JSON.stringify(loss.items));
        for (const virtual of [true, false]) {
          await player.load(events, { virtual });
          same(await player.at(), moments.at(-1).live, `seed ${seed}, at the end, ${virtual ? 'fast-forward' : 'step by step'}`);
          assert.deepEqual(player.warnings, []);
        }
        await player.load(events);
        for (const [i, moment] of moments.entries()) same(await player.at(moment.t), moment.live, `seed ${seed}, moment ${i}`);
      } finally { await session.close(); }
    });
  }
});
