// @ts-check
"use strict";

/** @typedef {ReturnType<typeof createNodes>} Nodes */

/** The deepest element at a point of the viewport, through shadow roots. @param {Document} doc @param {Nodes} nodes @param {number} x @param {number} y */
function hitTest(doc, nodes, x, y) {
  let hit = doc.elementFromPoint(x, y);
  while (hit) {
    const root = nodes.rootOf(hit);
    const inner = root?.elementFromPoint(x, y);
    if (!inner || inner === hit || !root?.contains(inner)) break;
    hit = inner;
  }
  return hit;
}

/** Whether `node` is `ancestor` or lies in it, through shadow roots. @param {Nodes} nodes @param {Node} node @param {Node} ancestor */
function within(nodes, node, ancestor) {
  for (let up = /** @type {Node | null} */ (node); up; up = nodes.above(up)) if (up === ancestor) return true;
  return false;
}

/** Whether a click that hits `hit` is a click on `element`. @param {Nodes} nodes @param {Element} element @param {Element} hit */
function lands(nodes, element, hit) {
  if (within(nodes, hit, element)) return true;
  // A label's click is its control's, and the other way round for what is in the label.
  const label = hit.closest("label");
  if (label && label.control && (within(nodes, label.control, element) || within(nodes, element, label))) return true;
  if (element instanceof HTMLLabelElement && element.control && within(nodes, hit, element.control)) return true;
  // Content that lets the pointer through to the control it is in.
  return within(nodes, element, hit) && hit.matches("a[href],button,summary,label,option,select,[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=radio],[role=switch]");
}

/** @param {Node | null | undefined} node @returns {node is HTMLElement} */
function isEditable(node) {
  if (node instanceof HTMLInputElement) {
    return !/^(?:button|submit|reset|image|checkbox|radio|file|hidden)$/.test(node.type) && !node.readOnly && !node.matches(":disabled");
  }
  if (node instanceof HTMLTextAreaElement) return !node.readOnly && !node.matches(":disabled");
  return node instanceof HTMLElement && node.isContentEditable;
}

/** @param {Element} element */
function isDisabled(element) {
  return element.matches(":disabled") || element.closest("[aria-disabled=true]") !== null;
}

/** The focused element, through shadow roots. @param {Document} doc @param {Nodes} nodes */
function deepActive(doc, nodes) {
  let element = doc.activeElement;
  while (element) {
    const inner = nodes.rootOf(element)?.activeElement;
    if (!inner) break;
    element = inner;
  }
  return element;
}

/**
 * Where things are, and synthetic input for browsers that give extensions none they vouch for.
 * @param {Document} doc
 * @param {{nodes: Nodes, secrets: ReturnType<typeof createSecrets>, stream: ReturnType<typeof createStream>}} parts
 */
