//! `tracerule replay`: does a recording again, through the agents' channel.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine as _;
use serde_json::Value;
use tracerule::action::Action;
use tracerule::trace::{
    Button, DialogKind, Ending, EndingStatus, FailureCode, Locator, Point, Role, Step, Target, archive,
};
use tracerule::wire::agent::{Act, Answer, Failure, FileContent, From, Recorded, Start, Verb};

use super::block_on;
use super::steps::line;
use crate::browser::BrowserArgs;
use crate::error::{CliError, JUDGED};
use crate::export;
use crate::relay::Hub;
use crate::signals::Interrupts;
use crate::stage::Stage;
use crate::weburl;

/// Do a recording again: each step through the channel that agents use.
///
/// A step's target is found by its best locator that tells one element from all others, and waited for. Answers to
/// perturbations are left out. Exits with 1 when a step failed.
///
/// With --json one JSON object a line for each step: seq, what, outcome (done, failed, left_out, cannot), locator (the
/// one that found the target, and its rank from 0) and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracerule replay login.trace.zip --headless
  tracerule replay login.trace.zip --url http://localhost:3000/ --secret 'the password' --out again.trace.zip")]
pub struct Args {
    /// The recording.
    #[arg(value_name = "FILE.trace.zip")]
    trace: PathBuf,
    /// Begin at this page instead of the recording's own.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// What stood in a masked field; once for each such step, in order.
    #[arg(long, value_name = "VALUE")]
    secret: Vec<String>,
    /// A file that the recording uploads, found by its name; once for each.
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// So long may a target take to come and to become usable.
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0, value_parser = patience)]
    patience: f64,
    #[command(flatten)]
    browser: BrowserArgs,
    /// One JSON object a line for each step.
    #[arg(long)]
    json: bool,
    /// Save the replay's own trace here.
    #[arg(long, short, value_name = "FILE.trace.zip")]
    out: Option<PathBuf>,
}

/// Seconds that a step may be waited for.
fn patience(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text} is no number of seconds"))?;
    if (0.0..=300.0).contains(&seconds) { Ok(seconds) } else { Err("from 0 to 300 seconds".to_owned()) }
}

/// Runs the command.
///
/// # Errors
/// See the program's exit codes.
pub fn run(args: Args) -> Result<ExitCode, CliError> {
    let name = args.trace.display();
    let bytes = std::fs::read(&args.trace).map_err(|e| CliError::usage(format!("{name}: {e}")))?;
    let (trace, warnings) = archive::read_zip(&bytes).map_err(|e| CliError::usage(format!("{name}: {e}")))?;
    for warning in warnings {
        eprintln!("warning: {name}: {warning}");
    }
    let url = weburl::parse(args.url.as_deref().unwrap_or(&trace.header.url))?;
    if let Some(out) = &args.out {
        export::check_writable(out)?;
    }
    let plan = plan(trace.steps(), &args, &trace.header.url, url.as_str())?;
    let title = trace.header.title.clone();
    let mut mask = trace.header.mask.clone();
    mask.extend(args.browser.mask.iter().filter(|one| !mask.contains(one)).cloned().collect::<Vec<_>>());
    let start = Start {
        url: Some(url.to_string()),
        role: Some(Role::Run),
        title,
        mask,
        capture: args.browser.capture.over(&trace.header.capture),
        secret_salt: trace.header.secret_salt.clone(),
        grant: true,
        ..Start::default()
    };
    block_on(async move {
        let interrupts = Interrupts::listen()?;
        let mut stage = Stage::open(&args.browser, 0, &interrupts).await?;
        let outcome = replay(&mut stage, &args, &url, &start, &plan, &interrupts).await;
        match outcome {
            Ok(code) => {
                stage.close().await;
                Ok(code)
            }
            Err(error) => {
                stage.browser.end().await;
                Err(error)
            }
        }
    })
}

