// The expert: does the task of tasks/express.toml once, by mouse and keyboard, over the debug port of
// `tracerule record --debug-port`; points at what must hold at the end, through the panel; closes the tab,
// which ends the recording.
//
//   node suite/orders/expert.mjs PORT URL
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [port, url] = process.argv.slice(2);
const id = readFileSync(new URL("../../extension/ID", import.meta.url), "utf8").trim();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
// A person needs a moment between two actions, and the browser may be asked for a picture twice a second only.
const moment = Number(process.env.EXPERT_PAUSE_MS ?? 700);

async function until(probe, what, ms = 30_000) {
  for (const end = Date.now() + ms; Date.now() < end; await pause(100)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(`gave up waiting for ${what}`);
}

const browser = await until(() => chromium.connectOverCDP(`http://127.0.0.1:${port}`).catch(() => null), "the browser's debug port");
const [context] = browser.contexts();
const page = await until(() => context.pages().find((p) => p.url().startsWith(url)), `the page ${url}`);
await page.waitForLoadState();

/** Types into a field after clicking into it, as a person would; three clicks select what stood there. */
async function type(field, text) {
  await field.click({ clickCount: (await field.inputValue()) ? 3 : 1 });
  await pause(moment);
  await page.keyboard.type(text, { delay: 25 });
  await pause(moment);
}

/** Opens a list with the mouse and chooses by its first letters. */
async function choose(list, letters) {
  await list.click();
  await pause(moment);
  await page.keyboard.type(letters);
  await page.keyboard.press("Enter");
  await pause(moment);
}

async function click(target) {
  await target.click();
  await pause(moment);
}

await type(page.getByRole("searchbox", { name: "Search" }), "Alder");
await page.keyboard.press("Enter");
await pause(moment);
await click(page.getByRole("link", { name: "Order 10467" }));
await page.waitForURL(/order\.html/);
await choose(page.getByRole("combobox", { name: "Status" }), "P");
await type(page.getByRole("spinbutton", { name: "Quantity" }), "12");
await type(page.getByRole("textbox", { name: "Note for the warehouse" }), "Call before delivery");
await click(page.getByRole("checkbox", { name: "Express delivery" }));
await click(page.getByRole("button", { name: "Save changes" }));
await click(page.getByRole("button", { name: "Confirm" }));
await page.getByText("Order 10467 saved.").waitFor();
await click(page.getByRole("link", { name: "Shipping" }));
await page.waitForURL(/shipping\.html/);
await choose(page.getByRole("combobox", { name: "Courier" }), "B");
await click(page.getByRole("button", { name: "Save settings" }));
await page.getByText("Settings saved.").waitFor();

// The goal. The panel stands in a window of its own, so that the page stays in front in its own.
const cdp = await browser.newBrowserCDPSession();
const address = `chrome-extension://${id}/ui/panel.html`;
await cdp.send("Target.createTarget", { url: address, newWindow: true });
const panel = await until(() => context.pages().find((p) => p.url().startsWith(address)), "the panel");
await panel.waitForLoadState();
const ask = (request) => panel.evaluate((panel) => chrome.runtime.sendMessage({ panel }), request);

/** Asserts what a thing shows: asks the hub to listen, then points. */
async function assert(kind, target) {
  const before = (await ask({ ask: "status" })).ok.assertions.length;
  const answer = ask({ ask: "assert", kind });
  if (target) {
    await until(async () => (await ask({ ask: "status" })).ok.picking, "the panel to listen for a click");
    await target.click({ force: true });
  }
  const { ok, error } = await answer;
  if (error) throw new Error(`the assertion was refused: ${error}`);
  if (ok.assertions.length !== before + 1) throw new Error(`no assertion of the kind ${kind} was added`);
  console.log(`asserted: ${ok.assertions.at(-1)}`);
}

const row = page.getByRole("row", { name: /Order 10467/ });
await assert("text", page.getByText("1 express order waiting"));
await assert("text", row.getByRole("cell", { name: "12", exact: true }));
await assert("text", row.getByRole("cell", { name: "Packed" }));
await assert("value", page.getByRole("combobox", { name: "Courier" }));
await assert("url");

await page.close();
await browser.close();
