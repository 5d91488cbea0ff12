// @ts-check
"use strict";

/**
 * Input events, told as facts. Each is preceded in the stream by all that the page did before it, so that
 * the mirror at the fact is the document as the person saw it.
 * @param {Document} doc
 * @param {{clock: ReturnType<typeof createClock>, secrets: ReturnType<typeof createSecrets>,
 *   stream: ReturnType<typeof createStream>, nodes: ReturnType<typeof createNodes>,
 *   stage: ReturnType<typeof createStage>, link: ReturnType<typeof createLink>, hover: ReturnType<typeof createHover>, stumbled(error: unknown): void}} parts
 */
function createInput(doc, { clock, secrets, stream, nodes, stage, link, hover, stumbled }) {
  const WHEEL_MS = 100;
  const SEAL_MS = 500;
  /** An editor has written what a key did by then. */
  const EDITED_MS = 50;
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  const POINTER = ["pointerdown", "pointerup", "pointercancel", "click", "auxclick", "dblclick", "contextmenu", "dragstart", "dragenter", "drop", "dragend"];
  /** Those that do not leave a shadow root. */
  const INNER = ["focus", "change", "submit", "scroll"];
  const OUTER = [
    ...POINTER, ...INNER, "wheel", "keydown", "compositionstart", "compositionend", "input", "copy", "cut", "paste",
    "reset", "readystatechange", "pageshow", "pagehide", "beforeprint",
  ];
  /** Events that are no facts: the picker keeps them from the page. */
  const PICKED = ["mousedown", "mouseup", "keyup"];
  /** Told at once; the others within the timer's delay. */
  const LAZY = new Set(["wheel", "scroll", "focus"]);
  /** Told before the page's handlers run: they may open a dialog, which stops every timer, leave the page, or end it. */
  const URGENT = new Set(["pointerdown", "click", "auxclick", "contextmenu", "keydown", "submit", "change"]);
  /** Not yet a reason to read a document of which nobody said that it is recorded. */
  const IDLE = new Set(["readystatechange", "pageshow", "pagehide", "beforeprint", "reset", "focus", "scroll"]);
  /** Whose handlers may edit text in a person's stead: a toolbar's. */
  const POINTED = new Set(["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick"]);
  /** Events that were told at the window. @type {WeakSet<Event>} */
  const told = new WeakSet();
  /** @type {Map<number, {dx: number, dy: number, fact: any, timer: ReturnType<typeof setTimeout>}>} */
  const wheels = new Map();
  /** @type {Set<ShadowRoot>} */
  const roots = new Set();
  let paused = false;
  /** Secret fields with new text. @type {Set<Element>} */
  const unsealed = new Set();
  /** A secret that was copied or cut. @type {{node: Node, text: string} | null} */
  let copied = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let sealing;
  let stopped = false;
  /**
   * A field that a key went to, and its text as last told. Pages take keys for themselves and write the text,
   * with no event of it.
   * @type {{node: Element, text: string, timer: ReturnType<typeof setTimeout>} | null}
   */
  let watched = null;
  const passive = { capture: true, passive: true };
  const active = { capture: true, passive: false };

  // ---- where

  /** The deepest node of the event, through closed roots. @param {Event} event @returns {Node | null} */
  function deepest(event) {
    const first = event.composedPath()[0] ?? event.target;
    if (!(first instanceof Node)) return null;
    const x = /** @type {any} */ (event).clientX;
    const y = /** @type {any} */ (event).clientY;
    const at = POINTER.includes(event.type) || event.type === "wheel";
    let node = first;
    while (node instanceof Element) {
      const root = nodes.rootOf(node);
      if (!root) break;
      /** @type {Element | null} */
      const inner = at ? root.elementFromPoint(x, y) : root.activeElement;
      if (!inner || !root.contains(inner)) break;
      node = inner;
    }
    return node;
  }

  /**
   * Notes which event of the pointer is under way. On the document, where the sensors of frames within find it; the
   * page sees no property of an isolated world.
   * @param {Event} event
   */
  function noteUnderWay(event) {
    if (event.isTrusted && POINTED.has(event.type)) /** @type {any} */ (doc).traceruleUnderWay = event;
  }

  /** Whether handlers of a pointer's event are running, here or in a frame around. */
  function isUnderWay() {
    for (let at = /** @type {Window} */ (view); ; at = at.parent) {
      try {
        const event = /** @type {any} */ (at.document).traceruleUnderWay;
        if (event && event.eventPhase !== Event.NONE) return true;
      } catch {
        return false; // another origin's
      }
      if (at.parent === at) return false;
    }
  }

  // ---- what

  /** @param {any} event */
  function modifiers(event) {
    const held = [];
    if (event.ctrlKey) held.push("Control");
    if (event.altKey) held.push("Alt");
    if (event.shiftKey) held.push("Shift");
    if (event.metaKey) held.push("Meta");
    return held;
  }

  /** @param {unknown} value */
  const finite = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);

  /** @param {any} event @param {Node | null} node */
  function pointer(event, node) {
    const element = node instanceof Element ? node : node?.parentElement;
    let box = null;
    if (element && event.type !== "dragenter") {
      const { x, y, width, height } = element.getBoundingClientRect();
      box = { x, y, width, height };
    }
    return {
      x: finite(event.clientX),
      y: finite(event.clientY),
      button: Math.trunc(finite(event.button)),
      detail: Math.max(0, Math.trunc(finite(event.detail))),
      pointer: typeof event.pointerType === "string" ? event.pointerType : "",
      mods: modifiers(event),
      box,
      ...(event.type === "drop" && { files: filesOf(event.dataTransfer?.files) }),
    };
  }

  /** How the pointer came to what it presses. @param {Event} event @param {Node} node */
  function way(event, node) {
    const { way, shown } = hover.pressed(node, clock.of(event));
    const over = way.map(({ element, t, x, y }) => ({ n: nodes.find(element), t, x, y })).filter(({ n }) => n);
    const pairs = shown.map((pair) => pair.map((element) => nodes.find(element))).filter(([a, b]) => a && b);
    return { ...(over.length && { over }), ...(pairs.length && { shown: pairs }) };
  }

  /** Names; those of a directory with their path in it. @param {FileList | null | undefined} files */
  function filesOf(files) {
    return Array.from(files ?? [], (file) => secrets.scrub(file.webkitRelativePath || file.name));
  }

  /** What is copied, cut or pasted, before the page has a say. @param {any} event @param {Node} node */
  function clip(event, node) {
    const LONGEST = 1000;
    const pasted = event.type === "paste";
    const data = event.clipboardData;
    const field = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node : null;
    let text = "";
    if (pasted) text = data?.getData("text/plain") ?? "";
    else if (field) text = field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
    else text = String(view.getSelection() ?? "");
    const scrubbed = secrets.scrub(text);
    const selection = pasted || field ? null : view.getSelection();
    const secret = (!!field && secrets.check(field)) || scrubbed !== text || secrets.covers(node) ||
      (!!selection && secrets.places().some((place) => selection.containsNode(place, true)));
    // What is pasted into a secret field is told of as what was typed.
    if (secret && text && !pasted) {
      if (!secrets.seals()) link.send({ more: true });
      copied = { node, text };
      clearTimeout(sealing);
      sealing = setTimeout(seal, SEAL_MS);
    }
    return {
      types: pasted ? [...(data?.types ?? [])] : ["text/plain"],
      text: secret ? text && W.MASK : text.slice(0, LONGEST),
      length: [...text].length,
      secret,
    };
  }

  /** @param {any} event @param {Node | null} node */
  function key(event, node) {
    const hidden = node instanceof Element && secrets.look(node);
    let mods = modifiers(event);
    let { key, code } = event;
    // AltGr and Alt make characters too; Control and Meta make shortcuts.
    const printable = [...key].length === 1 || key === "Dead" || key === "Process";
    if (hidden && printable && !((event.ctrlKey && !event.altKey) || event.metaKey)) {
      key = "•";
      code = "";
      mods = [];
    }
    return { key, code: String(code ?? ""), mods, repeat: !!event.repeat, composing: !!event.isComposing || event.keyCode === 229 };
  }

  /** @param {any} event @param {Node | null} node */
  function edit(event, node) {
    const input_type = typeof event.inputType === "string" ? event.inputType : "";
    if (node instanceof HTMLInputElement) {
      const secret = secrets.look(node);
      const box = node.type === "checkbox" || node.type === "radio";
      const files = node.type === "file" ? filesOf(node.files) : [];
      return {
        value: secret ? (node.value && W.MASK) : secrets.scrub(node.type === "file" ? files.join(", ") : node.value),
        input_type, field: node.type, secret, files, ...(box && { checked: node.checked }),
      };
    }
    if (node instanceof HTMLTextAreaElement) {
      const secret = secrets.look(node);
      return { value: secret ? (node.value && W.MASK) : secrets.scrub(node.value), input_type, field: "textarea", secret };
    }
    if (node instanceof HTMLSelectElement) {
      const chosen = [...node.selectedOptions];
      if (secrets.check(node)) {
        return { value: W.MASK, input_type, field: node.type, secret: true, labels: chosen.map(() => W.MASK), values: chosen.map(() => W.MASK) };
      }
      return {
        value: secrets.scrub(node.value), input_type, field: node.type,
        labels: chosen.map((option) => secrets.scrub(option.label || option.text)),
        values: chosen.map((option) => secrets.scrub(option.value)),
      };
    }
    if (isEditable(node)) {
      const secret = secrets.look(node);
      return { value: secret ? W.MASK : textOf(node), input_type, field: "contenteditable", secret };
    }
    // A custom element that behaves like a field.
    const value = /** @type {any} */ (node)?.value;
    const secret = node instanceof Element && secrets.check(node);
    return { value: typeof value === "string" ? (secret ? W.MASK : secrets.scrub(value)) : "", input_type, field: "", secret };
  }

  /** The browser filled the field in; keys would have an input type of their own. @param {any} event @param {Node} node */
  function autofilled(event, node) {
    return event.isTrusted && event.type === "input" && /^(?:insertReplacementText)?$/.test(event.inputType ?? "") &&
      node instanceof Element && node.matches(":autofill");
  }

  /** @param {Node | null} node @returns {node is HTMLElement} */
  function isEditable(node) {
    return node instanceof HTMLElement && (node.isContentEditable || !!(/** @type {any} */ (node).editContext));
  }

  /** The text of editable content, or of what an element's edit context holds for it. @param {HTMLElement} node */
  function textOf(node) {
    const context = /** @type {any} */ (node).editContext;
    if (!context) return secrets.scrub(editableText(node));
    // Monaco's context holds remains of what was typed; its lines, drawn beside each other in no order, are the text.
    const lines = [...(node.closest(".monaco-editor")?.querySelectorAll(".view-line") ?? [])];
    const top = (/** @type {Element} */ line) => Number.parseFloat(/** @type {HTMLElement} */ (line).style.top);
    const drawn = lines.sort((a, b) => top(a) - top(b)).map((line) => (line.textContent ?? "").replaceAll("\u00a0", " "));
    return secrets.scrub(lines.length ? drawn.join("\n") : String(context.text));
  }

  /** @param {Node} node */
  function watch(node) {
    if (watched) clearTimeout(watched.timer);
    watched = null;
    if (!(node instanceof Element)) return;
    const field = isEditable(node);
    if (!field && !(node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement)) return;
    watched = { node, text: field ? textOf(node) : /** @type {HTMLInputElement} */ (node).value, timer: setTimeout(written, field ? EDITED_MS : 0) };
  }

  /** Tells what the page made of the last key. */
  function written() {
    if (!watched) return;
    const { node, text, timer } = watched;
    clearTimeout(timer);
    watched = null;
    if (!node.isConnected) return;
    const field = isEditable(node);
    if (!field) nodes.control(node);
    const is = field ? textOf(node) : /** @type {HTMLInputElement} */ (node).value;
    // A field that the page empties has taken what was typed.
    if (is !== text && (field || is)) {
      const t = clock.now();
      nodes.tree();
      stream.at(t);
      const now = edit({ inputType: "settled" }, node);
      write({ t, n: nodes.find(node), trusted: true, url: secrets.scrub(view.location.href), k: "input", ...now });
    }
    stream.schedule();
  }

  /** Editable content as text, without asking for layout. @param {Element} host */
  function editableText(host) {
    const BLOCK = /^(?:address|article|blockquote|div|h[1-6]|li|ol|p|pre|section|table|tr|ul)$/;
    let text = "";
    const walk = (/** @type {Node} */ node) => {
      for (let child = node.firstChild; child && text.length < 100_000; child = child.nextSibling) {
        if (child instanceof Text) text += child.data;
        else if (child instanceof Element) {
          const block = BLOCK.test(child.localName);
          if ((block && text && !text.endsWith("\n")) || child.localName === "br") text += "\n";
          walk(child);
        }
      }
    };
    walk(host);
    return text.replace(/\n$/, "");
  }

  // ---- telling

  /** @param {any} event @param {string} k @param {number} n @param {object} more */
  function fact(event, k, n, more) {
    // An edit in the midst of a click is the page's answer to it, which browsers vouch for all the same.
    const answer = event.inputType && k === "input" && isUnderWay();
    return { t: clock.of(event), n, trusted: !!event.isTrusted && !answer, url: secrets.scrub(view.location.href), k, ...more };
  }

  /** @param {any} told */
  function write(told) {
    stream.at(told.t);
    if (paused && told.k !== "page" && told.k !== "pagehide") return;
    stream.op(W.EVENT, stream.string(JSON.stringify(told)));
  }

  /** @param {Event} event */
  function onEvent(event) {
    // A window's own focus and blur are no one's input.
    if (told.has(event) || (event.target === view && !event.type.startsWith("page") && event.type !== "beforeprint")) return;
    told.add(event);
    noteUnderWay(event);
    if (stage.swallow(event)) return;
    try {
      tell(event);
    } catch (error) {
      // A recorder must never break the page it looks at, nor keep silent of what it missed.
      stumbled(error);
    }
  }

  /** @param {any} event */
  function tell(event) {
    const { type } = event;
    if (!nodes.started()) {
      if (IDLE.has(type)) return;
      nodes.start();
    }
    switch (type) {
      case "readystatechange":
        return event.target === doc ? page(event, doc.readyState) : undefined;
      case "pageshow":
        if (!event.persisted) return;
        link.renew();
        nodes.restart();
        return page(event, "show");
      case "pagehide":
        return hide(event);
      case "beforeprint":
        return page(event, "print");
      case "reset":
        return nodes.stir();
      case "keydown":
        if (typeof event.key !== "string") return; // autofill sends such
    }
    // Typing goes on faster than editors write; what comes next is told after what they wrote.
    if (watched && !(type === "input" || (isEditable(watched.node) && type === "keydown" && event.key.length === 1))) written();
    nodes.tree();
    for (const step of event.composedPath()) {
      if (step instanceof ShadowRoot && !nodes.id(step)) nodes.find(step);
    }
    const node = type === "scroll" || type === "submit" || type === "change" ? event.composedPath()[0] : deepest(event);
    if (!(node instanceof Node)) return;
    if (node instanceof Element) nodes.discover(node);
    const n = nodes.find(node);
    stage.hear(event, node);
    stream.at(clock.of(event));
    if (type === "scroll") scrolled(event, node, n);
    else if (type === "wheel") wheel(event, n);
    else if (type === "keydown") {
      write(fact(event, type, n, key(event, node)));
      contextOf(node);
      watch(node);
    }
    else if (type === "input" || type === "change") {
      const field = type === "input" && node instanceof Element ? host(event, node) : node;
      if (field instanceof Element) {
        if (type === "change" && secrets.has(field)) secrets.settleAll();
        nodes.control(field);
      }
      write(fact(event, type, nodes.find(field), { ...edit(event, field), ...(autofilled(event, field) && { autofill: true }) }));
      if (field instanceof Element && secrets.has(field)) typed(field, type === "change");
      if (type === "input") watch(field);
    } else if (POINTER.includes(type)) {
      write(fact(event, type, n, { ...pointer(event, node), ...(type === "pointerdown" && way(event, node)) }));
    } else if (type === "copy" || type === "cut" || type === "paste") {
      write(fact(event, type, n, clip(event, node)));
    } else {
      if (type === "submit") {
        secrets.settleAll();
        seal();
      }
      if (type === "focus") nodes.focus();
      write(fact(event, type, n, {}));
    }
    nodes.stir();
    // What scripts make up comes in storms; it is no one's click before a navigation.
    if (!event.isTrusted || LAZY.has(type)) return;
    if (URGENT.has(type)) stream.flush();
    else stream.soon();
  }

  /** A secret field changed; what may be told of it is told once it stands. @param {Element} field @param {boolean} stands */
  function typed(field, stands) {
    // What hashes it is long, and seldom needed: by the time that the text stands, it is here.
    if (!secrets.seals()) link.send({ more: true });
    unsealed.add(field);
    clearTimeout(sealing);
    // Where all came at once, as by autofill, what hashes it is still on its way.
    if (stands && secrets.seals()) seal();
    else sealing = setTimeout(seal, SEAL_MS);
  }

  /** Tells class, length and hash of what was typed into secret fields. */
  function seal() {
    clearTimeout(sealing);
    for (const field of unsealed) {
      const n = nodes.find(field);
      if (n) write({ t: clock.now(), n, trusted: true, url: secrets.scrub(view.location.href), k: "secret", ...secrets.seal(field) });
    }
    unsealed.clear();
    const n = copied && nodes.find(copied.node);
    if (copied && n) {
      write({ t: clock.now(), n, trusted: true, url: secrets.scrub(view.location.href), k: "secret", ...secrets.sealText(copied.text, "masked") });
    }
    copied = null;
  }

  /** Elements whose edit context is listened to. @type {WeakSet<object>} */
  const contexts = new WeakSet();

  /** An element with an edit context of its own fires no input events; the context tells. @param {Node} node */
  function contextOf(node) {
    const context = /** @type {any} */ (node).editContext;
    if (!context || contexts.has(context)) return;
    contexts.add(context);
    context.addEventListener("textupdate", (/** @type {any} */ event) => {
      if (stopped || !(node instanceof Element) || !node.isConnected) return;
      nodes.tree();
      stream.at(clock.of(event));
      write(fact(event, "input", nodes.find(node), { ...edit(event, node), input_type: "insertText" }));
      watch(node);
      stream.schedule();
    });
  }

  /** The field that an input event is about. @param {Event} event @param {Element} deep @returns {Node} */
  function host(event, deep) {
    const target = event.composedPath()[0];
    // For editable content the event names its host, not where the caret is.
    return target instanceof Element && !nodes.rootOf(target) ? target : deep;
  }

  /** @param {Event} event @param {string} state */
  function page(event, state) {
    if (state === "loading") return;
    nodes.tree(false);
    write(fact(event, "page", 1, { state }));
    nodes.stir();
    stream.flush();
  }

  /** @param {Event} event */
  function hide(event) {
    written();
    secrets.settleAll();
    seal();
    for (const n of [...wheels.keys()]) turned(n);
    nodes.complete();
    write(fact(event, "pagehide", 1, {}));
    // Without a connection this is the last moment to have one.
    link.connect();
    stream.flush();
    link.leave();
  }

  /** @param {Event} event @param {Node} node @param {number} n */
  function scrolled(event, node, n) {
    const page = node === doc;
    const x = page ? view.scrollX : /** @type {Element} */ (node).scrollLeft;
    const y = page ? view.scrollY : /** @type {Element} */ (node).scrollTop;
    if (!n) return;
    stream.op(W.SCROLL, n, Math.round(x), Math.round(y));
    write(fact(event, "scroll", n, { x, y }));
  }

  /** @param {any} event @param {number} n */
  function wheel(event, n) {
    const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? view.innerHeight : 1;
    const dx = finite(event.deltaX) * scale;
    const dy = finite(event.deltaY) * scale;
    const turning = wheels.get(n);
    if (turning) {
      turning.dx += dx;
      turning.dy += dy;
      turning.fact = fact(event, "wheel", n, {});
      return;
    }
    write(fact(event, "wheel", n, { dx, dy }));
    wheels.set(n, { dx: 0, dy: 0, fact: null, timer: setTimeout(() => turned(n), WHEEL_MS) });
  }

  /** @param {number} n */
  function turned(n) {
    const turning = wheels.get(n);
    wheels.delete(n);
    if (!turning) return;
    clearTimeout(turning.timer);
    if (turning.fact) write({ ...turning.fact, dx: turning.dx, dy: turning.dy });
  }

  // ---- listening

  function listen() {
    for (const type of OUTER) view.addEventListener(type, onEvent, stage.SWALLOWED.has(type) ? active : passive);
    for (const type of PICKED) view.addEventListener(type, onPicked, active);
    view.addEventListener("pointerover", hover.enter, passive);
    nodes.hooks.onReset = listen;
    nodes.hooks.onRoot = (root) => {
      roots.add(root);
      for (const type of INNER) root.addEventListener(type, onEvent, passive);
    };
  }

  /** Says how far the document is, where it was ahead of the sensor. */
  function state() {
    page(new Event("readystatechange"), doc.readyState);
  }

  /** @param {Event} event */
  function onPicked(event) {
    noteUnderWay(event);
    stage.swallow(event);
  }

  function stop() {
    stopped = true;
    if (watched) clearTimeout(watched.timer);
    for (const type of OUTER) view.removeEventListener(type, onEvent, true);
    for (const type of PICKED) view.removeEventListener(type, onPicked, true);
    view.removeEventListener("pointerover", hover.enter, true);
    for (const root of roots) for (const type of INNER) root.removeEventListener(type, onEvent, true);
    for (const { timer } of wheels.values()) clearTimeout(timer);
    clearTimeout(sealing);
  }

  return {
    listen,
    state,
    stop,
    /** Takes a secret out of a fact written before it was known for one; says whether there was any. @param {any} told */
    hush(told) {
      const node = nodes.node(told.n);
      if (!(node instanceof Element) || !secrets.look(node)) return false;
      if (told.k === "keydown" && [...told.key].length === 1) Object.assign(told, { key: "•", code: "", mods: [] });
      if (typeof told.value === "string") Object.assign(told, { value: told.value && W.MASK, secret: true });
      for (const list of ["labels", "values"]) if (told[list]) told[list] = told[list].map(() => W.MASK);
      return true;
    },
    /** While paused no input is told; the mirror goes on. @param {boolean} on */
    pause(on) {
      paused = on;
    },
  };
}
