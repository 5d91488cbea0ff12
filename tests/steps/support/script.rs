//! Scripts of what happens, and the log they make. A line is `[+MS] COMMAND WORDS [name=value …]`; `+MS` lets
//! time pass before it (10 ms otherwise). Elements are named by their `id`, unique in the whole script. In
//! options `at=X,Y` is a point of the frame, `mods=Control,Shift` keys held, `untrusted` what a program did.
//!
//! Pages: `page URL HTML` (a new top document; `same-tab` is the tab of the last), `frame ELEMENT URL HTML`, `gone URL`, `again
//! URL` (the same document, shown or connected again), `add PARENT HTML`, `remove E`, `text E TEXT`, `attr E NAME VALUE`, `value E TEXT [secret]`, `checked E
//! 0|1`, `focusop E|-`, `measure E X Y W H`.
//! Facts: `down up click-only aux dbl menu dragstart dragenter drop dragend cancel E` (`files=A,B` are dropped;
//! `over=E@MS,…` is what the pointer came over so long before, `shown=E:HOST` what a style sheet shows on hover), `wheel E`, `scroll E X Y`, `key E KEY`, `input E
//! TYPE VALUE`, `change E VALUE`, `copy cut paste E [text=T secret]`, `focus compose submit E`, `complete`, `hide`, `show`.
//! Gestures: `click E`, `dblclick E`, `rightclick E`, `type E TEXT` (key, value, input for each character).
//! Log: `settled [ENDED_BY]`, `shot NAME`, `nav CAUSE URL [same]`, `tab CHANGE ID [URL]`, `in ID` (what follows is of
//! that tab), `begin JSON [E]`, `end [CODE MESSAGE]`, `tool NAME JSON MS`, `popup ID E`, `dismissed ID`, `pause`,
//! `resume`, `finish`, `print`, `entry JSON` (any entry of the log; time and tab are put in).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tracerule::perturb::Operator;
use tracerule::trace::{Actor, NoteEvent, PerturbationEvent, PerturbationPhase, ToolCall};
use tracerule::wire::log::{Batch, Document, Entry, Navigation};
use tracerule::wire::op;

use super::html::{self, Ops};

struct Page {
    next: i32,
    seq: u32,
    url: String,
}

struct Script {
    t: f64,
    tab: f64,
    entries: Vec<Entry>,
    pages: BTreeMap<String, Page>,
    top: BTreeMap<u64, String>,
    names: BTreeMap<String, (String, i32)>,
    values: BTreeMap<String, String>,
    calls: u32,
    last_input: f64,
}

type Result<T> = std::result::Result<T, String>;

/// The log of a script.
pub fn run(text: &str) -> Result<Vec<Entry>> {
    let mut script = Script {
        t: 1000.0,
        tab: 7.0,
        entries: Vec::new(),
        pages: BTreeMap::new(),
        top: BTreeMap::new(),
        names: BTreeMap::new(),
        values: BTreeMap::new(),
        calls: 0,
        last_input: 0.0,
    };
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            script.line(line).map_err(|error| format!("line {}: {line}: {error}", i + 1))?;
        }
    }
    Ok(script.entries)
}

