//! What the hub says, in the person's language. Its errors and coverage notices are sentences, written where the
//! reason is known and kept in traces as they were said; here each is recognised by its pattern, and what stood in
//! its holes goes into the other language's. A sentence that is not known is shown as it came.

use tracerule::lint::{Finding, Severity, words};
use tracerule::score::words::Lang;
use tracerule::trace::CoverageEvent;

/// Sentences with `{}` for what varies, in English and Chinese; the holes come in the same order, or are numbered
/// from 1 as `{1}` in the Chinese.
const SENTENCES: &[(&str, &str)] = &[
    // Coverage, from the core.
    ("A frame sent changes before it reported in; they are lost.", "某个框架在登记之前发来了变更，这些变更已丢失。"),
    ("{} batches of {} are missing; reload the page to be sure.", "{2} 缺少 {1} 批数据；请重新加载页面以确保完整。"),
    ("the recorder stumbled in a page ({}): please report it", "记录器在页面中出错（{}）：请报告此问题"),
    (
        "{} was left before the recorder reached it: what was done there is lost",
        "{} 在记录器到达之前就已离开：在那里的操作已丢失",
    ),
    ("no picture: the browser does not draw the page", "无法截图：浏览器没有绘制该页面"),
    ("An input event could not be read: {}.", "无法读取一个输入事件：{}。"),
    ("The tab's process died; what it showed last may be missing.", "标签页进程已崩溃；最后显示的内容可能缺失。"),
    ("A picture was left out, since it may show a value that was masked.", "已略去一张可能显示被屏蔽内容的截图。"),
    (
        "unknown opcode {} at position {} of a batch: the sensor is of another version; reload the page",
        "第 {2} 位出现未知操作码 {1}：传感器版本不符，请重新加载页面",
    ),
    (
        "The page cannot be recorded ({}): the browser keeps extensions out.",
        "无法录制该页面（{}）：浏览器不允许扩展进入。",
    ),
    (
        "A frame cannot be recorded ({}): the browser keeps extensions out.",
        "无法录制某个框架（{}）：浏览器不允许扩展进入。",
    ),
    ("The page is not recorded ({}): no sensor reports from it.", "未录制该页面（{}）：没有传感器响应。"),
    ("A frame is not recorded ({}): no sensor reports from it.", "未录制某个框架（{}）：没有传感器响应。"),
    ("How the {} was answered could not be known.", "无法得知 {} 对话框的回答。"),
    ("The {} was still open when the session ended.", "会话结束时 {} 对话框仍未关闭。"),
    ("Something was dropped onto the page from outside; it makes no step.", "有内容从外部拖入页面；未记为步骤。"),
    // Coverage, from the hub.
    (
        "several frames in shadow roots look alike ({}): steps in them cannot say which one",
        "影子根中有多个框架相同（{}）：无法区分其中的步骤属于哪一个",
    ),
    ("{} could not be loaded: {}", "无法加载 {}：{}"),
    ("a page cannot take pictures of itself: in-page recordings have none", "页面无法给自己截图：页内录制没有截图"),
    ("a frame's greeting could not be read ({})", "无法读取某个框架的登记信息（{}）"),
    ("a frame sent a message that the recorder does not know", "某个框架发来了录制器不认识的消息"),
    ("a part of what happened in {} was lost: reload the page", "{} 中的部分操作已丢失：请重新加载页面"),
    ("a frame sent facts before it said who it is", "某个框架在登记之前发来了数据"),
    (
        "a frame's batch could not be read; reload the page if this happens again",
        "无法读取某个框架的一批数据；若再次出现，请重新加载页面",
    ),
    ("{} batches of a frame's facts were lost before this one", "某个框架在此之前丢失了 {} 批数据"),
    ("the page cannot be recorded ({}): {}", "无法录制该页面（{}）：{}"),
    ("a frame cannot be recorded ({}): {}", "无法录制某个框架（{}）：{}"),
    ("{}; actions are synthetic from now on", "{}；此后的操作为合成输入"),
    ("the browser or the extension was ended before the session was stopped", "会话停止之前，浏览器或扩展已被关闭"),
    (
        "a defect stopped the recorder ({}); what was recorded so far is stored",
        "录制器因故障停止（{}）；此前的录制已保存",
    ),
    ("no picture of a page that cannot be asked for its secret fields", "无法确认页面上的机密字段，因此不截图"),
    ("no picture of a tab that is not in front", "标签页不在前台，无法截图"),
    ("no picture while a dialog of the browser is open", "浏览器对话框打开时无法截图"),
    (
        "no picture: it is not known where a frame with a secret field lies",
        "不知道含机密字段的框架位于何处，因此不截图",
    ),
    ("no picture: {}", "无法截图：{}"),
    // Errors.
    ("the recorder is still starting: try again in a moment", "录制器正在启动：请稍后再试"),
    (
        "no session is being recorded under the name {}: start one in the side panel or with `tracerule record`",
        "没有名为 {} 的录制：请在侧边栏或用 `tracerule record` 开始",
    ),
    (
        "no session is being recorded: start one in the side panel or with `tracerule record`",
        "当前没有录制：请在侧边栏或用 `tracerule record` 开始",
    ),
    ("name an address or a tab to record", "请指定要录制的地址或标签页"),
    ("that tab cannot be recorded: open another", "该标签页无法录制：请打开另一个"),
    ("that tab is being recorded already: stop that session first", "该标签页已在录制：请先停止该会话"),
    ("that session is ending already: wait for its end", "该会话正在结束：请稍候"),
    ("that session is still being taken up again: try once more in a moment", "该会话正在恢复：请稍后再试"),
    (
        "the browser keeps extensions out of {}: open the page you want to record, and start again there",
        "浏览器不允许扩展进入 {}：请打开要录制的页面，再从那里开始",
    ),
    ("open the page you want to record in a tab, and start again there", "请在标签页中打开要录制的页面，再从那里开始"),
    ("a piece is being recorded already: end it first", "已在插入录制：请先完成"),
    (
        "a piece that is recorded afterwards is begun with Record here, not put in as an edit",
        "补录请从“在此之后录制”开始",
    ),
    (
        "no piece is being recorded: choose the step behind which to record one",
        "没有正在进行的插入录制：请先选择要在哪一步之后录制",
    ),
    ("nothing is being recorded: there is no step that could be annotated", "当前没有录制：没有可标注的步骤"),
    ("no step has been recorded yet that could be annotated", "还没有录制任何可标注的步骤"),
    (
        "there is no step {} any more: it was left out, or recorded differently",
        "步骤 {} 已不存在：它已被删除或以其他方式录制",
    ),
    ("the step's target has no locator {}", "该步骤的目标没有定位方式 {}"),
    ("the step has no value that could be masked", "该步骤没有可屏蔽的内容"),
    ("there is nothing to undo", "没有可撤销的操作"),
    ("there is nothing to redo", "没有可重做的操作"),
    (
        "you are pointing already: click an element of the page, or press Escape",
        "已在选取元素：请点击页面中的元素，或按 Esc",
    ),
    ("the page cannot be pointed at: reload it, then try again", "无法在该页面选取元素：请重新加载后再试"),
    ("the page changed meanwhile: point again", "页面已变化：请重新选取"),
    ("the page has not been read yet: wait until it is loaded", "页面尚未读取：请等待加载完成"),
    ("there is no such assertion: it was taken back already", "没有这条断言：它已被移除"),
    ("the value of a secret field is not recorded, so it cannot be asserted", "机密字段的值不会被录制，因此无法断言"),
    ("{} has no text: point at what shows it, or assert its value", "{} 没有文本：请选取显示文本的元素，或断言其值"),
    ("{} is no field with a value: assert its text instead", "{} 不是有值的字段：请改为断言其文本"),
    ("{} cannot be checked: point at a box or a radio button", "{} 无法勾选：请选取复选框或单选按钮"),
    (
        "no companion answers at {}: is `tracerule serve` running, and is this its newest line?",
        "{} 没有伴随程序响应：`tracerule serve` 是否在运行，这一行是否为最新？",
    ),
    (
        "paste the line that `tracerule serve` printed, as ws://127.0.0.1:PORT/#TOKEN",
        "请粘贴 `tracerule serve` 打印的那一行，形如 ws://127.0.0.1:PORT/#TOKEN",
    ),
    (
        "the companion is on this machine: the line begins with ws://127.0.0.1:",
        "伴随程序在本机上：该行以 ws://127.0.0.1: 开头",
    ),
    ("an event could not be written down ({})", "无法写入一个事件（{}）"),
    ("{} (kept in memory, tried again until it is stored)", "{}（暂存于内存，将重试直到保存成功）"),
    ("session {} could not be taken up again: {}", "无法恢复会话 {}：{}"),
];

