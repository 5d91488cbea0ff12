// @ts-check
"use strict";

/**
 * Secret values: what they are, where they show, and how they are kept from leaving the page.
 */
function createSecrets() {
  const SHORTEST = 4;
  const RECENT_MS = 1500;
  const MOST = 64;
  /** Fields that ever matched. @type {WeakSet<Element>} */
  const known = new WeakSet();
  /** Those still in the document, with the value last seen. @type {Map<HTMLInputElement, string>} */
  const fields = new Map();
  /** Values that were left standing. @type {Set<string>} */
  const settled = new Set();
  /** Values typed over a moment ago: the page may still be about to show them. @type {{value: string, t: number}[]} */
  let recent = [];
  /** Elements whose text showed a secret. @type {Set<Element>} */
  const exposed = new Set();
  /** @type {string[]} */
  let needles = [];

  function refresh() {
    const all = new Set();
    for (const value of [...settled, ...fields.values(), ...recent.map((r) => r.value)]) {
      if (value.length < SHORTEST || value === W.MASK) continue;
      all.add(value);
      const url = encode(value);
      all.add(url);
      all.add(url.replaceAll("%20", "+"));
      all.add(value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"));
      all.add(JSON.stringify(value).slice(1, -1));
    }
    needles = [...all].sort((a, b) => b.length - a.length);
  }

  /** @param {string} value */
  function encode(value) {
    try {
      return encodeURIComponent(value);
    } catch {
      return value; // a lone surrogate
    }
  }

  /** @param {string} value */
  function settle(value) {
    if (value.length < SHORTEST) return;
    settled.delete(value);
    settled.add(value);
    for (const oldest of settled) {
      if (settled.size <= MOST) break;
      settled.delete(oldest);
    }
  }

  /** Whether the element's value must not leave; asked whenever its type or autocomplete may have changed. @param {Element} element */
  function check(element) {
    if (known.has(element)) return true;
    // Almost no element is; asking for the whole selector takes long.
    if (element.localName !== "input" && !element.hasAttribute("autocomplete") && !element.hasAttribute("data-tracerule-secret")) return false;
    if (!element.matches(W.SECRET_SELECTOR)) return false;
    known.add(element);
    return true;
  }

  /** Reads the field's value, so that it is known wherever else it shows. @param {Element} element */
  function note(element) {
    const field = /** @type {HTMLInputElement} */ (element);
    const value = typeof field.value === "string" ? field.value : "";
    const before = fields.get(field);
    if (before === value) return;
    fields.set(field, value);
    if (before) {
      const t = performance.now();
      recent = recent.filter((r) => t - r.t < RECENT_MS);
      recent.push({ value: before, t });
      // Typing on lengthens the value; whatever else replaces one ends it.
      if (!value.startsWith(before)) settle(before);
    }
    refresh();
  }

  return {
    /** Whether an attribute of that name can make its element secret. @param {string} name */
    depends: (name) => name === "type" || name === "autocomplete" || name.startsWith("data-tracerule"),
    check,
    note,
    /** @param {Element} element */
    has: (element) => known.has(element),
    noteAll() {
      for (const field of fields.keys()) note(field);
      if (recent.length && performance.now() - recent[recent.length - 1].t > RECENT_MS) {
        recent = [];
        refresh();
      }
    },
    /** The values now stand: committed, submitted, left. */
    settleAll() {
      for (const value of fields.values()) settle(value);
      refresh();
    },
    /** @param {Element} element */
    forget(element) {
      exposed.delete(element);
      const value = fields.get(/** @type {HTMLInputElement} */ (element));
      if (value === undefined) return;
      settle(value);
      fields.delete(/** @type {HTMLInputElement} */ (element));
      refresh();
    },
    /** @param {string} text */
    scrub(text) {
      if (needles.length === 0 || text.length < SHORTEST) return text;
      for (const needle of needles) if (text.includes(needle)) text = text.replaceAll(needle, W.MASK);
      return text;
    },
    /** @param {string} text @param {Element | null} element */
    watch(text, element) {
      if (element && needles.length && needles.some((needle) => text.includes(needle))) exposed.add(element);
    },
    /** Every element in the document that shows a secret. @returns {Element[]} */
    places: () => [...fields.keys(), ...exposed],
  };
}
