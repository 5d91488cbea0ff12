// The Python that runs what is exported: packages in a folder of target/, put there once from requirements.txt.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { root } from '../lib/companion.mjs';
import { finish } from './lib.mjs';

/** BrowserGym without what it needs to run: only its parser is read. */
const BROWSERGYM = 'browsergym-core==0.14.3';

/** Runs the system's Python with those packages. */
export async function python(args, options = {}) {
  const PYTHONPATH = await packages();
  return finish('python3', args, { ...options, env: { ...options.env, PYTHONPATH } });
}

async function packages() {
  const wanted = readFileSync(new URL('requirements.txt', import.meta.url), 'utf8') + BROWSERGYM;
  const home = join(root, 'target', `interop-python-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`);
  if (existsSync(join(home, 'whole'))) return home;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const pip = async (...what) => {
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-warn-script-location', '--root-user-action=ignore', '--target', home, ...what];
    const { status, out } = await finish('python3', args, { timeout: 600_000 });
    if (status !== 0) throw new Error(`python3 ${args.join(' ')}: ${out}
The peers of the exported Python are installed by pip; see tests/interop/requirements.txt`);
  };
  await pip('-r', join(root, 'tests/interop/requirements.txt'));
  await pip('--no-deps', BROWSERGYM);
  writeFileSync(join(home, 'whole'), '');
  return home;
}
