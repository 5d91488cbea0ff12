//! The one queue of the log: entries reach the store in the order they were made, several in one transaction,
//! and acknowledgements follow what they stand for. A failed write is tried again; nothing overtakes it.

use std::collections::VecDeque;

use futures_channel::oneshot;
use serde_json::json;
use tracerule_store::{Record, Store, StoreError};
use vecmap::VecMap;

use crate::browser::object;
use crate::hub::{self, now};

/// What waits to be stored, and who waits for it.
#[derive(Default)]
pub struct Writer {
    queue: VecDeque<Item>,
    running: bool,
    failed_since: Option<f64>,
    /// What lies loose, by session: the first number, how many entries and bytes.
    loose: VecMap<String, (u64, u64, usize)>,
}

enum Item {
    Entry { session: String, number: u64, record: Record, ack: Option<(u32, u32)> },
    Ack { port: u32, seq: u32 },
    Wake(oneshot::Sender<()>),
    Compact { session: String, from: u64 },
}

/// The most that goes into one transaction, in bytes.
const CHUNK: usize = 8 << 20;
/// So much is stored as it comes before it is made into one compressed chunk: entries, and bytes of them.
const LOOSE: (u64, usize) = (2000, 512 << 10);

/// Queues an entry; `ack` names the frame's port and the batch to acknowledge once it is stored.
pub fn entry(session: String, number: u64, record: Record, ack: Option<(u32, u32)>) {
    push(Item::Entry { session, number, record, ack });
}

/// Compresses what of a session's log lies loose from that number on, once all that was queued before is stored.
pub fn compact(session: String, from: u64) {
    push(Item::Compact { session, from });
}

/// Tells a frame that its batch is stored, once all that was queued before is.
pub fn ack(port: u32, seq: u32) {
    push(Item::Ack { port, seq });
}

/// Waits until all that was queued before is stored.
pub async fn stored() {
    let (sender, receiver) = oneshot::channel();
    push(Item::Wake(sender));
    // The sender is only dropped with the hub itself.
    let _ = receiver.await;
}

fn push(item: Item) {
    let start = hub::with(|hub| {
        hub.writer.queue.push_back(item);
        !std::mem::replace(&mut hub.writer.running, true)
    });
    if start {
        wasm_bindgen_futures::spawn_local(run());
    }
}

async fn run() {
    let mut pause = 250.0;
    loop {
        let (session, entries) = match next() {
            Some(Next::Write(session, entries)) => (session, entries),
            Some(Next::Compact(session, from)) => {
                compress(&session, from).await;
                continue;
            }
            None => return,
        };
        let result = match hub::store() {
            Ok(store) => store.append(&session, &entries).await.map_err(hub::Trouble::from),
            Err(trouble) => Err(trouble),
        };
        match result {
            Ok(()) => {
                pause = 250.0;
                let acks: Vec<_> = hub::with(|hub| {
                    if hub.writer.failed_since.take().is_some() {
                        hub.problem = None;
                        crate::panel::changed();
                    }
                    let stored = hub.writer.queue.drain(..entries.len());
                    stored.filter_map(|item| if let Item::Entry { ack, .. } = item { ack } else { None }).collect()
                });
                for (port, seq) in acks {
                    acknowledge(port, seq);
                }
                if let Some(from) = loosen(&session, &entries) {
                    compress(&session, from).await;
                }
            }
            Err(trouble) => {
                let first = hub::with(|hub| hub.writer.failed_since.replace(now()).is_none());
                if first {
                    hub::problem(&format!("{trouble} (kept in memory, tried again until it is stored)"));
                }
                // A full disk can cost the connection to the database, which no trying again brings back.
                if !matches!(trouble, hub::Trouble::Store(StoreError::Full { .. }))
                    && let Ok(fresh) = Store::open().await
                {
                    hub::with(|hub| hub.store = Some(fresh));
                }
                hub::sleep(pause).await;
                pause = f64::min(pause * 2.0, 10_000.0);
            }
        }
    }
}

fn acknowledge(port: u32, seq: u32) {
    let to = hub::with(|hub| hub.frames.get(&port).map(|frame| frame.port.clone()));
    if let Some(to) = to {
        // A frame that is gone needs no acknowledgement.
        let _ = to.post(&object(&json!({"ack": seq})));
    }
}

/// Takes note of what was stored; gives where to compress from, when there is enough.
fn loosen(session: &str, entries: &[(u64, Record)]) -> Option<u64> {
    let first = entries.first()?.0;
    let bytes: usize = entries.iter().map(|(_, record)| record.size()).sum();
    hub::with(|hub| {
        let loose = hub.writer.loose.entry(session.to_owned()).or_insert((first, 0, 0));
        loose.1 += entries.len() as u64;
        loose.2 += bytes;
        (loose.1 >= LOOSE.0 || loose.2 >= LOOSE.1).then_some(loose.0)
    })
}

/// A failure loses nothing: the log stays as it is, and is tried again with more of it.
async fn compress(session: &str, from: u64) {
    hub::with(|hub| hub.writer.loose.remove(session));
    let Ok(store) = hub::store() else { return };
    if let Err(trouble) = store.compact(session, from).await {
        web_sys::console::warn_1(&format!("Tracerule: {trouble}").into());
    }
}

/// What is to be done.
enum Next {
    /// Entries of one session.
    Write(String, Vec<(u64, Record)>),
    /// A session's log from a number on.
    Compact(String, u64),
}

/// Serves what needs no store, then looks at (without taking) the entries of one session at the head. An
/// entry leaves the queue when it is stored. `None` when all is done.
fn next() -> Option<Next> {
    loop {
        let item = hub::with(|hub| match hub.writer.queue.front() {
            Some(Item::Entry { .. }) => None,
            Some(_) => hub.writer.queue.pop_front(),
            None => {
                hub.writer.running = false;
                None
            }
        });
        match item {
            Some(Item::Ack { port, seq }) => acknowledge(port, seq),
            Some(Item::Wake(sender)) => {
                let _ = sender.send(());
            }
            Some(Item::Compact { session, from }) => return Some(Next::Compact(session, from)),
            Some(Item::Entry { .. }) | None => break,
        }
    }
    hub::with(|hub| {
        let Some(Item::Entry { session, .. }) = hub.writer.queue.front() else { return None };
        let session = session.clone();
        let mut size = 0;
        let entries = hub
            .writer
            .queue
            .iter()
            .map_while(|item| match item {
                Item::Entry { session: of, number, record, .. } if *of == session && size < CHUNK => {
                    size += record.size();
                    Some((*number, record.clone()))
                }
                _ => None,
            })
            .collect();
        Some(Next::Write(session, entries))
    })
}

/// Where a session's loose entries begin, to be compressed at its end.
pub fn loose(session: &str) -> Option<u64> {
    hub::with(|hub| hub.writer.loose.get(session).map(|loose| loose.0))
}
