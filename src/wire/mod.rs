//! What the parts say to each other. [`op`] the frame sensors' stream of facts, [`fact`] input events in
//! it, [`pack`] how it is kept, [`log`] the session's append-only log, [`secrets`] what of an address is not
//! written down, [`sensor`] what the hub asks of a frame, [`agent`] what
//! agents and the companion ask of the hub, [`panel`] what the side panel asks of it.

pub mod agent;
pub mod fact;
pub mod log;
pub mod op;
pub mod pack;
pub mod panel;
pub mod secrets;
pub mod sensor;
mod shape;
