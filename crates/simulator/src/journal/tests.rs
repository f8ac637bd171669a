//! What the file survives.

use super::*;
use crate::core::place::Place;

fn change(next: u64) -> Change {
    Change::Serial { place: Place::default(), next }
}

fn next(state: &State) -> u64 {
    state.regions.get(&Place::default()).map_or(0, |region| region.next_serial)
}

#[test]
fn what_was_appended_is_there_after_the_next_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for round in 1..5 {
        let (mut journal, state) = Journal::open(&path).unwrap();
        assert_eq!(next(&state), round - 1);
        journal.append(&[change(round)]).unwrap();
    }
}

#[test]
fn a_file_cut_at_any_byte_opens_with_the_frames_before_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    let mut ends = vec![journal.length];
    for round in 1..4 {
        journal.append(&[change(round)]).unwrap();
        ends.push(journal.length);
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (mut journal, state) = Journal::open(&path).unwrap();
        let kept = ends.iter().filter(|end| **end <= cut as u64).count().saturating_sub(1);
        assert_eq!(next(&state), kept as u64, "cut at {cut}");
        // And goes on from there.
        journal.append(&[change(9)]).unwrap();
        drop(journal);
        assert_eq!(next(&Journal::open(&path).unwrap().1), 9, "cut at {cut}");
    }
}

#[test]
fn noughts_at_the_end_are_taken_off_and_damage_before_the_end_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal.append(&[change(1)]).unwrap();
    let end = journal.length;
    journal.append(&[change(2)]).unwrap();
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    let mut padded = whole.clone();
    padded.extend([0; 100]);
    std::fs::write(&path, padded).unwrap();
    assert_eq!(next(&Journal::open(&path).unwrap().1), 2);
    let mut damaged = whole;
    damaged[usize::try_from(end).unwrap() - 1] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { at: 16, .. }), "{error}");
}

#[test]
fn a_file_of_another_kind_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for content in ["SQLite format 3\0 and more", "x"] {
        std::fs::write(&path, content).unwrap();
        let error = Journal::open(&path).unwrap_err();
        assert!(matches!(error, JournalError::NotAStateFile { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn one_process_at_a_time_has_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, state) = Journal::open(&path).unwrap();
    assert!(matches!(Journal::open(&path), Err(JournalError::InUse { .. })));
    journal.rewrite(&state).unwrap();
    assert!(matches!(Journal::open(&path), Err(JournalError::InUse { .. })));
    drop(journal);
    assert!(Journal::open(&path).is_ok());
}

#[test]
fn a_rewritten_file_holds_what_is_true_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, mut state) = Journal::open(&path).unwrap();
    for round in 1..200 {
        journal.append(&[change(round)]).unwrap();
        state.apply(change(round));
    }
    let before = journal.length;
    journal.rewrite(&state).unwrap();
    assert!(journal.length < before / 10);
    journal.append(&[change(500)]).unwrap();
    drop(journal);
    assert_eq!(next(&Journal::open(&path).unwrap().1), 500);
}

#[test]
fn no_bit_that_rots_loses_a_change_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    for round in 1..4 {
        journal.append(&[change(round)]).unwrap();
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    for bit in 0..whole.len() * 8 {
        let mut rotten = whole.clone();
        rotten[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &rotten).unwrap();
        // What a bit more or less makes of the content is seen by its checksum.
        assert!(Journal::open(&path).is_err(), "bit {bit}");
        assert_eq!(std::fs::read(&path).unwrap(), rotten, "bit {bit}");
    }
}

#[test]
fn many_large_changes_are_kept_in_several_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    let large = |number: usize| Change::Resource {
        place: Place::default(),
        type_name: "AWS::Logs::LogGroup".into(),
        identifier: number.to_string().into(),
        resource: Some(crate::core::state::Resource {
            document: Some(crate::core::state::Document {
                readable: "x".repeat(1 << 20).into(),
                hidden: None,
            }),
            visible_from: crate::core::time::Timestamp::default(),
            earlier: None,
        }),
    };
    let changes: Vec<Change> = (0..70).map(large).collect();
    journal.append(&changes).unwrap();
    drop(journal);
    let (mut journal, state) = Journal::open(&path).unwrap();
    assert_eq!(state.snapshot().count(), 70 + 3);
    journal.rewrite(&state).unwrap();
    drop(journal);
    assert_eq!(Journal::open(&path).unwrap().1.snapshot().count(), 70 + 3);
}

#[test]
fn a_nought_page_before_the_end_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    let mut ends = Vec::new();
    for round in 1..9 {
        journal.append(&[change(round)]).unwrap();
        ends.push(usize::try_from(journal.length).unwrap());
    }
    drop(journal);
    let mut rotten = std::fs::read(&path).unwrap();
    rotten[ends[1]..ends[4]].fill(0);
    std::fs::write(&path, &rotten).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), rotten);
}

#[test]
fn a_link_stays_a_link_and_only_the_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("state"), folder.path().join("link"));
    drop(Journal::open(&path).unwrap());
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let (mut journal, mut state) = Journal::open(&link).unwrap();
    journal.append(&[change(7)]).unwrap();
    state.apply(change(7));
    journal.rewrite(&state).unwrap();
    assert!(link.is_symlink());
    assert!(matches!(Journal::open(&path), Err(JournalError::InUse { .. })));
    drop(journal);
    assert_eq!(next(&Journal::open(&path).unwrap().1), 7);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_rewrite_leaves_a_state_file_of_its_own_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("s"), folder.path().join("s.rewriting"));
    let (mut theirs, _) = Journal::open(&other).unwrap();
    theirs.append(&[change(3)]).unwrap();
    let (mut journal, state) = Journal::open(&path).unwrap();
    journal.append(&[change(5)]).unwrap();
    assert!(journal.rewrite(&state).is_err());
    journal.append(&[change(6)]).unwrap();
    drop((journal, theirs));
    assert_eq!(next(&Journal::open(&path).unwrap().1), 6);
    assert_eq!(next(&Journal::open(&other).unwrap().1), 3);
    // What a kill left of a rewrite is nobody's.
    std::fs::write(&other, "half a file").unwrap();
    let (mut journal, state) = Journal::open(&path).unwrap();
    journal.rewrite(&state).unwrap();
    assert!(!other.exists());
}
