// Pictures that belong to their step: what they wait for, how old they are, how they were taken, and how many there are.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { deflateSync, crc32 } from 'node:zlib';
import { background, record, root, scratch, sleep, steps, tracerule } from '../lib/companion.mjs';
import { open } from '../lib/installed.mjs';
import { Human } from '../lib/human.mjs';

const CAP_MS = 5000;

/** A red picture. */
function png(size) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const head = Buffer.alloc(4), tail = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3).map((_, i) => (i % 3 === 0 ? 255 : 0))]);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(Array(size).fill(row)))), chunk('IEND', Buffer.alloc(0))]);
}

const FONT = join(root, 'node_modules/monaco-editor/esm/vs/base/browser/ui/codicons/codicon/codicon.ttf');

const page = body => `<!doctype html><meta charset=utf-8><title>Pictures</title><style>body{margin:8px;font:16px sans-serif}</style>${body}`;
const pages = {
  // Clicking loads data, and what comes of it loads a picture and a font.
  '/late': page(`<button id=late>Late</button> <button id=nothing>Nothing</button> <button id=one>One</button> <button id=two>Two</button><p id=out>-</p><iframe src="/poll" width=80 height=40></iframe><div style="height:3000px"></div><button id=low>Low</button><div style="height:600px"></div>
    <script>
      late.onclick = async () => {
        const { text } = await (await fetch('/data?ms=700')).json();
        const image = new Image(200, 200);
        image.src = '/red.png?ms=600';
        const font = new FontFace('Late', 'url(/late.ttf?ms=900)');
        document.fonts.add(font);
        out.style.fontFamily = 'Late';
        out.textContent = text;
        out.append(image);
      };
      one.onclick = () => { out.textContent = 'one'; };
      two.onclick = () => { out.textContent = 'two'; };
      low.onclick = () => { low.textContent = 'Low, clicked'; };
    </script>`),
  // Another frame always waits for something.
  '/poll': page(`<script>const again = () => fetch('/data?ms=400').then(again, again); again();</script>`),
  '/timer': page(`<button onclick="setTimeout(() => { ready.hidden = false; }, 1500)">Begin</button> <p id=ready hidden>Ready</p>`),
  '/restless': page(`<button id=go>Go</button> <button id=login onclick="secret.hidden=false">Log in</button> <label id=secret hidden>Code <input id=code type=password></label><p id=out>-</p><output id=done>Done</output><div style="height:2400px;background:linear-gradient(#fff,#06c)"></div>
    <script>
      go.onclick = () => {
        done.hidden = true;
        setInterval(() => { out.textContent = Math.random(); }, 60);
        if (location.hash !== '#never') setTimeout(() => { done.hidden = false; }, 900);
      };
    </script>`),
};

