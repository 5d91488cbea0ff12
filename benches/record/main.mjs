// Measures what recording costs a page: nothing, Tracerule and rrweb in turns, in one browser, on fresh pages. Prints
// one JSON document; `cargo xtask bench record` makes tables of it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumProgram } from '../../tests/lib/browsers.mjs';
import { serve } from '../../tests/lib/serve.mjs';
import { counts, owner, thread, whole } from './machine.mjs';
import { ARMING, SIZES, WORKLOADS } from './pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const options = JSON.parse(process.argv[2] ?? '{}');
const quick = options.quick ?? false;
const only = options.only ?? [];
const rounds = options.rounds ?? (quick ? 1 : 3);
const sleep = ms => new Promise(done => setTimeout(done, ms));
const say = text => process.stderr.write(`${text}\n`);

/** Recorders: `world` where rrweb runs, `json` whether it keeps its events as text. */
const RECORDERS = {
  none: {},
  tracerule: { ours: true },
  tracerule_blind: { ours: true, blind: true },
  rrweb_main: { world: 'MAIN', json: false },
  rrweb_main_json: { world: 'MAIN', json: true },
  rrweb_isolated: { world: 'ISOLATED', json: false },
  rrweb_isolated_json: { world: 'ISOLATED', json: true },
};

// ---- the browser

const sensor = readFileSync(join(root, 'dist/chromium/manifest.json'), 'utf8') && options.scripts;
const temporary = mkdtempSync(join(tmpdir(), 'tracerule-bench-'));
const profile = join(temporary, 'profile');

/** An extension that puts rrweb, or the sensor with a hub that only listens, into a page. */
function helper() {
  const dir = join(temporary, 'helper');
  mkdirSync(dir);
  cpSync(join(root, 'node_modules/rrweb/dist/rrweb.umd.min.cjs'), join(dir, 'rrweb.js'));
  for (const script of sensor) cpSync(join(root, 'dist/chromium', script), join(dir, script));
  // What a content script lacks and rrweb asks for; without it, it throws once an element.
  writeFileSync(join(dir, 'before-rrweb.js'), "if (!window.customElements) Object.defineProperty(window, 'customElements', { value: { get() {}, define() {}, whenDefined() {} } });");
  writeFileSync(join(dir, 'before-sensor.js'), `chrome.runtime.connect = () => {
      globalThis.benchPort = { onMessage: { addListener(f) { globalThis.benchHear = f; } }, onDisconnect: { addListener() {} }, postMessage() {}, disconnect() {} };
      return globalThis.benchPort;
    };
    globalThis.benchStart = performance.now();`);
  writeFileSync(join(dir, 'after-sensor.js'), "benchHear({ yours: true }); traceruleSensor.flush(); globalThis.benchArmed = performance.now() - benchStart;");
  writeFileSync(join(dir, 'worker.js'), '');
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify({
    manifest_version: 3, name: 'Bench helper', version: '1', permissions: ['scripting', 'tabs'], host_permissions: ['<all_urls>'],
    background: { service_worker: 'worker.js' }, message_serialization: 'structured_clone', minimum_chrome_version: '148',
  }));
  return dir;
}

const ours = join(root, 'dist/chromium');
const theirs = helper();
const context = await chromium.launchPersistentContext(profile, {
  executablePath: chromiumProgram(), headless: true, ignoreDefaultArgs: ['--disable-extensions'], viewport: { width: 1280, height: 800 },
  args: ['--no-sandbox', '--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', `--disable-extensions-except=${ours},${theirs}`, `--load-extension=${ours},${theirs}`],
});

async function workers() {
  for (let i = 0; i < 100; i++) {
    const all = context.serviceWorkers();
    const hub = all.find(w => w.url().endsWith('/shell.js'));
    const help = all.find(w => w.url().endsWith('/worker.js'));
    if (hub && help) return { hub, help };
    await sleep(100);
  }
  throw new Error('the extensions did not start');
}
const { hub, help } = await workers();
const site = await serve(Object.fromEntries([
  ...Object.entries({ ...WORKLOADS, ...SIZES }).map(([name, { page }]) => [`/${name}`, page()]),
  ...Object.entries(ARMING).map(([name, page]) => [`/arming/${name}`, page]),
]));
const burn = '(() => { let n = 0; for (let i = 0; i < 6e7; i++) n += Math.sqrt(i); return n > 0; })()';
for (let i = 0; i < 100 && !(await hub.evaluate('typeof wasm_bindgen !== "undefined" && !!wasm_bindgen.initSync')); i++) await sleep(100);
await sleep(500);
const hubPid = counts ? await owner(profile, () => hub.evaluate(burn)) : 0;

