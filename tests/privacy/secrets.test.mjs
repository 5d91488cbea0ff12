// No secret is in anything that Tracerule writes: secrets of every kind are planted in a page, typed, shown, sent and
// pasted, then every byte of every artefact is looked through, and every picture.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pbkdf2Sync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { chromiumProgram } from '../lib/browsers.mjs';
import { background, record, root, scratch, sleep, steps } from '../lib/companion.mjs';
import { Human } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';
import { PAGES, SECRETS, forms } from './pages.mjs';

const by = id => `document.getElementById('${id}')`;

/** The members of a zip, unpacked. */
export function unzip(bytes) {
  const members = new Map();
  let at = bytes.readUInt32LE(bytes.lastIndexOf(Buffer.from('PK\x05\x06')) + 16);
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [method, packed, nameLength, extra, comment, offset] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42)];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const data = bytes.subarray(start, start + packed);
    members.set(name, method === 8 ? inflateRawSync(data) : data);
    at += 46 + nameLength + extra + comment;
  }
  return members;
}

/** Every format that is written, with a name for its file. */
const CONVERTED = [
  ['tracerule', 'a.trace.zip'], ['puppeteer-replay', 'a.json'], ['playwright-trace', 'a.zip'], ['playwright-test', 'a.spec.ts'],
  ['playwright-python', 'test_a.py'], ['playwright-codegen', 'a.jsonl'], ['selenium-side', 'a.side'], ['rrweb', 'a.json'],
  ['browser-gym', 'a.json'],
];

/** Every file under a folder whose path fits. */
function files(dir, fits = () => true) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true }).map(name => join(dir, name)).filter(path => fits(path) && statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** The profile of the browser that this companion started. */
function profileOf(pid) {
  for (const name of readdirSync('/proc').filter(n => /^\d+$/.test(n))) {
    try {
      if (readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1] !== String(pid)) continue;
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const at = line.find(a => a.startsWith('--user-data-dir='))?.slice(16) ?? line[line.findIndex(a => /^--?profile$/.test(a)) + 1];
      if (at && existsSync(at)) return at;
    } catch { /* gone */ }
  }
  throw new Error('the browser has no profile');
}

/** Looks through bytes for every secret in every form. */
export function leaks(artefacts, secrets = SECRETS) {
  const found = [];
  const wanted = Object.entries(secrets).flatMap(([name, secret]) => forms(secret).map(form => [name, form]));
  for (const [where, bytes] of artefacts) for (const [name, form] of wanted) {
    const at = bytes.indexOf(form);
    if (at >= 0) found.push(`${name} in ${where}: …${bytes.toString('utf8', Math.max(0, at - 80), at + form.length + 20)}…`);
  }
  return found;
}

