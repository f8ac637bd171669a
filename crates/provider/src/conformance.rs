//! What every provider must do, as a suite that each implementation runs.
//!
//! It waits only through the pause that it is given, and so knows neither a runtime nor a clock. A
//! claim that does not hold is told with its name; the others are tried all the same.

mod claim;
mod failures;
mod life;
mod lists;
mod requests;
mod tokens;

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Place, Provider};

pub use claim::Broken;
use claim::Claim;

/// What a claim is tried on: a provider, and what must be known of the cloud behind it.
pub struct Subject {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The same with nobody at its endpoint.
    pub unreachable: Arc<dyn Provider>,
    /// Where resources may be made. What else is there is not touched.
    pub place: Place,
    /// In every name and client token, so that two runs in one place do not meet.
    pub mark: String,
    /// So many log groups are sure to fill more than one page of a list.
    pub more_than_a_page_of_resources: usize,
    /// So many requests are sure to fill more than one page of the requests.
    pub more_than_a_page_of_requests: usize,
    /// Waits before a question is asked again.
    pub pause: Pause,
    /// What must live as long as the subject, such as the cloud itself where it is a double.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Waits a little.
pub type Pause = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// How the cloud behind a subject works on requests to create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As it always does; the quicker the better.
    Usual,
    /// It accepts them and does not end them, so that there is time to stop them.
    Held,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("provider", &self.provider)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// Tries every claim, each on a subject of its own, and gives those that do not hold.
///
/// ```
/// # async fn example(new_subject: impl AsyncFn(hangar_provider::conformance::Pace) -> hangar_provider::conformance::Subject) {
/// let broken = hangar_provider::conformance::run(new_subject).await;
/// assert!(broken.is_empty(), "{broken:#?}");
/// # }
/// ```
pub async fn run(factory: impl AsyncFn(Pace) -> Subject) -> Vec<Broken> {
    let mut broken = Vec::new();
    for Claim { name, pace, check } in claims() {
        let subject = factory(pace).await;
        if let Err(why) = check(&subject).await {
            broken.push(Broken { claim: name, why });
        }
    }
    broken
}

fn claims() -> impl Iterator<Item = Claim> {
    let groups: [&[Claim]; 5] =
        [life::CLAIMS, tokens::CLAIMS, requests::CLAIMS, lists::CLAIMS, failures::CLAIMS];
    groups.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_claim_has_a_name_of_its_own() {
        let mut names: Vec<&str> = claims().map(|claim| claim.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