/// A category of coverage, in Chinese.
fn category(what: &str) -> Option<&'static str> {
    Some(match what {
        "gap" => "缺口",
        "fault" => "记录器故障",
        "frame" => "框架",
        "screenshot" => "截图",
        "navigation" => "导航",
        "dialog" => "对话框",
        "download" => "下载",
        "crash" => "崩溃",
        "trusted_input" => "可信输入",
        "target" => "目标",
        "forbidden" => "禁止访问",
        "drop" => "拖放",
        _ => return None,
    })
}

/// A coverage notice.
pub(crate) fn coverage(lang: Lang, event: &CoverageEvent) -> String {
    match lang {
        Lang::En => format!("{}: {}", event.what, event.detail),
        Lang::ZhCn => format!("{}：{}", category(&event.what).unwrap_or(&event.what), sentence(lang, &event.detail)),
    }
}

/// A finding; what it quotes of the hub is translated with it.
pub(crate) fn finding(lang: Lang, finding: &Finding) -> String {
    let mut finding = finding.clone();
    if let Some(detail) = finding.params.get_mut("detail") {
        *detail = sentence(lang, detail);
    }
    words::sentence(lang, &finding)
}

/// How many findings of a severity there are.
pub(crate) fn counted(lang: Lang, severity: Severity, count: usize) -> String {
    let word = words::severity(lang, severity);
    match (lang, severity) {
        (Lang::En, Severity::Error | Severity::Warning) if count != 1 => format!("{count} {word}s"),
        _ => format!("{count} {word}"),
    }
}

