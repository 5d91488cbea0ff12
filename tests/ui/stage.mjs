// A stage for the interface: the built pages served under the extension's own content security policy, and,
// in place of the extension's APIs, a hub that the test plays. Store, core and pages are the real ones.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { crc32 } from "node:zlib";
import { chromium } from "playwright-core";
import { chromiumProgram } from "../lib/browsers.mjs";

export const ROOT = new URL("../..", import.meta.url).pathname;
export const DIST = process.env.TRACERULE_UI_DIST ?? join(ROOT, "dist/chromium");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".png": "image/png", ".json": "application/json" };

/** Serves dist/chromium on loopback. */
export async function serve() {
  const manifest = JSON.parse(await readFile(join(ROOT, "manifest.json"), "utf8"));
  const policy = manifest.content_security_policy.extension_pages;
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    try {
      const body = await readFile(join(DIST, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": policy });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export function launch() {
  return chromium.launch({
    executablePath: chromiumProgram(),
    args: ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** The hub's state when nothing is recorded. */
export const idle = () => ({
  session: null, role: null, paused: false, picking: false, title: "", url: "", steps: [], step_ids: [], assertions: [], coverage: [],
  undo: null, redo: null, edited: null, piece: null, hotkey: null, perturb: null, relay: null, agents: [], granted: false, can_trust: true, problem: null,
});

/** A hub that does what it is asked and remembers it. */
export class Hub {
  status = idle();
  asked = [];
  pages = new Set();
  /** Set to a text: every request is refused with it. */
  refuses = null;
  /** Nobody at home. */
  dead = false;

  answer(request) {
    this.asked.push(request);
    if (this.dead) throw new Error("Could not establish connection. Receiving end does not exist.");
    if (this.refuses && request.ask !== "status") return { error: this.refuses };
    const status = this.status;
    switch (request.ask) {
      case "start":
        Object.assign(status, { session: "s-live", role: request.role, title: request.title || "Orders", url: "http://shop.test/orders", perturb: request.perturb });
        break;
      case "pause": status.paused = true; break;
      case "resume": status.paused = false; break;
      case "stop": this.status = { ...idle(), relay: status.relay, agents: status.agents }; break;
      case "assert": status.picking = true; break;
      case "assert_cancel": status.picking = false; break;
      case "assert_remove": status.assertions.splice(request.index, 1); break;
      case "insert": status.piece = { number: 1, after: request.after, replaces: request.replaces, reopened: false }; break;
      case "insert_end": status.piece = null; break;
      case "connect": status.relay = request.pairing.split("#")[0]; break;
      case "disconnect": status.relay = null; break;
      case "grant": status.granted = true; break;
      case "revoke": status.granted = false; break;
      case "report": return { ok: null };
    }
    return { ok: this.status };
  }

  /** Tells open panels. */
  async tell(change = {}) {
    Object.assign(this.status, change);
    // Named as the core names them.
    this.status.step_ids = this.status.steps.map((step) => `t${step.t_ms}`);
    for (const page of this.pages) await page.evaluate((status) => window.stage.tell(status), this.status);
  }
}

/** A page with a hub behind it. `options` as for playwright's newContext, and `language`: en or zh_CN. */
export async function open(browser, base, path, hub, { language = "en", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 400, height: 720 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  const messages = JSON.parse(await readFile(join(ROOT, "_locales", language, "messages.json"), "utf8"));
  await page.exposeFunction("stageAnswer", (request) => {
    try {
      return { answer: hub.answer(request) };
    } catch (error) {
      return { thrown: error.message };
    }
  });
  await page.addInitScript(({ messages, language }) => {
    const heard = new Set();
    window.stage = {
      denied: false,
      tell: (status) => heard.forEach((listener) => listener(status)),
    };
    const events = (set) => ({ addListener: (f) => set.add(f), removeListener: (f) => set.delete(f) });
    globalThis.chrome = {
      i18n: {
        getMessage: (key, values = []) => (messages[key]?.message ?? "").replace(/\$([1-9])/g, (_, n) => values[n - 1] ?? ""),
        getUILanguage: () => language.replace("_", "-"),
      },
      permissions: { contains: async () => !window.stage.denied, request: async () => !(window.stage.denied = false) },
      runtime: {
        connect: () => ({ onMessage: events(heard), onDisconnect: events(new Set()), disconnect() {} }),
        sendMessage: async ({ panel }) => {
          const { answer, thrown } = await window.stageAnswer(panel);
          if (thrown) throw new Error(thrown);
          return answer;
        },
      },
    };
  }, { messages, language });
  hub.pages.add(page);
  page.on("close", () => hub.pages.delete(page));
  await page.goto(`${base}/ui/${path}`);
  await page.locator("h1").waitFor();
  return page;
}

const T0 = Date.UTC(2026, 10, 30, 9, 30);

/** A step with everything a recorder writes; `more` overrides. */
export function step(seq, action, role, name, more = {}) {
  const target = role === null ? undefined : {
    role, name, tag: "button",
    locators: [
      { kind: "role", value: `role=${role}[name=${JSON.stringify(name)}]`, matches: 1 },
      { kind: "css", value: "css=#app > main > div.toolbar > button:nth-of-type(2)", matches: 3, volatile: ["position", "generated"] },
    ],
    dom_path: "/html[1]/body[1]/main[1]/div[2]/button[2]",
    box: { x: 40, y: 60, width: 120, height: 32 }, pointer: { x: 90, y: 74 },
  };
  return {
    seq, t_ms: T0 + 900 + seq * 1730, elapsed_ms: 84, action, target, url: "http://shop.test/orders?state=open", frame: [], tab: 0,
    pre: { state_hash: "0f3a9c1d22b4e6aa" }, post: { state_hash: "77ab01cd34ef5a10" },
    dom: { added: 12, removed: 3, moved: 0, attributes: 4, text: 2, values: 0, nodes_before: 410, nodes_after: 419 },
    settle: { ms: 212, ended_by: "quiet" }, outcome: { status: "ok" }, trusted: true, actor: "human", ...more,
  };
}

/** Steps of a small job, with every mark there is; `blob` is a screenshot's name. */
export function job(blob) {
  const shot = (stale = false) => blob && { blob, t_ms: T0, width: 800, height: 600, ...(stale && { stale }) };
  const seen = (hash, stale) => ({ state_hash: hash, screenshot: shot(stale) });
  const pictured = (s, stale = false) => ({ ...s, pre: seen(s.pre.state_hash), post: seen(s.post.state_hash, stale) });
  return [
    pictured(step(0, "goto", null, "", { value: "http://shop.test/orders" })),
    pictured(step(1, "fill", "searchbox", "Find an order", { value: "1042" })),
    pictured(step(2, "press", "searchbox", "Find an order", { key: "Enter" }), true),
    pictured(step(3, "click", "button", "Stay signed in", { perturbation: "p1" })),
    pictured(step(4, "fill", "textbox", "Supervisor's password", { value: "••••••••", secret: true })),
    pictured(step(5, "click", "button", "A button with a very long accessible name that somebody wrote for a banner nobody reads", { outcome: { status: "no_effect" }, frame: ['css=iframe[name="billing"]'] })),
    pictured(step(6, "click", "button", "Refund", { trusted: false, actor: "agent", outcome: { status: "error", code: "covered", message: "div.overlay would get the click" } })),
    pictured(step(7, "select", "combobox", "Reason", { value: "Damaged", values: ["Damaged", "Late"], tab: 1 })),
  ];
}

/** A trace as a .trace.zip. */
export function archive(header, events, blobs = {}) {
  const lines = [header, ...events].map((line) => JSON.stringify(line)).join("\n") + "\n";
  return zip({ "trace.jsonl": Buffer.from(lines), ...blobs });
}

/** A header. */
export const header = (id, role, more = {}) => ({
  format: "tracerule-trace", version: 1, id, role, title: "Refund order 1042", url: "http://shop.test/orders", started_ms: T0, ended_ms: T0 + 30_000,
  recorder: { version: "0.1.0", via: "extension", browser: "chromium 156" }, viewport: { width: 800, height: 600, dpr: 1 }, ...more,
});

/** Bytes under their own name. */
export const blobName = (bytes, ext) => `blobs/${createHash("sha256").update(bytes).digest("hex")}.${ext}`;

/** An archive without compression. */
export function zip(files) {
  const parts = [], directory = [];
  let offset = 0;
  for (const [name, data] of Object.entries(files)) {
    const title = Buffer.from(name);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt32LE(crc32(data), 14);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt32LE(data.length, 22);
    head.writeUInt16LE(title.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    head.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(offset, 42);
    parts.push(head, title, data);
    directory.push(entry, title);
    offset += 30 + title.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

/** A picture of a page, as PNG. */
export async function picture(browser) {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  await page.setContent(`<style>body{font:16px sans-serif;margin:0;background:#eef2f5}header{background:#24506b;color:#fff;padding:14px 24px}
    table{margin:24px;background:#fff;border-collapse:collapse;width:740px}td,th{padding:10px;border:1px solid #ccd;text-align:left}</style>
    <header>Orders</header><table><tr><th>No.<th>Customer<th>State</tr>${[1042, 1043, 1044, 1045].map((n) => `<tr><td>${n}<td>Customer ${n}<td>open</tr>`).join("")}</table>`);
  const bytes = await page.screenshot();
  await page.close();
  return bytes;
}

/** Puts files into the page's store, through its own import button. */
export async function importFiles(page, files) {
  await page.getByRole("tab").nth(4).click();
  await page.locator("input[type=file]").setInputFiles(files.map(({ name, buffer }) => ({ name, mimeType: "application/zip", buffer })));
}

let axe;

/** What axe-core finds serious or critical on the page as it stands. */
export async function violations(page) {
  axe ??= await readFile(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.any.map((check) => check.message)})`).join("; ")}`);
}

/** By how much the page is wider than its window. */
export const overflow = (page) => page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);

/** Presses Tab through the page; returns the controls never reached and those whose focus cannot be seen. */
export async function keyboard(page) {
  await page.evaluate(() => {
    window.stageReached = new Set();
    document.activeElement?.blur();
  });
  const invisible = [];
  let repeats = 0;
  for (let n = 0; n < 200 && repeats < 3; n++) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const now = document.activeElement;
      if (now === document.body) return { again: true };
      const again = window.stageReached.has(now);
      window.stageReached.add(now);
      // A control that is drawn by the word beside it shows its focus there.
      const drawn = getComputedStyle(now).opacity === "0" ? now.nextElementSibling : now;
      const { outlineStyle, outlineWidth } = getComputedStyle(drawn);
      return { again, visible: outlineStyle !== "none" && outlineWidth !== "0px", what: now.outerHTML.slice(0, 120) };
    });
    repeats = seen.again ? repeats + 1 : 0;
    if (seen.visible === false) invisible.push(seen.what);
  }
  const missed = await page.evaluate(() => {
    const reached = window.stageReached;
    const controls = [...document.querySelectorAll("button, input, select, textarea, summary, a[href]")];
    return controls
      .filter((each) => each.checkVisibility() && !each.matches(":disabled, [aria-hidden=true]") && !reached.has(each))
      // Arrow keys reach these; the tests press them.
      .filter((each) => !each.matches("[role=tab][tabindex='-1'], .step-head[tabindex='-1']"))
      .filter((each) => !(each.type === "radio" && [...reached].some((other) => other.type === "radio" && other.name === each.name)))
      .map((each) => each.outerHTML.slice(0, 120));
  });
  return { missed, invisible };
}
