//! Live sessions: their tabs, their log, their beginning and end.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use futures_channel::oneshot;
use tracerule::edit::{Op as EditOp, Recording};
use tracerule::perturb::{Journal, Operator};
use tracerule::steps::{Notice, Recorder};
use tracerule::trace::{self, Ending, Header, PerturbationEvent, PerturbationPhase, RecorderInfo, Role};
use tracerule::wire::agent::{Start, Started, Summary};
use tracerule::wire::log::{Batch, Cause, Entry, TabChange};
use tracerule::wire::op::{self, Op};
use tracerule::wire::panel::{Hotkey, Piece};
use tracerule::wire::secrets::Discretion;
use tracerule::wire::sensor::Ask;
use tracerule_store::{Record, SessionMeta};
use vecmap::VecMap;

use crate::browser::{Tab, runtime, storage, tabs};
use crate::hub::{self, Trouble, now};
use crate::{
    arming, assertions, dialogs, edit, frames, navigation, network, panel, relay, remembered, screens, settle, trusted,
    writer,
};

/// A session that is being recorded.
pub struct Session {
    /// Its summary, as it was stored last or will be stored next.
    pub meta: SessionMeta,
    /// The fold of its log.
    pub recorder: Recorder,
    /// Its open tabs, in order of appearance.
    pub tabs: Vec<Tab>,
    /// The one that came to the front last, in which agents act.
    pub current: Tab,
    /// For each document's token, the batch that comes next.
    pub batches: HashMap<String, u32>,
    /// Agents may act.
    pub granted: bool,
    /// The person wants dialogs watched, whatever the browser shows for it.
    pub watching: bool,
    /// Agents' actions so far.
    pub calls: u32,
    /// The perturbations' journal, when there are any.
    pub journal: Option<Journal>,
    /// Documents (by token) whose looks this worker has seen to.
    pub perturbed: HashSet<String>,
    /// What the log says was done to documents' looks: they keep it when a worker dies.
    pub changed_looks: HashSet<(String, Operator)>,
    /// Documents (by token) in which a secret field was seen.
    pub secret_docs: HashSet<String>,
    /// What agents typed into secret fields. Never written down.
    pub secrets: Vec<String>,
    /// The number in the id of the last change of looks.
    pub looks: usize,
    /// Viewport widths of documents, CSS px.
    widths: HashMap<String, f64>,
    /// Elements of documents that were measured, kept where perturbations choose among them.
    pub boxed: HashMap<String, BTreeSet<u32>>,
    /// The step boundary at which a pop-up was last drawn.
    pub boundary: u32,
    /// Blobs stored already.
    pub blobs: HashSet<String>,
    /// An agent's action is under way.
    pub acting: bool,
    /// Agents' requests that wait for it to end, in the order in which they came.
    pub turns: VecDeque<oneshot::Sender<()>>,
    /// The keys that drew pop-ups, by the pop-ups' ids.
    pub popup_keys: HashMap<String, String>,
    /// Navigations of each tab's top frame so far.
    pub navigations: VecMap<Tab, u32>,
    /// Where they led.
    pub visited: VecMap<Tab, Vec<String>>,
    /// When a tab was last looked at.
    pub looked: VecMap<Tab, f64>,
    /// Steps that changed since the companion and the panel were told.
    pub changed_steps: Vec<u32>,
    /// What was said last about coverage.
    pub last_coverage: Option<(String, String)>,
    /// What must not be written down.
    discretion: Discretion,
    /// It is coming to its end.
    pub ending: bool,
    /// What was imported before its log.
    pub prior: Option<Recording>,
    /// It had ended and was taken up again for a piece.
    pub reopened: bool,
    /// The piece that is being recorded for another place.
    pub piece: Option<Piece>,
    /// It was paused when that piece began.
    pub paused_before: bool,
    /// The last hotkey that wants something of the panel.
    pub hotkey: Option<Hotkey>,
    next: u64,
}

