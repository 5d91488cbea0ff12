import init from "./ui.js";

// A page that stays blank would leave the person guessing.
init({ module_or_path: "ui_bg.wasm" }).catch((error) => {
  const ui = document.createElement("div");
  ui.className = "ui";
  const alert = document.createElement("p");
  alert.setAttribute("role", "alert");
  alert.className = "problem fatal";
  const text = globalThis.chrome?.i18n?.getMessage("boot_failed", [String(error)]);
  alert.textContent = text || `Tracerule could not start: ${error}`;
  ui.append(alert);
  document.body.replaceChildren(ui);
});
