// The installed extension in Chromium, worked through its panel from the first click to the report.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { chromiumProgram } from "../lib/browsers.mjs";
import { DIST, ROOT } from "./stage.mjs";

const PAGE = `<!doctype html><title>Orders</title><h1>Orders</h1><label>Find <input id=q></label>
  <button onclick="document.querySelector('output').textContent='Saved '+q.value">Save</button> <output></output>
  <label><input type=checkbox> Urgent</label>`;

test("records a reference and a run, points at a goal, scores, opens the report", { timeout: 120_000 }, async () => {
  const profile = await mkdtemp(join(tmpdir(), "tracerule-panel-"));
  const id = (await readFile(join(ROOT, "extension/ID"), "utf8")).trim();
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(PAGE));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumProgram(),
    headless: false, // The new headless mode is asked for below; the old one takes no extensions.
    ignoreDefaultArgs: ["--disable-extensions"],
    args: ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", `--disable-extensions-except=${DIST}`, `--load-extension=${DIST}`],
  });
  try {
    const app = await context.newPage();
    await app.goto(`http://127.0.0.1:${server.address().port}/`);
    const panel = await context.newPage();
    const problems = [];
    panel.on("pageerror", (error) => problems.push(String(error)));
    await panel.goto(`chrome-extension://${id}/ui/panel.html`);
    await panel.locator(".record-button:enabled").waitFor();
    // In a panel beside the page the page stays in front; in a tab, only a script's click leaves it there.
    const press = (selector, n = 0) => panel.evaluate(([selector, n]) => document.querySelectorAll(selector)[n].click(), [selector, n]);
    const steps = async (count) => {
      await panel.waitForFunction((count) => document.querySelectorAll(".step").length >= count, count);
      return panel.locator(".step .line").allTextContents();
    };
    const begin = async () => {
      await app.bringToFront();
      await press(".record-button");
      await panel.locator(".now").waitFor({ state: "attached" });
    };
    const work = async () => {
      await app.locator("#q").click();
      await app.keyboard.type("1042");
      await app.getByRole("button", { name: "Save" }).click();
    };

    await begin();
    await work();
    await app.getByRole("checkbox").check();
    assert.deepEqual(await steps(4), ["Click textbox “Find”", "Fill textbox “Find”", "Click button “Save”", "Check checkbox “Urgent”"]);
    await press("[role=tab]", 1);
    await press("#point");
    await panel.locator("#cancel-pointing").waitFor({ state: "attached" });
    await app.locator("output").click();
    await panel.locator(".goal-list li").waitFor({ state: "attached" });
    assert.match(await panel.locator(".goal-list").textContent(), /Saved 1042/);
    await press(".buttons .stop");
    await press("[role=tab]", 0);
    await panel.locator(".saved").waitFor({ state: "attached" });
    assert.match(await panel.locator(".saved").textContent(), /Orders.*4 steps/);
    await panel.bringToFront();
    await panel.locator(".step-head img").first().waitFor();

    await app.reload();
    await press("[name=role]", 1);
    await begin();
    await work();
    await steps(3);
    await press(".buttons .stop");
    await panel.locator(".saved").waitFor({ state: "attached" });
    await press("[role=tab]", 4);
    await panel.bringToFront();
    await panel.locator(".trace input:enabled").first().check();
    const opened = context.waitForEvent("page");
    await panel.locator(".score > button").first().click();
    const report = await opened;
    await report.locator(".report-body").waitFor();
    assert.match(report.url(), /report\.html\?reference=.+&run=/);
    const [alignment, success] = await panel.locator("#results td").allTextContents();
    // The check is missing: 3 of at most 16. The goal holds, the path is not the expert's.
    assert.deepEqual([alignment, success], ["0.812", "soft"]);
    assert.deepEqual((await panel.getByRole("alert").allTextContents()).filter(Boolean), []);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
    server.close();
    await rm(profile, { recursive: true, force: true });
  }
});
