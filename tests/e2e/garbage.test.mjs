// Garbage given to every command: one clear line on standard error, an exit code of its own, no panic,
// nothing written.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratch, tracerule } from '../lib/companion.mjs';

const zipOf = (dir, name, lines) => {
  const { execFileSync } = require('node:child_process');
  const file = join(dir, name);
  execFileSync('python3', ['-c', 'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w")\nz.writestr("trace.jsonl",sys.argv[2])\nz.close()', file, lines.join('\n')]);
  return file;
};
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);

const header = { format: 'tracerule-trace', version: 1, id: 'x', role: 'reference', title: '', url: '', started_ms: 1.7e12, recorder: { version: '0', via: 'extension', browser: 'none' } };

describe('garbage', () => {
  it('is refused by every command, clearly', { timeout: 120_000 }, test => {
    const dir = scratch(test);
    const file = (name, text) => { writeFileSync(join(dir, name), text); return join(dir, name); };
    mkdirSync(join(dir, 'folder'));
    const bad = {
      'not a zip': file('bad.trace.zip', 'not a zip'),
      'an empty file': file('empty.trace.zip', ''),
      'a folder': join(dir, 'folder'),
      'nothing there': join(dir, 'absent.zip'),
      'broken JSON': file('broken.json', '{"steps":[{"action":'),
      'JSON of another kind': file('other.json', '[1,2,3]'),
      'steps that are no list': file('nolist.json', '{"steps":7}'),
      'a step without action': file('noaction.json', '{"steps":[{"target":"x"}]}'),
      'a zip without header': zipOf(dir, 'noheader.zip', ['{"event":"note"}']),
      'a trace of the future': zipOf(dir, 'future.zip', [JSON.stringify({ ...header, version: 99 })]),
      'a foreign format': zipOf(dir, 'foreign.zip', [JSON.stringify({ ...header, format: 'other' })]),
    };
    const good = file('good.json', '{"steps":[{"action":"click","target":"a"}]}');
    const cases = [];
    for (const [what, path] of Object.entries(bad)) {
      cases.push([what, 'show', path], [what, 'show', path, '--json'], [what, 'score', path, good], [what, 'score', good, path, '--json'], [what, 'report', good, path, '-o', join(dir, 'r.html')]);
      if (path.endsWith('.zip')) cases.push([what, 'replay', path, '--headless']);
      cases.push([what, 'run', path, '--agent', 'true', '--out', join(dir, 'never')]);
    }
    cases.push(['no address', 'record', 'not a url'], ['a foreign scheme', 'record', 'ftp://x/'], ['an unknown browser', 'record', 'http://127.0.0.1:1/', '--browser', 'lynx'],
      ['no command', 'no-such-command'], ['a wrong port', 'serve', '--port', '99999999'], ['an unknown perturbation', 'record', 'http://127.0.0.1:1/', '--perturb', 'earthquake'],
      ['score without runs', 'score', good], ['a bound that is none', 'score', good, good, '--fail-under', 'hard=much']);
    for (const [what, ...args] of cases) {
      const r = tracerule(...args);
      assert.ok(r.status > 0 && r.status < 64, `${what}: ${args.join(' ')} exits with ${r.status}\n${r.stdout}${r.stderr}`);
      assert.ok(r.stderr.trim(), `${what}: ${args[0]} says why`);
      assert.doesNotMatch(r.stderr, /panicked|RUST_BACKTRACE|called `/, `${what}: ${args[0]}`);
    }
    assert.equal(existsSync(join(dir, 'r.html')), false, 'no report of garbage');
  });

  it('a torn last line loses only itself', test => {
    const dir = scratch(test);
    const step = { event: 'step', seq: 0, t_ms: 1.7e12, elapsed_ms: 1, action: 'click', url: 'http://x/', frame: [], tab: 0, pre: {}, post: {}, outcome: { status: 'ok' }, trusted: true, actor: 'human' };
    const torn = zipOf(dir, 'torn.zip', [JSON.stringify(header), JSON.stringify(step), '{"event":"step","seq":1,"t_']);
    const r = tracerule('show', torn, '--json');
    assert.equal(r.status, 0, r.stderr);
    assert.equal(r.stdout.trim().split('\n').length, 1);
    assert.match(r.stderr, /torn|cut|last line/i);
  });

  it('an existing file is not destroyed by a failed command', test => {
    const dir = scratch(test);
    const out = join(dir, 'report.html');
    writeFileSync(out, 'precious');
    assert.notEqual(tracerule('report', join(dir, 'absent.zip'), join(dir, 'absent.zip'), '-o', out).status, 0);
    assert.equal(readFileSync(out, 'utf8'), 'precious');
  });
});
