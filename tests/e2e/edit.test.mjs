// A recording is edited by hand in the panel of the installed extension: while it is made, when it is stored, and
// after it went out as a file and came back. What comes out is linted, and replayed to the goal.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { chromiumProgram } from '../lib/browsers.mjs';
import { background, root, scratch, steps as shown, tracerule, until } from '../lib/companion.mjs';
import { serve } from '../lib/serve.mjs';

const DIST = join(process.env.TRACERULE_DIST ?? join(root, 'dist'), 'chromium');
const CARD = '4111 1111 1111 1111';
// The number, or a text that begins as it does; other numbers may hold these digits too.
const TRACES_OF_CARD = /4111 1|1111 1111|"4111/;
const pages = {
  '/': `<!doctype html><title>Order</title><style>body{font:16px sans-serif}label{display:block}</style>
    <label>Name <input id=name></label><label>City <input id=city></label>
    <label>Note <input id=note></label><button id=help>Help</button>
    <label><input type=checkbox id=gift> Gift</label>
    <button id=send>Send</button>
    <p><output id=out></output> <span id=echo></span></p>
    <script>const of = id => document.getElementById(id);
      of('note').oninput = () => of('echo').textContent = of('note').value;
      of('send').onclick = () => of('out').textContent = 'sent ' + of('name').value + ' to ' + of('city').value + (of('gift').checked ? ' as a gift' : '');</script>`,
};

let site, context, panel, app, profile, worker;
const problems = [];

before(async () => {
  site = await serve(pages);
  profile = mkdtempSync(join(tmpdir(), 'tracerule-edit-'));
  const id = readFileSync(join(root, 'extension/ID'), 'utf8').trim();
  context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumProgram(),
    headless: false, // The new headless mode is asked for below; the old one takes no extensions.
    ignoreDefaultArgs: ['--disable-extensions'],
    args: ['--no-sandbox', '--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', `--disable-extensions-except=${DIST}`, `--load-extension=${DIST}`],
  });
  app = await context.newPage();
  await app.goto(site.url('/'));
  panel = await context.newPage();
  panel.on('pageerror', error => problems.push(String(error)));
  await panel.goto(`chrome-extension://${id}/ui/panel.html`);
  await panel.locator('.record-button:enabled').waitFor();
  worker = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker');
});

after(async () => {
  await context?.close();
  site?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Clicks in the panel by script: in a panel beside the page the page stays in front. */
const press = (selector, text) => panel.evaluate(([selector, text]) => {
  const found = [...document.querySelectorAll(selector)].filter(each => !text || each.textContent.includes(text) || each.ariaLabel?.includes(text));
  if (!found.length) throw new Error(`nothing in the panel fits ${selector} ${text ?? ''}`);
  found[0].click();
}, [selector, text]);
const lines = () => panel.locator('.step .line').allTextContents();
const reach = wanted => until(async () => { const now = await lines(); return now.length === wanted.length && now.every((line, i) => line.includes(wanted[i])); }, `steps ${wanted}`)
  .catch(async error => { throw new Error(`${error.message}; there are ${JSON.stringify(await lines())}`); });
/** Opens a row and presses one of its tools. */
const tool = async (n, text) => {
  const row = `#head-${n}`;
  if (await panel.locator(row).getAttribute('aria-expanded') === 'false') await press(row);
  await panel.locator(`.step:has(${row}) .tools`).waitFor({ state: 'attached' });
  await press(`.step:has(${row}) .tools button`, text);
};
/** A key pressed in a row. */
const key = (n, name, more = {}) => panel.evaluate(([n, name, more]) => {
  const row = document.getElementById(`head-${n}`);
  row.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more }));
}, [n, name, more]);
/** A hotkey of the browser, as its event reaches the extension. */
const hotkey = name => worker.evaluate(name => wasm_bindgen.event('command', [name]), name);
const type = async (id, text) => { await app.locator(`#${id}`).click(); await app.keyboard.type(text); };

async function download(dir, name, press) {
  const waiting = panel.waitForEvent('download');
  await press();
  const file = join(dir, name);
  copyFileSync(await (await waiting).path(), file);
  return file;
}

/** Every byte of a trace's files, as one; its pages as they are and unpacked. */
function wholeTrace(file) {
  const script = 'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nsys.stdout.buffer.write(b"".join(z.read(n) for n in z.namelist()))';
  return Buffer.concat([execFileSync('python3', ['-c', script, file], { maxBuffer: 1 << 28 }), Buffer.from(tracerule('show', file, '--log').stdout)]);
}
const json = (...args) => { const r = tracerule(...args); return { status: r.status, ...JSON.parse(r.stdout) }; };
const named = list => list.map(s => `${s.action} ${s.name}`);