/** How many pixels of that shameful colour pictures hold: secrets are painted in nothing else. */
async function magenta(pictures) {
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const counts = {};
    for (const [name, bytes] of pictures) {
      counts[name] = await page.evaluate(async data => {
        const bitmap = await createImageBitmap(await (await fetch(data)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const { data: px } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        let pink = 0, black = 0;
        for (let i = 0; i < px.length; i += 4) {
          if (px[i] > 170 && px[i + 1] < 90 && px[i + 2] > 170) pink++;
          if (px[i] + px[i + 1] + px[i + 2] < 20) black++;
        }
        return [pink, black];
      }, `data:image/${name.split('.').pop()};base64,${bytes.toString('base64')}`);
    }
    return counts;
  } finally { await browser.close(); }
}

for (const browser of ['chromium', 'firefox']) {
  describe(`secrets in ${browser}`, { concurrency: 1 }, () => {
    let site;
    before(async () => { site = await serve(PAGES); });
    after(() => site.close());

    it('typed by a person are in no artefact', { timeout: 240_000 }, async test => {
      const dir = scratch(test);
      const out = join(dir, 'r.trace.zip');
      const recording = await record(site.url('/'), { browser, out, args: ['--mask', '.private'] });
      const human = new Human(recording.page, browser);
      const put = async (expression, text, frame) => { await human.click(expression, { frame }); await human.type(text); };
      for (const id of ['password', 'repeated', 'toggled', 'replaced', 'code', 'hinted', 'card', 'cvc', 'expiry', 'named', 'dots', 'typed']) await put(by(id), SECRETS[id]);
      await human.click(by('toggle'));
      await put(by('toggled'), SECRETS.grown);
      await human.click(by('swap'));
      await human.click(by('replaced2'));
      await human.press('End');
      await human.type(SECRETS.after);
      for (const [i, digit] of [...SECRETS.split].entries()) await put(`document.querySelectorAll('#boxes input')[${i}]`, digit);
      await put(by('edited'), SECRETS.edited);
      await put('window.__root.getElementById("in")', SECRETS.shadow);
      await put(by('f'), SECRETS.framed, '/inner');
      await put(by('f'), SECRETS.elsewhere, '/others');
      human.inside = undefined;
      // Copied where it is shown, pasted where it is hidden.
      await human.evaluate(`${by('plain')}.value = ${JSON.stringify(SECRETS.pasted)}; ${by('plain')}.name = 'q'; ${by('plain')}.style.cssText = 'background:#f0f;color:#f0f'; ${by('plain')}.setAttribute('autocomplete', 'current-password'); 0`);
      await human.click(by('plain'));
      await human.press('Control+a');
      await human.press('Control+c');
      await human.click(by('pasted'));
      await human.press('Control+v');
      await sleep(700);
      await human.evaluate('window.reveal(); 0');
      await human.click(by('host'));
      await human.evaluate('window.scrollTo(0, 200); 0');
      await sleep(900);
      await human.evaluate('document.body.style.zoom = 1.3; 0');
      await human.click('document.querySelector("#echo p")');
      await sleep(900);
      await human.click(by('send'));
      await sleep(1200);
      await human.click(by('again'));
      await sleep(800);
      const profile = profileOf(recording.child.pid);
      const own = path => /chrome-extension_|moz-extension\+|Extension (Settings|State|Scripts)|browser-extension-data/.test(path);
      const stored = files(profile, own).map(path => [path, readFileSync(path)]);
      assert.ok(stored.some(([, bytes]) => bytes.length > 1000), 'there is a store to look through');
      assert.equal(await recording.stop(), 0, recording.log);

      const zip = readFileSync(out);
      const members = unzip(zip);
      const artefacts = [...stored, ['the zip', zip], ...members, ['stdout', Buffer.from(recording.log)]];
      for (const args of [['show', out], ['show', out, '--json'], ['show', out, '--dom'], ['show', out, '--log'], ['report', '--reference', out, out, '--out', join(dir, 'report.html')]]) {
        const r = await background(args);
        artefacts.push([`tracerule ${args[0]} ${args[2] ?? ''}`, Buffer.from(r.stdout + r.stderr)]);
      }
      for (const [format, name] of CONVERTED) for (const plain of [[], ['--plain']]) {
        const made = join(dir, `converted${plain.length ? '-plain' : ''}-${format}`);
        mkdirSync(made);
        const r = await background(['convert', out, join(made, name), '--to', format, ...plain]);
        artefacts.push([`tracerule convert --to ${format}`, Buffer.from(r.stdout + r.stderr)]);
        assert.equal(r.status, 0, `${format}: ${r.stderr}`);
        const written = files(made);
        assert.ok(written.some(path => statSync(path).size > 100), `${format}: something was written`);
        for (const path of written.filter(path => path.endsWith('.zip'))) {
          for (const [member, bytes] of unzip(readFileSync(path))) artefacts.push([`${format}: ${member}`, bytes]);
        }
      }
      for (const path of files(dir)) artefacts.push([path, readFileSync(path)]);
      assert.deepEqual(leaks(artefacts), []);

      const pictures = [...members].filter(([name]) => /\.(webp|png|jpg)$/.test(name));
      assert.ok(pictures.length > 3, 'there are pictures to look at');
      const seen = await magenta(pictures);
      assert.deepEqual(Object.entries(seen).filter(([, [pink]]) => pink > 0), []);
      assert.ok(Object.values(seen).some(([, black]) => black > 3000), 'secrets are painted over, not left out');

      // The steps are all there, and say what may be said.
      const trace = members.get('trace.jsonl').toString().trim().split('\n').map(line => JSON.parse(line));
      const fills = trace.filter(e => e.event === 'step' && e.action === 'fill');
      const salt = trace[0].secret_salt;
      assert.deepEqual(trace[0].mask, ['.private']);
      const sealed = fill => fill.secret_value && `${fill.secret_value.class} ${fill.secret_value.length}`;
      const first = fills[0];
      assert.deepEqual([first.secret, first.value, first.secret_value.class, first.secret_value.length, first.secret_value.salt], [true, '••••••••', 'password', 11, salt]);
      const whole = pbkdf2Sync(SECRETS.password, Buffer.from(salt, 'hex'), 1000, 32, 'sha256').toString('hex');
      assert.ok(first.secret_value.hash.length >= 8 && whole.startsWith(first.secret_value.hash), `${first.secret_value.hash} begins ${whole}`);
      assert.equal(fills.every(f => f.secret && f.value === '••••••••'), true, JSON.stringify(fills.filter(f => !f.secret)));
      for (const kind of ['code 6', 'card 16', 'card 7', 'masked 9']) assert.ok(fills.some(f => sealed(f) === kind), `${kind}: ${fills.map(sealed)}`);
      assert.ok(fills.filter(f => sealed(f) === 'code 1').length === 6 && fills.filter(f => sealed(f) === 'code 1').every(f => !f.secret_value.hash), 'a digit has no hash');
    });

    it('typed by an agent are in no artefact', { timeout: 240_000 }, async test => {
      const dir = scratch(test);
      writeFileSync(join(dir, 'task.toml'), `name = "vault"\nurl = ${JSON.stringify(site.url('/'))}\ngoal = "Fill in"\n[limits]\nsteps = 40\nseconds = 90\n`);
      const used = Object.fromEntries(['password', 'card', 'named', 'token', 'typed'].map(key => [key, SECRETS[key]]));
      const script = [
        ['browser_snapshot', {}],
        ['browser_type', { target: 'css=#password', text: used.password }],
        ['browser_type', { target: 'css=#card', text: used.card }],
        ['browser_type', { target: 'css=#named', text: used.named }],
        ['browser_type', { target: 'css=#typed', text: used.typed }],
        ['browser_take_screenshot', {}],
        ['browser_snapshot', {}],
        ['browser_navigate', { url: `${site.url('/')}?access_token=${used.token}` }],
        ['browser_snapshot', {}],
      ];
      const r = await background(['run', join(dir, 'task.toml'), '--agent', `node ${JSON.stringify(join(root, 'tests/e2e/agents/mcp.mjs'))}`, '--browser', browser, '--headless', '--out', join(dir, 'out'), '--mask', '.private'], {
        env: { ...process.env, PROBE_STEPS: JSON.stringify(script), PROBE_OUT: join(dir, 'answers') },
      });
      assert.equal(r.status, 0, r.stdout + r.stderr);
      const trace = join(dir, 'out/run-0.trace.zip');
      const members = unzip(readFileSync(trace));
      const unpacked = await background(['show', trace, '--log']);
      const artefacts = [...members, ['the pages, unpacked', Buffer.from(unpacked.stdout)], ['the companion', Buffer.from(r.stdout + r.stderr)]];
      for (const path of files(join(dir, 'out'), p => !p.endsWith('agent.log'))) artefacts.push([path, readFileSync(path)]);
      assert.deepEqual(leaks(artefacts, { ...used, region: SECRETS.region, private: SECRETS.private, hidden: SECRETS.hidden }), []);
      // What the agent is shown is no artefact, yet masks hold there as well; where it went it said itself.
      const answers = JSON.parse(readFileSync(join(dir, 'answers'), 'utf8')).slice(1);
      assert.deepEqual(leaks(answers.map((a, i) => [`answer ${i}`, Buffer.from(a.text ?? '')]), { ...used, token: SECRETS.private, private: SECRETS.private, region: SECRETS.region }), []);
      const fills = steps(trace).filter(s => s.action === 'fill');
      assert.equal(fills.length, 4, JSON.stringify(fills));
      assert.ok(fills.every(f => f.secret && f.value === '••••••••'));
    });
  });
}
