// @ts-check
"use strict";

/**
 * What the mirror knows of a node. `open`: its children are not written yet; `dirty`: names of attributes to be written,
 * seldom more than one.
 * @typedef {{id: number, node: Node, up: Known | null, open: boolean, dirty: string | Set<string> | null}} Known
 */

/**
 * Nodes' numbers, kept on the nodes under a key of ours: of a content script's properties a page sees nothing, and a
 * weak map of a large document takes as long as all else that is done with it. Firefox's wrappers are slower that way.
 * @returns {{get(node: Node): Known | undefined, has(node: Node): boolean, set(node: Node, known: Known): void, delete(node: Node): void}}
 */
function createKnown() {
  if ("mozInnerScreenX" in window) return new WeakMap();
  const KEY = Symbol("node");
  return {
    get: (/** @type {any} */ node) => node[KEY],
    has: (/** @type {any} */ node) => node[KEY] !== undefined,
    set(/** @type {any} */ node, known) {
      node[KEY] = known;
    },
    delete(/** @type {any} */ node) {
      node[KEY] = undefined;
    },
  };
}

/** Nodes by number: a map for numbers given in order. */
function createNumbers() {
  /** @type {(Node | undefined)[]} */
  let all = [];
  return {
    get: (/** @type {number} */ id) => all[id],
    set(/** @type {number} */ id, /** @type {Node} */ node) {
      all[id] = node;
    },
    delete(/** @type {number} */ id) {
      all[id] = undefined;
    },
    clear() {
      all = [];
    },
    /** @returns {Generator<[number, Node]>} */
    *[Symbol.iterator]() {
      for (let id = 0; id < all.length; id++) {
        const node = all[id];
        if (node) yield [id, node];
      }
    },
    *values() {
      for (const [, node] of this) yield node;
    },
  };
}

/**
 * The replica's source: numbers for nodes, and operations that bring the mirror to the document's state.
 *
 * Mutation records only tell which nodes to look at; what is written is the document as it is when they are
 * read. A known parent whose children are not written yet is `open`; a snapshot and a large insertion are
 * written parent by parent, and whatever changes within an open parent meanwhile is seen when its turn comes.
 * @param {Document} doc
 * @param {{clock: {now(): number}, secrets: ReturnType<typeof createSecrets>, stream: ReturnType<typeof createStream>,
 *   shadow(element: Element, passing?: boolean): ShadowRoot | null}} parts
 */
