// A picture of a page in a file: node xtask/picture.mjs PAGE.html PICTURE.png [WIDTH]
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, picture, width = "1280"] = process.argv.slice(2);
const executablePath = process.env.TRACERULE_CHROMIUM;
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
try {
  const tab = await browser.newPage({ viewport: { width: Number(width), height: 800 } });
  await tab.goto(pathToFileURL(page).href);
  await tab.screenshot({ path: picture, fullPage: true });
} finally {
  await browser.close();
}
