// The stream replays to the live document, whatever the page does to it.
import assert from 'node:assert/strict';
import * as test from 'node:test';
import { inBrowsers, sleep } from './lib.mjs';
import { opcodes } from './replay.mjs';

// Seeded random operations on the page: mulberry32, so that a failure can be repeated.
const CHAOS = `window.__chaos = (seed, most = 400) => {
  let state = seed >>> 0;
  const random = () => { state = (state + 0x6d2b79f5) >>> 0; let t = state; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const below = n => Math.floor(random() * n);
  const pick = list => list[below(list.length)];
  const stage = document.getElementById('stage');
  const parents = () => { const all = [stage]; for (const p of all) { for (const c of p.children) all.push(c); const r = p.nodeType === 1 && window.__roots.get(p); if (r) all.push(r); } return all; };
  const tags = ['div', 'span', 'p', 'section', 'input', 'ul'];
  const limbo = [];
  const make = depth => {
    const kind = below(10);
    if (kind === 0) return document.createComment('c' + below(100));
    if (kind < 4) return document.createTextNode('t' + below(1000));
    if (kind === 4) { const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); svg.setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', '#' + below(9)); return svg; }
    const e = document.createElement(pick(tags));
    e.setAttribute('data-x', below(1000));
    for (let i = below(4); depth < 3 && i > 0; i--) e.append(make(depth + 1));
    return e;
  };
  const host = e => e.nodeType === 1 && ['div', 'span', 'p', 'section'].includes(e.localName);
  const step = () => {
    const all = parents();
    const p = pick(all);
    const kids = p.childNodes;
    const child = kids.length ? kids[below(kids.length)] : null;
    switch (below(18)) {
      case 0: case 1: p.insertBefore(make(0), child); break;
      case 2: if (child) child.remove(); break;
      case 3: if (child) { limbo.push(child); child.remove(); } break;
      case 4: { const back = limbo.length ? limbo.splice(below(limbo.length), 1)[0] : null; if (back && !back.contains(p)) p.insertBefore(back, child); break; }
      case 5: case 6: { const q = pick(all); if (child && !child.contains(q) && !(child.nodeType === 1 && inside(q, child))) q.insertBefore(child, q.childNodes.length ? q.childNodes[below(q.childNodes.length)] : null); break; }
      case 7: { const f = document.createDocumentFragment(); for (let i = below(5); i > 0; i--) f.append(make(1)); p.insertBefore(f, child); break; }
      case 8: if (p !== stage && p.nodeType === 1 && random() < .3) p.innerHTML = '<b>x<i>' + below(99) + '</i></b><!--y-->z'; break;
      case 9: if (child) p.replaceChild(make(1), child); break;
      case 10: if (p.nodeType === 1) p.setAttribute(pick(['class', 'title', 'data-x']), 'v' + below(99)); break;
      case 11: if (p.nodeType === 1) p.removeAttribute(pick(['class', 'title', 'data-x'])); break;
      case 12: if (child && child.nodeType === 3) child.data = 'd' + below(999); break;
      case 13: if (child && child.nodeType === 3) child.splitText(Math.min(1, child.length)); else p.normalize(); break;
      case 14: if (host(p) && p !== stage && !window.__roots.get(p)) { const r = p.attachShadow({ mode: pick(['open', 'closed']) }); r.append(make(1)); const w = document.createElement('i'); p.after(w); const at = p.nextSibling; p.remove(); w.before(p); w.remove(); } break;
      case 15: if (kids.length > 1) { const f = document.createDocumentFragment(); f.append(...[...kids].reverse()); p.append(f); } break;
      case 16: { const x = make(0); p.append(x); x.remove(); break; }
      case 17: if (p.nodeType === 1 && p !== stage && p.parentNode) { const w = document.createElement('section'); p.replaceWith(w); if (random() < .5) w.append(p); else { const inner = p.firstChild; if (inner) w.append(inner); } } break;
    }
    if (parents().length > most) { const rest = [...stage.childNodes]; for (const x of rest.slice(0, rest.length >> 1)) x.remove(); }
  };
  const inside = (n, a) => { for (; n; n = n.parentNode ?? n.host) if (n === a) return true; return false; };
  return count => { for (let i = 0; i < count; i++) { try { step(); } catch (e) { if (e.name !== 'HierarchyRequestError' && e.name !== 'NotSupportedError') throw e; } } };
}`;

