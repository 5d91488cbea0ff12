// Puts the sensor into a real page with a transport that only collects, in Chromium and in Firefox.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { chromiumProgram, firefoxProgram } from '../lib/browsers.mjs';
import { serve } from '../lib/serve.mjs';
import { Replay } from './replay.mjs';

export const FILES = ['wire', 'secrets', 'hover', 'nodes', 'stage', 'input', 'editable', 'frames', 'port', 'measure', 'sheets', 'seal', 'hands', 'acting', 'staging'];
export const source = name => readFileSync(new URL(`../../extension/sensor/${name}.js`, import.meta.url), 'utf8');
export const sleep = ms => new Promise(done => setTimeout(done, ms));

/** The names to run the tests under, from TRACERULE_BROWSERS or both. */
export const BROWSERS = (process.env.TRACERULE_BROWSERS ?? 'chromium,firefox').split(',');

export const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts a browser; `page()` opens a page in it. Both drivers evaluate an expression given as a string. */
export async function launch(name) {
  if (name === 'firefox') {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefoxProgram(), headless: true });
    return { name, browser, page: () => browser.newPage(), close: () => browser.close() };
  }
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: FLAGS });
  return { name, browser, page: () => browser.newPage(), close: () => browser.close() };
}

// Runs before the page's own scripts: what the extension API gives in the isolated world.
export const PRELUDE = `<script>(() => {
  const roots = window.__roots = new WeakMap();
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) { const root = attach.call(this, init); roots.set(this, root); return root; };
})()</script>`;

export const INJECT = `(() => { ${FILES.map(source).join('\n')}
  const messages = window.__messages = [];
  const transports = window.__transports = [];
  const waiting = new Map();
  let asked = 0;
  window.__acks = true;
  window.__dead = false;
  window.__popups = [];
  window.__sensor = startSensor({
    typed: true,
    shadow: element => element.shadowRoot ?? window.__roots?.get(element) ?? null,
    connect() {
      if (window.__dead) return null;
      const transport = {
        open: true,
        post(message) {
          if (!this.open) throw new Error('disconnected');
          if (message.batch) message = { batch: { ...message.batch, typed: message.batch.ops instanceof Int32Array, lengths: Array.from(message.batch.lengths), ops: Array.from(message.batch.ops) } };
          messages.push(message);
          if (message.reply) { waiting.get(message.reply.id)?.(message.reply); waiting.delete(message.reply.id); }
          if (message.popup) window.__popups.push(message.popup);
          if (message.batch && window.__acks) { const { seq } = message.batch; queueMicrotask(() => this.open && this.onmessage({ ack: seq })); }
        },
        close() { this.open = false; },
        drop() { this.open = false; this.ondisconnect(); },
        onmessage() {}, ondisconnect() {},
      };
      transports.push(transport);
      return transport;
    },
    onstop() { window.__stopped = true; },
  });
  window.__sensor.equip({ sealed, createMeasure, createSheets, createHands, createStaging });
  window.__ask = command => new Promise(done => { const id = ++asked; waiting.set(id, done); transports.at(-1).onmessage({ command: { id, ...command } }); });
})()`;

/** The live document in canonical form. Overlays of ours are not part of it. */
export const DUMP = `(() => {
  const NS = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg', 'http://www.w3.org/1998/Math/MathML'];
  const dump = node => {
    const c = () => [...node.childNodes].map(dump);
    switch (node.nodeType) {
      case 9: return { t: 'document', c: c() };
      case 10: return { t: 'doctype', n: node.name, ...(node.publicId && { p: node.publicId }), ...(node.systemId && { s: node.systemId }) };
      case 3: case 4: return { t: 'text', d: node.data };
      case 1: {
        const a = Object.fromEntries([...node.attributes].map(x => [x.name, x.value]).sort(([x], [y]) => (x < y ? -1 : 1)));
        const ns = NS.indexOf(node.namespaceURI);
        const root = node.shadowRoot ?? window.__roots?.get(node);
        return { t: 'element', tag: node.localName, ns: ns < 0 ? 3 : ns, a, c: c(), ...(root && { s: [...root.childNodes].map(dump), m: root.mode }) };
      }
      default: return { t: 'comment', d: node.nodeValue };
    }
  };
  return JSON.stringify(dump(document));
})()`;

/** A page with a sensor in it. */
export class Watched {
  constructor(browser, page, server) { Object.assign(this, { browser, page, server, replay: new Replay(), seen: 0, hellos: [], raw: '' }); }

  static async open(browser, body, { inject = true, pages = {}, head = '' } = {}) {
    const server = await serve({ '/': `<!doctype html><html lang="en"><head><title>Test</title>${PRELUDE}${head}</head><body>${body}</body></html>`, ...pages });
    const page = await browser.page();
    await page.goto(server.url('/'));
    const watched = new Watched(browser, page, server);
    if (inject) await watched.inject();
    return watched;
  }

  /** Starts the sensor, and evaluates `then` in the same task. */
  inject(then = '0') { return this.page.evaluate(`(${INJECT}, ${then})`); }
  run(expression) { return this.page.evaluate(expression); }

  /** Takes in what the sensor sent until now. */
  async read({ flush = true } = {}) {
    const text = await this.run(`(() => { ${flush ? 'window.__sensor.flush();' : ''} const all = JSON.stringify(window.__messages); window.__messages.length = 0; return all; })()`);
    this.raw += text;
    for (const message of JSON.parse(text)) {
      if (message.hello) this.hellos.push(message.hello);
      if (message.batch) this.replay.batch(message.batch);
    }
    return this.replay;
  }

  /** Flushes, and gives the live document and its replica as text, at the same moment. */
  async compare() {
    const live = await this.run(`(window.__sensor.flush(), ${DUMP})`);
    await this.read();
    return { live: JSON.parse(live), mirror: this.replay.dump() };
  }

  ask(command) {
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error(`no reply to ${JSON.stringify(command)}`)), 10_000).unref());
    return Promise.race([this.run(`window.__ask(${JSON.stringify(command)})`), late]);
  }

  /** The number of the element with that id attribute. */
  async number(id) { await this.read(); const node = this.replay.byId(id); if (!node) throw new Error(`no #${id} in the mirror`); return node.id; }

  /** The facts since the last call, with their kinds. */
  async facts() { await this.read(); const all = this.replay.facts; this.replay.facts = []; return all; }

  async centre(selector) {
    return this.run(`(() => { const r = (${selector.startsWith('(') ? selector : `document.querySelector(${JSON.stringify(selector)})`}).getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
  }

  async click(selector, options) {
    const { x, y } = await this.centre(selector);
    await this.page.mouse.click(x, y, options);
  }

  async close() { await this.page.close(); this.server.close(); }
}

/** Declares a test that runs in every browser, one browser process for a file. */
export function inBrowsers(test, declare) {
  for (const name of BROWSERS) {
    test.describe(name, () => {
      const holder = {};
      test.before(async () => { holder.browser = await launch(name); });
      test.after(async () => { await holder.browser?.close(); });
      declare(name, (title, body, pageHtml = '', options = {}) => test.test(title, async t => {
        const watched = await Watched.open(holder.browser, pageHtml, options);
        t.after(() => watched.close());
        await body(watched, t);
      }));
    });
  }
}