/// A sentence of the hub.
pub(crate) fn sentence(lang: Lang, text: &str) -> String {
    if lang == Lang::En {
        return text.to_owned();
    }
    let known = SENTENCES.iter().find_map(|(pattern, chinese)| Some((matched(pattern, text)?, chinese)));
    known.map_or_else(|| text.to_owned(), |(holes, chinese)| filled(lang, chinese, &holes))
}

/// What stands in the holes of a pattern, if the text is made by it.
fn matched<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = pattern.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut holes = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = match (part.is_empty(), parts.peek()) {
            (true, None) => rest.len(),
            // The last part ends the sentence; holes may hold the same words.
            (false, None) => rest.len().checked_sub(part.len()).filter(|at| rest.ends_with(part) && *at > 0)?,
            (_, Some(_)) => rest.find(part)?,
        };
        holes.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    rest.is_empty().then_some(holes)
}

/// A sentence with its holes filled; what stands in them may be a sentence itself.
fn filled(lang: Lang, pattern: &str, holes: &[&str]) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((number, after)) = after.split_once('}') else { break };
        let at = number.parse::<usize>().map_or(next, |n| n.saturating_sub(1));
        next += 1;
        if let Some(hole) = holes.get(at) {
            out.push_str(&sentence(lang, hole));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_in_chinese() {
        let say = |text: &str| sentence(Lang::ZhCn, text);
        assert_eq!(
            say("3 batches of http://x/ are missing; reload the page to be sure."),
            "http://x/ 缺少 3 批数据；请重新加载页面以确保完整。"
        );
        assert_eq!(say("there is nothing to undo"), "没有可撤销的操作");
        assert_eq!(say("no picture: the page changed meanwhile: point again"), "无法截图：页面已变化：请重新选取");
        assert_eq!(say("something nobody foresaw"), "something nobody foresaw");
        assert_eq!(sentence(Lang::En, "there is nothing to undo"), "there is nothing to undo");
        let event =
            |what: &str, detail: &str| CoverageEvent { t_ms: 0.0, what: what.to_owned(), detail: detail.to_owned() };
        let frame = event("frame", "a frame cannot be recorded (http://y/): no access");
        assert_eq!(coverage(Lang::ZhCn, &frame), "框架：无法录制某个框架（http://y/）：no access");
        let gap = event("gap", "A frame sent changes before it reported in; they are lost.");
        let found = tracerule::lint::over(&[], &[&gap]);
        assert_eq!(finding(Lang::ZhCn, &found[0]), "录制有缺口：某个框架在登记之前发来了变更，这些变更已丢失。");
        assert_eq!(counted(Lang::En, Severity::Error, 2), "2 errors");
        assert_eq!(coverage(Lang::En, &frame), "frame: a frame cannot be recorded (http://y/): no access");
    }

    #[test]
    fn every_sentence_has_its_holes_in_both_languages() {
        for (english, chinese) in SENTENCES {
            let holes = english.matches("{}").count();
            let numbered = (1..=9).filter(|n| chinese.contains(&format!("{{{n}}}"))).count();
            assert_eq!(holes, chinese.matches("{}").count() + numbered, "{english}");
            assert!(
                matched(english, &english.replace("{}", "x")).is_some_and(|found| found.len() == holes),
                "{english}"
            );
        }
    }
}
