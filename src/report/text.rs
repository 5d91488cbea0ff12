//! The report's words, by language. A new language is one more constant: the compiler asks for every field.

use crate::perturb::Operator;
use crate::score::Relation;
use crate::score::words::Lang;

/// Every fixed text of the report.
pub(super) struct Text {
    pub report: &'static str,
    pub untitled: &'static str,
    pub skip: &'static str,
    pub reference: &'static str,
    pub run: &'static str,
    pub scores: &'static str,
    pub hard: &'static str,
    pub soft: &'static str,
    pub classic: &'static str,
    pub strict: &'static str,
    pub efficiency: &'static str,
    pub recovery: &'static str,
    pub steps: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub undefined: &'static str,
    pub infra: &'static str,
    pub list: &'static str,
    pub radar: &'static str,
    pub alignment: &'static str,
    pub legend: &'static str,
    pub clean: &'static str,
    pub perturbed: &'static str,
    pub goal: &'static str,
    pub assertion: &'static str,
    pub seen: &'static str,
    pub holds: &'static str,
    pub fails: &'static str,
    pub unknown: &'static str,
    pub no_assertions: &'static str,
    pub why: &'static str,
    pub nothing_lost: &'static str,
    pub paths: &'static str,
    pub reference_step: &'static str,
    pub run_step: &'static str,
    pub nothing_here: &'static str,
    pub before: &'static str,
    pub after: &'static str,
    pub evidence: &'static str,
    pub no_picture: &'static str,
    pub stale: &'static str,
    pub age: &'static str,
    pub scrolled: &'static str,
    pub whole_page: &'static str,
    pub locator: &'static str,
    pub frame: &'static str,
    pub settled: &'static str,
    pub document: &'static str,
    pub no_effect: &'static str,
    pub failed: &'static str,
    pub untrusted: &'static str,
    pub shown: &'static str,
    pub dismissed: &'static str,
    pub applied: &'static str,
    pub withheld: &'static str,
    pub stuck: &'static str,
    pub not_met: &'static str,
    pub waited: &'static str,
    pub settling: &'static str,
    pub rate_limited: &'static str,
    pub loops: &'static str,
    pub idle: &'static str,
    pub tokens: &'static str,
    pub took: &'static str,
    pub warnings: &'static str,
    pub definitions: &'static str,
    pub defined: [(&'static str, &'static str); 9],
    pub made_by: &'static str,
}

pub(super) fn text(lang: Lang) -> &'static Text {
    match lang {
        Lang::En => &EN,
        Lang::ZhCn => &ZH_CN,
    }
}

const EN: Text = Text {
    report: "Trajectory report",
    untitled: "Untitled task",
    skip: "Skip to the trajectories",
    reference: "Reference",
    run: "Run",
    scores: "Scores",
    hard: "Hard success",
    soft: "Soft success",
    classic: "Classic alignment",
    strict: "Strict alignment",
    efficiency: "Step efficiency",
    recovery: "Recovery",
    steps: "Steps",
    yes: "yes",
    no: "no",
    undefined: "undefined",
    infra: "ended by the infrastructure",
    list: "step list",
    radar: "The four axes",
    alignment: "Alignment",
    legend: "Legend",
    clean: "clean",
    perturbed: "perturbed",
    goal: "Goal",
    assertion: "Assertion",
    seen: "seen",
    holds: "holds",
    fails: "does not hold",
    unknown: "unknown",
    no_assertions: "The reference has no assertion.",
    why: "Where points were lost",
    nothing_lost: "Nothing was lost.",
    paths: "Trajectories",
    reference_step: "Expert",
    run_step: "Run",
    nothing_here: "no step here",
    before: "Before",
    after: "After",
    evidence: "Evidence",
    no_picture: "no picture",
    stale: "the page had changed since",
    age: "age",
    scrolled: "scrolled to",
    whole_page: "the whole page",
    locator: "Locator",
    frame: "Frame",
    settled: "Settled",
    document: "Document",
    no_effect: "no effect",
    failed: "failed",
    untrusted: "synthetic input",
    shown: "shown",
    dismissed: "dismissed",
    applied: "applied",
    withheld: "withheld by a gate",
    stuck: "never back on the path: 0",
    not_met: "came after the last step; does not count",
    waited: "Redundant waits",
    settling: "Settling",
    rate_limited: "Rate limits",
    loops: "Loops",
    idle: "Steps without effect",
    tokens: "Tokens in / out",
    took: "Took",
    warnings: "Warnings",
    definitions: "What the numbers mean",
    defined: [
        ("Soft success", "Every assertion of the reference holds when the run has ended and the page is at rest."),
        (
            "Hard success",
            "Soft success, and nothing went off the reference's path: no wrong, extra or missing step, no failed step, \
             no repeat of what had changed nothing. Both paths are compared in canonical form. Steps that answer a pop-up are exempt; waiting, scrolling and \
             pointing are never off the path.",
        ),
        (
            "Classic alignment",
            "The published formula: weighted edit distance d over the types of all steps, 1 − d ÷ (4 × the longer \
             length). It does not see targets, and doing nothing still scores.",
        ),
        (
            "Strict alignment",
            "A metric over the canonical steps: targets and values count, waiting may not stand for doing, steps that answer a pop-up are left \
             out. 1 − d ÷ W, where W is the cost of leaving all out and adding all; doing nothing scores 0.",
        ),
        (
            "Canonical form",
            "Before strict alignment, hard success, step efficiency and recovery, recorded steps that only serve \
             another are folded into it on both sides: a click on a field, or Tab into it, directly before it is \
             filled; a wait in which the page was still settling; a scroll that the next one continues. They stay in \
             the trajectories, marked as folded. Classic alignment counts every step; plain step lists are taken as \
             they are.",
        ),
        (
            "Step efficiency",
            "Canonical steps of the reference ÷ canonical steps of the run, at most 1. Waits at rest count; steps that \
             answer a pop-up do not. Undefined when the goal was missed.",
        ),
        (
            "Recovery",
            "For each pop-up, the actions from the first after it was shown until it is gone and the next step of the \
             path is done: at most 2 give 1, 3 to 5 give 0.5, more or never give 0; folded steps are not counted. The mean \
             over pop-ups; undefined without any. In this version only pop-ups that Tracerule shows are encounters: \
             error pages and CAPTCHAs of the site are not.",
        ),
        ("Undefined (–)", "There was nothing to measure. It is not 0 and is a gap in the radar."),
        (
            "Box and point",
            "The outlined box is the target as it was when the gesture began; the dot is where the pointer was.",
        ),
    ],
    made_by: "Measured by Tracerule",
};

