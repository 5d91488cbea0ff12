// The side panel, as a person uses it: by eye, by keyboard, and when things go wrong.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { archive, blobName, header, Hub, importFiles, job, keyboard, launch, open, overflow, picture, serve, step, violations } from "./stage.mjs";

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

/** Opens the panel, runs the test, and allows no error in the console. */
async function panel(options, body) {
  const hub = new Hub();
  const page = await open(browser, base.url, "panel.html", hub, options);
  try {
    await body(page, hub);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
  }
}

const tab = (page, n) => page.getByRole("tab").nth(n);
const name = () => blobName(shot, "png");
const file = (id, role, steps, more) => ({
  name: `${id}.trace.zip`,
  buffer: archive(header(id, role, more), steps.map((each) => ({ event: "step", ...each })), { [name()]: shot }),
});
const uncovered = (what, detail) => ({ t_ms: step(0).t_ms + 1, what, detail });
const goal = (kind, expected) => ({ kind, expected, target: { role: "status", name: "State", tag: "output", locators: [], dom_path: "" } });
const crowded = () => ({
  steps: job(name()),
  coverage: [uncovered("frame", "a frame cannot be recorded (https://ads.test/): no access"), uncovered("screenshot", "no picture while a dialog of the browser is open")],
  assertions: [goal("text", "Refunded"), { kind: "url", expected: "http://shop.test/orders/1042" }],
  documents: 3,
  blind: [{ tab: 0, url: "https://ads.test/", top: false, access: "forbidden" }],
  agents: ["claude-code 2.1"],
  relay: "ws://127.0.0.1:4017/",
});

for (const language of ["en", "zh_CN"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`fits 320 px, reads well and works by keyboard: ${language}, ${colorScheme}`, () =>
      panel({ language, colorScheme, viewport: { width: 320, height: 700 } }, async (page, hub) => {
        const check = async (where) => {
          assert.ok((await overflow(page)) <= 0, `${where}: wider than 320 px`);
          assert.deepEqual(await violations(page), [], where);
          assert.deepEqual(await keyboard(page), { missed: [], invisible: [] }, where);
        };
        await check("at rest");
        await importFiles(page, [file("s-live", "reference", job(name())), file("r-1", "run", job(name()).slice(0, 4))]);
        await page.locator(".trace").nth(1).waitFor();
        await page.locator(".trace input[type=checkbox]:enabled").first().check();
        await page.locator(".score > button").first().click();
        await page.locator("#results").waitFor();
        await page.locator(".trace .icon-button").nth(2).click();
        await check("traces");
        await tab(page, 0).click();
        await page.locator(".record-button").click();
        await hub.tell({ ...crowded(), problem: "Screenshots are refused by the browser; steps go on without them." });
        await page.locator(".step-head").nth(6).click();
        await page.locator(".coverage summary").click();
        await check("steps");
        await tab(page, 1).click();
        await check("goals");
        await page.locator("#point").click();
        await page.locator("#cancel-pointing").waitFor();
        await check("pointing");
        await tab(page, 2).click();
        await page.locator(".presets button").nth(2).click();
        await check("perturb");
        await tab(page, 3).click();
        await check("agents");
        await hub.tell({ relay: null, granted: true });
        await check("agents, granted");
      }));
  }
}

test("records: start, pause, resume, stop, and says what was saved", () =>
  panel({}, async (page, hub) => {
    await page.getByRole("radio", { name: "Run" }).check();
    await page.getByLabel("Name of the recording").fill("Agent seven");
    await page.getByText("Pictures and waiting").click();
    await page.getByLabel("Picture files").selectOption("jpeg");
    await page.getByLabel("Quality, 1 to 100").fill("65");
    await page.getByLabel("Whole pages").check();
    await page.getByLabel("Wait for").fill("css=#ready");
    await page.getByRole("button", { name: "Record a run" }).click();
    await page.getByText("Recording a run", { exact: true }).waitFor();
    const capture = { picture: "jpeg", quality: 65, full_page: true, settle_for: "css=#ready" };
    assert.deepEqual(hub.asked.find(({ ask }) => ask === "start"), { ask: "start", tab: null, role: "run", title: "Agent seven", perturb: null, mask: [], grant: false, watch: false, capture });
    await hub.tell({ steps: [step(0, "click", "button", "Save")] });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Saved “Agent seven”, 1 step.").waitFor();
    assert.equal(await page.locator(".step").count(), 1, "what was recorded stays in sight");
    assert.deepEqual(hub.asked.map(({ ask }) => ask).filter((ask) => ask !== "status"), ["start", "pause", "resume", "stop"]);
  }));