impl Script {
    fn line(&mut self, line: &str) -> Result<()> {
        let (wait, line) = match line.strip_prefix('+') {
            Some(rest) => rest.split_once(' ').ok_or("a command follows the time")?,
            None => ("10", line),
        };
        self.t += wait.parse::<f64>().map_err(|e| e.to_string())?;
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let raw = html::split(rest);
        let words: Vec<String> = raw.iter().map(|w| w.trim_matches('"').to_owned()).collect();
        let word = |i: usize| words.get(i).map(String::as_str).unwrap_or_default();
        let tail = |n: usize| rest.splitn(n + 1, ' ').nth(n).unwrap_or_default().trim_matches('"');
        match command {
            "page" => self.page(word(0), tail(1), None),
            "frame" => self.page(word(1), tail(2), Some(word(0))),
            "gone" => {
                let doc = self.pages.iter().find(|(_, page)| page.url == word(0)).ok_or("no such page")?.0.clone();
                self.entries.push(Entry::Gone { doc, t: self.t });
                Ok(())
            }
            "add" => {
                let (doc, parent) = self.node(word(0))?;
                let mut ops = Ops::default();
                self.html(&doc, tail(1), &mut ops, parent);
                self.batch(&doc, ops)
            }
            "remove" => self.op(word(0), |_, id| vec![op::REMOVE, id]),
            "text" => {
                let mut id_of_text = 0;
                let (doc, parent) = self.node(word(0))?;
                let page = self.pages.get_mut(&doc).ok_or("no page")?;
                std::mem::swap(&mut id_of_text, &mut page.next);
                page.next = id_of_text + 1;
                self.op(word(0), |ops, _| {
                    let text = ops.string(tail(1));
                    vec![op::TEXT, id_of_text, parent, 0, text]
                })
            }
            "attr" => self.op(word(0), |ops, id| {
                let (name, value) = (ops.string(word(1)), ops.string(tail(2)));
                vec![op::ATTRIBUTE, id, name, value]
            }),
            "value" => {
                let secret = i32::from(word(2) == "secret");
                self.op(word(0), |ops, id| {
                    let value = ops.string(word(1));
                    vec![op::VALUE, id, value, secret]
                })
            }
            "checked" => {
                let state = word(1).parse().map_err(|_| "0 or 1")?;
                self.op(word(0), |_, id| vec![op::CHECKED, id, state])
            }
            "focusop" if word(0) == "-" => {
                let doc = self.top()?;
                self.batch(&doc, Ops { strings: Vec::new(), ops: vec![op::FOCUS, 0] })
            }
            "focusop" => self.op(word(0), |_, id| vec![op::FOCUS, id]),
            "measure" => {
                let n: Vec<i32> = words[1..].iter().filter_map(|w| w.parse().ok()).collect();
                let [x, y, w, h] = n[..] else { return Err("x y width height".into()) };
                self.op(word(0), |_, id| vec![op::BOX, id, x, y, w, h, op::flag::VISIBLE])
            }
            "down" => self.pointer("pointerdown", &words),
            "up" => self.pointer("pointerup", &words),
            "cancel" => self.pointer("pointercancel", &words),
            "click-only" => self.pointer("click", &words),
            "aux" => self.pointer("auxclick", &words),
            "dbl" => self.pointer("dblclick", &words),
            "menu" => self.pointer("contextmenu", &words),
            "dragstart" => self.pointer("dragstart", &words),
            "dragenter" => self.pointer("dragenter", &words),
            "dragend" => self.pointer("dragend", &words),
            "drop" => self.pointer("drop", &words),
            "wheel" => self.fact(word(0), json!({"k": "wheel", "dx": 0.0, "dy": 100.0}), &words),
            "scroll" => {
                let [x, y] = [1, 2].map(|i| word(i).parse::<i32>().unwrap_or_default());
                self.op(word(0), |_, id| vec![op::SCROLL, id, x, y])?;
                self.fact(word(0), json!({"k": "scroll", "x": f64::from(x), "y": f64::from(y)}), &words)
            }
            "key" => self.key(word(0), word(1), &words),
            "input" => self.edit(word(0), word(1), tail(2), &words),
            "change" => self.edit(word(0), "", tail(1), &words),
            // `sealed NAME CLASS LENGTH HASH`: what is kept of a secret.
            "sealed" => {
                let length: u32 = word(2).parse().unwrap_or(0);
                let kind = json!({"k": "secret", "class": word(1), "length": length, "hash": word(3), "salt": "5a17"});
                self.fact(word(0), kind, &words)
            }
            "copy" | "cut" | "paste" => {
                let text = words.iter().find_map(|w| w.strip_prefix("text=")).unwrap_or_default();
                let secret = words.iter().any(|w| w == "secret");
                let clip = json!({
                    "k": command, "types": ["text/plain"], "text": if secret { "••••••••" } else { text },
                    "length": text.chars().count(), "secret": secret,
                });
                self.fact(word(0), clip, &words)
            }
            "focus" | "submit" => self.fact(word(0), json!({"k": command}), &words),
            "compose" => self.fact(word(0), json!({"k": "compositionstart"}), &words),
            "complete" => {
                let doc = self.top()?;
                self.fact_of(&doc, 1, json!({"k": "page", "state": "complete"}), true)
            }
            "again" => {
                let (doc, page) = self.pages.iter().find(|(_, page)| page.url == word(0)).ok_or("no such page")?;
                let (doc, url) = (doc.clone(), page.url.clone());
                self.top.insert(self.tab.to_bits(), doc.clone());
                self.entries.push(Entry::Document(Document {
                    t: self.t,
                    doc,
                    tab: self.tab,
                    top: true,
                    url,
                    viewport: None,
                }));
                Ok(())
            }
            "show" => {
                let doc = self.top()?;
                self.fact_of(&doc, 1, json!({"k": "page", "state": "show"}), true)
            }
            "hide" => {
                let doc = self.top()?;
                self.fact_of(&doc, 1, json!({"k": "pagehide"}), true)
            }
            "click" => {
                for (i, kind) in ["pointerdown", "pointerup", "click"].into_iter().enumerate() {
                    self.t += if i == 1 { 60.0 } else { 0.0 };
                    self.pointer(kind, &words)?;
                }
                Ok(())
            }
            "dblclick" => {
                for detail in ["detail=1", "detail=2"] {
                    let mut words = words.clone();
                    words.push(detail.to_owned());
                    for kind in ["pointerdown", "pointerup", "click"] {
                        self.pointer(kind, &words)?;
                    }
                    self.t += 120.0;
                }
                self.pointer("dblclick", &words)
            }
            "rightclick" => {
                let mut words = words.clone();
                words.push("button=2".to_owned());
                for kind in ["pointerdown", "contextmenu", "pointerup", "auxclick"] {
                    self.pointer(kind, &words)?;
                }
                Ok(())
            }
            "type" => {
                let name = word(0).to_owned();
                for c in tail(1).chars() {
                    self.t += 50.0;
                    self.key(&name, &c.to_string(), &[])?;
                    let value = self.values.get(&name).cloned().unwrap_or_default() + &c.to_string();
                    self.t += 1.0;
                    self.op(&name, |ops, id| {
                        let text = ops.string(&value);
                        vec![op::VALUE, id, text, 0]
                    })?;
                    self.edit(&name, "insertText", &value, &[])?;
                }
                Ok(())
            }
            "settled" => {
                let ended_by = if words.is_empty() { "quiet" } else { word(0) };
                let ended_by = serde_json::from_value(json!(ended_by)).map_err(|e| e.to_string())?;
                let quiet_since = self.last_input + 30.0;
                self.t = self.t.max(quiet_since + 150.0);
                let parts = None;
                self.entries.push(Entry::Settled { t: self.t, tab: self.tab, quiet_since, ended_by, parts });
                Ok(())
            }
            "shot" => {
                let (t_start, t_end) = (self.t, self.t + 40.0);
                self.t = t_end;
                let blob = word(0).to_owned();
                let (viewport, scroll) = (None, None);
                self.entries.push(Entry::Shot {
                    t_start,
                    t_end,
                    tab: self.tab,
                    blob,
                    width: 800,
                    height: 600,
                    viewport,
                    scroll,
                    full_page: false,
                });
                Ok(())
            }
            "nav" => {
                let cause = serde_json::from_value(json!(word(0))).map_err(|e| e.to_string())?;
                self.entries.push(Entry::Navigation(Navigation {
                    t: self.t,
                    tab: self.tab,
                    url: word(1).to_owned(),
                    top: word(2) != "sub",
                    same_document: word(2) == "same",
                    cause,
                }));
                Ok(())
            }
            "tab" => {
                let tab = word(1).parse().map_err(|_| "a tab's number")?;
                let opener = words.iter().find_map(|w| w.strip_prefix("opener=")).and_then(|w| w.parse().ok());
                let change = serde_json::from_value(json!(word(0))).map_err(|e| e.to_string())?;
                let url = words.get(2).filter(|w| !w.starts_with("opener=")).cloned().unwrap_or_default();
                self.entries.push(Entry::Tab { t: self.t, tab, change, opener, url });
                Ok(())
            }
            "in" => {
                self.tab = word(0).parse().map_err(|_| "a tab's number")?;
                Ok(())
            }
            "begin" => {
                let (act, name) = rest.rsplit_once("} ").map_or((rest, ""), |(act, name)| (act, name));
                let act = if name.is_empty() { act.to_owned() } else { format!("{act}}}") };
                let act = serde_json::from_str(&act).map_err(|e| e.to_string())?;
                self.calls += 1;
                let name = name.trim();
                let trusted = !name.ends_with("untrusted");
                let name = name.trim_end_matches("untrusted").trim();
                let target = if name.is_empty() { None } else { Some(self.node(name)?) };
                let target = target.map(|(doc, node)| (doc, node as u32));
                self.last_input = self.t;
                self.entries.push(Entry::ActionBegin {
                    t: self.t,
                    tab: self.tab,
                    call: self.calls,
                    act,
                    trusted,
                    target,
                });
                Ok(())
            }
            "end" => {
                let code = word(0);
                let error = if code.is_empty() {
                    None
                } else {
                    Some((serde_json::from_value(json!(code)).map_err(|e| e.to_string())?, tail(1).to_owned()))
                };
                self.entries.push(Entry::ActionEnd { t: self.t, call: self.calls, error });
                Ok(())
            }
            "tool" => {
                let (arguments, ms) = tail(1).rsplit_once(' ').ok_or("arguments and ms")?;
                let elapsed_ms: f64 = ms.parse().map_err(|_| "ms")?;
                self.entries.push(Entry::ToolCall(ToolCall {
                    t_ms: self.t - elapsed_ms,
                    elapsed_ms,
                    name: word(0).to_owned(),
                    arguments: serde_json::from_str(arguments).map_err(|e| e.to_string())?,
                    result: json!("ok"),
                    steps: Vec::new(),
                }));
                Ok(())
            }
            "note" => {
                let text = tail(0).to_owned();
                self.entries.push(Entry::Note(NoteEvent { t_ms: self.t, actor: Actor::Agent, text }));
                Ok(())
            }
            "popup" => {
                self.perturbation(word(0), PerturbationPhase::Shown);
                let (doc, node) = self.node(word(1))?;
                self.entries.push(Entry::PopupNode { id: word(0).to_owned(), doc, node: node as u32 });
                Ok(())
            }
            "dismissed" => {
                self.perturbation(word(0), PerturbationPhase::Dismissed);
                Ok(())
            }
            "pause" => {
                self.entries.push(Entry::Pause { t: self.t });
                Ok(())
            }
            "resume" => {
                self.entries.push(Entry::Resume { t: self.t });
                Ok(())
            }
            "finish" => {
                self.entries.push(Entry::End { t: self.t, ending: None });
                Ok(())
            }
            "entry" => {
                let mut entry: Value = serde_json::from_str(rest).map_err(|e| e.to_string())?;
                entry["t"] = json!(self.t);
                if entry.get("tab").is_none() {
                    entry["tab"] = json!(self.tab);
                }
                self.entries.push(serde_json::from_value(entry).map_err(|e| e.to_string())?);
                Ok(())
            }
            "print" => {
                let doc = self.top()?;
                self.fact_of(&doc, 1, json!({"k": "page", "state": "print"}), true)
            }
            "raw" => {
                let doc = self.top()?;
                let ops = rest.split(' ').filter_map(|w| w.parse().ok()).collect();
                self.batch(&doc, Ops { strings: Vec::new(), ops })
            }
            "skip" => {
                let doc = self.top()?;
                self.pages.get_mut(&doc).ok_or("no page")?.seq += 1;
                Ok(())
            }
            _ => Err("no such command".into()),
        }
    }