const ZH_CN: Text = Text {
    report: "轨迹报告",
    untitled: "未命名任务",
    skip: "跳到轨迹",
    reference: "参考",
    run: "运行",
    scores: "得分",
    hard: "严格成功",
    soft: "宽松成功",
    classic: "经典对齐",
    strict: "严格对齐",
    efficiency: "步骤效率",
    recovery: "恢复",
    steps: "步数",
    yes: "是",
    no: "否",
    undefined: "未定义",
    infra: "因基础设施而结束",
    list: "步骤列表",
    radar: "四个维度",
    alignment: "对齐",
    legend: "图例",
    clean: "无干扰",
    perturbed: "有干扰",
    goal: "目标",
    assertion: "断言",
    seen: "实际",
    holds: "成立",
    fails: "不成立",
    unknown: "未知",
    no_assertions: "参考没有断言。",
    why: "失分原因",
    nothing_lost: "没有失分。",
    paths: "轨迹",
    reference_step: "专家",
    run_step: "运行",
    nothing_here: "此处无步骤",
    before: "之前",
    after: "之后",
    evidence: "证据",
    no_picture: "无截图",
    stale: "截图后页面有变化",
    age: "时隔",
    scrolled: "滚动到",
    whole_page: "整个页面",
    locator: "定位",
    frame: "框架",
    settled: "稳定",
    document: "文档",
    no_effect: "无效果",
    failed: "失败",
    untrusted: "合成输入",
    shown: "出现",
    dismissed: "关闭",
    applied: "已施加",
    withheld: "被安全检查阻止",
    stuck: "未回到路径：0",
    not_met: "在最后一步之后出现，不计入",
    waited: "多余等待",
    settling: "稳定用时",
    rate_limited: "限流用时",
    loops: "循环",
    idle: "无效果步骤",
    tokens: "输入/输出令牌",
    took: "用时",
    warnings: "警告",
    definitions: "各数字的含义",
    defined: [
        ("宽松成功", "运行结束、页面稳定后，参考的所有断言都成立。"),
        (
            "严格成功",
            "宽松成功，且没有偏离参考路径：没有错误、多余或缺少的步骤，没有失败的步骤，没有重复无效果的操作。\
             双方路径按规范形式比较。处理弹窗的步骤不计；等待、滚动和悬停不算偏离。",
        ),
        (
            "经典对齐",
            "已发表的公式：对所有步骤的类型计算加权编辑距离 d，得分为 1 − d ÷（4 × 较长长度）。它不看目标，什么都不做也有分。",
        ),
        (
            "严格对齐",
            "对规范步骤的一种度量：计入目标和值，等待不能代替操作，处理弹窗的步骤不计。1 − d ÷ W，W 为全部删去再全部插入的代价；\
             什么都不做得 0 分。",
        ),
        (
            "规范形式",
            "在严格对齐、严格成功、步骤效率和恢复之前，双方录制步骤中只为另一步服务的步骤并入该步：紧接填写之前对同一字段的点击或\
             移入该字段的 Tab；页面仍在稳定时的等待；被下一次滚动接续的滚动。它们仍显示在轨迹中并标为已并入。经典对齐计入每一步；\
             纯步骤列表按原样使用。",
        ),
        (
            "步骤效率",
            "参考的规范步数 ÷ 运行的规范步数，至多为 1。页面静止时的等待计入，处理弹窗的步骤不计。未达目标时未定义。",
        ),
        (
            "恢复",
            "对每个弹窗，从出现后的第一个操作起，到弹窗消失且完成路径的下一步为止的操作数：至多 2 个得 1，3 至 5 个得 0.5，\
             更多或未恢复得 0；已并入的步骤不计。取各弹窗的平均值；没有弹窗时未定义。本版本只计 Tracerule 显示的弹窗，\
             不计网站自身的错误页和验证码。",
        ),
        ("未定义（–）", "没有可测量的内容。它不是 0，在雷达图中为缺口。"),
        ("方框与圆点", "方框为手势开始时的目标，圆点为指针位置。"),
    ],
    made_by: "由 Tracerule 测量",
};

