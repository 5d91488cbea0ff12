// What a person does in a real browser becomes exactly the right steps, in Chromium and in Firefox.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertSteps, record, scratch, sleep, steps, tracerule } from '../lib/companion.mjs';
import { Human, dumpLive } from '../lib/human.mjs';
import { serve } from '../lib/serve.mjs';

const strict = { headers: { 'content-security-policy': "default-src 'none'" } };

const pages = {
  '/controls': `<!doctype html><title>Controls</title>
    <button id=save onclick="out.textContent='saved'">Save</button>
    <label>Name <input id=name></label>
    <label>Size <select id=size><option>Small<option>Medium<option>Large</select></label>
    <label><input type=checkbox id=gift> Gift wrap</label>
    <label><input type=radio name=r id=air> By air</label>
    <div id=item tabindex=0 role=row ondblclick="out.textContent='opened'" oncontextmenu="out.textContent='menu';return false">Item</div>
    <div id=list style="height:80px;overflow:auto"><div style="height:1000px">long</div></div>
    <a id=link href="/second">Second page</a>
    <output id=out></output>`,
  '/second': '<!doctype html><title>Second</title><h1>Second</h1><button id=more>More</button><script>history.pushState({}, "", "/second?view=2")</script>',
  '/frames': `<!doctype html><title>Frames</title><iframe id=same src="/inner" title="Same" width=300 height=100></iframe>
    <iframe id=cross src="{other}/inner?cross" title="Cross" width=300 height=100></iframe>
    <div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML='<p>in shadow</p><button>Deep</button>'</script>`,
  '/inner': '<!doctype html><title>Inner</title><button>Inside</button><label>Word <input></label>',
  '/strict': { ...strict, body: '<!doctype html><title>Strict</title><button>Allowed</button><label>Note <input></label>' },
  '/login': `<!doctype html><title>Login</title><label>User <input></label><label>Password <input id=p type=password></label>
    <button onclick="document.getElementById('p').type='text'; echo.textContent='you typed '+p.value">Show</button><output id=echo></output>`,
  '/signin': `<!doctype html><title>Sign in</title><form action="/welcome"><label>Code <input name=gate type=password></label><button>Enter</button></form>`,
  '/welcome': '<!doctype html><title>Welcome</title><p id=p></p><button>On</button><script>p.textContent = "You came with " + location.search</script>',
  '/heavy': `<!doctype html><title>Heavy</title><button id=go>Go</button><main id=root></main><script>
    let seed = 7; const rnd = n => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    go.onclick = () => { for (let i = 0; i < 4000; i++) {
      const all = root.querySelectorAll('*'); const any = all.length ? all[rnd(all.length)] : root;
      switch (rnd(8)) {
        case 0: case 1: { const e = document.createElement(['div', 'span', 'ul', 'p'][rnd(4)]); e.append('t' + i); any.append(e); break; }
        case 2: if (any !== root) { const to = all[rnd(all.length)]; if (!any.contains(to)) to.prepend(any); } break;
        case 3: if (any !== root && rnd(3) === 0) any.remove(); break;
        case 4: any.setAttribute('data-' + rnd(5), i); break;
        case 5: if (any.firstChild?.nodeType === 3) any.firstChild.data = 'x' + i; break;
        case 6: any.insertBefore(document.createComment('c' + i), any.firstChild); break;
        case 7: if (any !== root && rnd(5) === 0) { const p = any.parentNode, n = any.nextSibling; any.remove(); p.insertBefore(any, n); } break;
      } } document.title = 'done'; };</script>`,
};

/** Every byte of a trace's files, as one; its pages as they are and unpacked. */
function wholeTrace(file) {
  const script = 'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nsys.stdout.buffer.write(b"".join(z.read(n) for n in z.namelist()))';
  return Buffer.concat([execFileSync('python3', ['-c', script, file], { maxBuffer: 1 << 28 }), Buffer.from(tracerule('show', file, '--log').stdout)]);
}

