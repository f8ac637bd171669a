//! How a resource stands to what was applied, from what a look at it found.

use super::GRACE;
use crate::Timestamp;
use crate::operation::{ChangeKind, Entry, EntryState, Finding};
use crate::record::{Drift, DriftState};

/// What a look at a resource found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// It was not looked at, or the look told nothing: why.
    Nothing(String),
    /// It was not there, twice.
    Absent,
    /// It is there, and nothing was applied to compare it with.
    Unapplied,
    /// It is there; what would make it what was applied.
    Present(ChangeKind),
}

/// Why a look at the resource of such an entry would tell nothing; nothing where it would.
pub fn unlooked(entry: &Entry, is_readable: bool) -> Option<&'static str> {
    match entry.state {
        EntryState::Unknown => Some("the outcome of a create is unknown"),
        _ if !entry.unsettled.is_empty() => Some("the outcome of a create is unknown"),
        EntryState::Reserved => Some("the alias does not map to a resource yet"),
        _ if entry.identifier.is_none() => Some("the alias does not map to a resource"),
        _ if !is_readable => Some("Cloud Control cannot read resources of this type"),
        EntryState::Ready | EntryState::Failed | EntryState::Missing => None,
    }
}

/// How the resource of such an entry stands to what was applied.
pub fn verdict(entry: &Entry, sight: &Sight, now: Timestamp) -> Drift {
    let told = |state, paths, reason: Option<String>| Drift {
        state,
        paths,
        differences: Vec::new(),
        reason,
        checked_at: now,
    };
    let unknown = |reason: &str| told(DriftState::Unknown, Vec::new(), Some(reason.to_owned()));
    match sight {
        Sight::Nothing(reason) => unknown(reason),
        Sight::Absent if is_fresh_failure(entry, now) => unknown(
            "the resource was not found, but a write failed recently and may have created it",
        ),
        Sight::Absent => told(DriftState::Missing, Vec::new(), None),
        Sight::Unapplied => unknown(
            "no properties were applied through this reference, so there is nothing to compare",
        ),
        Sight::Present(ChangeKind::None) => told(DriftState::InSync, Vec::new(), None),
        Sight::Present(ChangeKind::Update { paths }) => {
            told(DriftState::Drifted, paths.clone(), None)
        }
        Sight::Present(ChangeKind::Replace(findings)) => told(
            DriftState::Drifted,
            paths_of(findings),
            Some("only a replacement can repair it".to_owned()),
        ),
        Sight::Present(ChangeKind::SecretsRequired(findings)) => told(
            DriftState::Drifted,
            Vec::new(),
            Some(format!("to repair it, put {} again", paths_of(findings).join(", "))),
        ),
        Sight::Present(ChangeKind::Invalid(findings)) => {
            let first = findings.first().map(|it| format!(": {}: {}", it.path, it.message));
            unknown(&format!(
                "the applied properties cannot be compared{}",
                first.as_deref().unwrap_or_default()
            ))
        }
    }
}

/// Whether what is not there may be what the last write, which failed, left behind.
fn is_fresh_failure(entry: &Entry, now: Timestamp) -> bool {
    entry.state == EntryState::Failed
        && entry.failed_at.is_some_and(|failed_at| now.since(failed_at) <= GRACE)
}

fn paths_of(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| finding.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn entry(state: EntryState) -> Entry {
        Entry {
            identifier: Some("vpc-1".to_owned()),
            owned: true,
            state,
            operation: None,
            unsettled: Vec::new(),
            retiring: Vec::new(),
            failed_at: None,
        }
    }

    fn finding(path: &str) -> Finding {
        Finding { code: "CreateOnly".into(), path: path.into(), message: "changed".into() }
    }

    #[test]
    fn what_stands_for_nothing_or_cannot_be_read_is_not_looked_at() {
        for state in [EntryState::Ready, EntryState::Failed, EntryState::Missing] {
            assert_eq!(unlooked(&entry(state), true), None);
            assert!(unlooked(&entry(state), false).unwrap().contains("cannot read"));
        }
        for state in [EntryState::Unknown, EntryState::Reserved] {
            assert!(unlooked(&entry(state), true).is_some());
        }
        let nameless = Entry { identifier: None, ..entry(EntryState::Failed) };
        assert!(unlooked(&nameless, true).is_some());
    }

    #[test]
    fn each_sight_has_its_verdict() {
        let now = Timestamp::from_micros(7);
        let update = ChangeKind::Update { paths: vec!["/A".into()] };
        let replace = ChangeKind::Replace(vec![finding("/B")]);
        let invalid = ChangeKind::Invalid(vec![finding("/C")]);
        let cases: [(Sight, DriftState, &[&str], bool); 7] = [
            (Sight::Present(ChangeKind::None), DriftState::InSync, &[], false),
            (Sight::Present(update), DriftState::Drifted, &["/A"], false),
            (Sight::Present(replace), DriftState::Drifted, &["/B"], true),
            (Sight::Present(invalid), DriftState::Unknown, &[], true),
            (Sight::Unapplied, DriftState::Unknown, &[], true),
            (Sight::Nothing("why".into()), DriftState::Unknown, &[], true),
            (Sight::Absent, DriftState::Missing, &[], false),
        ];
        for (sight, state, paths, has_reason) in cases {
            let drift = verdict(&entry(EntryState::Ready), &sight, now);
            assert_eq!((drift.state, drift.reason.is_some()), (state, has_reason), "{sight:?}");
            assert_eq!(drift.paths, paths);
            assert_eq!(drift.checked_at, now);
        }
    }

    #[test]
    fn what_a_failed_write_may_have_left_is_not_called_gone_at_once() {
        let failed_at = Timestamp::from_micros(1_000_000);
        let failed = Entry { failed_at: Some(failed_at), ..entry(EntryState::Failed) };
        let at = |span| verdict(&failed, &Sight::Absent, failed_at.after(span)).state;
        assert_eq!(at(Duration::from_secs(59)), DriftState::Unknown);
        assert_eq!(at(Duration::from_secs(61)), DriftState::Missing);
    }
}
