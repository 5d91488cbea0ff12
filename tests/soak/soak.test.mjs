// What the extension's worker holds in memory does not grow with the tasks it recorded: the slope over a few tasks, taken
// up to 300 tasks of 20 steps, stays under 60 MB. TRACERULE_SOAK=TASKSxSTEPS makes it longer.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { open } from '../lib/installed.mjs';
import { serve } from '../lib/serve.mjs';
import { sleep, until } from '../lib/companion.mjs';

const [TASKS, STEPS] = (process.env.TRACERULE_SOAK ?? '16x5').split('x').map(Number);
/** The first tasks fill caches and pools that stay. */
const WARM = Math.max(4, Math.floor(TASKS / 4));
const MOST_MB = 60;
const MB = 1 << 20;

// Each click makes another page of it, so that pictures, changes and steps are never those of before.
const PAGE = `<!doctype html><meta charset=utf-8><title>Soak</title><style>td{padding:2px 8px;font:13px sans-serif}</style>
<button id=next>Next</button> <span id=n>0</span><table id=rows></table><script>
  let n = 0;
  const draw = () => {
    const hue = Math.random() * 360;
    rows.innerHTML = Array.from({ length: 150 }, (_, i) => '<tr style="background:hsl(' + (hue + i * 3) + ' 70% 70%)"><td>' + i + '<td>Order ' + Math.random().toString(36) + '<td><a href="#' + i + '">open</a></tr>').join('');
  };
  draw();
  next.onclick = () => { n++; document.getElementById('n').textContent = n; draw(); };
</script>`;

/** The middle of the slopes between all pairs: one step of an allocator is no trend. */
function slope(series) {
  const all = [];
  for (let a = 0; a < series.length; a++) for (let b = a + 1; b < series.length; b++) all.push((series[b] - series[a]) / (b - a));
  all.sort((a, b) => a - b);
  const middle = all.length >> 1;
  return all.length % 2 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
}

it(`memory does not grow with tasks (${TASKS} of ${STEPS} steps)`, { timeout: 60_000 + TASKS * (STEPS + 2) * 4000 }, async test => {
  const site = await serve({ '/': PAGE });
  test.after(() => site.close());
  const { cdp, worker, ask, page } = await open(test);
  const app = await page(site.url('/'));
  const series = [];
  let pictures = 0;
  for (let task = 0; task < TASKS; task++) {
    await app.goto(site.url(`/?task=${task}`));
    await ask({ ask: 'start', role: 'run', title: `Task ${task}` });
    for (let step = 1; step <= STEPS; step++) {
      await app.click('#next');
      await until(async () => {
        const { ok } = await ask({ ask: 'status' });
        return ok.steps.length >= step && ok.steps[step - 1].post.screenshot;
      }, `step ${step} of task ${task} to be pictured`, 15_000);
    }
    const { ok } = await ask({ ask: 'status' });
    assert.equal(ok.steps.length, STEPS);
    pictures += new Set(ok.steps.flatMap(step => [step.pre.screenshot?.blob, step.post.screenshot?.blob]).filter(Boolean)).size;
    await ask({ ask: 'stop' });
    await sleep(50);
    for (let i = 0; i < 2; i++) await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await cdp.send('Runtime.getHeapUsage');
    const wasm = await worker('wasm_bindgen.initSync().memory.buffer.byteLength');
    series.push({ heap: usedSize + embedderHeapUsedSize, buffers: backingStorageSize, wasm });
  }
  const total = series.map(({ heap, buffers, wasm }) => heap + Math.max(buffers, wasm));
  console.log('task  heap MB  buffers MB  wasm MB  total MB');
  series.forEach(({ heap, buffers, wasm }, i) => console.log(`${String(i + 1).padStart(4)}  ${(heap / MB).toFixed(2).padStart(7)}  ${(buffers / MB).toFixed(2).padStart(10)}  ${(wasm / MB).toFixed(2).padStart(7)}  ${(total[i] / MB).toFixed(2).padStart(8)}`));
  const perTask = slope(total.slice(WARM));
  const scaled = perTask / STEPS * 20 * 300 / MB;
  console.log(`${pictures} pictures; ${(perTask / 1024).toFixed(1)} KiB a task of ${STEPS} steps, ${scaled.toFixed(1)} MB over 300 tasks of 20 steps (at most ${MOST_MB})`);
  assert.ok(pictures >= TASKS * STEPS, `each step has its picture: ${pictures}`);
  assert.ok(scaled < MOST_MB, `memory would grow by ${scaled.toFixed(1)} MB`);
});