/// What a step becomes.
#[derive(Debug, PartialEq)]
enum Plan {
    /// A verb, and what the recording knows of its target.
    Do { seq: u32, what: String, verb: Box<Verb>, recorded: Option<Box<Recorded>> },
    /// Nothing, with the reason.
    Skip { seq: u32, what: String, why: &'static str },
    /// It cannot be done through the channel.
    Cannot { seq: u32, what: String, why: &'static str },
}

fn plan<'a>(
    steps: impl Iterator<Item = &'a Step>,
    args: &Args,
    recorded: &str,
    url: &str,
) -> Result<Vec<Plan>, CliError> {
    let files = args.file.iter().map(|path| content(path)).collect::<Result<Vec<_>, _>>()?;
    let mut secrets: VecDeque<&String> = args.secret.iter().collect();
    let mut scrolled: HashMap<String, Point> = HashMap::new();
    let mut all = Vec::new();
    for step in steps {
        let (seq, what) = (step.seq, line(step));
        if step.perturbation.is_some() {
            all.push(Plan::Skip { seq, what, why: "it answers a perturbation" });
            continue;
        }
        if seq == 0 && step.action == Action::Goto && step.value.as_deref() == Some(recorded) {
            all.push(Plan::Skip { seq, what, why: "the page is open already" });
            continue;
        }
        let secret = if step.secret && step.action == Action::Fill {
            let given = secrets.pop_front().ok_or_else(|| {
                CliError::usage(format!(
                    "step {seq} fills a secret that the trace does not hold; give it with --secret"
                ))
            })?;
            Some(given.clone())
        } else {
            None
        };
        all.push(match verb(step, secret, &files, &mut scrolled, recorded, url) {
            Ok(verb) => Plan::Do { seq, what, verb: Box::new(verb), recorded: known(step, args.patience) },
            Err(why) => Plan::Cannot { seq, what, why },
        });
    }
    Ok(all)
}

/// A file to be uploaded.
fn content(path: &Path) -> Result<FileContent, CliError> {
    let bytes = std::fs::read(path).map_err(|e| CliError::usage(format!("{}: {e}", path.display())))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mime = mime(&name).to_owned();
    Ok(FileContent { name, mime, data: base64::engine::general_purpose::STANDARD.encode(bytes) })
}

/// What browsers call a file of that name; pages look at it before they take one.
fn mime(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "json" => "application/json",
        "csv" => "text/csv",
        "txt" => "text/plain",
        "html" | "htm" => "text/html",
        "zip" => "application/zip",
        _ => "",
    }
}

/// The step's target by its best locator, frames before it.
fn target(step: &Step) -> Option<String> {
    located(step, step.target.as_ref()?)
}

fn located(step: &Step, target: &Target) -> Option<String> {
    let best = target.locators.first()?;
    Some(step.frame.iter().chain([&best.value]).map(String::as_str).collect::<Vec<_>>().join(" >> "))
}

/// All that the recording knows of it.
fn known(step: &Step, patience: f64) -> Option<Box<Recorded>> {
    let target = step.target.as_ref().filter(|target| !target.locators.is_empty())?;
    let (frame, target) = (step.frame.clone(), target.clone());
    Some(Box::new(Recorded { frame, target, patience_ms: patience * 1000.0 }))
}

