//! What a deployment does next, on small graphs and on any graph.

mod leaving;

use hangar_ids::TypeName;
use proptest::prelude::*;

use super::*;
use crate::operation::{Failure, FailureKind, SuccessKind};
use crate::record::{AwsScope, GroupName};

fn row(index: usize, depends_on: &[usize]) -> Row {
    Row {
        address: format!("r{index}"),
        kind: RowKind::Aws(AwsRow {
            type_name: TypeName::parse("AWS.EC2/VPC").unwrap(),
            scope: AwsScope {
                plane: "aws".to_owned(),
                account: "42".parse().unwrap(),
                region: "eu-central-1".parse().unwrap(),
            },
        }),
        target: RowTarget::Managed(format!("a{index}")),
        depends_on: depends_on.to_vec(),
        place: Some(SourcePlace {
            file: "main.bicep".to_owned(),
            line: 1,
            column: 1,
            start: 0,
            end: 1,
        }),
        retires: false,
        plan: None,
        operation: OperationId::from_u128(index as u128),
        identifier: None,
        changed: Vec::new(),
        made: Vec::new(),
        waiting: None,
        verb: None,
        state: RowState::Waiting,
    }
}

fn work(edges: &[&[usize]]) -> DeploymentWork {
    let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
    let name = DeploymentName { group, name: "app".to_owned() };
    let rows = edges.iter().enumerate().map(|(index, before)| row(index, before)).collect();
    let id = OperationId::from_u128(99);
    DeploymentWork::new(id, name, DeploymentTask::Deploy, rows, Timestamp::from_micros(1))
}

fn done() -> Sight {
    Sight::Done {
        stated: Stated::Put(SuccessKind::Created),
        identifier: Some("id".to_owned()),
        changed: Vec::new(),
        made: Vec::new(),
        retires: false,
    }
}

fn failed() -> Sight {
    let failure = Failure {
        kind: FailureKind::Provider,
        code: "InternalFailure".to_owned(),
        message: "no".to_owned(),
        findings: Vec::new(),
    };
    Sight::Failed { failure, place: None }
}

const NOW: Timestamp = Timestamp::from_micros(5);

#[test]
fn what_most_others_wait_for_begins_first() {
    // 0 stands alone; 3 waits for 2 waits for 1.
    let begun = advance(&work(&[&[], &[], &[1], &[2]]), &[], NOW);
    assert_eq!(begun.launch, [1, 0]);
    assert!(!begun.is_over);
    let next = advance(&begun.work, &[(1, done())], NOW);
    assert_eq!(next.launch, [2]);
    assert_eq!(next.message.as_deref(), Some("r1: created"));
}

#[test]
fn a_failure_stops_what_depends_on_it_and_nothing_else() {
    let begun = advance(&work(&[&[], &[0], &[1], &[]]), &[], NOW);
    assert_eq!(begun.launch, [0, 3]);
    let next = advance(&begun.work, &[(0, failed())], NOW);
    assert_eq!(next.work.rows[1].state, RowState::Skipped { because: 0 });
    assert_eq!(next.work.rows[2].state, RowState::Skipped { because: 0 });
    assert!(!next.is_over, "the other one is under way");
    let over = advance(&next.work, &[(3, done())], NOW);
    assert!(over.is_over);
    let Ending::Failed(failure) = ending(&over.work) else { panic!("not failed") };
    assert_eq!(failure.findings.len(), 1);
    assert_eq!(failure.findings[0].path, "r0");
    assert!(
        failure
            .message
            .contains("1 of 4 resources failed, 2 not started because a dependency failed"),
        "{}",
        failure.message
    );
}

#[test]
fn a_stop_begins_nothing_and_waits_for_what_was_begun() {
    let mut begun = advance(&work(&[&[], &[0]]), &[], NOW).work;
    begun.cancel_requested = true;
    let stopping = advance(&begun, &[], NOW);
    assert!(stopping.launch.is_empty() && !stopping.is_over);
    let over = advance(&stopping.work, &[(0, done())], NOW);
    assert!(over.is_over);
    assert!(matches!(ending(&over.work), Ending::Canceled(_)));
    // A stop that comes when everything is done stops nothing.
    let mut last = advance(&work(&[&[]]), &[], NOW).work;
    last.cancel_requested = true;
    let over = advance(&last, &[(0, done())], NOW);
    assert!(matches!(ending(&over.work), Ending::Succeeded(_)));
}

#[test]
fn nothing_changed_is_told_so() {
    let begun = advance(&work(&[&[]]), &[], NOW).work;
    let sight = Sight::Done {
        stated: Stated::Put(SuccessKind::Noop),
        identifier: None,
        changed: Vec::new(),
        made: Vec::new(),
        retires: false,
    };
    let Ending::Succeeded(success) = ending(&advance(&begun, &[(0, sight)], NOW).work) else {
        panic!("not succeeded")
    };
    assert_eq!(success.kind, SuccessKind::Noop);
    let nothing = advance(&work(&[]), &[], NOW);
    assert!(nothing.is_over && nothing.launch.is_empty());
}