/** Asks the hub as the side panel does. */
const panel = request => hub.evaluate(request => new Promise((done, fail) => wasm_bindgen.event('message', [{ panel: request }, { url: chrome.runtime.getURL('ui/panel.html'), id: chrome.runtime.id }, answer => (answer.error ? fail(new Error(answer.error)) : done(answer.ok))])), request);

/** A session's log as stored: numbers, and values in Base64. */
const stored = (session, from) => hub.evaluate(async ([session, from]) => {
  const db = await new Promise((done, fail) => { const r = indexedDB.open('tracerule'); r.onsuccess = () => done(r.result); r.onerror = () => fail(r.error); });
  const got = request => new Promise((done, fail) => { request.onsuccess = () => done(request.result); request.onerror = () => fail(request.error); });
  const log = db.transaction('log').objectStore('log');
  const range = IDBKeyRange.bound([session, from], [session, []]);
  const [keys, values] = await Promise.all([got(log.getAllKeys(range)), got(log.getAll(range))]);
  db.close();
  const bytes = value => (typeof value === 'string' ? new TextEncoder().encode(value) : value);
  return keys.map((key, i) => [key[1], bytes(values[i]).toBase64(), typeof values[i] === 'string']);
}, [session, from]);

// ---- one measurement

/** Waits until the thread does next to nothing. */
async function rest(cpu) {
  let calm = 0;
  for (let i = 0; i < 100 && calm < 3; i++) {
    const before = cpu();
    await sleep(120);
    calm = cpu() - before < 4 ? calm + 1 : 0;
  }
}

async function begin(recorder, page, url) {
  const tab = await hub.evaluate(async url => (await chrome.tabs.query({})).find(t => t.url === url).id, url);
  if (recorder.ours) {
    await hub.evaluate(blind => { globalThis.benchCapture ??= chrome.tabs.captureVisibleTab; chrome.tabs.captureVisibleTab = blind ? () => Promise.reject(new Error('no pictures in this measurement')) : benchCapture; }, recorder.blind ?? false);
    const status = await panel({ ask: 'start', tab, role: 'reference' });
    return { session: status.session };
  }
  if (!recorder.world) return {};
  await help.evaluate(async ([tab, world]) => {
    await chrome.scripting.executeScript({ target: { tabId: tab }, world, files: ['before-rrweb.js', 'rrweb.js'] });
  }, [tab, recorder.world]);
  return { tab };
}

/** rrweb's bundle is there by now: only its own start counts. */
const record = (recorder, tab) => help.evaluate(([tab, world, json]) => chrome.scripting.executeScript({
  target: { tabId: tab }, world, args: [json],
  func: json => {
    globalThis.benchEvents = [];
    globalThis.benchStop = rrweb.record({ emit: json ? e => benchEvents.push(JSON.stringify(e)) : e => benchEvents.push(e) });
  },
}), [tab, recorder.world, recorder.json]);
const mark = (recorder, tab) => help.evaluate(([tab, world]) => chrome.scripting.executeScript({ target: { tabId: tab }, world, func: () => { globalThis.benchMark = benchEvents.length; } }), [tab, recorder.world]);
const events = async (recorder, tab) => (await help.evaluate(([tab, world]) => chrome.scripting.executeScript({
  target: { tabId: tab }, world,
  func: () => `[${benchEvents.slice(globalThis.benchMark ?? 0).map(e => (typeof e === 'string' ? e : JSON.stringify(e))).join(',')}]`,
}), [tab, recorder.world]))[0].result;

async function work(page, load) {
  if (load.keys) {
    await page.click('#field');
    for (let i = 0; i < load.keys; i++) await page.keyboard.press('the quick brown fox jumps over a lazy dog '[i % 42] === ' ' ? 'Space' : 'the quick brown fox jumps over a lazy dog '[i % 42]);
  } else if (load.clicks) {
    const at = await page.evaluate(`[...document.querySelectorAll('.act')].slice(0, 20).map(e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })`);
    for (let i = 0; i < load.clicks; i++) await page.mouse.click(...at[i % at.length]);
  } else {
    await page.evaluate('go()');
  }
}

