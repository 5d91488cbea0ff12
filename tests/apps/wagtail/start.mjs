// Starts a fresh Wagtail: the small site of project/, with one person and an empty journal in one SQLite file.
//   node tests/apps/wagtail/start.mjs
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, run } from '../lib.mjs';

const project = join(dirname(fileURLToPath(import.meta.url)), 'project');

export const person = { name: 'expert', password: 'Correct-Horse-7' };

const django = (env, state) => Object.assign(env, { TRACERULE_APP_DIR: state, DJANGO_SETTINGS_MODULE: 'settings', PYTHONDONTWRITEBYTECODE: '1' });

export const app = {
  path: '/admin/',
  made: ['project/prepare.py', 'project/settings.py', 'project/journal/models.py', 'project/journal/migrations/0001_initial.py'],
  /** The database that every instance begins with is made once. */
  prepare({ installed, env }) {
    const state = join(installed, 'state');
    mkdirSync(state);
    run('python3', [join(project, 'prepare.py'), person.password], { cwd: project, env: django(env, state) });
  },
  command({ dir, installed, port, env }) {
    cpSync(join(installed, 'state'), dir, { recursive: true });
    django(env, dir);
    return ['python3', '-m', 'django', 'runserver', `127.0.0.1:${port}`, '--noreload', '--pythonpath', project];
  },
};

/** What a query of the site's database gives, as rows of texts. */
export function rows({ dir }, query) {
  const script = 'import json,sqlite3,sys\nprint(json.dumps(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro",uri=True).execute(sys.argv[2]).fetchall()))';
  const r = spawnSync('python3', ['-c', script, join(dir, 'site.sqlite3'), query], { encoding: 'utf8' });
  if (r.status !== 0) throw new Error(r.stderr);
  return JSON.parse(r.stdout);
}

await main(import.meta.url);