test("starts with the perturbations that were set, and refuses a seed that cannot be kept", () =>
  panel({}, async (page, hub) => {
    await tab(page, 2).click();
    await page.getByLabel("Perturb the next recording").check();
    const popup = page.locator("#popup");
    assert.equal(await popup.inputValue(), "10", "one step in ten by default");
    await page.locator("#jitter").fill("5.5");
    await page.locator("#unit").selectOption("per_navigation");
    await page.getByLabel("Task", { exact: true }).fill("refund");
    await page.locator("#seed").fill("9007199254740992");
    await page.getByRole("alert").filter({ hasText: "The seed must be a whole number" }).waitFor();
    await page.locator(".record-button").click();
    await page.locator(".record").getByRole("alert").filter({ hasText: "cannot be used" }).waitFor();
    assert.ok(!hub.asked.some(({ ask }) => ask === "start"));
    await page.locator("#seed").fill("77");
    await page.locator(".record-button").click();
    await page.locator(".now").waitFor();
    assert.deepEqual(hub.asked.find(({ ask }) => ask === "start").perturb, {
      seed: 77, task: "refund", run: 0, jitter_px: 5.5, color_scheme: false, popup_probability: 0.1, popup_unit: "per_navigation", popup_cap: 3,
    });
    await page.reload();
    await tab(page, 2).click();
    assert.equal(await page.locator("#seed").inputValue(), "77", "settings are remembered");
  }));

test("what goes wrong is said where the person looks", () =>
  panel({}, async (page, hub) => {
    hub.refuses = "This page cannot be recorded: the browser keeps extensions out of chrome:// pages. Open the application's page and press Record again.";
    await page.locator(".record-button").click();
    const alert = page.locator(".record").getByRole("alert");
    await alert.filter({ hasText: "keeps extensions out" }).waitFor();
    await hub.tell({ problem: hub.refuses });
    assert.equal(await page.getByText("keeps extensions out").count(), 1, "said once, where it was asked for");
    await alert.getByRole("button", { name: "Dismiss" }).click();
    await alert.filter({ hasText: "keeps extensions out" }).waitFor({ state: "detached" });
    hub.refuses = null;
    await hub.tell({ problem: null });
    await hub.tell({ problem: "The tab's process died; the steps up to there are kept." });
    const said = page.getByRole("alert").filter({ hasText: "process died" });
    await said.waitFor();
    await said.getByRole("button").click();
    await said.waitFor({ state: "detached" });
    await hub.tell({ problem: "Another problem." });
    await page.getByRole("alert").filter({ hasText: "Another problem." }).waitFor();
  }));

test("a hub that does not answer is shown, tried again, and found again", async () => {
  const hub = new Hub();
  hub.dead = true;
  const page = await open(browser, base.url, "panel.html", hub);
  const alert = page.getByRole("alert").filter({ hasText: "The recorder does not answer" });
  await alert.waitFor();
  assert.ok(await page.locator(".record-button").isDisabled());
  hub.dead = false;
  await alert.waitFor({ state: "detached" });
  assert.ok(await page.locator(".record-button").isEnabled());
  await page.context().close();
});

test("asks for the permission that Firefox lets people withhold", () =>
  panel({}, async (page) => {
    await page.addInitScript(() => (window.stage.denied = true));
    await page.reload();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor({ state: "detached" });
  }));

