// The Python that runs what is exported: a virtual environment in target/, made once from requirements.txt.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { root } from '../lib/companion.mjs';
import { finish } from './lib.mjs';

/** BrowserGym without what it needs to run: only its parser is read. */
const BROWSERGYM = 'browsergym-core==0.14.3';

/** The environment's Python. */
export async function python() {
  const wanted = readFileSync(new URL('requirements.txt', import.meta.url), 'utf8') + BROWSERGYM;
  const home = join(root, 'target', `interop-python-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`);
  const program = join(home, 'bin', 'python');
  if (existsSync(join(home, 'whole'))) return program;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(root, 'target'), { recursive: true });
  const run = async (command, ...args) => {
    const { status, out } = await finish(command, args, { timeout: 600_000 });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${out}\nThe peers of the exported Python are installed by pip; see tests/interop/requirements.txt`);
  };
  await run('python3', '-m', 'venv', home);
  await run(program, '-m', 'pip', '-q', 'install', '-r', join(root, 'tests/interop/requirements.txt'));
  await run(program, '-m', 'pip', '-q', 'install', '--no-deps', BROWSERGYM);
  mkdirSync(join(home, 'half'));
  renameSync(join(home, 'half'), join(home, 'whole'));
  return program;
}