function createHands(doc, { nodes, secrets, stream }) {
  const MEASURE_MS = 8;
  /** Makes synthetic input, see acting.js. @type {typeof createSynthetic | undefined} */
  let make;
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  /** @type {WeakMap<Element, number[]>} */
  const lastBox = new WeakMap();

  // ---- looking

  /** @param {Element} element @param {DOMRect} box */
  const isVisible = (element, box) =>
    box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: false });

  /** @param {DOMRect} box */
  const rect = ({ x, y, width, height }) => ({ x, y, width, height });

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
        if (!/^(?:inline|contents|ruby|none)/.test(style.display)) flags |= W.FLAG.BLOCK;
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
    for (const element of secrets.places()) {
      const bounds = element.getBoundingClientRect();
      if (element.isConnected && bounds.width > 0 && bounds.height > 0) found.push(rect(bounds));
    }
    const frames = [];
    for (const frame of nodes.frames()) frames.push([nodes.id(frame), contentBox(/** @type {HTMLElement} */ (frame))]);
    return { secrets: found, frames };
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

  /** @param {number} id @returns {Element | null} */
  function element(id) {
    const node = nodes.node(id);
    const found = node instanceof Element ? node : node?.parentElement ?? null;
    return found?.isConnected ? found : null;
  }

  /** The centre of the first part of the element that is in the viewport. @param {Element} element */
  function pointOn(element) {
    for (const part of element.getClientRects()) {
      const left = Math.max(0, part.left);
      const top = Math.max(0, part.top);
      const right = Math.min(view.innerWidth, part.right);
      const bottom = Math.min(view.innerHeight, part.bottom);
      if (right > left && bottom > top) return { x: (left + right) / 2, y: (top + bottom) / 2 };
    }
    return null;
  }

  /** @param {number} id */
  function locate(id) {
    const target = element(id);
    const reply = {
      connected: target !== null, visible: false, disabled: false, editable: false, rect: /** @type {any} */ (null),
      point: /** @type {{x: number, y: number} | null} */ (null), hit: 0, hits: false, covered_by: "", scrolled: false,
    };
    if (!target) return reply;
    reply.disabled = isDisabled(target);
    reply.editable = isEditable(target);
    const look = () => {
      const bounds = target.getBoundingClientRect();
      const point = pointOn(target);
      const hit = point && hitTest(doc, nodes, point.x, point.y);
      return { bounds, point, hit, hits: !!hit && lands(nodes, target, hit) };
    };
    let seen = look();
    const { left, top, right, bottom } = seen.bounds;
    const whole = left >= 0 && top >= 0 && right <= view.innerWidth && bottom <= view.innerHeight;
    reply.visible = isVisible(target, seen.bounds);
    // In view by its box but not hit: it may be scrolled away within a container.
    if (reply.visible && !(whole && seen.hits)) {
      target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const after = look();
      reply.scrolled = after.bounds.x !== seen.bounds.x || after.bounds.y !== seen.bounds.y;
      seen = after;
    }
    reply.rect = rect(seen.bounds);
    reply.point = seen.point;
    reply.hit = seen.hit ? nodes.find(seen.hit) : 0;
    reply.hits = seen.hits;
    if (seen.hit && !seen.hits) reply.covered_by = describe(seen.hit);
    return reply;
  }

  /** For people: `div#overlay "Please wait"`. @param {Element} element */
  function describe(element) {
    const name = element.localName + (element.id ? `#${element.id}` : element.classList.length ? `.${element.classList[0]}` : "");
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").replace(/\s+/g, " ").trim();
    return secrets.scrub(text ? `${name} "${text.length > 40 ? `${text.slice(0, 40)}…` : text}"` : name);
  }

  // ---- acting

  /** @param {string} code @param {string} message */
  const failed = (code, message) => ({ ok: false, code, message });
  const done = { ok: true, message: "" };
  const gone = () => failed("gone", "The element is no longer in the page: look at the page again.");

  /** @param {number} id @param {any} what */
  function act(id, what) {
    const target = id ? element(id) : deepActive(doc, nodes) ?? doc.body;
    if (!target) return gone();
    if (!make) return failed("browser", "What acts in pages is not in this one yet: try again.");
    const synthetic = make(doc, nodes, { isEditable, deepActive, selectContent, within });
    switch (what.do) {
      case "click": {
        const place = locate(nodes.find(target));
        if (!place.visible || !place.point) return failed("hidden", `${describe(target)} has no visible box.`);
        if (place.disabled) return failed("disabled", `${describe(target)} is disabled.`);
        const hit = hitTest(doc, nodes, place.point.x, place.point.y);
        if (!hit || !place.hits) return failed("covered", `${describe(target)} is covered by ${place.covered_by || "something"}: close or move that first.`);
        synthetic.click(hit, place.point, what.button ?? "left", what.count ?? 1, what.modifiers ?? []);
        return done;
      }
      case "type": {
        if (isDisabled(target)) return failed("disabled", `${describe(target)} is disabled.`);
        if (!isEditable(target)) return failed("wrong_kind", `${describe(target)} cannot be typed into.`);
        const kept = synthetic.type(target, what.text, what.replace);
        return kept ? done : failed("bad_value", `${describe(target)} (${/** @type {any} */ (target).type}) does not take this text${hint(target)}.`);
      }
      case "press": {
        const known = synthetic.press(target, what.key);
        return known ? done : failed("bad_value", `"${what.key}" is no key: use names as Enter, ArrowDown, a, Control+K.`);
      }
      case "scroll": {
        const container = target === doc.body || target === doc.documentElement ? view : target;
        container.scrollBy({ left: what.dx, top: what.dy, behavior: "instant" });
        return done;
      }
      default:
        return failed("browser", `This page's sensor does not know how to "${what.do}": reload the page.`);
    }
  }

  /** @param {Element} element */
  function hint(element) {
    const formats = /** @type {Record<string, string>} */ ({
      date: "2026-01-31", time: "13:45", "datetime-local": "2026-01-31T13:45", month: "2026-01", week: "2026-W05", color: "#336699",
      number: "12.5", range: "a number in its range",
    });
    const format = formats[/** @type {any} */ (element).type];
    return format ? `; it wants ${format}` : "";
  }

  /** @param {number} id */
  function selectAll(id) {
    const target = element(id);
    if (!target) return gone();
    if (isDisabled(target)) return failed("disabled", `${describe(target)} is disabled.`);
    if (!isEditable(target)) return failed("wrong_kind", `${describe(target)} cannot be typed into.`);
    target.focus({ preventScroll: true });
    selectContent(doc, target);
    return done;
  }

  /** @param {number} id @param {string[]} values */
  function choose(id, values) {
    const list = element(id);
    if (!list) return gone();
    if (!(list instanceof HTMLSelectElement)) return failed("wrong_kind", `${describe(list)} is no list of options; click it instead.`);
    if (isDisabled(list)) return failed("disabled", `${describe(list)} is disabled.`);
    const fold = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
    const options = [...list.options];
    const name = (/** @type {HTMLOptionElement} */ option) => fold(option.label || option.text);
    if (!list.multiple && values.length !== 1) return failed("bad_value", `${describe(list)} takes one option, not ${values.length}.`);
    const chosen = [];
    for (const value of values) {
      const option = options.find((o) => name(o) === fold(value)) ?? options.find((o) => o.value === value);
      if (!option) {
        const names = options.slice(0, 50).map((o) => JSON.stringify(name(o))).join(", ");
        return failed("bad_value", `There is no option "${value}" in ${list.id ? `select#${list.id}` : "the list"}; there are ${names || "none"}.`);
      }
      if (option.disabled || /** @type {any} */ (option.parentElement)?.disabled) return failed("disabled", `The option "${value}" is disabled.`);
      chosen.push(option);
    }
    list.focus({ preventScroll: true });
    for (const option of options) option.selected = chosen.includes(option);
    list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    list.dispatchEvent(new Event("change", { bubbles: true }));
    return done;
  }

  return { equip: (/** @type {typeof createSynthetic} */ synthetic) => void (make = synthetic), measure, secrets: hidden, locate, act, selectAll, choose };
}

/** @param {Document} doc @param {HTMLElement} element */
function selectContent(doc, element) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.select();
    return;
  }
  const range = doc.createRange();
  range.selectNodeContents(element);
  const selection = doc.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
