// Records pages with the sensor alone, writes traces, converts them, and plays the events in the real rrweb.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { background } from '../lib/companion.mjs';
import { serve } from '../lib/serve.mjs';
import { INJECT, PRELUDE } from '../sensor/lib.mjs';
import { cut } from '../sensor/replay.mjs';

const rrweb = readFileSync(new URL('../../node_modules/rrweb/dist/rrweb.umd.cjs', import.meta.url), 'utf8');

/** A zip of stored files. */
function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const field = Buffer.alloc(26);
    field.writeUInt16LE(20, 0);
    field.writeUInt16LE(0x800, 2);
    field.writeUInt16LE(0x21, 8);
    field.writeUInt32LE(crc32(bytes), 10);
    field.writeUInt32LE(bytes.length, 14);
    field.writeUInt32LE(bytes.length, 18);
    field.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(at, 12);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), field, entry.subarray(2), Buffer.from(name));
    const local = [Buffer.from('PK\x03\x04', 'latin1'), field, Buffer.from(name), bytes];
    parts.push(...local);
    at += local.reduce((sum, part) => sum + part.length, 0);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}

/**
 * The canonical form of a document, with the documents in its frames, fields' values, offsets and rules. It runs in
 * the recorded page and in the player's; `player` is rrweb's mirror there. What rrweb changes by itself is
 * made equal on the live side, and only that:
 * scripts are `noscript`; iframes have no src, srcdoc, sandbox; `onload`, `onclick`, `onmouse…` begin with `_`;
 * input and textarea have autocomplete=off; addresses of what is shown are absolute; styles with :hover have
 * more selectors; boxes without a value get value=on when they change; namespaces other than SVG are HTML's.
 * A dialog is modal only while it is open: rrweb leaves a closed one in the top layer.
 * On the player's side only nodes that its mirror knows count, and the classes `rrweb-paused` and `:hover` and `rr_open_mode` do not.
 */
export const CANON = `(top, player) => {
  const SHOWN = { img: ['src', 'srcset'], source: ['src', 'srcset'], link: ['href'], video: ['src', 'poster'], audio: ['src'], track: ['src'], embed: ['src'], input: ['src'], object: ['data'], image: ['href', 'xlink:href'], body: ['background'] };
  const EVENT = /^(onload|onclick|onmouse.*)$/;
  const css = (text, base) => /:hover|device-(width|height)/.test(text) ? 'css' : text.replace(/url\\((["']?)([^"')]*)\\1\\)/g, (all, q, url) => { try { return 'url(' + q + new URL(url, base).href + q + ')'; } catch { return all; } });
  const absolute = (value, base) => { try { return new URL(value, base).href; } catch { return value; } };
  const rules = sheet => { try { return [...sheet.cssRules].map(r => css(r.cssText, 'http://x/')); } catch { return 'unreadable'; } };
  const roots = window.__roots;
  const canon = (node, inside) => {
    const known = list => [...list].filter(n => !player || player.getId(n) > 0).map(n => canon(n, inside));
    switch (node.nodeType) {
      case 9: {
        const view = node.defaultView;
        const adopted = [...node.adoptedStyleSheets].map(rules);
        return { t: 'document', c: known(node.childNodes), ...(adopted.length && { adopted }), scroll: [Math.round(view.scrollX), Math.round(view.scrollY)] };
      }
      case 10: return { t: 'doctype', n: node.name, ...(node.publicId && { p: node.publicId }), ...(node.systemId && { s: node.systemId }) };
      case 3: case 4: return { t: 'text', d: inside === 'style' ? css(node.data, node.baseURI) : node.data };
      case 8: return { t: 'comment', d: node.nodeValue };
      case 1: break;
      default: return { t: 'other' };
    }
    const live = node.localName;
    const tag = live === 'script' ? 'noscript' : live;
    const a = {};
    for (const { name, value } of node.attributes) {
      if (live === 'iframe' && ['src', 'srcdoc', 'sandbox'].includes(name)) continue;
      if (player && (name === 'rr_open_mode')) continue;
      let text = value;
      if (SHOWN[live]?.includes(name)) text = name === 'srcset' ? text.split(',').map(p => { const [u, ...size] = p.trim().split(/\\s+/); return [absolute(u, node.baseURI), ...size].join(' '); }).join(', ') : absolute(text, node.baseURI);
      if (name === 'style') text = css(text, node.baseURI).replace(/\\s*;?\\s*$/, '');
      if (player && name === 'class') { text = text.replace(/\\s*(rrweb-paused|:hover)/g, ''); if (!text) continue; }
      a[!player && EVENT.test(name) ? '_' + name : name] = text;
    }
    if (live === 'input' || live === 'textarea') a.autocomplete = 'off';
    const box = live === 'input' && ['checkbox', 'radio'].includes(node.type);
    if (box && a.value === 'on') delete a.value;
    const out = { t: 'element', tag, svg: node.namespaceURI === 'http://www.w3.org/2000/svg', a: Object.fromEntries(Object.entries(a).sort(([x], [y]) => (x < y ? -1 : 1))), c: known(node.childNodes, live) };
    if (live === 'style' || tag === 'style') { out.c = [...node.childNodes].filter(n => !player || player.getId(n) > 0).map(n => canon(n, 'style')); if (node.sheet) out.rules = rules(node.sheet); }
    const root = node.shadowRoot ?? roots?.get(node);
    if (root) { out.s = known(root.childNodes); const adopted = [...root.adoptedStyleSheets].map(rules); if (adopted.length) out.adopted = adopted; }
    if (live === 'iframe') { let d = null; try { d = node.contentDocument; } catch {} if (d) out.d = canon(d); }
    if (live === 'input' && !['file', 'button', 'submit', 'reset', 'image', 'hidden'].includes(node.type) || live === 'textarea' || (live === 'select' && !node.multiple)) out.value = box ? node.checked : node.type === 'password' && node.value ? '•' : node.value;
    if (node.scrollTop || node.scrollLeft) { if (node !== node.ownerDocument.scrollingElement) out.scroll = [Math.round(node.scrollLeft), Math.round(node.scrollTop)]; }
    if (live === 'dialog') out.modal = node.open && node.matches(':modal');
    return out;
  };
  return JSON.stringify(canon(top));
}`;

