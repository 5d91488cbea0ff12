// Roles and names against a browser's own: many pages in one recorded tab, and what the mirror calls each element beside
// what Chromium's accessibility tree calls it. Prints a line for each set of pages and every disagreement.
// NAMES keeps the sets whose name contains it; NAMES_KEEP names a folder for the trace and Chromium's side.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { after, it } from 'node:test';
import { record, root, sampled, scratch, sleep, tracerule } from '../lib/companion.mjs';
import { serve } from '../lib/serve.mjs';
import { fetchPages, servePages } from '../miniwob/pages.mjs';
import { load, stage } from '../torture/table.mjs';
import { chromiumNames, groupBy, judge } from './tree.mjs';
import { known, pages as own } from './pages.mjs';

const xtask = process.env.TRACERULE_XTASK ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/xtask');
/** Pages shown at once, each in a frame of its own that is in view: what is out of view is not measured. */
const SHEET = 60;
const width = 2040;
const height = 3640;
/** Time for a page to come to rest and for the recorder to measure it, ms; for a whole sheet more. */
const REST_MS = 800;
const SHEET_REST_MS = 2500;

const closing = [];
after(() => closing.reverse().forEach(close => close()));

/** Serves a folder. */
async function serveFolder(folder) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.ttf': 'font/ttf' };
  const server = createServer((request, response) => {
    const file = join(folder, normalize(new URL(request.url, 'http://x').pathname));
    if (!file.startsWith(folder) || !existsSync(file)) { response.statusCode = 404; return response.end(); }
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(file));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  closing.push(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}`;
}

/** The exam app's address, as `cargo xtask serve` prints it. */
async function serveSuite() {
  const server = spawn(xtask, ['serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(() => server.kill());
  return new URL(await new Promise(done => server.stdout.once('data', text => done(String(text).trim()))));
}

/** Sets of pages: `urls` (or `[url, script to run there]`) are shown one after another, or in sheets of frames; `prepare` is run in every document. */
async function sets() {
  const names = await serve(Object.fromEntries(own.map(({ name, html }) => [`/${name}`, `<!doctype html><html lang=en><meta charset=utf-8><title>${name}</title><body>${html}`])));
  closing.push(names.close);
  const miniwob = await servePages();
  closing.push(miniwob.close);
  const tasks = readdirSync(join(fetchPages(), 'miniwob')).filter(file => file.endsWith('.html')).map(file => file.slice(0, -5)).sort();
  const cases = await load('');
  const torture = await stage(cases);
  closing.push(torture.close);
  const suite = await serveSuite();
  const orders = path => new URL(path, suite).href;
  const playwright = await serveFolder(join(root, 'node_modules/playwright-core/lib/vite'));
  return [
    { set: 'hard pages', hard: true, urls: own.map(({ name }) => names.url(`/${name}`)) },
    { set: 'exam app', urls: [suite.href, orders('order.html?id=10480&seed=7'), [orders('order.html?id=10480&seed=7'), 'document.querySelector("#confirm").showModal()'], orders('shipping.html?seed=7')] },
    { set: 'apps', urls: ['traceViewer/index.html', 'recorder/index.html', 'dashboard/index.html'].map(path => `${playwright}/${path}`) },
    { set: 'MiniWoB', sheets: true, urls: tasks.map(task => miniwob.url(task, 'names', 'names')), prepare: 'typeof core === "object" && core.startEpisodeReal?.()' },
    { set: 'torture', sheets: true, urls: cases.map(one => torture.url(one.path)) },
  ].filter(({ set }) => set.includes(process.env.NAMES ?? '') && !(sampled && set === 'torture'));
}

it('roles and names are those of Chromium\'s own tree', { timeout: 400_000 }, async test => {
  const all = await sets();
  const sheets = {};
  for (const { set, urls, sheets: inSheets } of all) {
    if (!inSheets) continue;
    for (let i = 0; i < urls.length; i += SHEET) {
      const frames = urls.slice(i, i + SHEET).map(url => `<iframe src="${url}" width=400 height=300></iframe>`);
      sheets[`/${encodeURI(set)}/${i / SHEET}`] = `<!doctype html><title>${set} ${i / SHEET}</title><style>body{margin:0;font-size:0}iframe{border:0}</style>${frames.join('')}`;
    }
  }
  const stand = await serve({ '/start': '<!doctype html><title>Names</title><h1>Names</h1>', ...sheets });
  closing.push(stand.close);

  const out = join(scratch(test), 'names.trace.zip');
  const recording = await record(stand.url('/start'), { out });
  const { page } = recording;
  page.on('dialog', dialog => dialog.dismiss().catch(() => {}));
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  const seen = [];
  /** Takes Chromium's side of all documents that are open. */
  const take = async (set, rest) => {
    // Where others use the machine too, all takes so much longer.
    await sleep(rest * Math.min(4, Math.max(1, loadavg()[0] / cpus().length)));
    const documents = groupBy(await chromiumNames(cdp), element => element.document);
    for (const elements of documents.values()) {
      const [{ url }] = elements;
      if (!url.startsWith(stand.url('/'))) seen.push({ set, url, elements });
    }
  };
  try {
    for (const { set, urls, sheets: inSheets, prepare } of all) {
      const stops = inSheets ? Object.keys(sheets).filter(path => path.startsWith(`/${encodeURI(set)}/`)).map(stand.url) : urls;
      for (const [url, script] of stops.map(stop => [stop].flat())) {
        await page.goto(url, { waitUntil: 'load', timeout: 30_000 });
        if (script) await page.evaluate(script);
        if (prepare) await Promise.all(page.frames().map(frame => frame.evaluate(prepare).catch(() => {})));
        await take(set, inSheets ? SHEET_REST_MS : REST_MS);
      }
    }
  } finally { assert.equal(await recording.stop(), 0, recording.log); }
  const shown = tracerule('show', out, '--names');
  assert.equal(shown.status, 0, shown.stderr);
  if (process.env.NAMES_KEEP) {
    mkdirSync(process.env.NAMES_KEEP, { recursive: true });
    copyFileSync(out, join(process.env.NAMES_KEEP, 'names.trace.zip'));
    writeFileSync(join(process.env.NAMES_KEEP, 'chromium.json'), JSON.stringify(seen));
  }
  const { lines, missed } = judge(shown.stdout, seen, known, all);
  console.log(lines.join('\n'));
  assert.deepEqual(missed, []);
});