impl Session {
    /// A session without a log.
    pub fn new(meta: SessionMeta, tab: Tab) -> Session {
        let journal = meta.header.perturb.clone().map(Journal::new);
        Session {
            meta,
            recorder: Recorder::new(),
            tabs: Vec::new(),
            current: tab,
            batches: HashMap::new(),
            granted: false,
            watching: false,
            calls: 0,
            journal,
            perturbed: HashSet::new(),
            changed_looks: HashSet::new(),
            secret_docs: HashSet::new(),
            secrets: Vec::new(),
            looks: 0,
            widths: HashMap::new(),
            boxed: HashMap::new(),
            boundary: 0,
            blobs: HashSet::new(),
            acting: false,
            turns: VecDeque::new(),
            popup_keys: HashMap::new(),
            navigations: VecMap::new(),
            visited: VecMap::new(),
            looked: VecMap::new(),
            changed_steps: Vec::new(),
            last_coverage: None,
            discretion: Discretion::default(),
            ending: false,
            prior: None,
            reopened: false,
            piece: None,
            paused_before: false,
            hotkey: None,
            next: 0,
        }
    }

    /// A stored session that is taken up again, whose log is to be folded; `prior` is what was imported before it.
    pub fn resumed(meta: SessionMeta, tab: Tab, prior: Option<Recording>) -> Session {
        let recorder = prior.as_ref().map_or_else(Recorder::new, Recorder::continuing);
        Session { recorder, prior, ..Session::new(meta, tab) }
    }

    /// Its steps and edits.
    pub fn recording(&self) -> Recording {
        self.recorder.with_edits(self.prior.as_ref())
    }

    /// Folds one entry, new or read again.
    pub fn fold(&mut self, entry: &Entry) -> Vec<Notice> {
        self.next += 1;
        match entry {
            Entry::Tab { tab, change: TabChange::Opened, .. } => {
                let tab = Tab::new(*tab);
                if !self.tabs.contains(&tab) {
                    self.tabs.push(tab);
                }
            }
            Entry::Tab { tab, change: TabChange::Activated, .. } => self.current = Tab::new(*tab),
            Entry::Tab { tab, change: TabChange::Closed, .. } => {
                let tab = Tab::new(*tab);
                self.tabs.retain(|open| *open != tab);
                if self.current == tab
                    && let Some(last) = self.tabs.last()
                {
                    self.current = *last;
                }
            }
            Entry::Batch(batch) => {
                self.batches.insert(batch.doc.clone(), batch.seq.saturating_add(1));
                self.skim(batch);
            }
            Entry::Document(document) => {
                if let Some(viewport) = document.viewport {
                    self.widths.insert(document.doc.clone(), viewport.width);
                    if document.top && self.meta.header.viewport.is_none() {
                        self.meta.header.viewport = Some(viewport);
                    }
                }
            }
            Entry::Navigation(navigation) if navigation.top && navigation.url != "about:blank" => {
                let tab = Tab::new(navigation.tab);
                *self.navigations.entry(tab).or_default() += 1;
                self.visited.entry(tab).or_default().push(navigation.url.clone());
            }
            Entry::Shot { blob, .. } => {
                self.blobs.insert(blob.clone());
            }
            Entry::ActionBegin { call, .. } => self.calls = self.calls.max(*call),
            Entry::Perturbation(event) => self.note_perturbation(event),
            Entry::Edit(made) => {
                if let EditOp::Segment { number, after, replaces, .. } = &made.op {
                    let reopened = self.recorder.ended();
                    self.reopened |= reopened;
                    self.paused_before = self.recorder.paused();
                    let (after, replaces) = (after.clone(), replaces.clone());
                    self.piece = Some(Piece { number: *number, after, replaces, reopened });
                }
            }
            Entry::SegmentEnd { .. } | Entry::End { .. } => self.piece = None,
            _ => {}
        }
        self.recorder.feed(entry)
    }