for (const browser of ['chromium', 'firefox']) {
  describe(`recording in ${browser}`, { concurrency: 1 }, () => {
    let site;
    before(async () => { site = await serve(pages); });
    after(() => site.close());

    const recorded = async (test, path, play) => {
      const out = join(scratch(test), 'r.trace.zip');
      const recording = await record(site.url(path), { browser, out });
      let code;
      try { await play(new Human(recording.page, browser), recording); } finally { code = await recording.stop(); }
      assert.equal(code, 0, recording.log);
      return { out, steps: steps(out) };
    };

    it('controls, keys, scrolling and navigation', { timeout: 120_000 }, async test => {
      const { steps: got } = await recorded(test, '/controls', async human => {
        await human.click('save');
        await human.click('document.getElementById("name")');
        await human.type('hello there');
        await human.press('Tab');
        await human.press('ArrowDown');
        await human.press('ArrowDown');
        await human.click('gift');
        await human.click('gift.parentElement.lastChild.parentElement');
        await human.click('air');
        await human.click('item', { clickCount: 2 });
        await human.click('item', { button: 'right' });
        await human.press('Control+k');
        await human.wheel('list', 300);
        await human.click('link');
        await human.click('more');
        await human.traverse(-1);
        await human.traverse(-1);
        await human.traverse(+1);
        await human.page.reload();
      });
      assertSteps(assert, got, [
        { action: 'click', role: 'button', name: 'Save', button: 'left', trusted: true, frame: [], url: site.url('/controls') },
        { action: 'click', role: 'textbox', name: 'Name' },
        { action: 'fill', role: 'textbox', name: 'Name', value: 'hello there' },
        { action: 'press', key: 'Tab' },
        { action: 'select', role: 'combobox', name: 'Size', value: 'Large' },
        { action: 'check', role: 'checkbox', name: 'Gift wrap' },
        { action: 'uncheck', role: 'checkbox', name: 'Gift wrap' },
        { action: 'check', role: 'radio', name: 'By air' },
        { action: 'dblclick', role: 'row' },
        { action: 'contextmenu', role: 'row', button: 'right' },
        { action: 'press', key: 'Control+K' },
        { action: 'scroll' },
        { action: 'click', role: 'link', name: 'Second page' },
        { action: 'click', role: 'button', name: 'More' },
        { action: 'back' }, { action: 'back' }, { action: 'forward' }, { action: 'reload' },
      ]);
      for (const step of got.filter(s => s.role)) {
        assert.ok(step.locators.length && step.locators.every(l => l.matches >= 1), `locators with counts: ${JSON.stringify(step)}`);
      }
      assert.ok(got.every((s, i) => s.seq === i && s.t_ms > 1.6e12 && (!i || s.t_ms >= got[i - 1].t_ms)), 'numbered and in time order');
    });

    it('frames of the same and of another origin, and open shadow roots', { timeout: 120_000 }, async test => {
      const { steps: got } = await recorded(test, '/frames', async human => {
        await human.click('document.querySelector("button")', { frame: '/inner' });
        await human.click('document.querySelector("input")', { frame: '/inner?cross' });
        await human.type('word');
        await human.click('host.shadowRoot.querySelector("button")');
      });
      assertSteps(assert, got, [
        { action: 'click', role: 'button', name: 'Inside' },
        { action: 'click', role: 'textbox', name: 'Word' },
        { action: 'fill', role: 'textbox', name: 'Word', value: 'word' },
        { action: 'click', role: 'button', name: 'Deep', frame: [] },
      ]);
      assert.equal(got[0].frame.length, 1);
      assert.equal(got[1].frame.length, 1);
      assert.notDeepEqual(got[0].frame, got[1].frame, 'the two frames are told apart');
    });

    it("a page whose policy is default-src 'none'", { timeout: 120_000 }, async test => {
      const { steps: got, out } = await recorded(test, '/strict', async human => {
        await human.click('document.querySelector("button")');
        await human.click('document.querySelector("input")');
        await human.type('noted');
      });
      assertSteps(assert, got, [
        { action: 'click', role: 'button', name: 'Allowed' },
        { action: 'click', role: 'textbox', name: 'Note' },
        { action: 'fill', role: 'textbox', name: 'Note', value: 'noted' },
      ]);
      assert.equal(tracerule('score', out, out, '--json').status, 0);
    });

    it('the mirror equals the live document after heavy changes', { timeout: 120_000 }, async test => {
      let live;
      const { out } = await recorded(test, '/heavy', async human => {
        await human.click('go');
        await human.click('go');
        live = JSON.parse(await human.evaluate(dumpLive));
      });
      const shown = tracerule('show', out, '--dom');
      assert.equal(shown.status, 0, shown.stderr);
      const document = shown.stdout.trim().split('\n').map(l => JSON.parse(l)).find(d => d.url.endsWith('/heavy'));
      assert.deepEqual(document.dom, live);
    });

    it('secrets are nowhere in the trace', { timeout: 120_000 }, async test => {
      const { out, steps: got } = await recorded(test, '/login', async human => {
        await human.click('document.querySelector("input")');
        await human.type('ada');
        await human.click('p');
        await human.type('hunter2!');
        await human.click('document.querySelector("button")');
        await human.click('p');
        await human.type('xyz');
      });
      assertSteps(assert, got, [
        { action: 'click' }, { action: 'fill', value: 'ada' }, { action: 'click' },
        { action: 'fill', secret: true, value: '••••••••' }, { action: 'click', name: 'Show' },
        { action: 'click' }, { action: 'fill', secret: true, value: '••••••••' },
      ]);
      assert.equal(wholeTrace(out).includes('hunter2'), false, 'the password is not in any file of the trace');
    });

    it('secrets that a form puts into an address are nowhere in the trace', { timeout: 120_000 }, async test => {
      const { out, steps: got } = await recorded(test, '/signin', async human => {
        await human.click('document.querySelector("input")');
        await human.type('open-sesame');
        await human.click('document.querySelector("button")');
        await sleep(800);
        await human.click('document.querySelector("button")');
      });
      assertSteps(assert, got, [
        { action: 'click' }, { action: 'fill', secret: true, value: '••••••••' }, { action: 'click', name: 'Enter' },
        { action: 'click', name: 'On', url: site.url('/welcome?gate=••••••••') },
      ]);
      assert.equal(wholeTrace(out).includes('open-sesame'), false, 'the code is not in any file of the trace');
    });
  });
}
