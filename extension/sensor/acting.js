// @ts-check
"use strict";

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