test("the list follows the newest step until the person scrolls, and can be walked by keys", () =>
  panel({}, async (page, hub) => {
    await page.locator(".record-button").click();
    const steps = Array.from({ length: 40 }, (_, n) => step(n, "click", "button", `Button ${n}`));
    await hub.tell({ steps: steps.slice(0, 30) });
    const list = page.locator(".step-list");
    const fromEnd = () => list.evaluate((l) => Math.round(l.scrollHeight - l.clientHeight - l.scrollTop));
    await page.locator(".step").nth(29).waitFor();
    await assert.doesNotReject(page.waitForFunction(() => { const l = document.querySelector(".step-list"); return l.scrollTop > 0 && l.scrollHeight - l.clientHeight - l.scrollTop < 2; }));
    assert.equal(await page.locator(".steps [role=status].unseen").textContent(), "Step 30: Click button “Button 29”");
    await list.hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole("button", { name: "Latest step" }).waitFor();
    await hub.tell({ steps: steps.slice(0, 35) });
    await page.locator(".step").nth(34).waitFor({ state: "attached" });
    assert.ok((await fromEnd()) > 300, "stays where the person reads");
    await page.getByRole("button", { name: "Latest step" }).click();
    await page.waitForFunction(() => { const l = document.querySelector(".step-list"); return l.scrollHeight - l.clientHeight - l.scrollTop < 2; });
    await hub.tell({ steps });
    await page.waitForFunction(() => document.querySelectorAll(".step").length === 40 && (() => { const l = document.querySelector(".step-list"); return l.scrollHeight - l.clientHeight - l.scrollTop < 2; })());

    await page.locator(".step-head[tabindex='0']").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    assert.match(await focused(), /Button 38/);
    await page.keyboard.press("Enter");
    await page.locator(".step.open").waitFor();
    await page.keyboard.press("Home");
    assert.match(await focused(), /Button 0/);
  }));

test("a step tells its evidence", () =>
  panel({}, async (page, hub) => {
    await importFiles(page, [file("s-live", "reference", job(name()))]);
    await page.locator(".trace").waitFor();
    await tab(page, 0).click();
    await page.locator(".record-button").click();
    await hub.tell({ documents: 2, blind: [{ tab: 0, url: "https://ads.test/", top: false, access: "no_access" }] });
    assert.match(await page.locator(".now").innerText(), /Documents recorded: 2\s+not recorded: 1/);
    await hub.tell({ blind: [], steps: job(name()), coverage: [uncovered("frame", "a frame sent facts before it said who it is")] });
    const rows = page.locator(".step");
    const loaded = (locator) => locator.evaluate(async (image) => { await image.decode(); return image.naturalWidth; });
    assert.equal(await loaded(rows.nth(7).locator(".step-head img")), 800, "the picture comes from the store");
    assert.match(await rows.nth(1).innerText(), /Fill searchbox “Find an order”\s+1042/);
    assert.match(await rows.nth(2).innerText(), /stale picture/);
    assert.match(await rows.nth(3).innerText(), /pop-up/);
    assert.match(await rows.nth(4).innerText(), /secret/);
    assert.match(await rows.nth(5).innerText(), /no effect\s+frame/);
    assert.match(await rows.nth(6).innerText(), /covered: div\.overlay would get the click\s+agent\s+untrusted/);
    await rows.nth(5).locator(".step-head").click();
    const detail = await rows.nth(5).locator(".detail").innerText();
    for (const part of ['css=iframe[name="billing"]', "rests on position", "looks generated", "+12 −3 nodes", "410 → 419", "212 ms: the page fell quiet", "http://shop.test/orders?state=open"]) {
      assert.ok(detail.includes(part), `${part} in ${detail}`);
    }
    assert.equal(await rows.nth(5).locator(".locators .many").innerText(), "3");
    await page.getByText("1 thing could not be recorded").click();
    await page.getByText("frame: a frame sent facts before it said who it is").waitFor();
  }));

test("tabs answer to arrow keys", () =>
  panel({}, async (page) => {
    await tab(page, 0).focus();
    for (const [key, selected] of [["ArrowRight", "Goals"], ["End", "Traces"], ["ArrowRight", "Steps"], ["ArrowLeft", "Traces"], ["Home", "Steps"]]) {
      await page.keyboard.press(key);
      assert.equal(await page.evaluate(() => document.activeElement.textContent), selected);
      assert.equal(await page.getByRole("tab", { selected: true }).textContent(), selected);
    }
  }));

