// One human for both drivers (playwright in Chromium, puppeteer over WebDriver BiDi in Firefox): finds a
// point in the page and uses the mouse and the keyboard there. Elements are named by a JavaScript
// expression, so that shadow roots and frames need no driver's selector syntax.
import { sleep } from './companion.mjs';

export class Human {
  constructor(page, browser) { this.page = page; this.browser = browser; }

  /** The frame whose address ends so; the top frame without. */
  async frame(end) {
    if (!end) return this.page.mainFrame();
    for (let i = 0; i < 100; i++) {
      const found = this.page.frames().find(f => f.url().endsWith(end));
      if (found) return found;
      await sleep(50);
    }
    throw new Error(`no frame ends in ${end}: ${this.page.frames().map(f => f.url())}`);
  }

  /** The centre of the element that `expression` gives in that frame, in the viewport that input is given in. */
  async point(expression, end) {
    if (this.browser === 'firefox' && end) return this.pointInside(expression, end);
    let frame = await this.frame(end);
    let at = await frame.evaluate(`(() => { const $at = ${expression}; $at.scrollIntoView({ block: 'nearest' }); const $box = $at.getBoundingClientRect(); return { x: $box.x + $box.width / 2, y: $box.y + $box.height / 2 }; })()`);
    while (frame.parentFrame()) {
      const owner = await frame.frameElement();
      const inset = await owner.evaluate(e => { const r = e.getBoundingClientRect(); return { x: r.x + e.clientLeft, y: r.y + e.clientTop }; });
      at = { x: at.x + inset.x, y: at.y + inset.y };
      frame = frame.parentFrame();
    }
    return at;
  }

  /** One command of WebDriver BiDi. */
  async bidi(method, parameters) {
    const answer = await this.page.browser().connection.send(method, parameters);
    return answer.result ?? answer;
  }

  /**
   * In Firefox, a point in a frame's own viewport: BiDi's input does not cross into a frame of another process, so
   * it is given in the frame's own context, which the driver does not always list.
   */
  async pointInside(expression, end) {
    const find = contexts => contexts.flatMap(c => [c, ...(c.children ? [find(c.children)].flat() : [])]);
    for (let i = 0; i < 100; i++) {
      const { contexts } = await this.bidi('browsingContext.getTree', {});
      const context = find(contexts).find(c => c.url.endsWith(end));
      if (context) {
        this.inside = context.context;
        const { result } = await this.bidi('script.evaluate', {
          expression: `(() => { const $at = ${expression}; $at.scrollIntoView({ block: 'nearest' }); const $box = $at.getBoundingClientRect(); return JSON.stringify({ x: $box.x + $box.width / 2, y: $box.y + $box.height / 2 }); })()`,
          target: { context: context.context }, awaitPromise: false,
        });
        return JSON.parse(result.value);
      }
      await sleep(50);
    }
    throw new Error(`no frame ends in ${end}`);
  }

  async click(expression, { frame, ...options } = {}) {
    const { x, y } = await this.point(expression, frame);
    if (this.browser === 'firefox' && frame) {
      await this.perform([{ type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', x: Math.round(x), y: Math.round(y) }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }]);
      return sleep(200);
    }
    this.inside = undefined;
    await this.page.mouse.move(x, y);
    if (options.clickCount === 2 && this.browser === 'firefox') await this.page.mouse.click(x, y, { count: 2 });
    else if (options.clickCount === 2) await this.page.mouse.dblclick(x, y);
    else await this.page.mouse.click(x, y, options);
    await sleep(200);
  }

  async wheel(expression, dy, frame) {
    const { x, y } = await this.point(expression, frame);
    await this.page.mouse.move(x, y);
    if (this.browser === 'firefox') await this.page.mouse.wheel({ deltaY: dy });
    else await this.page.mouse.wheel(0, dy);
    await sleep(800);
  }

  perform(actions) { return this.bidi('input.performActions', { context: this.inside, actions }); }

  /** One back or forward in history, as a person would: without waiting for what the page makes of it. */
  async traverse(direction) {
    // A page may go back by itself right after a click; nobody presses Back that soon.
    await sleep(1000);
    const gone = direction < 0 ? this.page.goBack({ timeout: 3000, waitUntil: this.browser === 'firefox' ? 'load' : 'commit' }) : this.page.goForward({ timeout: 3000, waitUntil: this.browser === 'firefox' ? 'load' : 'commit' });
    await Promise.race([gone.catch(() => {}), sleep(1500)]);
    await sleep(700);
  }

  async type(text) {
    if (this.inside) { await this.perform([{ type: 'key', id: 'keyboard', actions: [...text].flatMap(value => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }]); return sleep(200); }
    await this.page.keyboard.type(text, { delay: 10 });
    await sleep(200);
  }

  /** A key or a shortcut, as `Control+k`. */
  async press(keys) {
    const parts = keys.split('+');
    const key = parts.pop();
    for (const mod of parts) await this.page.keyboard.down(mod);
    await this.page.keyboard.press(key);
    for (const mod of parts.reverse()) await this.page.keyboard.up(mod);
    await sleep(200);
  }

  evaluate(expression, end) { return this.frame(end).then(f => f.evaluate(expression)); }
}

/** A document as the mirror writes it (`tracerule show --dom`), to be run in the page. */
export const dumpLive = `(() => {
  const ns = { 'http://www.w3.org/1999/xhtml': 0, 'http://www.w3.org/2000/svg': 1, 'http://www.w3.org/1998/Math/MathML': 2 };
  const dump = n => {
    switch (n.nodeType) {
      case 9: return { t: 'document', c: [...n.childNodes].map(dump) };
      case 10: return { t: 'doctype', n: n.name, ...(n.publicId && { p: n.publicId }), ...(n.systemId && { s: n.systemId }) };
      case 3: case 4: return { t: 'text', d: n.data };
      case 8: return { t: 'comment', d: n.data };
    }
    const a = {};
    for (const { name, value } of [...n.attributes].sort((x, y) => x.name < y.name ? -1 : 1)) a[name] = value;
    const out = { t: 'element', tag: n.localName, ns: ns[n.namespaceURI] ?? 3, a, c: [...n.childNodes].map(dump) };
    if (n.shadowRoot) { out.s = [...n.shadowRoot.childNodes].map(dump); out.m = 'open'; }
    return out;
  };
  return JSON.stringify(dump(document));
})()`;
