// Real tasks that nobody here wrote: a scripted human solves each with trusted input while Tracerule
// records. The page's raw reward must be 1, the trace must hold exactly the expected steps, and replaying
// it through the agent channel under the same seed must be worth 1 again.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertSteps, background, record, sampled, scratch, steps, until } from '../lib/companion.mjs';
import { servePages } from './pages.mjs';
import { Human, tasks } from './tasks.mjs';

describe('MiniWoB', { concurrency: 1 }, () => {
  let pages;
  before(async () => { pages = await servePages(); });
  after(() => pages.close());

  for (const task of tasks.filter((t, i) => (process.env.TASK ? t.task === process.env.TASK : !sampled || i % 2 === 0))) {
    it(task.task, { timeout: 120_000 }, async test => {
      const out = join(scratch(test), `${task.task}.trace.zip`);
      const recording = await record(pages.url(task.task, task.seed, `${task.task}-human`), { out });
      const human = new Human(recording.page);
      try { await task.solve(human); } finally { assert.equal(await recording.stop(), 0, recording.log); }
      assert.deepEqual(pages.rewards.get(`${task.task}-human`), [1], 'the human is worth 1');
      assertSteps(assert, steps(out), human.expected);

      const secrets = (task.secrets ?? []).flatMap(secret => ['--secret', secret]);
      const replay = await background(['replay', out, '--url', pages.url(task.task, task.seed, `${task.task}-replay`), '--headless', ...secrets]);
      assert.equal(replay.status, 0, replay.stdout + replay.stderr);
      await until(() => pages.rewards.has(`${task.task}-replay`), 'the replay\'s reward', 5_000).catch(() => {});
      assert.deepEqual(pages.rewards.get(`${task.task}-replay`), [1], `the replay is worth 1\n${replay.stdout}${replay.stderr}`);
    });
  }
});
