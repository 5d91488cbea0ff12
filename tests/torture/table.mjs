// The torture table: plays the cases in both browsers into one recording each, cuts the recorded steps into
// cases by time, and says of each whether it gave exactly the right steps.
//
// A case, in a file of `cases/` by topic:
//   name      what a person does
//   page      the HTML of its page (or `{ body, headers, status }`); `{other}` is the same server as another site
//   pages     more pages, by their path below the case's own, which `{here}` in `page` stands for
//   act       the script: `[['click', 'save'], …]` calls the hand, an `async hand => …` has it whole
//   then      `[expression, value]` that must hold in the page afterwards: the input did what it should
//   expect    the steps, exactly these; each key given must be equal (`role` and `name` are the target's, `locator`
//             is one of its locators), a RegExp must match, a function must answer true
//   check     `(steps, {coverage, page, scroll}) => problem or nothing`, for what the steps do not hold
//   chromium, firefox   `{ cannot: reason }` where no protocol makes that input, `{ expect, then }` where it is another
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { record, scratch, sleep, tracerule } from '../lib/companion.mjs';
import { serve } from '../lib/serve.mjs';
import { Hand } from './hand.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** All cases, by the files of `cases/`; TORTURE keeps those whose `topic: name` it matches. */
export async function load(only = process.env.TORTURE) {
  const all = [];
  for (const file of readdirSync(join(here, 'cases')).filter(name => name.endsWith('.mjs')).sort()) {
    const { default: { topic, cases } } = await import(`./cases/${file}`);
    cases.forEach((one, i) => all.push({ ...one, topic, path: `/${file.replace('.mjs', '')}/${i}` }));
  }
  const names = all.map(one => `${one.topic}: ${one.name}`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`two cases are called "${twice}"`);
  return all.filter(one => !only || new RegExp(only, 'i').test(`${one.topic}: ${one.name}`));
}

const plain = { 'content-type': 'text/html; charset=utf-8' };

/** The torture page of a case: what it needs, and an output for what its listeners heard. */
const page = one => `<!doctype html><meta charset=utf-8><title>${one.name}</title>
<style>body{font:16px/1.4 sans-serif;margin:12px}</style>${(one.page ?? '').replaceAll('{here}', one.path)}`;

/** Every page of the cases, on one server with two names. */
export function stage(cases) {
  const pages = { '/start': '<!doctype html><title>Torture</title><h1>Torture</h1>' };
  for (const one of cases) {
    pages[one.path] = typeof one.page === 'object' ? one.page : { body: page(one), headers: plain };
    for (const [path, body] of Object.entries((typeof one.pages === 'function' ? one.pages() : one.pages) ?? {})) pages[`${one.path}${path}`] = body;
  }
  return serve(pages);
}

/** Whether a recorded step is the expected one: every key given must fit. */
function fits(step, expected) {
  const target = step.target ?? {};
  const facts = { ...step, role: target.role, name: target.name };
  return Object.entries(expected).every(([key, wanted]) => {
    if (key === 'locator') return (target.locators ?? []).some(locator => locator.value === wanted);
    const got = facts[key];
    if (wanted instanceof RegExp) return wanted.test(typeof got === 'string' ? got : JSON.stringify(got) ?? '');
    if (typeof wanted === 'function') return wanted(got, step);
    return JSON.stringify(got ?? null) === JSON.stringify(wanted);
  });
}

/** A step in a few words, for the table. */
export function words(step) {
  const target = step.target;
  const parts = [step.action, step.button && step.button !== 'left' ? step.button : '', step.count > 1 ? `×${step.count}` : '', step.key ?? ''];
  if (target) parts.push(target.role || target.tag, JSON.stringify(target.name));
  if (step.value != null) parts.push(`= ${JSON.stringify(step.value)}`);
  if (step.to) parts.push(`→ ${Math.round(step.to.x)},${Math.round(step.to.y)}`);
  return parts.filter(Boolean).join(' ');
}

const wanted = expected => Object.entries(expected).map(([key, value]) => `${key}=${value instanceof RegExp ? value : typeof value === 'function' ? 'f()' : JSON.stringify(value)}`).join(' ');

