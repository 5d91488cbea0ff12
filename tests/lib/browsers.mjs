// Where the browsers are: what TRACERULE_CHROMIUM and TRACERULE_FIREFOX name, else the first on the path.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program of a browser; without one it says what to do. */
export function browserProgram(variable, names) {
  if (process.env[variable]) return process.env[variable];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = names.flatMap(name => folders.map(folder => join(folder, name))).find(file => existsSync(file));
  if (!found) throw new Error(`none of ${names.join(', ')} is on the path; install one or set ${variable} (cargo xtask doctor says how)`);
  return found;
}

/** Chromium, or kin of it that loads unpacked extensions. */
export const chromiumProgram = () => browserProgram('TRACERULE_CHROMIUM', ['chromium', 'chromium-browser', 'microsoft-edge', 'microsoft-edge-stable']);

/** Firefox. */
export const firefoxProgram = () => browserProgram('TRACERULE_FIREFOX', ['firefox-esr', 'firefox']);
