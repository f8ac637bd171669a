//! Whether a command that waits for an operation waits in vain: its own control plane cannot reach AWS.
//!
//! Only the control plane of this command is asked. A server keeps trying, for those who come later.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hangar_engine::AwsOutage;
use tokio::time::{Instant, sleep};

/// How long AWS may be out of reach before a command gives up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(30);

/// How often the outage is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

type Probe = Box<dyn Fn() -> Option<AwsOutage> + Send + Sync>;

/// What the session knows of AWS, while its work goes on.
#[derive(Default)]
pub(super) struct Outlook(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Tells the outage; there is none while another process runs the control plane.
    probe: Option<Probe>,
    following_since: Option<Instant>,
}

impl fmt::Debug for Outlook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outlook").finish_non_exhaustive()
    }
}

impl Outlook {
    /// Asks this from now on.
    pub(super) fn ask(&self, probe: impl Fn() -> Option<AwsOutage> + Send + Sync + 'static) {
        self.with(|known| known.probe = Some(Box::new(probe)));
    }

    /// Asks nothing any more.
    pub(super) fn ask_nothing(&self) {
        self.with(|known| known.probe = None);
    }

    /// The command waits for an operation from now on.
    pub(super) fn follows(&self) {
        self.with(|known| known.following_since = Some(Instant::now()));
    }

    /// It waits no more.
    pub(super) fn followed(&self) {
        self.with(|known| known.following_since = None);
    }

    /// The outage of AWS that lasts, if there is one.
    pub(super) fn outage(&self) -> Option<AwsOutage> {
        self.with(|known| known.probe.as_ref()?())
    }

    /// Returns when waiting any longer is pointless; `is_stopping` is whether the user asked to stop.
    pub(super) async fn hopeless(&self, is_stopping: impl Fn() -> bool) -> AwsOutage {
        loop {
            sleep(LOOK_EVERY).await;
            let outage = self.with(|known| {
                let since = known.following_since?;
                let outage = known.probe.as_ref()?()?;
                is_hopeless(&outage, since, Instant::now(), is_stopping()).then_some(outage)
            });
            if let Some(outage) = outage {
                return outage;
            }
        }
    }

    fn with<T>(&self, deed: impl FnOnce(&mut Known) -> T) -> T {
        deed(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether a command that has waited since then should give up. An AWS that answered once is given the whole retry
/// budget, unless the user wants to stop.
fn is_hopeless(
    outage: &AwsOutage,
    following_since: Instant,
    now: Instant,
    is_stopping: bool,
) -> bool {
    let since = outage.since.max(following_since);
    let is_long = now.saturating_duration_since(since) >= GIVE_UP_AFTER;
    is_long && (is_stopping || !outage.was_reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gives_up_on_an_aws_that_was_never_reached_for_as_long_as_it_waits() {
        let began = Instant::now();
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        let outage = |was_reached| AwsOutage {
            since: at(10),
            calls: 4,
            cause: "cannot reach http://h: refused".to_owned(),
            was_reached,
        };
        let (never, lost) = (outage(false), outage(true));
        assert!(!is_hopeless(&never, began, at(39), false));
        assert!(is_hopeless(&never, began, at(40), false));
        // It was asked for later than AWS was first called.
        assert!(!is_hopeless(&never, at(20), at(40), false));
        assert!(!is_hopeless(&lost, began, at(400), false));
        assert!(is_hopeless(&lost, began, at(40), true));
    }
}
