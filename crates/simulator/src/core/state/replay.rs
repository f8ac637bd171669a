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
            | Change::Session { .. }
            | Change::Stack { .. }
            | Change::Asset { .. }
            | Change::Cleared => state.apply(change),
        }
    }

    /// The state after the last change.
    pub fn finish(self) -> State {
        let mut state = self.0;
        for (place, region) in &mut state.regions {
            let requests = std::mem::take(&mut region.requests);
            region.by_client_token.reserve(requests.len());
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hangar_schema::Catalog;

    use super::*;
    use crate::core::call::{Call, Common};
    use crate::core::place::Place;
    use crate::core::settings::Settings;
    use crate::core::time::{SpanRange, Timestamp};
    use crate::core::world::World;

    /// Creates of two resources, one retried; an update of the first; a delete of the second; and a
    /// create that is still open.
    fn changes() -> Vec<Change> {
        let second = Duration::from_secs(1);
        let settings = Settings {
            latency: SpanRange { least: second, most: second },
            read_delay: 5 * second,
            ..Settings::default()
        };
        let mut world = World::new(Catalog::bundled(), settings);
        let type_name = || "AWS::Logs::LogGroup".to_owned();
        let create = |name: &str| Call::CreateResource {
            type_name: type_name(),
            desired_state: format!(r#"{{"LogGroupName": "{name}"}}"#),
            common: Common { client_token: Some(name.to_owned()), ..Common::default() },
        };
        let patch = r#"[{"op": "add", "path": "/RetentionInDays", "value": 7}]"#;
        let update = Call::UpdateResource {
            type_name: type_name(),
            identifier: "a".to_owned(),
            patch_document: patch.to_owned(),
            common: Common::default(),
        };
        let delete = Call::DeleteResource {
            type_name: type_name(),
            identifier: "b".to_owned(),
            common: Common::default(),
        };
        let calls =
            [create("a"), create("b"), create("a"), update, delete, create("c"), create("d")];
        for (step, call) in (0..).zip(calls) {
            world.call(&Place::default(), &call, Timestamp::from_millis(step * 1500));
        }
        world.take_changes()
    }

    fn lookups(state: &mut State) -> String {
        let late = Timestamp::from_millis(1_000_000);
        let mut due = Vec::new();
        while let Some(next) = state.pop_due(late) {
            due.push(next);
        }
        let mut faded = Vec::new();
        while let Some(next) = state.pop_faded(late) {
            faded.push(next);
        }
        let region = &state.regions[&Place::default()];
        let type_name = "AWS::Logs::LogGroup".into();
        let busy: Vec<bool> = ["a", "b", "c", "d"]
            .iter()
            .map(|name| region.busy_with(&type_name, name).is_some())
            .collect();
        let known: Vec<Option<u64>> = ["a", "b", "c", "d", "e"]
            .iter()
            .map(|name| region.by_client_token(name, late).map(|(serial, _)| serial))
            .collect();
        format!("{due:?} {faded:?} {busy:?} {known:?}")
    }

    #[test]
    fn changes_that_are_replayed_make_the_state_that_they_made_when_they_happened() {
        let changes = changes();
        for count in 0..=changes.len() {
            let (mut state, mut replay) = (State::default(), Replay::default());
            for change in &changes[..count] {
                state.apply(change.clone());
                replay.apply(change.clone());
            }
            let mut replayed = replay.finish();
            assert!(state.snapshot().eq(replayed.snapshot()), "after {count} changes");
            if count > 0 {
                assert_eq!(lookups(&mut state), lookups(&mut replayed), "after {count} changes");
            }
        }
        assert!(changes.iter().any(|change| matches!(change, Change::Ended { .. })));
    }
}
