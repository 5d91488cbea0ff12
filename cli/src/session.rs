//! The companion's own requests to the hub, with the control role.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracerule::trace::Ending;
use tracerule::wire::agent::{Export, From, Import, Part, Score, Start, Started, Stop, Summary, UNREACHABLE};

use crate::error::CliError;
use crate::relay::Hub;
use crate::relay::rpc::RpcError;

/// A part of an imported file, before Base64.
const IMPORT_PART: usize = 1 << 20;
/// A part of an exported file must come within this time.
const PART_CAP: Duration = Duration::from_secs(30);

/// The hub, asked by the companion itself.
#[derive(Clone, Debug)]
pub struct Control {
    hub: Hub,
    from: From,
}

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// The hub or the relay says why.
    #[error("{0}")]
    Refused(RpcError),
    /// The answer is not what was agreed.
    #[error("the extension's answer to {method} is unreadable ({cause}); are companion and extension of one version?")]
    Answer {
        /// What was asked.
        method: &'static str,
        /// Why.
        cause: String,
    },
    /// No answer.
    #[error("the extension did not answer {method} within {} s", .after.as_secs())]
    Late {
        /// What was asked.
        method: &'static str,
        /// How long it was waited for.
        after: Duration,
    },
}

impl ControlError {
    /// As the end of a command that could not open its first page: `doing` is a verb phrase.
    pub fn at_start(&self, doing: &str, url: &url::Url) -> CliError {
        match self {
            ControlError::Refused(error) if error.code == UNREACHABLE => {
                CliError::environment(format!("infra: cannot {doing} {url}: {error}"))
            }
            _ => CliError::failed(format!("cannot {doing} {url}: {self}")),
        }
    }
}

impl Control {
    /// Over a hub.
    pub fn new(hub: Hub) -> Control {
        Control { hub, from: From { client: "companion".to_owned(), control: true } }
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        cap: Duration,
    ) -> Result<T, ControlError> {
        let answer = |cause: serde_json::Error| ControlError::Answer { method, cause: cause.to_string() };
        let params = serde_json::to_value(params).map_err(answer)?;
        let result = tokio::time::timeout(cap, self.hub.request(method, params, &self.from))
            .await
            .map_err(|_| ControlError::Late { method, after: cap })?
            .map_err(ControlError::Refused)?;
        serde_json::from_value(result).map_err(answer)
    }

    /// Opens a page and records it.
    ///
    /// # Errors
    /// See [`ControlError`]; so for all methods.
    pub async fn start(&self, start: &Start) -> Result<Started, ControlError> {
        self.ask("session.start", start, Duration::from_secs(60)).await
    }

    /// Ends a session.
    ///
    /// # Errors
    /// See [`ControlError`].
    pub async fn stop(&self, session: &str, ending: Option<Ending>) -> Result<Summary, ControlError> {
        let stop = Stop { session: Some(session.to_owned()), ending };
        // Its tabs settle first, and the pictures taken then have to share the browser's quota.
        self.ask("session.stop", &stop, Duration::from_secs(60)).await
    }

    /// All sessions of the store.
    ///
    /// # Errors
    /// See [`ControlError`].
    pub async fn list(&self) -> Result<Vec<Summary>, ControlError> {
        self.ask("session.list", &serde_json::json!({}), Duration::from_secs(15)).await
    }

    /// A session's `.trace.zip`.
    ///
    /// # Errors
    /// See [`ControlError`].
    pub async fn export(&self, session: &str) -> Result<Vec<u8>, ControlError> {
        let mut bytes = Vec::new();
        let (mut part, mut parts) = (0, 1);
        while part < parts {
            let export = Export { session: session.to_owned(), part };
            let got: Part = self.ask("session.export", &export, PART_CAP).await?;
            let wrong = |cause: String| ControlError::Answer { method: "session.export", cause };
            if got.part != part {
                return Err(wrong(format!("part {} came instead of {part}", got.part)));
            }
            parts = got.parts;
            bytes.extend(STANDARD.decode(got.data).map_err(|e| wrong(e.to_string()))?);
            part += 1;
        }
        Ok(bytes)
    }

    /// Gives the store a `.trace.zip`; tells the session it became.
    ///
    /// # Errors
    /// See [`ControlError`].
    pub async fn import(&self, name: &str, bytes: &[u8]) -> Result<Summary, ControlError> {
        let chunks: Vec<&[u8]> = if bytes.is_empty() { vec![bytes] } else { bytes.chunks(IMPORT_PART).collect() };
        let parts = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        let mut last = None;
        for (part, chunk) in (0..parts).zip(chunks) {
            let import = Import { name: name.to_owned(), part, parts, data: STANDARD.encode(chunk) };
            last = self.ask::<Option<Summary>>("session.import", &import, PART_CAP).await?;
        }
        last.ok_or_else(|| ControlError::Answer {
            method: "session.import",
            cause: "no summary after the last part".to_owned(),
        })
    }

    /// Scores runs in the extension.
    ///
    /// # Errors
    /// See [`ControlError`].
    pub async fn score(&self, reference: &str, runs: &[String]) -> Result<Value, ControlError> {
        let score = Score { reference: reference.to_owned(), runs: runs.to_vec() };
        self.ask("session.score", &score, Duration::from_secs(60)).await
    }
}
