// Nothing acknowledged is lost, whatever dies: random faults in mid-recording, then every step that was acknowledged
// has to be in what is recovered, in order. TRACERULE_SEED repeats a run; TRACERULE_ROUNDS makes it longer.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { background, record, scratch, sleep, steps, until } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';

const seed = Number(process.env.TRACERULE_SEED ?? Date.now() % 1e9);
const rounds = Number(process.env.TRACERULE_ROUNDS ?? 2);

/** A random number from a seed (mulberry32). */
function draws(start) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: n => Math.floor(next() * n), one: list => list[Math.floor(next() * list.length)] };
}

// Each page's buttons are named by the page, so that every step is told from every other.
const page = name => `<!doctype html><title>${name}</title><button>${name} a</button><button>${name} b</button><a href="/${name === 'one' ? 'two' : 'one'}">leave ${name}</a><label>${name} text <input></label>`;
const pages = { '/one': page('one'), '/two': page('two') };
const named = (tag, text) => `[...document.querySelectorAll('${tag}')].find(e => e.textContent === '${text}')`;

/** Every process of the browser that was started with that debugging port. */
function family(port) {
  const all = readdirSync('/proc').filter(n => /^\d+$/.test(n)).map(pid => {
    try { return { pid: Number(pid), parent: Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]), line: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }; } catch { return undefined; }
  }).filter(Boolean);
  const found = new Map(all.filter(p => /chromium|firefox/.test(p.line) && new RegExp(`--remote-debugging-port[=\\0]${port}\\b`).test(p.line) && !p.line.includes('tracerule\0record')).map(p => [p.pid, p.line]));
  for (let grown = true; grown;) { grown = false; for (const p of all) if (found.has(p.parent) && !found.has(p.pid)) { found.set(p.pid, p.line); grown = true; } }
  return found;
}

function killBrowser(port) {
  const doomed = family(port);
  assert.ok(doomed.size, 'there is a browser to kill');
  for (const pid of doomed.keys()) try { process.kill(pid, 'SIGKILL'); } catch { /* gone already */ }
}

/** The names of clicks that the companion was told of: those are stored. */
const acknowledged = log => [...log.matchAll(/click\w*[^\n]*"([^"\n]+)"/g)].map(m => m[1]);

/** Fails unless all of `wanted` are in `got`, in order. */
function assertWithin(got, wanted, message) {
  let at = 0;
  for (const name of wanted) {
    const found = got.indexOf(name, at);
    if (found < 0) assert.fail(`${message}\n"${name}" is missing or out of order\nwanted: ${wanted.join(', ')}\ngot:    ${got.join(', ')}`);
    at = found + 1;
  }
}

const clicks = file => steps(file).filter(s => s.action === 'click').map(s => s.name);