    fn perturbation(&mut self, id: &str, phase: PerturbationPhase) {
        self.entries.push(Entry::Perturbation(PerturbationEvent {
            t_ms: self.t,
            id: id.to_owned(),
            operator: Operator::SessionPopup,
            phase,
            key: "k".to_owned(),
            effect: BTreeMap::new(),
        }));
    }

    fn page(&mut self, url: &str, html: &str, frame: Option<&str>) -> Result<()> {
        let doc = format!("d{}", self.pages.len());
        self.pages.insert(doc.clone(), Page { next: 3, seq: 0, url: url.to_owned() });
        if let Some(frame) = frame {
            let token = doc.clone();
            self.op(frame, |ops, id| {
                let token = ops.string(&token);
                vec![op::FRAME, id, token]
            })?;
        } else {
            self.top.insert(self.tab.to_bits(), doc.clone());
        }
        self.entries.push(Entry::Document(Document {
            t: self.t,
            doc: doc.clone(),
            tab: self.tab,
            top: frame.is_none(),
            url: url.to_owned(),
            viewport: None,
        }));
        let mut ops = Ops::default();
        let [html_tag, body_tag] = ["html", "body"].map(|tag| ops.string(tag));
        ops.ops.extend([op::RESET, op::ELEMENT, 2, 1, 0, html_tag, op::ns::HTML]);
        ops.ops.extend([op::ELEMENT, 3, 2, 0, body_tag, op::ns::HTML]);
        self.pages.get_mut(&doc).ok_or("no page")?.next = 4;
        if frame.is_none() {
            self.names.insert("body".to_owned(), (doc.clone(), 3));
            self.names.insert("document".to_owned(), (doc.clone(), 1));
        }
        self.html(&doc, html, &mut ops, 3);
        ops.ops.extend([op::MARK, op::mark::SNAPSHOT]);
        self.batch(&doc, ops)
    }

