// @ts-check
"use strict";

/** A name as words with one space between. @param {string} name */
function wordsOf(name) {
  return name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ").trim().toLowerCase();
}

/** @param {string} text */
function encoded(text) {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // a lone surrogate
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Secret values: what they are, where they show, and how they are kept from leaving the page.
 * @param {Document} doc
 */
function createSecrets(doc) {
  const SHORTEST = 4;
  const RECENT_MS = 1500;
  const MOST = 64;
  const WORD = new RegExp(`(?:^| )(?:${W.SECRET_WORDS})(?: |$)`);
  const NAME = new RegExp(`^(?:${W.SECRET_NAMES})$`);
  const PARAMETER = /([?&#;])([^=&#;?\s"'<>\\]{1,80})=([^&#;"'\s\\<>]+)/g;
  const CREDENTIALS = /(:\/\/)[^\s/?#"'<>\\]+@/g;
  /** Text a person can type. */
  const LINE = /^(?:text|tel|number|search|url|email|password|)$/;
  /** Attributes of a masked region that say what it is and not what it shows. */
  const KEPT = /^(?:class|id|role|type|name|for|tabindex|lang|dir|hidden|disabled|checked|selected|open|data-testid|data-test|data-tracerule-.*|aria-(?:hidden|expanded|checked|selected|disabled|busy|live|modal|pressed|level|haspopup|controls|labelledby|describedby|owns))$/;
  /** Attributes that make any element secret. */
  const MARKS = ["autocomplete", "data-tracerule-secret", "data-tracerule-mask"];
  /** Attributes by which a field may be secret. */
  const NAMING = new Set(["type", "name", "id", "aria-label", "placeholder", "maxlength", "inputmode", "pattern"]);
  /** Fields that ever matched. @type {WeakSet<Element>} */
  const known = new WeakSet();
  /** Their names and ids: what takes the place of one is secret, too. @type {Set<string>} */
  const names = new Set();
  /** Those still in the document, with the value last seen. @type {Map<HTMLInputElement, string>} */
  const fields = new Map();
  /** Values that were left standing. @type {Set<string>} */
  const settled = new Set();
  /** Values typed over a moment ago: the page may still be about to show them. @type {{value: string, t: number}[]} */
  let recent = [];
  /** Elements whose text showed a secret. @type {Set<Element>} */
  const exposed = new Set();
  /** Regions in which all is secret. @type {Set<Element>} */
  const regions = new Set();
  /** @type {string[]} */
  let needles = [];
  /** @type {string} */
  let region = W.MASK_SELECTOR;
  let secret = `${W.SECRET_SELECTOR},${region}`;
  /** The person added selectors, which may name anything. */
  let custom = false;
  let salt = "";
  /** Hashes what was typed, see seal.js. @type {typeof sealed | undefined} */
  let hash;
  /** Names of fields of pages before, in lower case: secret ones, and hidden ones. @type {Set<string>} */
  let sent = new Set();
  /** @type {Set<string>} */
  let carried = new Set();

  function refresh() {
    const all = new Set();
    const boxes = [];
    for (const [field, value] of fields) if (field.maxLength === 1) boxes.push(value);
    for (const value of [...settled, ...fields.values(), ...recent.map((r) => r.value), boxes.join("")]) {
      if (value.length < SHORTEST || value === W.MASK) continue;
      all.add(value);
      const url = encoded(value);
      all.add(url);
      all.add(url.replaceAll("%20", "+"));
      all.add(value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"));
      all.add(JSON.stringify(value).slice(1, -1));
    }
    needles = [...all].sort((a, b) => b.length - a.length);
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

  // ---- what is secret

  /** Lies in a masked region. @param {Node | null} node */
  function covers(node) {
    if (regions.size === 0) return false;
    for (let up = node; up; up = up.parentNode ?? /** @type {any} */ (up).host ?? null) {
      if (regions.has(/** @type {Element} */ (up))) return true;
    }
    return false;
  }

  /** A box of one character among several: a code in parts. @param {HTMLInputElement} field */
  function isBox(field) {
    if (field.maxLength !== 1 || !(/^(?:tel|number)$/.test(field.type) || /num|dec/.test(field.inputMode) || /\\d|0-9/.test(field.pattern))) return false;
    const group = field.parentElement?.parentElement ?? field.parentElement;
    return (group?.querySelectorAll('input[maxlength="1"]').length ?? 0) >= SHORTEST;
  }

  /** Secret by what it is called. @param {Element} element */
  function named(element) {
    if (!(element instanceof HTMLInputElement) || !LINE.test(element.type)) return false;
    const { name, id, maxLength } = element;
    if ((name && names.has(name)) || (id && names.has(id)) || isBox(element)) return true;
    const called = [name, id, element.getAttribute("aria-label") ?? "", element.placeholder].map(wordsOf);
    if (called.some((text) => text && WORD.test(text))) return true;
    return maxLength >= SHORTEST && maxLength <= 8 && (/num/.test(element.inputMode) || /\\d|0-9/.test(element.pattern)) &&
      called.some((text) => /(?:^| )(?:code|pin|tan)(?: |$)/.test(text));
  }

  /** Whether the element's value must not leave; asked whenever its attributes may have changed. @param {Element} element */
  function check(element) {
    if (known.has(element)) return true;
    // Almost no element is; asking for the whole selector takes long.
    const likely = custom || element.localName === "input" || MARKS.some((name) => element.hasAttribute(name));
    const matched = likely && element.matches(secret);
    if (!matched && !named(element) && !covers(element)) return false;
    keep(element, matched);
    return true;
  }

  /** @param {Element} element @param {boolean} [matched] */
  function keep(element, matched = false) {
    known.add(element);
    const { name, id, type } = /** @type {HTMLInputElement} */ (element);
    if (!(element instanceof HTMLInputElement)) {
      if (matched && !(element instanceof HTMLSelectElement)) regions.add(element);
    } else if (type !== "hidden") {
      if (name) names.add(name);
      if (id) names.add(id);
    }
  }

  /** The same for a field that is looked at closely: its value may be hidden by style, or be one of a secret field that it replaced. @param {Element} element */
  function look(element) {
    if (check(element)) return true;
    if (!(element instanceof HTMLElement)) return false;
    const { value } = /** @type {HTMLInputElement} */ (element);
    const same = typeof value === "string" && value.length >= SHORTEST && (settled.has(value) || recent.some((r) => r.value === value) || [...fields.values()].includes(value));
    const style = /** @type {any} */ (doc.defaultView?.getComputedStyle(element));
    if (!same && !/disc|circle|square/.test(style?.webkitTextSecurity ?? "")) return false;
    keep(element);
    return true;
  }

  /** Reads the field's value, so that it is known wherever else it shows. @param {Element} element */
  function note(element) {
    const field = /** @type {HTMLInputElement} */ (element);
    const value = typeof field.value === "string" ? field.value : "";
    // What forms carry along is often a plain word; that would be found everywhere.
    if (field.type === "hidden" && !random(value)) return;
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

  /** Takes secrets out of a text that leaves the page: known values, and what an address holds under a secret's name. @param {string} text */
  function scrub(text) {
    if (text.includes("=")) text = text.replace(PARAMETER, parameter);
    if (text.includes("@")) text = text.replace(CREDENTIALS, `$1${W.MASK}@`);
    if (needles.length === 0 || text.length < SHORTEST) return text;
    for (const needle of needles) if (text.includes(needle)) text = text.replaceAll(needle, W.MASK);
    return text;
  }

  /** Long, and not only letters: made by a machine. @param {string} value */
  const random = (value) => value.length >= 8 && /\d/.test(value) && !/\s/.test(value);

  /** @param {string} all @param {string} lead @param {string} name @param {string} value */
  function parameter(all, lead, name, value) {
    if (value === W.MASK) return all;
    const plain = decoded(name);
    const words = wordsOf(plain);
    const field = names.has(plain) || sent.has(plain.toLowerCase());
    if (!field && !WORD.test(words) && !NAME.test(words) && !(carried.has(plain.toLowerCase()) && random(value))) return all;
    const known = decoded(value.replaceAll("+", " "));
    if ((field || random(known)) && known.length >= SHORTEST && !settled.has(known)) {
      settle(known);
      refresh();
    }
    return `${lead}${name}=${W.MASK}`;
  }

  // ---- what is kept of one

  /** @param {Element} element */
  function classOf(element) {
    const { type, name, id, autocomplete, placeholder } = /** @type {HTMLInputElement} */ (element);
    const about = wordsOf([type, autocomplete, name, id, placeholder].join(" "));
    if (/passw|pwd|passphrase|secret|token/.test(about)) return "password";
    if (/(?:^| )(?:cc|card|cvc|cvv|csc)/.test(about)) return "card";
    if (/one time|otp|code|pin(?: |$)/.test(about) || /** @type {any} */ (element).maxLength === 1) return "code";
    return "masked";
  }

  /**
   * How many hexadecimal digits of a hash leave a thousand texts of this length and alphabet that it fits: so it
   * tells whether two are the same, and not what a short one was.
   * @param {string} text
   */
  function digits(text) {
    const alphabet = [[/\d/, 10], [/[a-z]/, 26], [/[A-Z]/, 26], [/[^\da-zA-Z]/, 33]].reduce((all, [kind, size]) => all + (/** @type {RegExp} */ (kind).test(text) ? Number(size) : 0), 0);
    return Math.max(0, Math.min(32, Math.floor(([...text].length * Math.log2(alphabet) - 10) / 4)));
  }

  return {
    /** Whether an attribute of that name can make its element secret. @param {string} name */
    depends: (name) => custom || NAMING.has(name) || MARKS.includes(name),
    check,
    look,
    note,
    covers,
    /** @param {Element} element */
    has: (element) => known.has(element),
    /** What may be told of an element's text in a masked region. @param {Element} element @param {string} name @param {string} value */
    attribute: (element, name, value) => (covers(element) && value !== "" && !KEPT.test(name) ? W.MASK : value),
    /**
     * What the person wants hidden, and the session's salt. Returns how to take it out of what was written before.
     * @param {{mask?: string[], salt?: string, names?: string[], hidden?: string[]}} told
     */
    configure(told) {
      salt = told.salt ?? "";
      sent = new Set(told.names);
      carried = new Set(told.hidden);
      const added = (told.mask ?? []).filter((selector) => {
        try {
          return doc.createDocumentFragment().querySelector(selector) === null;
        } catch {
          return false; // the hub refuses such
        }
      });
      if (added.length === 0) return null;
      region = [region, ...added].join(",");
      custom = true;
      secret = `${W.SECRET_SELECTOR},${region}`;
      return region;
    },
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
      regions.delete(element);
      const value = fields.get(/** @type {HTMLInputElement} */ (element));
      if (value === undefined) return;
      settle(value);
      fields.delete(/** @type {HTMLInputElement} */ (element));
      refresh();
    },
    scrub,
    /** @param {string} text @param {Element | null} element */
    watch(text, element) {
      if (element && needles.length && needles.some((needle) => text.includes(needle))) exposed.add(element);
    },
    /** Whether it can be hashed. */
    seals: () => hash !== undefined,
    /** @param {typeof sealed} made */
    equip: (made) => void (hash = made),
    /** Class, length and hash of a secret field's value. @param {Element} element */
    seal(element) {
      const { value } = /** @type {any} */ (element);
      return this.sealText(typeof value === "string" ? value : element.textContent ?? "", classOf(element));
    },
    /** @param {string} text @param {string} kind */
    sealText(text, kind) {
      const kept = salt && hash ? digits(text) : 0;
      return { class: kind, length: [...text].length, hash: kept && hash ? hash(text, salt).slice(0, kept) : "", salt };
    },
    /** Every element in the document that shows a secret. @returns {Element[]} */
    places: () => [...fields.keys(), ...exposed, ...regions],
  };
}
