// What is written is run by those it is written for, in Chromium, to the goal; what they write is read.
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer-core';
import { chromium } from 'playwright-core';
import { chromiumProgram } from '../lib/browsers.mjs';
import { steps, tracerule } from '../lib/companion.mjs';
import { apps, chromiumArgs, convert, finish, placesDone, playwrightTest, playwrightTrace, read, recordOrders, recordPlaces, servePlaces, workshop } from './lib.mjs';
import { python } from './python.mjs';

const shop = workshop();
const file = name => join(shop.dir, name);
const orders = file('orders.trace.zip');
const places = file('places.trace.zip');
let app, server;

before(async () => {
  app = await apps();
  server = await servePlaces();
  await recordOrders(app.url, orders);
  await recordPlaces(server, places);
}, { timeout: 180_000 });

after(() => {
  app?.close();
  server?.close();
  shop.remove();
});

/** Runs a flow with the real runner; `look` asks the page it left. */
async function replay(path, look) {
  const flow = parse(JSON.parse(read(path)));
  const browser = await puppeteer.launch({ executablePath: chromiumProgram(), args: chromiumArgs, headless: true });
  try {
    const page = (await browser.pages())[0];
    const runner = await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 15_000 }));
    assert.equal(await runner.run(), true);
    return await look(page);
  } finally {
    await browser.close();
  }
}

// When a field tells of its change depends on who leaves it, and how.
const said = log => log.split(';').sort();
const pattern = `^${said(placesDone).filter(Boolean).map(word => `(?=.*${word};)`).join('')}.*$`;
const anyOrder = `/${pattern}/`;

test('@puppeteer/replay runs our flow of the exam app to its goal', { timeout: 120_000 }, async () => {
  const loss = await convert(orders, file('orders.json'), '--to', 'puppeteer-replay');
  assert.equal(loss.steps.read, steps(orders).length);
  // The goals stand at the end of the flow: it fails when one does not hold.
  const seen = await replay(file('orders.json'), page => page.evaluate(() => document.body.innerText));
  assert.match(seen, /Settings saved/);
  assert.equal(loss.counts.major, 0, JSON.stringify(loss.items.filter(i => i.severity === 'major'), null, 1));
});

test('@puppeteer/replay runs our flow through frames, shadow roots and tabs', { timeout: 120_000 }, async () => {
  await convert(places, file('places.json'), '--to', 'puppeteer-replay');
  assert.deepEqual(said(await replay(file('places.json'), page => page.$eval('#log', e => e.textContent))), said(placesDone));
});

test('a flow comes back as it was, and what DevTools adds is kept', async () => {
  await convert(orders, file('o.json'), '--to', 'puppeteer-replay');
  const loss = await convert(file('o.json'), file('back.trace.zip'));
  assert.equal(loss.from, 'puppeteer-replay');
  const [there, back] = [orders, file('back.trace.zip')].map(f => steps(f).map(s => ({ ...s, pre: null, post: null, pre_shot: null, post_shot: null })));
  assert.deepEqual(back, there);
  const score = JSON.parse(tracerule('score', orders, file('back.trace.zip'), '--json').stdout).runs[0];
  assert.deepEqual([score.profiles.classic.score, score.profiles.strict.score], [1, 1]);

  writeFileSync(file('foreign.json'), JSON.stringify({ title: 'F', selectorAttribute: 'data-x', steps: [
    { type: 'setViewport', width: 800, height: 600, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false },
    { type: 'navigate', url: 'https://x.example/', assertedEvents: [{ type: 'navigation', url: 'https://x.example/', title: 'X' }] },
    { type: 'emulateNetworkConditions', download: 1, upload: 1, latency: 1 },
    { type: 'click', target: 'main', selectors: [['aria/Save[role="button"]'], ['#save'], ['text/Save']], offsetX: 3, offsetY: 4, duration: 50, future: { a: 1 } },
    { type: 'keyDown', key: 'Control' }, { type: 'keyDown', key: 'a' }, { type: 'keyUp', key: 'a' }, { type: 'keyUp', key: 'Control' },
    { type: 'customStep', name: 'other', parameters: { x: [1] } },
    { type: 'waitForElement', selectors: [['#done']], visible: true },
  ] }));
  const told = await convert(file('foreign.json'), file('foreign.trace.zip'));
  assert.deepEqual(steps(file('foreign.trace.zip')).map(s => [s.action, s.role, s.name, s.key]), [['click', 'button', 'Save', null], ['press', null, null, 'Control+A'], ['wait', '', '', null]]);
  assert.ok(told.items.some(i => i.field === 'future' && i.change === 'aside'));
  await convert(file('foreign.trace.zip'), file('again.json'), '--to', 'puppeteer-replay', '--plain');
  const again = JSON.parse(read(file('again.json')));
  assert.equal(again.selectorAttribute, 'data-x');
  const click = again.steps.find(s => s.type === 'click');
  assert.deepEqual([click.duration, click.future, click.offsetX, click.offsetY], [50, { a: 1 }, 3, 4]);
  assert.ok(again.steps.some(s => s.type === 'emulateNetworkConditions') && again.steps.some(s => s.name === 'other'));
  parse(again);
});

