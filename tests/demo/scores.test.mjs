// The demo's scores follow from what happened: the same agent does the same task with one habit at a time,
// and each metric moves the way that habit should move it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exe, freePort, root, steps, tracerule } from '../lib/companion.mjs';

const xtask = process.env.TRACERULE_XTASK ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/xtask');
const demo = readFileSync(join(root, 'xtask/src/demo.rs'), 'utf8');
const seed = /const SEED: &str = "(\d+)"/.exec(demo)[1];
const dir = mkdtempSync(join(tmpdir(), 'tracerule-demo-'));
const reference = join(dir, 'reference.trace.zip');
let server;

/** Runs a program in the repository to its end; resolves with its output. */
function finish(program, args, env = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => out += text);
    child.on('error', fail);
    child.on('exit', code => (code === 0 ? done(out) : fail(new Error(`${program} ${args.join(' ')}: exit ${code}\n${out}`))));
  });
}

before(async () => {
  server = spawn(xtask, ['serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())));
  const task = readFileSync(join(root, 'suite/orders/tasks/express.toml'), 'utf8');
  writeFileSync(join(dir, 'task.toml'), task.replaceAll('{base}', new URL(url).origin));
  const port = String(await freePort());
  const recording = finish(exe, ['record', url, '--browser', 'chromium', '--headless', '--debug-port', port, '--out', reference]);
  await Promise.all([recording, finish('node', ['suite/orders/expert.mjs', port, url])]);
}, { timeout: 120_000 });

after(() => {
  server?.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** The score of one run of the agent with these habits. */
async function attempt(name, habits = {}, perturb = 'none') {
  const out = join(dir, name);
  const table = await finish(exe, ['run', join(dir, 'task.toml'), '--agent', 'node suite/orders/agent.mjs', '--runs', '1', '--headless', '--seed', seed, '--perturb', perturb, '--out', out], habits);
  // The run had the extension's Wasm score it too, and compared the two reports as bytes.
  assert.match(table, /^run-0 .* agrees$/m, 'the extension and the companion score alike');
  assert.doesNotMatch(table, /DIFFERS/);
  const report = readFileSync(join(out, 'scores.json'), 'utf8');
  assert.equal(tracerule('score', reference, join(out, 'run-0.trace.zip'), '--json').stdout, report, 'scored again, the whole report is the same');
  const [score] = JSON.parse(report).runs;
  return { ...score, classic: score.profiles.classic, trace: steps(join(out, 'run-0.trace.zip')) };
}

const letters = list => list.map(step => step.action);
let clean;

test('the reference is what the expert did', () => {
  // A person clicks into a field before typing.
  assert.deepEqual(letters(steps(reference)), ['click', 'fill', 'press', 'click', 'select', 'click', 'fill', 'click', 'fill', 'check', 'click', 'click', 'click', 'select', 'click']);
});

test('a run without a fault', { timeout: 90_000 }, async () => {
  clean = await attempt('clean');
  assert.deepEqual(letters(clean.trace), letters(steps(reference)));
  assert.equal(clean.classic.distance, 0);
  assert.equal(clean.classic.score, 1);
  assert.deepEqual([clean.folded.reference.length, clean.folded.run.length], [3, 3], 'both click into their fields');
  assert.equal(clean.profiles.strict.score, 1);
  assert.equal(clean.hard, true);
  assert.equal(clean.soft, true);
  assert.equal(clean.step_efficiency, 1);
  assert.equal(clean.recovery_score, null, 'there was nothing to recover from');
});

test('a wrong click undone costs its two clicks, efficiency and the hard success', { timeout: 90_000 }, async () => {
  const run = await attempt('wrong', { WRONG_CLICK: '1' });
  assert.equal(run.classic.distance, clean.classic.distance + 6);
  assert.equal(run.steps, clean.steps + 2);
  assert.ok(run.step_efficiency < clean.step_efficiency);
  assert.equal(run.soft, true);
  assert.equal(run.hard, false);
});

test('redundant waits cost one each', { timeout: 90_000 }, async () => {
  const run = await attempt('waits', { WAITS: '3' });
  assert.equal(run.classic.distance, clean.classic.distance + 3);
  assert.ok(run.classic.score < clean.classic.score);
  assert.equal(run.soft, true);
});

test('a step left out loses the goal', { timeout: 90_000 }, async () => {
  const run = await attempt('skip', { SKIP_STEP: 'express' });
  assert.equal(run.classic.distance, clean.classic.distance + 3);
  assert.equal(run.soft, false);
  assert.equal(run.hard, false);
});

test('a pop-up dismissed at once is recovered from, and no anomaly', { timeout: 90_000 }, async () => {
  const run = await attempt('popup', {}, 'popup-only');
  assert.equal(run.recovery_score, 1);
  assert.equal(run.soft, true);
  assert.equal(run.hard, true);
});

test('a pop-up that the agent does not know how to dismiss', { timeout: 150_000 }, async () => {
  const run = await attempt('stuck', { IGNORE_POPUP: '1' }, 'popup-only');
  assert.equal(run.recovery_score, 0);
  assert.equal(run.soft, false);
  assert.ok(run.classic.score < clean.classic.score);
});
