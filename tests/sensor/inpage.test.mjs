// The in-page recorder, as built, on a page without the extension.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as test from 'node:test';
import { fileURLToPath } from 'node:url';
import { exe, scratch, steps } from '../lib/companion.mjs';
import { BROWSERS, launch, sleep } from './lib.mjs';

const dist = join(process.env.TRACERULE_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)), 'inpage');

const APP = `<!doctype html><html lang="en"><title>App</title><label>Name <input id="n"></label><label>Password <input id="p" type="password"></label><button id="save">Save</button><p id="out"></p>
<script type="module">
  import { start } from '/tracerule/tracerule.js';
  document.getElementById('save').onclick = () => { document.getElementById('out').textContent = 'Saved ' + document.getElementById('n').value; };
  window.start = start;
  window.seen = [];
  window.errors = [];
  try {
    window.recorder = await start();
    window.off = recorder.on('step', step => window.seen.push(step));
    recorder.on('error', error => window.errors.push(error.message));
    window.ready = 'yes';
  } catch (error) { window.ready = 'no: ' + error.message; }
</script></html>`;

function pages() {
  const types = { js: 'text/javascript', wasm: 'application/wasm' };
  const built = Object.fromEntries(['tracerule.js', 'worker.js', 'hub.js', 'hub_bg.wasm'].map(name => [
    `/tracerule/${name}`, { body: readFileSync(join(dist, name)), headers: { 'content-type': types[name.split('.').pop()] } },
  ]));
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
  return { '/': { body: APP, headers: { 'content-security-policy': policy } }, '/missing': APP.replace('start()', "start({ base: '/nowhere/' })"), ...built };
}

for (const name of BROWSERS) {
  test.describe(name, () => {
    let browser, server;
    test.before(async () => { assert.ok(existsSync(join(dist, 'hub_bg.wasm')), 'run `cargo xtask build` first'); server = await serveBytes(pages()); browser = await launch(name); });
    test.after(async () => { await browser?.close(); server?.close(); });

    async function open(path) {
      const page = await browser.page();
      await page.goto(server.url(path));
      let ready;
      for (let i = 0; i < 200 && !ready; i++) { await sleep(50); ready = await page.evaluate('window.ready'); }
      return { page, ready };
    }

    const click = async (page, id) => {
      const { x, y } = await page.evaluate(`(() => { const r = document.getElementById('${id}').getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
      await page.mouse.click(x, y);
    };

    test.test('records, pauses, and gives the trace', async t => {
      const { page, ready } = await open('/');
      assert.equal(ready, 'yes');
      await click(page, 'n');
      await page.keyboard.type('Ada');
      await click(page, 'p');
      await page.keyboard.type('hunter2pass');
      await click(page, 'save');
      await sleep(700);
      await page.evaluate('recorder.pause()');
      await click(page, 'save');
      await page.evaluate('recorder.resume()');
      const middle = await page.evaluate('recorder.trace().then(blob => blob.size)');
      assert.ok(middle > 500);
      await page.evaluate('off()');
      const seen = await page.evaluate('window.seen.length');
      await click(page, 'save');
      await sleep(700);
      assert.equal(await page.evaluate('window.seen.length'), seen, 'unsubscribed');
      assert.match(await page.evaluate(`start().then(() => 'two', error => error.message)`), /already records/);
      const listed = await page.evaluate('recorder.steps');
      assert.deepEqual(listed.map(step => step.action).filter(action => action !== 'goto'), ['click', 'fill', 'click', 'fill', 'click', 'click'], JSON.stringify(listed.map(s => [s.action, s.target?.name])));
      const bytes = Buffer.from(await page.evaluate(`recorder.stop().then(blob => new Promise(done => { const r = new FileReader(); r.onload = () => done(r.result.split(',')[1]); r.readAsDataURL(blob); }))`), 'base64');
      assert.deepEqual(await page.evaluate('window.errors'), []);
      assert.ok(!bytes.includes('hunter2'));
      assert.match(await page.evaluate(`recorder.stop().then(() => 'again', error => error.message)`), /over already/);
      if (existsSync(exe)) {
        const file = join(scratch(t), 'page.trace.zip');
        writeFileSync(file, bytes);
        const all = steps(file).filter(step => step.action !== 'goto');
        assert.deepEqual(all.map(step => [step.action, step.name, step.value ?? null, step.trusted]), [
          ['click', 'Name', null, true], ['fill', 'Name', 'Ada', true], ['click', 'Password', null, true], ['fill', 'Password', '••••••••', true],
          ['click', 'Save', null, true], ['click', 'Save', null, true],
        ]);
      }
      // A second recording of the same page, after the first.
      assert.equal(await page.evaluate(`start().then(r => { window.recorder = r; return r.steps.length; })`), 0);
      await page.evaluate('recorder.end()');
      await page.close();
    });

    test.test('says what is missing', async () => {
      const { page, ready } = await open('/missing');
      assert.match(ready, /^no: Tracerule: .*worker/);
      await page.close();
    });
  });
}

/** As `serve`, for bodies that are bytes. */
async function serveBytes(pages) {
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url, 'http://x').pathname];
    if (!page) { response.statusCode = 404; return response.end('not here'); }
    const { body, headers = {} } = typeof page === 'string' ? { body: page } : page;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { url: path => `http://127.0.0.1:${server.address().port}${path}`, close: () => { server.closeAllConnections(); server.close(); } };
}
