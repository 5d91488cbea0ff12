// Real apps that nobody here wrote: an expert does a task of many steps in each, with trusted input, while Tracerule
// records. The steps must be exactly what was done, the app's own state must say that it was done, and replaying the
// trace in a fresh instance must bring that instance to the same state. README.md says what each task is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertSteps, background, line, record, sampled, scratch, steps, until } from '../lib/companion.mjs';
import { Expert } from './expert.mjs';
import { names, start } from './lib.mjs';

/** The events of a trace that are no steps. */
function events(file) {
  const script = 'import sys,zipfile\nsys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("trace.jsonl"))';
  const text = execFileSync('python3', ['-c', script, file], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return text.trim().split('\n').slice(1).map(l => JSON.parse(l)).filter(e => e.event !== 'step');
}

/** Targets that can be found tomorrow: a locator that matched once and rests on nothing that changes by itself. */
function assertLocators(got, frail) {
  for (const [i, step] of got.entries()) {
    if (!step.locators) continue;
    const sound = step.locators.some(l => l.matches === 1 && !l.volatile?.length);
    const known = frail.some(word => line(step).includes(word));
    assert.ok(sound || known, `step ${i}, ${line(step)}, has no lasting locator: ${JSON.stringify(step.locators, null, 1)}`);
  }
}

const only = process.env.APP?.split(',');
for (const name of names().filter(n => !only || only.includes(n))) {
  const { task } = await import(`./${name}/task.mjs`);
  describe(name, { concurrency: 1 }, () => {
    for (const browser of (process.env.BROWSER?.split(',') ?? (task.firefox ? (sampled ? ['firefox'] : ['chromium', 'firefox']) : ['chromium']))) {
      it(`${task.title}, in ${browser}`, { timeout: 300_000 }, async test => {
        const out = join(process.env.KEEP ?? scratch(test), `${name}-${browser}.trace.zip`);
        const expert = await recorded(test, name, task, browser, out);
        const got = steps(out);
        assertSteps(assert, got, expert.expected);
        assert.ok(got.every((s, i) => s.seq === i && s.trusted), 'numbered, and vouched for by the browser');
        assertLocators(got, task.frail ?? []);
        // The hand acts up to four times a second, and browsers let two pictures be taken: late and missing ones are told,
        // and no fault of the recording.
        const coverage = events(out).filter(e => e.event === 'coverage' && !['screenshot', 'late_screenshot'].includes(e.what)).map(e => `${e.what}: ${e.detail}`);
        const unexplained = coverage.filter(text => !(task.coverage ?? []).some(known => text.includes(known)));
        assert.deepEqual(unexplained, [], 'nothing was seen that could not be recorded');
        await replayed(test, name, task, browser, out);
      });
    }
  });
}

async function recorded(test, name, task, browser, out) {
  const app = await start(name);
  test.after(() => app.stop());
  const recording = await record(app.url, { browser, out });
  const expert = new Expert(recording.page, browser);
  let failed;
  try { await task.solve(expert, app); } catch (error) { failed = error; }
  if (failed && browser === 'chromium' && process.env.KEEP) await recording.page.screenshot({ path: join(process.env.KEEP, `${name}-failed.png`) }).catch(() => {});
  const code = await recording.stop();
  if (failed) throw failed;
  assert.equal(code, 0, recording.log);
  await judged(task, app, 'recording');
  await app.stop();
  return expert;
}

/** The state may be a moment late: apps save by and by. */
async function judged(task, app, when, told = '') {
  let why;
  await until(async () => { try { await task.judge(app); return true; } catch (error) { why = error; return false; } }, 'the state', 10_000)
    .catch(() => { throw new Error(`after the ${when} the app's state is not as it should be: ${why?.message}\n${told}`); });
}

async function replayed(test, name, task, browser, out) {
  const app = await start(name);
  test.after(() => app.stop());
  const args = ['replay', out, '--browser', browser, '--url', app.url, '--headless', '--patience', '60'];
  for (const secret of task.secrets ?? []) args.push('--secret', secret);
  for (const file of task.files ?? []) args.push('--file', file);
  if (process.env.KEEP) args.push('--out', join(process.env.KEEP, `${name}-${browser}-replay.trace.zip`));
  const replay = await background(args);
  const told = replay.stdout + replay.stderr;
  if (process.env.KEEP) console.log(told);
  assert.equal(replay.status, 0, told);
  await judged(task, app, 'replay', told);
  await app.stop();
}
