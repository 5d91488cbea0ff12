// Everything a person can do becomes exactly the right steps: `cargo xtask test torture` prints the table.
// TORTURE keeps the cases whose `topic: name` it matches, TORTURE_BROWSER one browser.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampled } from '../lib/companion.mjs';
import { load, playAll, print } from './table.mjs';

it('every interaction gives exactly one right step', { timeout: 600_000 }, async test => {
  const cases = await load();
  assert.ok(cases.length, 'no case has that name');
  const browsers = process.env.TORTURE_BROWSER ? [process.env.TORTURE_BROWSER] : ['chromium', 'firefox'];
  const verdicts = Object.fromEntries(await Promise.all(browsers.map(async browser => {
    // Every case in Chromium, every second one in Firefox.
    const chosen = cases.filter((_, i) => !sampled || browser === 'chromium' || i % 2 === 0);
    const played = await playAll(chosen, browser, test);
    const first = cases.map(one => (chosen.includes(one) ? played[chosen.indexOf(one)] : { state: 'left out' }));
    // A loaded machine plays badly: menus close, pages are late. What is wrong twice is wrong.
    const again = cases.filter((_, i) => first[i].state === 'wrong');
    const second = again.length && again.length < 20 ? await playAll(again, browser, test) : [];
    again.forEach((one, i) => {
      if (second[i]?.state === 'right') first[cases.indexOf(one)] = { state: 'right', detail: `at the second try; the first: ${first[cases.indexOf(one)].detail}` };
    });
    return [browser, first];
  })));
  console.log(print(cases, verdicts));
  const wrong = browsers.flatMap(browser => cases.filter((_, i) => verdicts[browser][i].state === 'wrong').map(one => `${browser}: ${one.topic}: ${one.name}`));
  assert.deepEqual(wrong, []);
});
