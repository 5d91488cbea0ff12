// Where things are, what covers them, and synthetic input that pages take for a person's.
import assert from 'node:assert/strict';
import * as test from 'node:test';
import { inBrowsers } from './lib.mjs';

const act = async (watched, id, what) => watched.ask({ ask: 'act', node: id ? await watched.number(id) : 0, what });
const locate = async (watched, id) => watched.ask({ ask: 'locate', node: await watched.number(id) });

// A controlled input as React makes it: the instance's value is tracked, and set back unless the event says otherwise.
const CONTROLLED = `<input id="t"><output id="o"></output><script>(() => {
  const t = document.getElementById('t'), own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  let tracked = '', state = '';
  Object.defineProperty(t, 'value', { configurable: true, get() { return own.get.call(this); }, set(v) { tracked = '' + v; own.set.call(this, v); } });
  t.addEventListener('input', () => { const now = own.get.call(t); if (now === tracked) return; tracked = now; state = now.toUpperCase(); t.value = state; document.getElementById('o').textContent = state; });
})()</script>`;

inBrowsers(test, (browser, check) => {
  check('measure: boxes, flags, viewport; only what changed', async watched => {
    await watched.ask({ ask: 'measure' });
    const { replay } = watched;
    await watched.read();
    const box = id => replay.boxes.get(replay.byId(id).id);
    assert.deepEqual(box('a').slice(0, 4), [10, 20, 100, 30]);
    assert.equal(box('a')[4] & 31, 1 | 2 | 4 | 8 | 16);
    assert.equal(box('gone')[4], 0);
    assert.equal(box('unseen')[4], 0);
    assert.equal(box('clear')[4] & 1, 1, 'opacity does not hide');
    assert.equal(box('through')[4] & 2, 0);
    assert.equal(replay.boxes.has(replay.byId('below').id), false, 'what is far away is told when it comes into view');
    assert.equal(box('word')[4] & 16, 0);
    assert.equal(replay.viewport[2], await watched.run('Math.round(devicePixelRatio * 100)'));
    const before = replay.counts.BOX;
    await watched.run(`document.getElementById('a').style.left = '11px'`);
    await watched.ask({ ask: 'measure' });
    await watched.read();
    assert.equal(replay.counts.BOX, before + 1);
    assert.equal(replay.measured, 2);
    await watched.run(`document.getElementById('below').scrollIntoView()`);
    await watched.ask({ ask: 'measure' });
    await watched.read();
    assert.equal(box('below')[4] & 8, 8);
    assert.equal(box('a')[4] & 9, 1, 'out of view now, and still shown');
    await watched.run(`document.body.hidden = true`);
    await watched.ask({ ask: 'measure' });
    await watched.read();
    assert.equal(box('below')[4], 0, 'what was told is taken back when all of it goes');
    assert.equal(box('a')[4], 0);
  }, `<button id="a" style="position:absolute;display:block;left:10px;top:20px;width:100px;height:30px;cursor:pointer">A</button><p id="gone" hidden>x</p>
    <p id="unseen" style="visibility:hidden">x</p><p id="clear" style="opacity:0">x</p><p id="through" style="pointer-events:none">x</p><span id="word">w</span>
    <p id="below" style="margin-top:5000px">x</p>`);

  check('locate scrolls, finds the point, names what covers', async watched => {
    const far = await locate(watched, 'far');
    assert.ok(far.scrolled && far.hits && far.visible && far.connected && !far.disabled);
    assert.ok(far.point.y > 0 && far.point.y < await watched.run('innerHeight'));
    const inner = await locate(watched, 'inner');
    assert.ok(inner.hits && inner.scrolled, 'within a container');
    const covered = await locate(watched, 'covered');
    assert.equal(covered.hits, false);
    assert.equal(covered.covered_by, 'div#overlay "Please wait"');
    assert.equal((await locate(watched, 'off')).disabled, true);
    assert.equal((await locate(watched, 'aria')).disabled, true);
    assert.equal((await locate(watched, 'none')).visible, false);
    assert.equal((await locate(watched, 'text')).editable, true);
    assert.equal((await locate(watched, 'icon')).hits, true, 'an icon in a button');
    assert.equal((await locate(watched, 'box')).hits, true, 'a box under its label');
    assert.equal((await watched.ask({ ask: 'locate', node: 99999 })).connected, false);
  }, `<div style="position:relative;width:100px;height:30px"><button id="covered" style="width:100px;height:30px">C</button><div id="overlay" style="position:absolute;inset:0;background:#ccc">Please  wait</div></div>
    <button id="off" disabled>D</button><div aria-disabled="true"><button id="aria">E</button></div><p id="none" style="display:none">x</p><input id="text">
    <button><svg id="icon" width="20" height="20" style="pointer-events:none"><circle r="9" cx="10" cy="10"/></svg></button>
    <label style="position:relative;display:inline-block;width:90px;height:20px"><input type="checkbox" id="box" style="position:absolute;left:0"><span style="position:absolute;inset:0;background:#eee">Box</span></label>
    <div style="height:100px;overflow:auto"><div style="height:900px"></div><button id="inner">I</button></div><div style="height:4000px"></div><button id="far">Far</button>`);

  check('secrets: boxes of fields, and where frames lie', async watched => {
    const reply = await watched.ask({ ask: 'secrets' });
    assert.equal(reply.secrets.length, 1);
    const [[node, box]] = reply.frames;
    assert.equal(node, await watched.number('f'));
    assert.deepEqual(box, { x: 20 + 3 + 7, y: 200 + 3 + 7, width: 300, height: 100 });
  }, '<input type="password"><iframe id="f" srcdoc="x" style="position:absolute;left:20px;top:200px;width:300px;height:100px;border:3px solid;padding:7px"></iframe>');

  check('a click runs the whole sequence, with focus and activation', async watched => {
    await watched.facts();
    for (const id of ['c', 'x']) assert.equal((await act(watched, id, { do: 'click', button: 'left', count: 1 })).ok, true);
    assert.equal(await watched.run(`document.getElementById('c').checked`), true);
    const facts = await watched.facts();
    assert.deepEqual(facts.filter(f => f.node?.a?.id === 'c').map(f => f.k), ['pointerdown', 'focus', 'pointerup', 'click', 'input', 'change']);
    assert.ok(facts.filter(f => f.k !== 'focus' && f.k !== 'input' && f.k !== 'change').every(f => f.trusted === false));
    assert.equal(await watched.run('window.__log'), 'pointerdown mousedown pointerup mouseup click ');
    const failed = await act(watched, 'off', { do: 'click', button: 'left', count: 1 });
    assert.deepEqual([failed.ok, failed.code], [false, 'disabled']);
  }, `<input type="checkbox" id="c"><button id="x">X</button><button id="off" disabled>O</button><script>window.__log = ''; for (const t of ['pointerdown', 'mousedown', 'mouseup', 'pointerup', 'click']) document.getElementById('x').addEventListener(t, () => window.__log += t + ' ')</script>`);

  check('a double click and a right click', async watched => {
    await watched.facts();
    await act(watched, 'b', { do: 'click', button: 'left', count: 2, modifiers: ['Shift'] });
    const facts = (await watched.facts()).filter(f => ['click', 'dblclick'].includes(f.k));
    assert.deepEqual(facts.map(f => [f.k, f.detail, f.mods.join()]), [['click', 1, 'Shift'], ['click', 2, 'Shift'], ['dblclick', 2, 'Shift']]);
    await act(watched, 'b', { do: 'click', button: 'right', count: 1 });
    assert.deepEqual((await watched.facts()).map(f => f.k).filter(k => /click|menu/.test(k)), ['contextmenu', 'auxclick']);
  }, '<button id="b">B</button>');

  check('typing into a controlled input', async watched => {
    const reply = await act(watched, 't', { do: 'type', text: 'hello', replace: true });
    assert.equal(reply.ok, true, reply.message);
    assert.equal(await watched.run(`document.getElementById('t').value + '|' + document.getElementById('o').textContent`), 'HELLO|HELLO');
    await act(watched, 't', { do: 'type', text: 'by', replace: true });
    assert.equal(await watched.run(`document.getElementById('o').textContent`), 'BY');
    await act(watched, 't', { do: 'type', text: 'e', replace: false });
    assert.equal(await watched.run(`document.getElementById('o').textContent`), 'BYE');
    await act(watched, 't', { do: 'type', text: '', replace: true });
    assert.equal(await watched.run(`document.getElementById('t').value`), '');
    const kinds = (await watched.facts()).map(f => f.k);
    for (const kind of ['keydown', 'input', 'change']) assert.ok(kinds.includes(kind), kind);
  }, CONTROLLED);

  check('typing into dates, numbers, text areas, editable content; what cannot be typed into', async watched => {
    await act(watched, 'd', { do: 'type', text: '2026-11-30', replace: true });
    await act(watched, 'n', { do: 'type', text: '-12.5', replace: true });
    await act(watched, 'a', { do: 'type', text: 'one\ntwo', replace: true });
    await act(watched, 'e', { do: 'type', text: 'new', replace: true });
    assert.equal(await watched.run(`['d', 'n', 'a'].map(i => document.getElementById(i).value).join('|') + '|' + document.getElementById('e').textContent`), '2026-11-30|-12.5|one\ntwo|new');
    const bad = await act(watched, 'd', { do: 'type', text: 'tomorrow', replace: true });
    assert.deepEqual([bad.ok, bad.code], [false, 'bad_value']);
    assert.ok(bad.message.includes('2026-01-31'), bad.message);
    assert.equal((await act(watched, 'b', { do: 'type', text: 'x', replace: true })).code, 'wrong_kind');
    assert.equal((await watched.ask({ ask: 'select_all', node: await watched.number('b') })).code, 'wrong_kind');
    assert.equal((await watched.ask({ ask: 'select_all', node: await watched.number('a') })).ok, true);
    assert.equal(await watched.run(`(e => e.value.slice(e.selectionStart, e.selectionEnd))(document.activeElement)`), 'one\ntwo');
  }, '<input id="d" type="date"><input id="n" type="number"><textarea id="a">old</textarea><div id="e" contenteditable="true">old text</div><button id="b">B</button>');

  check('keys and their defaults', async watched => {
    await act(watched, 'i', { do: 'press', key: 'Enter' });
    assert.equal(await watched.run('window.__sent'), 1);
    await act(watched, 'i', { do: 'press', key: 'x' });
    await act(watched, 'i', { do: 'press', key: 'Backspace' });
    await act(watched, 'i', { do: 'press', key: 'Tab' });
    assert.equal(await watched.run('document.activeElement.id'), 'c');
    await act(watched, null, { do: 'press', key: 'Space' });
    assert.equal(await watched.run(`document.getElementById('c').checked`), true);
    await act(watched, null, { do: 'press', key: 'Shift+Tab' });
    assert.equal(await watched.run('document.activeElement.id'), 'i');
    await act(watched, 's', { do: 'press', key: 'ArrowDown' });
    assert.equal(await watched.run(`document.getElementById('s').value`), 'b');
    await watched.run(`document.getElementById('d').showModal()`);
    await act(watched, null, { do: 'press', key: 'Escape' });
    assert.equal(await watched.run(`document.getElementById('d').open`), false);
    const facts = await watched.facts();
    assert.ok(facts.some(f => f.k === 'submit') && facts.some(f => f.k === 'keydown' && f.key === 'Tab' && f.mods[0] === 'Shift'));
    assert.equal((await act(watched, 'i', { do: 'press', key: 'Hyper+Q' })).code, 'bad_value');
  }, `<form onsubmit="window.__sent = (window.__sent ?? 0) + 1; return false"><input id="i"><input type="checkbox" id="c"><button>Go</button></form>
    <select id="s"><option>a</option><option>b</option></select><dialog id="d"><button>x</button></dialog>`);

  check('choosing options, by label or value; what is not there is told with what is', async watched => {
    const choose = async (id, values) => watched.ask({ ask: 'choose', node: await watched.number(id), values });
    assert.equal((await choose('s', ['Second  one'])).ok, true);
    assert.equal(await watched.run(`document.getElementById('s').value + window.__changes`), '21');
    assert.equal((await choose('m', ['x', 'z'])).ok, true);
    assert.equal(await watched.run(`[...document.getElementById('m').selectedOptions].map(o => o.value).join()`), 'x,z');
    const bad = await choose('s', ['Third']);
    assert.equal(bad.code, 'bad_value');
    assert.ok(bad.message.includes('"First", "Second one"'), bad.message);
    assert.equal((await choose('b', ['x'])).code, 'wrong_kind');
    assert.equal((await choose('s', ['Off'])).code, 'disabled');
  }, `<select id="s" onchange="window.__changes = (window.__changes ?? 0) + 1"><option value="1">First</option><option value="2">Second
     one</option><option disabled>Off</option></select><select id="m" multiple><option>x</option><option>y</option><option>z</option></select><button id="b">B</button>`);

  check('scrolling, frames drawn, garbage', async watched => {
    await act(watched, 'box', { do: 'scroll', dx: 0, dy: 150 });
    assert.equal(await watched.run(`document.getElementById('box').scrollTop`), 150);
    assert.ok((await watched.ask({ ask: 'frames' })).id);
    const bad = await watched.ask({ ask: 'dance' });
    assert.equal(bad.ok, false);
    assert.equal((await watched.ask({ ask: 'act', node: 77777, what: { do: 'click' } })).code, 'gone');
    assert.equal((await watched.ask({ ask: 'choose', node: 1, values: null })).ok, false);
  }, '<div id="box" style="height:100px;overflow:auto"><div style="height:900px">x</div></div>');
});
