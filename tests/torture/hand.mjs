// The hand that plays the cases: trusted input at the lowest level of both browsers, so that a case can hold a
// button, cross a page and let go elsewhere. Chromium takes it through the DevTools protocol, Firefox through
// WebDriver BiDi. Elements are named by a JavaScript expression; a point is their centre unless `at` says where
// (fractions of the box).
import { sleep } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';

/** WebDriver's code points for keys that make no character. */
const CODES = {
  Backspace: '\uE003', Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009', Alt: '\uE00A', Escape: '\uE00C',
  Space: ' ', PageUp: '\uE00E', PageDown: '\uE00F', End: '\uE010', Home: '\uE011', ArrowLeft: '\uE012', ArrowUp: '\uE013',
  ArrowRight: '\uE014', ArrowDown: '\uE015', Insert: '\uE016', Delete: '\uE017', Meta: '\uE03D', F2: '\uE032', F5: '\uE035',
  ContextMenu: '\uE05D', AltGraph: '\uE053',
};
const BUTTONS = { left: 0, middle: 1, right: 2 };
/** How long the page is left alone after each action, ms: long enough for its listeners, no more. */
const REST_MS = 60;

export class Hand extends Human {
  constructor(recording, browser) {
    super(recording.page, browser);
    this.recording = recording;
    this.firefox = browser === 'firefox';
    this.where = { x: 0, y: 0 };
  }

  async start() {
    this.main = this.page;
    this.mainContext = this.firefox ? this.page.mainFrame()._id : undefined;
    // A window without the focus fires no focus events, and its buttons no clicks by key.
    if (this.firefox) await this.bidi('browsingContext.activate', { context: this.mainContext });
    if (!this.firefox) this.cdp = await this.page.context().newCDPSession(this.page);
    // Without it a window that lost the focus hides its caret and its :focus.
    if (!this.firefox) await this.cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  }

  /** Loads a page as a person who types its address. */
  async open(url) {
    this.inside = undefined;
    if (this.firefox) await this.bidi('browsingContext.navigate', { context: this.mainContext, url, wait: 'complete' });
    else await this.page.goto(url, { waitUntil: 'load' });
    await sleep(150);
  }

  /** Does a script of the cases: `['click', 'save']` calls `click('save')`. */
  async play(script) {
    if (typeof script === 'function') return script(this);
    for (const [verb, ...args] of script) {
      if (typeof this[verb] !== 'function') throw new Error(`the hand cannot ${verb}`);
      await this[verb](...args);
    }
  }

  /** A point of an element: `[0, 0]` is its first corner, `[1, 1]` its last, [.5, .5] the centre. */
  async spot(expression, { frame, at = [0.5, 0.5] } = {}) {
    const centre = await this.point(expression, frame);
    if (at[0] === 0.5 && at[1] === 0.5) return centre;
    const run = `(() => { const $box = (${expression}).getBoundingClientRect(); return JSON.stringify([$box.width, $box.height]); })()`;
    const [width, height] = JSON.parse(await this.inFrame(run, frame));
    return { x: centre.x + (at[0] - 0.5) * width, y: centre.y + (at[1] - 0.5) * height };
  }

  async inFrame(expression, frame) {
    if (this.firefox && this.inside) {
      const { result } = await this.bidi('script.evaluate', { expression, target: { context: this.inside }, awaitPromise: true });
      return result.value;
    }
    return this.evaluate(expression, frame);
  }

  perform(actions) { return this.bidi('input.performActions', { context: this.inside ?? this.mainContext, actions }); }

  mouse(...actions) {
    return this.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }

  // ---- pointer

  async moveTo(x, y, steps = 1) {
    if (this.firefox) {
      const { x: x0, y: y0 } = this.where;
      const between = n => ({ type: 'pointerMove', x: Math.round(x0 + (x - x0) * n / steps), y: Math.round(y0 + (y - y0) * n / steps), duration: 0 });
      await this.mouse(...Array.from({ length: steps }, (_, n) => between(n + 1)));
    } else {
      await this.page.mouse.move(x, y, { steps });
    }
    this.where = { x, y };
  }

  async over(expression, options = {}) {
    const { x, y } = await this.spot(expression, options);
    await this.moveTo(x, y, options.steps ?? 1);
    await sleep(options.rest ?? REST_MS);
  }

  async down(button = 'left', clickCount = 1) {
    if (this.firefox) await this.mouse({ type: 'pointerDown', button: BUTTONS[button] });
    else await this.page.mouse.down({ button, clickCount });
  }

  async up(button = 'left', clickCount = 1) {
    if (this.firefox) await this.mouse({ type: 'pointerUp', button: BUTTONS[button] });
    else await this.page.mouse.up({ button, clickCount });
    await sleep(REST_MS);
  }

  async click(expression, { button = 'left', count = 1, hold = 0, rest = REST_MS, mods = [], ...where } = {}) {
    const { x, y } = await this.spot(expression, where);
    await this.moveTo(x, y);
    for (const mod of mods) await this.keyDown(mod);
    if (this.firefox) {
      // Clicks are counted within one command only.
      const one = [{ type: 'pointerDown', button: BUTTONS[button] }, ...(hold ? [{ type: 'pause', duration: hold }] : []), { type: 'pointerUp', button: BUTTONS[button] }];
      await this.mouse(...Array.from({ length: count }, () => one).flat());
    } else {
      for (let n = 1; n <= count; n++) {
        await this.page.mouse.down({ button, clickCount: n });
        if (hold) await sleep(hold);
        await this.page.mouse.up({ button, clickCount: n });
      }
    }
    for (const mod of mods) await this.keyUp(mod);
    await sleep(rest);
  }

