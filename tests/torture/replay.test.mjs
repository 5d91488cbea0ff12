// What was recorded can be done again: the page tells its own server what came of it, once under the hand and once
// under `tracerule replay`.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { background, record, scratch } from '../lib/companion.mjs';
import { Hand } from './hand.mjs';

const page = `<!doctype html><meta charset=utf-8><title>Again</title>
<style>body{font:16px sans-serif;margin:12px}#m{width:120px;background:#ddd}#sub{display:none}#m:hover #sub{display:block}
.box{width:120px;height:60px;background:#eee;margin:8px}#hid{position:absolute;opacity:0;width:0;height:0}</style>
<div id=m role=group aria-label=Shop>Shop<div id=sub><button id=hat>Hats</button></div></div>
<div id=card draggable=true role=button class=box>Card</div><div id=bin role=list aria-label=Bin class=box></div>
<div style="width:240px;height:8px;background:#ccc;position:relative;margin:20px 0"><div id=knob role=slider tabindex=0 aria-label=Volume aria-valuenow=0 style="width:16px;height:16px;top:-4px;background:#48c;position:absolute;left:0"></div></div>
<canvas id=c width=200 height=80 role=img aria-label=Chart style="background:#f4f4f4"></canvas>
<p><label><input type=checkbox id=hid><span id=words>Dark mode</span></label>
<button id=count>Add</button>
<script>
const said = {};
const say = (what, value) => { said[what] = value; fetch('/said', { method: 'POST', body: JSON.stringify(said), keepalive: true }); };
hat.onclick = () => say('hat', true);
card.ondragstart = e => e.dataTransfer.setData('text/plain', 'card');
bin.ondragover = e => e.preventDefault();
bin.ondrop = e => { e.preventDefault(); say('dropped', e.dataTransfer.getData('text/plain')); };
let x0; knob.onpointerdown = e => { x0 = e.clientX; knob.setPointerCapture(e.pointerId); };
knob.onpointermove = e => { if (x0 != null) knob.style.left = e.clientX - x0 + 'px'; };
knob.onpointerup = () => { x0 = null; say('volume', Math.round(parseFloat(knob.style.left) / 10)); };
c.onclick = e => say('point', [Math.round(e.offsetX / 10), Math.round(e.offsetY / 10)]);
hid.onchange = () => say('dark', hid.checked);
let n = 0; count.onclick = () => say('count', ++n);
</script>`;

it('drags, hovers, hidden boxes and clicks in a row are done again in Chromium', { timeout: 180_000 }, async test => {
  let said = {};
  const server = createServer((request, response) => {
    if (request.method !== 'POST') { response.setHeader('content-type', 'text/html'); return response.end(page); }
    let body = '';
    request.on('data', data => body += data);
    request.on('end', () => { said = { ...said, ...JSON.parse(body) }; response.end(); });
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  test.after(() => { server.closeAllConnections(); server.close(); });
  const out = join(scratch(test), 'again.trace.zip');
  const recording = await record(`http://127.0.0.1:${server.address().port}/`, { out });
  const hand = new Hand(recording, 'chromium');
  try {
    await hand.start();
    await hand.over('m');
    await hand.click('hat');
    await hand.drag('card', 'bin');
    await hand.drag('knob', [150, 0]);
    await hand.click('c', { at: [0.25, 0.75] });
    await hand.click('words');
    await hand.click('count', { count: 3 });
    await hand.wait(300);
  } finally { assert.equal(await recording.stop(), 0, recording.log); }
  const wanted = { hat: true, dropped: 'card', volume: 15, point: [5, 6], dark: true, count: 3 };
  assert.deepEqual(said, wanted, 'by hand');
  said = {};
  const replay = await background(['replay', out, '--headless']);
  assert.deepEqual(said, wanted, `by replay: ${replay.stdout}${replay.stderr}`);
  assert.equal(replay.status, 0, replay.stdout + replay.stderr);
});
