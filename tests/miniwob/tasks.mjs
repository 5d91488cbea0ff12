// Tasks, each solved by a scripted human with trusted input. Every gesture says what step it must become:
// `action`, and where they are determined `role`, `name`, `value`, `key`. A gesture that must not become a
// step says so with null. Names come from the page's own instruction, so that nothing is copied from a trace.

const told = async page => (await page.locator('#query').textContent()).replace(/\s+/g, ' ').trim();
const quoted = text => [...text.matchAll(/"([^"]*)"/g)].map(m => m[1]);

/** The human: does a gesture and notes the step it must become. */
export class Human {
  constructor(page) { this.page = page; this.expected = []; }
  note(step) { if (step) this.expected.push(step); }
  async click(what, step, options) {
    const it = typeof what === 'string' ? this.page.locator(what) : what;
    await it.click(options);
    this.note({ action: 'click', ...step });
    await this.page.waitForTimeout(150);
  }
  async type(text, step) {
    await this.page.keyboard.type(text, { delay: 15 });
    this.note({ action: 'fill', value: text, ...step });
    await this.page.waitForTimeout(150);
  }
}

const submit = human => human.click('#subbtn', { role: 'button' });
// A plain div: it has no accessible name, only text.
const start = human => human.click('#sync-task-cover', { role: 'generic' });

