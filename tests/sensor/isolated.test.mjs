// The sensor where it lives: in the isolated world of an extension, under a page's strict CSP, in frames of
// another site, in closed shadow roots. The extension here only collects; the hub has its own tests.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as test from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { chromiumProgram, firefoxProgram } from '../lib/browsers.mjs';
import { serve } from '../lib/serve.mjs';
import { BROWSERS, FILES, sleep } from './lib.mjs';
import { Replay } from './replay.mjs';

const BACKGROUND = port => `
const api = globalThis.browser ?? chrome;
const ports = new Map();
const replies = new Map();
let asked = 0;
const ask = (port, command) => new Promise(done => { const id = 'link' + ++asked; replies.set(id, done); port.postMessage({ command: { id, ...command } }); });
// What the hub does to tie a frame to its element.
async function link(port, token) {
  for (let i = 0; i < 10; i++) {
    const { tab, frameId } = port.sender;
    const frames = await api.webNavigation.getAllFrames({ tabId: tab.id });
    const own = frames.find(f => f.frameId === frameId);
    if (!own || own.parentFrameId < 0) return;
    const parent = [...ports.values()].findLast(p => p.sender.tab.id === tab.id && p.sender.frameId === own.parentFrameId);
    if (parent) {
      const place = await ask(port, { ask: 'place' });
      if (place.tied) return;
      const child = await ask(parent, { ask: 'child', frame: frameId, index: place.index, url: own.url, size: place.size, only: false });
      if (child.node && (await ask(parent, { ask: 'tie', node: child.node, token, index: place.index })).node) return;
    }
    await new Promise(done => setTimeout(done, 100));
  }
}
let queue = Promise.resolve();
api.runtime.onConnect.addListener(port => {
  let doc = '';
  port.postMessage({ yours: { mask: ['.masked'], salt: '00112233445566778899aabbccddeeff' } });
  port.onMessage.addListener(message => {
    if (replies.has(message.reply?.id)) { replies.get(message.reply.id)(message.reply); return; }
    if (message.hello) { doc = message.hello.doc; ports.set(doc, port); link(port, doc); }
    if (message.batch) { message = { batch: { ...message.batch, typed: message.batch.ops instanceof Int32Array, lengths: Array.from(message.batch.lengths), ops: Array.from(message.batch.ops) } }; port.postMessage({ ack: message.batch.seq }); }
    queue = queue.then(() => fetch('http://127.0.0.1:${port}/', { method: 'POST', body: JSON.stringify({ doc, message }) })).catch(() => {});
  });
});
setInterval(async () => {
  const commands = await fetch('http://127.0.0.1:${port}/').then(r => r.json()).catch(() => []);
  for (const { doc, command } of commands) ports.get(doc)?.postMessage({ command });
}, 50);`;