test("goals: pointing, Escape, removing", () =>
  panel({}, async (page, hub) => {
    await tab(page, 1).click();
    assert.ok(await page.locator("#point").isDisabled(), "nothing to point at yet");
    await page.locator(".record-button").click();
    await page.getByRole("radio", { name: "Value" }).check();
    await page.locator("#point").click();
    await page.locator("#cancel-pointing:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#point:focus").waitFor();
    assert.deepEqual(hub.asked.slice(-2), [{ ask: "assert", kind: "value" }, { ask: "assert_cancel" }]);
    await hub.tell({ assertions: [goal("text", "One"), goal("text", "Two")] });
    await page.getByRole("button", { name: "Remove goal: the text of status “State” is “Two”" }).click();
    await page.getByText("the text of status “State” is “Two”", { exact: true }).waitFor({ state: "detached" });
    assert.deepEqual(hub.asked.at(-1), { ask: "assert_remove", index: 1 });
  }));

test("agents: pairing, granting, revoking", () =>
  panel({}, async (page, hub) => {
    await tab(page, 3).click();
    for (const wrong of ["", "https://example.com/#x", "ws://evil.test:4017/#token", "ws://127.0.0.1:4017/"]) {
      await page.locator("#pairing").fill(wrong);
      await page.getByRole("button", { name: "Connect" }).click();
      await page.getByRole("alert").filter({ hasText: "not a pairing line" }).waitFor();
    }
    assert.ok(!hub.asked.some(({ ask }) => ask === "connect"));
    await page.locator("#pairing").fill(" ws://127.0.0.1:4017/#s3cret ");
    await page.keyboard.press("Enter");
    await page.getByText("ws://127.0.0.1:4017/").waitFor();
    assert.ok(!(await page.content()).includes("s3cret"), "the token does not stay on the screen");
    assert.ok(await page.getByRole("button", { name: "Grant this tab" }).isDisabled());
    await page.locator(".record-button").click();
    await page.getByRole("button", { name: "Grant this tab" }).click();
    await page.getByText("Agents may see this tab and click, type and navigate in it").waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Agents cannot touch this tab").waitFor();
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.locator("#pairing").waitFor();
  }));