export const tasks = [
  { task: 'click-button', seed: 'a1', async solve(h) {
    await start(h);
    const [name] = quoted(await told(h.page));
    await h.click(h.page.getByRole('button', { name, exact: true }).first(), { role: 'button', name });
  } },
  { task: 'enter-text', seed: 'b1', async solve(h) {
    await start(h);
    const [text] = quoted(await told(h.page));
    await h.click('#tt', { role: 'textbox' });
    await h.type(text, { role: 'textbox' });
    await h.click('#subbtn', { role: 'button', name: 'Submit' });
  } },
  { task: 'click-checkboxes', seed: 'c3', async solve(h) {
    await start(h);
    const names = (await told(h.page)).match(/^Select (.*) and click Submit/)[1].split(', ');
    for (const [i, name] of names.entries()) {
      // Every other box by its label's text: one step on the box all the same.
      const box = h.page.locator('#boxes label').filter({ hasText: new RegExp(`^${name}$`) });
      if (i % 2) { await box.click({ position: { x: (await box.boundingBox()).width - 3, y: 6 } }); h.note({ action: 'check', role: 'checkbox', name }); await h.page.waitForTimeout(150); }
      else await h.click(box.locator('input'), { action: 'check', role: 'checkbox', name });
    }
    await submit(h);
  } },
  { task: 'click-option', seed: 'd1', async solve(h) {
    await start(h);
    const name = (await told(h.page)).match(/^Select (.*) and click Submit/)[1];
    await h.click(h.page.getByRole('radio', { name, exact: true }), { action: 'check', role: 'radio', name });
    await submit(h);
  } },
  { task: 'choose-list', seed: 'e1', async solve(h) {
    await start(h);
    const name = (await told(h.page)).match(/^Select (.*) from the list/)[1];
    await h.page.locator('#options').focus();
    const options = await h.page.locator('#options option').allTextContents();
    for (let i = 0; i < options.indexOf(name); i++) await h.page.keyboard.press('ArrowDown');
    if (options.indexOf(name) > 0) h.note({ action: 'select', role: 'combobox', value: name });
    await h.click(h.page.getByRole('button', { name: 'Submit' }), { role: 'button', name: 'Submit' });
  } },
  { task: 'choose-date', seed: 'f1', async solve(h) {
    await start(h);
    const [, m, d] = (await told(h.page)).match(/Select (\d+)\/(\d+)\/2016/).map(Number);
    await h.click('#datepicker', { role: 'textbox' });
    await h.page.waitForTimeout(500);
    const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
    for (let i = 0; i < 12 && (await h.page.locator('.ui-datepicker-month').textContent()) !== names[m - 1]; i++) await h.click('.ui-datepicker-prev', { role: 'generic' });
    await h.click(h.page.locator('.ui-datepicker-calendar a').filter({ hasText: new RegExp(`^${d}$`) }), { role: 'link', name: String(d) });
    await h.page.waitForTimeout(500);
    await submit(h);
  } },
  { task: 'enter-date', seed: 'g1', async solve(h) {
    await start(h);
    const [, m, d, y] = (await told(h.page)).match(/Enter (\d+)\/(\d+)\/(\d+)/);
    await h.page.locator('#tt').focus();
    await h.page.keyboard.type(`${m}${d}${y}`, { delay: 30 });
    h.note({ action: 'fill', value: `${y}-${m}-${d}` });
    await submit(h);
  } },
  { task: 'click-tab', seed: 'h1', async solve(h) {
    await start(h);
    const name = (await told(h.page)).match(/(Tab #\d)/)[1];
    await h.click(h.page.locator('#area ul a').filter({ hasText: name }), { name });
  } },
  { task: 'click-menu', seed: 's4', async solve(h) {
    await start(h);
    const path = (await told(h.page)).replace('Select ', '').split('>');
    for (const name of path) {
      await h.click(h.page.locator('.ui-menu-item-wrapper').filter({ hasText: new RegExp(`^${name}$`) }), { name });
      await h.page.waitForTimeout(400);
    }
  } },
  { task: 'click-dialog', seed: 'j1', async solve(h) {
    await start(h);
    await h.click('button.ui-button', { role: 'button', name: 'Close' });
  } },
  { task: 'click-collapsible', seed: 'k1', async solve(h) {
    await start(h);
    const header = h.page.locator('#area h3');
    await h.click(header, { role: 'tab', name: (await header.textContent()).trim() });
    await h.page.waitForTimeout(600);
    await submit(h);
  } },
  { task: 'email-inbox', seed: 's3', async solve(h) {
    await start(h);
    const query = await told(h.page);
    const [, who, text] = query.match(/Find the email by (.*) and reply to them with the text "(.*)"\./);
    await h.click(h.page.locator('#main .email-thread').filter({ has: h.page.locator('.email-sender', { hasText: new RegExp(`^${who}$`) }) }).locator('.email-sender'), {});
    await h.click('#email .email-reply', {});
    await h.click('#reply-text', { role: 'textbox' });
    await h.type(text, { role: 'textbox' });
    await h.click('#send-reply', {});
  } },
  { task: 'scroll-text', seed: 'm1', async solve(h) {
    await start(h);
    const area = h.page.locator('#text-area');
    const word = (await area.inputValue()).trim().split(/\s/).at(-1).replace('.', '');
    await area.hover();
    await h.page.mouse.wheel(0, 2000);
    await h.page.waitForTimeout(700);
    h.note({ action: 'scroll', role: 'textbox' });
    await h.click('#answer-input', { role: 'textbox' });
    await h.type(word, { role: 'textbox' });
    await submit(h);
  } },
  { task: 'use-autocomplete', seed: 'n1', async solve(h) {
    await start(h);
    const [from, to = ''] = quoted(await told(h.page));
    await h.click('#tags', { role: 'textbox', name: 'Tags:' });
    await h.type(from, { role: 'textbox', name: 'Tags:' });
    await h.page.waitForTimeout(600);
    const items = h.page.locator('.ui-autocomplete .ui-menu-item-wrapper');
    const name = (await items.allTextContents()).find(text => text.endsWith(to));
    // A div that the list's own script focuses: no accessible name, only text.
    await h.click(items.filter({ hasText: new RegExp(`^${name}$`) }), { role: 'generic' });
    await submit(h);
  } },
  { task: 'login-user-popup', seed: 'o2', secrets: [], async solve(h) {
    await start(h);
    const [user, password] = quoted(await told(h.page));
    const field = async (id, value, secret) => {
      await h.click(id, { role: 'textbox' });
      if (await h.page.locator('#popup').count()) {
        await h.click('#popup-cancel', { role: 'button', name: 'Cancel' });
        await h.click(id, { role: 'textbox' });
      }
      await h.type(value, secret ? { value: '••••••••', secret: true } : {});
    };
    await field('#username', user);
    await field('#password', password, true);
    this.secrets = [password];
    await submit(h);
  } },
  { task: 'search-engine', seed: 'p1', async solve(h) {
    await start(h);
    const query = await told(h.page);
    const [text] = quoted(query);
    const nth = Number(query.match(/the (\d+)(st|nd|rd|th)/)[1]);
    await h.click('#search-text', { role: 'textbox' });
    await h.type(text, { role: 'textbox' });
    await h.click('#search', { role: 'button', name: 'Search' });
    const page = Math.ceil(nth / 3);
    if (page > 1) await h.click(h.page.locator('#pagination a').filter({ hasText: new RegExp(`^${page}$`) }), { role: 'link', name: String(page) });
    await h.click(h.page.locator('#page-content a').nth((nth - 1) % 3), { role: 'link' });
  } },
  { task: 'use-spinner', seed: 'q1', async solve(h) {
    await start(h);
    const n = Number((await told(h.page)).match(/Select (-?\d+)/)[1]);
    for (let i = 0; i < Math.abs(n); i++) await h.click(n > 0 ? '.ui-spinner-up' : '.ui-spinner-down', {});
    await submit(h);
  } },
  { task: 'click-scroll-list', seed: 'r1', async solve(h) {
    await start(h);
    const names = (await told(h.page)).match(/^Select (.*) from the scroll list/)[1].split(', ');
    const options = await h.page.locator('#options option').allTextContents();
    const wanted = names.map(name => options.indexOf(name)).sort((a, b) => a - b);
    for (const [i, index] of wanted.entries()) {
      await h.page.locator('#options option').nth(index).click({ modifiers: i ? ['Control'] : [] });
      await h.page.waitForTimeout(150);
    }
    h.note({ action: 'select', role: 'listbox', values: wanted.map(i => options[i]) });
    await h.click(h.page.getByRole('button', { name: 'Submit' }), { role: 'button', name: 'Submit' });
  } },
];