test('the generated Playwright tests pass', { timeout: 150_000 }, async () => {
  const loss = await convert(orders, file('orders.spec.ts'));
  assert.equal(loss.counts.major, 0, JSON.stringify(loss.items.filter(i => i.severity === 'major'), null, 1));
  await convert(places, file('places.spec.ts'));
  writeFileSync(file('places.spec.ts'), read(file('places.spec.ts')).replace(/\}\);\n$/, `  await expect(page.locator('#log')).toHaveText(${anyOrder});\n});\n`));
  const { status, out } = await playwrightTest(shop.dir, 'spec.ts');
  assert.equal(status, 0, `${out}\n${read(file('orders.spec.ts'))}\n${read(file('places.spec.ts'))}`);
  assert.match(out, /2 passed/);
});

test("Playwright's command opens our trace, and we read it back", { timeout: 60_000 }, async () => {
  const loss = await convert(orders, file('orders.playwright.zip'));
  assert.ok(!loss.items.some(i => i.field.endsWith('screenshot')), 'pictures are kept');
  await playwrightTrace(shop.dir, 'open', file('orders.playwright.zip'));
  const actions = await playwrightTrace(shop.dir, 'actions');
  for (const word of ['Alder', 'Click', 'Fill', 'Save changes']) assert.ok(actions.includes(word), `${word} in\n${actions}`);
  const id = /(\d+)\.?\s.*[Ff]ill/.exec(actions)?.[1];
  assert.ok(id, actions);
  assert.match(await playwrightTrace(shop.dir, 'action', id), /fill/i);
  await playwrightTrace(shop.dir, 'close');
  const back = await convert(file('orders.playwright.zip'), file('pw-back.trace.zip'));
  assert.equal(back.from, 'playwright-trace');
  assert.deepEqual(steps(file('pw-back.trace.zip')), steps(orders));
});

test('a trace that Playwright recorded is read', { timeout: 60_000 }, async () => {
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: chromiumArgs });
  const context = await browser.newContext();
  await context.tracing.start({ screenshots: true, snapshots: true, title: 'By Playwright' });
  const page = await context.newPage();
  await page.goto(server.url('/'));
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Colour').selectOption({ label: 'Blue' });
  await page.getByRole('button', { name: 'Inside' }).click({ modifiers: ['Shift'] });
  await page.locator('#near').contentFrame().getByRole('button', { name: 'Near' }).click();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Nowhere' }).click({ timeout: 200 }).catch(() => {});
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Second' }).click()]);
  await popup.getByRole('button', { name: 'Answer' }).dblclick();
  await context.tracing.stop({ path: file('t.zip') });
  await browser.close();
  const loss = await convert(file('t.zip'), file('t.trace.zip'));
  assert.equal(loss.from, 'playwright-trace');
  const got = steps(file('t.trace.zip'));
  assert.deepEqual(got.filter(s => s.action !== 'wait').map(s => [s.action, s.role || null, s.name || null, s.value ?? s.key, s.modifiers, s.frame, s.tab]), [
    ['fill', null, 'Name', 'Ada', [], [], 0],
    ['select', null, 'Colour', 'Blue', [], [], 0],
    ['click', 'button', 'Inside', null, ['Shift'], [], 0],
    ['click', 'button', 'Near', null, [], ['css=#near'], 0],
    ['press', null, null, 'Control+A', ['Control'], [], 0],
    ['click', 'button', 'Nowhere', null, [], [], 0],
    ['click', 'link', 'Second', null, [], [], 0],
    ['dblclick', 'button', 'Answer', null, [], [], 1],
  ]);
  const failed = got.find(s => s.name === 'Nowhere');
  assert.deepEqual([failed.outcome.status, failed.outcome.code], ['error', 'timeout']);
  assert.ok(got.every(s => s.t_ms > 1.7e12), 'wall clock');
  assert.ok(got.some(s => s.pre) && got.every((s, i) => i === 0 || s.t_ms >= got[i - 1].t_ms));
  assert.match(tracerule('show', file('t.trace.zip')).stdout, /By Playwright/);
  assert.equal(tracerule('score', file('t.trace.zip'), file('t.trace.zip'), '--json').status, 0);
});

