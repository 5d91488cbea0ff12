// Chromium's own accessibility tree, told by the same paths that the mirror gives its elements.

/** Chromium's names for roles that ARIA calls otherwise, or has no word for: what HTML-AAM or our own table makes of them. */
const ROLES = {
  // A field to write in is what these are for a person; HTML-AAM gives them no role.
  Date: 'textbox', DateTime: 'textbox', InputTime: 'textbox', ColorWell: 'textbox',
  // "summary" has no role of ARIA's.
  DisclosureTriangle: 'generic', DisclosureTriangleGrouped: 'generic',
  image: 'img', Image: 'img', SvgRoot: 'img', Section: 'generic', Pre: 'generic', Canvas: 'generic', Legend: 'generic', LabelText: 'generic',
  Abbr: 'generic', Ruby: 'generic', Iframe: 'generic', Details: 'group', Video: 'generic', Audio: 'generic', EmbeddedObject: 'generic', PluginObject: 'generic',
  DescriptionList: 'generic', DescriptionListTerm: 'term', DescriptionListDetail: 'definition',
  Figcaption: 'generic', LayoutTable: 'table', LayoutTableRow: 'row', LayoutTableCell: 'cell', HeaderAsNonLandmark: 'generic', FooterAsNonLandmark: 'generic',
  SectionHeader: 'generic', SectionFooter: 'generic', sectionheader: 'generic', sectionfooter: 'generic',
  RootWebArea: 'document', FileUpload: 'button', MenuListPopup: 'listbox', ListGrid: 'listbox', none: 'none',
};

export const roleOf = role => ROLES[role] ?? role;

/** Every element below a node of `DOM.getDocument`, through shadow roots and frames: its address, path and number. */
export function elements(root) {
  const found = [];
  const open = [{ node: root, url: root.documentURL, document: root.backendNodeId, path: '' }];
  for (let at = open.pop(); at; at = open.pop()) {
    const { node, url, document, path } = at;
    const numbers = {};
    for (const child of node.children ?? []) {
      if (child.nodeType !== 1) continue;
      const tag = child.localName;
      numbers[tag] = (numbers[tag] ?? 0) + 1;
      const own = `${path}/${tag}[${numbers[tag]}]`;
      found.push({ url, document, path: own, tag, backend: child.backendNodeId, attributes: child.attributes ?? [] });
      open.push({ node: child, url, document, path: own });
      for (const shadow of child.shadowRoots ?? []) if (shadow.shadowRootType !== 'user-agent') open.push({ node: shadow, url, document, path: `${own}/#shadow` });
      if (child.contentDocument) open.push({ node: child.contentDocument, url: child.contentDocument.documentURL, document: child.contentDocument.backendNodeId, path: '' });
    }
  }
  return found;
}

/** What Chromium calls the elements of a page and its frames: one entry an element, `role` null where it leaves it out. */
export async function chromiumNames(cdp) {
  await cdp.send('Accessibility.enable');
  const { root } = await cdp.send('DOM.getDocument', { depth: -1, pierce: true });
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const frames = [];
  for (const open = [frameTree]; open.length;) {
    const frame = open.pop();
    frames.push(frame.frame.id);
    open.push(...frame.childFrames ?? []);
  }
  const told = new Map();
  for (const frameId of frames) {
    const { nodes } = await cdp.send('Accessibility.getFullAXTree', { frameId });
    for (const node of nodes) {
      if (node.ignored || !node.backendDOMNodeId) continue;
      told.set(node.backendDOMNodeId, { role: node.role?.value ?? '', name: String(node.name?.value ?? '') });
    }
  }
  await cdp.send('Accessibility.disable');
  return elements(root).map(({ backend, attributes, ...element }) => {
    const node = told.get(backend);
    const pairs = [];
    for (let i = 0; i < attributes.length; i += 2) pairs.push(`${attributes[i]}="${attributes[i + 1].slice(0, 60)}"`);
    return { ...element, html: `<${[element.tag, ...pairs].join(' ')}>`.slice(0, 240), role: node ? roleOf(node.role) : null, opens: /^DisclosureTriangle/.test(node?.role ?? ''), name: node?.name ?? '' };
  });
}

/** White space folded, as both sides' readers do. */
export const fold = text => text.replace(/[\s\u200b]+/gu, ' ').trim();

/** Roles of what a person operates. */
const INTERACTIVE = new Set('button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton scrollbar tab menuitem menuitemcheckbox menuitemradio treeitem gridcell'.split(' '));


/**
 * Compares what the mirror says with what Chromium says. `counts` of elements that either side calls interactive, and of
 * `others` that both name or give a role; `differences` one a line.
 */