test('edited while recording, when stored and when imported; linted; replayed to the goal', { timeout: 300_000 }, async t => {
  const dir = scratch(t);

  // Record, with a step that does nothing, a secret in clear, and the last two the wrong way round.
  await app.bringToFront();
  await press('.record-button');
  await panel.locator('.now').waitFor({ state: 'attached' });
  await type('name', 'Ada');
  await app.locator('#help').click();
  await type('note', CARD);
  await app.locator('#send').click();
  await app.locator('#gift').click();
  const first = ['Name', 'Name', 'Help', 'Note', 'Note', 'Send', 'Gift'];
  await reach(first);

  // Live lint: the card number and the click in vain.
  await panel.locator('.finding.bad').waitFor({ state: 'attached' });
  assert.match(await panel.locator('.finding.bad').first().textContent(), /looks like a card number/);
  await panel.locator('.step:has(#head-2) .finding.warn').waitFor({ state: 'attached' });

  // Insert in the middle, while paused.
  await press('.buttons button', 'Pause');
  await panel.locator('.record.paused').waitFor({ state: 'attached' });
  await app.locator('#city').click();
  await tool(1, 'Record here');
  await panel.locator('.piece').waitFor({ state: 'attached' });
  await app.locator('#city').click();
  await app.keyboard.type('London');
  await reach(['Name', 'Name', 'City', 'City', 'Help', 'Note', 'Note', 'Send', 'Gift']);
  await press('#piece-done');
  await panel.locator('.record.paused').waitFor({ state: 'attached' });

  // Re-record one.
  await app.locator('#name').click();
  await app.locator('#name').evaluate(field => { field.value = ''; });
  await tool(1, 'Record again');
  await panel.locator('.piece').waitFor({ state: 'attached' });
  await app.keyboard.type('Grace');
  await panel.locator('.step .value', { hasText: 'Grace' }).waitFor({ state: 'attached' });
  await press('#piece-done');
  await panel.locator('.piece').waitFor({ state: 'detached' });
  const again = ['Name', 'Name', 'City', 'City', 'Help', 'Note', 'Note', 'Send', 'Gift'];
  await reach(again);

  // Delete by the one key of its finding, undo, redo.
  await key(4, 'f');
  const without = again.toSpliced(4, 1);
  await reach(without);
  await press('#undo');
  await reach(again);
  await press('#redo');
  await reach(without);
  // Move the gift before the sending.
  await key(7, 'ArrowUp', { altKey: true });
  const edited = ['Name', 'Name', 'City', 'City', 'Note', 'Note', 'Gift', 'Send'];
  await reach(edited);

  // Annotate by hotkeys: the last step that was done is the new name.
  await press('.buttons button', 'Resume');
  await panel.locator('.record.recording').waitFor({ state: 'attached' });
  await hotkey('mark-key-node');
  await panel.locator('.step:has(#head-1) .mark.reference').waitFor({ state: 'attached' });
  await hotkey('annotate-intent');
  await panel.locator('#intent-1').waitFor({ state: 'attached' });
  await panel.evaluate(() => {
    const field = document.querySelector('#intent-1');
    field.value = 'Name who pays';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
  await press('.annotate .primary');
  await panel.locator('.intent', { hasText: 'Name who pays' }).waitFor({ state: 'attached' });

  // A panel that is closed and opened again has lost nothing.
  await panel.reload();
  await reach(edited);
  assert.equal(await panel.locator('#undo').isEnabled(), true);

  // Mask the card number: asked first, and for good.
  await press('.finding.bad button', 'Mask');
  await press('.finding.bad .confirm .stop');
  await panel.locator('.step:has(#head-5) .value', { hasText: '••••' }).waitFor({ state: 'attached' });

  await press('.buttons .stop');
  await panel.locator('.saved').waitFor({ state: 'attached' });
  await reach(edited);
  const file = await download(dir, 'edited.trace.zip', () => press('.saved button', 'Export'));

  const got = shown(file);
  assert.deepEqual(named(got), ['click Name', 'fill Name', 'click City', 'fill City', 'click Note', 'fill Note', 'check Gift', 'click Send']);
  assert.deepEqual(got.map(s => s.seq), got.map((_, n) => n));
  assert.deepEqual([got[1].value, got[3].value, got[5].value, got[5].secret], ['Grace', 'London', '••••••••', true]);
  const all = wholeTrace(file);
  assert.doesNotMatch(all.toString('latin1'), TRACES_OF_CARD, 'the number is nowhere in the file, nor its beginnings');
  const kept = () => panel.evaluate(async () => {
    const database = await new Promise(done => { indexedDB.open('tracerule').onsuccess = event => done(event.target.result); });
    const texts = [];
    for (const store of ['sessions', 'log', 'events']) {
      texts.push(...await new Promise(done => { database.transaction(store).objectStore(store).getAll().onsuccess = event => done(event.target.result); }));
    }
    database.close();
    return texts.map(each => typeof each === 'string' ? each : [...new TextDecoder('latin1').decode(each)].join('')).join('\n');
  });
  await until(async () => !TRACES_OF_CARD.test(await kept()), 'the store to be without it as well');
  const events = kind => tracerule('show', file, '--events', kind).stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));
  assert.deepEqual(events('edit').map(edit => edit.op), ['segment', 'segment', 'delete', 'move', 'annotate', 'annotate', 'mask']);
  assert.deepEqual(events('step').map(s => s.origin?.edits ?? []), [[], ['replaced', 'annotated'], ['inserted'], ['inserted'], [], ['masked'], ['moved'], []]);
  assert.deepEqual(events('step')[1].annotation, { intent: 'Name who pays', key_node: true });
  assert.deepEqual(events('original').filter(s => s.target.name === 'Name').map(s => s.value), ['Ada', 'Grace']);
  const lint = json('lint', file, '--json');
  assert.deepEqual([lint.status, lint.errors, lint.findings.filter(found => ['secret-typed', 'no-effect'].includes(found.rule))], [0, 0, []]);

  // The edited recording leads to the goal.
  const out = join(dir, 'again.trace.zip');
  const replay = await background(['replay', file, '--headless', '--secret', 'nothing', '--out', out]);
  assert.equal(replay.status, 0, replay.stdout + replay.stderr);
  assert.ok(tracerule('show', out, '--dom').stdout.includes('sent Grace to London as a gift'), 'the goal is reached');

  // The stored session: a step is put at its end, in the tab in front. What was masked there is secret from now on.
  await app.reload();
  await press('[role=tab]', 'Traces');
  await panel.locator('.trace').waitFor({ state: 'attached' });
  await press('.trace button', 'Edit');
  await panel.locator('.opened').waitFor({ state: 'attached' });
  await app.bringToFront();
  await tool(7, 'Record here');
  await panel.locator('.piece').waitFor({ state: 'attached' });
  await type('note', CARD);
  const longer = [...edited, 'Note', 'Note'];
  await reach(longer);
  await press('#piece-done');
  await panel.locator('.record.idle').waitFor({ state: 'attached' });
  await reach(longer);
  assert.equal(await panel.locator('.step .value').last().textContent(), '••••••••');
  await press('#undo');
  await reach(edited);

  // The file, imported: its edits can be taken back, and a piece recorded into it.
  await press('[role=tab]', 'Traces');
  await panel.locator('input[type=file]').setInputFiles(file);
  await panel.locator('.trace').nth(1).waitFor({ state: 'attached' });
  await press('.trace:has(.mark.plain) button', 'Edit');
  await panel.locator('.opened').waitFor({ state: 'attached' });
  await reach(edited);
  for (let n = 0; n < 4; n++) { await press('#undo'); await until(async () => (await panel.locator('.bar .mark.edited').textContent()).endsWith(` ${6 - n}`), 'an undo'); }
  await reach(again);
  await app.bringToFront();
  await tool(8, 'Record here');
  await panel.locator('.piece').waitFor({ state: 'attached' });
  await app.locator('#send').click();
  await reach([...again, 'Send']);
  await press('#piece-done');
  await panel.locator('.record.idle').waitFor({ state: 'attached' });
  await press('[role=tab]', 'Traces');
  const more = await download(dir, 'more.trace.zip', () => press('.trace:has(.mark.plain) button', 'Export'));
  const last = shown(more);
  assert.deepEqual(named(last).slice(-3), ['click Send', 'check Gift', 'click Send']);
  assert.deepEqual([last.at(-1).tab, last.length], [0, 10]);
  assert.deepEqual(tracerule('show', more).stderr, '', 'a whole trace, with its pictures');
  assert.deepEqual(problems, []);
});
