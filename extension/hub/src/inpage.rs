//! The in-page recorder's half of the hub: one tab, no browser interfaces, in a Web Worker.

use js_sys::{Array, Function, Uint8Array};
use serde_json::json;
use tracerule::steps::{Notice, Recorder};
use tracerule::trace::{self, Header, RecorderInfo, Role, SettleEnd, Trace, archive};
use tracerule::wire::log::{Document, Entry};
use tracerule::wire::sensor::{Ask, Command, Hello};
use vecmap::VecMap;
use wasm_bindgen::prelude::*;

use crate::browser::{object, read, runtime, words};
use crate::frames::{batch, field};
use crate::hub::now;
use crate::settle::{CAP_MS, QUIET_MS};

/// The tab's number in logs: there is only one.
const TAB: f64 = 0.0;

/// A recorder for one page. Feed it what the sensors say; it answers with what to say to them.
#[wasm_bindgen]
pub struct InpageHub {
    on_step: Function,
    recorder: Recorder,
    log: Vec<Entry>,
    header: Header,
    /// Documents by the connection they speak on.
    docs: VecMap<u32, String>,
    command: u32,
    watch: Option<Watch>,
    stopped: bool,
}

struct Watch {
    began: f64,
    since: f64,
    heard: f64,
    changed: f64,
}

#[wasm_bindgen]
impl InpageHub {
    /// `on_step` is called with each step as it is opened or changed.
    #[wasm_bindgen(constructor)]
    pub fn new(on_step: Function) -> InpageHub {
        let started_ms = now();
        let random = (js_sys::Math::random() * 1e12) as u64;
        let header = Header {
            format: trace::FORMAT.to_owned(),
            version: trace::VERSION,
            id: format!("inpage-{started_ms:.0}-{random}"),
            role: Role::Reference,
            title: String::new(),
            url: String::new(),
            started_ms,
            ended_ms: None,
            recorder: RecorderInfo {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                via: "inpage".to_owned(),
                browser: runtime::browser(),
            },
            viewport: None,
            perturb: None,
            task: None,
            run: None,
            secret_salt: None,
            mask: Vec::new(),
            assertions: Vec::new(),
            ending: None,
            capture: Default::default(),
            edited: None,
            extra: Default::default(),
        };
        let mut hub = InpageHub {
            on_step,
            recorder: Recorder::new(),
            log: Vec::new(),
            header,
            docs: VecMap::new(),
            command: 0,
            watch: None,
            stopped: false,
        };
        hub.cover("screenshot", "a page cannot take pictures of itself: in-page recordings have none");
        hub
    }

    /// Takes a sensor's message (`hello`, `batch` or `reply`) of the connection with that number. Returns the
    /// messages to send back.
    pub fn message(&mut self, message: &JsValue, connection: Option<u32>) -> Array {
        let connection = connection.unwrap_or(0);
        let answers = Array::new();
        if self.stopped {
            answers.push(&self.command(Ask::Stop));
            return answers;
        }
        if let Some(hello) = field(message, "hello") {
            if let Ok(hello) = read::<Hello>(&hello) {
                self.greet(connection, hello);
            }
        } else if let Some(fault) = field(message, "fault") {
            let fault = fault.as_string().unwrap_or_default();
            self.cover("fault", &format!("the recorder stumbled in a page ({fault}): please report it"));
        } else if let Some(message) = field(message, "batch") {
            let read = self.docs.get(&connection).and_then(|doc| batch(doc, &message));
            match read {
                Some(batch) => {
                    let seq = batch.seq;
                    self.feed(Entry::Batch(batch));
                    answers.push(&object(&json!({ "ack": seq })));
                }
                None => self.cover("gap", "a batch could not be read"),
            }
        }
        answers
    }

    /// A connection is gone, and its document with it.
    pub fn gone(&mut self, connection: u32) {
        if let Some(doc) = self.docs.remove(&connection) {
            self.feed(Entry::Gone { doc, t: now() });
        }
    }

    /// To be called every 50 ms or so: closes the step when the page is quiet. Returns messages for every sensor.
    pub fn tick(&mut self) -> Array {
        let answers = Array::new();
        let Some(watch) = &self.watch else { return answers };
        let now = now();
        let reason = if now - watch.began >= CAP_MS {
            SettleEnd::Cap
        } else if now - watch.heard >= QUIET_MS {
            SettleEnd::Quiet
        } else {
            return answers;
        };
        self.settled(now, reason);
        answers.push(&self.command(Ask::Measure));
        answers
    }

    /// Ends the recording.
    pub fn stop(&mut self) {
        if !self.stopped {
            let t = now();
            self.settled(t, SettleEnd::End);
            self.feed(Entry::End { t, ending: None });
            self.header.ended_ms = Some(t);
            self.stopped = true;
        }
    }

    /// The recording as a `.trace.zip`, at any time.
    ///
    /// # Errors
    /// When it cannot be packed; the message says why.
    pub fn trace(&self) -> Result<Uint8Array, JsValue> {
        let (events, blobs) = self.recorder.finish(&self.log);
        let trace = Trace { header: self.header.clone(), events, blobs };
        let bytes = archive::write_zip(&trace).map_err(|e| JsValue::from(js_sys::Error::new(&e.to_string())))?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// The steps so far, as JSON.
    pub fn steps(&self) -> String {
        serde_json::to_string(self.recorder.steps()).unwrap_or_else(|_| "[]".to_owned())
    }

    fn greet(&mut self, connection: u32, hello: Hello) {
        self.docs.insert(connection, hello.doc.clone());
        if hello.top {
            self.header.viewport.get_or_insert(hello.viewport);
            if self.header.url.is_empty() {
                self.header.url.clone_from(&hello.url);
            }
        }
        self.feed(Entry::Document(Document {
            t: hello.t,
            doc: hello.doc,
            tab: TAB,
            top: hello.top,
            url: hello.url,
            viewport: Some(hello.viewport),
        }));
    }

    fn settled(&mut self, t: f64, ended_by: SettleEnd) {
        if let Some(watch) = self.watch.take() {
            let quiet_since = watch.changed.max(watch.since);
            // What a page cannot know of itself is not waited for.
            let (t, parts) = (t.max(quiet_since), None);
            self.feed(Entry::Settled { t, tab: TAB, quiet_since, ended_by, parts });
        }
    }

    fn cover(&mut self, what: &str, detail: &str) {
        let event = trace::CoverageEvent { t_ms: now(), what: what.to_owned(), detail: detail.to_owned() };
        self.feed(Entry::Coverage(event));
    }

    fn command(&mut self, ask: Ask) -> JsValue {
        self.command += 1;
        object(&json!({"command": Command { id: self.command, ask }}))
    }

    fn feed(&mut self, entry: Entry) {
        let notices = self.recorder.feed(&entry);
        self.log.push(entry);
        for notice in notices {
            let heard = now();
            match notice {
                Notice::Step(seq) => {
                    if let Some(step) = self.recorder.steps().get(seq as usize)
                        && let Err(thrown) = self.on_step.call1(&JsValue::UNDEFINED, &object(step))
                    {
                        web_sys::console::warn_1(&format!("Tracerule: on step: {}", words(&thrown)).into());
                    }
                }
                Notice::NeedsSettle { since, .. } => {
                    self.watch = Some(Watch { began: heard, since, heard, changed: since });
                }
                Notice::Activity { t, .. } => {
                    if let Some(watch) = &mut self.watch {
                        watch.heard = heard;
                        watch.changed = t;
                    }
                }
                _ => {}
            }
        }
    }
}
