//! What cannot matter any more is taken out of a world, so that worlds that will be alike are one.

use super::model::{Deed, Model};
use super::tables::slot_of;
use super::world::{Doing, SLOTS, Slot, WORKERS, Worker, World};

impl Model {
    /// Takes out what cannot matter any more: a worker without its lease that will send nothing (its
    /// commit would be refused whatever it is), and a stray call whose token the cloud knows already.
    pub(super) fn tidy(&mut self, world: &mut World) {
        if self.configuration.fence {
            for index in 0..WORKERS {
                let Worker::Busy(lease) = world.workers[index] else { continue };
                let sends = match lease.doing {
                    Doing::Call { effect, .. } => matches!(self.deed(effect), Deed::Write(_)),
                    Doing::Answer(_) => false,
                };
                if !lease.holds && !sends {
                    world.workers[index] = Worker::Idle;
                }
            }
        }
        if !self.configuration.reruns {
            let requests = world.cloud.requests;
            for stray in &mut world.cloud.stray {
                *stray = stray.filter(|(call, _)| {
                    !requests
                        .iter()
                        .flatten()
                        .any(|it| it.call == *call && world.minute - it.born < 35 * 60)
                });
            }
        }
        world.cloud.sort_strays();
        if self.configuration.fence {
            self.forget(world);
        }
    }

    /// Takes out what is left of an operation that nobody will look at again: its requests that have
    /// ended, if no call with their tokens can come, and its counts.
    fn forget(&self, world: &mut World) {
        for place in 0..SLOTS {
            let Slot::Accepted { due: false, .. } = world.slots[place] else { continue };
            let slot = u8::try_from(place).expect("few slots");
            world.creates[place] = 0;
            world.writes &= !(1 << slot);
            let held = world.workers.iter().any(|worker| match worker {
                Worker::Busy(lease) => lease.slot == slot,
                Worker::Idle => false,
            });
            let entry = self.tables.entries.get(world.entry).as_ref();
            let unsettled =
                entry.is_some_and(|it| it.unsettled.iter().any(|it| slot_of(it.operation) == slot));
            // A later operation may have taken its creates over.
            let taken = self.running(world).any(|(_, operation)| {
                operation.attempts.iter().any(|it| slot_of(it.operation) == slot)
            });
            let stray = world.cloud.stray.iter().flatten().any(|(call, _)| call.slot == slot);
            if held || unsettled || taken || stray {
                continue;
            }
            for request in &mut world.cloud.requests {
                *request = request.filter(|it| it.call.slot != slot || it.fate.is_running());
            }
        }
    }

    /// Whether nothing that is looked at can change any more.
    pub(super) fn is_over(&self, world: &World) -> bool {
        let asks = self.configuration.asks.len();
        let quiet = world.slots[..asks]
            .iter()
            .all(|slot| matches!(slot, Slot::TurnedAway | Slot::Accepted { due: false, .. }));
        let still = world.workers == [Worker::Idle; WORKERS]
            && world.cloud.stray.iter().all(Option::is_none)
            && !world.cloud.requests.iter().flatten().any(|it| it.fate.is_running());
        // Not so where an operation was lost: that is for the invariants.
        quiet && still && self.running(world).next().is_none()
    }
}
