// A picture of a page in a file, the whole of it or its first HEIGHT pixels:
//   node xtask/picture.mjs PAGE.html PICTURE.png [WIDTH [HEIGHT]]
// The README's is: node xtask/picture.mjs target/demo/report.html docs/report.png 1200 870
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, picture, width = "1280", height] = process.argv.slice(2);
const executablePath = process.env.TRACERULE_CHROMIUM;
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
try {
  const tab = await browser.newPage({ viewport: { width: Number(width), height: Number(height ?? 800) } });
  await tab.goto(pathToFileURL(page).href);
  await tab.screenshot({ path: picture, fullPage: height === undefined });
} finally {
  await browser.close();
}