    fn note_perturbation(&mut self, event: &PerturbationEvent) {
        let number = |name| event.effect.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok());
        match (event.operator, event.phase) {
            (Operator::SessionPopup, PerturbationPhase::Dismissed) => {
                // The boundaries that passed under it are not drawn afterwards; the one after its answer is.
                let reached = self.reached(self.current).unwrap_or(0);
                self.boundary = self.boundary.max(reached.saturating_sub(1));
            }
            (Operator::SessionPopup, phase) => {
                if phase == PerturbationPhase::Shown {
                    self.popup_keys.insert(event.id.clone(), event.key.clone());
                }
                let at = number("reached").or_else(|| number("boundary")).unwrap_or(0);
                self.boundary = self.boundary.max(at);
            }
            (operator, _) => {
                if let Some(doc) = event.effect.get("doc").and_then(serde_json::Value::as_str) {
                    self.changed_looks.insert((doc.to_owned(), operator));
                }
                let nth = event.id.rsplit('-').next().and_then(|nth| nth.parse().ok());
                self.looks = self.looks.max(nth.unwrap_or(0));
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.note(event);
        }
    }

    /// What the hub itself needs of a batch; a torn one is the recorder's to complain of.
    fn skim(&mut self, batch: &Batch) {
        for op in op::decode(batch.t0, &batch.strings, &batch.ops).flatten() {
            match op {
                Op::Viewport { width, .. } => {
                    self.widths.insert(batch.doc.clone(), f64::from(width));
                }
                Op::Value { secret: true, .. } => {
                    self.secret_docs.insert(batch.doc.clone());
                }
                Op::Box { id, .. } if self.journal.is_some() => {
                    self.boxed.entry(batch.doc.clone()).or_default().insert(id);
                }
                Op::Reset => {
                    self.boxed.remove(&batch.doc);
                }
                _ => {}
            }
        }
    }

    /// The width of a tab's viewport, CSS px.
    pub fn top_width(&self, tab: Tab) -> Option<f64> {
        let mirror = self.recorder.mirror();
        self.widths.get(mirror.token(mirror.top(tab.id())?)).copied()
    }

    /// The names under which what is secret may be sent, as far as the pages' fields tell.
    pub fn learned(&mut self) -> (Vec<String>, Vec<String>) {
        let mirror = self.recorder.mirror();
        mirror.secret_names().iter().for_each(|name| self.discretion.learn(name));
        mirror.hidden_names().iter().for_each(|name| self.discretion.learn_hidden(name));
        self.discretion.learned()
    }

    /// The next entry gets this number, whatever was folded.
    pub fn continue_at(&mut self, next: u64) {
        self.next = next;
    }

    /// In brief.
    pub fn summary(&self) -> Summary {
        summary(&self.meta)
    }
}

/// A stored session in brief.
pub fn summary(meta: &SessionMeta) -> Summary {
    Summary {
        session: meta.header.id.clone(),
        title: meta.header.title.clone(),
        url: meta.header.url.clone(),
        role: meta.header.role,
        started_ms: meta.header.started_ms,
        ended_ms: meta.header.ended_ms,
        steps: meta.steps,
        live: meta.live,
    }
}

/// The live session that a tab belongs to.
pub fn of_tab(tab: Tab) -> Option<String> {
    hub::with(|hub| hub.sessions.iter().find(|(_, s)| s.tabs.contains(&tab)).map(|(id, _)| id.clone()))
}

/// The live session of that name, or the newest.
pub fn named(id: Option<&str>) -> Result<String, Trouble> {
    hub::with(|hub| match id {
        Some(id) if hub.sessions.contains_key(id) => Ok(id.to_owned()),
        Some(id) => Err(Trouble::NoSession(format!(" under the name {id:?}"))),
        None => hub
            .sessions
            .values()
            .max_by(|a, b| a.meta.header.started_ms.total_cmp(&b.meta.header.started_ms))
            .map(|s| s.meta.header.id.clone())
            .ok_or_else(|| Trouble::NoSession(String::new())),
    })
}

/// Appends to a session's log.
pub fn log(id: &str, entry: Entry) {
    log_and_ack(id, entry, None);
}

