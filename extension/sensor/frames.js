// @ts-check
"use strict";

/**
 * Ties child frames to the elements that show them. Nothing goes through the pages, which could listen: a child
 * says where it stands among its parent's `window.frames`, and the hub, which knows whose child it is, asks the
 * parent which element that is. In a shadow root frames have no such place; there the parent's own realm is used
 * where it may be, and else what the browser tells of an element's frame, its address and its size.
 * @param {Window & typeof globalThis} view
 * @param {string} token
 * @param {{nodes: ReturnType<typeof createNodes>, frameId?: (element: Element) => number, beyond?: (view: Window) => any}} parts
 */
function createFrames(view, token, { nodes, frameId, beyond }) {
  /** The window's place among its parent's. */
  function index() {
    const { parent } = view;
    if (parent !== view) for (let i = 0; i < parent.length; i++) if (parent[i] === view) return i;
    return null;
  }

  /** @param {Element} element */
  const windowOf = (element) => /** @type {HTMLIFrameElement} */ (element).contentWindow;

  /** @param {any} command */
  function find({ frame, index, url, size, only }) {
    for (const thoroughly of [false, true]) {
      const all = nodes.allFrames(thoroughly);
      const asked = frameId && all.find((element) => frameId(element) === frame);
      const placed = index === null ? null : all.find((element) => windowOf(element) === view[index]);
      const found = asked ?? placed;
      if (found) return { node: nodes.id(found) };
      if (frameId || index !== null || !thoroughly) continue;
      // In a shadow root, of another origin.
      const within = new Set(Array.from({ length: view.length }, (_, i) => view[i]));
      const left = all.filter((element) => !nodes.tied(element) && windowOf(element) && !within.has(/** @type {Window} */ (windowOf(element))));
      const alike = [
        only ? left : [],
        left.filter((element) => /** @type {HTMLIFrameElement} */ (element).src === url),
        left.filter((element) => Math.abs(element.clientWidth - size[0]) < 1 && Math.abs(element.clientHeight - size[1]) < 1),
      ].find((some) => some.length === 1);
      return alike ? { node: nodes.id(alike[0]) } : { node: 0, several: left.length > 1 };
    }
    return { node: 0 };
  }

  return {
    /** Where this frame stands; its parent's document is told at once where that is of the same origin. */
    place() {
      let tied = false;
      try {
        tied = !!view.frameElement && !!beyond?.(view.parent)?.tie?.(view.frameElement, token);
      } catch {
        // Of another origin.
      }
      return { tied, index: index(), size: [view.innerWidth, view.innerHeight] };
    },
    find,
    /** @param {any} command */
    tie({ node, token, index }) {
      const element = nodes.node(node);
      if (!(element instanceof Element) || (index !== null && windowOf(element) !== view[index])) return { node: 0 };
      nodes.tie(element, token);
      return { node };
    },
  };
}
