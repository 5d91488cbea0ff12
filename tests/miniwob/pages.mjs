// Fetches the MiniWoB pages by pinned hash into a cache and serves them on loopback, seeded by the URL:
//   /miniwob/TASK.html?seed=S&run=R   the page draws its problem from S; its raw reward is kept under R.
// Nothing of the page is changed but its random seed and its time limit.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(process.env.CARGO_TARGET_DIR ?? join(here, '../../target'), 'miniwob-1.1.0');

/** The folder of the pages, fetched if it is not there. */
export function fetchPages() {
  const html = join(cache, 'miniwob/html');
  if (existsSync(html)) return html;
  const work = `${cache}.part`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const run = (...args) => {
    const r = spawnSync('python3', args, { encoding: 'utf8' });
    if (r.error || r.status !== 0) throw new Error(`python3 ${args.join(' ')} failed: ${r.error ?? r.stderr}\nInstall python3 and pip (cargo xtask doctor says how).`);
  };
  run('-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', join(here, 'requirements.txt'), '-d', work);
  const wheel = readdirSync(work).find(name => name.endsWith('.whl'));
  run('-m', 'zipfile', '-e', join(work, wheel), work);
  renameSync(work, cache);
  return html;
}

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png', '.gif': 'image/gif', '.svg': 'image/svg+xml' };

const seeded = `<script>
(() => {
  const query = new URLSearchParams(location.search);
  Math.seedrandom(query.get('seed'));
  core.EPISODE_MAX_TIME = 600000;
  const end = core.endEpisode;
  core.endEpisode = function () {
    const open = core.EP_TIMER !== null;
    end.apply(this, arguments);
    if (open) navigator.sendBeacon('/reward', JSON.stringify({ run: query.get('run'), raw: WOB_RAW_REWARD_GLOBAL }));
  };
})();
</script></head>`;

/** Serves the pages. `rewards` maps a run's name to the raw rewards its page gave. */
export async function servePages() {
  const root = fetchPages();
  const rewards = new Map();
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (request.method === 'POST' && path === '/reward') {
      let body = '';
      request.on('data', d => body += d).on('end', () => {
        const { run, raw } = JSON.parse(body);
        rewards.set(run, [...(rewards.get(run) ?? []), raw]);
        response.end();
      });
      return;
    }
    const file = join(root, normalize(path));
    if (!file.startsWith(root) || !existsSync(file)) { response.statusCode = 404; return response.end(); }
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    const bytes = readFileSync(file);
    response.end(/\/miniwob\/[^/]+\.html$/.test(path) ? bytes.toString('utf8').replace('</head>', () => seeded) : bytes);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${server.address().port}`;
  return { base, rewards, url: (task, seed, run) => `${base}/miniwob/${task}.html?seed=${seed}&run=${run}`, close: () => server.close() };
}
