// @ts-check
"use strict";

/**
 * What is put on the page: perturbations, and the pointer for picking. No attribute of the page is ever
 * changed; the pop-up is the only node of ours that the mirror sees.
 * @param {Document} doc
 * @param {{nodes: ReturnType<typeof createNodes>, stream: ReturnType<typeof createStream>, tell(message: object): void,
 *   SWALLOWED: Set<string>, busy(): boolean}} parts of stage.js
 */
function createStaging(doc, { nodes, stream, tell, SWALLOWED, busy }) {
  const LARGEST_PX = 8;
  const SMALLEST_PX = 0.5;
  const PATIENCE_MS = 2000;
  const INTERACTIVE =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,label,[contenteditable=''],[contenteditable=true],[tabindex]," +
    "[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option],[role=combobox],[role=slider]";
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  /** @type {Map<Element, Animation>} */
  const shifted = new Map();
  /** @type {Animation | null} */
  let coloured = null;
  /** @type {(() => void) | null} */
  let closePopup = null;

  /** Waits until nothing is held or typed; false if that takes too long. */
  async function calm() {
    for (const until = performance.now() + PATIENCE_MS; busy(); ) {
      if (performance.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
  }

  // ---- jitter

  /** @param {Element} element @param {object} frame @param {object} [more] */
  function animate(element, frame, more) {
    // Firefox keeps our objects from the page's own methods unless they are cloned over.
    const share = /** @type {any} */ (globalThis).cloneInto;
    const clone = (/** @type {any} */ value) => (share ? share(value, view) : value);
    const animation = element.animate(clone([frame]), clone({ duration: 1, fill: "forwards", ...more }));
    animation.finish();
    animation.persist?.();
    return animation;
  }

  /** @typedef {{left: number, top: number, right: number, bottom: number, width: number, height: number}} Sides */

  /** @param {Sides} a @param {Sides} b */
  const overlap = (a, b) =>
    Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

  /** @param {Sides} a @param {Sides} b */
  const gap = (a, b) =>
    Math.hypot(Math.max(0, a.left - b.right, b.left - a.right), Math.max(0, a.top - b.bottom, b.top - a.bottom));

  /** @param {Sides} box */
  const inside = (box) => box.left >= 0 && box.top >= 0 && box.right <= view.innerWidth && box.bottom <= view.innerHeight;

  /** @param {Sides} box @param {Element} element */
  function hitAtCentre(box, element) {
    const hit = hitTest(doc, nodes, (box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return hit !== null && lands(nodes, element, hit);
  }

  /** @param {[number, number, number][]} shifts */
  async function jitter(shifts) {
    if (!(await calm())) return { realised: shifts.map(([n]) => [n, 0, 0]) };
    /** @type {Map<Element, Sides>} */
    const others = new Map();
    for (const node of nodes.all().values()) {
      if (!(node instanceof Element) || !node.matches(INTERACTIVE)) continue;
      const box = node.getBoundingClientRect();
      if (box.width > 0 && box.height > 0) others.set(node, box);
    }
    return { realised: shifts.map(([n, dx, dy]) => [n, ...shift(nodes.node(n), dx, dy, others)]) };
  }

  /** Shifts as far as the gates allow. @param {Node | undefined} element @param {number} dx @param {number} dy @param {Map<Element, Sides>} others */
  function shift(element, dx, dy, others) {
    if (!(element instanceof HTMLElement || element instanceof SVGElement) || !element.isConnected) return [0, 0];
    shifted.get(element)?.cancel();
    shifted.delete(element);
    const base = element.getBoundingClientRect();
    if (base.width === 0 || base.height === 0) return [0, 0];
    const inView = inside(base);
    if (inView && !hitAtCentre(base, element)) return [0, 0];
    const near = [...others].filter(([other]) => !within(nodes, other, element) && !within(nodes, element, other));
    let limit = LARGEST_PX;
    for (const [, box] of near) if (overlap(base, box) === 0) limit = Math.min(limit, gap(base, box) / 4);
    while (Math.hypot(dx, dy) > limit) [dx, dy] = [dx / 2, dy / 2];
    for (; Math.max(Math.abs(dx), Math.abs(dy)) >= SMALLEST_PX; [dx, dy] = [dx / 2, dy / 2]) {
      const animation = animate(element, { translate: `${dx}px ${dy}px` }, { composite: "add" });
      const now = element.getBoundingClientRect();
      const real = [Math.round((now.x - base.x) * 100) / 100, Math.round((now.y - base.y) * 100) / 100];
      const moved = real[0] !== 0 || real[1] !== 0;
      const sound = !inView || (inside(now) && hitAtCentre(now, element));
      if (moved && sound && near.every(([, box]) => overlap(now, box) <= overlap(base, box))) {
        shifted.set(element, animation);
        if (others.has(element)) others.set(element, now);
        return real;
      }
      animation.cancel();
      if (!moved) break; // inline boxes cannot be shifted
    }
    return [0, 0];
  }

  // ---- colours

  /** @param {string} filter */
  function colors(filter) {
    coloured?.cancel();
    coloured = filter && doc.documentElement ? animate(doc.documentElement, { filter }) : null;
    return {};
  }

  // ---- pop-up

  /**
   * A tree of elements in a closed root, styled without a style sheet: no page's CSP forbids that.
   * @param {Element} parent
   * @param {string} style
   */
  function island(parent, style) {
    const host = doc.createElement("div");
    host.style.cssText = style;
    const root = host.attachShadow({ mode: "closed" });
    nodes.own.set(host, root);
    return { host, root, show: () => parent.append(host) };
  }

  /**
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag @param {string} style @param {string} [text]
   */
  function make(tag, style, text) {
    const element = doc.createElement(tag);
    element.style.cssText = style;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /** @param {string} id @param {{title: string, body: string, stay: string, leave: string}} texts */
  async function popup(id, texts) {
    // It takes the focus: what is held or being typed would go astray.
    if (!(await calm())) return { node: 0 };
    const parent = doc.body ?? doc.documentElement;
    if (!parent || closePopup) return { node: 0 };
    const { host, root, show } = island(parent, "color-scheme: light dark; pointer-events: auto; visibility: visible; opacity: 1;");
    const font = "font: 15px/1.45 system-ui, sans-serif; color: CanvasText; letter-spacing: normal; text-align: start; text-transform: none;";
    const dialog = make("dialog", `${font} background: Canvas; border: 1px solid GrayText; border-radius: 10px; padding: 20px 22px;
      max-width: min(400px, calc(100vw - 32px)); box-sizing: border-box; margin: auto; box-shadow: 0 8px 40px rgb(0 0 0 / .45);`);
    const title = make("h2", `${font} font-size: 18px; font-weight: 600; margin: 0 0 8px;`, texts.title);
    const body = make("p", `${font} margin: 0 0 18px;`, texts.body);
    const row = make("div", "display: flex; flex-wrap: wrap; gap: 10px; justify-content: flex-end;");
    const button = "font: 15px/1.2 system-ui, sans-serif; padding: 10px 16px; min-height: 40px; border-radius: 7px; cursor: pointer;";
    const leave = make("button", `${button} background: ButtonFace; color: ButtonText; border: 1px solid GrayText;`, texts.leave);
    const stay = make("button", `${button} background: light-dark(#1d5fd1, #8db8ff); color: light-dark(#fff, #0b1a33); border: 1px solid transparent;`, texts.stay);
    title.id = "title";
    body.id = "body";
    leave.type = stay.type = "button";
    dialog.setAttribute("role", "alertdialog");
    dialog.setAttribute("aria-modal", "true");
    dialog.setAttribute("aria-labelledby", "title");
    dialog.setAttribute("aria-describedby", "body");
    row.append(leave, stay);
    dialog.append(title, body, row);
    root.append(dialog);

    const before = /** @type {HTMLElement | null} */ (deepActive(doc, nodes));
    let shows = 0;
    const open = () => {
      shows += 1;
      show();
      // In the top layer and modal: it stands above the page's own dialogs, and the rest of the page is inert.
      dialog.showModal();
      stay.focus();
    };
    // A page that clears its body takes the pop-up with it; it is not answered by that.
    const watch = new MutationObserver(() => {
      if (!host.isConnected && shows < 4 && (doc.body ?? doc.documentElement)) open();
    });
    const close = () => {
      closePopup = null;
      watch.disconnect();
      dialog.close();
      host.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
    const answer = (/** @type {"stay" | "leave"} */ dismissed) => {
      if (closePopup !== close) return;
      close();
      nodes.complete();
      stream.flush();
      tell({ popup: { id, dismissed } });
      if (dismissed === "leave") view.location.reload();
    };
    stay.addEventListener("click", () => answer("stay"));
    leave.addEventListener("click", () => answer("leave"));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      answer("stay");
    });
    root.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== "Escape") return;
      event.preventDefault();
      answer("stay");
    });
    // What happens in it is none of the page's business.
    for (const type of ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "dblclick", "keydown", "keyup", "focusin", "focusout"]) {
      root.addEventListener(type, (event) => event.stopPropagation());
    }
    closePopup = close;
    open();
    watch.observe(doc, { childList: true, subtree: true });
    nodes.complete();
    return { node: nodes.id(host) };
  }

  // ---- picking

  /** @type {{settle(node: number): void, chosen: number} | null} */
  let picker = null;
  const MOVES = ["pointermove", "touchstart", "touchend"];

  /** Keeps the event from the page and the record while the person points. @param {any} event @returns {boolean} */
  function swallow(event) {
    if (!picker || !(SWALLOWED.has(event.type) || /^mouse|^key|^touch|^pointer/.test(event.type))) return false;
    const { type } = event;
    if (type === "keydown" || type === "keyup") {
      if (event.key !== "Escape") return false;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (type === "keydown") picker.chosen = 0;
      else picker.settle(0);
      return true;
    }
    if (event.cancelable) event.preventDefault();
    event.stopImmediatePropagation();
    if (type === "pointerdown") picker.chosen = nodes.id(hitTest(doc, nodes, event.clientX, event.clientY));
    // Touch and disabled fields may never click.
    if (type === "pointerup" && picker.chosen) {
      const { settle, chosen } = picker;
      setTimeout(() => settle(chosen), 300);
    }
    if (type === "click" || type === "auxclick" || type === "contextmenu") picker.settle(picker.chosen);
    return true;
  }

  /** @returns {Promise<{node: number}>} */
  function pick() {
    pickCancel();
    const { host, root, show } = island(doc.documentElement, "position: fixed; inset: 0; pointer-events: none; z-index: 2147483647;");
    const outline = make("div", `position: fixed; display: none; box-sizing: border-box; pointer-events: none;
      border: 2px solid #1d5fd1; background: rgb(29 95 209 / .14); border-radius: 3px;`);
    root.append(outline);
    nodes.ignored.add(host);
    show();
    return new Promise((resolve) => {
      /** @param {any} event */
      const move = (event) => {
        if (event.type !== "pointermove") return swallow(event);
        const hit = hitTest(doc, nodes, event.clientX, event.clientY);
        const box = hit?.getBoundingClientRect();
        outline.style.display = box && nodes.id(hit) ? "block" : "none";
        if (box) Object.assign(outline.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });
      };
      const leave = () => (outline.style.display = "none");
      const settle = (/** @type {number} */ node) => {
        if (picker?.settle !== settle) return;
        picker = null;
        for (const type of MOVES) view.removeEventListener(type, move, true);
        doc.documentElement?.removeEventListener("pointerleave", leave);
        host.remove();
        resolve({ node });
      };
      picker = { settle, chosen: 0 };
      for (const type of MOVES) view.addEventListener(type, move, { capture: true, passive: false });
      doc.documentElement?.addEventListener("pointerleave", leave);
    });
  }

  function pickCancel() {
    picker?.settle(0);
    return {};
  }

  /** Takes everything back. */
  function restore() {
    for (const animation of shifted.values()) animation.cancel();
    shifted.clear();
    colors("");
    closePopup?.();
    pickCancel();
    return {};
  }

  return { swallow, jitter, colors, popup, pick, pickCancel, restore };
}

/** @type {any} */ (globalThis).traceruleSensor?.equip({ sealed, createHands, createStaging });
