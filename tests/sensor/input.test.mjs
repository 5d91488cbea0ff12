// Every gesture's facts are there, in order, with the document as it was; secrets never leave.
import assert from 'node:assert/strict';
import * as test from 'node:test';
import { inBrowsers, sleep } from './lib.mjs';

const MASK = '••••••••';
const kinds = facts => facts.map(f => f.k);
const only = (facts, ...wanted) => facts.filter(f => wanted.includes(f.k));

inBrowsers(test, (browser, check) => {
  check('a click: pointerdown, focus, pointerup, click, before the page reacts', async watched => {
    await watched.facts();
    await watched.click('#b');
    const facts = await watched.facts();
    assert.deepEqual(kinds(facts).filter(k => k !== 'scroll'), ['pointerdown', 'focus', 'pointerup', 'click']);
    for (const fact of facts) {
      assert.equal(fact.trusted, true);
      assert.equal(fact.node?.a.id, 'b', fact.k);
      assert.ok(Math.abs(fact.t - Date.now()) < 60_000);
      assert.equal(fact.url, watched.server.url('/'));
    }
    const [down] = facts;
    assert.ok(down.box.width > 10 && down.x > down.box.x && down.x < down.box.x + down.box.width);
    assert.equal(down.pointer, 'mouse');
    assert.deepEqual([facts.at(-1).detail, facts.at(-1).button], [1, 0]);
    const timed = only(facts, 'pointerdown', 'pointerup', 'click');
    assert.ok(timed.every((f, i) => i === 0 || f.t >= timed[i - 1].t), 'in time order');
    // The page removed the button in the click: it was still there at the fact, and is gone now.
    assert.equal(watched.replay.byId('b'), undefined);
  }, `<button id="b" onclick="this.remove()">Save</button>`);

  check('the mirror at the fact holds what the page did just before', async watched => {
    await watched.facts();
    await watched.run(`(() => { const p = document.createElement('p'); p.id = 'fresh'; document.body.append(p); p.textContent = 'x'; p.dispatchEvent(new MouseEvent('click', { bubbles: true })); p.remove(); })()`);
    const [fact] = only(await watched.facts(), 'click');
    assert.equal(fact.node.a.id, 'fresh');
    assert.equal(fact.trusted, false);
  });

  check("a page's edit in the midst of a click is its own, whatever the browser vouches for", async watched => {
    await watched.click('#t');
    await watched.page.keyboard.type('a');
    await watched.facts();
    for (const [id, type] of [['#bold', 'click'], ['#early', 'mousedown']]) {
      await watched.click(id);
      const inputs = only(await watched.facts(), 'input');
      assert.deepEqual(inputs.map(f => [f.trusted, f.node.a.id]), [[false, 't']], type);
    }
    await watched.click('#t');
    await watched.page.keyboard.type('b');
    assert.deepEqual(only(await watched.facts(), 'input').map(f => f.trusted), [true]);
  }, `<textarea id="t"></textarea><button id="bold" onclick="t.focus(); document.execCommand('insertText', false, '**')">Bold</button>
    <button id="early" onmousedown="t.focus(); document.execCommand('insertText', false, '!'); event.preventDefault()">Early</button>`);

  check('double click, right click, middle click', async watched => {
    const { x, y } = await watched.centre('#b');
    await watched.facts();
    if (browser === 'firefox') await watched.page.mouse.click(x, y, { count: 2 }); else await watched.page.mouse.dblclick(x, y);
    const twice = only(await watched.facts(), 'click', 'dblclick');
    assert.deepEqual(twice.map(f => [f.k, f.detail]), [['click', 1], ['click', 2], ['dblclick', 2]]);
    await watched.click('#b', { button: 'right' });
    const right = await watched.facts();
    assert.ok(kinds(right).includes('contextmenu') && right.every(f => f.k !== 'click'));
    assert.equal(only(right, 'contextmenu')[0].button, 2);
    await watched.click('#b', { button: 'middle' });
    assert.deepEqual(only(await watched.facts(), 'auxclick').map(f => f.button), [1]);
  }, '<button id="b">B</button>');

  check('typing: keydown and input in turn, change at the end, values in the mirror', async watched => {
    await watched.click('#t');
    await watched.facts();
    await watched.page.keyboard.type('abc');
    await watched.page.keyboard.press('Tab');
    const facts = only(await watched.facts(), 'keydown', 'input', 'change', 'focus');
    assert.deepEqual(kinds(facts), ['keydown', 'input', 'keydown', 'input', 'keydown', 'input', 'keydown', 'change', 'focus']);
    assert.deepEqual(facts.filter(f => f.k === 'input').map(f => f.value), ['a', 'ab', 'abc']);
    assert.equal(facts[1].input_type, 'insertText');
    assert.equal(facts[1].field, 'text');
    assert.deepEqual([facts[0].key, facts[0].code, facts[0].mods], ['a', 'KeyA', []]);
    assert.equal(watched.replay.byId('t').value, 'abc');
    assert.equal(watched.replay.focus, watched.replay.byId('u').id);
  }, '<input id="t"><input id="u">');

  check('shortcuts carry their modifiers', async watched => {
    await watched.facts();
    await watched.page.keyboard.down('Control');
    await watched.page.keyboard.press('k');
    await watched.page.keyboard.up('Control');
    const keys = only(await watched.facts(), 'keydown');
    assert.deepEqual(keys.at(-1).mods, ['Control']);
    assert.equal(keys.at(-1).key.toLowerCase(), 'k');
  });

  check('boxes, radios, lists, editable content', async watched => {
    await watched.facts();
    await watched.click('#c');
    await watched.click('#r2');
    await watched.click('#e');
    await watched.page.keyboard.type('hi');
    const facts = await watched.facts();
    const box = only(facts, 'change').find(f => f.node.a.id === 'c');
    assert.equal(box.checked, true);
    assert.equal(watched.replay.byId('c').checked, 1);
    assert.equal(watched.replay.byId('r2').checked, 1);
    assert.equal(watched.replay.byId('r1').checked, 0, 'the other radio of the group goes off');
    const typed = only(facts, 'input').filter(f => f.field === 'contenteditable');
    assert.deepEqual(typed.map(f => f.value), ['h', 'hi']);
    assert.equal(typed[0].node.a.id, 'e');
    await watched.run(`(() => { const s = document.getElementById('s'); s.value = 'two'; s.dispatchEvent(new Event('input', { bubbles: true })); s.dispatchEvent(new Event('change', { bubbles: true })); })()`);
    const [change] = only(await watched.facts(), 'change');
    assert.deepEqual([change.value, change.labels, change.values, change.field], ['two', ['Two'], ['two'], 'select-one']);
    const options = [...watched.replay.nodes.values()].filter(n => n.tag === 'option');
    assert.deepEqual(options.map(o => o.selected ?? false), [false, true]);
  }, `<input type="checkbox" id="c"><input type="radio" name="r" id="r1" checked><input type="radio" name="r" id="r2">
    <div id="e" contenteditable="true"></div><select id="s"><option value="one">One</option><option value="two">Two</option></select>`);

  check('values set by the page are told', async watched => {
    await watched.read();
    await watched.run(`(() => { document.getElementById('t').value = 'set'; document.getElementById('c').checked = true; document.body.append('x'); })()`);
    await sleep(120);
    await watched.read({ flush: false });
    assert.equal(watched.replay.byId('t').value, 'set');
    assert.equal(watched.replay.byId('c').checked, 1);
  }, '<input id="t"><input type="checkbox" id="c">');

  check('inside open and closed shadow roots', async watched => {
    for (const host of ['open', 'closed']) {
      await watched.facts();
      await watched.click(`(window.__roots.get(document.getElementById('${host}')).querySelector('button'))`);
      const facts = only(await watched.facts(), 'pointerdown', 'click', 'focus');
      assert.ok(facts.length >= 3, kinds(facts).join());
      for (const fact of facts) assert.equal(fact.node?.a?.id, `${host}-b`, `${fact.k} in ${host}`);
      await watched.click(`(window.__roots.get(document.getElementById('${host}')).querySelector('input'))`);
      await watched.page.keyboard.type('q');
      await watched.page.keyboard.press('Enter');
      const typed = await watched.facts();
      for (const k of ['focus', 'keydown', 'input', 'change', 'submit']) {
        const [fact] = only(typed, k);
        assert.equal(fact?.node?.a?.id, k === 'submit' ? `${host}-f` : `${host}-i`, `${k} in ${host}`);
      }
    }
  }, `<div id="open"></div><div id="closed"></div><script>for (const mode of ['open', 'closed']) document.getElementById(mode).attachShadow({ mode }).innerHTML =
    '<form id="' + mode + '-f" onsubmit="return false"><button type="button" id="' + mode + '-b">B</button><input id="' + mode + '-i"></form>'</script>`);

  check('wheel and scroll', async watched => {
    const { x, y } = await watched.centre('#box');
    await watched.facts();
    await watched.page.mouse.move(x, y);
    if (browser === 'firefox') await watched.page.mouse.wheel({ deltaY: 120 }); else await watched.page.mouse.wheel(0, 120);
    await sleep(700);
    const facts = await watched.facts();
    assert.ok(only(facts, 'wheel').some(f => f.dy > 0), kinds(facts).join());
    const scroll = only(facts, 'scroll').at(-1);
    assert.equal(scroll.node.a.id, 'box');
    assert.ok(scroll.y > 0);
    assert.equal(watched.replay.byId('box').scroll[1], Math.round(scroll.y));
  }, '<div id="box" style="height:200px;overflow:auto"><div style="height:3000px">x</div></div>');

  check('a page that goes away says so, with its last facts', async watched => {
    await watched.facts();
    await watched.run(`(() => { window.__kept = []; window.addEventListener('pagehide', () => localStorage.setItem('kept', JSON.stringify(window.__messages))); })()`);
    await watched.click('#go');
    let kept = null;
    for (let i = 0; i < 100 && !kept; i++) { await sleep(50); kept = JSON.parse(await watched.run(`document.title === 'Next' ? localStorage.getItem('kept') : null`).catch(() => null)); }
    for (const message of kept) if (message.batch) watched.replay.batch(message.batch);
    assert.deepEqual(kinds(watched.replay.facts).filter(k => ['click', 'pagehide'].includes(k)), ['click', 'pagehide']);
  }, '<a id="go" href="/next">Go</a>', { pages: { '/next': '<title>Next</title>' } });

  check('odd events do no harm', async watched => {
    await watched.facts();
    await watched.run(`(() => { const b = document.getElementById('b');
      b.dispatchEvent(new Event('click', { bubbles: true }));
      b.dispatchEvent(new Event('keydown', { bubbles: true }));
      b.dispatchEvent(new CustomEvent('pointerdown', { bubbles: true, detail: { x: 1 } }));
      b.dispatchEvent(new Event('wheel', { bubbles: true }));
      b.dispatchEvent(new Event('input', { bubbles: true }));
      window.dispatchEvent(new Event('focus'));
      window.postMessage({ tracerule: { no: 'string' } }, '*');
    })()`);
    const facts = await watched.facts();
    assert.deepEqual(kinds(facts), ['click', 'pointerdown', 'wheel', 'input']);
    for (const fact of only(facts, 'click', 'pointerdown')) assert.deepEqual([fact.x, fact.y, fact.button, fact.detail, fact.mods], [0, 0, 0, 0, []]);
  }, '<button id="b">B</button>');

  check('a password leaves in no form', async watched => {
    await watched.click('#p');
    await watched.page.keyboard.type('hunter2&Co');
    await watched.run(`document.getElementById('p').type = 'text'`);
    await watched.page.keyboard.type('X9');
    await watched.page.keyboard.press('Tab');
    await watched.run(`history.replaceState(null, '', '/?q=' + encodeURIComponent(document.getElementById('p').value))`);
    await watched.click('#later');
    await sleep(150);
    await watched.ask({ ask: 'measure' });
    const secrets = await watched.ask({ ask: 'secrets' });
    await watched.read();
    // The page echoes it into texts, attributes, other fields and the address.
    for (const piece of ['hunter2', 'hunt', 'unter2', 'KeyH', 'Digit2']) assert.ok(!watched.raw.includes(piece), `${piece} left the page`);
    const facts = watched.replay.facts;
    const typed = facts.filter(f => f.node?.a?.id === 'p');
    assert.ok(only(typed, 'keydown').slice(0, 10).every(f => f.key === '•' && f.code === ''));
    assert.ok(only(typed, 'input').every(f => f.value === MASK && f.secret));
    assert.equal(watched.replay.byId('p').value, MASK);
    assert.equal(watched.replay.byId('echo').children[0].d.includes(MASK), true);
    assert.equal(watched.replay.byId('copy').value, MASK);
    assert.equal(watched.replay.byId('label').children[0].d, 'Show password', 'what a person reads stays whole');
    assert.equal(secrets.secrets.length, 3, 'the field, its echo and its copy are blacked out');
  }, `<label id="label">Show password</label><input id="p" type="password" oninput="
      document.getElementById('echo').textContent = 'You typed ' + this.value; document.getElementById('copy').value = this.value;
      document.body.dataset.typed = this.value; document.body.setAttribute('data-url', encodeURIComponent(this.value))">
    <p id="echo"></p><input id="copy"><button id="later" onclick="setTimeout(() => document.title = document.getElementById('copy').value)">L</button>`);

  check('a password that was there already, and one-time codes', async watched => {
    await watched.read();
    await watched.run(`document.getElementById('o').value = '493817'; document.body.append('code 493817')`);
    await sleep(120);
    await watched.read();
    assert.ok(!watched.raw.includes('prefilled'));
    assert.ok(!watched.raw.includes('493817'));
    assert.equal(watched.replay.byId('p').a.value, MASK);
  }, '<input id="p" type="password" value="prefilled"><input id="o" autocomplete="section-a one-time-code">');
});
