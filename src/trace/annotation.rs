//! What a person adds to a step: what it is for and what else would do. And where a step of an edited trace
//! comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Step;

/// What the expert says of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Annotation {
    /// What the step is for, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub intent: String,
    /// The task is not done without it: a state on the way that every run must reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub key_node: bool,
    /// An agent must not do this: shown as an example of what is forbidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forbidden: bool,
    /// What else is as good as what was recorded. Of several for one parameter any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// Rules of `tracerule lint` whose findings on this step a person has seen and accepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
}

impl Annotation {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Annotation::default()
    }

    /// Whether a value other than the recorded one will do; `None` when no variant speaks of that parameter.
    pub fn accepts(&self, param: Param, value: &str) -> Option<bool> {
        let mut about = self.variants.iter().filter(|variant| variant.param == param).peekable();
        about.peek()?;
        Some(about.any(|variant| variant.kind.accepts(value)))
    }
}

/// Another value that is as good as the recorded one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Of what.
    pub param: Param,
    /// Which values.
    #[serde(flatten)]
    pub kind: VariantKind,
}

/// A parameter of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    /// `value`: the text, the option, the address.
    Value,
    /// `key`.
    Key,
    /// The target, by its accessible name.
    Target,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum VariantKind {
    /// Whatever.
    Any,
    /// One of these, compared after white space is folded.
    OneOf {
        /// The values.
        values: Vec<String>,
    },
    /// A text in which `*` stands for any run of characters, as in an assertion's address.
    Pattern {
        /// The text.
        pattern: String,
    },
    /// A number, both ends included; absent: no limit on that side.
    Range {
        /// The least.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// The largest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// A date, both ends included: `2026-03-01` to `2026-03-31`, or `03-01` to `03-31` in any year.
    DateIn {
        /// The first.
        from: String,
        /// The last.
        to: String,
    },
}

impl VariantKind {
    /// Whether a value belongs to the set.
    ///
    /// Numbers may have a sign, digits grouped by `,` and a decimal point. Dates are read as `2026-03-05`,
    /// `2026/3/5`, `3/5/2026` (month first, unless that is no month), `5.3.2026` or `2026年3月5日`; what follows
    /// an ISO date's `T` is not looked at.
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            VariantKind::Any => true,
            VariantKind::OneOf { values } => values.iter().any(|one| fold(one) == fold(value)),
            VariantKind::Pattern { pattern } => crate::mirror::glob(&fold(pattern), &fold(value)),
            VariantKind::Range { min, max } => value
                .trim()
                .replace(',', "")
                .parse::<f64>()
                .is_ok_and(|n| n.is_finite() && min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
            VariantKind::DateIn { from, to } => date_in(value, from, to),
        }
    }

    /// Why no value can belong to it, or it cannot be understood.
    ///
    /// # Errors
    /// In words, for who wrote it.
    pub fn check(&self) -> Result<(), VariantError> {
        match self {
            VariantKind::Any => Ok(()),
            VariantKind::OneOf { values } if values.iter().all(|one| one.trim().is_empty()) => Err(VariantError::Empty),
            VariantKind::Pattern { pattern } if pattern.trim().is_empty() => Err(VariantError::Empty),
            VariantKind::OneOf { .. } | VariantKind::Pattern { .. } => Ok(()),
            VariantKind::Range { min: None, max: None } => Err(VariantError::Empty),
            VariantKind::Range { min: Some(min), max: Some(max) } if min > max => Err(VariantError::Reversed),
            VariantKind::Range { .. } => Ok(()),
            VariantKind::DateIn { from, to } => match (month_day(from), month_day(to), date(from), date(to)) {
                // A span of months may pass the turn of the year.
                (Some(_), Some(_), _, _) => Ok(()),
                (_, _, Some(from), Some(to)) if from <= to => Ok(()),
                (_, _, Some(_), Some(_)) => Err(VariantError::Reversed),
                _ => Err(VariantError::NoDate),
            },
        }
    }
}

/// What is wrong with a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// It names nothing.
    #[error("the variant is empty: name at least one value")]
    Empty,
    /// Its ends are the wrong way round.
    #[error("the first end lies after the second: swap them")]
    Reversed,
    /// Its ends are no dates.
    #[error("write dates as 2026-03-01, or as 03-01 for any year")]
    NoDate,
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

type Date = (i64, u32, u32);

fn valid(year: i64, month: u32, day: u32) -> Option<Date> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&day).then_some((year, month, day))
}

fn numbers(text: &str, by: char) -> Option<[i64; 3]> {
    let mut parts = text.split(by).map(|part| part.trim().parse::<i64>().ok().filter(|n| (0..=9999).contains(n)));
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

/// A date as people write it.
fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    let text = text.split_once('T').map_or(text, |(day, _)| day);
    let small = |n: i64| u32::try_from(n).unwrap_or(0);
    let chinese = text.strip_suffix('日').map(|text| text.replace(['年', '月'], "-"));
    if let Some([y, m, d]) = numbers(chinese.as_deref().unwrap_or(text), '-').or_else(|| numbers(text, '/')) {
        if y > 31 {
            return valid(y, small(m), small(d));
        }
        // Here the year stands last.
        return valid(d, small(y), small(m)).or_else(|| valid(d, small(m), small(y)));
    }
    numbers(text, '.').and_then(|[d, m, y]| valid(y, small(m), small(d)))
}

