// The service worker (Chromium) and event page (Firefox): hears every event of the browser from the first
// moment, keeps them in order, and passes them to the hub once it is there. Nothing is decided here.
"use strict";

// In Firefox the manifest lists hub.js before this file.
if (typeof wasm_bindgen === "undefined") importScripts("hub.js");

(() => {
  const api = globalThis.chrome;
  /** Events that came before the hub was there; null once it is. @type {[string, unknown[]][] | null} */
  let early = [];
  let ports = 0;
  let panels = 0;

  /** @param {string} name @param {unknown[]} details */
  function tell(name, ...details) {
    if (early) return void early.push([name, details]);
    try {
      wasm_bindgen.event(name, details);
    } catch (error) {
      console.error(`Tracerule: ${name}:`, error);
    }
  }

  /** @param {{addListener(listener: (...details: any[]) => void): void} | undefined} source @param {string} name */
  const pass = (source, name) => source?.addListener((...details) => tell(name, ...details));

  api.runtime.onConnect.addListener((port) => {
    const id = ++ports;
    port.onMessage.addListener((message) => tell("port", id, message));
    if (port.name === "panel") panels++;
    port.onDisconnect.addListener(() => {
      if (port.name === "panel") panels--;
      // Read, or the browser complains that nobody looked: pages leave into the back-forward cache.
      void api.runtime.lastError;
      tell("disconnect", id);
    });
    tell("connect", id, port);
  });
  api.runtime.onMessage.addListener((message, sender, respond) => {
    if (!message?.panel) return false;
    tell("message", message, sender, respond);
    return true;
  });
  // Being started is all that these are for.
  api.runtime.onStartup.addListener(() => {});
  api.runtime.onInstalled.addListener(() => {
    void api.sidePanel?.setPanelBehavior({ openPanelOnActionClick: true });
  });
  // A sidebar opens only within the click itself.
  api.action.onClicked.addListener(() => void globalThis.browser?.sidebarAction?.toggle());

  // A panel opens only within the key press itself; one that is open already is not brought to the front, so that
  // the page keeps the focus.
  api.commands?.onCommand.addListener((command, tab) => {
    if (!panels && command.startsWith("annotate")) {
      if (api.sidePanel?.open && tab) void api.sidePanel.open({ windowId: tab.windowId }).catch(() => {});
      else void globalThis.browser?.sidebarAction?.open?.().catch(() => {});
    }
    tell("command", command);
  });

  pass(api.tabs.onActivated, "tabs.activated");
  pass(api.tabs.onCreated, "tabs.created");
  pass(api.tabs.onRemoved, "tabs.removed");
  pass(api.webNavigation.onBeforeNavigate, "navigation.before");
  pass(api.webNavigation.onCommitted, "navigation.committed");
  pass(api.webNavigation.onHistoryStateUpdated, "navigation.same");
  pass(api.webNavigation.onReferenceFragmentUpdated, "navigation.same");
  pass(api.webNavigation.onCompleted, "navigation.completed");
  pass(api.webNavigation.onErrorOccurred, "navigation.failed");
  pass(api.webNavigation.onCreatedNavigationTarget, "navigation.target");
  // Main frames only, and only looked at: nothing is held up.
  const pages = { urls: ["<all_urls>"], types: ["main_frame"] };
  api.webRequest.onBeforeRedirect.addListener((details) => tell("request.redirected", details), pages);
  api.webRequest.onResponseStarted.addListener((details) => tell("request.answered", details), pages);
  pass(api.downloads.onCreated, "download.created");
  pass(api.downloads.onChanged, "download.changed");
  pass(api.storage.local.onChanged, "storage.local");
  pass(api.debugger?.onEvent, "debugger.event");
  pass(api.debugger?.onDetach, "debugger.detached");

  (async () => {
    const module = await (await fetch(api.runtime.getURL("hub_bg.wasm"))).arrayBuffer();
    wasm_bindgen.initSync({ module });
    await wasm_bindgen.start();
    while (early.length) {
      const [name, details] = early.shift();
      try {
        wasm_bindgen.event(name, details);
      } catch (error) {
        console.error(`Tracerule: ${name}:`, error);
      }
    }
    early = null;
  })().catch((error) => console.error("Tracerule could not start:", error));
})();