describe('faults', { concurrency: 1 }, () => {
  let site;
  before(async () => { site = await serve(pages); console.log(`TRACERULE_SEED=${seed} TRACERULE_ROUNDS=${rounds}`); });
  after(() => site.close());

  for (let round = 0; round < rounds; round++) {
    for (const browser of ['chromium', 'firefox']) {
      it(`random faults, seed ${seed}, round ${round}, ${browser}`, { timeout: 240_000 }, async test => {
        const draw = draws(seed + round * 7919 + (browser === 'firefox' ? 1 : 0));
        const out = join(scratch(test), 'r.trace.zip');
        const recording = await record(site.url('/one'), { browser, out });
        const human = new Human(recording.page, browser);
        const cdp = browser === 'chromium' ? await recording.browser.newBrowserCDPSession() : null;
        const done = [];
        // Clicks in a document that came and went while the recorder was dead: nobody acknowledged them, and if they
        // are missing the trace has to say so.
        const unsure = new Set();
        let [killed, loaded] = [-Infinity, 0];
        const leaving = () => { if (loaded - killed < 4000 && Date.now() - loaded < 4000) for (let i = since; i < done.length; i++) unsure.add(i); loaded = Date.now(); since = done.length; };
        let since = 0;
        let at = 'one';
        const faults = {
          async worker() {
            const { targetInfos } = await cdp.send('Target.getTargets');
            const worker = targetInfos.find(t => t.type === 'service_worker' && t.url.endsWith('shell.js'));
            if (worker) await cdp.send('Target.closeTarget', { targetId: worker.targetId });
            killed = Date.now();
          },
          async extensionProcess() {
            const worker = [...family(recording.port)].find(([, line]) => line.includes('--extension-process'));
            if (worker) { try { process.kill(worker[0], 'SIGKILL'); } catch { /* gone already */ } }
            killed = Date.now();
          },
          async navigate() { at = at === 'one' ? 'two' : 'one'; done.push(`leave ${at === 'one' ? 'two' : 'one'}`); await human.click(named('a', `leave ${at === 'one' ? 'two' : 'one'}`)); await until(() => human.evaluate(`document.title === '${at}' && document.readyState === 'complete'`), 'the next page'); leaving(); },
          async reload() { await human.page.reload(); leaving(); },
          async wait() { await sleep(draw.below(400)); },
          async stall() { await human.evaluate('for (const end = Date.now() + 300; Date.now() < end;); 0'); },
        };
        const possible = browser === 'chromium' ? ['worker', 'worker', 'extensionProcess', 'navigate', 'reload', 'wait', 'stall'] : ['navigate', 'reload', 'wait', 'stall'];
        const log = [];
        for (let i = 0; i < 8 + draw.below(5); i++) {
          const name = `${at} ${draw.one(['a', 'b'])}`;
          await human.click(named('button', name));
          done.push(name);
          const fault = draw.one(possible);
          log.push(`${name}, ${fault}`);
          await faults[fault]();
        }
        const how = draw.one(['kill', 'stop', 'close']);
        log.push(how);
        let sure = done;
        if (how === 'stop') assert.equal(await recording.stop(), 0, recording.log);
        else {
          if (how === 'kill') {
            // What was done last may not be stored yet; what the companion was told of is.
            sure = draw.below(2) ? (await sleep(1500), done) : acknowledged(recording.log);
            killBrowser(recording.port);
          } else await human.page.close();
          const code = await Promise.race([recording.exited, sleep(60_000).then(() => 'still running')]);
          assert.equal(code, 0, `${log.join('; ')}\n${recording.log}`);
        }
        const got = clicks(out);
        leaving();
        const said = (await background(['show', out])).stdout;
        if (sure === done && unsure.size) {
          sure = done.filter((_, i) => !unsure.has(i));
          if (got.length < done.length) assert.match(said, /left before|lost/, `what is missing is said\n${got}\n${done}\n${log.join('; ')}`);
        }
        assertWithin(got, sure, `${how}: ${log.join('; ')}\n${recording.log}`);
        assert.ok(got.length <= done.length, `no step twice: ${got}\n${done}`);
        if (how === 'kill') assert.match(said, /before the session was stopped/, 'that it was cut off is said');
      });
    }
  }

  it('a full disk: the person is told, nothing is lost, and it goes on when there is room', { timeout: 240_000 }, async test => {
    const dir = join(scratch(test), 'disk');
    mkdirSync(dir);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', dir]).status !== 0) return test.skip('a small disk can be mounted by root only');
    try {
      for (const end of ['room', 'kill']) {
        const out = join(dir, '..', `${end}.trace.zip`);
        process.env.TMPDIR = dir;
        const recording = await record(site.url('/one'), { out }).finally(() => { delete process.env.TMPDIR; });
        try {
          const human = new Human(recording.page, 'chromium');
          const sw = await recording.browser.contexts()[0].newPage();
          const id = readFileSync(new URL('../../extension/ID', import.meta.url), 'utf8').trim();
          await sw.goto(`chrome-extension://${id}/ui/panel.html`);
          await recording.page.bringToFront();
          await human.click(named('button', 'one a'));
          await sleep(1500);
          const fill = () => { for (let size = 1 << 24; size >= 512; size /= 2) for (;;) { try { writeFileSync(join(dir, `fill-${Math.random()}`), Buffer.alloc(size, 7)); } catch { break; } } };
          fill();
          assert.ok(statfsSync(dir).bavail < 10, 'the disk is full');
          for (const name of ['one b', 'one a', 'one b']) { await human.click(named('button', name)); fill(); }
          const status = () => sw.evaluate(() => chrome.runtime.sendMessage({ panel: { ask: 'status' } })).then(a => a.ok);
          const told = await until(async () => (await status()).problem, 'the person to be told', 30_000);
          assert.match(told, /full|stored|store/i);
          assert.match(told, /kept in memory/);
          assert.equal((await status()).steps.filter(s => s.action === 'click').length, 4, 'recording goes on in memory');
          if (end === 'room') {
            for (const name of readdirSync(dir)) if (name.startsWith('fill-')) rmSync(join(dir, name));
            await until(async () => !(await status()).problem, 'it to be stored', 40_000);
            await human.click(named('button', 'one a'));
            assert.equal(await recording.stop(), 0, recording.log);
            assert.deepEqual(clicks(out), ['one a', 'one b', 'one a', 'one b', 'one a']);
          } else {
            killBrowser(recording.port);
            for (const name of readdirSync(dir)) if (name.startsWith('fill-')) rmSync(join(dir, name));
            assert.equal(await Promise.race([recording.exited, sleep(60_000).then(() => 'still running')]), 0, recording.log);
            assert.equal(clicks(out)[0], 'one a', 'what was stored is there');
            assert.match((await background(['show', out])).stdout, /before the session was stopped/);
          }
        } finally { recording.child.kill('SIGKILL'); try { killBrowser(recording.port); } catch { /* gone already */ } await sleep(300); }
      }
    } finally { for (let i = 0; i < 20 && spawnSync('umount', [dir]).status !== 0; i++) await sleep(300); assert.ok(existsSync(dir)); }
  });
});