/** The other end: takes messages, hands out commands. */
async function collector() {
  const docs = new Map();
  let commands = [];
  let asked = 0;
  const waiting = new Map();
  const server = createServer((request, response) => {
    if (request.method === 'GET') { response.end(JSON.stringify(commands)); commands = []; return; }
    let body = '';
    request.setEncoding('utf8').on('data', part => { body += part; }).on('end', () => {
      response.end();
      const { doc, message } = JSON.parse(body);
      if (!docs.has(doc)) docs.set(doc, { doc, replay: new Replay(), typed: true, raw: '' });
      const known = docs.get(doc);
      known.raw += body;
      if (message.hello) known.hello = message.hello;
      if (message.batch) {
        known.typed &&= message.batch.typed;
        try { known.replay.batch(message.batch); } catch (error) { known.error ??= `${error.message} ${body.slice(0, 500)}`; }
      }
      if (message.reply) waiting.get(message.reply.id)?.(message.reply);
    });
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    docs,
    ask: (doc, ask) => new Promise((done, fail) => {
      const id = ++asked;
      waiting.set(id, done);
      commands.push({ doc, command: { id, ...ask } });
      setTimeout(() => fail(new Error(`no reply to ${ask.ask}`)), 10_000).unref();
    }),
    close: () => { server.closeAllConnections(); server.close(); },
  };
}

function extension(name, port) {
  const dir = mkdtempSync(join(tmpdir(), 'tracerule-sensor-'));
  mkdirSync(join(dir, 'sensor'));
  cpSync(fileURLToPath(new URL('../../extension/sensor', import.meta.url)), join(dir, 'sensor'), { recursive: true });
  writeFileSync(join(dir, 'background.js'), BACKGROUND(port));
  const late = ['measure', 'sheets', 'seal', 'hands', 'acting', 'staging'];
  const js = [...FILES.filter(file => !late.includes(file)), 'content', ...late].map(file => `sensor/${file}.js`);
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify({
    manifest_version: 3, name: 'Sensor under test', version: '1', permissions: ['webNavigation'], host_permissions: ['<all_urls>'],
    // Twice: a second injection must do nothing.
    content_scripts: [1, 2].map(() => ({ matches: ['<all_urls>'], js, run_at: 'document_start', all_frames: true, match_about_blank: true, match_origin_as_fallback: true })),
    ...(name === 'firefox'
      ? { background: { scripts: ['background.js'] }, browser_specific_settings: { gecko: { id: 'sensor@tracerule.test' } } }
      : { background: { service_worker: 'background.js' }, message_serialization: 'structured_clone', minimum_chrome_version: '148' }),
  }));
  return dir;
}

async function launch(name, dir) {
  if (name === 'firefox') {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefoxProgram(), headless: true });
    await browser.installExtension(dir);
    return { page: await browser.newPage(), close: () => browser.close() };
  }
  const profile = mkdtempSync(join(tmpdir(), 'tracerule-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumProgram(), headless: true, ignoreDefaultArgs: ['--disable-extensions'],
    args: ['--no-sandbox', '--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', `--disable-extensions-except=${dir}`, `--load-extension=${dir}`],
  });
  return { page: await context.newPage(), close: async () => { await context.close(); rmSync(profile, { recursive: true, force: true }); } };
}

const LIVE = `JSON.stringify((function dump(node) {
  const c = () => [...node.childNodes].map(dump);
  switch (node.nodeType) {
    case 9: return { t: 'document', c: c() };
    case 10: return { t: 'doctype', n: node.name, ...(node.publicId && { p: node.publicId }), ...(node.systemId && { s: node.systemId }) };
    case 3: return { t: 'text', d: node.data };
    case 8: return { t: 'comment', d: node.data };
    default: {
      const root = node.shadowRoot ?? window.__roots?.get(node);
      return { t: 'element', tag: node.localName, ns: ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg'].indexOf(node.namespaceURI),
        a: Object.fromEntries([...node.attributes].map(x => [x.name, x.value]).sort(([x], [y]) => (x < y ? -1 : 1))), c: c(),
        ...(root && { s: [...root.childNodes].map(dump), m: root.mode }) };
    }
  }
})(document))`;

const PAGES = {
  '/strict': { headers: { 'content-security-policy': "default-src 'none'" }, body: '<!doctype html><title>Strict</title><h1>Strict</h1><button id="b">Press</button><p style="color:red">styled</p>' },
  '/closed': `<!doctype html><title>Closed</title><script>window.__roots = new WeakMap();</script><div id="h"></div><x-y></x-y><script>
    const make = (host, html) => { const root = host.attachShadow({ mode: 'closed' }); __roots.set(host, root); root.innerHTML = html; };
    make(document.getElementById('h'), '<button id="in">In</button><div id="h2"></div>');
    make(__roots.get(document.getElementById('h')).querySelector('#h2'), '<input id="deep">');
    customElements.define('x-y', class extends HTMLElement { constructor() { super(); make(this, '<i>custom</i>'); } });</script>`,
  '/frames': `<!doctype html><title>Frames</title><iframe id="same" src="/inner"></iframe><iframe id="other" src="{other}/inner"></iframe><iframe id="doc" srcdoc="<p>srcdoc</p>"></iframe>
    <iframe id="blank"></iframe><iframe id="box" sandbox="allow-scripts" src="/inner"></iframe><div id="host"></div>
    <script>window.__heard = []; addEventListener('message', e => window.__heard.push(JSON.stringify(e.data)));
    const r = document.getElementById('host').attachShadow({ mode: 'closed' }); r.innerHTML = '<iframe id="hidden" src="/inner"></iframe>';
    const w = document.getElementById('blank').contentDocument; w.open(); w.write('<p id=w>written</p><button id=wb>W</button>'); w.close();</script>`,
  '/inner': '<!doctype html><title>Inner</title><button id="i">Inner</button><input type="password" id="p">',
  '/next': '<!doctype html><title>Next</title><p>next</p>',
  '/go': '<!doctype html><title>Go</title><a id="a" href="/next" style="font-size:40px">next</a>',
};

