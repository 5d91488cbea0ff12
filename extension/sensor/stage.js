// @ts-check
"use strict";

/**
 * What may be put on the page, as far as every frame needs it: what the person is doing, and what of it is kept from
 * the page while they point at an element. The rest, staging.js, is put in when there is something to stage.
 * @param {Document} doc
 * @param {{nodes: ReturnType<typeof createNodes>, stream: ReturnType<typeof createStream>, tell(message: object): void}} parts
 */
function createStage(doc, parts) {
  const TYPING_MS = 500;
  const HELD_MS = 10_000;
  const SWALLOWED = new Set(["pointerdown", "pointerup", "click", "auxclick", "dblclick", "contextmenu", "dragstart", "keydown"]);
  /** @type {ReturnType<typeof createStaging> | undefined} */
  let staging;
  let downAt = -Infinity;
  let typedAt = -Infinity;
  let composing = false;

  /** Takes note of what the person is doing. @param {Event} event @param {Node} node */
  function hear(event, node) {
    switch (event.type) {
      case "pointerdown": downAt = performance.now(); break;
      case "pointerup": case "pointercancel": case "drop": downAt = -Infinity; break;
      case "compositionstart": composing = true; break;
      case "compositionend": composing = false; break;
      case "keydown": case "input":
        if (isEditable(node)) typedAt = performance.now();
    }
  }

  /** Something is held or being typed: nothing may move. */
  function busy() {
    const t = performance.now();
    return composing || t - downAt < HELD_MS || t - typedAt < TYPING_MS;
  }

  return {
    SWALLOWED,
    hear,
    /** @param {typeof createStaging} make */
    equip(make) {
      staging ??= make(doc, { ...parts, SWALLOWED, busy });
    },
    /** Keeps the event from the page and the record while the person points. @param {Event} event */
    swallow: (event) => staging !== undefined && staging.swallow(event),
    /** What stages; an error says that it is not here. */
    get full() {
      if (!staging) throw new Error("what stages is not in this page yet: try again");
      return staging;
    },
    /** Takes everything back. */
    restore: () => staging?.restore() ?? {},
    pickCancel: () => staging?.pickCancel() ?? {},
  };
}
