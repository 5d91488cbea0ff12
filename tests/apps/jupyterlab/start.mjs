// Starts a fresh JupyterLab: no token, no news, an empty folder; its notebooks are files in its own folder.
//   node tests/apps/jupyterlab/start.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../lib.mjs';

const settings = {
  // Suggestions come when they come: what a key does would hang on it.
  '@jupyterlab/completer-extension/manager.jupyterlab-settings': { autoCompletion: false },
  '@jupyterlab/apputils-extension/notification.jupyterlab-settings': { fetchNews: 'false', checkForUpdates: false, doNotDisturbMode: true },
};

export const app = {
  path: '/lab',
  command({ dir, installed, port, env }) {
    const files = join(dir, 'files');
    mkdirSync(files);
    for (const [name, value] of Object.entries(settings)) {
      const file = join(dir, 'settings', name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, JSON.stringify(value));
    }
    const python = join(installed, 'python');
    Object.assign(env, {
      JUPYTER_PATH: join(python, 'share/jupyter'), JUPYTER_CONFIG_PATH: join(python, 'etc/jupyter'),
      JUPYTERLAB_DIR: join(python, 'share/jupyter/lab'), JUPYTERLAB_SETTINGS_DIR: join(dir, 'settings'),
      JUPYTER_CONFIG_DIR: join(dir, 'config'), JUPYTER_DATA_DIR: join(dir, 'data'), JUPYTER_RUNTIME_DIR: join(dir, 'runtime'), IPYTHONDIR: join(dir, 'ipython'),
    });
    return ['python3', '-m', 'jupyterlab', '--no-browser', '--allow-root', '--ServerApp.ip=127.0.0.1', `--ServerApp.port=${port}`,
      '--ServerApp.port_retries=0', '--IdentityProvider.token=', '--ServerApp.open_browser=False', `--ServerApp.root_dir=${files}`,
      '--LabApp.news_url=', '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', '--ServerApp.terminals_enabled=False'];
  },
};

/** A notebook as it was saved. */
export const notebook = ({ dir }, name) => JSON.parse(readFileSync(join(dir, 'files', name), 'utf8'));

await main(import.meta.url);
