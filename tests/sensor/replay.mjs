// A reference decoder of the sensor's stream, strict and slow, written from src/wire/op.rs alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** The opcodes as Rust declares them: name → [code, arity]. */
export const opcodes = Object.fromEntries(
  [...readFileSync(new URL('../../src/wire/op.rs', import.meta.url), 'utf8').matchAll(/^ {4}([A-Z]+) = (\d+), (\d+);$/gm)]
    .map(([, name, code, arity]) => [name, [Number(code), Number(arity)]]),
);
const byCode = new Map(Object.entries(opcodes).map(([name, [code, arity]]) => [code, { name, arity }]));

/** The strings that were joined. */
export function cut(text, lengths) {
  let at = 0;
  const strings = Array.from(lengths, length => text.slice(at, at += length));
  assert.equal(at, text.length, 'the lengths are those of the text');
  return strings;
}

export class Replay {
  constructor() {
    this.nodes = new Map();
    this.used = new Set();
    this.facts = [];
    this.counts = {};
    this.log = [];
    this.next = 0;
    this.snapshots = 0;
    this.measured = 0;
    this.boxes = new Map();
    this.frames = new Map();
    this.focus = 0;
    this.sheets = new Map();
    this.adopted = new Map();
    this.time = NaN;
  }

  batch({ seq, t0, strings, text, lengths, ops }) {
    strings ??= cut(text, lengths);
    if (seq < this.next) return; // sent again
    assert.equal(seq, this.next, 'batches come without gaps');
    this.next += 1;
    for (let at = 0; at < ops.length;) {
      const known = byCode.get(ops[at]);
      assert.ok(known, `opcode ${ops[at]} at ${at}`);
      const a = Array.from(ops.slice(at + 1, at + 1 + known.arity));
      assert.equal(a.length, known.arity, `${known.name} is whole`);
      assert.ok(a.every(Number.isInteger), `${known.name} ${a}`);
      at += 1 + known.arity;
      this.counts[known.name] = (this.counts[known.name] ?? 0) + 1;
      if (known.name === 'TIME') this.time = t0 + a[0] / 10;
      else this[known.name](a, i => { assert.ok(i >= 0 && i < strings.length, `string ${i} of ${known.name}`); return strings[i]; });
    }
  }

  get(id) { const node = this.nodes.get(id); assert.ok(node, `node ${id} is known`); return node; }

  add(id, node) {
    assert.ok(!this.used.has(id), `number ${id} is used once`);
    this.used.add(id);
    this.nodes.set(id, Object.assign(node, { id }));
    return node;
  }

  insert(node, parent, previous) {
    const up = this.get(parent);
    for (let p = up; p; p = p.parent) assert.notEqual(p, node, `node ${node.id} comes under itself`);
    const at = previous === 0 ? 0 : up.children.indexOf(this.get(previous)) + 1;
    assert.ok(previous === 0 || at > 0, `node ${previous} is a child of ${parent}`);
    up.children.splice(at, 0, node);
    node.parent = up;
  }

  detach(node) {
    const list = node.parent.children;
    list.splice(list.indexOf(node), 1);
    node.parent = null;
  }

  forget(node) {
    this.nodes.delete(node.id);
    for (const child of node.children ?? []) this.forget(child);
    if (node.root) this.forget(node.root);
  }