/// Appends to a session's log, and acknowledges a batch once that is stored.
pub fn log_and_ack(id: &str, mut entry: Entry, ack: Option<(u32, u32)>) {
    hub::session(id, |s| {
        if matches!(entry, Entry::Navigation(_) | Entry::Document(_)) {
            s.learned();
        }
        s.discretion.apply(&mut entry);
    });
    let record = match Record::of(&entry) {
        Ok(record) => record,
        Err(why) => return hub::problem(&format!("an event could not be written down ({why})")),
    };
    let folded = hub::session(id, |s| {
        let number = s.next;
        let notices = s.fold(&entry);
        if s.prior.is_none() && s.recorder.edits().is_empty() {
            s.meta.steps = u32::try_from(s.recorder.steps().len()).unwrap_or(u32::MAX);
        } else if matches!(entry, Entry::Edit(_) | Entry::SegmentEnd { .. } | Entry::End { .. }) {
            let recording = s.recording();
            edit::tell(&mut s.meta, &recording);
        }
        (number, notices)
    });
    let Some((number, notices)) = folded else { return };
    writer::entry(id.to_owned(), number, record, ack);
    for notice in notices {
        react(id, notice);
    }
    if let Entry::Document(document) = &entry
        && hub::session(id, |s| s.recorder.paused()) == Some(true)
        && let Some(port) = frames::of_doc(&document.doc)
    {
        hub::spawn(async move {
            let _: Result<serde_json::Value, _> = frames::ask(port, Ask::Pause, 3000.0).await;
            Ok(())
        });
    }
}

fn react(id: &str, notice: Notice) {
    match notice {
        Notice::Step(seq) => {
            screens::bind(id, seq);
            hub::session(id, |s| {
                if !s.changed_steps.contains(&seq) {
                    s.changed_steps.push(seq);
                }
            });
            panel::changed();
        }
        Notice::NeedsSettle { tab, since } => {
            network::watch(Tab::new(tab));
            settle::action(id, Tab::new(tab), since);
            dialogs::probe(id, Tab::new(tab));
        }
        Notice::Activity { tab, t } => settle::touched(id, Tab::new(tab), t),
        Notice::Loaded { tab, .. } => settle::loaded(id, Tab::new(tab)),
        Notice::Coverage(_) => panel::changed(),
        Notice::Measured { .. } | Notice::FrameLinked | Notice::PopupDismissed { .. } => {}
    }
}

/// Begins a session in a new tab, an empty one, or the one named.
pub async fn start(how: Start) -> Result<Started, Trouble> {
    let store = hub::store()?;
    if let Some(settings) = &how.perturb {
        settings.validate().map_err(|e| Trouble::said(e.to_string()))?;
    }
    how.capture.validate().map_err(Trouble::Said)?;
    let info = match (how.tab, &how.url) {
        (Some(id), _) => tabs::get(Tab::new(id)).await?,
        (None, Some(_)) => match tabs::all().await?.into_iter().find(tabs::Info::is_blank) {
            Some(blank) => blank,
            None => tabs::create("about:blank", None).await?,
        },
        (None, None) => return Err(Trouble::said("name an address or a tab to record")),
    };
    let tab = info.tab().ok_or_else(|| Trouble::said("that tab cannot be recorded: open another"))?;
    if of_tab(tab).is_some() {
        return Err(Trouble::said("that tab is being recorded already: stop that session first"));
    }
    let url = how.url.clone().unwrap_or_else(|| info.url.clone());
    recordable(&url)?;
    for selector in &how.mask {
        tracerule::mirror::check_selector(selector)
            .map_err(|why| Trouble::said(format!("{why}: nothing could be masked by it")))?;
    }
    let secret_salt = match how.secret_salt {
        Some(salt) if salt.len() >= 16 && salt.len() % 2 == 0 && salt.bytes().all(|b| b.is_ascii_hexdigit()) => salt,
        Some(salt) => return Err(Trouble::said(format!("{salt:?} is no salt: 16 or more hexadecimal digits are"))),
        None => storage::salt().await?,
    };
    let mut clean = url.clone();
    Discretion::default().clean(&mut clean);
    let header = Header {
        format: trace::FORMAT.to_owned(),
        version: trace::VERSION,
        id: new_id(),
        role: how.role.unwrap_or(Role::Reference),
        title: how.title,
        url: clean,
        started_ms: now(),
        ended_ms: None,
        recorder: RecorderInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            via: "extension".to_owned(),
            browser: runtime::browser(),
        },
        viewport: None,
        perturb: how.perturb,
        task: how.task,
        run: how.run,
        secret_salt: Some(secret_salt),
        mask: how.mask,
        assertions: how.assertions,
        ending: None,
        capture: how.capture,
        edited: None,
        extra: Default::default(),
    };
    let id = header.id.clone();
    let meta = SessionMeta { header, live: true, steps: 0, imported: false };
    store.put_session(&meta).await?;
    hub::with(|hub| {
        let mut session = Session::new(meta, tab);
        session.granted = how.grant;
        session.watching = how.watch;
        hub.sessions.insert(id.clone(), session);
    });
    if let Err(trouble) = begin(&id, tab, how.url.as_deref(), &url).await {
        // Nothing would ever stop what nobody was told of.
        end(&id, None).await;
        return Err(trouble);
    }
    settle::loaded(&id, tab);
    writer::stored().await;
    panel::changed();
    Ok(Started { session: id, tab: tab.id() })
}