fn verb(
    step: &Step,
    secret: Option<String>,
    files: &[FileContent],
    scrolled: &mut HashMap<String, Point>,
    recorded: &str,
    url: &str,
) -> Result<Verb, &'static str> {
    let value = secret.or_else(|| step.value.clone());
    let on = |make: &dyn Fn(String) -> Verb| target(step).map(make).ok_or("the step has no locator");
    let click = |button: Option<Button>, double: bool| {
        let count = step.count.filter(|count| *count > 2);
        let (modifiers, position) = (step.modifiers.clone(), place(step));
        on(&|target| Verb::Click { target, button, double, modifiers: modifiers.clone(), position, count })
    };
    let press = |key: &str| Verb::Press { key: key.to_owned(), target: target(step) };
    match step.action {
        Action::Click => click(step.button, false),
        Action::Dblclick => click(step.button, true),
        Action::Contextmenu => click(Some(Button::Right), false),
        Action::Hover => on(&|target| Verb::Hover { target }),
        Action::Fill => {
            let value = value.unwrap_or_default();
            on(&|target| Verb::Fill { target, value: value.clone(), submit: false, slowly: false })
        }
        Action::Paste => {
            let value = value.ok_or("the pasted text is not in the trace")?;
            on(&|target| Verb::Fill { target, value: value.clone(), submit: false, slowly: false })
        }
        Action::Press => Ok(press(step.key.as_deref().ok_or("the step has no key")?)),
        Action::Copy => Ok(press("Control+C")),
        Action::Cut => Ok(press("Control+X")),
        Action::Select => {
            let values = if step.values.is_empty() { value.into_iter().collect() } else { step.values.clone() };
            on(&|target| Verb::Select { target, values: values.clone() })
        }
        Action::Check => on(&|target| Verb::Check { target }),
        Action::Uncheck => on(&|target| Verb::Uncheck { target }),
        Action::Scroll => {
            let to = step.to.ok_or("the trace does not say where it scrolled to")?;
            let target = target(step);
            let key = format!("{} {}", step.url, target.as_deref().unwrap_or("page"));
            let from = scrolled.insert(key, to).unwrap_or_default();
            Ok(Verb::Scroll { target, dx: to.x - from.x, dy: to.y - from.y })
        }
        Action::Goto => {
            let address = value.ok_or("the step has no address")?;
            Ok(Verb::Goto { url: moved(&address, recorded, url) })
        }
        Action::Back => Ok(Verb::Back),
        Action::Forward => Ok(Verb::Forward),
        Action::Reload => Ok(Verb::Reload),
        Action::TabOpen => Ok(Verb::TabOpen { url: value.map(|address| moved(&address, recorded, url)) }),
        Action::TabSwitch => Ok(Verb::TabSwitch { index: step.tab }),
        Action::TabClose => Ok(Verb::TabClose { index: Some(step.tab) }),
        Action::Wait => Ok(Verb::Wait {
            time: Some((step.elapsed_ms / 1000.0).clamp(0.0, 60.0)),
            text: None,
            text_gone: None,
            shown: None,
        }),
        Action::Drag => {
            let to = step.to.ok_or("the trace does not say where it was released")?;
            // What it was released on may stand elsewhere by now.
            let sure = |target: &&Target| target.locators.first().is_some_and(|best| best.matches == 1);
            let onto = step.to_target.as_ref().filter(sure).and_then(|onto| located(step, onto));
            let to = if onto.is_some() { None } else { Some(to) };
            on(&|target| Verb::Drag {
                target,
                position: offset(step),
                onto: onto.clone(),
                to,
                modifiers: step.modifiers.clone(),
            })
        }
        Action::Upload => {
            let wanted = if step.values.is_empty() { value.into_iter().collect() } else { step.values.clone() };
            let content = |name: &String| files.iter().find(|file| file.name == *name).cloned();
            let files: Option<Vec<_>> = wanted.iter().map(content).collect();
            let files = files.ok_or("the trace holds no files' contents: give each with --file")?;
            on(&|target| Verb::Upload { target, files: files.clone() })
        }
        Action::Dialog => {
            let dialog = step.dialog.as_ref().ok_or("the trace does not say what was asked")?;
            let accept = dialog.accepted.ok_or("the trace does not say how it was answered")?;
            if dialog.kind == DialogKind::Beforeunload {
                return Err("an agent that leaves a page is not asked");
            }
            let text = value.filter(|_| dialog.kind == DialogKind::Prompt);
            Ok(Verb::Dialog { accept, text })
        }
    }
}

/// Where on its target a pointer step began, CSS px from the box's top left.
fn offset(step: &Step) -> Option<Point> {
    let target = step.target.as_ref()?;
    let (rect, pointer) = (target.rect?, target.pointer?);
    let at = Point { x: pointer.x - rect.x, y: pointer.y - rect.y };
    ((0.0..=rect.width).contains(&at.x) && (0.0..=rect.height).contains(&at.y)).then_some(at)
}

/// The same where the place matters: in pictures, and in what is no control and large.
fn place(step: &Step) -> Option<Point> {
    /// A thing of this size is hit anywhere with the same effect, CSS px.
    const SMALL: f64 = 64.0;
    const PICTURE: [&str; 14] = [
        "canvas", "img", "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
        "image", "use",
    ];
    let target = step.target.as_ref()?;
    let large = target.rect.is_some_and(|rect| rect.width > SMALL && rect.height > SMALL);
    let plain = ["generic", "none", "img", "application", "slider", ""].contains(&target.role.as_str());
    if PICTURE.contains(&target.tag.as_str()) || (plain && large) { offset(step) } else { None }
}

/// An address of the recording on the replay's server: same path, other origin.
fn moved(address: &str, recorded: &str, url: &str) -> String {
    let origin = |text: &str| url::Url::parse(text).ok().map(|url| url.origin().ascii_serialization());
    match (origin(recorded), origin(url)) {
        (Some(old), Some(new)) if old != new => match address.strip_prefix(&old) {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '?', '#']) => format!("{new}{rest}"),
            _ => address.to_owned(),
        },
        _ => address.to_owned(),
    }
}

