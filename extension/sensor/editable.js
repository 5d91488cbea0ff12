// @ts-check
"use strict";

// In every frame, and once more in what is put in later: each has a scope of its own.

/** @param {Node | null | undefined} node @returns {node is HTMLElement} */
function isEditable(node) {
  if (node instanceof HTMLInputElement) {
    return !/^(?:button|submit|reset|image|checkbox|radio|file|hidden)$/.test(node.type) && !node.readOnly && !node.matches(":disabled");
  }
  if (node instanceof HTMLTextAreaElement) return !node.readOnly && !node.matches(":disabled");
  return node instanceof HTMLElement && node.isContentEditable;
}
