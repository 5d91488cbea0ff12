//! The companion of Tracerule: opens browsers with the extension, relays agents to it, runs tasks, and
//! shows, scores and reports traces.
//!
//! Everything here is an edge: processes, sockets, files. What decides (steps, perturbation plans, scores)
//! is the core's. The binary `tracerule` is [`run`] and nothing else; the rest is public for the tests.

pub mod browser;
pub mod cli;
pub mod commands;
pub mod error;
pub mod export;
pub mod mcp;
pub mod process;
pub mod relay;
pub mod session;
pub mod signals;
pub mod stage;
pub mod task;
pub mod weburl;

pub use cli::run;
