// What happens around a page, where it takes more than the torture page: agents that answer dialogs, pages that
// were open before, a process that dies, pages closed to extensions, addresses where nothing answers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { chromiumProgram } from '../lib/browsers.mjs';
import { assertSteps, background, freePort, record, root, scratch, sleep, steps, tracerule, until } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';

const pages = {
  '/ask': `<!doctype html><title>Ask</title><button onclick="out.textContent='confirmed '+confirm('Delete it?')">Delete</button>
    <button onclick="out.textContent='named '+prompt('Your name?','nobody')">Name</button><output id=out></output>`,
  '/nest': '<!doctype html><title>Nest</title><iframe title=One src="{other}/one" width=400 height=200></iframe><iframe title=Doc srcdoc="<button>In srcdoc</button>"></iframe><button id=top>Top</button>',
  '/one': '<!doctype html><title>One</title><iframe title=Two src="/two" width=300 height=100></iframe>',
  '/two': '<!doctype html><title>Two</title><div id=host></div><script>window.root=host.attachShadow({mode:"closed"});root.innerHTML="<button>Deep</button>"</script>',
  '/halt': '<!doctype html><title>Halt</title><button id=b onclick="alert(\'Stop here\')">Halt</button>',
  '/alive': '<!doctype html><title>Alive</title><button id=b>Alive</button>',
};

const events = (file, kind) => tracerule('show', file, '--events', kind).stdout.trim().split('\n').filter(Boolean).map(line => JSON.parse(line));

