//! Steps, verdicts and reasons in sentences, in the languages of the report.

use super::model::{AnomalyKind, ReasonCode};
use super::view::{Aim, View};
use crate::action::Action;
use crate::trace::{Assertion, AssertionKind, LocatorKind, Outcome, Target};

/// A language of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    ZhCn,
}

impl Lang {
    /// The language for a BCP 47 tag; English for those that are not spoken here.
    pub fn from_tag(tag: &str) -> Lang {
        let tag = tag.to_ascii_lowercase().replace('_', "-");
        if tag == "zh" || tag.starts_with("zh-") { Lang::ZhCn } else { Lang::En }
    }

    /// Its BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::ZhCn => "zh-CN",
        }
    }

    fn pick<'a>(self, en: &'a str, zh: &'a str) -> &'a str {
        match self {
            Lang::En => en,
            Lang::ZhCn => zh,
        }
    }
}

/// Both languages quote with the same marks.
fn quote(text: &str) -> String {
    format!("“{}”", clip(text))
}

/// Long texts are cut: a sentence is for reading.
fn clip(text: &str) -> String {
    const LONGEST: usize = 120;
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.chars().count() <= LONGEST {
        return folded;
    }
    folded.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// An element in words: role and name, else what is known of it.
pub(crate) fn target(target: &Target) -> String {
    let role = if target.role.is_empty() || target.role == "generic" { &target.tag } else { &target.role };
    if !target.name.is_empty() {
        return format!("{} {}", role, quote(&target.name));
    }
    match target.locators.iter().find(|locator| locator.kind != LocatorKind::Role) {
        Some(locator) => format!("{role} {}", quote(&locator.value)),
        None => role.clone(),
    }
}

fn aim(aim: Aim<'_>) -> String {
    match aim {
        Aim::Untold => String::new(),
        Aim::Named(name) => quote(name),
        Aim::Element { target: element, .. } => target(element),
    }
}

/// A step in words, as `fill textbox “Name” with “Ada”`.
pub(crate) fn step(lang: Lang, view: &View<'_>) -> String {
    let on = aim(view.aim);
    let value = if view.secret {
        lang.pick("a secret", "（已屏蔽）").to_owned()
    } else {
        view.value.map(quote).unwrap_or_default()
    };
    let key = view.key.map(clip).unwrap_or_default();
    let zh = lang == Lang::ZhCn;
    let words: Vec<&str> = match view.known {
        None => vec![view.action, &on, &value, &key],
        Some(action) => {
            let verb = verb(lang, action);
            match action {
                Action::Fill | Action::Paste if !value.is_empty() && !zh => vec![verb, &on, "with", &value],
                Action::Fill | Action::Paste if !value.is_empty() => vec!["在", &on, verb, &value],
                Action::Select | Action::Upload if !value.is_empty() && !zh => vec![verb, &value, "in", &on],
                Action::Select | Action::Upload if !value.is_empty() => vec!["在", &on, verb, &value],
                Action::Press if !on.is_empty() && !zh => vec![verb, &key, "in", &on],
                Action::Press if !on.is_empty() => vec!["在", &on, verb, &key],
                Action::Press => vec![verb, &key],
                _ => vec![verb, &on, &value],
            }
        }
    };
    // A preposition without its noun is dropped with it.
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let dangling = (*word == "in" || *word == "在") && words.get(at + 1).is_none_or(|next| next.is_empty());
        if word.is_empty() || dangling {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn verb(lang: Lang, action: Action) -> &'static str {
    let (en, zh) = match action {
        Action::Click => ("click", "点击"),
        Action::Dblclick => ("double-click", "双击"),
        Action::Contextmenu => ("right-click", "右键点击"),
        Action::Hover => ("point at", "悬停于"),
        Action::Drag => ("drag", "拖动"),
        Action::Fill => ("fill", "填写"),
        Action::Press => ("press", "按下"),
        Action::Select => ("select", "选择"),
        Action::Check => ("check", "勾选"),
        Action::Uncheck => ("uncheck", "取消勾选"),
        Action::Scroll => ("scroll", "滚动"),
        Action::Upload => ("upload", "上传"),
        Action::Copy => ("copy from", "复制"),
        Action::Cut => ("cut from", "剪切"),
        Action::Paste => ("paste into", "粘贴"),
        Action::Goto => ("go to", "前往"),
        Action::Back => ("go back", "后退"),
        Action::Forward => ("go forward", "前进"),
        Action::Reload => ("reload", "重新加载"),
        Action::TabOpen => ("open a tab", "打开标签页"),
        Action::TabSwitch => ("switch tabs", "切换标签页"),
        Action::TabClose => ("close the tab", "关闭标签页"),
        Action::Dialog => ("answer the dialog", "回应对话框"),
        Action::Wait => ("wait", "等待"),
    };
    lang.pick(en, zh)
}

/// An assertion in words, as `the text of status “Saved” is “Order 1042 saved”`.
pub fn assertion(lang: Lang, assertion: &Assertion) -> String {
    let on = assertion.target.as_ref().map(target).unwrap_or_default();
    let expected = quote(&assertion.expected);
    let yes = assertion.expected != "false";
    match (lang, assertion.kind) {
        (Lang::En, AssertionKind::Text) => format!("the text of {on} is {expected}"),
        (Lang::En, AssertionKind::Value) => format!("the value of {on} is {expected}"),
        (Lang::En, AssertionKind::Visible) => format!("{on} is {}", if yes { "visible" } else { "not visible" }),
        (Lang::En, AssertionKind::Checked) => format!("{on} is {}", if yes { "checked" } else { "not checked" }),
        (Lang::En, AssertionKind::Count) => format!("there are {} of {on}", clip(&assertion.expected)),
        (Lang::En, AssertionKind::Url) => format!("the address is {expected}"),
        (Lang::ZhCn, AssertionKind::Text) => format!("{on} 的文本为 {expected}"),
        (Lang::ZhCn, AssertionKind::Value) => format!("{on} 的值为 {expected}"),
        (Lang::ZhCn, AssertionKind::Visible) => format!("{on} {}", if yes { "可见" } else { "不可见" }),
        (Lang::ZhCn, AssertionKind::Checked) => format!("{on} {}", if yes { "已勾选" } else { "未勾选" }),
        (Lang::ZhCn, AssertionKind::Count) => format!("{on} 的数量为 {}", clip(&assertion.expected)),
        (Lang::ZhCn, AssertionKind::Url) => format!("地址为 {expected}"),
    }
}

/// Why the path was left, in a sentence. `run` and `reference` are the steps it is about.
pub(crate) fn anomaly(
    lang: Lang,
    kind: AnomalyKind,
    run: Option<(u32, &View<'_>)>,
    reference: Option<(u32, &View<'_>)>,
) -> String {
    let told = |side: Option<(u32, &View<'_>)>| match side {
        Some((number, view)) => (number.to_string(), step(lang, view)),
        None => (String::new(), String::new()),
    };
    let ((n, did), (r, wanted)) = (told(run), told(reference));
    let why = match run.and_then(|(_, view)| view.step).map(|step| &step.outcome) {
        Some(Outcome::Error { message, .. }) if !message.is_empty() => clip(message),
        _ => lang.pick("no reason was recorded", "未记录原因").to_owned(),
    };
    match (lang, kind) {
        (Lang::En, AnomalyKind::Failed) => format!("Step {n} ({did}) failed: {why}."),
        (Lang::En, AnomalyKind::NoEffectRepeat) => {
            format!("Step {n} ({did}) repeats an action that had changed nothing, and again changed nothing.")
        }
        (Lang::En, AnomalyKind::Extra) => format!("Step {n} ({did}) is not on the reference's path."),
        (Lang::En, AnomalyKind::OtherTarget) => {
            format!("Step {n} ({did}) has another target than step {r} of the reference ({wanted}).")
        }
        (Lang::En, AnomalyKind::OtherValue) => {
            format!("Step {n} ({did}) has another value than step {r} of the reference ({wanted}).")
        }
        (Lang::En, AnomalyKind::OtherKey) => {
            format!("Step {n} ({did}) has another key than step {r} of the reference ({wanted}).")
        }
        (Lang::En, AnomalyKind::OtherAction) => {
            format!("Step {n} ({did}) stands in place of step {r} of the reference ({wanted}).")
        }
        (Lang::En, AnomalyKind::Missing) => format!("Step {r} of the reference ({wanted}) was left out."),
        (Lang::ZhCn, AnomalyKind::Failed) => format!("第 {n} 步（{did}）失败：{why}。"),
        (Lang::ZhCn, AnomalyKind::NoEffectRepeat) => format!("第 {n} 步（{did}）重复了一个无效果的操作，仍无效果。"),
        (Lang::ZhCn, AnomalyKind::Extra) => format!("第 {n} 步（{did}）不在参考路径上。"),
        (Lang::ZhCn, AnomalyKind::OtherTarget) => format!("第 {n} 步（{did}）的目标与参考第 {r} 步（{wanted}）不同。"),
        (Lang::ZhCn, AnomalyKind::OtherValue) => format!("第 {n} 步（{did}）的值与参考第 {r} 步（{wanted}）不同。"),
        (Lang::ZhCn, AnomalyKind::OtherKey) => format!("第 {n} 步（{did}）的按键与参考第 {r} 步（{wanted}）不同。"),
        (Lang::ZhCn, AnomalyKind::OtherAction) => format!("第 {n} 步（{did}）代替了参考第 {r} 步（{wanted}）。"),
        (Lang::ZhCn, AnomalyKind::Missing) => format!("缺少参考第 {r} 步（{wanted}）。"),
    }
}

/// A reason in a sentence.
pub(crate) fn reason(lang: Lang, code: ReasonCode, count: u32) -> String {
    match lang {
        Lang::En => {
            let some = |one: &str, many: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {many}") };
            match code {
                ReasonCode::NoAssertions => "The reference has no assertion, so there is no goal to judge.".to_owned(),
                ReasonCode::NoPage => {
                    "The run is a plain step list, so there is no page to judge the goal on.".to_owned()
                }
                ReasonCode::NotEvaluated => format!(
                    "{} could not be evaluated: the run holds neither a verdict nor the document.",
                    some("assertion", "assertions")
                ),
                ReasonCode::AssertionsFailed => format!("{} not hold.", some("assertion did", "assertions did")),
                ReasonCode::GoalUnknown => "The goal cannot be judged, so hard success is undefined.".to_owned(),
                ReasonCode::GoalMissed => "The goal was not reached.".to_owned(),
                ReasonCode::Anomalies => format!("The path was left: {}.", some("anomaly", "anomalies")),
                ReasonCode::NoSteps => "The run has no step that counts.".to_owned(),
                ReasonCode::NoEncounter => {
                    "Nothing was put in the run's way, so there is nothing to recover from.".to_owned()
                }
                ReasonCode::Infra => {
                    "The run ended for reasons outside the agent; it says nothing about it.".to_owned()
                }
                ReasonCode::FoldedReference | ReasonCode::FoldedRun => {
                    let side = if code == ReasonCode::FoldedRun { "the run" } else { "the reference" };
                    let steps = some("step", "steps");
                    format!(
                        "{steps} of {side} only served another step (focus, settling, scrolling on) and folded into it."
                    )
                }
            }
        }
        Lang::ZhCn => match code {
            ReasonCode::NoAssertions => "参考没有断言，因此无法判断目标。".to_owned(),
            ReasonCode::NoPage => "该运行只是步骤列表，没有可供判断目标的页面。".to_owned(),
            ReasonCode::NotEvaluated => format!("{count} 条断言无法求值：运行中既没有结论也没有文档。"),
            ReasonCode::AssertionsFailed => format!("{count} 条断言不成立。"),
            ReasonCode::GoalUnknown => "目标无法判断，因此严格成功未定义。".to_owned(),
            ReasonCode::GoalMissed => "未达到目标。".to_owned(),
            ReasonCode::Anomalies => format!("偏离路径：{count} 处异常。"),
            ReasonCode::NoSteps => "该运行没有计入的步骤。".to_owned(),
            ReasonCode::NoEncounter => "运行中没有遇到干扰，因此无恢复可评。".to_owned(),
            ReasonCode::Infra => "运行因智能体之外的原因结束，不能说明智能体的能力。".to_owned(),
            ReasonCode::FoldedReference => {
                format!("参考中有 {count} 步只为其他步骤服务（聚焦、等待稳定、连续滚动），已并入。")
            }
            ReasonCode::FoldedRun => {
                format!("运行中有 {count} 步只为其他步骤服务（聚焦、等待稳定、连续滚动），已并入。")
            }
        },
    }
}

/// A recorded step in words, as `fill textbox “Name” with “Ada”`.
pub fn describe(lang: Lang, recorded: &crate::trace::Step) -> String {
    step(lang, &View::step(recorded))
}
