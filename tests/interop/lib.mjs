// What the tests of formats share: one recording of the exam app with its goals, one of a page with frames, shadow
// roots and tabs, and the programs that run what is made of them.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { background, exe, freePort, record, root } from '../lib/companion.mjs';
import { chromiumProgram } from '../lib/browsers.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';

const xtask = process.env.TRACERULE_XTASK ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/xtask');

/** A folder within the repository, so that what is written there finds its packages. */
export function workshop() {
  mkdirSync(join(root, 'target'), { recursive: true });
  const dir = mkdtempSync(join(root, 'target', 'interop-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** What Chromium needs to run as root, without a network of its own. */
export const chromiumArgs = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Runs a program to its end; resolves with its code and output. */
export function finish(program, args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout: 180_000, ...options, env: { ...process.env, ...options.env } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => out += text);
    child.on('error', fail);
    child.on('close', status => done({ status, out }));
  });
}

/** The exam apps' server. */
export async function apps() {
  const server = spawn(xtask, ['serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())));
  return { url, close: () => server.kill() };
}

/** Records the expert doing the task of the exam app, with its goals. */
export async function recordOrders(url, out) {
  const port = String(await freePort());
  const recording = finish(exe, ['record', url, '--browser', 'chromium', '--headless', '--debug-port', port, '--out', out]);
  const expert = await finish('node', ['suite/orders/expert.mjs', port, url], { env: { EXPERT_PAUSE_MS: '350' } });
  const recorded = await recording;
  if (expert.status !== 0 || recorded.status !== 0) throw new Error(`no recording: ${expert.out}\n${recorded.out}`);
}

const page = `<!doctype html><title>Places</title><h1>Places</h1>
<p id=log></p><label>Name <input id=name></label><select aria-label="Colour"><option value=r>Red</option><option value=b>Blue</option></select>
<x-box></x-box><iframe id=near src="/near"></iframe><iframe id=far src="{other}/far"></iframe><a href="/second" target=_blank rel=opener>Second</a>
<script>
  const log = text => document.getElementById('log').textContent += text + ';';
  addEventListener('message', e => log(e.data));
  document.getElementById('name').addEventListener('change', e => log('name=' + e.target.value));
  document.querySelector('select').addEventListener('change', e => log('colour=' + e.target.value));
  customElements.define('x-box', class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: 'open' }).innerHTML = '<button>Inside</button><input aria-label="Deep">';
      this.shadowRoot.querySelector('button').addEventListener('click', () => log('inside'));
      this.shadowRoot.querySelector('input').addEventListener('change', e => log('deep=' + e.target.value));
    }
  });
</script>`;
const near = `<!doctype html><button onclick="parent.postMessage('near', '*')">Near</button><iframe src="/inner"></iframe>`;
const inner = `<!doctype html><label>City <input onchange="top.postMessage('city=' + this.value, '*')"></label>`;
const far = `<!doctype html><button onclick="top.postMessage('far', '*')">Far</button>`;
const second = `<!doctype html><title>Second</title><button onclick="opener.postMessage('second', '*')">Answer</button>`;

/** What the page's log must say in the end. */
export const placesDone = 'name=Ada;colour=b;inside;deep=x;near;city=Bonn;far;second;';

export const servePlaces = () => serve({
  '/': page, '/near': near, '/inner': inner, '/far': far,
  '/second': { body: second, headers: { 'cross-origin-opener-policy': 'unsafe-none' } },
});

/** Records every place of the page: fields, a list, a shadow root, frames of both kinds, another tab. */
export async function recordPlaces(server, out) {
  const recording = await record(server.url('/'), { out });
  const human = new Human(recording.page, 'chromium');
  await human.click('document.getElementById("name")');
  await human.type('Ada');
  await recording.page.getByLabel('Colour').focus();
  await human.press('ArrowDown');
  await human.click('document.querySelector("x-box").shadowRoot.querySelector("button")');
  await human.click('document.querySelector("x-box").shadowRoot.querySelector("input")');
  await human.type('x');
  await human.click('document.querySelector("button")', { frame: '/near' });
  await human.click('document.querySelector("input")', { frame: '/inner' });
  await human.type('Bonn');
  await human.click('document.querySelector("button")', { frame: '/far' });
  const opening = recording.browser.contexts()[0].waitForEvent('page');
  await human.click('document.querySelector("a")');
  const other = await opening;
  await other.waitForLoadState();
  await new Promise(done => setTimeout(done, 700));
  await new Human(other, 'chromium').click('document.querySelector("button")');
  const code = await recording.stop();
  if (code !== 0) throw new Error(`no recording: ${recording.log}`);
}

/** Converts; gives the loss report. */
export async function convert(input, output, ...args) {
  const r = await background(['convert', input, output, '--json', ...args]);
  if (r.status !== 0) throw new Error(`convert failed (${r.status}): ${r.stderr}`);
  return JSON.parse(r.stdout);
}

/** Runs a test of Playwright's in Chromium. */
export function playwrightTest(dir, file, env = {}) {
  const config = join(dir, 'playwright.config.mjs');
  writeFileSync(config, `export default { testDir: ${JSON.stringify(dir)}, reporter: 'line', workers: 1, timeout: 60000, outputDir: ${JSON.stringify(join(dir, 'out'))},
    use: { actionTimeout: 10000, launchOptions: { executablePath: ${JSON.stringify(chromiumProgram())}, args: ${JSON.stringify(chromiumArgs)} } } };\n`);
  return finish('node', [join(root, 'node_modules/@playwright/test/cli.js'), 'test', '--config', config, file], { env });
}

/** Playwright's own command on a trace: opens it and tells its actions, as one would at a terminal. */
export async function playwrightTrace(dir, ...args) {
  const r = await finish('node', [join(root, 'node_modules/playwright-core/cli.js'), 'trace', ...args], { cwd: dir });
  if (r.status !== 0) throw new Error(`playwright trace ${args.join(' ')}: ${r.out}`);
  return r.out;
}

export const read = file => readFileSync(file, 'utf8');
