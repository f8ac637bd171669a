//! A state made again from many changes: what is only there to find things by is made at the end,
//! once, for what is left then.

use std::cmp::Reverse;

use super::{Change, State};

/// A state to which changes are told in order, and of which nothing is asked before the last.
#[derive(Debug, Default)]
pub struct Replay(State);

impl Replay {
    /// The next change.
    pub fn apply(&mut self, change: Change) {
        let state = &mut self.0;
        match change {
            Change::Request { place, serial, request } => {
                let region = state.regions.entry(place).or_default();
                region.next_serial = region.next_serial.max(serial + 1);
                match request {
                    Some(request) => region.requests.insert(serial, request),
                    None => region.requests.remove(&serial),
                };
            }
            Change::Ended { place, serial, end } => {
                let Some(region) = state.regions.get_mut(&place) else { return };
                if let Some((at, faded)) = region.end(serial, *end) {
                    state.fading.push(Reverse((at, place, faded)));
                }
            }
            // These leave no mark but in what is true.
            Change::Resource { .. }
            | Change::Serial { .. }
            | Change::Offset(_)
            | Change::Faults(_)
            | Change::Cleared => state.apply(change),
        }
    }

    /// The state after the last change.
    pub fn finish(self) -> State {
        let mut state = self.0;
        for (place, region) in &mut state.regions {
            let requests = std::mem::take(&mut region.requests);
            for (serial, request) in &requests {
                if let Some(at) = region.index(*serial, request) {
                    state.due.push(Reverse((at, place.clone(), *serial)));
                }
            }
            region.requests = requests;
        }
        state
    }
}
