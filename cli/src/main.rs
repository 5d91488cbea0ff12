//! The companion of Tracerule.

mod commands;
mod error;

fn main() {}