export function compare(ours, theirs) {
  const counts = { elements: 0, names: 0, roles: 0, others: 0, otherNames: 0, otherRoles: 0 };
  const differences = [];
  const byPath = new Map(ours.map(element => [element.path, element]));
  for (const their of theirs) {
    const our = byPath.get(their.path);
    const role = our?.accessible ? our.role : null;
    const name = fold(our?.name ?? '');
    const theirName = fold(their.name);
    const interactive = INTERACTIVE.has(role) || INTERACTIVE.has(their.role) || their.opens;
    if (!interactive && (role === null || their.role === null)) continue;
    const sameRole = role === their.role;
    // What one side leaves out has no name to compare, and is a difference of both.
    const sameName = (role === null) === (their.role === null) && name === theirName;
    if (interactive) {
      counts.elements++;
      counts.names += sameName;
      counts.roles += sameRole;
    } else {
      counts.others++;
      counts.otherNames += sameName;
      counts.otherRoles += sameRole;
    }
    if (!sameRole || !sameName) {
      const what = (r, n) => (r === null ? 'not there' : `${r} ${JSON.stringify(n)}`);
      differences.push({ interactive, path: their.path, text: `${their.path.split('/').slice(-4).join('/')} ${their.html}\n      ours: ${our ? (role === null ? `not there (${our.role} ${JSON.stringify(name)})` : what(role, name)) : 'not in the mirror'}\n      Chromium's: ${what(their.role, theirName)}` });
    }
  }
  return { counts, differences };
}

/** The least share of names and of roles that must agree in each set. */
const LEAST = 0.99;

/** A map of what `key` gives to the items that gave it. */
export function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), groups.get(key(item))?.concat(item) ?? [item]);
  return groups;
}

/**
 * What the two sides make of each set, and which sets fall short. `known` maps an address's path and an element's to
 * the reason why the two disagree there: with these no other disagreement is let through in their set, and one that is
 * gone must be struck from the list.
 */
export function judge(shown, seen, known = new Map(), expected = []) {
  const unmet = new Set(known.keys());
  const ours = new Map();
  for (const line of shown.split('\n').filter(Boolean)) {
    const { url, elements } = JSON.parse(line);
    ours.set(url, [...ours.get(url) ?? [], elements]);
  }
  const lines = [];
  const missed = [];
  const all = { elements: 0, names: 0, roles: 0 };
  const bySet = groupBy(seen, ({ set }) => set);
  for (const { set, urls } of expected) {
    const opened = bySet.get(set)?.length ?? 0;
    if (opened < urls.length) missed.push(`${set}: ${opened} documents of ${urls.length} were seen`);
  }
  for (const [set, documents] of bySet) {
    const total = { pages: 0, unseen: 0 };
    const told = [];
    for (const { url, elements } of documents) {
      // An address that was opened twice is compared in the order of its visits; srcdoc frames share one.
      const candidates = ours.get(url) ?? [];
      const paths = new Set(elements.map(element => element.path));
      const fits = mirror => mirror.filter(({ path }) => paths.has(path)).length >= 0.9 * Math.max(mirror.length, elements.length);
      const [mirror] = candidates.splice(Math.max(0, candidates.findIndex(fits)), 1);
      if (!mirror) { total.unseen++; told.push(`  ${url}: the mirror never had it`); continue; }
      total.pages++;
      const { counts, differences } = compare(mirror, elements);
      for (const [key, n] of Object.entries(counts)) total[key] = (total[key] ?? 0) + n;
      for (const { interactive, path, text } of differences) {
        if (!interactive && !process.env.NAMES_ALL) continue;
        const key = `${new URL(url).pathname} ${path}`;
        const why = known.get(key);
        unmet.delete(key);
        if (interactive && !why) total.unexplained = (total.unexplained ?? 0) + 1;
        told.push(`  ${new URL(url).pathname}${interactive ? '' : ' (not interactive)'} ${text}${why ? `\n      because ${why}` : ''}`);
      }
    }
    const share = (n, of) => `${n} of ${of} (${(100 * n / Math.max(of, 1)).toFixed(2)} %)`;
    lines.push(`${set}: ${total.pages} pages; of interactive elements names agree for ${share(total.names, total.elements)}, roles for ${share(total.roles, total.elements)}; `
      + `of the others names for ${share(total.otherNames, total.others)}, roles for ${share(total.otherRoles, total.others)}`, ...told);
    const isHard = documents.some(({ url }) => [...known.keys()].some(key => key.startsWith(`${new URL(url).pathname} `)));
    if (isHard && total.unexplained) missed.push(`${set}: ${total.unexplained} disagreements that are not explained`);
    const short = n => n < LEAST * total.elements;
    if (!(total.elements > 0) || (!isHard && (short(total.names) || short(total.roles)))) missed.push(`${set}: under ${100 * LEAST} %`);
    if (!isHard) for (const key of Object.keys(all)) all[key] += total[key];
    if (total.unseen) missed.push(`${set}: ${total.unseen} documents were not in the mirror`);
  }
  if (all.elements) lines.push(`all but the hard pages: names agree for ${(100 * all.names / all.elements).toFixed(2)} %, roles for ${(100 * all.roles / all.elements).toFixed(2)} % of ${all.elements} interactive elements`);
  if (expected.some(({ hard }) => hard) || (known.size && unmet.size < known.size)) missed.push(...[...unmet].map(key => `${key} agrees now: strike it from the list`));
  return { lines, missed };
}