/** Secrets are masked in the trace, so they are in both forms here. */
export const masked = form => form.replaceAll('••••••••', '•');

/** A page under the sensor, in all frames of its origin. */
export class Session {
  /** With `url` a page of another server, else `body` and `pages` on one of its own. */
  static async open(browser, body, { head = '', pages = {}, wait = 0, dir, url, rival = false } = {}) {
    const self = new Session();
    self.dir = dir ?? mkdtempSync(join(tmpdir(), 'tracerule-rrweb-'));
    self.own = !dir;
    self.server = await serve({ '/': `<!doctype html><html lang="en"><head><title>Test</title>${PRELUDE}${head}</head><body>${body}</body></html>`, ...pages });
    self.browser = browser;
    self.rival = rival;
    self.page = await browser.newPage();
    if (url) await self.page.addInitScript(PRELUDE.replace(/<\/?script>/g, ''));
    await self.page.goto(url ?? self.server.url('/'));
    if (wait) await new Promise(done => setTimeout(done, wait));
    self.entries = [];
    await self.inject();
    return self;
  }

  run(expression) { return this.page.evaluate(expression); }

  /** Puts the sensor into every frame that has none; with `rival`, rrweb's recorder into the page as well. */
  async inject() {
    if (this.rival && !await this.run('!!window.__rival')) {
      await this.run(`${rrweb}; window.__rival = []; rrweb.record({ emit: event => window.__rival.push(event) }); 0`);
    }
    for (const frame of this.page.frames()) {
      // The hub's part: which element shows the frame.
      const tie = 'window.frameElement && parent.__sensor?.tie(frameElement, window.__messages.find(m => m.hello).hello.doc)';
      await frame.evaluate(`window.__sensor ? 0 : (window.__roots ??= parent.__roots, ${INJECT}, ${tie}, 0)`).catch(error => { if (!/detached|closed/.test(String(error))) throw error; });
    }
  }

  /** Takes in what the sensors told until now. */
  async read() {
    for (let round = 0; round < 2; round++) {
      for (const frame of this.page.frames()) {
        const text = await frame.evaluate('window.__sensor ? (window.__sensor.flush(), (all => (window.__messages.length = 0, all))(JSON.stringify(window.__messages))) : "[]"').catch(() => '[]');
        const messages = JSON.parse(text);
        for (const { hello, batch } of messages) {
          if (hello) {
            if (hello.top && this.top && this.top !== hello.doc) this.entries.push({ e: 'gone', doc: this.top, t: hello.t });
            if (hello.top) this.top = hello.doc;
            frame.__doc = hello.doc;
            this.entries.push({ e: 'document', t: hello.t, doc: hello.doc, tab: 1, top: hello.top, url: hello.url, viewport: hello.viewport });
          }
          if (batch) this.entries.push({ e: 'batch', doc: frame.__doc, seq: batch.seq, t0: batch.t0, strings: cut(batch.text, batch.lengths), ops: batch.ops });
        }
      }
    }
  }

