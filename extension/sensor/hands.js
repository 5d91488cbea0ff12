// @ts-check
"use strict";

/** What a browser says of a field that got another value. @param {HTMLElement} field */
function committed(field) {
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

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
 * Where an element can be hit, and synthetic input for browsers that give extensions none they vouch for. Put into
 * a frame when an agent acts in it.
 * @param {Document} doc
 * @param {{nodes: Nodes, secrets: ReturnType<typeof createSecrets>}} parts
 */
function createHands(doc, { nodes, secrets }) {
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);

  // ---- looking

  /** @param {Element} element @param {DOMRect} box */
  const isVisible = (element, box) =>
    box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: false });

  /** @param {DOMRect} box */
  const rect = ({ x, y, width, height }) => ({ x, y, width, height });

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

  /**
   * The wanted point, if it is on the element and in the viewport.
   * @param {Element} element @param {{x: number, y: number} | null | undefined} at
   */
  function pointAt(element, at) {
    if (!at) return null;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [left + at.x, top + at.y];
    return x < Math.min(right, view.innerWidth) && y < Math.min(bottom, view.innerHeight) && x >= Math.max(left, 0) && y >= Math.max(top, 0) ? { x, y } : null;
  }

  /** @param {number} id @param {{x: number, y: number} | null} [at] */
  function locate(id, at) {
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
      const wanted = pointAt(target, at);
      for (const point of [wanted, pointOn(target)]) {
        const hit = point && hitTest(doc, nodes, point.x, point.y);
        const hits = !!hit && lands(nodes, target, hit);
        if (point && (hits || point !== wanted)) return { bounds, point, hit, hits, wanted: point === wanted };
      }
      return { bounds, point: null, hit: null, hits: false, wanted: false };
    };
    let seen = look();
    const { left, top, right, bottom } = seen.bounds;
    const whole = left >= 0 && top >= 0 && right <= view.innerWidth && bottom <= view.innerHeight;
    reply.visible = isVisible(target, seen.bounds);
    // In view by its box but not hit: it may be scrolled away within a container.
    if (reply.visible && !(seen.wanted || (whole && seen.hits))) {
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
    const synthetic = createSynthetic(doc, nodes);
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
    // Editors draw a part of a long text, or keep it apart from the field that they read keys from.
    const { width, height } = target.getBoundingClientRect();
    const reader = target instanceof HTMLTextAreaElement && (width < 5 || height < 5 || view.getComputedStyle(target).opacity === "0");
    const partly = reader || !("value" in target);
    return { ...done, keys: partly ? (/Mac/.test(view.navigator.platform) ? "Meta+A" : "Control+A") : "" };
  }

  /** @param {number} id */
  function focus(id) {
    const target = element(id);
    if (!target) return gone();
    const active = () => deepActive(doc, nodes);
    const has = () => { const at = active(); return at !== null && at !== doc.body && within(nodes, at, target); };
    if (!has()) /** @type {HTMLElement} */ (target).focus?.({ preventScroll: true });
    return has() ? done : failed("wrong_kind", `${describe(target)} does not take the focus.`);
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
    committed(list);
    return done;
  }

  /** @param {number} id @param {{name: string, mime?: string, data: string}[]} files */
  function upload(id, files) {
    const target = element(id);
    if (!target) return gone();
    if (!(target instanceof HTMLInputElement) || target.type !== "file") return failed("wrong_kind", `${describe(target)} is no file input.`);
    if (isDisabled(target)) return failed("disabled", `${describe(target)} is disabled.`);
    if (files.length > 1 && !target.multiple) return failed("bad_value", `${describe(target)} takes one file, not ${files.length}.`);
    const held = new DataTransfer();
    for (const { name, mime, data } of files) {
      const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
      held.items.add(new File([bytes], name, { type: mime ?? "" }));
    }
    target.files = held.files;
    committed(target);
    return done;
  }

  return { locate, act, selectAll, focus, choose, upload };
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
