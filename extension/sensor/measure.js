// @ts-check
"use strict";

/** @typedef {ReturnType<typeof createNodes>} Nodes */

/**
 * What layout alone knows: where things are, and what must not be seen in a picture.
 * @param {Document} doc
 * @param {{nodes: Nodes, secrets: ReturnType<typeof createSecrets>, stream: ReturnType<typeof createStream>, drawn(view: Window, ms: number): Promise<boolean>}} parts
 */
function createMeasure(doc, { nodes, secrets, stream, drawn }) {
  const MEASURE_MS = 8;
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  /** @type {WeakMap<Element, number[]>} */
  const lastBox = new WeakMap();

  /**
   * Tells where things are: all that is in view, and of the rest what is not rendered. What lies out of view with a
   * box of its own is not looked into; it is told when it comes into view. In slices, so that the page can go on.
   */
  async function measure() {
    const { innerWidth, innerHeight } = view;
    stream.op(W.VIEWPORT, innerWidth, innerHeight, Math.round(view.devicePixelRatio * 100), Math.round(view.scrollX), Math.round(view.scrollY));
    let until = performance.now() + MEASURE_MS;
    /** Where to go on after what is looked at, innermost last. @type {Element[]} */
    const left = doc.documentElement ? [doc.documentElement] : [];
    /** Siblings in a row that lie out of view, and their parent. */
    let far = 0;
    /** @type {Node | null} */
    let list = null;
    let looked = 0;
    for (let next = left.pop(); next; next = left.pop()) {
      if (++looked % 32 === 0 && performance.now() > until) {
        await new Promise((resolve) => setTimeout(resolve));
        until = performance.now() + MEASURE_MS;
        if (!next.isConnected) continue;
      }
      const after = next.nextElementSibling;
      if (after) left.push(after);
      if (next.parentNode !== list) {
        list = next.parentNode;
        far = 0;
      }
      const id = nodes.id(next);
      // In a long list most of it is out of view: there every eighth will do.
      if (!id || (far > 32 && after && looked % 8 !== 0 && !lastBox.has(next))) continue;
      const inside = box(id, next, innerWidth, innerHeight);
      far = inside === null ? far + 1 : 0;
      if (!inside) continue;
      nodes.discover(next);
      const root = nodes.rootOf(next);
      if (next.firstElementChild) left.push(next.firstElementChild);
      if (root?.firstElementChild) left.push(root.firstElementChild);
    }
    // Fields that a script set, too.
    nodes.stir();
    nodes.complete();
    nodes.hooks.sheets.check(true);
    stream.op(W.MARK, W.MARKS.MEASURED);
    return {};
  }

  /**
   * Tells an element's box, if that says anything new. Returns whether what is inside may have something to tell;
   * null for what lies out of view and was never told.
   * @param {number} id @param {Element} element @param {number} width @param {number} height
   */
  function box(id, element, width, height) {
    const { x, y, width: w, height: h } = element.getBoundingClientRect();
    const before = lastBox.get(element);
    const far = w > 0 && h > 0 && (x >= width || y >= height || x + w <= 0 || y + h <= 0);
    let flags = 0;
    if (w > 0 && h > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: false })) {
      if (far) {
        // As if never measured, unless it was.
        if (!before) return null;
        flags = before[4] & ~W.FLAG.IN_VIEW | W.FLAG.VISIBLE;
      } else {
        const style = view.getComputedStyle(element);
        flags = W.FLAG.VISIBLE | W.FLAG.IN_VIEW;
        if (style.pointerEvents !== "none") flags |= W.FLAG.POINTER;
        if (style.cursor === "pointer") flags |= W.FLAG.HAND;
        if (/^inline-/.test(style.display)) flags |= W.FLAG.ATOM;
        else if (!/^(?:inline|contents|ruby|none)/.test(style.display)) flags |= W.FLAG.BLOCK;
      }
    }
    const now = [px(x), px(y), px(w), px(h), flags];
    const same = before !== undefined && now.every((value, i) => value === before[i]);
    if (!same) {
      lastBox.set(element, now);
      stream.op(W.BOX, id, now[0], now[1], now[2], now[3], flags);
    }
    // What is not rendered goes on saying so for all that is inside, once that has been told anything else.
    if (w === 0 && h === 0 && !element.checkVisibility() && view.getComputedStyle(element).display !== "contents") {
      return before !== undefined && before[4] !== 0;
    }
    return !far || before !== undefined;
  }

  /** @param {number} length */
  const px = (length) => Math.max(-1e9, Math.min(1e9, Math.round(length)));

  function hidden() {
    const found = [];
    const range = doc.createRange();
    for (const element of secrets.places()) {
      if (!element.isConnected) continue;
      // Its text, too: it may be wider than the box, or have no box of its own.
      range.selectNodeContents(element);
      const box = element.getBoundingClientRect();
      for (const part of [box, ...range.getClientRects()]) {
        const inside = part !== box && part.left >= box.left && part.right <= box.right && part.top >= box.top && part.bottom <= box.bottom;
        if (part.width > 0 && part.height > 0 && !inside) found.push(seen(part));
      }
    }
    const frames = [];
    for (const frame of nodes.frames()) frames.push([nodes.id(frame), seen(contentBox(/** @type {HTMLElement} */ (frame)))]);
    return { secrets: found, frames, size: [view.innerWidth, view.innerHeight], scroll: [view.scrollX, view.scrollY], dpr: view.devicePixelRatio };
  }

  /** Whether what is in view is there and painted. Asked once the document is quiet. */
  async function rest() {
    const painted = await drawn(view, 200);
    return { fonts: doc.fonts?.status !== "loading", images: ![...shownImages()].some(awaited), painted };
  }

  /** Images of the document and of its shadow roots. @returns {Iterable<HTMLImageElement>} */
  function* shownImages() {
    yield* doc.images;
    for (const node of nodes.all().values()) if (node instanceof ShadowRoot) yield* node.querySelectorAll("img");
  }

  /** It is in view and on its way. @param {HTMLImageElement} image */
  function awaited(image) {
    if (image.complete || !(image.currentSrc || image.src || image.srcset)) return false;
    const { x, y, right, bottom } = image.getBoundingClientRect();
    // One without a size of its own is in view where it stands.
    return x < view.innerWidth && y < view.innerHeight && right >= 0 && bottom >= 0 && image.checkVisibility({ visibilityProperty: true });
  }

  /** Where it lies in a picture, which shows what a pinch has zoomed to. @param {{x: number, y: number, width: number, height: number}} box */
  function seen({ x, y, width, height }) {
    const { offsetLeft, offsetTop, scale } = (view === view.top && view.visualViewport) || { offsetLeft: 0, offsetTop: 0, scale: 1 };
    return { x: (x - offsetLeft) * scale, y: (y - offsetTop) * scale, width: width * scale, height: height * scale };
  }

  /** Where a frame's viewport lies. @param {HTMLElement} frame */
  function contentBox(frame) {
    const bounds = frame.getBoundingClientRect();
    const style = view.getComputedStyle(frame);
    const sx = frame.offsetWidth ? bounds.width / frame.offsetWidth : 1;
    const sy = frame.offsetHeight ? bounds.height / frame.offsetHeight : 1;
    const px = (/** @type {string} */ length) => Number.parseFloat(length) || 0;
    const left = frame.clientLeft + px(style.paddingLeft);
    const top = frame.clientTop + px(style.paddingTop);
    return {
      x: bounds.x + left * sx,
      y: bounds.y + top * sy,
      width: Math.max(0, frame.clientWidth - px(style.paddingLeft) - px(style.paddingRight)) * sx,
      height: Math.max(0, frame.clientHeight - px(style.paddingTop) - px(style.paddingBottom)) * sy,
    };
  }

  return { measure, rest, secrets: hidden };
}