/// Brings the sensor into the tab. `go` is the address to open first, if any, `url` the one the session begins at.
async fn begin(id: &str, tab: Tab, go: Option<&str>, url: &str) -> Result<(), Trouble> {
    log(id, Entry::Tab { t: now(), tab: tab.id(), change: TabChange::Opened, opener: None, url: url.to_owned() });
    remembered::keep();
    arming::arm().await?;
    network::watch(tab);
    trusted::watch(id, tab).await;
    match go {
        Some(go) => {
            navigation::expect(tab, Cause::Channel);
            let since = now();
            tabs::navigate(tab, go).await?;
            reached(id, tab, go, since).await?;
        }
        None => {
            arming::reach(id, tab).await?;
            arming::check_frames(id.to_owned(), tab);
        }
    }
    Ok(())
}

/// The first page gets so long to be answered, ms.
const FIRST_ANSWER_MS: f64 = 30_000.0;

/// Waits until the browser shows the session's first page, or says why it cannot.
async fn reached(id: &str, tab: Tab, url: &str, since: f64) -> Result<(), Trouble> {
    let unreachable = |why: String| Trouble::Unreachable { url: url.to_owned(), why };
    let arrived = || hub::session(id, |s| s.navigations.get(&tab).is_some_and(|n| *n > 0)) != Some(false);
    loop {
        if let Some(why) = navigation::failure(tab, since) {
            return Err(unreachable(why));
        }
        // A page without anything in it is told by no navigation that counts.
        if url == "about:blank" || arrived() {
            return Ok(());
        }
        if now() - since > FIRST_ANSWER_MS {
            return Err(unreachable(format!("nothing answered within {} s", FIRST_ANSWER_MS / 1000.0)));
        }
        hub::sleep(25.0).await;
    }
}

/// Says at once, and not in a frame's silence, that a page is closed to extensions.
pub fn recordable(url: &str) -> Result<(), Trouble> {
    if !arming::is_closed(url) {
        return Ok(());
    }
    Err(Trouble::said(format!(
        "the browser keeps extensions out of {url}: open the page you want to record, and start again there"
    )))
}

fn new_id() -> String {
    let stamp: String = String::from(js_sys::Date::new_0().to_iso_string());
    let stamp: String = stamp.chars().take(19).filter(char::is_ascii_alphanumeric).collect();
    let random = (js_sys::Math::random() * 36f64.powi(6)) as u64;
    let digit = |n: u64| char::from_digit((n % 36) as u32, 36).unwrap_or('0');
    let tail: String = (0..6).map(|place| digit(random / 36u64.pow(place))).collect();
    format!("{}-{tail}", stamp.replace('T', "-"))
}

/// A tab joins a session.
pub fn add_tab(id: &str, tab: Tab, opener: Option<Tab>, url: &str) {
    if of_tab(tab).is_some() {
        return;
    }
    let opener = opener.map(Tab::id);
    log(id, Entry::Tab { t: now(), tab: tab.id(), change: TabChange::Opened, opener, url: url.to_owned() });
    remembered::keep();
    network::watch(tab);
    let session = id.to_owned();
    hub::spawn(async move {
        trusted::watch(&session, tab).await;
        Ok(())
    });
    // The browser may have told that it came to the front before it was known to be ours.
    if hub::with(|hub| hub.front == Some(tab)) {
        activated(tab);
    }
}

