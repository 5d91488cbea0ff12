// An agent without a model: does the task of tasks/express.toml through MCP, looking at each snapshot and
// acting on what it sees there, pop-ups included. Started by `tracerule run --agent 'node suite/orders/agent.mjs'`,
// which tells it where to connect. What it does wrong is asked for by name:
//
//   WRONG_CLICK=1    opens another order first, sees it and goes back
//   WAITS=3          waits that many times where nothing is to be waited for
//   SKIP_STEP=NAME   leaves out a step (the names below)
//   IGNORE_POPUP=1   does not know pop-ups: repeats what it was doing until it gives up
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { TRACERULE_MCP_URL, TRACERULE_TOKEN, WRONG_CLICK, WAITS = "0", SKIP_STEP, IGNORE_POPUP } = process.env;
if (!TRACERULE_MCP_URL) throw new Error("TRACERULE_MCP_URL is not set; start this agent with `tracerule run --agent`");

const client = new Client({ name: "orders-agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(TRACERULE_MCP_URL), {
  requestInit: { headers: { authorization: `Bearer ${TRACERULE_TOKEN}` } },
}));

let seen = "";
let failures = 0;

/** Calls a tool; what it answers is what the agent sees from then on. */
async function call(name, args = {}) {
  const answer = await client.callTool({ name, arguments: args });
  const text = answer.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
  if (/\[ref=/.test(text)) seen = text;
  if (answer.isError) console.error(`${name} ${JSON.stringify(args)}: ${text.split("\n").slice(0, 4).join(" ")}`);
  return !answer.isError;
}

/** The ref of the first element with that role and name in what was last seen. */
function find(role, name) {
  for (const line of seen.split("\n")) {
    const node = /^\s*- (?:')?([a-z]+) "((?:[^"\\]|\\.)*)".*?\[ref=([^\]]+)\]/.exec(line);
    if (node && node[1] === role && node[2] === name) return { target: node[3], element: `${role} "${name}"` };
  }
  return null;
}

/** Clears away a pop-up of the session kind, if one is seen. */
async function clear() {
  const stay = find("button", "Stay signed in");
  if (stay && !IGNORE_POPUP) await call("browser_click", stay);
}

/** Does one thing to one element, clearing the way first; tries three times. */
async function act(tool, role, name, args = {}) {
  for (let attempt = 0; attempt < 3; attempt++) {
    await clear();
    if (!find(role, name)) await call("browser_snapshot");
    const target = find(role, name);
    if (target && await call(tool, { ...target, ...args })) return;
  }
  failures += 1;
  console.error(`gave up: ${tool} on ${role} "${name}"`);
}

const waits = async (n) => { for (let i = 0; i < n; i++) await call("browser_wait_for", { time: 0.3 }); };

/** Types into a field as most agents and all people do: clicks into it first. */
async function fill(role, name, args) {
  await act("browser_click", role, name);
  await act("browser_type", role, name, args);
}

const steps = {
  search: () => fill("searchbox", "Search", { text: "Alder", submit: true }),
  wrong: async () => {
    if (!WRONG_CLICK) return;
    await act("browser_click", "link", "Order 10480");
    await act("browser_click", "link", "Back to orders");
  },
  open: () => act("browser_click", "link", "Order 10467"),
  status: () => act("browser_select_option", "combobox", "Status", { values: ["Packed"] }),
  quantity: () => fill("spinbutton", "Quantity", { text: "12" }),
  note: () => fill("textbox", "Note for the warehouse", { text: "Call before delivery" }),
  waits: () => waits(Number(WAITS)),
  express: () => act("browser_click", "checkbox", "Express delivery"),
  save: () => act("browser_click", "button", "Save changes"),
  confirm: () => act("browser_click", "button", "Confirm"),
  shipping: () => act("browser_click", "link", "Shipping"),
  courier: () => act("browser_select_option", "combobox", "Courier", { values: ["Blue Van"] }),
  settings: () => act("browser_click", "button", "Save settings"),
};

if (SKIP_STEP && !steps[SKIP_STEP]) throw new Error(`SKIP_STEP=${SKIP_STEP} is none of ${Object.keys(steps).join(", ")}`);
await call("browser_snapshot");
for (const [name, step] of Object.entries(steps)) if (name !== SKIP_STEP) await step();
await clear();
await client.close();
console.log(failures ? `done, ${failures} things could not be done` : "done");