/// `03-01`.
fn month_day(text: &str) -> Option<(u32, u32)> {
    let (month, day) = text.trim().split_once('-')?;
    let (month, day) = (month.parse().ok()?, day.parse().ok()?);
    // A leap year has every day there is.
    valid(2000, month, day).map(|(_, month, day)| (month, day))
}

fn date_in(value: &str, from: &str, to: &str) -> bool {
    let Some(found) = date(value) else { return false };
    match (month_day(from), month_day(to)) {
        (Some(from), Some(to)) if from <= to => (from..=to).contains(&(found.1, found.2)),
        // As from December to January.
        (Some(from), Some(to)) => (found.1, found.2) >= from || (found.1, found.2) <= to,
        _ => date(from).zip(date(to)).is_some_and(|(from, to)| (from..=to).contains(&found)),
    }
}

/// Where a step of an edited trace comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Its number as recorded, before any edit.
    pub seq: u32,
    /// The piece recorded afterwards that it belongs to; absent for the recording itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<u32>,
    /// What was done to it by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditKind>,
}

/// What can be done to a step by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// It was recorded afterwards and put here.
    Inserted,
    /// It was recorded again, in place of another.
    Replaced,
    /// It stood elsewhere.
    Moved,
    /// Another of its locators was put first.
    Locator,
    /// Its value was masked, and is nowhere any more.
    Masked,
    /// It was annotated. The evidence is as recorded.
    Annotated,
}

/// How many edits are in force, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edited {
    /// Edits in all.
    pub edits: u32,
    /// Steps left out.
    #[serde(default)]
    pub deleted: u32,
    /// Steps recorded afterwards and put in between.
    #[serde(default)]
    pub inserted: u32,
    /// Steps recorded again.
    #[serde(default)]
    pub replaced: u32,
    /// Steps that stand elsewhere.
    #[serde(default)]
    pub moved: u32,
    /// Steps with another first locator.
    #[serde(default)]
    pub locators: u32,
    /// Steps whose value was masked afterwards.
    #[serde(default)]
    pub masked: u32,
    /// Annotated steps.
    #[serde(default)]
    pub annotated: u32,
}

impl Step {
    /// What was done to it by hand.
    pub fn edits(&self) -> &[EditKind] {
        self.origin.as_ref().map_or(&[], |origin| &origin.edits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> VariantKind {
        serde_json::from_str::<Variant>(json).unwrap().kind
    }

    #[test]
    fn any_date_in_march() {
        let march = of(r#"{"param":"value","kind":"date_in","from":"03-01","to":"03-31"}"#);
        for date in
            ["2026-03-01", "2031/3/31", "3/15/2026", "15/3/2026", "15.03.2026", "2026年3月9日", "2026-03-05T10:00"]
        {
            assert!(march.accepts(date), "{date}");
        }
        for date in ["2026-04-01", "2026-02-28", "2026-03-32", "March", "", "3/2026", "04.05.2026"] {
            assert!(!march.accepts(date), "{date}");
        }
        let winter = of(r#"{"param":"value","kind":"date_in","from":"12-20","to":"01-06"}"#);
        assert!(winter.accepts("2026-12-31") && winter.accepts("2026-01-06") && !winter.accepts("2026-01-07"));
        let exact = of(r#"{"param":"value","kind":"date_in","from":"2026-02-27","to":"2026-03-02"}"#);
        assert!(exact.accepts("2026-03-01") && !exact.accepts("2025-03-01") && !exact.accepts("2026-02-29"));
    }

    #[test]
    fn numbers_patterns_and_lists() {
        let range = of(r#"{"param":"value","kind":"range","min":10}"#);
        assert!(range.accepts("1,000.5") && range.accepts(" 10 ") && !range.accepts("9.99"));
        assert!(!range.accepts("NaN") && !range.accepts("inf"));
        let pattern = of(r#"{"param":"value","kind":"pattern","pattern":"*@example.com"}"#);
        assert!(pattern.accepts("ada@example.com") && !pattern.accepts("ada@example.org"));
        let one = of(r#"{"param":"key","kind":"one_of","values":["Enter","Space"]}"#);
        assert!(one.accepts(" Enter ") && !one.accepts("Tab"));
        let annotation = Annotation {
            variants: vec![Variant { param: Param::Value, kind: one }, Variant { param: Param::Value, kind: range }],
            ..Annotation::default()
        };
        assert_eq!(annotation.accepts(Param::Value, "Space"), Some(true));
        assert_eq!(annotation.accepts(Param::Value, "12"), Some(true));
        assert_eq!(annotation.accepts(Param::Value, "2"), Some(false));
        assert_eq!(annotation.accepts(Param::Target, "2"), None);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let check = |json: &str| of(json).check();
        assert_eq!(check(r#"{"param":"value","kind":"any"}"#), Ok(()));
        assert_eq!(check(r#"{"param":"value","kind":"one_of","values":[" "]}"#), Err(VariantError::Empty));
        assert_eq!(check(r#"{"param":"value","kind":"range","min":3,"max":2}"#), Err(VariantError::Reversed));
        assert_eq!(
            check(r#"{"param":"value","kind":"date_in","from":"03-01","to":"March"}"#),
            Err(VariantError::NoDate)
        );
        assert_eq!(
            check(r#"{"param":"value","kind":"date_in","from":"02-30","to":"03-01"}"#),
            Err(VariantError::NoDate)
        );
        assert_eq!(check(r#"{"param":"value","kind":"date_in","from":"12-20","to":"01-06"}"#), Ok(()));
    }
}
