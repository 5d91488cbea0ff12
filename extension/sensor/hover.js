// @ts-check
"use strict";

/**
 * Where the pointer came from, and what style sheets show only while something is hovered. Both are told with
 * the next press alone: nothing is measured, and nothing said, as long as the pointer only moves.
 * @param {Document} doc
 * @param {{now?(): number, of(event: Event): number}} clock
 */
function createHover(doc, clock) {
  const MOST = 12;
  const RECENT_MS = 15_000;
  const MOST_RULES = 30_000;
  const view = /** @type {Window & typeof globalThis} */ (doc.defaultView);
  /** @typedef {{element: Element, t: number, x: number, y: number}} Entry */
  /** Elements entered since the last press, oldest first. @type {Entry[]} */
  let entered = [];
  /** Selectors of each tree's rules that show something on hover, and what they were read from.
   * @type {WeakMap<Document | ShadowRoot, {of: string, parts: Part[]}>} */
  const read = new WeakMap();
  /**
   * One selector of such a rule: all of it, up to and with the hovered compound, and for one that stands beside
   * what it shows the whole without `:hover`.
   * @typedef {{whole: string, hovered: string, beside: string | null}} Part
   */

  /** @param {any} event */
  function enter(event) {
    const element = event.composedPath()[0];
    if (!event.isTrusted || event.pointerType === "touch" || !(element instanceof Element)) return;
    if (entered.at(-1)?.element === element) return;
    entered.push({ element, t: clock.of(event), x: event.clientX, y: event.clientY });
    if (entered.length > MOST) entered.shift();
  }

  /**
   * For a press: the way there, and pairs of what a style sheet shows and what must be hovered for it.
   * @param {Node} node @param {number} now
   */
  function pressed(node, now) {
    const way = entered.filter(({ element, t }) => element.isConnected && now - t <= RECENT_MS);
    const element = node instanceof Element ? node : node.parentElement;
    const shown = element && way.length > 0 ? showing(element, way) : [];
    entered = entered.slice(-1);
    return { way, shown };
  }

  /** @param {Element} element @param {Entry[]} way @returns {[Element, Element][]} */
  function showing(element, way) {
    /** @type {[Element, Element][]} */
    const found = [];
    for (let from = /** @type {Element | null} */ (element); from; ) {
      const root = from.getRootNode();
      if (!(root instanceof Document || root instanceof ShadowRoot)) break;
      for (const part of rules(root)) {
        for (let at = closest(from, part.whole); at; at = at.parentElement && closest(at.parentElement, part.whole)) {
          const host = at.parentElement && closest(at.parentElement, part.hovered);
          if (host) found.push([at, host]);
        }
        if (!part.beside) continue;
        const at = closest(from, part.beside);
        for (let sibling = at?.previousElementSibling; at && sibling; sibling = sibling.previousElementSibling) {
          const host = sibling;
          if (!way.some((entry) => host.contains(entry.element)) || !matches(host, part.hovered.replaceAll(":hover", ""))) continue;
          found.push([at, host]);
          break;
        }
      }
      from = root instanceof ShadowRoot ? root.host : null;
    }
    // The outermost first: what is within it could not be reached before.
    return found.filter(([, host], i) => found.findIndex(([, other]) => other === host) === i)
      .sort(([, a], [, b]) => (a.contains(b) ? -1 : b.contains(a) ? 1 : 0));
  }

  /** @param {Element} element @param {string} selector */
  function closest(element, selector) {
    try {
      return element.closest(selector);
    } catch {
      return null; // a selector that only some browsers know
    }
  }

  /** @param {Element} element @param {string} selector */
  function matches(element, selector) {
    try {
      return element.matches(selector || "*");
    } catch {
      return false;
    }
  }

  // ---- style sheets

  /** @param {Document | ShadowRoot} root */
  function rules(root) {
    const sheets = [...root.styleSheets, ...(root.adoptedStyleSheets ?? [])];
    let of = "";
    for (const sheet of sheets) of += `${sheet.disabled ? "" : list(sheet).length},`;
    const known = read.get(root);
    if (known?.of === of) return known.parts;
    /** @type {Part[]} */
    const parts = [];
    const budget = { left: MOST_RULES };
    for (const sheet of sheets) if (!sheet.disabled) collect(list(sheet), "", parts, budget);
    read.set(root, { of, parts });
    return parts;
  }

  /** The rules of a sheet; of another origin's none can be read. @param {CSSStyleSheet} sheet @returns {ArrayLike<CSSRule>} */
  function list(sheet) {
    try {
      return sheet.cssRules;
    } catch {
      return [];
    }
  }

  /** @param {ArrayLike<CSSRule>} rules @param {string} parent @param {Part[]} parts @param {{left: number}} budget */
  function collect(rules, parent, parts, budget) {
    for (let i = 0; i < rules.length && budget.left > 0; i++) {
      const rule = /** @type {any} */ (rules[i]);
      budget.left--;
      let selector = parent;
      if (typeof rule.selectorText === "string") {
        selector = rule.selectorText;
        if (parent) selector = selector.includes("&") ? selector.replaceAll("&", `:is(${parent})`) : `:is(${parent}) ${selector}`;
        if (selector.includes(":hover") && shows(rule.style)) for (const one of split(selector)) add(one, parts);
      } else if (rule.media && !view.matchMedia(rule.media.mediaText).matches) {
        continue;
      }
      if (rule.styleSheet) collect(list(rule.styleSheet), "", parts, budget);
      else if (rule.cssRules?.length) collect(rule.cssRules, selector, parts, budget);
    }
  }

  /** Declarations that can bring something to light. @param {CSSStyleDeclaration} style */
  function shows(style) {
    const { display, visibility, opacity, maxHeight, height, pointerEvents, clipPath, transform } = style;
    return (display !== "" && display !== "none") || visibility === "visible" || visibility === "inherit" ||
      Number.parseFloat(opacity) > 0 || pointerEvents === "auto" || pointerEvents === "all" ||
      [maxHeight, height].some((size) => size !== "" && Number.parseFloat(size) !== 0) || (clipPath !== "" && clipPath !== undefined) ||
      /^none$|translate|scale/.test(transform) || style.left !== "" || style.right !== "" || style.top !== "" || style.bottom !== "";
  }

  /** Selectors of a list, parted at its commas. @param {string} selector */
  function split(selector) {
    const ends = outside(selector, ",");
    return [...ends, selector.length].map((end, i) => selector.slice(i ? /** @type {number} */ (ends[i - 1]) + 1 : 0, end).trim());
  }

  /** Where characters stand outside of brackets and quotes. @param {string} text @param {string} wanted */
  function outside(text, wanted) {
    const at = [];
    let depth = 0;
    let quote = "";
    for (let i = 0; i < text.length; i++) {
      const c = /** @type {string} */ (text[i]);
      if (c === "\\") i++;
      else if (quote) quote = c === quote ? "" : quote;
      else if (c === '"' || c === "'") quote = c;
      else if (c === "(" || c === "[") depth++;
      else if (c === ")" || c === "]") depth--;
      else if (depth === 0 && wanted.includes(c)) at.push(i);
    }
    return at;
  }

  /** @param {string} selector @param {Part[]} parts */
  function add(selector, parts) {
    const breaks = [...outside(selector, " >+~"), selector.length];
    let from = 0;
    for (const end of breaks) {
      const compound = selector.slice(from, end);
      const rest = selector.slice(end).trim();
      // What is hovered itself is shown already; `:has(…:hover)` and `:not(:hover)` say something else.
      if (rest && compound.replace(/\([^]*\)/, (inner) => (compound.startsWith(":is") ? inner : "")).includes(":hover")) {
        const beside = /^[+~]/.test(rest) ? selector.slice(0, end).replaceAll(":hover", "") + selector.slice(end) : null;
        parts.push({ whole: selector, hovered: selector.slice(0, end), beside });
      }
      from = end + 1;
    }
  }

  return { enter, pressed };
}
