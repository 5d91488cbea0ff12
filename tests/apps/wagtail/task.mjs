// Signs in, uploads a picture, finds the place in the tree of pages, writes an entry there (date, list, rich text,
// picture from a dialog) and publishes it.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { by } from '../expert.mjs';
import { person, rows } from './start.mjs';

const picture = join(dirname(fileURLToPath(import.meta.url)), 'shore.png');

export const task = {
  title: 'an entry with a picture written and published',
  secrets: [person.password],
  files: [picture],
  async solve(h) {
    await h.click(by('input[name=username]'), { role: 'textbox', name: 'Username*' });
    await h.type(person.name, { role: 'textbox', name: 'Username*' });
    await h.click(by('input[name=password]'), { role: 'textbox', name: 'Password*' });
    await h.type(person.password, { value: '••••••••', secret: true });
    await h.click(by('button[type=submit]', { text: 'Sign in' }), { role: 'button', name: 'Sign in' });
    await h.click(by('.sidebar a', { text: 'Images' }), { role: 'link', name: 'Images' });
    await h.click(by('a.w-header-button', { text: 'Add an image' }), { role: 'link', name: 'Add an image' });
    await h.choose(by('.drop-zone button'), [picture], { value: 'shore.png' });
    await h.sees("document.querySelector('#upload-list .upload-success')");
    await h.click(by('.sidebar button', { text: 'Pages' }), { role: 'button', name: 'Pages' });
    await h.click(by('.c-page-explorer__item__link'), { role: 'link', name: 'Welcome to your new Wagtail site!' });
    await h.click(by('a', { label: 'Add child page' }), { role: 'link', name: 'Add child page' });
    await h.click(by('#id_title'), { role: 'textbox' });
    await h.type('A walk', { role: 'textbox' });
    await h.click(by('#id_day'), { role: 'textbox', name: 'Day' });
    await h.type('2026-05-04', { role: 'textbox', name: 'Day' });
    await h.press('Escape', { key: 'Escape' });
    await h.click(by('#id_mood'));
    await h.press('ArrowDown');
    await h.press('Enter');
    h.note({ action: 'select', role: 'combobox', name: 'Mood', value: 'Good' });
    await h.click(by('.public-DraftEditor-content'), { role: 'textbox' });
    await h.type('Rain until noon.', { role: 'textbox' });
    await h.click(by('[data-chooser-action-choose]'), { role: 'button', name: 'Choose an image' });
    await h.click(by('.modal a.image-choice'), { role: 'link' });
    await h.sees("!document.querySelector('.modal.in') && document.querySelector('.chooser__preview img, .chooser img')");
    await h.click(by('footer .w-dropdown__toggle, .footer .w-dropdown__toggle, .w-dropdown__toggle.button'), { role: 'button', name: 'More actions' });
    await h.click(by('button[name=action-publish]'), { role: 'button', name: 'Publish' });
    await h.sees("document.querySelector('.messages .success')");
  },
  judge(app) {
    const [entry] = rows(app, 'select p.title, p.live, e.day, e.mood, e.body, i.title from journal_entrypage e join wagtailcore_page p on p.id = e.page_ptr_id left join wagtailimages_image i on i.id = e.picture_id');
    const [title, live, day, mood, body, shown] = entry;
    assert.deepEqual([title, live, day, mood, shown], ['A walk', 1, '2026-05-04', 'good', 'shore']);
    assert.match(body, /^<p [^>]*>Rain until noon\.<\/p>$/);
  },
};
