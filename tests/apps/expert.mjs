// A person who knows the app: does a gesture with trusted input and notes the step that it must become. One for both
// drivers (playwright in Chromium, puppeteer over WebDriver BiDi in Firefox), as tests/lib/human.mjs, on which it rests.
import { sleep, until } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';

/**
 * The first visible element of a selector, as an expression for the page; `text` is its whole text, white space folded;
 * `label` its aria-label or title; `within` the selector of an open shadow host's path, outermost first.
 */
export function by(css, { text, label, within = [], nth = 0 } = {}) {
  const root = within.reduce((root, host) => `${root}.querySelector(${JSON.stringify(host)}).shadowRoot`, 'document');
  return `(() => {
    const fold = text => (text ?? '').replace(/\\s+/g, ' ').trim();
    const seen = e => e.getBoundingClientRect().width > 0 && e.checkVisibility({ visibilityProperty: true });
    return [...${root}.querySelectorAll(${JSON.stringify(css)})].filter(e => seen(e)
      && (${text === undefined} || fold(e.textContent) === ${JSON.stringify(text ?? '')})
      && (${label === undefined} || [e.getAttribute('aria-label'), e.title].map(fold).includes(${JSON.stringify(label ?? '')})))[${nth}];
  })()`;
}

export class Expert extends Human {
  constructor(page, browser) { super(page, browser); this.expected = []; this.pause = 250; }

  note(step) { if (step) this.expected.push(step); }

  /** Waits until the element is there and keeps its place, as a person does before reaching for it. */
  async there(expression, frame) {
    let last;
    await until(async () => {
      const box = await this.evaluate(`(() => { const e = ${expression}; if (!e) return ''; const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(); })()`, frame);
      const rests = box && box === last;
      last = box;
      return rests;
    }, `${expression} to be there`, 60_000);
    // What lies under a bar at the page's edge is scrolled away from there.
    await this.evaluate(`(() => {
      const e = ${expression}, r = e.getBoundingClientRect(), hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
      if (!hit || !(e.contains(hit) || hit.contains(e)) || hit === document.body) e.scrollIntoView({ block: 'center', behavior: 'instant' });
    })()`, frame);
  }

  /** Clicks what an expression (see [`by`]) gives. `at` is an offset from its top left. */
  async click(what, step, { frame, at, ...options } = {}) {
    await this.there(what, frame);
    if (at) {
      const { x, y } = await this.corner(what);
      await this.page.mouse.move(x + at.x, y + at.y);
      await (options.clickCount === 2 && this.browser !== 'firefox' ? this.page.mouse.dblclick(x + at.x, y + at.y) : this.page.mouse.click(x + at.x, y + at.y, options));
    } else await super.click(what, { frame, ...options });
    this.note(step && { action: options.clickCount === 2 ? 'dblclick' : options.button === 'right' ? 'contextmenu' : 'click', ...step });
    await sleep(this.pause);
  }

  async corner(what) {
    return this.evaluate(`(() => { const { x, y, width, height } = (${what}).getBoundingClientRect(); return { x, y, width, height }; })()`);
  }

  async type(text, step) {
    await super.type(text);
    this.note(step && { action: 'fill', value: text, ...step });
    await sleep(this.pause);
  }

  async press(keys, step) {
    await super.press(keys);
    this.note(step && { action: 'press', ...step });
    await sleep(this.pause);
  }

  /** Drags from the middle of an element (or `at`) to a point of another, or of the viewport. */
  async drag(what, to, step, { at } = {}) {
    await this.there(what);
    const from = at ? await this.corner(what).then(({ x, y }) => ({ x: x + at.x, y: y + at.y })) : await this.point(what);
    const end = typeof to === 'string' ? await this.point(to) : to;
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await sleep(100);
    await mouse.down();
    await mouse.move(from.x + (end.x - from.x) / 8, from.y + (end.y - from.y) / 8, { steps: 3 });
    await mouse.move(end.x, end.y, { steps: 12 });
    await sleep(100);
    await mouse.up();
    this.note(step && { action: 'drag', ...step });
    await sleep(this.pause);
  }

  /** Chooses files in the dialog that a click opens. */
  async choose(what, files, step, { frame } = {}) {
    await this.there(what, frame);
    if (this.browser === 'chromium') {
      const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), super.click(what, { frame })]);
      await chooser.setFiles(files);
    } else {
      const [chooser] = await Promise.all([this.page.waitForFileChooser(), super.click(what, { frame })]);
      await chooser.accept(files);
    }
    this.note(step && { action: 'upload', ...step });
    await sleep(this.pause);
  }

  /** Waits until an expression in the page is true. */
  async sees(expression, frame) {
    await until(() => this.evaluate(`!!(${expression})`, frame), `${expression} to be true`, 60_000);
    await sleep(this.pause);
  }
}