/// A tab that a person opened beside one of ours joins its session once it shows a page that can be recorded.
pub fn join_beside(tab: Tab, url: &str) {
    let Some(opener) = hub::with(|hub| hub.beside.get(&tab).copied()) else { return };
    if url == "about:blank" || recordable(url).is_err() {
        return;
    }
    hub::with(|hub| hub.beside.remove(&tab));
    if let Some(id) = of_tab(opener) {
        add_tab(&id, tab, None, url);
    }
}

/// A tab that one of ours opened joins its session.
pub async fn adopt_if_opened(tab: Tab) {
    for _ in 0..5 {
        if of_tab(tab).is_some() {
            return;
        }
        let Ok(info) = tabs::get(tab).await else { return };
        join_beside(tab, &info.url);
        let beside = hub::with(|hub| hub.beside.contains_key(&tab));
        if let Some(opener) = info.opener_tab_id.map(Tab::new).filter(|_| !beside)
            && let Some(session) = of_tab(opener)
        {
            return add_tab(&session, tab, Some(opener), &info.url);
        }
        hub::sleep(60.0).await;
    }
}

/// A tab came to the front.
pub fn activated(tab: Tab) {
    hub::with(|hub| hub.front = Some(tab));
    let Some(id) = of_tab(tab) else { return };
    let changed = hub::session(&id, |s| s.current != tab);
    if changed == Some(true) {
        log(
            &id,
            Entry::Tab { t: now(), tab: tab.id(), change: TabChange::Activated, opener: None, url: String::new() },
        );
        remembered::keep();
    }
}

/// The process of a tab died.
pub fn crashed(tab: Tab) {
    let Some(id) = of_tab(tab) else { return };
    if hub::with(|hub| hub.crashed.insert(tab)) {
        dialogs::forget(tab);
        let (t, tab) = (now(), tab.id());
        log(&id, Entry::Tab { t, tab, change: TabChange::Crashed, opener: None, url: String::new() });
    }
}

/// A tab is closed. What its page still had to say may be on its way, so the entry waits a moment.
pub fn closed(tab: Tab) {
    let Some(id) = of_tab(tab) else { return };
    let t = now();
    hub::spawn(async move {
        for _ in 0..10 {
            hub::sleep(100.0).await;
            if !hub::with(|hub| hub.frames.values().any(|frame| frame.tab == tab)) {
                break;
            }
        }
        settle::give_up(tab);
        trusted::forget(tab);
        network::forget(tab);
        navigation::left_unreached(&id, tab, t);
        log(&id, Entry::Tab { t, tab: tab.id(), change: TabChange::Closed, opener: None, url: String::new() });
        remembered::keep();
        hub::with(|hub| {
            hub.histories.remove(&tab);
            hub.redirects.remove(&tab);
            hub.crashed.remove(&tab);
        });
        if hub::session(&id, |s| s.tabs.is_empty() && !s.ending) == Some(true) {
            end(&id, None).await;
        }
        Ok(())
    });
}

/// Ends a session as asked: waits until its tabs are quiet, evaluates what must hold, stores the end.
pub async fn stop(id: &str, ending: Option<Ending>) -> Result<Summary, Trouble> {
    let ending_already = hub::session(id, |s| std::mem::replace(&mut s.ending, true));
    match ending_already {
        None => return Err(Trouble::NoSession(format!(" under the name {id:?}"))),
        Some(true) => return Err(Trouble::said("that session is ending already: wait for its end")),
        Some(false) => {}
    }
    let open = hub::session(id, |s| s.tabs.clone()).unwrap_or_default();
    returned(&open).await;
    let rest = open.into_iter().map(|tab| async move {
        // What the sensors still hold comes before their answers.
        frames::ask_all::<serde_json::Value>(tab, &Ask::Frames, 1000.0).await;
        settle::quiet(id, tab, now()).await;
    });
    futures_util::future::join_all(rest).await;
    if hub::session(id, |s| s.reopened) == Some(false) {
        // A piece recorded afterwards does not end where the goal is.
        assertions::evaluate(id);
    }
    end(id, ending).await.ok_or_else(|| Trouble::NoSession(format!(" under the name {id:?}")))
}