for (const name of BROWSERS) {
  test.describe(name, () => {
    let at, dir, browser, server;
    test.before(async () => {
      at = await collector();
      dir = extension(name, at.port);
      server = await serve(PAGES);
      browser = await launch(name, dir);
      await sleep(500);
    });
    test.after(async () => { await browser?.close(); server?.close(); at?.close(); if (dir) rmSync(dir, { recursive: true, force: true }); });

    /** Opens a page; gives its top document once it is complete. */
    async function open(path) {
      const before = new Set(at.docs.keys());
      await browser.page.goto(server.url(path));
      for (let i = 0; i < 100; i++) {
        const top = [...at.docs.values()].find(d => !before.has(d.doc) && d.hello?.top && d.hello.url.endsWith(path) && d.replay.facts.some(f => f.k === 'page' && f.state === 'complete'));
        if (top) return top;
        await sleep(50);
      }
      throw new Error(`no sensor spoke: ${JSON.stringify([...at.docs.values()].map(d => [d.hello, d.error, d.replay.facts.map(f => f.k)]))}`);
    }

    const centre = async expression => browser.page.evaluate(`(() => { const r = (${expression}).getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);

    async function facts(doc, kind) {
      for (let i = 0; i < 40; i++) { const found = doc.replay.facts.filter(f => f.k === kind); if (found.length) return found; await sleep(50); }
      throw new Error(`no ${kind} in ${doc.replay.facts.map(f => f.k)}`);
    }

    test.test("a page with default-src 'none'", async () => {
      const top = await open('/strict');
      assert.ok(top.typed, 'typed arrays cross');
      await browser.page.mouse.click(...Object.values(await centre(`document.getElementById('b')`)));
      const [click] = await facts(top, 'click');
      assert.equal(click.node.a.id, 'b');
      assert.deepEqual(top.replay.dump(), JSON.parse(await browser.page.evaluate(LIVE)));
      assert.equal([...at.docs.values()].filter(d => d.hello.top && d.hello.url.endsWith('/strict')).length, 1, 'injected twice, it runs once');
      // All that is put on the page works here too.
      const b = top.replay.byId('b').id;
      const { realised } = await at.ask(top.doc, { ask: 'jitter', shifts: [[b, 4, 3]] });
      assert.deepEqual(realised, [[b, 4, 3]]);
      await at.ask(top.doc, { ask: 'colors', filter: 'invert(1)' });
      assert.equal(await browser.page.evaluate('getComputedStyle(document.documentElement).filter'), 'invert(1)');
      const { node } = await at.ask(top.doc, { ask: 'popup', popup: 'p1', texts: { title: 'T', body: 'B', stay: 'S', leave: 'L' } });
      await at.ask(top.doc, { ask: 'measure' });
      const dialog = top.replay.nodes.get(node).root.children[0];
      const [, , width, , flags] = top.replay.boxes.get(dialog.id);
      assert.ok(width > 50 && flags & 1);
      await browser.page.keyboard.press('Escape');
      await sleep(200);
      assert.equal(top.replay.nodes.has(node), false);
      for (const [what, key] of [['click', 'left']]) assert.equal((await at.ask(top.doc, { ask: 'act', node: b, what: { do: what, button: key, count: 1 } })).ok, true);
      const synthetic = top.replay.facts.filter(f => f.k === 'click').at(-1);
      assert.deepEqual([synthetic.trusted, synthetic.node.a.id], [false, 'b']);
      await at.ask(top.doc, { ask: 'stop' });
      assert.equal(await browser.page.evaluate('getComputedStyle(document.documentElement).filter'), 'none');
    });

    test.test('closed shadow roots, one in another', async () => {
      const top = await open('/closed');
      await at.ask(top.doc, { ask: 'measure' });
      assert.deepEqual(top.replay.dump(), JSON.parse(await browser.page.evaluate(LIVE)));
      const root = `__roots.get(document.getElementById('h'))`;
      await browser.page.mouse.click(...Object.values(await centre(`${root}.querySelector('#in')`)));
      assert.equal((await facts(top, 'click'))[0].node.a.id, 'in');
      await browser.page.mouse.click(...Object.values(await centre(`__roots.get(${root}.querySelector('#h2')).querySelector('#deep')`)));
      await browser.page.keyboard.type('z');
      const [input] = await facts(top, 'input');
      assert.deepEqual([input.node.a.id, input.value], ['deep', 'z']);
      assert.equal((await facts(top, 'keydown'))[0].node.a.id, 'deep');
    });

    test.test('frames find their elements, and no page hears of it', async () => {
      const top = await open('/frames');
      let linked = {};
      for (let i = 0; i < 200 && Object.values(linked).filter(Boolean).length < 6; i++) {
        await sleep(50);
        linked = Object.fromEntries([...top.replay.frames].map(([id, token]) => [top.replay.nodes.get(id)?.a.id, at.docs.get(token)]));
      }
      await sleep(600);
      for (const id of ['same', 'other', 'doc', 'blank', 'box', 'hidden']) assert.ok(linked[id], `${id} is linked: ${Object.keys(linked)}`);
      assert.equal(new Set(Object.values(linked)).size, 6);
      assert.equal(linked.other.hello.url.startsWith('http://localhost'), true);
      assert.ok(linked.other.replay.byId('i'));
      assert.ok(JSON.stringify(linked.doc.replay.dump()).includes('srcdoc'));
      assert.ok(linked.blank.replay.byId('w'), JSON.stringify(linked.blank.replay.dump()));
      assert.deepEqual(await browser.page.evaluate('window.__heard'), []);
      const box = await centre(`document.getElementById('other')`);
      await browser.page.mouse.click(box.x - 100, box.y - 55);
      const clicked = await facts(linked.other, 'pointerdown');
      assert.ok(clicked[0].trusted);
      const written = await browser.page.evaluate(`(() => { const f = document.getElementById('blank'); const r = f.getBoundingClientRect(); const b = f.contentDocument.getElementById('wb').getBoundingClientRect(); return [r.x + f.clientLeft + b.x + b.width / 2, r.y + f.clientTop + b.y + b.height / 2]; })()`);
      await browser.page.mouse.click(...written);
      assert.equal((await facts(linked.blank, 'click'))[0].node.a.id, 'wb', 'listening again after document.open');
      const secrets = await at.ask(top.doc, { ask: 'secrets' });
      assert.equal(secrets.frames.length, 6);
    });

    test.test('a click that navigates is not lost', async () => {
      const top = await open('/go');
      await browser.page.mouse.click(...Object.values(await centre(`document.getElementById('a')`)));
      assert.equal((await facts(top, 'click'))[0].node.a.id, 'a');
      await facts(top, 'pagehide');
      for (let i = 0; i < 100 && await browser.page.evaluate('document.title').catch(() => '') !== 'Next'; i++) await sleep(50);
    });

    test.test('back from the cache, the document is told again', async () => {
      await open('/go');
      await browser.page.goto(server.url('/next'));
      await browser.page.evaluate('void setTimeout(() => history.back())');
      await sleep(1000);
      const tops = [...at.docs.values()].filter(d => d.hello?.top && d.hello.url.endsWith('/go'));
      const last = tops.at(-1);
      assert.deepEqual(last.replay.dump(), JSON.parse(await browser.page.evaluate(LIVE)));
    });
  });
}