inBrowsers(test, (browser, check) => {
  check('the constants are those of the contract', async watched => {
    const names = await watched.run('(() => { window.__sensor.stop(); return 1; })()');
    assert.equal(names, 1);
    assert.equal(Object.keys(opcodes).length, 26);
  });

  check('ten thousand random operations', async watched => {
    await watched.run(`(${CHAOS}, window.__go = window.__chaos(20261130), 0)`);
    for (let round = 0; round < 50; round++) {
      // Some within one task, some over several, with microtasks between.
      await watched.run(`(async () => { for (let i = 0; i < 10; i++) { __go(20); if (i % 3 === 0) await 0; if (i % 4 === 0) await new Promise(r => setTimeout(r)); } })()`);
      const { live, mirror } = await watched.compare();
      assert.deepEqual(mirror, live, `round ${round}`);
    }
    const { counts } = watched.replay;
    assert.ok(counts.MOVE > 100 && counts.REMOVE > 100 && counts.SHADOW > 5, JSON.stringify(counts));
  }, '<main id="stage"></main>');

  check('a large snapshot in slices, with changes meanwhile', async watched => {
    await watched.run(`(() => { let html = ''; for (let i = 0; i < 400; i++) html += '<section><h2>' + i + '</h2><ul>' + '<li>a<b>b</b></li>'.repeat(20) + '</ul></section>'; document.getElementById('stage').innerHTML = html; })()`);
    const numbers = 'window.__messages.filter(m => m.batch).reduce((n, m) => n + m.batch.ops.length, 0)';
    const [early, seen] = JSON.parse(await watched.inject(`(async () => {
      const early = ${numbers}; let seen = 0;
      ${CHAOS};
      const go = __chaos(7, Infinity);
      for (let i = 0; i < 30; i++) { go(3); await 0; if (i === 0) seen = ${numbers}; await new Promise(r => setTimeout(r)); }
      return JSON.stringify([early, seen]);
    })()`));
    await watched.read({ flush: false });
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    assert.equal(watched.replay.snapshots, 1);
    const total = Object.values(watched.replay.counts).reduce((a, b) => a + b);
    assert.ok(total > 15_000, `${total}`);
    assert.ok(early < 15_000 && seen < 100_000, `the page changed between slices: ${early}, ${seen}`);
  }, '<main id="stage"></main>', { inject: false });

  check('an input event completes the snapshot first', async watched => {
    await watched.run(`document.getElementById('stage').innerHTML = '<p><i>x</i></p>'.repeat(8000)`);
    await watched.inject();
    await watched.run(`document.getElementById('go').dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))`);
    const [fact] = (await watched.facts()).filter(f => f.k === 'click');
    assert.ok(fact.tree > 24_000, `${fact.tree} nodes at the fact`);
    assert.equal(fact.node.a.id, 'go');
  }, '<button id="go">Go</button><main id="stage"></main>', { inject: false });

  check('a move keeps the number, away for a moment too; what left for good gets a new one', async watched => {
    const before = await watched.number('a');
    await watched.run(`(() => { const a = document.getElementById('a'); a.remove(); document.getElementById('there').append(a); })()`);
    assert.equal(await watched.number('a'), before);
    assert.equal(watched.replay.byId('a').parent.a.id, 'there');
    assert.equal(watched.replay.counts.REMOVE ?? 0, 0);
    // Over several tasks, changed while it was away.
    await watched.run(`(async () => {
      const a = document.getElementById('a'); a.remove();
      await new Promise(r => setTimeout(r));
      a.title = 'away'; a.firstChild.data = 'B'; a.append(document.createElement('i')); a.querySelector('b').prepend('in b');
      await new Promise(r => setTimeout(r));
      a.querySelector('i').append(a.querySelector('b')); document.getElementById('here').append(a);
    })()`);
    assert.equal(await watched.number('a'), before);
    assert.equal(watched.replay.counts.REMOVE ?? 0, 0);
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    await watched.run(`window.__away = document.getElementById('a'), window.__away.remove()`);
    await watched.read();
    assert.equal(watched.replay.counts.REMOVE, 1);
    await watched.run(`document.getElementById('here').append(window.__away)`);
    assert.ok(await watched.number('a') > before);
  }, '<div id="here"><p id="a">A<b>B</b></p></div><div id="there"></div>');

  check('what comes and goes within one task is never told', async watched => {
    await watched.read();
    const before = watched.replay.used.size;
    await watched.run(`(() => { for (let i = 0; i < 50; i++) { const p = document.createElement('p'); document.body.append(p); p.remove(); } })()`);
    await watched.read();
    assert.equal(watched.replay.used.size, before);
  });

  check('a shadow root attached late is found by a measure', async watched => {
    await watched.run(`(() => { const r = document.getElementById('h').attachShadow({ mode: 'closed' }); r.innerHTML = '<button id="in">In</button>'; })()`);
    await watched.ask({ ask: 'measure' });
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    assert.equal(watched.replay.measured, 1);
    await watched.run(`window.__roots.get(document.getElementById('h')).append('later')`);
    const again = await watched.compare();
    assert.deepEqual(again.mirror, again.live);
  }, '<div id="h"></div>');

  check('a custom element defined late shows its root', async watched => {
    await watched.run(`customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<b>late</b>'; } })`);
    await sleep(700);
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    assert.ok(watched.replay.counts.SHADOW === 1);
  }, '<x-late></x-late>');

  check('document.open and write', async watched => {
    await watched.run(`(() => { document.open(); document.write('<title>New</title><p id="p">new</p><button id="b">B</button>'); document.close(); })()`);
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    await watched.facts();
    await watched.click('#b');
    assert.ok((await watched.facts()).some(f => f.k === 'click' && f.node?.a?.id === 'b'));
  }, '<p>old</p>');

  check('batches carry typed arrays and are sent again after a lost connection', async watched => {
    const sent = await watched.run(`(async () => {
      window.__acks = false;
      __sensor.flush();
      document.body.append('one'); __sensor.flush();
      const before = window.__messages.filter(m => m.batch).length;
      __transports.at(-1).drop();
      document.body.append('two'); __sensor.flush();
      await new Promise(r => setTimeout(r, 300));
      return JSON.stringify({ before, typed: window.__messages.every(m => !m.batch || m.batch.typed), hello: window.__messages.filter(m => m.hello).at(-1).hello, connections: __transports.length });
    })()`);
    const { typed, hello, connections } = JSON.parse(sent);
    assert.ok(typed);
    assert.equal(connections, 2);
    const { live, mirror } = await watched.compare();
    assert.deepEqual(mirror, live);
    assert.equal(watched.hellos.length, 2);
    assert.ok(hello.next_seq < watched.replay.next);
    assert.equal(hello.doc, watched.hellos[0].doc);
  });

  check('stops quietly when the extension is gone', async watched => {
    await watched.run(`(async () => { window.__dead = true; __transports.at(-1).drop(); await new Promise(r => setTimeout(r, 200)); })()`);
    assert.equal(await watched.run('window.__stopped'), true);
    await watched.run(`document.body.append('x')`);
  });
});
