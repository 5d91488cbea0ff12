// The report in a tab: what it shows, what it gives to keep, and what it says when it cannot.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { archive, blobName, header, Hub, importFiles, job, keyboard, launch, open, overflow, picture, serve, violations } from "./stage.mjs";

let base, browser, shot;
before(async () => {
  base = await serve();
  browser = await launch();
  shot = await picture(browser);
});
after(async () => {
  await browser?.close();
  base?.close();
});

const goal = { kind: "text", target: { role: "status", name: "", tag: "p", locators: [], dom_path: "/html[1]/body[1]/p[1]" }, expected: "Refunded" };

/** A page whose store holds a reference and two runs, then the report of `query`. */
async function report(query, options, body) {
  const hub = new Hub();
  const page = await open(browser, base.url, "panel.html", hub, options);
  const blob = blobName(shot, "png");
  const file = (id, role, steps, more, extra = []) => ({
    name: `${id}.trace.zip`,
    buffer: archive(header(id, role, more), [...steps.map((step) => ({ event: "step", ...step })), ...extra], { [blob]: shot }),
  });
  try {
    const steps = job(blob);
    // What a page or an agent writes must stay text.
    const hostile = { ...steps[1], target: { ...steps[1].target, name: '<img src=x onerror="window.hacked=1">' } };
    await importFiles(page, [
      file("ref", "reference", steps, { assertions: [goal] }),
      file("near", "run", [...steps.slice(0, 6), ...steps.slice(7)], { title: "Agent near" }, [{ event: "check", t_ms: steps[7].t_ms, assertion: goal, holds: true, seen: "Refunded" }]),
      file("far", "run", [steps[0], hostile], { title: "Agent <b>far</b>" }),
    ]);
    await page.getByText("far.trace.zip").waitFor();
    page.problems.length = 0;
    await page.goto(`${base.url}/ui/report.html${query}`);
    await page.locator(".report-bar").waitFor();
    await body(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
  }
}

const body = (page) => page.locator(".report-body");

for (const language of ["en", "zh_CN"]) {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 320]]) {
    test(`reads well: ${language}, ${colorScheme}, ${width} px`, () =>
      report("?reference=ref&run=near&run=far", { language, colorScheme, viewport: { width, height: 800 } }, async (page) => {
        await body(page).waitFor();
        assert.ok((await overflow(page)) <= 0, "wider than its window");
        assert.deepEqual(await violations(page), []);
        await page.locator(".menu summary").click();
        assert.deepEqual(await keyboard(page), { missed: [], invisible: [] });
      }));
  }
}

test("shows every run with its name as text, and the pictures", () =>
  report("?reference=ref&run=near&run=far", {}, async (page) => {
    await body(page).waitFor();
    const text = await body(page).innerText();
    for (const part of ["Agent near", "Agent <b>far</b>", "Refund order 1042"]) assert.ok(text.includes(part), part);
    assert.ok((await body(page).locator("svg").count()) > 0, "a radar");
    assert.ok((await body(page).locator("image[href^='data:image/png']").count()) > 0, "screenshots");
  }));

test("runs can be chosen, and the address keeps the choice", () =>
  report("?reference=ref&run=near", {}, async (page) => {
    await body(page).waitFor();
    await page.locator(".menu summary").click();
    await page.getByRole("checkbox", { name: "Agent <b>far</b>" }).check();
    await page.waitForURL("**/report.html?reference=ref&run=near&run=far");
    await body(page).getByText("Agent <b>far</b>").first().waitFor();
    await page.reload();
    await body(page).getByText("Agent <b>far</b>").first().waitFor();
  }));

test("is saved as one file that opens by itself, in the chosen language, and as numbers", () =>
  report("?reference=ref&run=near", {}, async (page) => {
    await body(page).waitFor();
    const save = async (name) => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      const saved = await download;
      return { name: saved.suggestedFilename(), path: await saved.path(), text: await readFile(await saved.path(), "utf8") };
    };
    const scores = await save("Save scores");
    assert.equal(scores.name, "Refund-order-1042.scores.json");
    const [run] = JSON.parse(scores.text).runs;
    // One of eight steps is missing, a click: 3 of at most 32.
    assert.equal(run.profiles.classic.distance, 3);
    assert.equal(run.profiles.classic.score, 1 - 3 / 32);
    assert.equal(run.soft, true);
    assert.equal(run.hard, false);
    await page.locator("#lang").selectOption("zh-CN");
    await page.locator(".report-body [lang='zh-CN']").waitFor();
    const saved = await save("Save report");
    assert.equal(saved.name, "Refund-order-1042.report.html");
    assert.match(saved.text, /^<!doctype html>/i);
    const offline = await browser.newContext({ offline: true });
    const reader = await offline.newPage();
    await reader.setContent(saved.text);
    assert.match(await reader.locator("body").innerText(), /Agent near/);
    assert.match(await reader.locator("body").innerText(), /[\u4e00-\u9fff]{2}/);
    await offline.close();
  }));

test("says what is missing", async () => {
  await report("", {}, async (page) => page.getByText("Choose a reference and at least one run above.").waitFor());
  await report("?reference=ref&run=nobody", {}, async (page) => {
    await page.getByRole("alert").filter({ hasText: "nobody" }).waitFor();
  });
});