/** Plays every case in one browser. Gives a verdict for each, in order. */
export async function playAll(cases, browser, test) {
  const site = await stage(cases);
  const out = join(scratch(test), `${browser}.trace.zip`);
  const verdicts = new Map();
  const marks = [];
  try {
    const recording = await record(site.url('/start'), { browser, out });
    const hand = new Hand(recording, browser);
    let code;
    try {
      await hand.start();
      for (const one of cases) {
        const reason = one[browser]?.cannot;
        if (reason) { verdicts.set(one, { state: 'not possible', detail: reason }); continue; }
        const began = Date.now();
        marks.push({ one, began });
        try {
          await within(30_000, (async () => {
            await hand.open(site.url(one.path));
            await one.before?.(hand);
            await hand.play(one.act);
            await sleep(one.rest ?? 120);
            const then = one[browser]?.then === undefined ? one.then : one[browser].then;
            if (then) await hand.expect(then[0], then[1]);
          })());
        } catch (error) {
          verdicts.set(one, { state: 'wrong', detail: `not played: ${error.message.split('\n')[0]}` });
        }
        try { await one.after?.(hand); } catch { /* the next case opens its own page */ }
        if (process.env.TORTURE_TIMES) console.log(browser, one.name, Date.now() - began);
      }
    } finally { code = await recording.stop(); }
    if (code !== 0) throw new Error(`the recording did not end well (${code}): ${recording.log}`);
    const shown = tracerule('show', out, '--events', 'step');
    if (shown.status !== 0) throw new Error(shown.stderr);
    const steps = shown.stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
    const others = tracerule('show', out, '--events', 'coverage').stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
    const pages = tracerule('show', out, '--events', 'page').stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
    const scrolls = tracerule('show', out, '--events', 'scroll').stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
    marks.forEach(({ one, began }, i) => {
      if (verdicts.has(one)) return;
      const until = marks[i + 1]?.began ?? Infinity;
      const during = list => list.filter(event => event.t_ms >= began && event.t_ms < until);
      const own = during(steps);
      // Going to the case's page is no part of it.
      if (own[0]?.action === 'goto' && own[0].value?.endsWith(one.path)) own.shift();
      verdicts.set(one, judge(own, one[browser]?.expect ?? one.expect, { coverage: during(others), page: during(pages), scroll: during(scrolls) }, one));
    });
  } finally { site.close(); }
  return cases.map(one => verdicts.get(one));
}

function judge(steps, expected, events, one) {
  const right = steps.length === expected.length && steps.every((step, i) => fits(step, expected[i]));
  const problem = right ? one.check?.(steps, events) : undefined;
  if (right && !problem) return { state: 'right' };
  const list = steps.map(words).join('; ') || 'nothing';
  const off = steps.findIndex((step, i) => !expected[i] || !fits(step, expected[i]));
  const why = problem ?? (steps.length === expected.length ? `step ${off + 1} is not ${wanted(expected[off])}` : `${expected.length} expected: ${expected.map(wanted).join('; ')}`);
  return { state: 'wrong', detail: `${list} (${why})`, steps };
}

const within = (ms, doing) => {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error(`took longer than ${ms / 1000} s`)), ms); });
  return Promise.race([doing, late]).finally(() => clearTimeout(timer));
};

/** interaction | Chromium | Firefox */
export function print(cases, verdicts) {
  const browsers = Object.keys(verdicts);
  const cell = verdict => verdict.state === 'right' ? 'right' : verdict.state === 'wrong' ? 'WRONG' : verdict.state;
  const width = Math.max(...cases.map(one => one.name.length), 11);
  const lines = [`${'interaction'.padEnd(width)} | ${browsers.map(b => (b[0].toUpperCase() + b.slice(1)).padEnd(12)).join(' | ')}`];
  let topic;
  cases.forEach((one, i) => {
    if (one.topic !== topic) { topic = one.topic; lines.push(`-- ${topic}`); }
    lines.push(`${one.name.padEnd(width)} | ${browsers.map(b => cell(verdicts[b][i]).padEnd(12)).join(' | ')}`);
    for (const b of browsers) if (verdicts[b][i].detail) lines.push(`${' '.repeat(width)} |   ${b}: ${verdicts[b][i].detail}`);
  });
  for (const b of browsers) {
    const count = state => verdicts[b].filter(verdict => verdict.state === state).length;
    lines.push(`${b}: ${count('right')} right, ${count('wrong')} wrong, ${count('not possible')} not possible there, of ${verdicts[b].length - count('left out')}`);
  }
  return lines.join('\n');
}
