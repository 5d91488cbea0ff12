// What happens around a page: tabs, dialogs, downloads, history, errors. Firefox lets a second driver hear of
// dialogs only instead of the companion, so here they are known in Chromium alone.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const out = '<output id=out></output>';
const plain = (title, body) => `<!doctype html><title>${title}</title>${body}`;
const ok = { status: 'ok' };
const csv = 'id,price\n1,2\n';
const sha256 = createHash('sha256').update(csv).digest('hex');
const attachment = { body: csv, headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="prices.csv"' } };
const heard = list => `the pages' events are ${list.map(event => `${event.what} ${event.detail} ${event.status ?? ''} ${JSON.stringify(event.download ?? null)}`).join('; ')}`;
const unseen = 'a script that drives Firefox leaves no session for the companion to hear of dialogs';

/** Answers the next dialog as a person would, a moment after it came. */
const answering = answer => async hand => hand.page.once('dialog', dialog => setTimeout(() => answer(dialog), 250));
const accept = text => answering(dialog => dialog.accept(text));
const dismiss = answering(dialog => dialog.dismiss());

/** The page that `act` opens in another tab. */
async function opened(hand, act) {
  if (hand.firefox) {
    const all = async () => (await hand.page.browser().pages()).length;
    const before = await hand.page.browser().pages();
    await act();
    for (let i = 0; i < 60 && (await all()) === before.length; i++) await hand.wait(100);
    return (await hand.page.browser().pages()).find(page => !before.includes(page));
  }
  const coming = hand.page.context().waitForEvent('page', { timeout: 6000 });
  await act();
  const page = await coming;
  await page.waitForLoadState('load');
  return page;
}

const centre = async (page, expression) => page.evaluate(`(() => { const r = (${expression}).getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);

/** The driver names downloaded files by numbers of its own: here they keep their names. */
async function downloadsAsByDefault(hand) {
  hand.folder = mkdtempSync(join(tmpdir(), 'tracerule-download-'));
  if (hand.firefox) return;
  hand.downloads = await hand.recording.browser.newBrowserCDPSession();
  await hand.downloads.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: hand.folder });
}
const noDownloads = hand => rmSync(hand.folder, { recursive: true, force: true });

export default {
  topic: 'Pages',
  cases: [
    {
      name: 'a link that opens a tab, work there, and closing it',
      page: `<a id=a target=_blank>Open</a><script>a.href=location.pathname+'/second'</script>`,
      pages: { '/second': plain('Second', '<button id=b onclick="this.textContent=\'Done\'">There</button>') },
      rest: 600,
      async act(hand) {
        const page = await opened(hand, () => hand.click('a'));
        await hand.wait(800);
        const at = await centre(page, 'b');
        await page.mouse.click(at.x, at.y);
        await hand.wait(1500);
        await page.close();
        await hand.wait(500);
      },
      firefox: { cannot: 'its driver loses pages that another page opened' },
      expect: [{ action: 'click', role: 'link', name: 'Open', tab: 0, outcome: ok }, { action: 'click', name: 'There', tab: n => n > 0 }, { action: 'tab_close' }],
    },
    {
      name: 'a script that opens a window',
      page: `<button id=b onclick="window.open(location.pathname+'/second','w','width=400,height=300')">Pop</button>`,
      pages: { '/second': plain('Second', '<button id=b>In the window</button>') },
      rest: 600,
      async act(hand) {
        const page = await opened(hand, () => hand.click('b'));
        await hand.wait(800);
        const at = await centre(page, 'b');
        await page.mouse.click(at.x, at.y);
        await hand.wait(1500);
        await page.close();
        await hand.wait(500);
      },
      firefox: { cannot: 'its driver loses pages that another page opened' },
      expect: [{ action: 'click', name: 'Pop', outcome: ok }, { action: 'click', name: 'In the window', tab: n => n > 0 }, { action: 'tab_close' }],
    },
    {
      name: 'alert',
      page: `<button id=b onclick="alert('Saved & sound')">Say</button>`,
      before: accept(), rest: 900, act: [['click', 'b']],
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Say', outcome: ok }, { action: 'dialog', dialog: { kind: 'alert', message: 'Saved & sound', accepted: true } }],
    },
    {
      name: 'confirm, accepted',
      page: `<button id=b onclick="out.textContent=confirm('Delete it?')">Delete</button>${out}`,
      before: accept(), rest: 900, act: [['click', 'b']], then: ['out.textContent', 'true'],
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Delete', outcome: ok }, { action: 'dialog', dialog: { kind: 'confirm', message: 'Delete it?', accepted: true }, outcome: ok }],
    },
    {
      name: 'confirm, dismissed',
      page: `<button id=b onclick="out.textContent=confirm('Delete it?')">Delete</button>${out}`,
      before: dismiss, rest: 900, act: [['click', 'b']], then: ['out.textContent', 'false'],
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Delete', outcome: ok }, { action: 'dialog', dialog: { kind: 'confirm', message: 'Delete it?', accepted: false } }],
    },
    {
      name: 'prompt, answered',
      page: `<button id=b onclick="out.textContent=prompt('Your name?','nobody')">Ask</button>${out}`,
      before: accept('Ada'), rest: 900, act: [['click', 'b']], then: ['out.textContent', 'Ada'],
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Ask', outcome: ok }, { action: 'dialog', value: 'Ada', dialog: { kind: 'prompt', message: 'Your name?', accepted: true, text: 'Ada' } }],
    },
    {
      name: 'prompt for a password: its answer is not written down',
      page: `<button id=b onclick="out.textContent=prompt('Password?').length">Ask</button>${out}`,
      before: accept('hunter2!'), rest: 900, act: [['click', 'b']], then: ['out.textContent', '8'],
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Ask' }, { action: 'dialog', secret: true, value: '••••••••' }],
    },
    {
      name: 'two dialogs in a row, in a frame',
      page: `<iframe id=f title=F srcdoc="<button id=b onclick=&quot;confirm('One')&amp;&amp;alert('Two')&quot;>Both</button>"></iframe>`,
      before: async hand => { let n = 0; const on = dialog => setTimeout(() => dialog.accept(), 250); hand.page.on('dialog', on); hand.off = () => hand.page.off('dialog', on); void n; },
      after: hand => hand.off?.(), rest: 1300,
      async act(hand) { await hand.wait(300); const at = await hand.evaluate(`(() => { const r = f.contentDocument.querySelector('#b').getBoundingClientRect(), o = f.getBoundingClientRect(); return { x: o.x + f.clientLeft + r.x + r.width / 2, y: o.y + f.clientTop + r.y + r.height / 2 }; })()`); await hand.moveTo(at.x, at.y); await hand.down(); await hand.up(); },
      firefox: { cannot: unseen },
      expect: [{ action: 'click', name: 'Both', outcome: ok }, { action: 'dialog', dialog: { kind: 'confirm', message: 'One', accepted: true } }, { action: 'dialog', dialog: { kind: 'alert', message: 'Two', accepted: true } }],
    },
    {
      name: 'a box whose click asks first',
      page: `<label><input id=i type=checkbox onclick="return confirm('Sure?')"> Agree</label>`,
      before: accept(), rest: 900, act: [['click', 'i']], then: ['i.checked', true],
      firefox: { cannot: unseen },
      expect: [{ action: 'check', name: 'Agree', outcome: ok }, { action: 'dialog', dialog: { kind: 'confirm', message: 'Sure?', accepted: true } }],
    },
    {
      name: 'a question before leaving, stayed',
      page: `<input id=i aria-label=Note><a id=a href="/start">Leave</a><script>onbeforeunload=e=>e.preventDefault()</script>`,
      before: dismiss, after: hand => hand.evaluate('onbeforeunload=null'), rest: 900,
      act: [['click', 'i'], ['type', 'x'], ['click', 'a']], then: ['i.value', 'x'],
      firefox: { cannot: unseen },
      expect: [{ action: 'click' }, { action: 'fill', value: 'x' }, { action: 'click', name: 'Leave', outcome: ok }, { action: 'dialog', dialog: d => d?.kind === 'beforeunload' && d.accepted === false }],
    },
    {
      name: 'a question before leaving, left',
      page: `<input id=i aria-label=Note><a id=a href="/start">Leave</a><script>onbeforeunload=e=>e.preventDefault()</script>`,
      before: accept(), rest: 1200,
      act: [['click', 'i'], ['type', 'x'], ['click', 'a']],
      firefox: { cannot: unseen },
      expect: [{ action: 'click' }, { action: 'fill', value: 'x' }, { action: 'click', name: 'Leave', outcome: ok }, { action: 'dialog', dialog: d => d?.kind === 'beforeunload' && d.accepted === true }],
    },
    {
      name: 'a download: name, size and hash',
      before: downloadsAsByDefault, after: noDownloads,
      page: `<a id=a>Prices</a><script>a.href=location.pathname+'/prices'</script>`,
      pages: { '/prices': attachment },
      rest: 1200, act: [['click', 'a']],
      expect: [{ action: 'click', role: 'link', name: 'Prices', outcome: ok }],
      check: (_, { page }) => page.some(e => e.what === 'download' && e.download.name.endsWith('.csv') && e.download.size === csv.length && e.download.sha256 === sha256 && e.download.state === 'complete') ? undefined : heard(page),
    },
    {
      name: 'a download that a script makes',
      page: `<button id=b onclick="const a=document.createElement('a');a.download='made.csv';a.href=window.URL.createObjectURL(new Blob(['id,price\\n1,2\\n'],{type:'text/csv'}));a.click()">Export</button>`,
      before: downloadsAsByDefault, after: noDownloads,
      rest: 1200, act: [['click', 'b']],
      expect: [{ action: 'click', role: 'button', name: 'Export', outcome: ok }],
      check: (_, { page }) => page.some(e => e.what === 'download' && e.download.size === csv.length && e.download.sha256 === sha256) ? undefined : heard(page),
    },
    {
      name: 'print',
      page: `<button id=b onclick="dispatchEvent(new Event('before-print-of-the-case'));print()">Print</button>`,
      rest: 900, act: [['click', 'b']],
      firefox: { cannot: 'its window without a screen opens no print dialog that could be closed' },
      expect: [{ action: 'click', name: 'Print', outcome: ok }],
      check: (_, { page }) => page.some(e => e.what === 'print') ? undefined : heard(page),
    },
    {
      name: 'pushState, replaceState and a fragment, then back',
      page: `<button id=push onclick="history.pushState({},'','?view=2')">Push</button><button id=swap onclick="history.replaceState({},'','?view=3')">Replace</button><a id=hash href="#part">Part</a><p id=part>Part`,
      rest: 500,
      async act(hand) { await hand.click('push'); await hand.click('swap'); await hand.click('hash'); await hand.traverse(-1); },
      expect: [{ action: 'click', name: 'Push', outcome: ok }, { action: 'click', name: 'Replace', outcome: ok }, { action: 'click', name: 'Part', outcome: ok }, { action: 'back' }],
      check: (_, { page }) => page.filter(e => e.what === 'same_page').length >= 4 ? undefined : heard(page),
    },
    {
      name: 'on, back, forward and reload, with work between',
      page: `<a id=a>On</a><script>a.href=location.pathname+'/second'</script>`,
      pages: { '/second': plain('Second', '<button id=b>Here</button>') },
      rest: 600,
      async act(hand) {
        await hand.click('a');
        await hand.wait(700);
        await hand.click('b');
        await hand.traverse(-1);
        await hand.traverse(+1);
        await Promise.race([hand.page.reload().catch(() => {}), hand.wait(4000)]);
        await hand.wait(300);
        await hand.click('b');
      },
      expect: [{ action: 'click', name: 'On', outcome: ok }, { action: 'click', name: 'Here' }, { action: 'back' }, { action: 'forward' }, { action: 'reload' }, { action: 'click', name: 'Here' }],
    },
    {
      name: 'a page that answers 404, and a click there',
      page: `<a id=a>Broken</a><script>a.href=location.pathname+'/missing'</script>`,
      rest: 600,
      async act(hand) { await hand.click('a'); await hand.wait(700); await hand.click('document.querySelector("h1")'); },
      expect: [{ action: 'click', name: 'Broken', outcome: ok }, { action: 'click' }],
      check: (_, { page }) => page.some(e => e.what === 'failed' && e.status === 404) ? undefined : heard(page),
    },
    {
      name: 'a chain of redirects',
      page: `<a id=a>Round</a><script>a.href=location.pathname+'/a'</script>`,
      pages: { '/a': { body: '', status: 301, headers: { location: 'b' } }, '/b': { body: '', status: 302, headers: { location: 'c' } }, '/c': plain('End', '<button id=b>End</button>') },
      rest: 500, act: [['click', 'a'], ['wait', 600], ['click', 'b']],
      expect: [{ action: 'click', name: 'Round', outcome: ok }, { action: 'click', name: 'End' }],
      check: (_, { page }) => page.some(e => e.what === 'navigated' && e.status === 200 && e.redirects?.map(hop => hop.status).join() === '301,302') ? undefined : heard(page),
    },
    {
      name: 'a page where nothing answers',
      page: `<a id=a href="http://127.0.0.1:2/">Dead</a>`,
      rest: 700, act: [['click', 'a']],
      expect: [{ action: 'click', name: 'Dead', outcome: ok }],
      check: (_, { page, coverage }) => page.some(e => e.what === 'failed') && coverage.some(e => e.what === 'navigation') ? undefined : heard(page),
    },
  ],
};
