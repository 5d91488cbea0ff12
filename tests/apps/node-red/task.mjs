// Wires three nodes, writes the function between, names one, deploys.
import assert from 'node:assert/strict';
import { by } from '../expert.mjs';
import { flows } from './start.mjs';

const WRITTEN = 'msg.payload = 41;';
const node = label => `[...document.querySelectorAll('.red-ui-flow-node-group')].find(g => g.textContent.includes(${JSON.stringify(label)}))`;
const port = (label, side) => `${node(label)}.querySelector('.red-ui-flow-port-${side} .red-ui-flow-port')`;

export const task = {
  title: 'three nodes dragged onto the canvas, wired, edited and deployed',
  async solve(h) {
    await h.sees("document.querySelector('#red-ui-palette .red-ui-palette-node[data-palette-type=inject]')");
    for (const [type, x] of [['inject', 300], ['function', 500], ['debug', 760]]) {
      await h.drag(by(`.red-ui-palette-node[data-palette-type="${type}"]`), { x, y: 250 }, {});
    }
    await h.drag(port('timestamp', 'output'), port('function 1', 'input'), {});
    await h.drag(port('function 1', 'output'), port('debug 1', 'input'), {});
    await h.click(node('function 1') + '.querySelector(".red-ui-flow-node-label")', {}, { clickCount: 2 });
    // The editor takes the focus when it has loaded.
    await h.sees("document.activeElement.closest('.monaco-editor')");
    await h.click(by('#node-input-name'), { role: 'textbox', name: 'Name' });
    await h.press('Control+a', { key: 'Control+A' });
    await h.type('add one', { role: 'textbox', name: 'Name' });
    await h.click(by('.monaco-editor .view-lines'), {});
    await h.press('Control+a', { key: 'Control+A' });
    await h.type(WRITTEN, {});
    await h.click(by('button', { text: 'Done' }), { role: 'button', name: 'Done' });
    await h.click(by('#red-ui-header-button-deploy'), { role: 'link', name: 'Deploy' });
    await h.sees("document.querySelector('#red-ui-header-button-deploy.disabled')");
  },
  judge(app) {
    const all = flows(app);
    const of = type => all.find(n => n.type === type);
    assert.deepEqual(of('inject').wires, [[of('function').id]]);
    assert.deepEqual(of('function').wires, [[of('debug').id]]);
    assert.equal(of('function').name, 'add one');
    assert.equal(of('function').func, WRITTEN);
  },
};