async fn replay(
    stage: &mut Stage,
    args: &Args,
    url: &url::Url,
    start: &Start,
    plan: &[Plan],
    interrupts: &Interrupts,
) -> Result<ExitCode, CliError> {
    let started = stage.control.start(start).await;
    let started = started.map_err(|e| e.at_start("open", url))?;
    stage.remember(&started.session, args.out.as_deref())?;
    let hub = stage.relay.hub().clone();
    let done = tokio::select! {
        done = all(&hub, plan, args.json) => done,
        how = stage.browser.exited() => Err(CliError::failed(format!("the browser ended ({how})"))),
        () = interrupts.reached(1) => Err(CliError::failed("interrupted")),
    };
    let failed = *done.as_ref().unwrap_or(&1);
    if let Some(out) = &args.out {
        let status = if done.is_ok() { EndingStatus::Done } else { EndingStatus::Infra };
        let ending = Ending { status, reason: format!("replay of {}, {failed} steps failed", args.trace.display()) };
        let harvest = stage.harvest(&started.session, Some(ending), interrupts).await?;
        export::write_atomically(out, &harvest.bytes).map_err(|e| stage.lost(&e.message))?;
        eprintln!("Saved {}", out.display());
    }
    let failed = done?;
    let steps = plan.iter().filter(|plan| matches!(plan, Plan::Do { .. })).count();
    if !args.json {
        println!("{} of {} steps done again", steps.saturating_sub(failed), plan.len());
    }
    let cannot = plan.iter().any(|plan| matches!(plan, Plan::Cannot { .. }));
    Ok(if failed > 0 || cannot { ExitCode::from(JUDGED) } else { ExitCode::SUCCESS })
}

/// Does every step, also after one failed: what follows tells more than silence. Tells how many failed.
async fn all(hub: &Hub, plan: &[Plan], json: bool) -> Result<usize, CliError> {
    let from = From { client: "replay".to_owned(), control: false };
    let mut failed = 0;
    for plan in plan {
        let told = match plan {
            Plan::Skip { seq, what, why } => {
                Told { seq: *seq, what, outcome: "left_out", by: None, why: (*why).to_owned() }
            }
            Plan::Cannot { seq, what, why } => {
                Told { seq: *seq, what, outcome: "cannot", by: None, why: (*why).to_owned() }
            }
            Plan::Do { seq, what, verb, recorded } => {
                let (by, why) = one(hub, verb, recorded.as_deref(), &from).await?;
                failed += usize::from(why.is_some());
                let outcome = if why.is_some() { "failed" } else { "done" };
                Told { seq: *seq, what, outcome, by, why: why.unwrap_or_default() }
            }
        };
        println!("{}", if json { told.json().to_string() } else { told.line() });
    }
    Ok(failed)
}

/// What became of a step.
struct Told<'a> {
    seq: u32,
    what: &'a str,
    outcome: &'static str,
    /// The locator that found the target, and its rank.
    by: Option<(usize, &'a Locator)>,
    why: String,
}

impl Told<'_> {
    fn line(&self) -> String {
        let Told { seq, what, why, .. } = self;
        match (self.outcome, self.by) {
            ("left_out", _) => format!("{seq:>4}  left out  {what}: {why}"),
            ("cannot", _) => format!("{seq:>4}  CANNOT    {what}: {why}"),
            ("failed", _) => format!("{seq:>4}  FAILED    {what}: {why}"),
            // The best one is what everybody expects.
            (_, Some((1.., locator))) => format!("{seq:>4}  done      {what}, found by {}", locator.value),
            _ => format!("{seq:>4}  done      {what}"),
        }
    }

    fn json(&self) -> Value {
        let locator = self.by.map(|(rank, by)| serde_json::json!({"rank": rank, "kind": by.kind, "value": by.value}));
        let why = Some(&self.why).filter(|why| !why.is_empty());
        serde_json::json!({"seq": self.seq, "what": self.what, "outcome": self.outcome, "locator": locator, "why": why})
    }
}

