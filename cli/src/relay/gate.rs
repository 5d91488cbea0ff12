//! The step limit of a run. Acts may come in before earlier ones are answered; each in flight holds the step
//! it will make, so that no pipelining gets past the limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

struct Counts {
    /// Largest number of steps; `u32::MAX` for none.
    limit: u32,
    steps: u32,
    /// Steps there will be once every act in flight has made one.
    promised: u32,
    flying: u32,
    /// An act was refused while others were in flight.
    refused: bool,
    /// Flights of an earlier limit no longer count.
    era: u32,
}

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Gate {
    counts: Arc<Mutex<Counts>>,
    tripped: Arc<watch::Sender<bool>>,
}

/// An act that was let through; its place is free again when this drops.
pub(super) struct Flight {
    gate: Gate,
    era: u32,
}

impl Gate {
    pub(super) fn new() -> Gate {
        let counts = Counts { limit: u32::MAX, steps: 0, promised: 0, flying: 0, refused: false, era: 0 };
        Gate { counts: Arc::new(Mutex::new(counts)), tripped: Arc::new(watch::Sender::new(false)) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run with this limit; counts from 0 again.
    pub(super) fn limit(&self, limit: u32) {
        let mut counts = self.counts();
        let era = counts.era.wrapping_add(1);
        *counts = Counts { limit, steps: 0, promised: 0, flying: 0, refused: false, era };
        self.tripped.send_replace(false);
    }

    pub(super) fn steps(&self) -> u32 {
        self.counts().steps
    }

    /// So many steps are there; never fewer than before.
    pub(super) fn reached(&self, steps: u32) {
        let mut counts = self.counts();
        counts.steps = counts.steps.max(steps);
    }

    /// Lets an act through, or not. The limit trips only when nothing is in flight: what was let through is
    /// still to be done, and may turn out to make no step.
    pub(super) fn admit(&self) -> Option<Flight> {
        let mut counts = self.counts();
        let there = counts.steps.max(counts.promised);
        if there >= counts.limit {
            counts.refused = true;
            self.settle(&mut counts);
            return None;
        }
        counts.promised = there.saturating_add(1);
        counts.flying += 1;
        Some(Flight { gate: self.clone(), era: counts.era })
    }

    fn settle(&self, counts: &mut Counts) {
        if counts.flying == 0 && std::mem::take(&mut counts.refused) && counts.steps >= counts.limit {
            self.tripped.send_replace(true);
        }
    }

    /// Returns once the limit ended the run.
    pub(super) async fn tripped(&self) {
        let mut seen = self.tripped.subscribe();
        // The sender lives as long as `self`.
        let _ = seen.wait_for(|tripped| *tripped).await;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut counts = self.gate.counts();
        if counts.era == self.era {
            counts.flying = counts.flying.saturating_sub(1);
            counts.promised = counts.steps.saturating_add(counts.flying);
            self.gate.settle(&mut counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_tripped(gate: &Gate) -> bool {
        *gate.tripped.borrow()
    }

    #[test]
    fn acts_in_flight_hold_their_step() {
        let gate = Gate::new();
        gate.limit(2);
        let first = gate.admit().unwrap();
        let second = gate.admit().unwrap();
        assert!(gate.admit().is_none());
        assert!(!is_tripped(&gate), "what was let through is still to be done");
        gate.reached(1);
        drop(first);
        assert!(gate.admit().is_none(), "the second still holds the last step");
        gate.reached(2);
        assert!(!is_tripped(&gate));
        drop(second);
        assert!(is_tripped(&gate));
    }

    #[test]
    fn an_act_without_a_step_gives_its_place_back() {
        let gate = Gate::new();
        gate.limit(1);
        let failed = gate.admit().unwrap();
        assert!(gate.admit().is_none());
        drop(failed);
        assert!(!is_tripped(&gate));
        let done = gate.admit().unwrap();
        gate.reached(1);
        drop(done);
        assert!(!is_tripped(&gate), "the last step allowed does not end the run");
        assert!(gate.admit().is_none());
        assert!(is_tripped(&gate));
    }

    #[test]
    fn a_step_told_before_the_answer_counts_once() {
        let gate = Gate::new();
        gate.limit(2);
        let _first = gate.admit().unwrap();
        gate.reached(1);
        assert!(gate.admit().is_some());
    }
}