test('the generated Python tests pass under pytest-playwright', { timeout: 900_000 }, async () => {
  await convert(orders, file('test_orders.py'), '--to', 'playwright-python');
  await convert(places, file('test_places.py'), '--to', 'playwright-python');
  writeFileSync(file('test_places.py'), `${read(file('test_places.py'))}    expect(page.locator("#log")).to_have_text(__import__("re").compile(${JSON.stringify(pattern)}))\n`);
  writeFileSync(file('conftest.py'), `import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": ${JSON.stringify(chromiumProgram())}, "args": ${JSON.stringify(chromiumArgs)}}
`);
  const { status, out } = await python(['-m', 'pytest', '-q', '-p', 'no:cacheprovider', shop.dir], { cwd: shop.dir });
  assert.equal(status, 0, `${out}\n${read(file('test_orders.py'))}\n${read(file('test_places.py'))}`);
  assert.match(out, /2 passed/);
});

test('codegen lines and .side projects come back as they were', { timeout: 60_000 }, async () => {
  for (const name of ['orders.codegen.jsonl', 'orders.side', 'places.codegen.jsonl', 'places.side']) {
    const from = name.startsWith('orders') ? orders : places;
    await convert(from, file(name));
    await convert(file(name), file('x.trace.zip'));
    const [there, back] = [from, file('x.trace.zip')].map(f => steps(f).map(s => ({ ...s, pre: null, post: null, pre_shot: null, post_shot: null })));
    assert.deepEqual(back, there, name);
  }
});

test("BrowserGym's own parser reads our actions", { timeout: 900_000 }, async () => {
  await convert(orders, file('orders.actions.py'));
  const script = 'import ast,sys\ntree=ast.parse(open(sys.argv[1]).read())\nprint(*[n.value.func.id for n in tree.body])';
  const { status, out } = await finish('python3', ['-c', script, file('orders.actions.py')]);
  assert.equal(status, 0, out);
  assert.match(out, /^goto click fill press click select_option/);
  // BrowserGym's own parser, which is one module of it.
  const own = 'import importlib.util,sys,os\n'
    + 'at=next(p for p in (os.path.join(d,"browsergym/core/action/parsers.py") for d in sys.path) if os.path.exists(p))\n'
    + 'spec=importlib.util.spec_from_file_location("parsers",at)\nm=importlib.util.module_from_spec(spec)\nspec.loader.exec_module(m)\n'
    + 'print(*[name for name,_ in m.highlevel_action_parser.parse_string(open(sys.argv[1]).read(), parse_all=True)])';
  assert.equal((await python(['-c', own, file('orders.actions.py')])).out, out, 'read alike');
  copyFileSync(file('orders.actions.py'), file('calls.txt'));
  const loss = await convert(file('calls.txt'), file('calls.trace.zip'));
  assert.equal(loss.from, 'browser-gym');
  assert.deepEqual(steps(file('calls.trace.zip')).map(s => s.action), steps(orders).map(s => s.action));
});

test('wrong use is told', async () => {
  const said = (...args) => { const r = tracerule('convert', ...args); assert.equal(r.status, 2, r.stderr); return r.stderr; };
  assert.match(said(orders, file('x.zip')), /may be tracerule or playwright-trace; say which with --to/);
  assert.match(said(orders, file('x.txt')), /say it with --to, one of/);
  writeFileSync(file('nonsense'), 'nonsense');
  assert.match(said(file('nonsense'), file('x.trace.zip')), /of no format that Tracerule knows by its content/);
  assert.match(said(file('nonsense'), file('x.trace.zip'), '--from', 'selenium-side'), /not a readable project of Selenium IDE/);
  assert.match(said(orders, file('x.trace.zip'), '--from', 'nope'), /there is no format "nope"/);
});