/// Does one step; tells which locator found its target, and what went wrong.
async fn one<'a>(
    hub: &Hub,
    verb: &Verb,
    recorded: Option<&'a Recorded>,
    from: &From,
) -> Result<(Option<(usize, &'a Locator)>, Option<String>), CliError> {
    let act = Act {
        session: None,
        verb: verb.clone(),
        recorded: recorded.cloned().map(Box::new),
        element: None,
        reason: None,
        screenshot: false,
        no_snapshot: true,
        call: None,
    };
    let params = serde_json::to_value(act).unwrap_or(Value::Null);
    let answer = hub.request("act", params, from).await.map_err(|e| CliError::failed(e.to_string()))?;
    let answer: Answer = serde_json::from_value(answer)
        .map_err(|e| CliError::failed(format!("the extension's answer is unreadable: {e}")))?;
    let by = answer.locator.and_then(|rank| usize::try_from(rank).ok()).and_then(|rank| {
        let locator = recorded?.target.locators.get(rank)?;
        Some((rank, locator))
    });
    if answer.ok {
        return Ok((by, None));
    }
    let failure = answer
        .error
        .unwrap_or_else(|| Failure { code: FailureCode::Browser, message: "the extension did not say why".to_owned() });
    Ok((by, Some(failure.message)))
}

#[cfg(test)]
mod tests {
    use tracerule::trace::{LocatorKind, Rect};

    use super::*;

    #[test]
    fn the_locator_that_won_is_told() {
        let locator =
            Locator { kind: LocatorKind::Text, value: "text=\"Go\"".to_owned(), matches: 1, volatile: vec![] };
        let mut told =
            Told { seq: 3, what: "click button", outcome: "done", by: Some((2, &locator)), why: String::new() };
        assert_eq!(told.line(), "   3  done      click button, found by text=\"Go\"");
        let json = serde_json::json!({"seq": 3, "what": "click button", "outcome": "done",
            "locator": {"rank": 2, "kind": "text", "value": "text=\"Go\""}, "why": null});
        assert_eq!(told.json(), json);
        told.by = Some((0, &locator));
        assert_eq!(told.line(), "   3  done      click button");
        told = Told { outcome: "failed", by: None, why: "2 match".to_owned(), ..told };
        assert_eq!(told.line(), "   3  FAILED    click button: 2 match");
    }

    fn on(tag: &str, role: &str, rect: Option<Rect>, pointer: Point) -> Step {
        let locator = serde_json::json!({"kind": "css", "value": "css=#it", "matches": 1, "volatile": []});
        let step = serde_json::json!({
            "seq": 0, "t_ms": 0.0, "elapsed_ms": 0.0, "action": "click", "url": "", "frame": [], "tab": 0, "pre": {}, "post": {},
            "outcome": {"status": "ok"}, "trusted": true, "actor": "human",
            "target": {"role": role, "name": "", "tag": tag, "locators": [locator], "dom_path": "", "box": rect, "pointer": pointer},
        });
        serde_json::from_value(step).unwrap()
    }

    #[test]
    fn the_place_of_a_click_matters_in_pictures_and_wide_spaces() {
        let (wide, small) = (
            Rect { x: 10.0, y: 20.0, width: 300.0, height: 200.0 },
            Rect { x: 10.0, y: 20.0, width: 30.0, height: 20.0 },
        );
        let at = Point { x: 15.0, y: 30.0 };
        let inside = Some(Point { x: 5.0, y: 10.0 });
        assert_eq!(place(&on("canvas", "generic", Some(small), at)), inside);
        assert_eq!(place(&on("div", "generic", Some(wide), at)), inside);
        assert_eq!(place(&on("div", "generic", Some(small), at)), None);
        assert_eq!(place(&on("button", "button", Some(wide), at)), None);
        assert_eq!(place(&on("canvas", "generic", None, at)), None);
        assert_eq!(place(&on("canvas", "generic", Some(small), Point { x: 500.0, y: 30.0 })), None);
    }

    #[test]
    fn what_a_recording_uploads_must_be_given() {
        let file = FileContent { name: "a.png".into(), mime: mime("a.PNG").into(), data: String::new() };
        let mut step = on("input", "button", None, Point::default());
        step.action = Action::Upload;
        step.values = vec!["a.png".into()];
        let done = verb(&step, None, std::slice::from_ref(&file), &mut HashMap::new(), "", "").unwrap();
        assert_eq!(done, Verb::Upload { target: "css=#it".into(), files: vec![file] });
        assert!(verb(&step, None, &[], &mut HashMap::new(), "", "").unwrap_err().contains("--file"));
    }

    #[test]
    fn addresses_move_to_the_replays_server() {
        let (old, new) = ("http://127.0.0.1:1/a", "http://127.0.0.1:2/b");
        assert_eq!(moved("http://127.0.0.1:1/x?y#z", old, new), "http://127.0.0.1:2/x?y#z");
        assert_eq!(moved("http://127.0.0.1:10/x", old, new), "http://127.0.0.1:10/x");
        assert_eq!(moved("https://other.example/", old, new), "https://other.example/");
        assert_eq!(moved("http://127.0.0.1:1/x", old, old), "http://127.0.0.1:1/x");
    }
}