    fn html(&mut self, doc: &str, html: &str, ops: &mut Ops, parent: i32) {
        let Some(page) = self.pages.get_mut(doc) else { return };
        let names = &mut self.names;
        html::write(html, ops, parent, 0, &mut page.next, &mut |name, id| {
            names.insert(name.to_owned(), (doc.to_owned(), id));
        });
    }

    fn top(&self) -> Result<String> {
        self.top.get(&self.tab.to_bits()).cloned().ok_or_else(|| "no page in this tab".to_owned())
    }

    fn node(&self, name: &str) -> Result<(String, i32)> {
        self.names.get(name).cloned().ok_or_else(|| format!("no element {name:?}"))
    }

    fn batch(&mut self, doc: &str, mut ops: Ops) -> Result<()> {
        let page = self.pages.get_mut(doc).ok_or("no page")?;
        let mut timed = Ops::default();
        timed.time(0.0);
        timed.ops.append(&mut ops.ops);
        let seq = page.seq;
        page.seq += 1;
        self.entries.push(Entry::Batch(Batch {
            doc: doc.to_owned(),
            seq,
            t0: self.t,
            strings: ops.strings,
            ops: timed.ops,
        }));
        Ok(())
    }

    fn op(&mut self, name: &str, make: impl FnOnce(&mut Ops, i32) -> Vec<i32>) -> Result<()> {
        let (doc, id) = self.node(name)?;
        let mut ops = Ops::default();
        let made = make(&mut ops, id);
        ops.ops = made;
        self.batch(&doc, ops)
    }