/// Waits for the sensors that a worker's death cut off: they come back within their longest pause, with what they hold.
async fn returned(tabs: &[Tab]) {
    const PAUSE_MS: f64 = 2500.0;
    const YOUNG_MS: f64 = 10_000.0;
    let born = hub::with(|hub| hub.born);
    let end = f64::min(now(), born + YOUNG_MS) + PAUSE_MS;
    while now() - born < YOUNG_MS && now() < end && tabs.iter().any(|tab| frames::of_tab(*tab).is_empty()) {
        hub::sleep(50.0).await;
    }
}

/// Stores the end and lets go of the tabs. The session stays in the store.
pub async fn end(id: &str, ending: Option<Ending>) -> Option<Summary> {
    let t = now();
    let tabs = hub::session(id, |s| {
        s.ending = true;
        s.tabs.clone()
    })?;
    screens::finish(id).await;
    log(id, Entry::End { t, ending: ending.clone() });
    writer::stored().await;
    if let Some(from) = writer::loose(id) {
        writer::compact(id.to_owned(), from);
    }
    frames::dismiss_all(id);
    // Last: input has requests looked at until the session is gone.
    tabs.iter().for_each(|tab| network::forget(*tab));
    let meta = hub::with(|hub| {
        let mut session = hub.sessions.remove(id)?;
        hub.watches.retain(|tab, _| !tabs.contains(tab));
        session.meta.live = false;
        if !session.reopened {
            session.meta.header.ended_ms = Some(t);
            session.meta.header.ending = ending;
        }
        if session.meta.header.title.is_empty() {
            session.meta.header.title = session.first_title();
        }
        Some((session.meta, session.changed_steps, session.recorder))
    })?;
    let (meta, changed, recorder) = meta;
    for seq in changed {
        if let Some(step) = recorder.steps().get(seq as usize) {
            relay::step(id, step);
        }
    }
    trusted::release(&tabs).await;
    match hub::store() {
        Ok(store) => {
            if let Err(error) = store.put_session(&meta).await {
                hub::problem(&error);
            }
            let masked = |made: &tracerule::edit::Edit| matches!(made.op, EditOp::Mask { .. });
            if recorder.edits().iter().any(masked)
                && let Err(error) = store.scrub(id).await
            {
                hub::problem(&error);
            }
        }
        Err(trouble) => hub::problem(&trouble),
    }
    remembered::keep();
    if let Err(trouble) = arming::disarm().await {
        hub::problem(&trouble);
    }
    relay::ended(id);
    panel::changed();
    Some(summary(&meta))
}

impl Session {
    /// The title of the page it began in, or its address.
    pub fn first_title(&self) -> String {
        let mirror = self.recorder.mirror();
        let tab = self.tabs.first().copied().unwrap_or(self.current);
        let title = mirror.top(tab.id()).map(|doc| mirror.title(doc)).unwrap_or_default();
        if title.trim().is_empty() { self.meta.header.url.clone() } else { title }
    }
}

/// Stores a live session's summary as it is now.
pub async fn save(id: &str) -> Result<(), Trouble> {
    match hub::session(id, |s| s.meta.clone()) {
        Some(meta) => Ok(hub::store()?.put_session(&meta).await?),
        None => Ok(()),
    }
}

/// Pauses or resumes.
pub fn pause(id: &str, pause: bool) {
    let t = now();
    if hub::session(id, |s| s.recorder.paused()) != Some(pause) {
        log(id, if pause { Entry::Pause { t } } else { Entry::Resume { t } });
        tell_frames(id, pause);
    }
    panel::changed();
}

/// Tells a session's frames to be silent, or no longer.
pub fn tell_frames(id: &str, pause: bool) {
    for tab in hub::session(id, |s| s.tabs.clone()).unwrap_or_default() {
        hub::spawn(async move {
            let ask = if pause { Ask::Pause } else { Ask::Resume };
            // A frame that goes away meanwhile tells of nothing anyway.
            frames::ask_all::<serde_json::Value>(tab, &ask, 3000.0).await;
            Ok(())
        });
    }
}
