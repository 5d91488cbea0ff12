// @ts-check
"use strict";

/** @typedef {ReturnType<typeof createNodes>} Nodes */

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
  const MEASURE_SLICE = 3000;
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  /** @type {WeakMap<Element, string>} */
  const lastBox = new WeakMap();

  // ---- looking

  /** @param {Element} element @param {DOMRect} box */
  const isVisible = (element, box) =>
    box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: false });

  /** @param {DOMRect} box */
  const rect = ({ x, y, width, height }) => ({ x, y, width, height });

  async function measure() {
    const { innerWidth, innerHeight } = view;
    stream.op(W.VIEWPORT, innerWidth, innerHeight, Math.round(view.devicePixelRatio * 100), Math.round(view.scrollX), Math.round(view.scrollY));
    let left = MEASURE_SLICE;
    for (const [id, node] of [...nodes.all()]) {
      if (!(node instanceof Element)) continue;
      if (left-- === 0) {
        left = MEASURE_SLICE;
        await new Promise((resolve) => setTimeout(resolve));
      }
      if (nodes.node(id) !== node) continue;
      nodes.discover(node);
      box(id, node, innerWidth, innerHeight);
    }
    // Fields that a script set, too.
    nodes.stir();
    nodes.complete();
    nodes.hooks.sheets.check(true);
    stream.op(W.MARK, W.MARKS.MEASURED);
    return {};
  }

  /** @param {number} id @param {Element} element @param {number} width @param {number} height */
  function box(id, element, width, height) {
    const bounds = element.getBoundingClientRect();
    let flags = 0;
    if (isVisible(element, bounds)) {
      const style = view.getComputedStyle(element);
      flags = W.FLAG.VISIBLE;
      if (style.pointerEvents !== "none") flags |= W.FLAG.POINTER;
      if (style.cursor === "pointer") flags |= W.FLAG.HAND;
      if (!/^(?:inline|contents|ruby|none)/.test(style.display)) flags |= W.FLAG.BLOCK;
      if (bounds.right > 0 && bounds.bottom > 0 && bounds.left < width && bounds.top < height) flags |= W.FLAG.IN_VIEW;
    }
    const box = [bounds.x, bounds.y, bounds.width, bounds.height].map((px) => Math.max(-1e9, Math.min(1e9, Math.round(px))));
    const key = `${id} ${box} ${flags}`;
    if (lastBox.get(element) === key) return;
    lastBox.set(element, key);
    stream.op(W.BOX, id, box[0], box[1], box[2], box[3], flags);
  }

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
        if (part.width > 0 && part.height > 0 && !inside) found.push(seen(rect(part)));
      }
    }
    const frames = [];
    for (const frame of nodes.frames()) frames.push([nodes.id(frame), seen(contentBox(/** @type {HTMLElement} */ (frame)))]);
    return { secrets: found, frames, size: [view.innerWidth, view.innerHeight] };
  }

  /** Where it lies in a picture, which shows what a pinch has zoomed to. @param {{x: number, y: number, width: number, height: number}} box */
  function seen(box) {
    const zoomed = view === view.top ? view.visualViewport : null;
    if (!zoomed || zoomed.scale === 1) return box;
    const { offsetLeft, offsetTop, scale } = zoomed;
    return { x: (box.x - offsetLeft) * scale, y: (box.y - offsetTop) * scale, width: box.width * scale, height: box.height * scale };
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

  return { measure, secrets: hidden, locate, act, selectAll, focus, choose, upload };
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

/**
 * Events that a browser would send for a person's input, and the default actions that go with them.
 * @param {Document} doc
 * @param {Nodes} nodes
 */
function createSynthetic(doc, nodes) {
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  const BUTTONS = /** @type {Record<string, number>} */ ({ left: 0, middle: 1, right: 2, back: 3, forward: 4 });
  const KEYS = /** @type {Record<string, [string, number]>} */ ({
    Enter: ["Enter", 13], Tab: ["Tab", 9], Escape: ["Escape", 27], Backspace: ["Backspace", 8], Delete: ["Delete", 46],
    ArrowUp: ["ArrowUp", 38], ArrowDown: ["ArrowDown", 40], ArrowLeft: ["ArrowLeft", 37], ArrowRight: ["ArrowRight", 39],
    Home: ["Home", 36], End: ["End", 35], PageUp: ["PageUp", 33], PageDown: ["PageDown", 34], Insert: ["Insert", 45],
    Shift: ["ShiftLeft", 16], Control: ["ControlLeft", 17], Alt: ["AltLeft", 18], Meta: ["MetaLeft", 91], " ": ["Space", 32],
    ContextMenu: ["ContextMenu", 93],
  });

  /** @param {string[]} modifiers */
  const held = (modifiers) => ({
    ctrlKey: modifiers.includes("Control"),
    altKey: modifiers.includes("Alt"),
    shiftKey: modifiers.includes("Shift"),
    metaKey: modifiers.includes("Meta"),
  });

  /** @param {Element} hit @param {{x: number, y: number}} point @param {string} name @param {number} count @param {string[]} modifiers */
  function click(hit, point, name, count, modifiers) {
    const button = BUTTONS[name] ?? 0;
    const common = {
      bubbles: true, cancelable: true, composed: true, view, clientX: point.x, clientY: point.y,
      screenX: view.screenX + point.x, screenY: view.screenY + point.y, ...held(modifiers),
    };
    const pointer = { ...common, pointerId: 1, pointerType: "mouse", isPrimary: true };
    const down = { button, buttons: [1, 4, 2, 8, 16][button] };
    hit.dispatchEvent(new PointerEvent("pointerover", pointer));
    hit.dispatchEvent(new PointerEvent("pointerenter", { ...pointer, bubbles: false }));
    hit.dispatchEvent(new MouseEvent("mouseover", common));
    hit.dispatchEvent(new MouseEvent("mouseenter", { ...common, bubbles: false }));
    hit.dispatchEvent(new PointerEvent("pointermove", pointer));
    hit.dispatchEvent(new MouseEvent("mousemove", common));
    for (let detail = 1; detail <= count; detail++) {
      const compatible = hit.dispatchEvent(new PointerEvent("pointerdown", { ...pointer, ...down }));
      const focuses = !compatible || hit.dispatchEvent(new MouseEvent("mousedown", { ...common, ...down, detail }));
      if (focuses) focusFrom(hit);
      if (button === 2) hit.dispatchEvent(new PointerEvent("contextmenu", { ...pointer, button }));
      hit.dispatchEvent(new PointerEvent("pointerup", { ...pointer, button }));
      if (compatible) hit.dispatchEvent(new MouseEvent("mouseup", { ...common, button, detail }));
      if (!hit.isConnected) return;
      hit.dispatchEvent(new PointerEvent(button === 0 ? "click" : "auxclick", { ...pointer, button, detail }));
    }
    if (count === 2 && button === 0) hit.dispatchEvent(new MouseEvent("dblclick", { ...common, detail: 2 }));
  }

  /** Gives the focus to what a mouse-down there would give it to. @param {Element} hit */
  function focusFrom(hit) {
    const label = hit.closest("label");
    if (label?.control) return; // the label's click does it
    for (let up = /** @type {Node | null} */ (hit); up; up = nodes.above(up)) {
      if (!(up instanceof HTMLElement || up instanceof SVGElement)) continue;
      if (up.tabIndex < 0 && !up.hasAttribute("tabindex") && !(up instanceof HTMLElement && up.isContentEditable)) continue;
      if (up.matches(":disabled")) continue;
      up.focus({ preventScroll: true });
      return;
    }
    const active = deepActive(doc, nodes);
    if (active instanceof HTMLElement && active !== doc.body) active.blur();
  }

  /**
   * The field's own setter, which a page cannot have replaced.
   * @param {HTMLElement} field @param {string} value
   */
  function setValue(field, value) {
    const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  }

  /** @param {HTMLElement} field @param {string} inputType @param {string | null} data */
  function changed(field, inputType, data) {
    field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType, data }));
  }

  /** Replaces the field's selection, or what `inputType` deletes. @param {HTMLElement} field @param {string} inputType @param {string | null} data */
  function edit(field, inputType, data) {
    if (!isEditable(field)) return;
    const before = new InputEvent("beforeinput", { bubbles: true, composed: true, cancelable: true, inputType, data });
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) {
      const command = { insertText: "insertText", insertParagraph: "insertParagraph", deleteContentBackward: "delete", deleteContentForward: "forwardDelete" }[inputType];
      // The browser's own editing sends the events and keeps the page's undo.
      if (command && doc.execCommand(command, false, data ?? undefined)) return;
      if (!field.dispatchEvent(before)) return;
      const selection = doc.getSelection();
      const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
      if (!range) return;
      range.deleteContents();
      if (data) {
        range.insertNode(doc.createTextNode(data));
        range.collapse(false);
      }
      changed(field, inputType, data);
      return;
    }
    if (!field.dispatchEvent(before)) return;
    const { value } = field;
    let start = value.length;
    let end = start;
    try {
      start = field.selectionStart ?? start;
      end = field.selectionEnd ?? end;
    } catch {
      // Numbers, addresses and dates have no caret to ask for.
    }
    let put = data ?? "";
    if (inputType === "insertLineBreak") put = "\n";
    else if (start === end && inputType === "deleteContentBackward") start = Math.max(0, start - 1);
    else if (start === end && inputType === "deleteContentForward") end = Math.min(value.length, end + 1);
    if (field.maxLength >= 0) put = put.slice(0, Math.max(0, field.maxLength - (value.length - (end - start))));
    setValue(field, value.slice(0, start) + put + value.slice(end));
    try {
      field.setSelectionRange(start + put.length, start + put.length);
    } catch {
      // As above.
    }
    changed(field, inputType, data);
  }

  /**
   * @param {HTMLElement} field @param {string} text @param {boolean} replace
   * @returns {boolean} whether the field has it now
   */
  function type(field, text, replace) {
    field.focus({ preventScroll: true });
    if (field instanceof HTMLInputElement && /^(?:date|time|datetime-local|month|week|color|range|number)$/.test(field.type)) {
      setValue(field, text);
      if (text !== "" && field.value === "") return false;
      changed(field, "insertReplacementText", text);
      field.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    }
    if (replace) {
      selectContent(doc, field);
      if (text === "") edit(field, "deleteContentBackward", null);
    } else {
      caretToEnd(field);
    }
    const before = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : null;
    for (const character of text) {
      const key = character === "\n" ? "Enter" : character;
      const proceed = send(field, "keydown", key, []) && send(field, "keypress", key, []);
      if (proceed) {
        const multiline = !(field instanceof HTMLInputElement);
        if (key !== "Enter") edit(field, "insertText", character);
        else if (multiline) edit(field, field instanceof HTMLTextAreaElement ? "insertLineBreak" : "insertParagraph", null);
      }
      send(field, "keyup", key, []);
    }
    // A value set by script is not committed when the focus goes, so it is now.
    if (before !== null && before !== /** @type {HTMLInputElement} */ (field).value) {
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return true;
  }

  /** @param {HTMLElement} field */
  function caretToEnd(field) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      try {
        field.setSelectionRange(field.value.length, field.value.length);
      } catch {
        // No caret in this type.
      }
    } else {
      selectContent(doc, field);
      doc.getSelection()?.collapseToEnd();
    }
  }

  /** @param {Element} target @param {string} type @param {string} key @param {string[]} modifiers @returns {boolean} not prevented */
  function send(target, type, key, modifiers) {
    const [code, keyCode] = KEYS[key] ?? (/^[a-z]$/i.test(key) ? [`Key${key.toUpperCase()}`, key.toUpperCase().charCodeAt(0)] : /^\d$/.test(key) ? [`Digit${key}`, key.charCodeAt(0)] : ["", 0]);
    const charCode = type === "keypress" ? (key === "Enter" ? 13 : key.charCodeAt(0)) : 0;
    return target.dispatchEvent(new KeyboardEvent(type, {
      bubbles: true, cancelable: true, composed: true, view, key, code, keyCode: charCode || keyCode, charCode, ...held(modifiers),
    }));
  }

  /** @param {Element} target @param {string} combination as `Control+K` @returns {boolean} whether there is such a key */
  function press(target, combination) {
    const parts = combination.length > 1 ? combination.split(/\+(?=.)/) : [combination];
    const last = parts.pop() ?? "";
    const key = last === "Space" ? " " : last;
    if (parts.some((part) => !["Control", "Alt", "Shift", "Meta"].includes(part))) return false;
    if (!(key in KEYS) && [...key].length !== 1 && !/^F\d{1,2}$/.test(key)) return false;
    const active = deepActive(doc, nodes);
    if (target instanceof HTMLElement && target !== active && target !== doc.body) target.focus({ preventScroll: true });
    for (const [i, part] of parts.entries()) send(target, "keydown", part, parts.slice(0, i + 1));
    let proceed = send(target, "keydown", key, parts);
    const types = ([...key].length === 1 || key === "Enter") && !parts.includes("Control") && !parts.includes("Meta");
    if (proceed && types) proceed = send(target, "keypress", key, parts);
    if (proceed) byDefault(target, key, parts);
    // The key comes up where the focus is by then.
    const end = deepActive(doc, nodes) ?? target;
    send(end, "keyup", key, parts);
    for (const [i, part] of [...parts.entries()].reverse()) send(end, "keyup", part, parts.slice(0, i));
    return true;
  }

  /** What the browser does on a key that no one prevented. @param {Element} target @param {string} key @param {string[]} modifiers */
  function byDefault(target, key, modifiers) {
    const chord = modifiers.includes("Control") || modifiers.includes("Meta");
    const field = isEditable(target) ? target : null;
    if (chord) {
      if (key.toLowerCase() === "a" && field) selectContent(doc, field);
      return;
    }
    switch (key) {
      case "Enter": return enter(target, field);
      case " ":
        if (field) edit(field, "insertText", " ");
        else if (target instanceof HTMLElement && target.matches("button,summary,input")) target.click();
        else view.scrollBy({ top: view.innerHeight * 0.9, behavior: "instant" });
        return;
      case "Tab": return tab(target, modifiers.includes("Shift") ? -1 : 1);
      case "Escape": return escape(target);
      case "Backspace": return field ? edit(field, "deleteContentBackward", null) : undefined;
      case "Delete": return field ? edit(field, "deleteContentForward", null) : undefined;
      case "ArrowUp": case "ArrowDown": case "ArrowLeft": case "ArrowRight":
      case "Home": case "End": case "PageUp": case "PageDown":
        return move(target, field, key);
      default:
        if (field && [...key].length === 1) edit(field, "insertText", key);
    }
  }

  /** @param {Element} target @param {HTMLElement | null} field */
  function enter(target, field) {
    if (field instanceof HTMLTextAreaElement) return edit(field, "insertLineBreak", null);
    if (field && !(field instanceof HTMLInputElement)) return edit(field, "insertParagraph", null);
    if (target instanceof HTMLInputElement && !/^(?:button|submit|reset|image|file|color)$/.test(target.type)) {
      const { form } = target;
      if (!form) return;
      const buttons = [...form.elements].filter((e) => e.matches("button[type=submit],button:not([type]),input[type=submit],input[type=image]"));
      const first = /** @type {HTMLButtonElement | undefined} */ (buttons[0]);
      if (first) first.disabled || first.click();
      else if ([...form.elements].filter((e) => e instanceof HTMLInputElement && isEditable(e)).length === 1) form.requestSubmit();
      return;
    }
    if (target instanceof HTMLElement && target.matches("a[href],button,summary,input")) target.click();
  }

  /** @param {Element} from @param {1 | -1} direction */
  function tab(from, direction) {
    /** @type {HTMLElement[]} */
    const stops = [];
    const collect = (/** @type {Document | ShadowRoot} */ root) => {
      for (const element of root.querySelectorAll("*")) {
        if (element instanceof HTMLElement && element.tabIndex >= 0 && !element.matches(":disabled") && !element.closest("[inert]") &&
          element.checkVisibility({ visibilityProperty: true }) && !otherRadio(element)) stops.push(element);
        const inner = nodes.rootOf(element);
        if (inner) collect(inner);
      }
    };
    const modal = [...doc.querySelectorAll("dialog:modal")].pop();
    collect(doc);
    const allowed = modal ? stops.filter((stop) => within(nodes, stop, modal)) : stops;
    // Those with a number come first, by number; sort keeps the order of the rest.
    const order = allowed.sort((a, b) => (a.tabIndex || Infinity) - (b.tabIndex || Infinity) || 0);
    if (order.length === 0) return;
    const at = order.indexOf(/** @type {HTMLElement} */ (from));
    const next = at < 0 ? (direction > 0 ? 0 : order.length - 1) : (at + direction + order.length) % order.length;
    order[next].focus();
    if (order[next] instanceof HTMLInputElement && isEditable(order[next])) selectContent(doc, order[next]);
  }

  /** A radio button that Tab passes over: its group has another one checked. @param {HTMLElement} element */
  function otherRadio(element) {
    if (!(element instanceof HTMLInputElement) || element.type !== "radio" || element.checked || !element.name) return false;
    return group(element).some((radio) => radio.checked);
  }

  /** @param {HTMLInputElement} radio */
  function group(radio) {
    const root = /** @type {Document | ShadowRoot} */ (radio.getRootNode());
    const same = /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[type=radio]"));
    return [...same].filter((other) => other.name === radio.name && other.form === radio.form);
  }

  /** @param {Element} target */
  function escape(target) {
    const dialog = /** @type {HTMLDialogElement | undefined} */ ([...doc.querySelectorAll("dialog:modal")].pop()) ?? target.closest("dialog:modal");
    if (dialog instanceof HTMLDialogElement) {
      if (dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
      return;
    }
    const popover = [...doc.querySelectorAll("[popover=auto]:popover-open,[popover='']:popover-open")].pop();
    if (popover instanceof HTMLElement) popover.hidePopover();
  }

  /** @param {Element} target @param {HTMLElement | null} field @param {string} key */
  function move(target, field, key) {
    const back = key === "ArrowUp" || key === "ArrowLeft" || key === "Home" || key === "PageUp";
    const far = key === "Home" || key === "End";
    if (target instanceof HTMLSelectElement) {
      const enabled = [...target.options].filter((option) => !option.disabled);
      const at = enabled.indexOf(target.options[target.selectedIndex]);
      const next = far ? (back ? 0 : enabled.length - 1) : Math.max(0, Math.min(enabled.length - 1, at + (back ? -1 : 1)));
      if (enabled[next] && next !== at) {
        enabled[next].selected = true;
        committed(target);
      }
    } else if (target instanceof HTMLInputElement && target.type === "radio") {
      const radios = group(target).filter((radio) => !radio.disabled);
      const next = radios[(radios.indexOf(target) + (back ? -1 : 1) + radios.length) % radios.length];
      next?.focus();
      next?.click();
    } else if (target instanceof HTMLInputElement && (target.type === "range" || (target.type === "number" && /Up|Down/.test(key)))) {
      if (far && target.type === "range") setValue(target, back ? target.min || "0" : target.max || "100");
      else if (key === "ArrowUp" || key === "ArrowRight" || key === "PageUp") target.stepUp();
      else target.stepDown();
      committed(target);
    } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      const at = (back ? field.selectionStart : field.selectionEnd) ?? 0;
      const to = far ? (back ? 0 : field.value.length) : Math.max(0, Math.min(field.value.length, at + (back ? -1 : 1)));
      if (field.selectionStart !== null) field.setSelectionRange(to, to);
    } else if (field) {
      const selection = doc.getSelection();
      selection?.modify("move", back ? "backward" : "forward", far ? "lineboundary" : /Up|Down/.test(key) ? "line" : "character");
    } else if (far) {
      view.scrollTo({ top: back ? 0 : doc.documentElement.scrollHeight, behavior: "instant" });
    } else {
      const by = key.startsWith("Page") ? view.innerHeight * 0.9 : 40;
      const axis = /Left|Right/.test(key) ? "left" : "top";
      view.scrollBy({ [axis]: back ? -by : by, behavior: "instant" });
    }
  }

  return { click, type, press };
}
