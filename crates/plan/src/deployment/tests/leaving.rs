//! What left a template: what becomes of it, in which order, and what the deployment manages after.

use super::*;

fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "team".to_owned() }
}

fn member(index: usize, depends_on: &[usize]) -> Member {
    let Row { kind, address, .. } = row(index, &[]);
    let id = |index: &usize| row(*index, &[]).id(&group()).unwrap();
    let depends_on = depends_on.iter().map(id).collect();
    Member { kind, name: format!("a{index}"), address, depends_on }
}

fn recipe() -> Member {
    Member { kind: RowKind::Recipe, ..member(0, &[]) }
}

fn own(owned: bool) -> Standing {
    Standing::Own { owned, identifier: None, depends_on: Vec::new() }
}

fn going(member: Member) -> Left {
    let fate = Fate::Removed { how: Removal::Delete, because: None };
    Left { member, identifier: Some("vpc-1".to_owned()), fate }
}

fn removals(leaving: &[Left], template: &[Row]) -> Vec<Row> {
    removal_rows(leaving, &group(), template, |id| {
        OperationId::from_u128(id.bytes().map(u128::from).sum())
    })
}

#[test]
fn what_left_is_kept_unless_somebody_says_otherwise_and_never_where_it_is_anothers() {
    let web = DeploymentName { group: group(), name: "web".to_owned() };
    let removed = |how| Some(Fate::Removed { how, because: None });
    let aws = member(0, &[]);
    let is_marked = true;
    assert_eq!(
        fate(&aws, &own(true), OnRemove::Keep, is_marked),
        Some(Fate::Kept { because: None })
    );
    assert_eq!(fate(&aws, &own(true), OnRemove::Detach, is_marked), removed(Removal::Detach));
    assert_eq!(fate(&aws, &own(true), OnRemove::Delete, is_marked), removed(Removal::Delete));
    assert_eq!(fate(&recipe(), &own(true), OnRemove::Delete, is_marked), removed(Removal::Delete));
    let foreign = fate(&aws, &own(false), OnRemove::Delete, is_marked);
    assert!(
        matches!(foreign, Some(Fate::Removed { how: Removal::Detach, because: Some(_) })),
        "{foreign:?}"
    );
    let kept = fate(&recipe(), &own(true), OnRemove::Detach, is_marked);
    assert!(matches!(kept, Some(Fate::Kept { because: Some(_) })), "{kept:?}");
    for on_remove in [OnRemove::Keep, OnRemove::Detach, OnRemove::Delete] {
        let taken = fate(&aws, &Standing::Other(web.clone()), on_remove, is_marked);
        assert_eq!(taken, Some(Fate::TakenOver { by: web.clone() }));
        assert_eq!(fate(&aws, &Standing::Absent, on_remove, is_marked), None);
        assert_eq!(fate(&aws, &Standing::Nobody, on_remove, is_marked), None);
        let old = fate(&aws, &Standing::Nobody, on_remove, false);
        assert!(matches!(old, Some(Fate::Kept { because: Some(_) })), "{old:?}");
    }
}

#[test]
fn what_rests_on_others_goes_before_them() {
    let leaving = [going(member(5, &[])), going(member(6, &[5])), going(member(7, &[5, 6]))];
    let rows = removals(&leaving, &[row(0, &[]), row(1, &[0])]);
    let before: Vec<&[usize]> = rows.iter().map(|row| row.depends_on.as_slice()).collect();
    assert_eq!(before, [&[3, 4][..], &[4], &[]]);
    assert!(rows.iter().all(Row::is_removal));
}

#[test]
fn a_circle_of_what_left_is_no_circle_of_rows() {
    let leaving = [going(member(5, &[6])), going(member(6, &[7])), going(member(7, &[5]))];
    let mut work = work(&[]);
    work.rows = removals(&leaving, &[]);
    let mut seen = Vec::new();
    for _ in 0..9 {
        let next = advance(&work, &seen, NOW);
        seen = next.launch.iter().map(|index| (*index, done())).collect();
        work = next.work;
    }
    assert!(work.rows.iter().all(Row::is_done), "{:?}", work.rows);
}

#[test]
fn a_symbol_that_is_anothers_by_now_is_not_used_twice() {
    let mut left = member(5, &[]);
    "r0".clone_into(&mut left.address);
    let rows = removals(&[going(left)], &[row(0, &[])]);
    assert!(rows[0].address.ends_with("/AWS.EC2/VPC:reference/a5"), "{}", rows[0].address);
}

#[test]
fn nothing_goes_before_all_of_the_template_is_done() {
    let mut work = work(&[&[], &[0]]);
    work.rows.extend(removals(&[going(member(5, &[]))], &work.rows));
    let first = advance(&work, &[], NOW);
    assert_eq!(first.launch, [0]);
    let second = advance(&first.work, &[(0, done())], NOW);
    assert_eq!(second.launch, [1]);
    let third = advance(&second.work, &[(1, done())], NOW);
    assert_eq!((third.launch.as_slice(), third.is_over), (&[2][..], false));
}

