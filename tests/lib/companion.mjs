// Drives the companion and its browsers in tests: finds the program, starts a recording, plays the human.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** The companion: TRACERULE_EXE, else the newest build. */
export const exe = process.env.TRACERULE_EXE
  ?? [join(target, 'debug/tracerule'), join(target, 'release/tracerule')].find(existsSync)
  ?? join(target, 'debug/tracerule');

export const sleep = ms => new Promise(done => setTimeout(done, ms));

/** A folder that goes when the test does. */
export function scratch(test) {
  const dir = mkdtempSync(join(tmpdir(), 'tracerule-test-'));
  test?.after?.(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs the companion to its end. */
export function tracerule(...args) {
  const r = spawnSync(exe, args, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 180_000 });
  if (r.error) throw r.error;
  return r;
}

/** Runs the companion beside this process, whose own servers go on answering. */
export function background(args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(exe, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 180_000, ...options });
    const r = { status: null, stdout: '', stderr: '' };
    child.stdout.on('data', d => r.stdout += d);
    child.stderr.on('data', d => r.stderr += d);
    child.on('error', fail);
    child.on('close', status => done({ ...r, status }));
  });
}

/** The steps of a trace, as `tracerule show --json` prints them. */
export function steps(file) {
  const r = tracerule('show', file, '--json');
  if (r.status !== 0) throw new Error(`show failed: ${r.stderr}`);
  return r.stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
}

/** A port that is free now. */
export async function freePort() {
  const server = createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return port;
}

/** In the run of everything, long tables are sampled; a group asked for by its name runs the whole of them. */
export const sampled = Boolean(process.env.TRACERULE_SAMPLE) && !process.env.TRACERULE_WHOLE;

/** Waits until `probe` gives something truthy. */
export async function until(probe, what, ms = 30_000) {
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    try { last = await probe(); if (last) return last; } catch (error) { last = error; }
    await sleep(100);
  }
  throw new Error(`gave up waiting for ${what}: ${last}`);
}

/**
 * Starts `tracerule record` on a page and hands back its browser, driven with trusted input.
 * `page` is playwright's in Chromium, puppeteer's (WebDriver BiDi) in Firefox.
 */
export async function record(url, { browser = 'chromium', out, args = [] } = {}) {
  const port = await freePort();
  const child = spawn(exe, ['record', url, '--browser', browser, '--headless', '--debug-port', String(port), '--out', out, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const recording = { child, port, log: '', exited: new Promise(done => child.on('exit', code => done(code))) };
  child.stdout.on('data', d => recording.log += d);
  child.stderr.on('data', d => recording.log += d);
  try {
    if (browser === 'chromium') {
      recording.browser = await until(() => { if (child.exitCode !== null) throw new Error(recording.log); return chromium.connectOverCDP(`http://127.0.0.1:${port}`); }, 'the browser');
      recording.page = await until(() => recording.browser.contexts()[0].pages().find(p => p.url().startsWith(url.split('#')[0])), `the page (${recording.log})`);
      await recording.page.waitForLoadState('load');
    } else {
      // The companion ends its own BiDi session once the page is open; only then is there room for ours.
      recording.browser = await until(() => { if (child.exitCode !== null) throw new Error(recording.log); return puppeteer.connect({ browserWSEndpoint: `ws://127.0.0.1:${port}/session`, protocol: 'webDriverBiDi' }); }, `the browser (${recording.log})`, 60_000);
      recording.page = await until(async () => (await recording.browser.pages()).find(p => p.url().startsWith(url.split('#')[0])), `the page (${recording.log})`);
    }
    await until(() => recording.log.includes('Recording'), `recording to begin (${recording.log})`);
    await sleep(500);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  /** Ctrl-C; resolves with the exit code once the trace is saved. */
  recording.stop = async () => {
    await sleep(600);
    child.kill('SIGINT');
    const code = await Promise.race([recording.exited, sleep(30_000).then(() => { child.kill('SIGKILL'); return 'killed after 30 s'; })]);
    await (browser === 'chromium' ? recording.browser.close() : recording.browser.disconnect()).catch?.(() => {});
    return code;
  };
  return recording;
}

/** Whether a step is what was expected: every key given must be equal. */
export function fits(step, expected) {
  return Object.entries(expected).every(([key, value]) => JSON.stringify(step[key]) === JSON.stringify(value));
}

/** A step in one line, for messages. */
export const line = s => [s.action, s.role, JSON.stringify(s.name ?? undefined), s.key ?? '', s.value == null ? '' : `= ${s.value}`].filter(Boolean).join(' ');

/** Fails with both lists side by side unless the steps are exactly those expected. */
export function assertSteps(assert, got, expected) {
  const same = got.length === expected.length && got.every((step, i) => fits(step, expected[i]));
  if (!same) assert.fail(`steps differ\nexpected:\n${expected.map(e => `  ${JSON.stringify(e)}`).join('\n')}\ngot:\n${got.map(s => `  ${line(s)}`).join('\n')}`);
}
