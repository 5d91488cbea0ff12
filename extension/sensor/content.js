// @ts-check
"use strict";

// Runs again where a session is armed twice, or where the browser keeps the window for the frame's next
// document; every declaration of these files can be repeated.
(() => {
  const world = /** @type {any} */ (globalThis);
  const browser = world.browser ?? world.chrome;
  if (world.traceruleSensor?.document === document || !browser?.runtime?.id) return;
  world.traceruleSensor?.stop();

  // Elements that may carry a shadow root, besides custom ones.
  const hosts = /^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  const reach = browser.dom?.openOrClosedShadowRoot;

  world.traceruleSensor = startSensor({
    connect() {
      if (!browser.runtime?.id) return null;
      const port = browser.runtime.connect({ name: "sensor" });
      /** @type {Transport} */
      const transport = {
        post: (message) => port.postMessage(message),
        close: () => port.disconnect(),
        onmessage() {},
        ondisconnect() {},
      };
      port.onMessage.addListener((/** @type {any} */ message) => transport.onmessage(message));
      port.onDisconnect.addListener(() => {
        void browser.runtime.lastError;
        transport.ondisconnect();
      });
      return transport;
    },
    shadow(element, passing) {
      if (element.shadowRoot) return element.shadowRoot;
      const name = element.localName;
      if (!name.includes("-")) {
        // Asking takes longer than all else that is done with an element; with children of its own it hardly is a host.
        if ((passing && element.firstChild) || !hosts.test(name)) return null;
      }
      if (!(element instanceof HTMLElement)) return null;
      return reach ? reach(element) : /** @type {any} */ (element).openOrClosedShadowRoot ?? null;
    },
    // Firefox always clones; Chromium does where the manifest asks for it.
    typed: !reach || browser.runtime.getManifest().message_serialization === "structured_clone",
    gated: true,
    ...(browser.runtime.getFrameId && { frameId: (/** @type {Element} */ element) => browser.runtime.getFrameId(element) }),
    // Same-origin windows share our world in Chromium.
    beyond: (view) => /** @type {any} */ (view).traceruleSensor,
    leave(token, words) {
      // The hub's leaving.rs takes it from there; the browser writes it even when no worker runs.
      void browser.storage.local.set({ [`leaving:${token}`]: words }).catch(() => {});
    },
    onstop() {
      delete world.traceruleSensor;
    },
  });
})();
