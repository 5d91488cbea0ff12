//! Findings and their remedies in sentences.

use super::{Finding, Fix, Rule, Severity};
use crate::score::words::Lang;

/// What was found, in a sentence without the step's number.
pub fn sentence(lang: Lang, finding: &Finding) -> String {
    let param = |name: &str| finding.params.get(name).map(String::as_str).unwrap_or_default();
    let (locator, matches, detail) = (param("locator"), param("matches"), param("detail"));
    let zh = lang == Lang::ZhCn;
    match finding.rule {
        Rule::AmbiguousTarget if zh => format!("目标不唯一：{locator} 匹配 {matches} 个元素。"),
        Rule::AmbiguousTarget => format!("The target is ambiguous: {locator} matches {matches} elements."),
        Rule::FragileLocator if zh => {
            format!("定位方式不稳固：{locator} 依赖位置或自动生成的名称，页面一变就可能失效。")
        }
        Rule::FragileLocator => {
            format!("The locator is fragile: {locator} rests on position or on a generated name and may not last.")
        }
        Rule::NoLocator if zh => "该步骤的元素没有任何定位方式，无法再次找到。".to_owned(),
        Rule::NoLocator => "The step's element has no locator, so it cannot be found again.".to_owned(),
        Rule::SecretTyped => match (zh, param("kind")) {
            (true, "card") => "输入的内容像银行卡号，并以明文保存。".to_owned(),
            (true, "token") => "输入的内容像访问密钥，并以明文保存。".to_owned(),
            (true, _) => "该字段看起来用于填写机密，内容却以明文保存。".to_owned(),
            (false, "card") => "What was typed looks like a card number and is kept in clear.".to_owned(),
            (false, "token") => "What was typed looks like an access token and is kept in clear.".to_owned(),
            (false, _) => "The field seems to be for a secret, and what was typed is kept in clear.".to_owned(),
        },
        Rule::NoEffect if zh => "该步骤没有改变页面。".to_owned(),
        Rule::NoEffect => "The step changed nothing.".to_owned(),
        Rule::DoubledStep if zh => "与上一步相同，可能被记录了两次。".to_owned(),
        Rule::DoubledStep => "The step before did the same: it was probably recorded twice.".to_owned(),
        Rule::UnreachableFrame if !detail.is_empty() && zh => format!("有一个框架无法录制：{detail}"),
        Rule::UnreachableFrame if !detail.is_empty() => format!("A frame could not be recorded: {detail}"),
        Rule::UnreachableFrame if zh => "该步骤所在的框架只能按位置找到，可能无法再次找到。".to_owned(),
        Rule::UnreachableFrame => {
            "The step's frame is known by its position only and may not be found again.".to_owned()
        }
        Rule::MissingScreenshot if !detail.is_empty() && zh => format!("缺少截图：{detail}"),
        Rule::MissingScreenshot if !detail.is_empty() => format!("A screenshot is missing: {detail}"),
        Rule::MissingScreenshot if zh => "该步骤没有截图。".to_owned(),
        Rule::MissingScreenshot => "The step has no screenshot.".to_owned(),
        Rule::Gap if zh => format!("录制有缺口：{detail}"),
        Rule::Gap => format!("There is a gap in the recording: {detail}"),
        Rule::NotRecorded if zh => format!("未能录制（{}）：{detail}", param("what")),
        Rule::NotRecorded => format!("Not recorded ({}): {detail}", param("what")),
    }
}

/// What mends it, as the label of a button.
pub fn fix(lang: Lang, fix: &Fix) -> String {
    let zh = lang == Lang::ZhCn;
    match fix {
        Fix::UseLocator { locator } if zh => format!("改用 {locator}"),
        Fix::UseLocator { locator } => format!("Use {locator}"),
        Fix::Mask if zh => "屏蔽并彻底删除该内容".to_owned(),
        Fix::Mask => "Mask and forget the value".to_owned(),
        Fix::Delete if zh => "删除该步骤".to_owned(),
        Fix::Delete => "Delete the step".to_owned(),
        Fix::Rerecord if zh => "重录该步骤".to_owned(),
        Fix::Rerecord => "Record the step again".to_owned(),
        Fix::InsertHere if zh => "在此处补录".to_owned(),
        Fix::InsertHere => "Record what is missing here".to_owned(),
        Fix::Accept if zh => "接受".to_owned(),
        Fix::Accept => "Accept".to_owned(),
    }
}

/// A severity's word.
pub fn severity(lang: Lang, severity: Severity) -> &'static str {
    match (lang, severity) {
        (Lang::En, Severity::Error) => "error",
        (Lang::En, Severity::Warning) => "warning",
        (Lang::En, Severity::Info) => "info",
        (Lang::ZhCn, Severity::Error) => "错误",
        (Lang::ZhCn, Severity::Warning) => "警告",
        (Lang::ZhCn, Severity::Info) => "提示",
    }
}