#[test]
fn nothing_goes_where_a_row_of_the_template_failed() {
    let mut work = work(&[&[], &[]]);
    work.rows.extend(removals(&[going(member(5, &[]))], &work.rows));
    let begun = advance(&work, &[], NOW).work;
    let over = advance(&begun, &[(0, done()), (1, failed())], NOW);
    assert!(over.is_over);
    assert_eq!(over.work.rows[2].state, RowState::Skipped { because: 1 });
    let Ending::Failed(failure) = ending(&over.work) else { panic!("it did not fail") };
    assert!(failure.message.contains("1 not removed"), "{}", failure.message);
    let names: Vec<String> =
        holdings_after(&over.work).managed.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["a0", "a1", "a5"]);
}

#[test]
fn what_went_is_not_managed_any_more_and_what_was_detached_stays_listed() {
    let mut work = work(&[&[]]);
    let mut leaving = [going(member(5, &[])), going(member(6, &[]))];
    leaving[1].fate = Fate::Removed { how: Removal::Detach, because: None };
    work.rows.extend(removals(&leaving, &work.rows));
    let kept = Left { fate: Fate::Kept { because: None }, ..going(member(7, &[])) };
    let web = DeploymentName { group: group(), name: "web".to_owned() };
    let taken = Left { fate: Fate::TakenOver { by: web }, ..going(member(8, &[])) };
    work.holdings.left = vec![kept, taken];
    let stated = |kind| Sight::Done {
        stated: Stated::Put(kind),
        identifier: Some("vpc-1".to_owned()),
        changed: Vec::new(),
        made: Vec::new(),
        retires: false,
    };
    let begun = advance(&work, &[], NOW).work;
    let begun = advance(&begun, &[(0, done())], NOW).work;
    let seen = [(1, stated(SuccessKind::Deleted)), (2, stated(SuccessKind::Unlinked))];
    let over = advance(&begun, &seen, NOW);
    assert!(over.is_over);
    let holdings = holdings_after(&over.work);
    let names: Vec<&str> =
        holdings.managed.as_ref().unwrap().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a0", "a7"]);
    assert_eq!(holdings.detached.len(), 1);
    assert_eq!(holdings.detached[0].member.name, "a6");
    // Deployed again it is not detached any more.
    let mut again = over.work.clone();
    again.rows = vec![row(6, &[])];
    again.holdings = holdings;
    assert!(holdings_after(&again).detached.is_empty());
}

#[test]
fn what_was_replaced_is_swept_in_rounds_that_end() {
    let mut work = work(&[&[], &[0], &[]]);
    for index in 0..3 {
        work.rows[index].retires = true;
        let stated = Stated::Put(SuccessKind::Replaced);
        work.rows[index].state = RowState::Done { begun_at: NOW, at: NOW, stated };
    }
    assert_eq!(work.untidy(), [0, 1, 2]);
    let left = |first: &[&str], second: &[&str]| {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        vec![(0, texts(first)), (1, texts(second))]
    };
    let Broom::Begin(tidying) = tidy(&work, &left(&["a"], &["b"]), false, NOW) else {
        panic!("nothing begins")
    };
    assert_eq!((tidying.round, tidying.before, tidying.rows.as_slice()), (1, 2, &[0, 1][..]));
    work.tidying = tidying;
    assert_eq!(tidy(&work, &left(&["a"], &["b"]), true, NOW), Broom::Wait);
    let Broom::Begin(tidying) = tidy(&work, &left(&["a"], &[]), false, NOW) else {
        panic!("one went, so that another may")
    };
    work.tidying = tidying;
    let stays = Leftover { address: "r0".to_owned(), identifier: "a".to_owned() };
    assert_eq!(tidy(&work, &left(&["a"], &[]), false, NOW), Broom::Done(vec![stays]));
    // What rests on it did not come about: it hangs on the old one.
    work.rows[1].state = RowState::Skipped { because: 1 };
    assert_eq!(work.untidy(), [2]);
    work.rows[1].state = RowState::Waiting;
    assert_eq!(work.untidy(), [2]);
}

#[test]
fn a_record_from_before_tells_what_it_manages_by_its_rows() {
    let work = work(&[&[], &[0]]);
    let mut record = crate::record::DeploymentRecord {
        name: work.deployment.clone(),
        operation: work.id,
        started_at: NOW,
        ended_at: None,
        ending: None,
        rows: work.rows.clone(),
        outputs: None,
        holdings: Holdings::default(),
        template_path: None,
        kept_defaults: None,
        created_at: NOW,
        version: crate::record::Version(1),
    };
    let members = record.members();
    assert_eq!(members.len(), 2);
    assert_eq!(members[1].depends_on, [members[0].id(&group())]);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<crate::record::DeploymentRecord>(&text).unwrap(), record);
    record.holdings.managed = Some(Vec::new());
    assert!(record.members().is_empty());
}
