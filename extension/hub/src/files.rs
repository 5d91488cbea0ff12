//! Trace files on their way in and out, part by part.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tracerule::trace::archive;
use tracerule::wire::agent::{Import, Part};
use vecmap::VecMap;

use crate::hub::{self, Trouble};

/// So many bytes make 4 MiB of base64.
const PART: usize = 3 << 20;
/// The largest file taken in, bytes.
const LARGEST: usize = 1 << 30;

thread_local! {
    /// The file that is being fetched: its session and bytes.
    static OUTGOING: RefCell<Option<(String, Vec<u8>)>> = const { RefCell::new(None) };
    /// Files that are being sent: the parts so far, by name.
    static INCOMING: RefCell<VecMap<String, (u32, Vec<u8>)>> = const { RefCell::new(VecMap::new()) };
}

/// A part of a session's `.trace.zip`. The file is made when the first part is asked for.
pub async fn export(session: &str, part: u32) -> Result<Part, Trouble> {
    let ready = part > 0 && OUTGOING.with_borrow(|file| file.as_ref().is_some_and(|(id, _)| id == session));
    if !ready {
        let live = hub::session(session, |_| ()).is_some();
        if live {
            crate::writer::stored().await;
        }
        let trace = hub::store()?.load_trace(session).await?;
        let bytes = archive::write_zip(&trace)?;
        OUTGOING.set(Some((session.to_owned(), bytes)));
    }
    let found = OUTGOING.with_borrow(|file| {
        let (_, bytes) = file.as_ref()?;
        let parts = bytes.len().div_ceil(PART).max(1);
        let at = part as usize;
        let slice = bytes.chunks(PART).nth(at)?;
        Some(Part { part, parts: u32::try_from(parts).ok()?, data: STANDARD.encode(slice) })
    });
    let found = found.ok_or_else(|| Trouble::said(format!("the file of {session} has no part {part}")))?;
    if found.part + 1 == found.parts {
        OUTGOING.set(None);
    }
    Ok(found)
}

/// Takes in a part; gives the whole file with the last.
pub fn collect(part: &Import) -> Result<Option<Vec<u8>>, Trouble> {
    let wrong = |why: &str| Trouble::said(format!("{}: part {} {why}; send the file again", part.name, part.part));
    let bytes = STANDARD.decode(&part.data).map_err(|_| wrong("is no base64"))?;
    INCOMING.with_borrow_mut(|files| {
        if part.part == 0 {
            files.insert(part.name.clone(), (0, Vec::new()));
        }
        let (next, file) = files.get_mut(&part.name).ok_or_else(|| wrong("came without the ones before"))?;
        if *next != part.part || part.part >= part.parts {
            files.remove(&part.name);
            return Err(wrong("is out of order"));
        }
        if file.len() + bytes.len() > LARGEST {
            files.remove(&part.name);
            return Err(wrong("makes the file too large"));
        }
        *next += 1;
        file.extend(bytes);
        if *next < part.parts {
            return Ok(None);
        }
        Ok(files.remove(&part.name).map(|(_, file)| file))
    })
}