  RESET() { this.sheets.clear(); this.adopted.clear(); this.nodes.clear(); this.nodes.set(1, { id: 1, t: 'document', children: [] }); }
  ELEMENT([id, parent, previous, tag, ns], s) { this.insert(this.add(id, { t: 'element', tag: s(tag), ns, a: {}, children: [] }), parent, previous); }
  TEXT([id, parent, previous, text], s) { this.insert(this.add(id, { t: 'text', d: s(text) }), parent, previous); }
  COMMENT([id, parent, previous, text], s) { this.insert(this.add(id, { t: 'comment', d: s(text) }), parent, previous); }
  DOCTYPE([id, parent, previous, name], s) { this.insert(this.add(id, { t: 'doctype', n: s(name), ids: {} }), parent, previous); }
  SHADOW([id, host, mode]) { const up = this.get(host); assert.ok(!up.root); up.root = this.add(id, { t: 'root', mode, children: [], parent: up }); }
  ATTRIBUTE([id, name, value], s) { const { a } = this.get(id).t === 'doctype' ? { a: this.get(id).ids } : this.get(id); if (value < 0) delete a[s(name)]; else a[s(name)] = s(value); }
  DATA([id, text], s) { this.get(id).d = s(text); }
  MOVE([id, parent, previous]) { const node = this.get(id); this.detach(node); this.insert(node, parent, previous); }
  REMOVE([id]) { const node = this.get(id); this.detach(node); this.forget(node); }
  VALUE([id, value, secret], s) { Object.assign(this.get(id), { value: s(value), secret: secret === 1 }); }
  CHECKED([id, state]) { this.get(id).checked = state; }
  SELECTED([id, selected]) { this.get(id).selected = selected === 1; }
  SCROLL([id, x, y]) { this.get(id).scroll = [x, y]; }
  BOX([id, ...box]) { this.get(id); this.boxes.set(id, box); }
  VIEWPORT(values) { this.viewport = values; }
  EVENT([json], s) { const fact = JSON.parse(s(json)); this.facts.push({ ...fact, node: this.nodes.get(fact.n), tree: this.nodes.size }); }
  FRAME([id, token], s) { this.get(id); this.frames.set(id, s(token)); }
  FOCUS([id]) { if (id) this.get(id); this.focus = id; }
  SHEET([sheet, owner, base]) {
    if (owner) { this.get(owner); for (const [n, known] of this.sheets) if (known.owner === owner) this.sheets.delete(n); }
    this.sheets.set(sheet, { owner, base, rules: Array.from({ length: Math.max(0, base) }, (_, i) => i) });
  }
  RULE([sheet, index, text], s) { const { rules } = this.sheets.get(sheet); assert.ok(index >= 0 && index <= rules.length); rules.splice(index, 0, s(text)); }
  UNRULE([sheet, index, count]) { const { rules } = this.sheets.get(sheet); assert.ok(index >= 0 && index + count <= rules.length); rules.splice(index, count); }
  ADOPT([root, index, sheet]) {
    const node = this.get(root); assert.ok(node.t === 'document' || node.t === 'root');
    const list = this.adopted.get(root) ?? []; assert.ok(index <= list.length);
    if (sheet) { assert.ok(this.sheets.has(sheet)); list[index] = sheet; } else list.length = index;
    this.adopted.set(root, list);
  }
  STATE([id, what, value]) { (this.get(id).states ??= {})[what] = value; }
  MARK([what]) { if (what === 1) this.snapshots += 1; else if (what === 2) this.measured += 1; else assert.fail(`mark ${what}`); }

  /** The node with that id attribute, anywhere. */
  byId(id) { return [...this.nodes.values()].find(node => node.a?.id === id); }

  /** The canonical form. */
  dump(node = this.get(1)) {
    const c = () => node.children.map(child => this.dump(child));
    switch (node.t) {
      case 'document': return { t: 'document', c: c() };
      case 'element': {
        const a = Object.fromEntries(Object.entries(node.a).sort(([x], [y]) => (x < y ? -1 : 1)));
        const shadow = node.root && { s: node.root.children.map(child => this.dump(child)), m: node.root.mode ? 'closed' : 'open' };
        return { t: 'element', tag: node.tag, ns: node.ns, a, c: c(), ...shadow };
      }
      case 'doctype': return { t: 'doctype', n: node.n, ...(node.ids.public && { p: node.ids.public }), ...(node.ids.system && { s: node.ids.system }) };
      default: return { t: node.t, d: node.d };
    }
  }
}
