//! Style sheets that scripts made or changed: constructed ones, and those of `style` and `link` elements from
//! the first change on. What the page's text and files say is not repeated here.

use std::collections::BTreeMap;

use super::MirrorError;

/// A rule of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The rule at that place of the sheet as the browser parsed it from its text or file.
    Given(u32),
    /// A script's, as the browser writes it.
    Made(String),
}

/// A style sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Its `style` or `link` element; 0 for a constructed one.
    pub owner: u32,
    /// How many rules its text or file gives; `None` when the page may not read them.
    pub base: Option<u32>,
    /// Its rules now.
    pub rules: Vec<Rule>,
}

/// More rules than any page has: a number beyond this is nonsense.
const MOST: u32 = 1 << 20;

/// The sheets of a document, and who adopted which.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    pub sheets: BTreeMap<u32, Sheet>,
    /// By document or shadow root.
    pub adopted: BTreeMap<u32, Vec<u32>>,
}

impl Sheets {
    /// Says whether that undoes what scripts had done.
    pub fn know(&mut self, sheet: u32, owner: u32, base: Option<u32>) -> bool {
        let before = self.sheets.len();
        if owner != 0 {
            self.sheets.retain(|_, known| known.owner != owner);
        }
        let undone = self.sheets.len() < before;
        let rules = (0..base.unwrap_or_default().min(MOST)).map(Rule::Given).collect();
        self.sheets.insert(sheet, Sheet { owner, base, rules });
        undone
    }

    fn rules(&mut self, sheet: u32, index: u32) -> Result<&mut Vec<Rule>, MirrorError> {
        self.sheets.get_mut(&sheet).map(|s| &mut s.rules).ok_or(MirrorError::Sheet { sheet, index })
    }

    pub fn insert(&mut self, sheet: u32, index: u32, text: &str) -> Result<(), MirrorError> {
        let rules = self.rules(sheet, index)?;
        let at = usize::try_from(index).ok().filter(|at| *at <= rules.len());
        rules.insert(at.ok_or(MirrorError::Sheet { sheet, index })?, Rule::Made(text.to_owned()));
        Ok(())
    }

    pub fn delete(&mut self, sheet: u32, index: u32, count: u32) -> Result<(), MirrorError> {
        let rules = self.rules(sheet, index)?;
        let range = index as usize..index.saturating_add(count) as usize;
        if range.end > rules.len() {
            return Err(MirrorError::Sheet { sheet, index });
        }
        rules.drain(range);
        Ok(())
    }

    pub fn adopt(&mut self, root: u32, index: u32, sheet: u32) -> Result<(), MirrorError> {
        if sheet != 0 && !self.sheets.contains_key(&sheet) {
            return Err(MirrorError::Sheet { sheet, index });
        }
        let list = self.adopted.entry(root).or_default();
        let at = usize::try_from(index).ok().filter(|at| *at <= list.len());
        let at = at.ok_or(MirrorError::Sheet { sheet, index })?;
        match list.get_mut(at) {
            _ if sheet == 0 => list.truncate(at),
            Some(place) => *place = sheet,
            None => list.push(sheet),
        }
        Ok(())
    }

    /// A node is gone.
    pub fn forget(&mut self, id: u32) {
        if self.sheets.is_empty() {
            return;
        }
        self.adopted.remove(&id);
        self.sheets.retain(|_, sheet| sheet.owner == 0 || sheet.owner != id);
    }

    /// The sheet of an element, with its number.
    pub fn of(&self, owner: u32) -> Option<(u32, &Sheet)> {
        self.sheets.iter().find(|(_, sheet)| sheet.owner == owner).map(|(n, sheet)| (*n, sheet))
    }
}
