//! The tools as clients are told of them.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

const TARGET: &str = "The element: its ref in the newest snapshot (as e12 or f1e3), a locator (role=button[name=\"Save\"], \
                      label=\"Name\", text=\"Next\" …), or a CSS selector that matches exactly one element.";
const REF: &str = "Older name of 'target'.";
const ELEMENT: &str = "What the element is, in your words; kept with the recording.";

/// Properties with those of a targeted element before them.
fn targeted(mut more: Value) -> Value {
    let mut properties = json!({
        "target": {"type": "string", "description": TARGET},
        "ref": {"type": "string", "description": REF},
        "element": {"type": "string", "description": ELEMENT},
    });
    if let (Some(map), Some(more)) = (properties.as_object_mut(), more.as_object_mut()) {
        map.append(more);
    }
    properties
}

fn tool(name: &'static str, title: &str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    let mut schema = serde_json::Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let read_only = matches!(name, "browser_snapshot" | "browser_take_screenshot" | "browser_wait_for");
    let annotations = ToolAnnotations::with_title(title).read_only(read_only).open_world(true);
    Tool::new(name, description, Arc::new(schema)).with_annotations(annotations)
}

/// All tools.
pub fn tools() -> Vec<Tool> {
    let mut all = vec![
        tool(
            "browser_navigate",
            "Navigate to a URL",
            "Go to an address. Answers with the page's snapshot once it has settled.",
            json!({"url": {"type": "string", "description": "The address, absolute."}}),
            &["url"],
        ),
        tool("browser_navigate_back", "Go back", "Go one page back in the tab's history.", json!({}), &[]),
        tool(
            "browser_snapshot",
            "Page snapshot",
            "The accessibility snapshot of the current page. Actions answer with it anyway; better than a screenshot to \
             act upon.",
            json!({}),
            &[],
        ),
    ];
    all.extend(on_elements());
    all.extend(on_pages());
    all
}

fn on_elements() -> Vec<Tool> {
    vec![
        tool(
            "browser_click",
            "Click",
            "Click an element.",
            targeted(json!({
                "doubleClick": {"type": "boolean", "description": "Click twice."},
                "button": {"type": "string", "enum": ["left", "right", "middle"], "description": "Left when absent."},
                "modifiers": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]},
                    "description": "Keys held while clicking.",
                },
            })),
            &[],
        ),
        tool("browser_hover", "Hover mouse", "Move the pointer onto an element.", targeted(json!({})), &[]),
        tool(
            "browser_drag",
            "Drag mouse",
            "Drag an element onto another: press, move as a hand does, release.",
            json!({
                "startTarget": {"type": "string", "description": TARGET},
                "startRef": {"type": "string", "description": "Older name of 'startTarget'."},
                "startElement": {"type": "string", "description": ELEMENT},
                "endTarget": {"type": "string", "description": "The element onto which it goes, named as 'startTarget'."},
                "endRef": {"type": "string", "description": "Older name of 'endTarget'."},
                "endElement": {"type": "string", "description": ELEMENT},
            }),
            &[],
        ),
        tool(
            "browser_type",
            "Type text",
            "Put text into an editable element, replacing what it holds.",
            targeted(json!({
                "text": {"type": "string", "description": "The text."},
                "submit": {"type": "boolean", "description": "Press Enter afterwards."},
                "slowly": {"type": "boolean", "description": "Type key by key after what the field holds, for pages that listen to keys."},
            })),
            &["text"],
        ),
        tool(
            "browser_press_key",
            "Press a key",
            "Press a key or a shortcut where the focus is.",
            json!({"key": {"type": "string", "description": "As KeyboardEvent.key names it: Enter, ArrowLeft, a, Control+K."}}),
            &["key"],
        ),
        tool(
            "browser_select_option",
            "Select option",
            "Choose options of a list.",
            targeted(json!({
                "values": {"type": "array", "items": {"type": "string"}, "description": "The options' labels or values."},
            })),
            &["values"],
        ),
        tool(
            "browser_fill_form",
            "Fill form",
            "Fill several fields, one after the other; ends at the first that fails.",
            json!({"fields": {
                "type": "array",
                "description": "The fields in order.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "description": ELEMENT},
                        "type": {
                            "type": "string",
                            "enum": ["textbox", "checkbox", "radio", "combobox", "slider"],
                            "description": "The kind of field.",
                        },
                        "target": {"type": "string", "description": TARGET},
                        "ref": {"type": "string", "description": REF},
                        "value": {
                            "type": "string",
                            "description": "The text; 'true' or 'false' for a checkbox or radio; the option's label for a combobox.",
                        },
                    },
                    "required": ["type", "value"],
                },
            }}),
            &["fields"],
        ),
    ]
}

fn on_pages() -> Vec<Tool> {
    vec![
        tool(
            "browser_take_screenshot",
            "Take a screenshot",
            "A picture of what the tab shows now. To act, use the snapshot's refs instead.",
            json!({
                "type": {
                    "type": "string",
                    "enum": ["png", "jpeg", "webp"],
                    "description": "The wish; the answer names the format that it has.",
                },
            }),
            &[],
        ),
        tool(
            "browser_wait_for",
            "Wait for",
            "Wait for a text to appear, for a text to disappear, for an element to be shown, or for a time.",
            json!({
                "target": {"type": "string", "description": "Until this element can be seen: a ref, a locator (role=alert[name=\"Saved\"]) or a CSS selector."},
                "time": {"type": "number", "minimum": 0, "maximum": 60, "description": "Seconds."},
                "text": {"type": "string", "description": "Until it is there."},
                "textGone": {"type": "string", "description": "Until it is gone."},
            }),
            &[],
        ),
        tool(
            "browser_mouse_wheel",
            "Scroll",
            "Scroll the page, or the container named by 'target'.",
            targeted(json!({
                "deltaX": {"type": "number", "description": "CSS pixels to the right."},
                "deltaY": {"type": "number", "description": "CSS pixels down."},
            })),
            &[],
        ),
        tool(
            "browser_handle_dialog",
            "Handle a dialog",
            "Answer the browser's dialog (alert, confirm, prompt) that the last answer told of. Until then nothing else \
             can be done in that tab.",
            json!({
                "accept": {"type": "boolean", "description": "Whether to accept the dialog."},
                "promptText": {"type": "string", "description": "The text of the prompt, if it is one."},
            }),
            &["accept"],
        ),
        tool(
            "browser_tabs",
            "Manage tabs",
            "List, open, close or select the tabs you may act in.",
            json!({
                "action": {"type": "string", "enum": ["list", "new", "close", "select"], "description": "What to do."},
                "index": {"type": "integer", "minimum": 0, "description": "For close and select; the current tab when absent (close)."},
                "url": {"type": "string", "description": "For new."},
            }),
            &["action"],
        ),
        tool(
            "tracerule_note",
            "Note",
            "Put a remark, or the tokens you used, into the recording. Changes nothing on the page.",
            json!({
                "text": {"type": "string", "description": "The remark."},
                "input_tokens": {"type": "integer", "minimum": 0, "description": "Tokens read since the last note."},
                "output_tokens": {"type": "integer", "minimum": 0, "description": "Tokens written since the last note."},
                "cost_usd": {"type": "number", "minimum": 0, "description": "Cost since the last note."},
                "model": {"type": "string", "description": "The model."},
                "rate_limited_ms": {"type": "number", "minimum": 0, "description": "Waited on the provider's rate limit."},
            }),
            &[],
        ),
    ]
}
