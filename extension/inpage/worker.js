// @ts-check
"use strict";

// The in-page recorder's hub: the Wasm module in a worker, so that the page's own thread only pays for the sensor.

/** @type {any} */
const scope = globalThis;
const TICK_MS = 50;

/** @type {any} */
let hub = null;
/** Messages that came before the module was ready. @type {any[]} */
let early = [];

scope.onmessage = (/** @type {MessageEvent} */ event) => {
  if (hub) take(event.data);
  else early.push(event.data);
};

/** @param {any} message */
function take(message) {
  try {
    if (message.sensor) answer(hub.message(message.sensor));
    else if (message.ask) scope.postMessage({ answer: { id: message.id, value: ask(message.ask) } });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    scope.postMessage(message.ask ? { answer: { id: message.id, error: text } } : { error: text });
  }
}

/** @param {string} what */
function ask(what) {
  if (what === "stop") hub.stop();
  return hub.trace();
}

/** @param {any[]} messages */
function answer(messages) {
  for (const message of messages) scope.postMessage({ sensor: message });
}

async function begin() {
  scope.importScripts("hub.js");
  /** @type {any} */
  // @ts-expect-error The script just loaded declares it, and not as a property.
  const bindgen = wasm_bindgen;
  await bindgen({ module_or_path: "hub_bg.wasm" });
  hub = new bindgen.InpageHub((/** @type {any} */ step) => {
    scope.postMessage({ step: typeof step === "string" ? JSON.parse(step) : step });
  });
  scope.postMessage({ ready: true });
  for (const message of early) take(message);
  early = [];
  setInterval(() => answer(hub.tick()), TICK_MS);
}

begin().catch((error) => scope.postMessage({ failed: error instanceof Error ? error.message : String(error) }));