/** Serves the pages; what has \`ms\` in its address comes that late, and is written down when it was sent. */
async function slowly() {
  const sent = [];
  const red = png(200);
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    const answer = (type, body) => setTimeout(() => {
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(body, () => sent.push({ path: url.pathname, t: Date.now() }));
    }, Number(url.searchParams.get('ms') ?? 0));
    if (pages[url.pathname]) return answer('text/html; charset=utf-8', pages[url.pathname]);
    if (url.pathname === '/data') return answer('application/json', '{"text":"loaded"}');
    if (url.pathname === '/red.png') return answer('image/png', red);
    if (url.pathname === '/late.ttf' && existsSync(FONT)) return answer('font/ttf', readFileSync(FONT));
    response.statusCode = 404;
    setTimeout(() => response.end(), Number(url.searchParams.get('ms') ?? 0));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { sent, url: path => `http://127.0.0.1:${server.address().port}${path}`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** The names of a trace's pictures. */
const blobs = file => JSON.parse(execFileSync('python3', ['-c', 'import sys,zipfile,json; print(json.dumps([n for n in zipfile.ZipFile(sys.argv[1]).namelist() if n.startswith("blobs/") and n.endswith((".webp",".jpg",".png"))]))', file], { encoding: 'utf8' }));
const bytes = (file, name) => execFileSync('python3', ['-c', 'import sys,zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))', file, name]);

/** Waits until what was done is settled and pictured. */
const rest = (ms = 1200) => sleep(ms);
const by = id => `document.getElementById('${id}')`;

/** What every bound picture says of itself. */
function bound(step, name) {
  const shot = step[`${name}_shot`];
  const of = `${step.action} ${step.name} ${name}`;
  assert.ok(shot, `${of}: there is a picture\n${JSON.stringify(step)}`);
  assert.ok(shot.ended_ms >= shot.t_ms, `${of}: ends after it began`);
  assert.ok(shot.viewport.width > 200 && shot.viewport.height > 200 && shot.viewport.dpr > 0, `${of}: viewport`);
  assert.ok(shot.age_ms >= 0, `${of}: age`);
  if (name === 'pre') {
    assert.ok(shot.ended_ms <= step.t_ms, `${of}: taken before`);
    assert.ok(Math.abs(shot.age_ms - (step.t_ms - shot.ended_ms)) < 0.01, `${of}: its age is what lies between`);
  } else {
    assert.ok(shot.t_ms >= step.t_ms + step.elapsed_ms + step.settle.ms, `${of}: taken after it fell quiet`);
    const settled = step.t_ms + step.elapsed_ms + step.settle.waited_ms;
    assert.ok(Math.abs(shot.age_ms - (shot.t_ms - settled)) < 1.5, `${of}: its age is what lies between (${shot.age_ms}, ${shot.t_ms - settled})`);
  }
  if (!shot.full_page) assert.ok(Math.abs(shot.width - shot.viewport.width * shot.viewport.dpr) <= 20, `${of}: ${shot.width} device px of ${shot.viewport.width} CSS px at ${shot.viewport.dpr}`);
  return shot;
}

describe('pictures', { concurrency: 1 }, () => {
  let site;
  before(async () => { site = await slowly(); });
  after(() => site.close());

  for (const browser of ['chromium', 'firefox']) {
    it(`wait for requests, fonts and images of their step, and say how old they are, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/late'), { browser, out });
      const human = new Human(recording.page, browser);
      await rest();
      await human.click(by('late'));
      await sleep(3000);
      for (let i = 0; i < 3; i++) { await human.click(by('nothing')); await rest(); }
      const { x, y } = await human.point(by('one'));
      const two = await human.point(by('two'));
      await recording.page.mouse.click(x, y);
      await recording.page.mouse.click(two.x, two.y);
      await rest();
      await human.click(by('low'));
      await rest();
      assert.equal(await recording.stop(), 0, recording.log);
      const got = steps(out).filter(step => step.action === 'click');
      const named = name => got.filter(step => step.name.startsWith(name));
      const [late] = named('Late');
      const post = bound(late, 'post');
      assert.equal(late.settle.ended_by, 'quiet', JSON.stringify(late.settle));
      for (const path of ['/red.png', '/late.ttf'].filter(path => path !== '/late.ttf' || existsSync(FONT))) {
        const sent = site.sent.findLast(one => one.path === path && one.t > late.t_ms && one.t < late.t_ms + 4000);
        assert.ok(sent, `${path} was asked for`);
        assert.ok(post.t_ms >= sent.t - 5, `the picture was taken ${sent.t - post.t_ms} ms before ${path} was there: ${JSON.stringify(late.settle)}`);
      }
      for (const part of ['dom_ms', 'network_ms', 'fonts_ms', 'images_ms', 'paint_ms']) assert.ok(late.settle.parts[part] >= 0, `${part}: ${JSON.stringify(late.settle)}`);
      assert.ok(late.settle.parts.network_ms >= 1500, `the last request came after 700 + 900 ms: ${JSON.stringify(late.settle)}`);
      assert.ok(late.settle.waited_ms >= late.settle.parts.network_ms && late.settle.waited_ms < CAP_MS, JSON.stringify(late.settle));
      bound(late, 'pre');

      // Another frame's requests are its own; the same page is stored once, however often it is pictured.
      const nothing = named('Nothing');
      assert.equal(nothing.length, 3);
      for (const step of nothing) {
        assert.equal(step.settle.ended_by, 'quiet');
        assert.ok(step.settle.waited_ms < 2000, `no wait for another frame: ${JSON.stringify(step.settle)}`);
      }
      const seen = nothing.slice(1).flatMap(step => [bound(step, 'pre').blob, bound(step, 'post').blob]);
      // The pointer's hover and the focus ring are drawn from the second click on.
      assert.equal(new Set(seen).size, 1, `one content: ${seen.join('\n')}`);
      const stored = blobs(out);
      assert.equal(stored.filter(name => name === seen[0]).length, 1);
      assert.ok(stored.every(name => name.endsWith('.webp')), stored.join());
      assert.equal(bytes(out, seen[0]).subarray(8, 12).toString('latin1'), 'WEBP');

      // Two clicks in a row share the picture before, each with its own age; the first has none after it.
      const [first, second] = [named('One')[0], named('Two')[0]];
      assert.equal(first.settle.ended_by, 'next_action');
      assert.equal(first.post_shot, null);
      const [pre, next] = [bound(first, 'pre'), bound(second, 'pre')];
      assert.equal(next.blob, pre.blob);
      assert.equal(next.ended_ms, pre.ended_ms);
      assert.ok(Math.abs(next.age_ms - pre.age_ms - (second.t_ms - first.t_ms)) < 0.01);
      assert.equal(next.stale, true, 'the page had changed by then');
      bound(second, 'post');

      // Where the page was scrolled to.
      const low = bound(named('Low')[0], 'post');
      assert.ok(low.scroll.y > 2000, JSON.stringify(low));
      assert.equal(late.pre_shot.scroll.y, 0);
    });

    it(`are taken when the wait is cut off, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/restless#never'), { browser, out, args: ['--picture', 'jpeg', '--picture-quality', '40'] });
      const human = new Human(recording.page, browser);
      await rest();
      await human.click(by('go'));
      await sleep(CAP_MS + 1500);
      assert.equal(await recording.stop(), 0, recording.log);
      const [go] = steps(out);
      assert.equal(go.settle.ended_by, 'cap', JSON.stringify(go.settle));
      assert.ok(go.settle.waited_ms >= CAP_MS - 300 && go.settle.waited_ms <= CAP_MS + 300, `${go.settle.waited_ms} ms`);
      assert.equal(go.settle.parts.dom_ms, undefined, 'the document never fell quiet');
      const { blob } = bound(go, 'post');
      assert.match(blob, /\.jpg$/);
      assert.deepEqual([...bytes(out, blob).subarray(0, 2)], [0xff, 0xd8]);
    });

    it(`wait for a named element, and show whole pages where they can, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/restless'), { browser, out, args: ['--settle-for', 'css=#done', '--full-page'] });
      const human = new Human(recording.page, browser);
      await rest();
      await human.click(by('go'));
      await sleep(2300);
      await human.click(by('login'));
      await human.click(by('code'));
      await human.type('hunter22');
      await sleep(2000);
      assert.equal(await recording.stop(), 0, recording.log);
      const got = steps(out);
      const go = got[0];
      assert.equal(go.settle.ended_by, 'element', JSON.stringify(go.settle));
      assert.ok(go.settle.parts.element_ms >= 850 && go.settle.parts.element_ms < 2500, JSON.stringify(go.settle));
      assert.ok(go.settle.waited_ms < 3000);
      const post = bound(go, 'post');
      if (browser === 'chromium') {
        assert.equal(post.full_page, true);
        assert.ok(post.height >= 2400, `${post.height} px`);
        const shots = got.filter(step => step.secret).map(step => bound(step, 'post'));
        assert.ok(shots.length > 0 && shots.every(shot => !shot.full_page), 'with a secret in it only the viewport is shown');
      } else {
        assert.equal(post.full_page, undefined);
      }
      assert.match(tracerule('show', out).stdout, /go|Go/);
    });
  }

  it('are kept as a task file says, and an agent waits for an element, in chromium', { timeout: 120_000 }, async test => {
    const dir = scratch(test);
    writeFileSync(join(dir, 'task.toml'), `name = "timer"\nurl = ${JSON.stringify(site.url('/timer'))}\ngoal = "Wait"\n[capture]\npicture = "jpeg"\nquality = 60\n`);
    const script = [['browser_snapshot', {}], ['browser_click', { target: 'ref:button Begin' }], ['browser_wait_for', { target: 'css=#ready' }]];
    const r = await background(['run', join(dir, 'task.toml'), '--agent', `node ${JSON.stringify(join(root, 'tests/e2e/agents/mcp.mjs'))}`, '--headless', '--out', join(dir, 'out')], {
      env: { ...process.env, PROBE_STEPS: JSON.stringify(script), PROBE_OUT: join(dir, 'answers.json') },
    });
    assert.equal(r.status, 0, r.stdout + r.stderr);
    const waited = JSON.parse(readFileSync(join(dir, 'answers.json'), 'utf8')).at(-1);
    assert.equal(waited.error, false, waited.text);
    assert.match(waited.text, /Ready/);
    const [click, wait] = steps(join(dir, 'out/run-0.trace.zip'));
    assert.equal(wait.value, 'css=#ready');
    assert.ok(wait.t_ms + wait.elapsed_ms <= click.t_ms + 6000 && bound(wait, 'post').t_ms >= click.t_ms + 1500, 'the picture comes after it');
    for (const shot of [click.pre_shot, click.post_shot, wait.post_shot]) assert.match(shot.blob, /\.jpg$/);
  });

  it('keep to two captures a second without the debugger, and say how large pixels are, in chromium', { timeout: 120_000 }, async test => {
    const installed = await open(test, '--force-device-scale-factor=2');
    const { worker, ask } = installed;
    await worker(`(() => { const own = chrome.tabs.captureVisibleTab.bind(chrome.tabs); globalThis.captures = []; chrome.tabs.captureVisibleTab = (...how) => { captures.push(Date.now()); return own(...how); }; })()`);
    const app = await installed.page(site.url('/late'));
    await ask({ ask: 'start', role: 'reference' });
    await sleep(800);
    const human = new Human(app, 'chromium');
    const end = Date.now() + 8000;
    for (let i = 0; Date.now() < end; i++) {
      await human.click(by(['one', 'two', 'nothing'][i % 3]));
      await sleep(100 + (i % 4) * 90);
    }
    await rest();
    const { ok: status } = await ask({ ask: 'status' });
    await ask({ ask: 'stop' });
    const captures = JSON.parse(await worker('JSON.stringify(captures)'));
    assert.ok(captures.length >= 5, `pictures were taken: ${captures.length}`);
    const close = captures.filter((t, i) => i >= 2 && t - captures[i - 2] < 1000);
    assert.deepEqual(close, [], `never three within a second: ${captures.map(t => t - captures[0])}`);
    const refused = status.coverage.filter(event => event.what === 'screenshot');
    assert.deepEqual(refused, []);
    assert.ok(status.steps.length >= 10);
    for (const { pre } of status.steps) {
      assert.ok(pre.screenshot, 'each step has the page as it was before');
      assert.equal(pre.screenshot.viewport.dpr, 2);
      assert.ok(Math.abs(pre.screenshot.width - 2 * pre.screenshot.viewport.width) < 40, JSON.stringify(pre.screenshot));
    }
  });
});
