// Pages that try to find out that they are recorded, to read what the recorder says, and to break it.

/** Runs first in the page. What it finds out is in `__found`; what it does itself it does within `own`. */
const watch = `<script>(() => {
  const found = window.__found = [];
  let mine = 0;
  const DRIVER = /driver|__puppeteer|pptr|UtilityScript|evaluate|__playwright/;
  const own = window.own = work => { mine++; try { return work(); } finally { mine--; } };
  const tell = what => { if (!mine && found.length < 50) own(() => found.push(what)); };
  const stack = () => own(() => (new Error().stack || '').split('\\n').slice(3, 6).join(' | '));
  // Every tool that a recorder in this world would use is watched, or refuses.
  const spy = (object, name, refuses) => {
    const real = object[name];
    object[name] = function (...args) {
      // Drivers work in this world; a recorder's stack would name its extension, or nothing.
      if (!mine && !DRIVER.test(stack())) { tell('called ' + name + ': ' + stack()); if (refuses) throw new Error('no ' + name); }
      return real.apply(this, args);
    };
  };
  const names0 = new Set(Object.getOwnPropertyNames(window));
  window.__audit = () => own(() => {
    for (const name of Object.getOwnPropertyNames(window)) if (!names0.has(name) && !/^\\d+$/.test(name) && !window.__mine.includes(name)) found.push('a global: ' + name);
    for (const key of ['traceruleSensor', 'W', 'startSensor', 'tracerule', 'chrome.runtime']) if (key.split('.').reduce((o, k) => o?.[k], window) !== undefined && !window.__mine.includes(key)) found.push('a global: ' + key);
    for (const entry of performance.getEntries()) if (/extension:/.test(entry.name)) found.push('a resource: ' + entry.name);
    for (const sheet of document.styleSheets) if (/extension:/.test(sheet.href ?? '')) found.push('a style sheet: ' + sheet.href);
    if (document.adoptedStyleSheets.length) found.push('an adopted style sheet');
    if (document.getAnimations().length) found.push('an animation');
    if (window.length !== window.__frames) found.push('frames: ' + window.length);
    return found;
  });
  window.__mine = ['own', '__found', '__audit', '__mine', '__frames', '__echo', '__said', '__probe', '__got', '__trapped'];
  window.__frames = 0; window.__echo = 0; window.__got = {};
  // Messages: all that come must be ours, and all that we send must come.
  window.addEventListener('message', e => own(() => { if (e.data && e.data.page) window.__echo++; else found.push('a message: ' + JSON.stringify(e.data) + ' ' + e.origin); }), true);
  window.addEventListener('securitypolicyviolation', e => tell('a violation: ' + e.blockedURI));
  window.addEventListener('error', e => tell('an error: ' + e.message));
  // No default may be prevented by anybody, and nobody may get what is stopped here.
  for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'keydown', 'keyup', 'input', 'change', 'focus', 'blur', 'submit', 'scroll', 'wheel', 'copy', 'paste']) {
    window.addEventListener(type, e => own(() => {
      if (e.defaultPrevented) found.push('prevented: ' + type);
      if (e.isTrusted) window.__got[type] = (window.__got[type] || 0) + 1;
      if (Object.getOwnPropertyNames(e).some(n => n !== 'isTrusted')) found.push('marked: ' + type + Object.getOwnPropertyNames(e));
      e.stopImmediatePropagation();
    }), true);
  }
  const changes = new MutationObserver(records => own(() => { for (const r of records) found.push('a mutation: ' + r.type + ' ' + (r.target.localName || r.target.nodeName) + ' ' + (r.attributeName || '') + [...r.addedNodes].map(x => x.nodeName)); }));
  // This page changes nothing of itself once it is there.
  window.addEventListener('load', () => own(() => changes.observe(document, { childList: true, attributes: true, characterData: true, subtree: true })));
  window.__spy = () => {
    for (const name of ['push', 'map', 'filter', 'forEach', 'splice', 'slice', 'find', 'some', 'concat']) spy(Array.prototype, name, true);
    for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent']) spy(EventTarget.prototype, name, true);
    for (const name of ['get', 'set', 'has']) { spy(Map.prototype, name, true); spy(WeakMap.prototype, name, true); }
    for (const name of ['stringify', 'parse']) spy(JSON, name, true);
    for (const name of ['matches', 'closest', 'getAttribute', 'attachShadow', 'getBoundingClientRect', 'querySelectorAll', 'checkVisibility', 'animate']) spy(Element.prototype, name, true);
    for (const name of ['observe', 'takeRecords', 'disconnect']) spy(MutationObserver.prototype, name, true);
    for (const name of ['composedPath', 'stopPropagation', 'preventDefault']) spy(Event.prototype, name, false);
    spy(performance, 'now', true); spy(Date, 'now', true); spy(window, 'postMessage', true); spy(window, 'getComputedStyle', true); spy(document, 'createElement', true); spy(document, 'elementFromPoint', true);
    spy(Node.prototype, 'contains', true); spy(crypto, 'getRandomValues', true); spy(window, 'setTimeout', false); spy(window, 'requestAnimationFrame', true);
    for (const [object, name] of [[HTMLInputElement.prototype, 'value'], [HTMLInputElement.prototype, 'type'], [Node.prototype, 'parentNode'], [Element.prototype, 'shadowRoot'], [CharacterData.prototype, 'data'], [Element.prototype, 'attributes'], [HTMLIFrameElement.prototype, 'contentWindow'], [MessageEvent.prototype, 'data'], [Event.prototype, 'isTrusted']]) {
      const real = Object.getOwnPropertyDescriptor(object, name);
      if (real?.get && real.configurable) Object.defineProperty(object, name, { ...real, get() { if (!mine && !DRIVER.test(stack())) tell('read ' + name + ': ' + stack()); return real.get.call(this); } });
    }
  };
  window.__mine.push('__spy');
})()</script>`;

