// What the bench does to pages, `benches/record/pages.mjs`, is replayed exactly; what only moves is never written again.
import assert from 'node:assert/strict';
import * as test from 'node:test';
import { WORKLOADS } from '../../benches/record/pages.mjs';
import { inBrowsers } from './lib.mjs';

inBrowsers(test, (browser, check) => {
  for (const [name, { title, page, keys, clicks, start }] of Object.entries(WORKLOADS)) {
    if (keys || clicks || start) continue;
    check(title, async watched => {
      await watched.page.goto(watched.server.url('/w'));
      await watched.inject();
      await watched.read();
      const written = () => ['ELEMENT', 'TEXT'].reduce((n, op) => n + (watched.replay.counts[op] ?? 0), 0);
      const before = written();
      await watched.run('go()');
      const { live, mirror } = await watched.compare();
      assert.deepEqual(mirror, live);
      if (['move', 'leave', 'react'].includes(name)) {
        assert.equal(written(), before, 'nothing is written twice');
        assert.ok(watched.replay.counts.MOVE > 0);
        assert.equal(watched.replay.counts.REMOVE ?? 0, 0);
      } else if (name === 'append') {
        assert.equal(written() - before, 10_000);
      } else {
        assert.equal(written(), before);
      }
    }, '', { inject: false, pages: { '/w': page() } });
  }
});
