// Writes a tiddler in the framed editor, makes it bold by the toolbar, tags it, saves it, closes it, finds it by
// searching, edits it.
import assert from 'node:assert/strict';
import { by } from '../expert.mjs';
import { tiddlers } from './start.mjs';

export const task = {
  title: 'a tiddler written in the framed editor, tagged, saved, found again and edited',
  firefox: true,
  async solve(h) {
    await h.sees("document.querySelector('.tc-sidebar-lists')");
    await h.click(by('button', { label: 'Create a new tiddler' }), { role: 'button', name: 'new tiddler' });
    await h.click(by('input.tc-titlebar'), { role: 'textbox' });
    await h.press('Control+a', { key: 'Control+A' });
    await h.type('Voyage', { role: 'textbox' });
    await h.click(by('input[placeholder="tag name"]'), { role: 'textbox', name: 'tag name' });
    await h.type('log', { role: 'textbox', name: 'tag name' });
    await h.click(by('button', { text: 'add' }), { role: 'button', name: 'add' });
    // The frame has no address of its own: its text field fills it.
    await h.click(by('iframe.tc-edit-texteditor-body'), { role: 'textbox' });
    await h.type('The wind turned at noon.', { role: 'textbox' });
    await h.press('Control+a', { key: 'Control+A' });
    await h.click(by('button[title^="Apply bold formatting"]'), { role: 'button' });
    await h.click(by('button', { label: 'Confirm changes to this tiddler' }), { role: 'button', name: 'Confirm changes to this tiddler' });
    await h.click(by('button', { text: 'close all' }), { role: 'button', name: 'close all' });
    await h.click(by('.tc-search input'), { role: 'searchbox' });
    await h.type('noon', { role: 'searchbox' });
    await h.press('Escape', { key: 'Escape' });
    await h.click(by('.tc-tab-buttons button', { text: 'Recent' }), { role: 'tab', name: 'Recent' });
    await h.click(by('.tc-sidebar-lists a.tc-tiddlylink', { text: 'Voyage' }), { role: 'link', name: 'Voyage' });
    await h.click(by('button', { label: 'Edit this tiddler' }), { role: 'button', name: 'Edit this tiddler' });
    await h.click(by('input[placeholder="tag name"]'), { role: 'textbox', name: 'tag name' });
    await h.type('sea', { role: 'textbox', name: 'tag name' });
    await h.press('Enter', { key: 'Enter' });
    await h.click(by('button', { label: 'Confirm changes to this tiddler' }), { role: 'button', name: 'Confirm changes to this tiddler' });
  },
  judge(app) {
    const written = tiddlers(app);
    assert.deepEqual(Object.keys(written), ['Voyage']);
    assert.match(written.Voyage, /^tags: log sea$/m);
    assert.match(written.Voyage, /^''The wind turned at noon\.''$/m);
  },
};
