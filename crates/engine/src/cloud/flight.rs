//! Reads of one thing at one time are one read.
//!
//! Who comes while a read is under way does not get its answer, which may be of before what he has just
//! seen happen: he waits for the next one, with all others who have come by then.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hangar_provider::{Observation, ProviderError, Target};

use super::CallError;

type Answer = Result<Observation, ProviderError>;

/// Place, type and identifier.
type Key = (hangar_provider::Place, String, String);

/// The reads that are under way.
#[derive(Debug, Default)]
pub(super) struct Flights {
    /// Counts who came and which read began: both in one order.
    clock: AtomicU64,
    flights: Mutex<HashMap<Key, Arc<Flight>>>,
}

/// Those who want to read one thing.
#[derive(Debug, Default)]
struct Flight {
    /// When the last read began, and what it gave.
    last: tokio::sync::Mutex<Option<(u64, Answer)>>,
}

impl Flights {
    /// Reads, or shares a read that begins after this call.
    pub(super) async fn join<F, R>(&self, target: &Target, identifier: &str, read: F) -> Answer
    where
        F: FnOnce() -> R,
        R: Future<Output = Result<Observation, CallError>>,
    {
        let key = (
            target.place.clone(),
            target.type_name.cloud_formation().to_ascii_lowercase(),
            identifier.to_owned(),
        );
        let came = self.clock.fetch_add(1, Ordering::SeqCst);
        let flight = self.lock().entry(key.clone()).or_default().clone();
        let seat = Seat { flights: self, key, flight };
        let mut last = seat.flight.last.lock().await;
        if let Some((began, answer)) = &*last
            && *began > came
        {
            return answer.clone();
        }
        let began = self.clock.fetch_add(1, Ordering::SeqCst);
        let answer = match read().await {
            Ok(observed) => Ok(observed),
            Err(CallError::Failed(error)) => Err(error),
            // That its own turn did not come in time is nobody else's answer.
            Err(CallError::NotMade(why)) => return Err(why.into()),
        };
        *last = Some((began, answer.clone()));
        answer
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader's place; the last one to leave it clears it away.
struct Seat<'a> {
    flights: &'a Flights,
    key: Key,
    flight: Arc<Flight>,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut flights = self.flights.lock();
        // The map's and ours: nobody else waits.
        if Arc::strong_count(&self.flight) == 2 {
            flights.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hangar_ids::{AccountId, Region, TypeName};
    use hangar_provider::Place;
    use serde_json::json;

    use super::*;

    fn target() -> Target {
        let place = Place {
            plane: "aws".to_owned(),
            account: AccountId::parse("1").unwrap(),
            region: Region::parse("us-east-1").unwrap(),
        };
        Target { place, type_name: TypeName::parse("AWS::EC2::VPC").unwrap() }
    }

    #[tokio::test]
    async fn many_who_read_at_once_share_two_reads() {
        let (flights, reads) = (Flights::default(), AtomicU64::new(0));
        let target = target();
        let read = || async {
            let number = reads.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
            let properties = json!({ "read": number });
            Ok(Observation::Present { identifier: "a".to_owned(), properties })
        };
        let join = || flights.join(&target, "a", read);
        // The first is under way when the others come: theirs is the second.
        let (first, second, third, fourth) = tokio::join!(join(), join(), join(), join());
        assert_eq!(reads.load(Ordering::SeqCst), 2);
        assert_ne!(first, second);
        assert_eq!(second, third);
        assert_eq!(third, fourth);
        assert!(flights.lock().is_empty());
    }

    #[tokio::test]
    async fn a_reader_that_goes_away_leaves_the_next_one_its_turn() {
        let (flights, target) = (Flights::default(), target());
        let never = || std::future::pending::<Result<Observation, CallError>>();
        let gone =
            tokio::time::timeout(Duration::from_millis(5), flights.join(&target, "a", never));
        assert!(gone.await.is_err());
        let read = || async { Ok(Observation::Absent) };
        assert_eq!(flights.join(&target, "a", read).await, Ok(Observation::Absent));
        assert!(flights.lock().is_empty());
    }
}
