// Real apps on loopback: installs one by its pins into target/apps, starts a fresh instance, waits until it answers.
//
//   const app = await start('node-red');   // { url, dir, port, stop, … } and what the app itself adds
//
// Each app is a folder with what pins it (package.json and package-lock.json, or requirements.txt) and a `start.mjs`
// whose `app` says how it is started. An instance keeps all its state in `dir`, which goes when it is stopped.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort, root, until } from '../lib/companion.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'apps');

/** The apps, by folder. */
export const names = () => readdirSync(here).filter(name => existsSync(join(here, name, 'start.mjs'))).sort();

/** Runs a program to its end; says in one line why it could not. */
export function run(program, args, options) {
  const r = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  if (!r.error && r.status === 0) return;
  const why = r.error?.message ?? r.stderr.trim().split('\n').filter(Boolean).slice(-3).join('; ');
  throw new Error(`${program} ${args.slice(0, 4).join(' ')} … failed: ${why}`);
}

/**
 * Installs an app's pinned packages and says where, unless they are there already. Interrupted, it begins anew: a
 * folder has its final name only when it is whole.
 */
export async function install(name) {
  const { app } = await import(pathToFileURL(join(here, name, 'start.mjs')).href);
  const from = join(here, name);
  const pins = ['package.json', 'package-lock.json', 'requirements.txt'].filter(file => existsSync(join(from, file)));
  const hash = createHash('sha256');
  for (const file of [...pins, ...app.made ?? []]) hash.update(readFileSync(join(from, file)));
  const to = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(to)) return to;
  mkdirSync(cache, { recursive: true });
  const part = mkdtempSync(`${to}.part-`);
  try {
    for (const file of pins) copyFileSync(join(from, file), join(part, file));
    console.error(`fetching ${name} by its pins into ${part}`);
    if (pins.includes('requirements.txt')) {
      run('python3', ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-warn-script-location',
        '--no-deps', '--only-binary', ':all:', '-r', join(part, 'requirements.txt'), '--target', join(part, 'python')]);
    } else {
      run('npm', ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: part });
    }
    await app.prepare?.({ installed: part, env: environment(part, part) });
    for (const old of readdirSync(cache)) {
      if (old.startsWith(`${name}-`) && !old.includes('.part-')) rmSync(join(cache, old), { recursive: true, force: true });
    }
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(`${name} cannot be installed: ${error.message}`);
  }
  return to;
}

/** What programs of an app find: its Python packages, and a home that is not the person's. */
function environment(installed, dir) {
  const env = { ...process.env, HOME: dir };
  const python = join(installed, 'python');
  if (existsSync(python)) Object.assign(env, { PYTHONPATH: python, PATH: join(python, 'bin') + delimiter + process.env.PATH });
  return env;
}

/** Installs if need be and starts a fresh instance on a free port. */
export async function start(name, { port } = {}) {
  const { app } = await import(pathToFileURL(join(here, name, 'start.mjs')).href);
  const installed = await install(name);
  const dir = mkdtempSync(join(tmpdir(), `tracerule-${name}-`));
  const instance = { name, dir, installed, port: port ?? await freePort(), log: '' };
  const env = instance.env = environment(installed, dir);
  instance.url = `http://127.0.0.1:${instance.port}${app.path ?? '/'}`;
  let child;
  instance.stop = async () => {
    // The whole group: kernels and workers are children of the app.
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise(done => child.once('exit', done));
      const kill = signal => { try { process.kill(-child.pid, signal); } catch { /* gone already */ } };
      kill('SIGTERM');
      const late = setTimeout(() => kill('SIGKILL'), 3000);
      await gone;
      clearTimeout(late);
      kill('SIGKILL');
    }
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const [program, ...args] = await app.command(instance);
    child = spawn(program, args, { cwd: dir, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', d => instance.log += d);
    child.stderr.on('data', d => instance.log += d);
    child.on('error', error => instance.log += error.message);
    const tail = () => instance.log.trim().split('\n').slice(-5).join('; ');
    await until(async () => {
      if (child.exitCode !== null || child.pid === undefined) return 'ended';
      return (await fetch(instance.url, { redirect: 'manual' })).status < 500;
    }, `${name} to answer at ${instance.url}`, 60_000).then(how => { if (how === 'ended') throw new Error(`it ended with ${child.exitCode}`); })
      .catch(error => { throw new Error(`${name} cannot be started: ${error.message}: ${tail()}`); });
    await app.ready?.(instance);
  } catch (error) {
    await instance.stop();
    throw error;
  }
  return instance;
}

/** What a start script does when it is run by hand: one instance until it is interrupted. */
export async function main(url) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const name = dirname(fileURLToPath(url)).split(/[\\/]/).at(-1);
  try {
    const instance = await start(name, { port: Number(process.env.PORT) || undefined });
    console.log(`${name} is at ${instance.url}; its state is in ${instance.dir}; end it with Ctrl-C`);
    const end = async () => { await instance.stop(); process.exit(0); };
    process.on('SIGINT', end).on('SIGTERM', end);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