  async ask(command) { for (const frame of this.page.frames()) await frame.evaluate(`window.__ask ? window.__ask(${JSON.stringify(command)}) : 0`).catch(() => 0); }

  /** Everything told, and the live page in canonical form at the same moment. */
  async moment({ measure = true } = {}) {
    if (measure) await this.ask({ ask: 'measure' });
    await this.read();
    const live = await this.run(`(${CANON})(document)`);
    await this.read();
    return { t: await this.run('Date.now()'), live: masked(live) };
  }

  /** What rrweb's own recorder wrote of the same session. */
  async rivalBytes() {
    const text = await this.run('JSON.stringify(window.__rival)');
    return { raw: text.length, gzip: gzipSync(text).length };
  }

  /** The trace as a file. */
  save(name = 'session') {
    const blob = Buffer.from(this.entries.map(entry => JSON.stringify(entry) + '\n').join(''));
    const hash = createHash('sha256').update(blob).digest('hex');
    const t = this.entries[0].t;
    const header = { format: 'tracerule-trace', version: 1, id: 'test', role: 'reference', title: 'Test', url: this.server.url('/'), started_ms: t, recorder: { version: '0', via: 'extension', browser: 'chromium' } };
    const dom = { event: 'dom', t_ms: t, blob: `blobs/${hash}.jsonl`, entries: this.entries.length };
    const file = join(this.dir, `${name}.trace.zip`);
    writeFileSync(file, zip([['trace.jsonl', Buffer.from(`${JSON.stringify(header)}\n${JSON.stringify(dom)}\n`)], [`blobs/${hash}.jsonl`, blob]]));
    this.bytes = { raw: blob.length, gzip: gzipSync(blob).length };
    return file;
  }

  async close() {
    await this.page.close();
    this.server.close();
    if (this.own) rmSync(this.dir, { recursive: true, force: true });
  }
}

/** `tracerule convert FILE --to rrweb`: the events and the loss report. */
export async function convert(file, ...args) {
  const out = file.replace(/\.trace\.zip$/, '.rrweb.json');
  const r = await background(['convert', file, out, '--to', 'rrweb', '--json', ...args]);
  if (r.status !== 0) throw new Error(`convert failed (${r.status}): ${r.stderr}`);
  const text = readFileSync(out, 'utf8');
  return { events: JSON.parse(text), loss: JSON.parse(r.stdout), out, raw: text.length, gzip: gzipSync(text).length };
}

/** The real replayer with these events, at a moment. */
export class Player {
  static async open(browser) {
    const self = new Player();
    self.server = await serve({ '/': '<!doctype html><title>Player</title><body></body>', '/rrweb.js': { body: rrweb, headers: { 'content-type': 'text/javascript' } } });
    self.page = await browser.newPage();
    self.warnings = [];
    self.page.on('console', m => { if (/\[replayer\]/.test(m.text()) || m.type() === 'error') self.warnings.push(m.text()); });
    self.page.on('pageerror', e => self.warnings.push(String(e)));
    await self.page.goto(self.server.url('/'));
    await self.page.addScriptTag({ url: self.server.url('/rrweb.js') });
    return self;
  }

  async load(events, { virtual = true } = {}) {
    this.warnings.length = 0;
    await this.page.evaluate(([events, virtual]) => {
      window.player?.destroy();
      document.body.replaceChildren();
      window.events = events;
      window.player = new rrweb.Replayer(events, { useVirtualDom: virtual, showWarning: true, mouseTail: false });
      window.player.wrapper.style.overflow = 'hidden';
    }, [events, virtual]);
  }

  /** The player's document in canonical form, after all that happened up to that time (ms since the epoch). */
  async at(t) {
    return masked(await this.page.evaluate(`(async () => {
      const first = window.events[0].timestamp;
      window.player.pause(${t === undefined ? 'window.events.at(-1).timestamp - first + 1' : `Math.max(1, ${t} - first)`});
      await new Promise(done => setTimeout(done, 50));
      return (${CANON})(window.player.iframe.contentDocument, window.player.getMirror());
    })()`));
  }

  async close() { await this.page.close(); this.server.close(); }
}

/** Where two forms first differ, for a message that can be read. */
export function difference(a, b, path = '') {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b ? null : `${path}: ${JSON.stringify(a)?.slice(0, 200)} is not ${JSON.stringify(b)?.slice(0, 200)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], `${path}/${key}${a[key]?.tag ? `<${a[key].tag} ${a[key].a?.['data-x'] ?? ''}>` : ''}`);
    if (found) return found;
  }
  return null;
}