/** What is left to be done late: Tracerule looks at a page that changes by itself 3 s after its last look. */
const LATE_MS = 3600;

async function measure(name, load, kind, traced) {
  const recorder = RECORDERS[kind];
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  try {
    const url = `${site.url(`/${name}`)}?${kind}`;
    await page.goto(url, { waitUntil: 'load' });
    await devtools.send('Performance.enable');
    const pid = counts ? await owner(profile, () => page.evaluate(burn)) : 0;
    const metric = async () => Object.fromEntries((await devtools.send('Performance.getMetrics')).metrics.map(m => [m.name, m.value]));
    const cpu = () => (counts ? thread(pid) : 0);
    const spent = async () => (counts ? thread(pid) : (await metric()).TaskDuration * 1000);
    await rest(cpu);
    let { session, tab } = load.start && recorder.ours ? {} : await begin(recorder, page, url);
    if (!load.start && tab) await record(recorder, tab);
    if (!load.start) {
      await rest(cpu);
      if (recorder.ours) await sleep(600);
      if (tab) await mark(recorder, tab);
    }
    const from = session ? (await stored(session, 0)).reduce((n, [k]) => Math.max(n, k + 1), 0) : 0;
    await devtools.send('HeapProfiler.collectGarbage');
    const heap = (await metric()).JSHeapUsedSize;
    const tracing = traced && await trace(devtools);
    await sleep(100);
    if (options.profile) { await devtools.send('Profiler.enable'); await devtools.send('Profiler.setSamplingInterval', { interval: 100 }); await devtools.send('Profiler.start'); }
    const [start, worker] = [await spent(), counts ? whole(hubPid) : 0];
    if (load.start) {
      if (recorder.ours) ({ session } = await begin(recorder, page, url));
      else if (tab) await record(recorder, tab);
    } else {
      await work(page, load);
    }
    await sleep(load.keys || load.clicks ? 1000 : LATE_MS);
    if (counts) await rest(cpu);
    const result = { cpu: await spent() - start, worker: counts && recorder.ours ? whole(hubPid) - worker : 0 };
    if (options.profile) show((await devtools.send('Profiler.stop')).profile);
    if (tracing) Object.assign(result, await tracing(pid));
    await devtools.send('HeapProfiler.collectGarbage');
    result.heap = (await metric()).JSHeapUsedSize - heap;
    if (session) {
      result.log = await stored(session, 0);
      result.from = from;
      result.wasm = await hub.evaluate('wasm_bindgen.initSync({}).memory.buffer.byteLength');
      await panel({ ask: 'stop' });
    } else if (tab) {
      result.events = await events(recorder, tab);
    }
    return result;
  } finally {
    await page.close();
  }
}

/** Where the time went, function by function. */
function show(profile) {
  const self = new Map();
  const byId = new Map(profile.nodes.map(n => [n.id, n]));
  profile.samples.forEach((id, i) => {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    const name = `${functionName || '(anonymous)'} ${url.split('/').at(-1)}:${lineNumber + 1}`;
    self.set(name, (self.get(name) ?? 0) + profile.timeDeltas[i] / 1000);
  });
  for (const [name, ms] of [...self].sort((a, b) => b[1] - a[1]).slice(0, options.profile)) if (!name.startsWith('(idle)')) say(`  ${ms.toFixed(1).padStart(8)} ms ${name}`);
}