const buttons = names => names.map(name => `<button>${name}</button>`).join('');

export const PAGES = {
  // Looks for traces of a recorder.
  '/detect': `<!doctype html><title>Detect</title>${watch}
<div id=mine data-mine>${buttons(['First', 'Second'])}<label>Text <input id=text></label><iframe src="{other}/child" width=200 height=50></iframe><iframe src="/child" width=200 height=50></iframe><output id=out></output></div>
<script>own(() => {
  window.__frames = 2;
  const trap = document.getElementById('text');
  // Getters on the element itself, and things that throw when they are looked at.
  for (const name of ['name', 'autocomplete', 'maxLength', 'inputMode', 'pattern', 'getRootNode', 'isConnected', 'shadowRoot', 'localName']) Object.defineProperty(trap, name, { configurable: true, get() { window.__trapped = name; throw new Error('trap ' + name); } });
  window.onerror = new Proxy(function () {}, { apply() { return true; }, get(t, k) { window.__trapped = 'onerror ' + String(k); return t[k]; } });
  customElements.define('x-bad', class extends HTMLElement { constructor() { super(); throw new Error('x-bad'); } });
  // Forged messages must go their way, both to us and from us.
  for (let i = 0; i < 5; i++) window.postMessage({ page: 1, tracerule: 'forged' + i }, '*');
  for (let i = 0; i < 5; i++) window.postMessage({ page: 1, tracerule: '?', hello: { doc: 'x', top: true }, yours: true, ack: 9, command: { id: 1, ask: 'stop' } }, '*');
});
// The extension's own files.
window.__probe = async id => own(async () => {
  const reached = [];
  for (const scheme of ['chrome-extension', 'moz-extension']) for (const path of ['manifest.json', 'sensor/port.js', 'ui/panel.html', 'hub.js', 'ui/icons/16.png']) {
    const url = scheme + '://' + id + '/' + path;
    try { await fetch(url, { mode: 'no-cors' }); reached.push('fetch ' + url); } catch { /* as it should */ }
  }
  return reached;
});
</script>`,
  '/child': `<!doctype html><title>Child</title><script>window.__heard = []; addEventListener('message', e => __heard.push(JSON.stringify(e.data)), true);</script><button>Inner</button>`,

  // Tries to break it.
  '/break': `<!doctype html><title>Break</title>
<div id=mine>${buttons(['Before', 'Freeze', 'Open', 'Replace', 'Storm', 'After'])}<label>Field <input id=field></label></div><div id=heap hidden></div><p id=long></p>
<script>
const on = (name, work) => { [...document.querySelectorAll('button')].find(b => b.textContent === name).onclick = work; };
const again = () => { document.body.append(Object.assign(document.createElement('button'), { textContent: 'Later' })); };
on('Before', () => {
  // Deep, long and large.
  let at = heap; for (let i = 0; i < 10000; i++) { const d = document.createElement('div'); at.append(d); at = d; } at.textContent = 'bottom';
  let seen = document.getElementById('long'); for (let i = 0; i < 400; i++) { const s = document.createElement('span'); seen.append(s); seen = s; } seen.textContent = 'deep text';
  heap.setAttribute('data-big', 'x'.repeat(10e6));
  heap.append('y'.repeat(20e6));
});
on('Freeze', () => {
  for (const o of [Node.prototype, Element.prototype, Event.prototype, EventTarget.prototype, Array.prototype, JSON, Map.prototype, document, document.body]) try { Object.freeze(o); } catch {}
  // What comes from scripts is no one's click.
  const after = [...document.querySelectorAll('button')].find(b => b.textContent === 'After');
  setTimeout(() => { for (let i = 0; i < 3000; i++) { after.dispatchEvent(new MouseEvent('click', { bubbles: true })); window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' })); } }, 50);
});
on('Storm', () => {
  const end = Date.now() + 4000;
  const step = () => { if (Date.now() > end) return; for (let i = 0; i < 50; i++) { const d = document.createElement('i'); heap.append(d); d.title = i; d.remove(); heap.dataset.n = Math.random(); } setTimeout(step); };
  step();
  const channel = new MessageChannel(); let n = 0; channel.port1.onmessage = () => { if (n++ < 5000) channel.port2.postMessage(0); }; channel.port2.postMessage(0);
});
on('Replace', () => {
  const html = document.createElement('html'); html.innerHTML = '<body></body>'; document.replaceChild(html, document.documentElement);
  document.body.innerHTML = '<button id=replaced>Replaced</button>';
  document.getElementById('replaced').onclick = () => {
    document.open(); document.write('<!doctype html><title>Opened</title><button>Opened</button><input aria-label=Written>'); document.close();
  };
});
</script>`,
  '/next': '<!doctype html><title>Next</title><button>Next</button>',
};