function createNodes(doc, { clock, secrets, stream, shadow }) {
  const SLICE = 1500;
  const POLL_MS = 250;
  /** Attributes that a person sees. */
  const SHOWN = new Set(["placeholder", "value", "alt", "label"]);
  const FIELD = new Set(["input", "textarea", "select"]);
  /** So long may a node be away before the timer tells that it is gone; less than what counts as quiet. */
  const AWAY_MS = 80;
  /** So many fields are looked at when the timer asks; all before an answer. */
  const FIELDS = 200;
  let known = createKnown();
  let byId = createNumbers();
  let last = 0;
  /** @type {Node[]} */
  let stack = [];
  /** Nodes of the records being read that are in the document. @type {Set<Node>} */
  let pending = new Set();
  /** Elements with attributes to be written. @type {Known[]} */
  let dirtyAttributes = [];
  /** @type {Set<CharacterData>} */
  let dirtyData = new Set();
  let dirtyAt = NaN;
  /** Known nodes that left the document and may come back before the stream is complete. @type {Set<Node>} */
  let gone = new Set();
  let goneAt = NaN;
  /** Since when there are any. */
  let goneSince = NaN;
  /** Known parents outside the document that got children there. @type {Set<Node>} */
  let grown = new Set();
  /** @type {Set<Element>} */
  let controls = new Set();
  /** Whose turn it is to be looked at. @type {Iterator<Element>} */
  let turn = controls.values();
  /** @type {WeakMap<Element, string | number>} */
  let lastValue = new WeakMap();
  /** @type {WeakMap<Element, boolean>} */
  let lastSelected = new WeakMap();
  /** Elements that show another document. @type {Set<Element>} */
  let frames = new Set();
  /** @type {WeakMap<Element, string>} */
  let frameTokens = new WeakMap();
  /** Frame elements whose document is known before they are. @type {Set<Element>} */
  const strays = new Set();
  /** Custom elements not defined yet, which may still grow a shadow root. @type {Set<Element>} */
  let unborn = new Set();
  /** @type {WeakSet<Node>} */
  const ignored = new WeakSet();
  /** Roots that we made ourselves. @type {WeakMap<Element, ShadowRoot>} */
  const own = new WeakMap();
  /** @type {string | null} */
  let lastNamespace = null;
  /** @type {number} */
  let lastNs = W.NS.OTHER;
  let focused = 0;
  let polled = 0;
  let active = false;
  let snapshot = false;
  let stopped = false;
  /** Called when the document lost its listeners, and for each new root. */
  const hooks = {
    onReset() {},
    onRoot: /** @param {ShadowRoot} _root */ (_root) => {},
    /** What else changes without a record, see sheets.js, which comes a moment later: what it has to know of meanwhile. */
    sheets: {
      roots: /** @type {Set<Document | ShadowRoot>} */ (new Set()),
      marked: /** @type {Set<Element>} */ (new Set()),
      /** @param {ShadowRoot} root */
      root(root) {
        this.roots.add(root);
      },
      /** @param {Element} element */
      mark(element) {
        this.marked.add(element);
      },
      check: /** @param {boolean} _deep */ (_deep) => {},
      restart() {
        this.roots.clear();
        this.marked.clear();
      },
    },
  };
  /** Elements with a state of their own, besides fields. */
  const MARKED = new Set(["canvas", "video", "audio", "dialog"]);

  const observer = new MutationObserver(absorb);
  const OBSERVED = { childList: true, attributes: true, characterData: true, subtree: true };
  const slices = new MessageChannel();
  let slicing = false;
  slices.port1.onmessage = () => {
    slicing = false;
    if (stopped) return;
    absorb(observer.takeRecords());
    stream.at(clock.now());
    write(SLICE);
  };

  // ---- numbers

  /** @param {Node | null} node */
  const id = (node) => (node && known.get(node)?.id) || 0;

  /** @param {Node} node @param {Known | null} up */
  function number(node, up) {
    last += 1;
    const fresh = { id: last, node, up, open: false, dirty: null };
    known.set(node, fresh);
    byId.set(last, node);
    return fresh;
  }

  /** @param {Element} element */
  const rootOf = (element) => own.get(element) ?? element.shadowRoot ?? shadow(element);

  /** The same in passing: a closed root where hardly anyone has one may be left for when the element is measured or used. @param {Element} element */
  const rootSoon = (element) => own.get(element) ?? element.shadowRoot ?? shadow(element, true);

  /** Up through shadow roots. @param {Node} node @returns {Node | null} */
  const above = (node) => node.parentNode ?? (node instanceof ShadowRoot ? node.host : null);

  /** @param {Node} node */
  const here = (node) => node.isConnected && node.ownerDocument === doc && !ignored.has(node);

  // ---- writing nodes

  /** @param {Node} node @param {Known} up @param {number} previous */
  function put(node, up, previous) {
    const old = known.get(node);
    if (old) {
      old.up = up;
      stream.op(W.MOVE, old.id, up.id, previous);
      if (node.nodeType === Node.ELEMENT_NODE) {
        const root = rootSoon(/** @type {Element} */ (node));
        if (root) addRoot(root, old);
      }
      return old.id;
    }
    const me = number(node, up);
    switch (node.nodeType) {
      case Node.ELEMENT_NODE:
        written(/** @type {Element} */ (node), me, up.id, previous);
        break;
      case Node.TEXT_NODE:
      case Node.CDATA_SECTION_NODE: {
        const text = shown(/** @type {CharacterData} */ (node));
        stream.op(W.TEXT, me.id, up.id, previous, stream.once(text));
        break;
      }
      case Node.DOCUMENT_TYPE_NODE: {
        const { name, publicId, systemId } = /** @type {DocumentType} */ (node);
        stream.op(W.DOCTYPE, me.id, up.id, previous, stream.string(name));
        if (publicId) stream.op(W.ATTRIBUTE, me.id, stream.string("public"), stream.string(publicId));
        if (systemId) stream.op(W.ATTRIBUTE, me.id, stream.string("system"), stream.string(systemId));
        break;
      }
      default:
        stream.op(W.COMMENT, me.id, up.id, previous, stream.string(shown(/** @type {CharacterData} */ (node))));
    }
    return me.id;
  }

  /** What may be told of a text. @param {CharacterData} node */
  function shown(node) {
    const text = node.data ?? "";
    if (secrets.covers(node) && text.trim() !== "") return W.MASK;
    secrets.watch(text, node.parentElement);
    return text;
  }

  /** @param {Element} element */
  function namespace(element) {
    const uri = element.namespaceURI;
    // The same string again and again, which is seen at once.
    if (uri === lastNamespace) return lastNs;
    lastNamespace = uri;
    return (lastNs = numberOf(uri));
  }

  /** @param {string | null} uri */
  function numberOf(uri) {
    switch (uri) {
      case "http://www.w3.org/1999/xhtml": return W.NS.HTML;
      case "http://www.w3.org/2000/svg": return W.NS.SVG;
      case "http://www.w3.org/1998/Math/MathML": return W.NS.MATHML;
      default: return W.NS.OTHER;
    }
  }

  /** @param {Element} element @param {Known} me @param {number} parent @param {number} previous */
  function written(element, me, parent, previous) {
    const name = element.localName;
    stream.op(W.ELEMENT, me.id, parent, previous, stream.string(name), namespace(element));
    // First of all, so that its value is known before anything that may show it.
    if (secrets.check(element)) secrets.note(element);
    if (element.hasAttributes()) attributes(element, me.id);
    if (FIELD.has(name) && isControl(element)) {
      controls.add(element);
      control(element, me.id);
    } else if (name === "option") {
      if (element instanceof HTMLOptionElement && element.selected) selected(element, me.id);
    } else if (name === "iframe" || name === "frame" || name === "object") {
      frames.add(element);
      const token = frameTokens.get(element);
      if (token) stream.op(W.FRAME, me.id, stream.string(token));
    }
    if (MARKED.has(name)) hooks.sheets.mark(element);
    const root = rootSoon(element);
    if (root) addRoot(root, me);
    if (name.includes("-") && !element.matches(":defined")) {
      unborn.add(element);
      stream.op(W.STATE, me.id, W.STATES.DEFINED, 0);
    }
    if (element.firstChild) {
      me.open = true;
      stack.push(element);
    }
  }

  /** @param {Element} element @param {number} id */
  function attributes(element, id) {
    // Names and values as strings: no object is made for each attribute.
    for (const name of element.getAttributeNames()) {
      // A name that HTML cannot write is only found among the objects.
      attribute(element, id, name, element.getAttribute(name) ?? element.getAttributeNodeNS(null, name)?.value ?? "");
    }
  }

  /** @param {Element} element @param {number} id @param {string} name @param {string | null} value */
  function attribute(element, id, name, value) {
    if (value === null) {
      stream.op(W.ATTRIBUTE, id, stream.string(name), -1);
      return;
    }
    if (name === "value" && value !== "" && secrets.has(element)) value = W.MASK;
    else if (name === "popover") hooks.sheets.mark(element);
    value = secrets.attribute(element, name, value);
    if (SHOWN.has(name)) secrets.watch(value, element);
    // Inlined files say nothing to a reader, and can be of any size.
    if (value.length > 65536 && value.startsWith("data:")) value = `${value.slice(0, 1024)}…`;
    stream.op(W.ATTRIBUTE, id, stream.string(name), stream.string(value));
  }

  /** @param {ShadowRoot} root @param {Known} host */
  function addRoot(root, host) {
    if (known.has(root) || ignored.has(host.node)) return;
    const me = number(root, host);
    stream.op(W.SHADOW, me.id, host.id, root.mode === "closed" ? 1 : 0);
    observer.observe(root, OBSERVED);
    hooks.onRoot(root);
    hooks.sheets.root(root);
    if (root.firstChild) {
      me.open = true;
      stack.push(root);
    }
  }

  /** Writes the children of an open parent. @param {Node} parent @returns {number} how many */
  function expand(parent) {
    const up = known.get(parent);
    if (!up) return 0;
    up.open = false;
    const top = stack.length;
    let previous = 0;
    let count = 0;
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (ignored.has(node)) continue;
      if (pending.size) pending.delete(node);
      previous = put(node, up, previous);
      count += 1;
    }
    // The first child's children next, so that the stream follows the document.
    for (let a = top, b = stack.length - 1; a < b; a++, b--) [stack[a], stack[b]] = [stack[b], stack[a]];
    return count;
  }

  /** Writes open parents, about `budget` nodes of them. @param {number} budget */
  function write(budget) {
    while (stack.length && budget > 0) {
      const parent = /** @type {Node} */ (stack.pop());
      if (known.get(parent)?.open) budget -= expand(parent) + 1;
    }
    if (stack.length) {
      if (!slicing) {
        slicing = true;
        slices.port2.postMessage(0);
      }
    } else if (snapshot) {
      snapshot = false;
      if (doc.defaultView && (doc.defaultView.scrollX || doc.defaultView.scrollY)) {
        stream.op(W.SCROLL, 1, Math.round(doc.defaultView.scrollX), Math.round(doc.defaultView.scrollY));
      }
      focus();
      stream.op(W.MARK, W.MARKS.SNAPSHOT);
      active = true;
    }
  }

  // ---- reading records

  /** @param {MutationRecord[]} records */
  function absorb(records) {
    if (records.length === 0 || stopped) return;
    const t = clock.now();
    secrets.noteAll();
    active = true;
    for (const record of records) {
      const { target } = record;
      if (record.type === "childList") {
        if (target === doc) hooks.onReset();
        const { removedNodes, addedNodes } = record;
        for (let i = 0; i < removedNodes.length; i++) came(removedNodes[i]);
        for (let i = 0; i < addedNodes.length; i++) came(addedNodes[i]);
        if (addedNodes.length && !target.isConnected && known.has(target)) grown.add(target);
      } else if (known.has(target)) {
        dirtyAt = t;
        if (record.type === "characterData") dirtyData.add(/** @type {CharacterData} */ (target));
        else touched(/** @type {Element} */ (target), record);
      }
    }
    stream.at(t);
    if (pending.size) placeAll();
    write(SLICE);
    stream.schedule();
  }

  function placeAll() {
    /** @type {Set<Node>} */
    const sure = new Set([doc]);
    for (const node of pending) if (pending.has(node)) place(node, sure);
    pending.clear();
  }

  /** A record names the node: it may be in the document now, or no more. @param {Node} node */
  function came(node) {
    if (here(node)) {
      pending.add(node);
      gone.delete(node);
    } else if (known.has(node) && !gone.has(node)) {
      goneAt = clock.now();
      if (gone.size === 0) goneSince = goneAt;
      gone.add(node);
      // It is watched where it is now: it may come back as it was, or changed.
      observer.observe(node, OBSERVED);
    }
  }

  /** @param {Element} element @param {MutationRecord} record */
  function touched(element, record) {
    const name = qualified(element, record);
    const me = /** @type {Known} */ (known.get(element));
    const names = me.dirty;
    if (names === null) {
      me.dirty = name;
      dirtyAttributes.push(me);
    } else if (typeof names !== "string") names.add(name);
    else if (names !== name) me.dirty = new Set([names, name]);
    else return;
    if (!secrets.depends(name)) return;
    const was = secrets.has(element);
    if (secrets.check(element)) secrets.note(element);
    if (!was && secrets.covers(element)) veil(element);
  }

  /** What is told of an element and all in it changes: it lies in a masked region now. @param {Node} top */
  function veil(top) {
    const left = [top];
    dirtyAt = clock.now();
    for (let node = left.pop(); node; node = left.pop()) {
      if (node instanceof Element) {
        const me = known.get(node);
        if (me) {
          if (me.dirty === null) dirtyAttributes.push(me);
          me.dirty = new Set(node.getAttributeNames());
        }
        lastValue.delete(node);
        const root = rootOf(node);
        if (root) left.push(root);
      } else if (node instanceof CharacterData) dirtyData.add(node);
      for (let child = node.lastChild; child; child = child.previousSibling) left.push(child);
    }
    active = true;
  }

  /** Masks what those selectors name; gives the texts and attributes that were told of it before. @param {string} region */
  function mask(region) {
    /** @type {Set<string>} */
    const said = new Set();
    for (const node of [...byId.values()]) {
      if (!(node instanceof Element) || !node.matches(region)) continue;
      if (secrets.check(node)) secrets.note(node);
      const left = /** @type {Node[]} */ ([node]);
      for (let inner = left.pop(); inner; inner = left.pop()) {
        if (inner instanceof Element) {
          secrets.check(inner);
          for (const { name, value } of inner.attributes) if (secrets.attribute(inner, name, value) !== value) said.add(value);
          const { value } = /** @type {any} */ (inner);
          if (typeof value === "string" && value) said.add(value);
          const root = rootOf(inner);
          if (root) left.push(root);
        } else if (inner instanceof CharacterData && inner.data.trim()) said.add(inner.data);
        for (let child = inner.lastChild; child; child = child.previousSibling) left.push(child);
      }
      veil(node);
    }
    return said;
  }

  /** @param {Element} element @param {MutationRecord} record */
  function qualified(element, record) {
    const name = record.attributeName ?? "";
    const ns = record.attributeNamespace;
    if (!ns) return name;
    const prefix = ns.endsWith("/xlink") ? "xlink:" : ns.endsWith("/namespace") ? "xml:" : "";
    return element.getAttributeNodeNS(ns, name)?.name ?? prefix + name;
  }

  /**
   * Brings a node of the document to its place in the mirror, its ancestors first: so no node ever comes
   * under one of its own descendants, and the sibling it follows is in place already.
   * @param {Node} node @param {Set<Node>} sure ancestors known to be in place
   */
  function place(node, sure) {
    if (!known.has(node)) {
      let nearest = above(node);
      while (nearest && !known.has(nearest)) nearest = above(nearest);
      if (nearest && known.get(nearest)?.open) {
        pending.delete(node); // its turn comes with that one's
        return;
      }
    }
    const chain = [];
    for (let up = above(node); up && !sure.has(up); up = above(up)) chain.push(up);
    for (const up of chain.reverse()) {
      if (pending.has(up)) run(up);
      else if (!known.has(up) && !reach(up)) return;
      sure.add(up);
    }
    if (pending.has(node)) run(node);
  }

  /** Makes a node known whose parent is. @param {Node} up @returns {boolean} whether it is now */
  function reach(up) {
    const parent = above(up);
    if (!parent || !known.has(parent)) return false;
    if (up instanceof ShadowRoot) {
      addRoot(up, /** @type {Known} */ (known.get(parent)));
      return true;
    }
    if (known.get(parent)?.open) {
      expand(parent);
      return known.has(up);
    }
    if (ignored.has(up)) return false;
    run(up);
    return true;
  }

  /** Writes a node together with the pending siblings around it. @param {Node} node */
  function run(node) {
    const parent = above(node);
    const up = parent && known.get(parent);
    if (!up || node instanceof ShadowRoot) {
      pending.delete(node);
      if (up) addRoot(/** @type {ShadowRoot} */ (node), up);
      return;
    }
    if (up.open) {
      expand(/** @type {Node} */ (parent));
      return;
    }
    let first = node;
    for (let before = first.previousSibling; before; before = before.previousSibling) {
      if (ignored.has(before)) continue;
      if (!pending.has(before) && known.has(before)) break;
      first = before;
    }
    let before = first.previousSibling;
    while (before && ignored.has(before)) before = before.previousSibling;
    let previous = id(before);
    for (let next = /** @type {Node | null} */ (first); next; next = next.nextSibling) {
      if (ignored.has(next)) continue;
      if (known.has(next) && !pending.has(next)) break;
      pending.delete(next);
      previous = put(next, up, previous);
    }
  }

  /** Those that left and did not come back. */
  function settle() {
    stream.at(goneAt);
    for (const parent of grown) {
      if (!here(parent)) continue;
      for (let node = parent.firstChild; node; node = node.nextSibling) if (!known.has(node)) pending.add(node);
    }
    grown.clear();
    // Back without a record of it: they came with a parent.
    for (const node of gone) {
      if (!here(node)) continue;
      gone.delete(node);
      pending.add(node);
    }
    if (pending.size) placeAll();
    for (const node of gone) {
      const me = known.get(node);
      let up = me?.up;
      while (up && !gone.has(up.node)) up = up.up;
      // Within another one that goes, it goes along.
      if (me && !up) stream.op(W.REMOVE, me.id);
    }
    for (const node of gone) forget(node);
    gone.clear();
    if (stack.length) write(SLICE);
  }

  /** @param {Node} top */
  function forget(top) {
    const left = [top];
    for (let node = left.pop(); node; node = left.pop()) {
      const me = known.get(node);
      if (me) {
        known.delete(node);
        byId.delete(me.id);
        if (node instanceof Element) {
          controls.delete(node);
          frames.delete(node);
          unborn.delete(node);
          lastValue.delete(node);
          lastSelected.delete(node);
          secrets.forget(node);
          me.dirty = null;
          if (me.id === focused) focused = 0;
          const root = rootSoon(node);
          if (root) left.push(root);
        }
      }
      for (let child = node.lastChild; child; child = child.previousSibling) left.push(child);
    }
  }

  // ---- fields

  /** @param {Element} element @returns {element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */
  function isControl(element) {
    return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
  }

  /** Writes what changed of a field's state. @param {Element} element @param {number} id */
  function control(element, id) {
    if (element instanceof HTMLSelectElement) {
      select(element);
      value(element, id, element.value);
    } else if (element instanceof HTMLTextAreaElement) {
      value(element, id, element.value);
    } else if (element instanceof HTMLInputElement) {
      switch (element.type) {
        case "checkbox":
        case "radio": {
          const state = element.indeterminate ? 2 : element.checked ? 1 : 0;
          if (lastValue.get(element) === state) return;
          lastValue.set(element, state);
          stream.op(W.CHECKED, id, state);
          break;
        }
        case "file":
          value(element, id, Array.from(element.files ?? [], (file) => file.name).join(", "));
          break;
        case "button": case "submit": case "reset": case "image": case "hidden":
          break; // the attribute says it
        default:
          value(element, id, element.value);
      }
    }
  }

  /** @param {Element} element @param {number} id @param {string} value */
  function value(element, id, value) {
    const secret = value === "" ? secrets.check(element) : secrets.look(element);
    if (secret) {
      secrets.note(element);
      if (value !== "") value = W.MASK;
    }
    const key = secret ? `s${value}` : `p${value}`;
    if (lastValue.get(element) === key) return;
    lastValue.set(element, key);
    if (!secret) secrets.watch(value, element);
    stream.op(W.VALUE, id, stream.string(value), secret ? 1 : 0);
  }

  /** @param {HTMLSelectElement} list */
  function select(list) {
    for (const option of list.options) {
      const me = id(option);
      if (me && (lastSelected.get(option) ?? false) !== option.selected) selected(option, me);
    }
  }

  /** @param {HTMLOptionElement} option @param {number} id */
  function selected(option, id) {
    lastSelected.set(option, option.selected);
    const list = option.closest("select");
    if (list && secrets.has(list)) return;
    stream.op(W.SELECTED, id, option.selected ? 1 : 0);
  }

  function focus() {
    /** @type {Element | null} */
    let element = doc.activeElement;
    while (element) {
      const inner = /** @type {Element | null | undefined} */ (rootOf(element)?.activeElement);
      if (!inner) break;
      element = inner;
    }
    const now = !element || element === doc.body || element === doc.documentElement ? 0 : id(element);
    if (now !== focused) {
      focused = now;
      stream.op(W.FOCUS, now);
    }
  }

  // ---- bringing the mirror up to date

  /**
   * Nodes, attributes and texts: after this the mirror's tree is the document's.
   * @param {boolean} [whole] false: a snapshot that is under way goes on in slices
   */
  function tree(whole = true) {
    if (stopped) return;
    secrets.noteAll();
    absorb(observer.takeRecords());
    // The timer gives them a little time to come back; an event or an answer wants the document as it is.
    if (!whole && gone.size && clock.now() - goneSince < AWAY_MS) stream.schedule();
    else if (gone.size || grown.size) settle();
    if (whole && stack.length) write(Infinity);
    if (dirtyAttributes.length || dirtyData.size) {
      stream.at(dirtyAt);
      for (const me of dirtyAttributes) {
        const names = me.dirty;
        const element = /** @type {Element} */ (me.node);
        me.dirty = null;
        if (typeof names === "string") attribute(element, me.id, names, element.getAttribute(names));
        else if (names) for (const name of names) attribute(element, me.id, name, element.getAttribute(name));
      }
      for (const node of dirtyData) {
        const me = id(node);
        if (!me) continue;
        stream.op(W.DATA, me, stream.once(shown(node)));
      }
      dirtyAttributes = [];
      dirtyData = new Set();
    }
  }

  /** All that can change without a record, too. @param {boolean} [whole] as for `tree` */
  function complete(whole = true) {
    if (stopped) return;
    tree(whole);
    if (!active) return;
    active = false;
    stream.at(clock.now());
    if (unborn.size && clock.now() - polled > POLL_MS) findRoots();
    if (whole || controls.size <= FIELDS) for (const field of controls) control(field, id(field));
    else for (let i = 0; i < FIELDS; i++) lookAtNext();
    focus();
    meet();
    hooks.sheets.check(false);
  }

  /** In a page of many fields each has its turn; what a person did to one was told with the event. */
  function lookAtNext() {
    const next = turn.next();
    if (next.done) turn = controls.values();
    else control(next.value, id(next.value));
  }

  /** Looks for shadow roots that custom elements grew since they were written. */
  function findRoots() {
    polled = clock.now();
    for (const element of unborn) {
      const me = known.get(element);
      const root = rootOf(element);
      if (root && me) addRoot(root, me);
      if (!element.matches(":defined")) continue;
      unborn.delete(element);
      if (me) stream.op(W.STATE, me.id, W.STATES.DEFINED, 1);
    }
    if (stack.length) write(SLICE);
    // Definitions come with no mutation of ours.
    if (unborn.size) setTimeout(() => !stopped && unborn.size && findRoots(), POLL_MS);
  }

  /** Looks for a shadow root that came after its host was written. @param {Element} element */
  function discover(element) {
    const root = rootOf(element);
    const me = known.get(element);
    if (root && me) addRoot(root, me);
  }

  /** That element shows the document of that token. @param {Element} element @param {string} token */
  function tie(element, token) {
    if (frameTokens.get(element) === token) return;
    frameTokens.set(element, token);
    const me = id(element);
    if (me) stream.op(W.FRAME, me, stream.string(token));
    else strays.add(element);
    active = true;
    stream.schedule();
  }

  /** Frame elements that nobody has met yet lie in shadow roots that came later; their tokens are written with them. */
  function meet() {
    if (stack.length) return;
    for (const element of strays) {
      strays.delete(element);
      if (!known.has(element)) seek(element);
    }
  }

  /** Makes a node known, with the roots on the way to it. @param {Node} node */
  function seek(node) {
    if (known.has(node) || !here(node)) return;
    const chain = [node];
    for (let up = above(node); up && !known.has(up); up = above(up)) chain.push(up);
    for (const up of chain.reverse()) if (!known.has(up) && !reach(up)) break;
    pending.clear();
    if (stack.length) write(Infinity);
  }

  /** Every frame element, those in shadow roots that nobody has met yet too. @param {boolean} thoroughly */
  function allFrames(thoroughly) {
    if (thoroughly) {
      for (const node of [...byId.values()]) if (node instanceof Element) discover(node);
      if (stack.length) write(Infinity);
    }
    return [...frames];
  }

  /** Forgets everything, and writes the document anew under new numbers. */
  function restart() {
    observer.disconnect();
    known = createKnown();
    byId = createNumbers();
    stack = [];
    pending = new Set();
    dirtyAttributes = [];
    dirtyData = new Set();
    controls = new Set();
    turn = controls.values();
    gone = new Set();
    grown = new Set();
    lastValue = new WeakMap();
    lastSelected = new WeakMap();
    frames = new Set();
    unborn = new Set();
    focused = 0;
    hooks.sheets.restart();
    // Numbers go on, but the document is always 1.
    const me = { id: 1, node: doc, up: null, open: true, dirty: null };
    last = Math.max(last, 1);
    known.set(doc, me);
    byId.set(1, doc);
    stream.at(clock.now());
    stream.op(W.RESET);
    observer.observe(doc, OBSERVED);
    snapshot = true;
    active = true;
    stack.push(doc);
    write(SLICE);
    if (unborn.size) findRoots();
  }

  return {
    hooks,
    start: restart,
    restart,
    /** Whether the document has begun to be written. */
    started: () => last > 0,
    tree,
    complete,
    tie,
    allFrames,
    mask,
    /** @param {Element} element */
    tied: (element) => frameTokens.has(element),
    id,
    rootOf,
    ignored,
    own,
    above,
    /** @param {number} id @returns {Node | undefined} */
    node: (id) => byId.get(id),
    all: () => byId,
    frames: () => frames,
    /** The node's number; roots on the way to it are found. @param {Node} node */
    find(node) {
      seek(node);
      return id(node);
    },
    /** Writes a field's state. @param {Element} element */
    control(element) {
      const me = id(element);
      if (me && isControl(element)) control(element, me);
    },
    discover,
    focus,
    /** Something happened after which fields may have changed. */
    stir() {
      active = true;
      stream.schedule();
    },
    stop() {
      stopped = true;
      observer.disconnect();
      slices.port1.close();
      byId.clear();
    },
  };
}
