// Perturbations and picking: seen by people, not by the page's observers; gated, and taken back.
import assert from 'node:assert/strict';
import * as test from 'node:test';
import { inBrowsers, sleep } from './lib.mjs';

const ROW = 'style="position:absolute;left:50px;width:100px;height:40px;top:';
const TEXTS = { title: 'Your session is about to expire', body: 'Do you want to stay?', stay: 'Stay signed in', leave: 'Sign out' };
const WATCH = `(window.__seen = [], new MutationObserver(r => window.__seen.push(...r.map(x => x.type + ' ' + x.attributeName))).observe(document, { subtree: true, attributes: true, childList: true, characterData: true }), 0)`;

inBrowsers(test, (browser, check) => {
  check('jitter shifts what is seen, and changes no attribute', async watched => {
    const [a, b, far] = [await watched.number('a'), await watched.number('b'), await watched.number('far')];
    await watched.run(WATCH);
    const before = await watched.centre('#a');
    const { realised } = await watched.ask({ ask: 'jitter', shifts: [[a, 3, -2], [far, 40, 0], [9999, 3, 3]] });
    assert.deepEqual(realised[0], [a, 3, -2]);
    assert.deepEqual(realised[1], [far, 5, 0], 'at most 8 px: 40 is halved until it is');
    assert.deepEqual(realised[2], [9999, 0, 0]);
    const after = await watched.centre('#a');
    assert.deepEqual([after.x - before.x, after.y - before.y], [3, -2]);
    assert.deepEqual(await watched.run('window.__seen'), []);
    assert.equal(await watched.run(`document.getElementById('a').getAttribute('style').includes('translate')`), false);
    await watched.ask({ ask: 'measure' });
    assert.equal((await watched.read()).boxes.get(a)[0], 53);
    // The same again starts from where the page put it.
    assert.deepEqual((await watched.ask({ ask: 'jitter', shifts: [[a, 2, 0]] })).realised, [[a, 2, 0]]);
    assert.ok(b);
    await watched.ask({ ask: 'stop' });
    assert.deepEqual(await watched.centre('#a'), before, 'stop takes it back');
  }, `<button id="a" ${ROW}50px">A</button><button id="b" ${ROW}110px">B</button><button id="far" ${ROW}400px">Far</button>`);

  check('jitter is shrunk near a neighbour, withheld when covered or without room', async watched => {
    const ids = [await watched.number('tight'), await watched.number('close'), await watched.number('covered'), await watched.number('inline')];
    const { realised } = await watched.ask({ ask: 'jitter', shifts: ids.map(id => [id, 8, 8]) });
    const [tight, close, covered, inline] = realised.map(([, x, y]) => Math.hypot(x, y));
    assert.equal(tight, 0, 'no gap at all');
    assert.ok(close > 0 && close <= 3, `a quarter of 12 px: ${close}`);
    assert.equal(covered, 0);
    assert.equal(inline, 0, 'an inline box cannot be shifted');
  }, `<button id="tight" ${ROW}50px">A</button><button ${ROW}90px">B</button><button id="close" ${ROW}200px">C</button><button ${ROW}252px">D</button>
    <button id="covered" ${ROW}400px">E</button><div ${ROW}400px;background:#ccc">over</div><a id="inline" href="#" style="margin:20px">in</a>`);

  check('nothing moves while a button is held', async watched => {
    const a = await watched.number('a');
    const { x, y } = await watched.centre('#a');
    await watched.page.mouse.move(x, y);
    await watched.page.mouse.down();
    const t = Date.now();
    const asked = watched.ask({ ask: 'jitter', shifts: [[a, 4, 0]] });
    await sleep(400);
    assert.equal((await watched.centre('#a')).x, x);
    await watched.page.mouse.up();
    assert.deepEqual((await asked).realised, [[a, 4, 0]]);
    assert.ok(Date.now() - t >= 400);
  }, `<button id="a" ${ROW}50px">A</button>`);

  check('colours change by no attribute and come back', async watched => {
    await watched.run(WATCH);
    const filter = () => watched.run('getComputedStyle(document.documentElement).filter');
    await watched.ask({ ask: 'colors', filter: 'invert(1) hue-rotate(180deg)' });
    assert.equal(await filter(), 'invert(1) hue-rotate(180deg)');
    await watched.ask({ ask: 'colors', filter: '' });
    assert.equal(await filter(), 'none');
    assert.deepEqual(await watched.run('window.__seen'), []);
  });

  check('the pop-up: recorded, modal, focused, closed by Escape, focus restored', async watched => {
    await watched.click('#t');
    await watched.read();
    const { node } = await watched.ask({ ask: 'popup', popup: 'p1', texts: TEXTS });
    const { replay } = await (watched.read().then(() => watched));
    const host = replay.nodes.get(node);
    assert.equal(host.root.mode, 1, 'a closed root');
    const dialog = host.root.children[0];
    assert.deepEqual([dialog.a.role, dialog.a['aria-modal']], ['alertdialog', 'true']);
    const buttons = dialog.children[2].children;
    assert.deepEqual(buttons.map(b => b.children[0].d), [TEXTS.leave, TEXTS.stay]);
    assert.equal(replay.focus, buttons[1].id);
    assert.equal((await watched.ask({ ask: 'popup', popup: 'p2', texts: TEXTS })).node, 0, 'one at a time');
    await watched.page.keyboard.press('Escape');
    assert.deepEqual(await watched.run('window.__popups'), [{ id: 'p1', dismissed: 'stay' }]);
    assert.equal(await watched.run('document.activeElement.id'), 't');
    await watched.read();
    assert.equal(watched.replay.nodes.has(node), false);
  }, '<input id="t">');

  check('the pop-up above an open modal dialog; its click is an ordinary fact', async watched => {
    await watched.run(`document.getElementById('d').showModal()`);
    const { node } = await watched.ask({ ask: 'popup', popup: 'p1', texts: TEXTS });
    await watched.ask({ ask: 'measure' });
    await watched.read();
    const stay = watched.replay.nodes.get(node).root.children[0].children[2].children[1];
    const [x, y, width, height, flags] = watched.replay.boxes.get(stay.id);
    assert.ok(flags & 1);
    const place = await watched.ask({ ask: 'locate', node: stay.id });
    assert.ok(place.hits, JSON.stringify(place));
    await watched.facts();
    await watched.page.mouse.click(x + width / 2, y + height / 2);
    const facts = await watched.facts();
    const click = facts.find(f => f.k === 'click');
    assert.equal(click.n, stay.id);
    assert.deepEqual(await watched.run('window.__popups'), [{ id: 'p1', dismissed: 'stay' }]);
    assert.equal(await watched.run(`window.__clicks`), 0, 'the page saw no click');
    assert.equal(await watched.run(`document.getElementById('d').open`), true);
  }, `<dialog id="d"><button>In</button></dialog><script>window.__clicks = 0; document.addEventListener('click', () => window.__clicks++)</script>`);

  check('the wrong button leaves', async watched => {
    const { node } = await watched.ask({ ask: 'popup', popup: 'p1', texts: TEXTS });
    await watched.read();
    const leave = watched.replay.nodes.get(node).root.children[0].children[2].children[0];
    const { point } = await watched.ask({ ask: 'locate', node: leave.id });
    await watched.run(`window.addEventListener('pagehide', () => sessionStorage.setItem('popups', JSON.stringify(window.__popups)))`);
    await watched.page.mouse.click(point.x, point.y);
    for (let i = 0; i < 40 && await watched.run('typeof window.__sensor').catch(() => 'object') === 'object'; i++) await sleep(50);
    assert.deepEqual(JSON.parse(await watched.run(`sessionStorage.getItem('popups')`)), [{ id: 'p1', dismissed: 'leave' }]);
  });

  check('picking: the click is swallowed, nothing of it is recorded', async watched => {
    const b = await watched.number('b');
    await watched.facts();
    const { x, y } = await watched.centre('#b');
    const asked = watched.ask({ ask: 'pick' });
    await watched.page.mouse.move(x - 2, y);
    await watched.page.mouse.move(x, y);
    assert.equal(await watched.run(`document.documentElement.lastElementChild.localName`), 'div');
    const { mirror } = await watched.compare();
    assert.equal(mirror.c[1].c.length, 2, 'the outline is not in the mirror');
    await watched.page.mouse.click(x, y);
    assert.deepEqual(await asked.then(r => r.node), b);
    const facts = await watched.facts();
    assert.deepEqual(facts.map(f => f.k).filter(k => k !== 'focus'), []);
    assert.equal(await watched.run('window.__pressed'), '');
    const { live, mirror: after } = await watched.compare();
    assert.deepEqual(after, live);
    await watched.click('#b');
    assert.ok((await watched.run('window.__pressed')).includes('click'), 'then clicks are the page\'s again');
  }, `<button id="b">B</button><script>window.__pressed = ''; for (const t of ['pointerdown', 'mousedown', 'mouseup', 'pointerup', 'click']) document.addEventListener(t, () => window.__pressed += t)</script>`);

  check('picking is given up by Escape, or by the panel', async watched => {
    let asked = watched.ask({ ask: 'pick' });
    await sleep(50);
    await watched.page.keyboard.press('Escape');
    assert.equal((await asked).node, 0);
    asked = watched.ask({ ask: 'pick' });
    await sleep(50);
    await watched.ask({ ask: 'pick_cancel' });
    assert.equal((await asked).node, 0);
  });
});
