//! Where things stand, in the words of tools that count: the numbers of frames, the values behind options' labels.

use super::{DocKey, Mirror, NodeRef, names};
use crate::mirror::facts::fold;

impl Mirror {
    /// The numbers of the frames that lead to a document, each among the frames of its parent in tree order, from 0;
    /// empty for a top document, `None` while a frame on the way is not known.
    pub fn frame_numbers(&self, doc: DocKey) -> Option<Vec<u32>> {
        let mut numbers = Vec::new();
        let mut at = doc;
        while let Some(frame) = self.parent_frame(at) {
            let view = self.view(frame.doc)?;
            let own = view.tree.find(frame.node)?;
            let frames = view.facts.order.iter().filter(|ix| view.is_tag(**ix, "iframe") || view.is_tag(**ix, "frame"));
            numbers.push(u32::try_from(frames.take_while(|ix| **ix != own).count()).ok()?);
            at = frame.doc;
            if numbers.len() > super::FRAME_DEPTH {
                return None;
            }
        }
        numbers.reverse();
        self.doc(at).is_some_and(|held| held.top).then_some(numbers)
    }

    /// The options of a list, as label and value, in order.
    pub fn options(&self, list: NodeRef) -> Vec<(String, String)> {
        let Some((view, ix)) = self.at(list) else { return Vec::new() };
        let options = view.tree.subtree(ix).filter(|at| view.is_tag(*at, "option"));
        options
            .map(|at| {
                let text: String = view.tree.subtree(at).filter_map(|n| names::data(view, n)).collect();
                let text = fold(&text);
                let label = view.attribute(at, "label").filter(|l| !l.is_empty()).map_or_else(|| text.clone(), fold);
                (label, view.attribute(at, "value").map_or(text, str::to_owned))
            })
            .collect()
    }
}
