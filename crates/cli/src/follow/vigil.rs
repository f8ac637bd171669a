//! What a command says while nothing ends: a new reason for a wait at once, and a sign of life now and then.
//!
//! It decides only; the caller prints.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::client::instant::Instant as WallTime;
use crate::client::waiting::Waiting;

/// How often a command that prints lines says that it is still at work, and a reason again that did not go away.
const BEAT_EVERY: Duration = Duration::from_secs(30);

/// As many names as one line has.
const NAMED: usize = 5;

/// One thing that is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnderWay<'a> {
    /// Its address.
    pub(crate) name: &'a str,
    /// `creating`.
    pub(crate) doing: &'a str,
    /// For how long it has been under way.
    pub(crate) lasted: Duration,
    /// Why it makes no progress.
    pub(crate) waiting: Option<&'a Waiting>,
}

/// Something to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// These wait, for one reason.
    Waits { names: Vec<&'a str>, waiting: &'a Waiting },
    /// These are still under way.
    Beats { text: String, names: Vec<&'a str> },
}

/// What was said, and when.
#[derive(Debug)]
pub(crate) struct Vigil {
    told: HashMap<(String, String), Instant>,
    beat_at: Instant,
}

impl Vigil {
    /// A vigil that begins now.
    pub(crate) fn new(now: Instant) -> Self {
        Self { told: HashMap::new(), beat_at: now + BEAT_EVERY }
    }

    /// Whether a sign of life is due; notes that it is given.
    pub(crate) fn beats(&mut self, now: Instant) -> bool {
        let is_due = now >= self.beat_at;
        if is_due {
            self.beat_at = now + BEAT_EVERY;
        }
        is_due
    }

    /// When the next sign of life is due.
    pub(crate) fn beat_at(&self) -> Instant {
        self.beat_at
    }

    /// What is to be said of the things that are under way.
    pub(crate) fn words<'a>(
        &mut self,
        under_way: &[UnderWay<'a>],
        now: Instant,
        wall: WallTime,
    ) -> Vec<Word<'a>> {
        let mut words = Vec::new();
        let mut reasons: Vec<(&Waiting, Vec<&str>)> = Vec::new();
        for thing in under_way {
            let Some(waiting) = thing.waiting.filter(|it| it.is_worth_telling(wall)) else {
                continue;
            };
            let is_same =
                |it: &Waiting| (&it.code, &it.message) == (&waiting.code, &waiting.message);
            match reasons.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, names)) => names.push(thing.name),
                None => reasons.push((waiting, vec![thing.name])),
            }
        }
        for (waiting, names) in reasons {
            let key = (waiting.code.clone(), waiting.message.clone());
            let is_new = self.told.get(&key).is_none_or(|at| now >= *at + BEAT_EVERY);
            if is_new {
                self.told.insert(key, now);
                words.push(Word::Waits { names, waiting });
            }
        }
        if !under_way.is_empty() && self.beats(now) {
            let names = under_way.iter().map(|thing| thing.name).collect();
            words.push(Word::Beats { text: still(under_way), names });
        }
        words
    }
}

/// `still creating publicRoutes (1m), queue (30s) and 2 more`.
fn still(under_way: &[UnderWay<'_>]) -> String {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for thing in under_way.iter().take(NAMED) {
        let told = format!("{} ({})", thing.name, rounded(thing.lasted));
        match parts.iter_mut().find(|(doing, _)| *doing == thing.doing) {
            Some((_, told_before)) => told_before.push(told),
            None => parts.push((thing.doing, vec![told])),
        }
    }
    let parts = parts.iter().map(|(doing, told)| format!("{doing} {}", told.join(", ")));
    let parts = parts.collect::<Vec<_>>().join("; ");
    match under_way.len().saturating_sub(NAMED) {
        0 => format!("still {parts}"),
        more => format!("still {parts} and {more} more"),
    }
}

/// Names for one line: the first few, and how many more there are.
pub(crate) fn listed(names: &[&str]) -> String {
    let first = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// `45s`, `1m`, `1m 30s`, `1h`, `1h 05m`.
pub(crate) fn rounded(span: Duration) -> String {
    let seconds = span.as_secs();
    match (seconds / 3_600, seconds % 3_600 / 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, 0) => format!("{minutes}m"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, 0, _) => format!("{hours}h"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing<'a>(name: &'a str, seconds: u64, waiting: Option<&'a Waiting>) -> UnderWay<'a> {
        let lasted = Duration::from_secs(seconds);
        UnderWay { name, doing: "creating", lasted, waiting }
    }

    fn refused() -> Waiting {
        Waiting {
            code: "AwsUnreachable".to_owned(),
            message: "cannot reach http://h: refused".to_owned(),
            since: None,
            retry_at: None,
            attempts: 2,
        }
    }

    #[test]
    fn a_reason_is_said_once_for_all_that_share_it_and_again_only_after_a_while() {
        let (now, wall, waiting) = (Instant::now(), WallTime::now(), refused());
        let things = [thing("a", 1, Some(&waiting)), thing("b", 1, Some(&waiting))];
        let mut vigil = Vigil::new(now);
        let said = vigil.words(&things, now, wall);
        assert_eq!(said, [Word::Waits { names: vec!["a", "b"], waiting: &waiting }]);
        assert!(vigil.words(&things, now + Duration::from_secs(20), wall).is_empty());
        let again = vigil.words(&things, now + BEAT_EVERY, wall);
        assert!(matches!(&again[..], [Word::Waits { .. }, Word::Beats { .. }]), "{again:?}");
    }

    #[test]
    fn a_sign_of_life_comes_every_half_minute_and_names_a_few() {
        let now = Instant::now();
        let mut vigil = Vigil::new(now);
        let names: Vec<String> = (0..7).map(|at| format!("r{at}")).collect();
        let things: Vec<UnderWay<'_>> = names.iter().map(|name| thing(name, 90, None)).collect();
        let said = |vigil: &mut Vigil, seconds: u64| {
            let at = now + Duration::from_secs(seconds);
            let words = vigil.words(&things, at, WallTime::now());
            words.into_iter().next().map(|word| match word {
                Word::Beats { text, .. } => text,
                Word::Waits { .. } => panic!("nothing waits"),
            })
        };
        let beats: Vec<u64> =
            (0..100).filter(|seconds| said(&mut vigil, *seconds).is_some()).collect();
        assert_eq!(beats, [30, 60, 90]);
        assert_eq!(
            said(&mut vigil, 120).unwrap(),
            "still creating r0 (1m 30s), r1 (1m 30s), r2 (1m 30s), r3 (1m 30s), r4 (1m 30s) and 2 more"
        );
    }

    #[test]
    fn a_rounded_span_has_at_most_two_units() {
        let told = |seconds: u64| rounded(Duration::from_secs(seconds));
        assert_eq!([told(45), told(60), told(65)], ["45s", "1m", "1m 05s"]);
        assert_eq!([told(3_600), told(3_900), told(7_199)], ["1h", "1h 05m", "1h 59m"]);
    }
}
