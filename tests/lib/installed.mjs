// The extension alone in Chromium, without the companion and its debugger: its worker, its panel's messages, pages.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { chromiumProgram } from './browsers.mjs';
import { root } from './companion.mjs';

const DIST = join(process.env.TRACERULE_DIST ?? join(root, 'dist'), 'chromium');

/**
 * Opens it for a test. `worker` evaluates in the service worker, `cdp` speaks with it, `ask` sends what the side panel
 * would, `page` opens an address in the tab that is in front. `args` are Chromium's own.
 */
export async function open(test, ...args) {
  const profile = mkdtempSync(join(tmpdir(), 'tracerule-installed-'));
  const id = readFileSync(join(root, 'extension/ID'), 'utf8').trim();
  const browser = await puppeteer.launch({
    executablePath: chromiumProgram(), headless: true, userDataDir: profile, enableExtensions: true, waitForInitialPage: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--window-size=1280,720',
      '--disable-features=DisableLoadExtensionCommandLineSwitch,Translate', `--disable-extensions-except=${DIST}`, `--load-extension=${DIST}`, ...args],
    defaultViewport: null,
  });
  test.after(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const [app] = await browser.pages();
  // Pages of ours may speak to the hub; in a window of its own this one leaves the other in front.
  const panel = await browser.newPage();
  await panel.goto(`chrome-extension://${id}/ui/panel.html`);
  await app.bringToFront();
  const target = await browser.waitForTarget(target => target.type() === 'service_worker' && target.url().includes(id));
  const cdp = await target.createCDPSession();
  const worker = async expression => {
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const ask = async request => {
    const answer = await panel.evaluate(panel => chrome.runtime.sendMessage({ panel }), request);
    if (answer?.error) throw new Error(answer.error);
    return answer;
  };
  const page = async url => {
    await app.goto(url);
    await app.bringToFront();
    return app;
  };
  return { browser, cdp, worker, ask, page, app };
}