/** Traces the page's main thread; the answer ends that and says its longest task and its input events, by CPU. */
async function trace(devtools) {
  const all = [];
  devtools.on('Tracing.dataCollected', ({ value }) => all.push(...value));
  await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'], excludedCategories: ['*'] } });
  return async pid => {
    const done = new Promise(end => devtools.once('Tracing.tracingComplete', end));
    await devtools.send('Tracing.end');
    await done;
    const mine = all.filter(e => e.ph === 'X' && (pid ? e.pid === pid && e.tid === pid : true) && e.tdur !== undefined);
    if (options.events) {
      const sums = new Map();
      // Own time: what is nested is another event's.
      const open = [];
      for (const e of mine.filter(e => e.tts !== undefined).sort((a, b) => a.tts - b.tts || b.tdur - a.tdur)) {
        while (open.length && open.at(-1).tts + open.at(-1).tdur <= e.tts) open.pop();
        const name = e.name + (e.name === 'FunctionCall' ? ` ${e.args.data?.functionName} ${e.args.data?.url?.split('/').at(-1)}` : e.name === 'EventDispatch' ? ` ${e.args.data?.type}` : '');
        const sum = sums.get(name) ?? { own: 0, n: 0 };
        sum.own += e.tdur / 1000; sum.n += 1;
        sums.set(name, sum);
        if (open.length) sums.get(open.at(-1).label).own -= e.tdur / 1000;
        open.push(Object.assign(e, { label: name }));
      }
      for (const [name, { own, n }] of [...sums].sort((a, b) => b[1].own - a[1].own).slice(0, options.events)) say(`  ${own.toFixed(1).padStart(8)} ms ${String(n).padStart(6)} ${name}`);
    }
    const tasks = mine.filter(e => /RunTask$/.test(e.name)).map(e => e.tdur / 1000);
    const inputs = mine.filter(e => e.name === 'EventDispatch' && /^(?:pointer|mouse|key|click|input|change|dblclick|auxclick)/.test(e.args?.data?.type ?? '')).map(e => e.tdur / 1000).sort((a, b) => a - b);
    return { longest: Math.max(0, ...tasks), inputs: inputs.length, p95: inputs[Math.floor(inputs.length * 0.95)] ?? 0 };
  };
}

/** How long the sensor takes, from its first line to the whole document read, in ms. */
async function arming() {
  const found = { page: [], frame: [] };
  for (let i = 0; i < (quick ? 3 : 9); i++) {
    for (const name of ['page', 'frames']) {
      const page = await context.newPage();
      const url = `${site.url(`/arming/${name}`)}?${i}`;
      await page.goto(url, { waitUntil: 'load' });
      await sleep(200);
      const times = await help.evaluate(async ([url, files]) => {
        const tab = (await chrome.tabs.query({})).find(t => t.url === url).id;
        const target = { tabId: tab, allFrames: true };
        await chrome.scripting.executeScript({ target, files });
        return (await chrome.scripting.executeScript({ target, func: () => [window === top, benchArmed] })).map(r => r.result);
      }, [url, ['before-sensor.js', ...sensor.map(s => s), 'after-sensor.js']]);
      for (const [top, ms] of times) if (top === (name === 'page')) found[top ? 'page' : 'frame'].push(ms);
      await page.close();
    }
  }
  return found;
}

// ---- all of them, in turns

const result = { counts, quick, rounds, browser: await (await context.newPage()).evaluate('navigator.userAgent'), workloads: {}, sizes: {}, traced: {} };
try {
  const chosen = list => Object.entries(list).filter(([name]) => only.length === 0 || only.some(o => name.includes(o)));
  const kinds = Object.keys(RECORDERS).filter(kind => !(quick && kind.endsWith('_json')) && (!options.kinds || options.kinds.includes(kind)));
  const series = async (list, kinds, into) => {
    for (let round = 0; round < rounds; round++) {
      for (const [name, load] of chosen(list)) {
        const turn = kinds.map((_, i) => kinds[(i + round) % kinds.length]);
        for (const kind of turn) {
          const one = await measure(name, load, kind, false);
          say(`${round + 1}/${rounds} ${name} ${kind}: ${one.cpu.toFixed(1)} ms`);
          ((into[name] ??= { title: load.title, keys: load.keys, clicks: load.clicks, kinds: {} }).kinds[kind] ??= []).push(one);
          // Bytes are the same in every round.
          if (round > 0) { delete one.log; delete one.events; }
        }
      }
    }
  };
  if (only.length === 0 || only.includes('arming')) result.arming = await arming();
  if (!options.events) await series(WORKLOADS, kinds, result.workloads);
  if (!options.events) await series(SIZES, kinds.filter(kind => kind === 'none' || kind === 'tracerule'), result.sizes);
  if (!options.notrace) for (const [name, load] of chosen({ ...WORKLOADS, ...SIZES })) {
    for (const kind of kinds.filter(kind => ['none', 'tracerule', ...(name in WORKLOADS ? ['rrweb_main'] : [])].includes(kind))) {
      const { longest, p95, inputs } = await measure(name, load, kind, true);
      say(`traced ${name} ${kind}: longest ${longest.toFixed(1)} ms, p95 ${p95.toFixed(2)} ms of ${inputs}`);
      (result.traced[name] ??= {})[kind] = { longest, p95, inputs };
    }
  }
} finally {
  await context.close();
  site.close();
  rmSync(temporary, { recursive: true, force: true });
}
writeFileSync(options.out, JSON.stringify(result));