  /** Presses at one place, moves over the way and lets go at the other. */
  async drag(from, to, { at, to_at, steps = 6, frame, rest = REST_MS, hold = 0 } = {}) {
    const a = await this.spot(from, { at, frame });
    const b = typeof to === 'string' ? await this.spot(to, { at: to_at, frame }) : { x: a.x + to[0], y: a.y + to[1] };
    await this.moveTo(a.x, a.y);
    await this.down();
    if (hold) await sleep(hold);
    await this.moveTo(b.x, b.y, steps);
    await sleep(30);
    await this.up();
    await sleep(rest);
  }

  /** The same over several points of one element, in fractions of its box. */
  async stroke(expression, points) {
    const [first, ...others] = await Promise.all(points.map(at => this.spot(expression, { at })));
    await this.moveTo(first.x, first.y);
    await this.down();
    for (const p of others) await this.moveTo(p.x, p.y, 4);
    await this.up();
  }

  async wheel(expression, dy, dx = 0, { frame, rest = 700 } = {}) {
    const { x, y } = await this.spot(expression, { frame });
    await this.moveTo(x, y);
    if (this.firefox) {
      await this.perform([{ type: 'wheel', id: 'wheel', actions: [{ type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX: dx, deltaY: dy }] }]);
    } else {
      await this.page.mouse.wheel(dx, dy);
    }
    await sleep(rest);
  }

  /** A finger that taps, or stays as long. */
  async touch(expression, { hold = 0 } = {}) {
    const { x, y } = await this.spot(expression);
    if (this.firefox) {
      const actions = [{ type: 'pointerMove', x: Math.round(x), y: Math.round(y) }, { type: 'pointerDown', button: 0 }, { type: 'pause', duration: hold }, { type: 'pointerUp', button: 0 }];
      await this.perform([{ type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions }]);
    } else {
      await this.cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      if (hold) await sleep(hold);
      await this.cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    }
    await sleep(400);
  }

  // ---- keys

  async keyDown(key) {
    if (this.firefox) await this.perform([{ type: 'key', id: 'keys', actions: [{ type: 'keyDown', value: CODES[key] ?? key }] }]);
    else await this.page.keyboard.down(key === 'Space' ? ' ' : key);
  }

  async keyUp(key) {
    if (this.firefox) await this.perform([{ type: 'key', id: 'keys', actions: [{ type: 'keyUp', value: CODES[key] ?? key }] }]);
    else await this.page.keyboard.up(key === 'Space' ? ' ' : key);
  }

  /** A key or a shortcut, as `Control+k`, so many times. */
  async press(keys, times = 1, rest = REST_MS) {
    const parts = keys.split(/(?<!^|\+)\+/);
    const key = parts.pop();
    if (this.firefox) {
      const down = value => ({ type: 'keyDown', value: CODES[value] ?? value });
      const up = value => ({ type: 'keyUp', value: CODES[value] ?? value });
      const strokes = Array.from({ length: times }, () => [down(key), up(key)]).flat();
      await this.perform([{ type: 'key', id: 'keys', actions: [...parts.map(down), ...strokes, ...parts.reverse().map(up)] }]);
      return sleep(rest);
    }
    for (const mod of parts) await this.keyDown(mod);
    for (let n = 0; n < times; n++) { await this.keyDown(key); await this.keyUp(key); }
    for (const mod of parts.reverse()) await this.keyUp(mod);
    await sleep(rest);
  }

  async type(text, rest = REST_MS) {
    if (this.firefox) await this.perform([{ type: 'key', id: 'keys', actions: [...text].flatMap(value => [{ type: 'keyDown', value }, { type: 'keyUp', value }, { type: 'pause', duration: 10 }]) }]);
    else await this.page.keyboard.type(text);
    await sleep(rest);
  }

  /** A key held so that it repeats. */
  async holdKey(key, repeats) {
    for (let n = 0; n <= repeats; n++) await this.keyDown(key);
    await this.keyUp(key);
    await sleep(REST_MS);
  }

  // ---- the rest

  wait(ms) { return sleep(ms); }

  run(expression, frame) { return this.evaluate(expression, frame); }

  /** What the page itself must have come to, so that a case cannot pass on input that did nothing. */
  async expect(expression, wanted, frame) {
    const got = await this.inFrame(`JSON.stringify(${expression})`, frame);
    if (got !== JSON.stringify(wanted)) throw new Error(`the page did not do its part: ${expression} is ${got}, not ${JSON.stringify(wanted)}`);
  }

  /** Waits until an expression is true in the page. */
  async until(expression) {
    for (let n = 0; n < 100; n++) { if (await this.run(`!!(${expression})`)) return; await sleep(50); }
    throw new Error(`${expression} did not become true`);
  }

  /** Gives files to the next file chooser that `act` opens. */
  async files(expression, paths) {
    if (this.firefox) {
      const { result } = await this.bidi('script.evaluate', { expression, target: { context: this.inside ?? this.mainContext }, awaitPromise: false, resultOwnership: 'root' });
      await this.bidi('input.setFiles', { context: this.inside ?? this.mainContext, element: { sharedId: result.sharedId }, files: paths });
    } else {
      const handle = await this.page.evaluateHandle(expression);
      await handle.asElement().setInputFiles(paths);
    }
    await sleep(150);
  }

  /** A click that opens a chooser, and the files taken from it. */
  async choose(expression, paths) {
    if (this.firefox) { await this.click(expression); return this.files(this.chooser ?? expression, paths); }
    const chooser = this.page.waitForEvent('filechooser', { timeout: 5000 });
    await this.click(expression);
    await (await chooser).setFiles(paths);
    await sleep(150);
  }
}
