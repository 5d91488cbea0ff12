// Starts a fresh Node-RED: no flows, no tour, no telemetry; its flows are written to flows.json in its own folder.
//   node tests/apps/node-red/start.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../lib.mjs';

const settings = `module.exports = {
  uiHost: '127.0.0.1', flowFile: 'flows.json', credentialSecret: false,
  editorTheme: { tours: false, projects: { enabled: false }, palette: { allowInstall: false }, header: { title: 'Node-RED' } },
  telemetry: { enabled: false, updateNotification: false },
  logging: { console: { level: 'warn' } },
};`;

export const app = {
  command({ dir, installed, port }) {
    writeFileSync(join(dir, 'settings.js'), settings);
    return ['node', join(installed, 'node_modules/node-red/red.js'), '--userDir', dir, '--port', String(port), '--settings', join(dir, 'settings.js')];
  },
};

/** What the app has deployed. */
export const flows = ({ dir }) => JSON.parse(readFileSync(join(dir, 'flows.json'), 'utf8'));

await main(import.meta.url);
