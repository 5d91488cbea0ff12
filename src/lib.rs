//! Tracerule's core: everything that decides, as pure functions over data.
//!
//! No browser, clock, randomness, disk or network is known here; they are passed in. The rooms:
//! [`action`] the closed vocabulary; [`trace`] the model and the file format; [`wire`] what the frame
//! sensors, the hub, the panel and the companion say to each other; [`mirror`] the replica of a tab and
//! all that is asked of it; [`steps`] the gesture grammar, facts to steps; [`mod@reference`] references and
//! plain step lists; [`edit`] editing by hand; [`lint`] what is worth mending; [`perturb`] plans; [`score`] the ruler;
//! [`report`] what a person looks at; [`interop`] the formats of others.

pub mod action;
pub mod edit;
pub mod interop;
pub mod lint;
pub mod mirror;
pub mod perturb;
pub mod reference;
pub mod report;
pub mod score;
pub mod steps;
pub mod trace;
pub mod wire;