    fn fact_of(&mut self, doc: &str, node: i32, mut kind: Value, trusted: bool) -> Result<()> {
        let url = self.pages.get(doc).ok_or("no page")?.url.clone();
        for (key, value) in [("t", json!(self.t)), ("n", json!(node)), ("trusted", json!(trusted)), ("url", json!(url))]
        {
            kind[key] = value;
        }
        self.last_input = self.t;
        let mut ops = Ops::default();
        let text = ops.string(&kind.to_string());
        ops.ops = vec![op::EVENT, text];
        self.batch(doc, ops)
    }

    fn fact(&mut self, name: &str, kind: Value, words: &[String]) -> Result<()> {
        let (doc, node) = self.node(name)?;
        self.fact_of(&doc, node, kind, !words.iter().any(|w| w == "untrusted"))
    }

    fn pointer(&mut self, kind: &str, words: &[String]) -> Result<()> {
        let name = words.first().ok_or("an element")?;
        let (_, id) = self.node(name)?;
        let option = |key: &str| words.iter().rev().find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
        // Elements lie below each other, 20 px high.
        let (x, y) = (10.0, f64::from(id) * 20.0);
        let (mut px, mut py) = (x + 50.0, y + 10.0);
        if let Some((ax, ay)) = option("at").and_then(|at| at.split_once(',')) {
            px = ax.parse().map_err(|_| "x")?;
            py = ay.parse().map_err(|_| "y")?;
        }
        let button: i32 = option("button").unwrap_or("0").parse().map_err(|_| "button")?;
        let detail: u32 = option("detail").unwrap_or("1").parse().map_err(|_| "detail")?;
        let mods: Vec<&str> = option("mods").map(|m| m.split(',').collect()).unwrap_or_default();
        let list =
            |key: &str| option(key).map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default();
        let mut over = Vec::new();
        for entry in list("over") {
            let (name, ms) = entry.split_once('@').ok_or("over=E@MS")?;
            let ms: f64 = ms.parse().map_err(|_| "over=E@MS")?;
            let (_, n) = self.node(name)?;
            over.push(json!({"n": n, "t": self.t - ms, "x": 60.0, "y": f64::from(n) * 20.0 + 10.0}));
        }
        let mut shown = Vec::new();
        for pair in list("shown") {
            let (element, host) = pair.split_once(':').ok_or("shown=E:HOST")?;
            shown.push([self.node(element)?.1, self.node(host)?.1]);
        }
        let kind = json!({
            "k": kind, "x": px, "y": py, "button": button, "detail": detail, "mods": mods,
            "files": list("files"), "over": if kind == "pointerdown" { over } else { Vec::new() },
            "shown": if kind == "pointerdown" { shown } else { Vec::new() },
            "pointer": if words.iter().any(|w| w == "touch") { "touch" } else { "mouse" },
            "box": {"x": x, "y": y, "width": 100.0, "height": 20.0},
        });
        self.fact(name, kind, words)
    }

