// While a session is recorded, a page cannot find out, read or break it, and the recording is right all the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertSteps, background, record, root, scratch, sleep, steps } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';
import { PAGES } from './pages.mjs';

const button = name => `[...document.querySelectorAll('button')].find(b => b.textContent === '${name}')`;
const click = name => ({ action: 'click', role: 'button', name });
const id = readFileSync(join(root, 'extension/ID'), 'utf8').trim();

for (const browser of ['chromium', 'firefox']) {
  describe(`a hostile page in ${browser}`, { concurrency: 1 }, () => {
    let site;
    before(async () => { site = await serve(PAGES); });
    after(() => site.close());

    it('finds nothing out', { timeout: 180_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/detect'), { browser, out });
      const human = new Human(recording.page, browser);
      const heard = { top: await human.evaluate('own(() => __echo)') };
      assert.equal(heard.top, 10, 'its own messages reach it, whatever they say');
      // Measured before the traps are set: the driver works in the page's world.
      const at = { first: await human.point(button('First')), text: await human.point(`document.getElementById('text')`), second: await human.point(button('Second')), inner: browser === 'chromium' && await human.point(button('Inner'), '/child') };
      await human.evaluate('__spy()');
      const press = async ({ x, y }) => { await human.page.mouse.move(x, y); await human.page.mouse.click(x, y); await sleep(200); };
      await press(at.first);
      await press(at.text);
      await human.type('seen');
      await press(at.second);
      if (browser === 'firefox') { await human.click(button('Inner'), { frame: '/child' }); human.inside = undefined; } else await press(at.inner);
      await sleep(1200);
      const found = JSON.parse(await human.evaluate(`own(() => JSON.stringify(__audit()))`));
      assert.deepEqual(found.filter(f => !/puppeteer|playwright|pptr/.test(f)), [], 'nothing is found');
      assert.equal(await human.evaluate('own(() => window.__trapped ?? null)'), null, 'no trap is sprung');
      for (const frame of recording.page.frames().filter(f => f.url().endsWith('/child'))) assert.deepEqual(await frame.evaluate('window.__heard'), [], 'frames hear nothing');
      await human.evaluate(`own(() => { __probe('${id}').then(r => own(() => { window.__reached = 'reached: ' + r.join(); })); return 0; })`);
      await sleep(1000);
      assert.equal(await human.evaluate('own(() => window.__reached)'), 'reached: ', 'no file of the extension can be reached');
      assert.equal(await recording.stop(), 0, recording.log);
      const got = steps(out);
      assertSteps(assert, got, [click('First'), { action: 'click', role: 'textbox', name: 'Text' }, { action: 'fill', value: 'seen' }, click('Second'), click('Inner')]);
      assert.equal(got[4].frame.length, 1, 'the frame is known without a word through the page');
    });

    it('breaks nothing', { timeout: 240_000 }, async test => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url('/break'), { browser, out });
      const human = new Human(recording.page, browser);
      for (const name of ['Before', 'Freeze']) await human.click(button(name));
      await sleep(1500);
      await human.click(button('Storm'));
      await human.click('document.getElementById("field")');
      await human.type('calm');
      await sleep(4500);
      await human.click(button('Replace'));
      await human.click(button('Replaced'));
      await sleep(300);
      await human.click(button('Opened'));
      await human.click('document.querySelector("input")');
      await human.type('still');
      await human.page.goto(site.url('/next'));
      await sleep(500);
      await human.click(button('Next'));
      assert.equal(await recording.stop(), 0, recording.log);
      const all = steps(out);
      assertSteps(assert, all.filter(s => s.action !== 'goto'), [
        click('Before'), click('Freeze'), click('Storm'), { action: 'click', role: 'textbox', name: 'Field' }, { action: 'fill', value: 'calm' },
        click('Replace'), click('Replaced'), click('Opened'), { action: 'click', role: 'textbox', name: 'Written' }, { action: 'fill', value: 'still' }, click('Next'),
      ]);
      const shown = await background(['show', out]);
      assert.equal(shown.status, 0, shown.stderr);
      assert.doesNotMatch(shown.stdout, /\bgap\b/i, 'no part is missing');
    });
  });
}
