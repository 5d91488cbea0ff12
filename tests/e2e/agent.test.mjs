// A remote agent acts through MCP and is recorded by the same recorder, in both browsers.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertSteps, background, root, scratch, steps, tracerule } from '../lib/companion.mjs';
import { serve } from '../lib/serve.mjs';

const pages = {
  '/': `<!doctype html><title>Desk</title>
    <button onclick="out.textContent='saved'">Save</button>
    <button disabled>Locked</button>
    <label>Name <input></label>
    <label>Size <select><option>Small<option>Large</select></label>
    <label><input type=checkbox> Gift</label>
    <div style="position:relative;width:200px;height:40px"><button style="position:absolute;inset:0">Under</button><div id=veil style="position:absolute;inset:0;background:#ccc">Please wait</div></div>
    <button id=vanish>Vanish</button><button onclick="vanish.remove()">Remove it</button>
    <button>Twin</button><button>Twin</button>
    <button onclick="setTimeout(()=>late.textContent='here at last',600)">Later</button><p id=late></p>
    <a href="/two">Onward</a>
    <output id=out></output>
    <iframe src="{other}/inner" title="Inner" width=300 height=80></iframe>`,
  '/inner': '<!doctype html><title>Inner</title><button onclick="this.textContent=\'Pressed\'">Press me</button>',
  '/two': '<!doctype html><title>Two</title><h1>Second page</h1>',
};

