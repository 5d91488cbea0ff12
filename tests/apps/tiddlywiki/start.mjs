// Starts a fresh TiddlyWiki server: an empty wiki whose tiddlers are files in its own folder.
//   node tests/apps/tiddlywiki/start.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../lib.mjs';

export const app = {
  command({ dir, installed, port }) {
    const program = join(installed, 'node_modules/tiddlywiki/tiddlywiki.js');
    const wiki = join(dir, 'wiki');
    const made = spawnSync('node', [program, wiki, '--init', 'server'], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`tiddlywiki --init failed: ${made.stderr}`);
    return ['node', program, wiki, '--listen', `port=${port}`, 'host=127.0.0.1'];
  },
};

/** The tiddlers that people wrote: title → text of the file. */
export function tiddlers({ dir }) {
  const folder = join(dir, 'wiki/tiddlers');
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder).filter(file => file.endsWith('.tid') && !file.startsWith('$__'));
  return Object.fromEntries(files.map(file => [file.slice(0, -4), readFileSync(join(folder, file), 'utf8')]));
}

await main(import.meta.url);