    fn key(&mut self, name: &str, key: &str, words: &[String]) -> Result<()> {
        let option = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
        let mods: Vec<&str> = option("mods").map(|m| m.split(',').collect()).unwrap_or_default();
        let flag = |name: &str| words.iter().any(|w| w == name);
        let key = if key == "Space" { " " } else { key };
        let code = option("code").unwrap_or_default();
        let kind = json!({
            "k": "keydown", "key": key, "code": code, "mods": mods,
            "repeat": flag("repeat"), "composing": flag("composing"),
        });
        self.fact(name, kind, words)
    }

    /// `value` for a text; `checked=true`, `labels=A,B` or `files=A,B` for others; `field=` names the kind of field.
    fn edit(&mut self, name: &str, input_type: &str, value: &str, words: &[String]) -> Result<()> {
        let option = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
        let list =
            |key: &str| option(key).map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default();
        let plain = option("field").is_none();
        let value = if plain {
            value.trim_end_matches(" untrusted").trim_end_matches(" secret").trim_matches('"')
        } else {
            option("value").unwrap_or_default()
        };
        self.values.insert(name.to_owned(), value.to_owned());
        let labels = list("labels");
        let mut kind = json!({
            "k": if input_type.is_empty() { "change" } else { "input" },
            "value": value, "input_type": if input_type == "-" { "" } else { input_type },
            "field": option("field").unwrap_or("text"), "labels": labels,
            "values": labels.iter().map(|l| l.to_lowercase()).collect::<Vec<_>>(), "files": list("files"),
            "secret": words.iter().any(|w| w == "secret"),
            "autofill": words.iter().any(|w| w == "autofill"),
        });
        if let Some(checked) = option("checked") {
            kind["checked"] = json!(checked == "true");
        }
        self.fact(name, kind, words)
    }
}