/** Runs a task with the probing agent; gives its answers, the trace's steps and the folder. */
async function probe(test, site, browser, script, args = []) {
  const dir = scratch(test);
  writeFileSync(join(dir, 'task.toml'), `name = "desk"\nurl = ${JSON.stringify(site.url('/'))}\ngoal = "Try everything"\n[limits]\nsteps = 60\nseconds = 90\n`);
  const r = await background(['run', join(dir, 'task.toml'), '--agent', `node ${JSON.stringify(join(root, 'tests/e2e/agents/mcp.mjs'))}`, '--browser', browser, '--headless', '--out', join(dir, 'out'), ...args], {
    env: { ...process.env, PROBE_STEPS: JSON.stringify(script), PROBE_OUT: join(dir, 'answers.json') },
  });
  const log = join(dir, 'out/run-0.agent.log');
  assert.equal(r.status, 0, `${r.stdout}${r.stderr}${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
  const trace = join(dir, 'out/run-0.trace.zip');
  return { answers: JSON.parse(readFileSync(join(dir, 'answers.json'), 'utf8')), trace, steps: steps(trace), dir };
}

for (const browser of ['chromium', 'firefox']) {
  describe(`an agent through MCP in ${browser}`, { concurrency: 1 }, () => {
    let site;
    before(async () => { site = await serve(pages); });
    after(() => site.close());

    it('sees, acts and is told what came of it', { timeout: 180_000 }, async test => {
      const { answers, steps: got } = await probe(test, site, browser, [
        ['browser_snapshot', {}],
        ['browser_click', { element: 'Save', target: 'ref:button Save' }],
        ['browser_type', { element: 'Name', ref: 'ref:textbox Name', text: 'Ada Lovelace' }],
        ['browser_select_option', { target: 'ref:combobox Size', values: ['Large'] }],
        ['browser_click', { target: 'ref:checkbox Gift' }],
        ['browser_click', { target: 'ref:button Press me' }],
        ['browser_press_key', { key: 'Escape' }],
        ['browser_click', { target: 'ref:button Later' }],
        ['browser_wait_for', { text: 'here at last' }],
        ['browser_take_screenshot', {}],
        ['browser_click', { target: 'ref:link Onward' }],
        ['browser_navigate', { url: site.url('/') }],
        ['browser_navigate_back', {}],
        ['browser_tabs', { action: 'list' }],
      ]);
      const [tools, snapshot, ...rest] = answers;
      for (const [name, properties] of [['browser_navigate', ['url']], ['browser_snapshot', []], ['browser_click', ['target', 'element', 'doubleClick', 'button', 'modifiers']], ['browser_type', ['target', 'text', 'submit', 'slowly']], ['browser_press_key', ['key']], ['browser_select_option', ['target', 'values']], ['browser_take_screenshot', []], ['browser_wait_for', ['time', 'text', 'textGone']], ['browser_tabs', ['action', 'index']]]) {
        const tool = tools.tools.find(t => t.name === name);
        assert.ok(tool, `${name} is offered`);
        for (const p of properties) assert.ok(tool.properties.includes(p), `${name} takes ${p}`);
      }
      assert.match(snapshot.text, /- button "Save" \[ref=e\d+\]/);
      assert.match(snapshot.text, /- button "Locked" \[disabled\]/);
      assert.match(snapshot.text, /- button "Press me" \[ref=f\d+e\d+\]/);
      for (const a of rest) assert.equal(a.error, false, `${a.name} ${JSON.stringify(a.args)}: ${a.text}`);
      const by = name => rest.filter(a => a.name === name);
      assert.match(by('browser_click')[0].text, /saved/, 'the answer carries the new snapshot');
      assert.match(by('browser_type')[0].text, /textbox "Name".*Ada Lovelace/);
      assert.match(by('browser_click')[2].text, /button "Pressed"/, 'frames of another origin too');
      assert.ok(by('browser_take_screenshot')[0].images[0]?.bytes > 1000);
      assert.match(by('browser_click').at(-1).text, /Second page/);
      assert.match(by('browser_navigate_back')[0].text, /Second page/, 'back from where the agent itself went');
      const trusted = browser === 'chromium';
      assertSteps(assert, got, [
        { action: 'click', role: 'button', name: 'Save', actor: 'agent', ...(trusted && { trusted }) },
        { action: 'fill', role: 'textbox', name: 'Name', value: 'Ada Lovelace' },
        { action: 'select', role: 'combobox', name: 'Size', value: 'Large' },
        { action: 'check', role: 'checkbox', name: 'Gift' },
        { action: 'click', role: 'button', name: 'Press me' },
        { action: 'press', key: 'Escape' },
        { action: 'click', role: 'button', name: 'Later' },
        { action: 'wait' },
        { action: 'click', role: 'link', name: 'Onward' },
        { action: 'goto', value: site.url('/') },
        { action: 'back' },
      ]);
      assert.equal(got[4].frame.length, 1);
    });

    it('is told why an action failed', { timeout: 180_000 }, async test => {
      const { answers, steps: got } = await probe(test, site, browser, [
        ['browser_snapshot', {}],
        ['browser_click', { target: 'ref:button Locked' }],
        ['browser_click', { target: 'css=#nothing' }],
        ['browser_click', { target: 'role=button[name="Twin"]' }],
        ['browser_click', { target: 'css=#veil + *' }],
        ['browser_click', { target: 'role=button[name="Under"]' }],
        ['browser_click', { target: 'ref:button Remove it' }],
        ['browser_click', { target: 'keep:button Vanish' }],
        ['browser_select_option', { target: 'ref:combobox Size', values: ['Gigantic'] }],
        ['browser_type', { target: 'ref:button Save', text: 'x' }],
        ['browser_press_key', { key: 'NoSuchKey' }],
        ['browser_navigate', { url: 'not a url' }],
        ['browser_wait_for', { text: 'never', time: 1 }],
        ['browser_snapshot', {}],
      ]);
      // What is said about the action, apart from the page's new state.
      const said = index => answers[index].text.split('### Page')[0];
      for (const [index, pattern] of [[2, /disabled/i], [3, /no element|not found|matches nothing/i], [4, /ambiguous|2 elements|matches 2/i], [5, /no element|not found|matches nothing/i], [6, /covered|Please wait/i], [8, /gone|removed|no longer/i], [9, /Gigantic/], [11, /NoSuchKey/], [12, /not a url/i], [13, /never/]]) {
        assert.equal(answers[index].error, true, `${index}: ${said(index)}`);
        assert.match(said(index), pattern, `answer ${index}`);
      }
      assert.equal(answers[7].error, false, said(7));
      assert.equal(answers[10].error, true, said(10));
      assert.equal(answers.at(-1).error, false, 'the channel is still alive');
      assert.ok(got.some(s => s.outcome?.status === 'error'), 'failures are in the trace');
    });
  });
}

describe('perturbation', { concurrency: 1 }, () => {
  let site;
  before(async () => { site = await serve(pages); });
  after(() => site.close());

  it('the same seed gives the same journal, in both browsers', { timeout: 300_000 }, async test => {
    const script = [['browser_snapshot', {}], ['browser_click', { target: 'ref:button Save' }], ['browser_navigate', { url: site.url('/two') }], ['browser_navigate', { url: site.url('/') }]];
    const journal = async (browser, seed) => {
      const { trace } = await probe(test, site, browser, script, ['--seed', String(seed), '--perturb', 'full']);
      const r = tracerule('show', trace, '--events', 'perturbation');
      assert.equal(r.status, 0, r.stderr);
      return r.stdout.trim().split('\n').filter(Boolean).map(l => JSON.parse(l));
    };
    const decisions = events => events.map(({ operator, phase, key }) => ({ operator, phase, key }));
    /** What was drawn, by what it was drawn for: the key without its seed. */
    const drawn = events => new Map(events.flatMap(({ key, effect }) => [
      ...('drawn' in effect ? [[key, effect.drawn]] : []),
      ...(effect.shifts ?? []).map(shift => [shift.key, shift.drawn]),
    ]).map(([key, value]) => [key.replace(/^\d+\|/, ''), value]));
    /** Pairs of draws for the same; browsers may differ in which elements have a box. */
    const common = (a, b) => [...drawn(a)].filter(([key]) => drawn(b).has(key)).map(([key, value]) => [key, value, drawn(b).get(key)]);

    // Under this seed a pop-up comes after the first step.
    const one = await journal('chromium', 24);
    for (const operator of ['jitter', 'color_scheme', 'session_popup']) assert.ok(one.some(e => e.operator === operator && e.phase !== 'withheld'), `${operator} was at work: ${JSON.stringify(one)}`);
    for (const browser of ['chromium', 'firefox']) {
      const again = await journal(browser, 24);
      assert.deepEqual(decisions(again), decisions(one), browser);
      const pairs = common(one, again);
      assert.ok(pairs.length > 4, `${browser}: ${pairs.length} draws in common`);
      for (const [key, a, b] of pairs) assert.deepEqual(b, a, `${browser}: ${key}`);
    }
    const other = common(one, await journal('chromium', 25)).filter(([, a]) => Array.isArray(a));
    assert.ok(other.length > 2, 'elements are the same');
    assert.ok(other.every(([, a, b]) => a[0] !== b[0] || a[1] !== b[1]), 'another seed draws otherwise');
  });
});