#[test]
fn an_end_is_told_once_and_of_what_was_begun() {
    let fresh = work(&[&[], &[0]]);
    let early = advance(&fresh, &[(1, done()), (7, done())], NOW);
    assert_eq!(early.work.rows[1].state, RowState::Waiting);
    let over = advance(&early.work, &[(0, done())], NOW);
    let again = advance(&over.work, &[(0, failed())], NOW);
    assert!(again.work.rows[0].is_done());
}

proptest! {
    /// Whatever fails and whenever it is stopped, a deployment ends, nothing begins before what it depends on is
    /// done, nothing begins twice, and no more is under way than may be.
    #[test]
    fn any_graph_ends_in_order(
        edges in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..40),
        fates in prop::collection::vec(any::<bool>(), 40),
        stop_at in prop::option::of(0usize..30),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 200),
    ) {
        let edges: Vec<Vec<usize>> = edges
            .iter()
            .enumerate()
            .map(|(at, before)| if at == 0 { vec![] } else { before.iter().map(|it| it.index(at)).collect() })
            .collect();
        let borrowed: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
        let mut now = work(&borrowed);
        let mut under_way: Vec<usize> = Vec::new();
        let mut begun = std::collections::HashSet::new();
        let mut seen = Vec::new();
        let mut turn = 0;
        loop {
            now.cancel_requested |= stop_at == Some(turn);
            let next = advance(&now, &seen, NOW);
            for &index in &next.launch {
                prop_assert!(begun.insert(index), "{index} begun twice");
                prop_assert!(!now.cancel_requested);
                for before in &edges[index] {
                    prop_assert!(next.work.rows[*before].is_done());
                }
                under_way.push(index);
            }
            now = next.work;
            prop_assert!(under_way.len() <= 128);
            if under_way.is_empty() {
                prop_assert!(next.is_over);
                break;
            }
            let pick = picks[turn % picks.len()].index(under_way.len());
            let index = under_way.swap_remove(pick);
            seen = vec![(index, if fates[index] { done() } else { failed() })];
            turn += 1;
        }
        let failures = now.rows.iter().filter(|row| matches!(row.state, RowState::Failed { .. })).count();
        prop_assert_eq!(matches!(ending(&now), Ending::Failed(_)), failures > 0);
    }
}

#[test]
fn rows_that_were_kept_before_there_were_recipes_are_read() {
    let kept = serde_json::json!({
        "address": "vpc", "type_name": "AWS.EC2/VPC", "target": {"managed": "net"},
        "scope": serde_json::to_value(&row(0, &[]).aws().unwrap().scope).unwrap(),
        "depends_on": [], "operation": OperationId::from_u128(7), "identifier": null,
        "place": {"file": "main.bicep", "line": 1, "column": 1, "start": 0, "end": 1},
        "state": "waiting",
    });
    let read: Row = serde_json::from_value(kept.clone()).unwrap();
    assert_eq!(read.type_text(), "AWS.EC2/VPC");
    // And written as they were, for whoever has not been upgraded yet.
    assert_eq!(serde_json::to_value(&read).unwrap(), kept);
}

#[test]
fn the_row_of_a_recipe_is_kept_without_a_place_in_aws() {
    let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
    let made = vec!["/planes/x".to_owned()];
    let recipe = Row { kind: RowKind::Recipe, made, ..row(0, &[]) };
    let kept = serde_json::to_string(&recipe).unwrap();
    assert!(!kept.contains("scope"), "{kept}");
    assert_eq!(serde_json::from_str::<Row>(&kept).unwrap(), recipe);
    assert_eq!(recipe.recipe(&group).unwrap().name, "a0");
    assert_eq!(recipe.reference(&group), None);
    assert_eq!(row(0, &[]).recipe(&group), None);
    let odd = kept.replace("Hangar.Recipes/recipes", "AWS.EC2/VPC");
    assert!(serde_json::from_str::<Row>(&odd).is_err(), "what is of AWS is somewhere");
}

#[test]
fn a_row_that_was_stopped_with_the_run_did_not_fail() {
    let mut stopped = work(&[&[], &[0], &[]]);
    stopped.rows[2].state = RowState::Canceled;
    let failure = |kind| Failure {
        kind,
        code: "OperationCanceled".to_owned(),
        message: String::new(),
        findings: Vec::new(),
    };
    let at = Timestamp::from_micros(1);
    let failed = |kind| RowState::Failed { begun_at: at, at, failure: failure(kind), place: None };
    stopped.rows[0].state = failed(FailureKind::Canceled);
    stopped.rows[1].state = RowState::Skipped { because: 0 };
    stopped.cancel_requested = true;
    let Ending::Canceled(told) = ending(&stopped) else { panic!("{:?}", ending(&stopped)) };
    assert_eq!(
        told.message,
        "stopped on request; 0 of 3 resources finished, 2 not started, 1 canceled while running"
    );
    stopped.rows[0].state = failed(FailureKind::Provider);
    assert!(matches!(ending(&stopped), Ending::Failed(_)), "a failure is one");
    stopped.rows[0].state = failed(FailureKind::Canceled);
    stopped.cancel_requested = false;
    assert!(matches!(ending(&stopped), Ending::Failed(_)), "nobody stopped the run");
}
