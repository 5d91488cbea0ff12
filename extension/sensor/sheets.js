// @ts-check
"use strict";

/**
 * What changes without a mutation record: rules and lists of style sheets that scripts changed, what a canvas
 * shows, media, the top layer, scroll offsets from before. The sensor's world cannot see the calls, so it
 * compares: at every flush what is cheap (lists by identity, counts of rules), at a measuring pass the rest.
 * @param {Document} doc
 * @param {{nodes: ReturnType<typeof createNodes>, stream: ReturnType<typeof createStream>}} parts
 */
function createSheets(doc, { nodes, stream }) {
  /** Roots looked at in one flush; the others take turns. */
  const ROOTS = 100;
  const CANVASES = 16;
  /**
   * What the mirror holds of a sheet: a number for each rule's text, and the last rule itself.
   * `texts` is null while the rules are those of its text or file, for all that is known; `told` is 1 once the
   * mirror knows of the sheet, 2 when it has to, -1 when it may not be read.
   * @typedef {{n: number, count: number, last: CSSRule | undefined, texts: number[] | null, pass: number, told: number}} Seen
   */
  /** @type {WeakMap<CSSStyleSheet, Seen>} */
  let seen = new WeakMap();
  /** The sheet that an element had when it was looked at. @type {WeakMap<Node, Seen>} */
  let owners = new WeakMap();
  /** @type {WeakMap<Node, CSSStyleSheet[]>} */
  let adopted = new WeakMap();
  /** @type {Set<Document | ShadowRoot>} */
  let roots = new Set();
  /** @type {Iterator<Document | ShadowRoot>} */
  let turn = roots.values();
  /** @type {Set<Element>} */
  let marked = new Set();
  /** @type {WeakMap<Element, Map<number, number>>} */
  let states = new WeakMap();
  let numbers = 0;
  let pass = 0;
  let scrolled = false;
  /** @type {OffscreenCanvasRenderingContext2D | null | undefined} */
  let pad;

  /** @param {string} text */
  function hash(text) {
    let h = 0;
    for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
    return h;
  }

  /** @param {CSSRuleList} rules */
  const hashes = (rules) => Array.from(rules, (rule) => hash(rule.cssText));

  // ---- rules

  /** @param {CSSStyleSheet} sheet @param {number} owner its element's number, 0 for a constructed one */
  function first(sheet, owner) {
    /** @type {Seen} */
    const me = { n: ++numbers, count: -1, last: undefined, texts: owner ? null : [], pass: 0, told: 0 };
    seen.set(sheet, me);
    const node = sheet.ownerNode;
    if (!owner || !node) {
      me.told = 1;
      stream.op(W.SHEET, me.n, 0, 0);
    } else {
      // Parsed anew: what was told of the sheet before does not hold.
      if (owners.get(node)?.told) me.told = 2;
      owners.set(node, me);
    }
    return me;
  }

  /** @param {CSSStyleSheet} sheet @param {number} owner @param {boolean} deep */
  function rules(sheet, owner, deep) {
    const me = seen.get(sheet) ?? first(sheet, owner);
    if (me.pass === pass || me.told < 0) return me.n;
    me.pass = pass;
    /** @type {CSSRuleList} */
    let now;
    try {
      now = sheet.cssRules;
    } catch {
      me.told = -1; // of another origin
      stream.op(W.SHEET, me.n, owner, -1);
      return me.n;
    }
    const node = sheet.ownerNode;
    const text = me.count < 0 && node instanceof HTMLStyleElement ? node.textContent : null;
    const changed = me.count >= 0 && (me.count !== now.length || me.last !== now[now.length - 1]);
    // Rules without a text are a script's.
    if (deep || changed || me.told === 2 || (text !== null && !text.trim()) || !owner) compare(sheet, me, owner, now);
    me.count = now.length;
    me.last = now[now.length - 1];
    return me.n;
  }

  /** @param {CSSStyleSheet} sheet @param {Seen} me @param {number} owner @param {CSSRuleList} now */
  function compare(sheet, me, owner, now) {
    const before = me.texts ?? parsed(sheet, now);
    // Rules are mostly appended.
    const kept = before.length && me.count === before.length && me.last && now[before.length - 1] === me.last && now.length > before.length ? before.length : 0;
    const after = before.slice(0, kept);
    for (let i = kept; i < now.length; i++) after.push(hash(now[i].cssText));
    let start = kept;
    while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
    let end = 0;
    const most = Math.min(before.length, after.length) - start;
    while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
    const gone = before.length - end - start;
    const come = after.length - end;
    if (me.told === 2 || (!me.told && (gone || come > start))) {
      me.told = 1;
      stream.op(W.SHEET, me.n, owner, before.length);
    }
    if (gone) stream.op(W.UNRULE, me.n, start, gone);
    for (let i = start; i < come; i++) stream.op(W.RULE, me.n, i, stream.string(now[i].cssText));
    me.texts = after;
  }

  /** The rules as its text gives them; of a file, as they are. @param {CSSStyleSheet} sheet @param {CSSRuleList} now */
  function parsed(sheet, now) {
    const node = sheet.ownerNode;
    const text = node instanceof HTMLStyleElement ? node.textContent ?? "" : null;
    if (text === null || text.includes("@import")) return hashes(now);
    try {
      const twin = new CSSStyleSheet({ baseURL: doc.baseURI });
      twin.replaceSync(text);
      return hashes(twin.cssRules);
    } catch {
      return hashes(now);
    }
  }

  /** @param {Document | ShadowRoot} root @param {boolean} deep */
  function look(root, deep) {
    const id = nodes.id(root);
    if (!id) {
      roots.delete(root);
      return;
    }
    const own = root.styleSheets;
    for (let i = 0; i < own.length; i++) {
      const owner = nodes.id(own[i].ownerNode);
      if (owner) rules(own[i], owner, deep);
    }
    /** @type {CSSStyleSheet[]} */
    let list;
    try {
      list = Array.from(root.adoptedStyleSheets);
    } catch {
      return; // Firefox does not show them to extensions.
    }
    const before = adopted.get(root) ?? [];
    if (!before.length && !list.length) return;
    adopted.set(root, list);
    list.forEach((sheet, i) => {
      const n = rules(sheet, 0, deep);
      if (before[i] !== sheet) stream.op(W.ADOPT, id, i, n);
    });
    if (list.length < before.length) stream.op(W.ADOPT, id, list.length, 0);
  }

  // ---- elements

  /** @param {Element} element @param {number} id @param {number} what @param {number} value */
  function state(element, id, what, value) {
    let mine = states.get(element);
    if (!mine) states.set(element, (mine = new Map()));
    if (mine.get(what) === value || (value === 0 && what === W.STATES.TOP_LAYER && !mine.has(what))) return false;
    mine.set(what, value);
    stream.op(W.STATE, id, what, value);
    return true;
  }

  /** @param {Element} element @param {boolean} deep */
  function marks(element, deep) {
    const id = nodes.id(element);
    if (!id) {
      marked.delete(element);
      return;
    }
    if (element instanceof HTMLMediaElement) {
      const told = [
        state(element, id, W.STATES.PAUSED, element.paused ? 1 : 0),
        state(element, id, W.STATES.MUTED, element.muted ? 1 : 0),
        state(element, id, W.STATES.VOLUME, Math.round(element.volume * 100)),
        state(element, id, W.STATES.RATE, Math.round(element.playbackRate * 100)),
      ].includes(true);
      if (told || deep) state(element, id, W.STATES.POSITION, Math.min(1e9, Math.round(element.currentTime * 1000)));
    } else if (!(element instanceof HTMLCanvasElement)) {
      state(element, id, W.STATES.TOP_LAYER, element.matches(":modal,:popover-open") ? 1 : 0);
    }
  }

  /** What a canvas shows, in few pixels. @param {HTMLCanvasElement} canvas */
  function picture(canvas) {
    if (!canvas.width || !canvas.height) return 0;
    try {
      pad ??= new OffscreenCanvas(32, 32).getContext("2d", { willReadFrequently: true });
      if (!pad) return -1;
      pad.clearRect(0, 0, 32, 32);
      pad.imageSmoothingQuality = "medium";
      pad.drawImage(canvas, 0, 0, 32, 32);
      let h = 0;
      for (const byte of pad.getImageData(0, 0, 32, 32).data) h = (Math.imul(h, 31) + byte) | 0;
      return h & 0x7fffffff;
    } catch {
      pad = undefined; // a tainted one taints it
      return -1;
    }
  }

  function deeper() {
    let left = CANVASES;
    for (const element of marked) {
      const id = nodes.id(element);
      if (id && element instanceof HTMLCanvasElement && left-- > 0) state(element, id, W.STATES.CANVAS, picture(element));
    }
    if (scrolled) return;
    scrolled = true;
    // Later ones are told by events.
    for (const [id, node] of nodes.all()) {
      if (!(node instanceof Element) || node === doc.scrollingElement) continue;
      const { scrollLeft: x, scrollTop: y } = node;
      if (x || y) stream.op(W.SCROLL, id, Math.round(x), Math.round(y));
    }
  }

  ({ roots, marked } = nodes.hooks.sheets);
  turn = roots.values();
  nodes.hooks.sheets = {
    roots,
    marked,
    root: (root) => void roots.add(root),
    mark: (element) => void marked.add(element),
    check(deep) {
      pass += 1;
      let left = deep ? Infinity : ROOTS;
      look(doc, deep);
      if (roots.size <= left) {
        for (const root of roots) look(root, deep);
      } else {
        for (; left > 0; left--) {
          let next = turn.next();
          if (next.done) next = (turn = roots.values()).next();
          if (!next.done) look(next.value, deep);
        }
      }
      for (const element of marked) marks(element, deep);
      if (deep) deeper();
    },
    restart() {
      seen = new WeakMap();
      owners = new WeakMap();
      adopted = new WeakMap();
      roots = new Set();
      turn = roots.values();
      marked = new Set();
      states = new WeakMap();
      scrolled = false;
    },
  };
}

/** @type {any} */ (globalThis).traceruleSensor?.equip({ createMeasure, createSheets });
