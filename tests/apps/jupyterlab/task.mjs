// A notebook from the launcher: code run with keys, a cell made text by the toolbar's list, renamed by the menu's
// dialog, a cell inserted by a toolbar button and run by another, saved.
import assert from 'node:assert/strict';
import { by } from '../expert.mjs';
import { notebook } from './start.mjs';

const cell = n => `document.querySelectorAll('.jp-Notebook .jp-Cell')[${n}]`;

export const task = {
  title: 'a notebook written, run, renamed and saved',
  async solve(h) {
    await h.click(by('.jp-LauncherCard[data-category=Notebook]'), { role: 'button', name: 'Python 3 (ipykernel) Python 3 (ipykernel)' });
    await h.sees("document.querySelector('.jp-Notebook .cm-content')");
    await h.sees("document.querySelector('.jp-Toolbar-kernelName')?.textContent.includes('Python 3')");
    await h.click(`${cell(0)}.querySelector('.cm-content')`, { role: 'textbox' });
    await h.type('total = sum(range(10))\nprint(total)', { role: 'textbox' });
    await h.press('Shift+Enter', { key: 'Shift+Enter' });
    await h.sees(`${cell(0)}.querySelector('.jp-OutputArea-output')?.textContent.includes('45')`);
    await h.click(by('.jp-Notebook-toolbarCellTypeDropdown select'));
    await h.press('ArrowDown');
    await h.press('Enter');
    h.note({ action: 'select', role: 'combobox', name: 'Cell type', value: 'Markdown' });
    await h.click(`${cell(1)}.querySelector('.cm-content')`, { role: 'textbox' });
    await h.type('# Sums of *ranges*', { role: 'textbox' });
    await h.press('Shift+Enter', { key: 'Shift+Enter' });
    await h.sees(`${cell(1)}.querySelector('h1')`);
    await h.click(by('.lm-MenuBar-item', { text: 'File' }), { role: 'menuitem', name: 'File' });
    await h.click(by('.lm-Menu-item[data-command="docmanager:rename"]'), { role: 'menuitem', name: 'Rename Notebook…' });
    await h.click(by('.jp-Dialog input'), { role: 'textbox' });
    await h.press('Control+a', { key: 'Control+A' });
    await h.type('sums.ipynb', { role: 'textbox' });
    await h.click(by('.jp-Dialog button.jp-mod-accept'), { role: 'button', name: 'Rename File' });
    await h.sees("!document.querySelector('.jp-Dialog')");
    await h.click(by('jp-button[data-command="docmanager:save"]'), { role: 'button' });
  },
  judge(app) {
    const { cells } = notebook(app, 'sums.ipynb');
    const brief = cells.map(c => [c.cell_type, [c.source].flat().join('')]);
    assert.deepEqual(brief.slice(0, 2), [['code', 'total = sum(range(10))\nprint(total)'], ['markdown', '# Sums of *ranges*']]);
    assert.equal([cells[0].outputs[0].text].flat().join(''), '45\n');
  },
};