describe('around pages', { concurrency: 1 }, () => {
  let site;
  before(async () => { site = await serve(pages); });
  after(() => site.close());

  for (const browser of ['chromium', 'firefox']) {
    it(`an agent answers dialogs itself, in ${browser}`, { timeout: 180_000 }, async test => {
      const dir = scratch(test);
      writeFileSync(join(dir, 'task.toml'), `name = "ask"\nurl = ${JSON.stringify(site.url('/ask'))}\ngoal = "Answer"\n[limits]\nsteps = 30\nseconds = 90\n`);
      const script = [
        ['browser_snapshot', {}],
        ['browser_tabs', { action: 'list' }],
        ['browser_handle_dialog', { accept: true }],
        ['browser_click', { target: 'ref:button Delete' }],
        ['browser_click', { target: 'ref:button Name' }],
        ['browser_handle_dialog', { accept: true }],
        ['browser_click', { target: 'ref:button Name' }],
        ['browser_handle_dialog', { accept: true, promptText: 'Ada' }],
        ['browser_click', { target: 'ref:button Delete' }],
        ['browser_handle_dialog', { accept: false }],
      ];
      const r = await background(['run', join(dir, 'task.toml'), '--agent', `node ${JSON.stringify(join(root, 'tests/e2e/agents/mcp.mjs'))}`, '--browser', browser, '--headless', '--out', join(dir, 'out')], {
        env: { ...process.env, PROBE_STEPS: JSON.stringify(script), PROBE_OUT: join(dir, 'answers.json') },
      });
      const log = join(dir, 'out/run-0.agent.log');
      assert.equal(r.status, 0, `${r.stdout}${r.stderr}${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
      const [, , list, none, del, refused, accepted, ask, named, again, dismissed] = JSON.parse(readFileSync(join(dir, 'answers.json'), 'utf8'));
      assert.match(list.text, /### Open tabs\n- 0: \(current\) \[Ask\]/, 'one tab is listed, too');
      assert.equal(none.error, true);
      assert.match(none.text, /no dialog is open/);
      assert.match(del.text, /### Modal state\n- \["confirm" dialog with message "Delete it\?"\]: can be handled by browser_handle_dialog/);
      assert.equal(refused.error, true, 'nothing else is done while it is open');
      assert.match(refused.text, /a dialog of the browser is open \(confirm: "Delete it\?"\)/);
      assert.match(accepted.text, /confirmed true/);
      assert.match(ask.text, /\["prompt" dialog with message "Your name\?"\]/);
      assert.match(named.text, /named Ada/);
      assert.match(again.text, /"confirm" dialog/);
      assert.match(dismissed.text, /confirmed false/);
      const got = steps(join(dir, 'out/run-0.trace.zip')).filter(step => step.outcome.status !== 'error');
      assertSteps(assert, got, [
        { action: 'click', name: 'Delete', outcome: { status: 'ok' } },
        { action: 'dialog', actor: 'agent', dialog: { kind: 'confirm', message: 'Delete it?', accepted: true } },
        { action: 'click', name: 'Name', outcome: { status: 'ok' } },
        { action: 'dialog', value: 'Ada', dialog: { kind: 'prompt', message: 'Your name?', accepted: true, text: 'Ada' } },
        { action: 'click', name: 'Delete' },
        { action: 'dialog', dialog: { kind: 'confirm', message: 'Delete it?', accepted: false } },
      ]);
    });
  }

  it('where nothing answers it ends as infra, with code 3', { timeout: 180_000 }, async test => {
    const dir = scratch(test);
    const dead = `http://127.0.0.1:${await freePort()}/`;
    const recorded = await background(['record', dead, '--headless', '--out', join(dir, 'r.trace.zip')]);
    assert.equal(recorded.status, 3, recorded.stderr);
    assert.match(recorded.stderr, /infra: cannot record http:\/\/127\.0\.0\.1:\d+\/: .*could not be opened: .*CONNECTION_REFUSED.*Is its server running/);
    assert.equal(existsSync(join(dir, 'r.trace.zip')), false);
    writeFileSync(join(dir, 'task.toml'), `name = "dead"\nurl = "${dead}"\ngoal = "Nothing"\n`);
    const run = await background(['run', join(dir, 'task.toml'), '--agent', 'true', '--headless', '--out', join(dir, 'out')]);
    assert.equal(run.status, 3, run.stderr);
    assert.match(run.stderr, /infra: cannot open/);
  });

  it('a process that dies, a page closed to extensions, and the coverage line', { timeout: 180_000 }, async test => {
    const out = join(scratch(test), 'r.trace.zip');
    const recording = await record(site.url('/alive'), { out });
    let code;
    try {
      const human = new Human(recording.page, 'chromium');
      await human.click('b');
      await sleep(500);
      const cdp = await recording.page.context().newCDPSession(recording.page);
      cdp.send('Page.crash').catch(() => {});
      await sleep(2500);
      // Playwright gives a crashed page up; the browser itself goes on.
      const browser = await recording.browser.newBrowserCDPSession();
      const { targetInfos } = await browser.send('Target.getTargets');
      const { targetId } = targetInfos.find(info => info.type === 'page' && info.url.endsWith('/alive'));
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: false });
      const send = (method, params) => browser.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: 1, method, params }) });
      await send('Page.navigate', { url: site.url('/alive') });
      await sleep(2500);
      const at = { x: 30, y: 18, button: 'left', clickCount: 1 };
      await send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
      await send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
      await sleep(800);
      await send('Page.navigate', { url: 'chrome://version/' });
      await sleep(3500);
    } finally { code = await recording.stop(); }
    assert.equal(code, 0, recording.log);
    const got = steps(out).filter(step => step.action === 'click');
    assertSteps(assert, got, [{ name: 'Alive' }, { name: 'Alive' }]);
    assert.ok(events(out, 'page').some(event => event.what === 'crashed'), 'the crash is an event of the page');
    const coverage = events(out, 'coverage').map(event => event.what);
    assert.ok(coverage.includes('crash') && coverage.includes('forbidden'), coverage.join());
    const [line, ...more] = events(out, 'coverage_summary');
    assert.deepEqual(more, []);
    assert.ok(line.recorded >= 2 && line.forbidden === 1 && line.steps >= 2, JSON.stringify(line));
    assert.deepEqual(line.blind.map(({ url, top, access }) => ({ url, top, access })), [{ url: 'chrome://version/', top: true, access: 'forbidden' }]);
    const shown = tracerule('show', out).stdout;
    assert.match(shown, /\nCoverage\n {2}documents: \d+ recorded of \d+ seen \(\d+ without access, 1 forbidden\)\n/);
    assert.match(shown, /blind page in tab 0 \(forbidden\): chrome:\/\/version\//);
  });

  it('a page with frames that was open before, and dialogs with and without the debugger', { timeout: 180_000 }, async test => {
    const dist = join(root, 'dist/chromium');
    const id = readFileSync(join(root, 'extension/ID'), 'utf8').trim();
    const context = await chromium.launchPersistentContext(scratch(test), {
      executablePath: chromiumProgram(), headless: false, ignoreDefaultArgs: ['--disable-extensions'],
      args: ['--no-sandbox', '--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run', `--disable-extensions-except=${dist}`, `--load-extension=${dist}`],
    });
    try {
      const app = await context.newPage();
      await app.goto(site.url('/nest'));
      const panel = await context.newPage();
      await panel.goto(`chrome-extension://${id}/ui/panel.html`);
      const ask = request => panel.evaluate(request => chrome.runtime.sendMessage({ panel: request }), request);
      const tab = await panel.evaluate(async () => (await chrome.tabs.query({})).find(tab => tab.url.endsWith('/nest')).id);
      const human = new Human(app, 'chromium');
      const status = async request => { const answer = await ask(request); assert.ok(answer.ok, JSON.stringify(answer)); return answer.ok; };
      await app.bringToFront();
      await status({ ask: 'start', tab, role: 'reference' });
      await sleep(1500);
      await human.click("root.querySelector('button')", { frame: '/two' });
      await human.click('document.querySelector("button")', { frame: 'about:srcdoc' });
      await human.click('document.getElementById("top")');
      const deep = await until(async () => { const now = await status({ ask: 'status' }); return now.steps.length >= 3 && now; }, 'three steps');
      assert.deepEqual(deep.steps.map(step => [step.action, step.target.name, step.frame.length]), [['click', 'Deep', 2], ['click', 'In srcdoc', 1], ['click', 'Top', 0]]);
      assert.deepEqual([deep.blind, deep.documents], [[], 4], 'every frame is known to be recorded');

      // Without the debugger the most that can be known is how long the page stood still.
      await app.goto(site.url('/halt'));
      await sleep(500);
      app.once('dialog', dialog => setTimeout(() => dialog.accept(), 2000));
      await human.click('b');
      const still = await until(async () => { const now = await status({ ask: 'status' }); return now.coverage.some(event => event.what === 'dialog' && event.detail.startsWith('The page stood still')) && now; }, 'the page that stood still');
      assert.equal(still.dialogs_seen, false);
      assert.deepEqual(still.steps.filter(step => step.action === 'click').at(-1).outcome, { status: 'ok' }, 'its click had an effect');
      await status({ ask: 'stop' });

      await app.bringToFront();
      await status({ ask: 'start', tab, role: 'reference', watch: true });
      await sleep(1000);
      app.once('dialog', dialog => setTimeout(() => dialog.accept(), 400));
      await human.click('b');
      const seen = await until(async () => { const now = await status({ ask: 'status' }); return now.steps.length >= 2 && now; }, 'the dialog');
      assert.equal(seen.dialogs_seen, true);
      assert.deepEqual(seen.steps.map(step => step.action), ['click', 'dialog']);
      assert.deepEqual(seen.steps[1].dialog, { kind: 'alert', message: 'Stop here', accepted: true });
      await status({ ask: 'stop' });
    } finally { await context.close(); }
  });
});
