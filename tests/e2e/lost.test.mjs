// No step is lost when the worker is killed, when the page navigates right after a click, when the tab is
// closed, or when the browser dies.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertSteps, record, scratch, sleep, steps } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';

const pages = {
  '/': '<!doctype html><title>One</title><button>First</button><button onclick="location.href=\'/two\'">Leave</button><label>Text <input></label>',
  '/two': '<!doctype html><title>Two</title><button>Second</button><button onclick="history.back()">Return</button>',
};
const button = name => `[...document.querySelectorAll('button')].find(b => b.textContent === '${name}')`;
/** Kills every process of the browser that was started with that debugging port, as a crash would. */
function killBrowser(port) {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(pid => {
    try { return { pid: Number(pid), parent: Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]), line: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }; } catch { return undefined; }
  }).filter(Boolean);
  const doomed = new Set(processes.filter(p => /chromium|firefox/.test(p.line) && new RegExp(`--remote-debugging-port[=\0]${port}\\b`).test(p.line) && !p.line.includes('tracerule\0record')).map(p => p.pid));
  assert.ok(doomed.size, 'there is a browser to kill');
  for (let grown = true; grown;) { grown = false; for (const p of processes) if (doomed.has(p.parent) && !doomed.has(p.pid)) { doomed.add(p.pid); grown = true; } }
  for (const pid of doomed) try { process.kill(pid, 'SIGKILL'); } catch { /* already gone */ }
}
const click = name => ({ action: 'click', role: 'button', name });

describe('nothing is lost', { concurrency: 1 }, () => {
  let site;
  before(async () => { site = await serve(pages); });
  after(() => site.close());

  for (const browser of ['chromium', 'firefox']) {
    it(`a navigation right after a click, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/'), { browser, out });
      const human = new Human(recording.page, browser);
      await human.click(button('First'));
      await human.click(button('Leave'));
      await sleep(500);
      await human.click(button('Second'));
      assert.equal(await recording.stop(), 0, recording.log);
      assertSteps(assert, steps(out), [click('First'), click('Leave'), click('Second')]);
    });

    it(`a page that comes back from the cache, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/'), { browser, out });
      const human = new Human(recording.page, browser);
      await human.click(button('Leave'));
      await sleep(800);
      await human.click(button('Return'));
      await sleep(1500);
      await human.click(button('First'));
      assert.equal(await recording.stop(), 0, recording.log);
      assertSteps(assert, steps(out), [click('Leave'), click('Return'), click('First')]);
    });

    it(`the tab is closed, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/'), { browser, out });
      const human = new Human(recording.page, browser);
      await human.click(button('First'));
      const { x, y } = await human.point(button('First'));
      await human.page.mouse.click(x, y);
      await human.page.close();
      const code = await Promise.race([recording.exited, sleep(40_000).then(() => 'still running')]);
      assert.equal(code, 0, recording.log);
      assertSteps(assert, steps(out), [click('First'), click('First')]);
    });

    it(`the browser is killed, in ${browser}`, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/'), { browser, out });
      const human = new Human(recording.page, browser);
      await human.click(button('First'));
      await human.click(button('First'));
      await sleep(300);
      killBrowser(recording.port);
      const code = await Promise.race([recording.exited, sleep(60_000).then(() => 'still running')]);
      assert.equal(code, 0, recording.log);
      assert.ok(existsSync(out), recording.log);
      assertSteps(assert, steps(out), [click('First'), click('First')]);
    });
  }

  it('the service worker is killed in mid-recording', { timeout: 120_000 }, async test => {
    const out = join(scratch(test), 'r.trace.zip');
    const recording = await record(site.url('/'), { out });
    const human = new Human(recording.page, 'chromium');
    const cdp = await recording.browser.newBrowserCDPSession();
    const kill = async () => {
      const { targetInfos } = await cdp.send('Target.getTargets');
      const worker = targetInfos.find(t => t.type === 'service_worker' && t.url.endsWith('shell.js'));
      assert.ok(worker, 'there is a worker to kill');
      await cdp.send('Target.closeTarget', { targetId: worker.targetId });
    };
    await human.click(button('First'));
    await kill();
    await human.click(button('First'));
    await human.click('document.querySelector("input")');
    await human.type('half ');
    await kill();
    await human.type('whole');
    await kill();
    await human.click(button('Leave'));
    await sleep(500);
    await human.click(button('Second'));
    assert.equal(await recording.stop(), 0, recording.log);
    assertSteps(assert, steps(out), [
      click('First'), click('First'), { action: 'click', role: 'textbox' },
      { action: 'fill', value: 'half whole' }, click('Leave'), click('Second'),
    ]);
  });
});