test("traces: import with errors by file, export, score, delete", () =>
  panel({}, async (page, hub) => {
    await importFiles(page, [
      file("ref-1", "reference", job(name()).slice(0, 4)),
      { name: "holiday.zip", buffer: Buffer.from("not a zip") },
      file("run-1", "run", job(name()).slice(0, 3), { title: "Agent seven" }),
    ]);
    await page.getByRole("alert").filter({ hasText: "holiday.zip was not imported" }).waitFor();
    await page.getByText("ref-1.trace.zip imported.").waitFor();
    await page.getByText("run-1.trace.zip imported.").waitFor();
    assert.equal(await page.locator(".trace").count(), 2);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export “Agent seven”" }).click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), "Agent-seven.trace.zip");
    const bytes = await readFile(await saved.path());
    assert.equal(bytes.subarray(0, 4).toString("latin1"), "PK\x03\x04");
    assert.ok(bytes.includes(name()), "with its pictures");

    assert.ok(await page.locator(".score > button").first().isDisabled(), "no run chosen");
    await page.locator(".trace", { hasText: "Agent seven" }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Score 1 run" }).click();
    await page.locator("#results").waitFor();
    // Three of the reference's four steps, in order: a click left out costs 3 of at most 16.
    assert.equal(await page.locator("#results td").first().innerText(), "0.812");
    assert.equal(await page.locator("#results td").nth(1).innerText(), "–", "no goal, no verdict");
    assert.deepEqual(hub.asked.at(-1), { ask: "report", reference: "ref-1", runs: ["run-1"] });

    await page.getByRole("button", { name: "Delete “Agent seven”" }).click();
    await page.getByRole("button", { name: "Keep" }).click();
    assert.equal(await page.locator(".trace").count(), 2);
    await page.getByRole("button", { name: "Delete “Agent seven”" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.locator(".trace").nth(1).waitFor({ state: "detached" });
    await page.reload();
    await tab(page, 4).click();
    await page.locator(".trace").first().waitFor();
    assert.equal(await page.locator(".trace").count(), 1, "gone for good");
  }));

test("what is worth mending is said while recording, with a button that mends it", () =>
  panel({}, async (page, hub) => {
    await page.locator(".record-button").click();
    const twice = step(0, "click", "button", "Save");
    twice.target.locators = [{ kind: "role", value: "role=button", matches: 3 }, { kind: "css", value: "css=#save", matches: 1 }];
    const idle = step(1, "click", "button", "Idle", { outcome: { status: "no_effect" } });
    const open = step(2, "fill", "textbox", "Password", { value: "hunter2" });
    const held = uncovered("gap", "A frame sent changes before it reported in; they are lost.");
    await hub.tell({ steps: [twice, idle, open], coverage: [{ ...held, t_ms: open.t_ms + 5 }] });
    const [first, second, third] = [0, 1, 2].map((n) => page.locator(".step").nth(n).locator(".findings"));
    assert.match(await first.innerText(), /warning The target is ambiguous: role=button matches 3 elements\./);
    assert.match(await second.innerText(), /The step changed nothing\./);
    assert.match(await third.innerText(), /error The field seems to be for a secret[^]*gap in the recording/);
    assert.match(await page.locator(".bar").innerText(), /2 errors\s+2 warnings/);
    const last = () => hub.asked.at(-1);
    const ids = hub.status.step_ids;
    await first.getByRole("button", { name: "Use css=#save" }).click();
    assert.deepEqual(last(), { ask: "edit", session: null, edit: { op: "locator", step: ids[0], locator: "css=#save" } });
    // By one key, from the row.
    await page.locator("#head-1").focus();
    await page.keyboard.press("f");
    assert.deepEqual(last().edit, { op: "delete", step: ids[1] });
    await third.getByRole("button", { name: "Accept" }).first().click();
    assert.deepEqual(last().edit, { op: "annotate", step: ids[2], annotation: { accepted: ["secret-typed"] } });
    // Masking cannot be undone, so it is asked first.
    await third.getByRole("button", { name: "Mask and forget the value" }).click();
    await page.locator("#keep-2:focus").waitFor();
    assert.equal(last().edit.op, "annotate");
    await third.getByRole("button", { name: "Mask and forget", exact: true }).click();
    assert.deepEqual(last().edit, { op: "mask", step: ids[2] });
    await third.getByRole("button", { name: "Record what is missing here" }).click();
    assert.deepEqual(last(), { ask: "insert", session: null, after: ids[2], replaces: null });
    await page.getByText("Recording a piece behind step 3").waitFor();
    assert.ok(await third.getByRole("button", { name: "Record what is missing here" }).isDisabled(), "one piece at a time");
    await page.locator("#piece-done").click();
    assert.deepEqual(last(), { ask: "insert_end" });
    await page.getByText("Recording a piece").waitFor({ state: "detached" });
  }));

test("steps are edited by keys, by buttons and by dragging", () =>
  panel({}, async (page, hub) => {
    await page.locator(".record-button").click();
    await hub.tell({ steps: ["A", "B", "C", "D"].map((name, n) => step(n, "click", "button", name)) });
    const ids = hub.status.step_ids;
    const edits = () => hub.asked.filter(({ ask }) => ask === "edit").map(({ edit }) => edit);
    await page.locator("#head-1").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.locator("#head-2:focus").waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await page.locator("#head-1:focus").waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await page.locator("#head-0:focus").waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Delete");
    assert.deepEqual(edits(), [
      { op: "move", step: ids[1], after: ids[2] }, { op: "move", step: ids[2], after: ids[0] },
      { op: "move", step: ids[1] }, { op: "delete", step: ids[0] },
    ]);
    await page.keyboard.press("Control+z");
    assert.equal(edits().length, 4, "nothing to undo");
    await hub.tell({ undo: { op: "delete", step: ids[0] }, redo: { op: "move", step: ids[1] }, edited: { edits: 2 } });
    await page.getByRole("button", { name: "Undo: delete a step" }).waitFor();
    await page.locator("#head-0").focus();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+Shift+z");
    await page.locator("#redo").click();
    assert.deepEqual(edits().slice(4), [{ op: "undo" }, { op: "redo" }, { op: "redo" }]);
    assert.match(await page.locator(".bar").innerText(), /edited: 2/);

    const grip = (n) => page.locator(".step").nth(n).locator(".grip");
    await grip(3).dragTo(page.locator("#head-1"));
    assert.deepEqual(edits().at(-1), { op: "move", step: ids[3], after: ids[0] });
    await grip(0).dragTo(page.locator("#head-2"));
    assert.deepEqual(edits().at(-1), { op: "move", step: ids[0], after: ids[2] });

    await page.locator("#head-2").click();
    const tools = page.getByRole("toolbar", { name: "Edit step 3" });
    await tools.getByRole("button", { name: "Move step 3 down" }).click();
    assert.deepEqual(edits().at(-1), { op: "move", step: ids[2], after: ids[3] });
    await tools.getByRole("button", { name: "Record again" }).click();
    assert.deepEqual(hub.asked.at(-1), { ask: "insert", session: null, after: null, replaces: ids[2] });
    await page.getByText("Recording step 3 again").waitFor();
    await page.locator("#piece-done").click();
    await tools.getByRole("button", { name: "Delete" }).click();
    assert.deepEqual(edits().at(-1), { op: "delete", step: ids[2] });
    const better = page.locator(".step.open .locators");
    assert.equal(await better.getByRole("button").count(), 0, "the first is first, the other matches three");
  }));

for (const [language, save, invalid] of [["en", "Save", "Write dates as"], ["zh_CN", "保存", "日期请写作"]]) {
  test(`steps are annotated, by hotkey as well: ${language}`, () =>
    panel({ language, viewport: { width: 320, height: 720 } }, async (page, hub) => {
      await page.locator(".record-button").click();
      await hub.tell({ steps: [step(0, "fill", "textbox", "Departure", { value: "2026-03-14" }), step(1, "click", "button", "Pay")] });
      const ids = hub.status.step_ids;
      await page.locator("#head-0").focus();
      await page.keyboard.press("F2");
      await page.locator("#intent-0:focus").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("#head-0:focus").waitFor();
      await page.locator(".annotate").waitFor({ state: "detached" });

      await hub.tell({ hotkey: { n: 1, t_ms: 0, step: ids[0], command: "annotate-variant" } });
      await page.locator("#variant-0-0:focus").waitFor();
      await page.locator("#variant-0-0").selectOption("date_in");
      const [from, to] = [0, 1].map((n) => page.locator(".variant input").nth(n));
      await from.fill("03-01");
      await to.fill("March");
      await page.getByRole("button", { name: save, exact: true }).click();
      await page.locator(".annotate").getByRole("alert").filter({ hasText: invalid }).waitFor();
      await to.fill("03-31");
      await page.locator("#intent-0").fill("Any day in March");
      await page.locator(".annotate input[type=checkbox]").first().check();
      assert.ok((await overflow(page)) <= 0, "fits 320 px");
      assert.deepEqual(await violations(page), []);
      await page.locator("#intent-0").press("Enter");
      const annotation = { intent: "Any day in March", key_node: true, variants: [{ param: "value", kind: "date_in", from: "03-01", to: "03-31" }] };
      assert.deepEqual(hub.asked.at(-1), { ask: "edit", session: null, edit: { op: "annotate", step: ids[0], annotation } });
      await page.locator(".annotate").waitFor({ state: "detached" });
      const [one, two] = hub.status.steps;
      await hub.tell({ steps: [{ ...one, annotation, origin: { seq: 0, edits: ["annotated"] } }, two], hotkey: { n: 2, t_ms: 0, step: ids[1], command: "annotate-intent" } });
      await page.locator("#intent-1:focus").waitFor();
      assert.match(await page.locator("#head-0").innerText(), /Any day in March[^]*03-01 – 03-31/);
    }));
}