/// A relation's symbol and words: colour is never the only sign.
pub(super) fn relation(lang: Lang, relation: Relation) -> (&'static str, &'static str) {
    let (symbol, en, zh) = match relation {
        Relation::Same => ("=", "same", "相同"),
        Relation::OtherValue => ("≈", "other value", "值不同"),
        Relation::OtherKey => ("≈", "other key", "按键不同"),
        Relation::OtherTarget => ("≠", "other target", "目标不同"),
        Relation::OtherAction => ("≠", "other action", "操作不同"),
        Relation::Missing => ("−", "missing", "缺少"),
        Relation::Extra => ("+", "extra", "多余"),
        Relation::Handled => ("⚑", "pop-up handled", "处理弹窗"),
        Relation::Folded => ("↷", "folded into the step it serves", "并入其所服务的步骤"),
    };
    (symbol, if lang == Lang::ZhCn { zh } else { en })
}

pub(super) fn operator(lang: Lang, operator: Operator) -> &'static str {
    match (lang, operator) {
        (Lang::En, Operator::Jitter) => "Layout jitter",
        (Lang::En, Operator::ColorScheme) => "Colour scheme",
        (Lang::En, Operator::SessionPopup) => "Session pop-up",
        (Lang::ZhCn, Operator::Jitter) => "布局抖动",
        (Lang::ZhCn, Operator::ColorScheme) => "配色方案",
        (Lang::ZhCn, Operator::SessionPopup) => "会话弹窗",
    }
}

/// As `cost 3 of 16`.
pub(super) fn cost(lang: Lang, cost: u32, of: u32) -> String {
    match lang {
        Lang::En => format!("cost {cost} of {of}"),
        Lang::ZhCn => format!("代价 {cost}/{of}"),
    }
}

/// What a pair of the classic alignment means.
pub(super) fn classic_pair(lang: Lang, reference: Option<&str>, run: Option<&str>) -> String {
    match (lang, reference, run) {
        (Lang::En, Some(a), Some(b)) => format!("{b} in place of {a}"),
        (Lang::En, Some(a), None) => format!("left out: {a}"),
        (Lang::En, _, b) => format!("added: {}", b.unwrap_or_default()),
        (Lang::ZhCn, Some(a), Some(b)) => format!("以 {b} 代替 {a}"),
        (Lang::ZhCn, Some(a), None) => format!("缺少：{a}"),
        (Lang::ZhCn, _, b) => format!("多余：{}", b.unwrap_or_default()),
    }
}

/// As `3 steps of the reference ÷ 4 of the run`.
pub(super) fn ratio(lang: Lang, reference: u32, run: u32, handling: usize) -> String {
    match (lang, handling) {
        (Lang::En, 0) => format!("{reference} steps of the reference ÷ {run} of the run"),
        (Lang::En, n) => {
            format!("{reference} steps of the reference ÷ {run} of the run ({n} that answer pop-ups left out)")
        }
        (Lang::ZhCn, 0) => format!("参考 {reference} 步 ÷ 运行 {run} 步"),
        (Lang::ZhCn, n) => format!("参考 {reference} 步 ÷ 运行 {run} 步（不计 {n} 个处理弹窗的步骤）"),
    }
}

/// As `back on the path after 2 actions: 1`.
pub(super) fn recovered(lang: Lang, steps: u32, score: f64) -> String {
    match lang {
        Lang::En if steps == 1 => format!("back on the path after 1 action: {score}"),
        Lang::En => format!("back on the path after {steps} actions: {score}"),
        Lang::ZhCn => format!("{steps} 个操作后回到路径：{score}"),
    }
}

/// As `added 3, text 2 (210 → 213)`.
pub(super) fn changes(lang: Lang, dom: &crate::trace::DomDiff) -> String {
    let words = match lang {
        Lang::En => ["added", "removed", "moved", "attributes", "text", "values", "unchanged"],
        Lang::ZhCn => ["新增", "移除", "移动", "属性", "文本", "值", "无变化"],
    };
    let counts = [dom.added, dom.removed, dom.moved, dom.attributes, dom.text, dom.values];
    let told: Vec<String> =
        counts.iter().zip(words).filter(|(n, _)| **n > 0).map(|(n, word)| format!("{word} {n}")).collect();
    let told = if told.is_empty() { words[6].to_owned() } else { told.join(", ") };
    format!("{told} ({} → {})", dom.nodes_before, dom.nodes_after)
}
