//! AWS's forms of what was sent: what is learned from the read after a write, and what is not.

use hangar_engine::{Ask, Condition};
use hangar_plan::operation::{Convergence, Ending, Success, SuccessKind};
use hangar_plan::record::{DriftState, FormValue, OperationRecord};
use hangar_simulator::core::habits::added::AddedHabits;
use hangar_simulator::core::settings::Settings;
use serde_json::{Value, json};

use crate::plane::{Plane, done, name, put};
use crate::team::change_elsewhere;

const BUS: &str = "AWS.Events/EventBus";
const CACHE: &str = "AWS.MemoryDB/Cluster";

/// Habits that no table and no rule of Hangar knows.
const HABITS: &str = "\
AWS::Events::EventBus\t/KmsKeyIdentifier\treplace\t{\"main\":\"v-1\",\"other\":\"v-2\"}
AWS::Events::EventBus\t/Description\treplace\t{\"five\":\"seven\",\"six\":\"seven\"}
";

async fn plane() -> Plane {
    let habits = AddedHabits::read(HABITS).unwrap();
    let latency = "0..0".parse().unwrap();
    Plane::start_with(Settings { latency, habits, ..Settings::default() }).await
}

fn bus(key: &str, description: &str) -> Value {
    json!({"Name": "orders", "KmsKeyIdentifier": key, "Description": description})
}

fn success(record: &OperationRecord) -> &Success {
    match record.ending() {
        Some(Ending::Succeeded(success)) => success,
        other => panic!("{other:?}"),
    }
}

async fn learned(plane: &Plane) -> Vec<(String, FormValue, FormValue)> {
    let reference = plane.reference(BUS, "orders").await.unwrap();
    let forms = reference.documents.learned.into_iter();
    forms.map(|form| (form.path, form.sent, form.seen)).collect()
}

fn form(path: &str, sent: Value, seen: Value) -> (String, FormValue, FormValue) {
    (path.to_owned(), FormValue::Plain(sent), FormValue::Plain(seen))
}

#[tokio::test]
async fn the_read_after_a_create_shows_aws_form_and_the_same_put_writes_nothing() {
    let plane = plane().await;
    let created = plane.put_of(BUS, "orders", bus("main", "one")).await;
    assert_eq!(success(&created).convergence, Convergence::Converged);
    assert!(
        created.warnings[0].starts_with("AWS returns /KmsKeyIdentifier in another form"),
        "{created:?}"
    );
    assert_eq!(learned(&plane).await, [form("/KmsKeyIdentifier", json!("main"), json!("v-1"))]);

    plane.forget_calls().await;
    for _ in 0..3 {
        assert_eq!(done(&plane.put_of(BUS, "orders", bus("main", "one")).await), SuccessKind::Noop);
    }
    let checked = plane.engine.reference_check(&name(BUS, "orders")).await.unwrap();
    assert_eq!(checked.drift.unwrap().state, DriftState::InSync);
    assert_eq!(plane.writes().await, 0);

    // Another property can be changed, and the update does not touch the learned one.
    let updated = plane.put_of(BUS, "orders", bus("main", "two")).await;
    assert_eq!((done(&updated), updated.warnings.len()), (SuccessKind::Updated, 0));
    assert_eq!(learned(&plane).await.len(), 1);
}

#[tokio::test]
async fn a_later_change_of_a_learned_property_is_drift() {
    let plane = plane().await;
    plane.put_of(BUS, "orders", bus("main", "one")).await;
    change_elsewhere(&plane, "AWS::Events::EventBus", "orders", json!({"KmsKeyIdentifier": "v-9"}))
        .await;
    let checked = plane.engine.reference_check(&name(BUS, "orders")).await.unwrap();
    assert_eq!(checked.drift.unwrap().paths, ["/KmsKeyIdentifier"]);
    let accepted = plane.submit(BUS, "orders", Ask::Repair).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Updated);
    let checked = plane.engine.reference_check(&name(BUS, "orders")).await.unwrap();
    assert_eq!(checked.drift.unwrap().state, DriftState::InSync);
}

#[tokio::test]
async fn an_update_is_learned_if_aws_changed_the_value_and_not_if_it_ignored_it() {
    let plane = plane().await;
    plane.put_of(BUS, "orders", bus("main", "one")).await;
    let updated = plane.put_of(BUS, "orders", bus("other", "five")).await;
    assert_eq!(success(&updated).convergence, Convergence::Converged);
    let both = [
        form("/Description", json!("five"), json!("seven")),
        form("/KmsKeyIdentifier", json!("other"), json!("v-2")),
    ];
    assert_eq!(learned(&plane).await, both);
    // AWS shows the value from before, as it does for an update that it ignores.
    let ignored = plane.put_of(BUS, "orders", bus("other", "six")).await;
    assert_eq!(success(&ignored).convergence, Convergence::AcceptedNotEffective);
    assert_eq!(success(&ignored).not_effective, ["/Description"]);
    assert_eq!(learned(&plane).await, both);
}

#[tokio::test]
async fn an_import_learns_nothing() {
    let plane = plane().await;
    plane.put_of(BUS, "orders", bus("main", "one")).await;
    let detach = Ask::Delete { identifier: None, mode: hangar_engine::DeleteMode::Detach };
    let accepted = plane.submit(BUS, "orders", detach).await.unwrap();
    plane.finish(accepted).await;
    crate::team::import(&plane, BUS, "orders", "orders").await;
    assert_eq!(learned(&plane).await, []);
    // The put after it cannot know whether AWS rewrites the value or ignores it.
    let written = plane.put_of(BUS, "orders", bus("main", "one")).await;
    assert_eq!(success(&written).not_effective, ["/KmsKeyIdentifier"]);
    assert_eq!(learned(&plane).await, []);
}

#[tokio::test]
async fn a_read_that_returns_what_was_sent_refutes_the_form_and_a_caller_can_remove_it() {
    let plane = plane().await;
    plane.put_of(BUS, "orders", bus("main", "five")).await;
    assert_eq!(learned(&plane).await.len(), 2);
    change_elsewhere(
        &plane,
        "AWS::Events::EventBus",
        "orders",
        json!({"KmsKeyIdentifier": "main"}),
    )
    .await;
    plane.engine.reference_check(&name(BUS, "orders")).await.unwrap();
    assert_eq!(learned(&plane).await, [form("/Description", json!("five"), json!("seven"))]);
    let unlearn = async |path| {
        plane.engine.reference_unlearn(&name(BUS, "orders"), path, &Condition::None).await.unwrap()
    };
    assert_eq!(unlearn(Some("/KmsKeyIdentifier")).await.documents.learned.len(), 1);
    assert_eq!(unlearn(None).await.documents.learned.len(), 0);
    assert_eq!(learned(&plane).await, []);
}

#[tokio::test]
async fn a_secret_form_is_kept_as_hashes() {
    let plane = plane().await;
    let Ask::Put { properties, identifier, replace, adopt, .. } = put(bus("main", "one")) else {
        unreachable!()
    };
    let secret_paths = vec!["/KmsKeyIdentifier".to_owned()];
    let ask = Ask::Put { identifier, properties, secret_paths, replace, adopt };
    let accepted = plane.submit(BUS, "orders", ask.clone()).await.unwrap();
    plane.finish(accepted).await;
    let forms = learned(&plane).await;
    assert!(
        matches!(&forms[..], [(path, FormValue::Hash(_), FormValue::Hash(_))] if path == "/KmsKeyIdentifier")
    );
    assert!(!format!("{forms:?}").contains("v-1") && !format!("{forms:?}").contains("main"));
    let accepted = plane.submit(BUS, "orders", ask).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Noop);
}

#[tokio::test]
async fn a_form_of_a_value_that_becomes_secret_is_hashed() {
    let plane = plane().await;
    plane.put_of(BUS, "orders", bus("main", "five")).await;
    assert_eq!(learned(&plane).await.len(), 2);
    let Ask::Put { properties, identifier, replace, adopt, .. } = put(bus("main", "five")) else {
        unreachable!()
    };
    let secret_paths = vec!["/KmsKeyIdentifier".to_owned()];
    let ask = Ask::Put { identifier, properties, secret_paths, replace, adopt };
    for _ in 0..2 {
        let accepted = plane.submit(BUS, "orders", ask.clone()).await.unwrap();
        assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Noop);
        let text = format!("{:?}", learned(&plane).await);
        assert!(
            text.contains("seven") && !text.contains("v-1") && !text.contains("main"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_create_only_secret_that_is_added_or_changed_later_is_reported() {
    let plane = plane().await;
    let cluster = |snapshot: Option<&str>| {
        let mut properties =
            json!({"ClusterName": "c", "NodeType": "db.t4g.small", "ACLName": "open-access"});
        if let Some(name) = snapshot {
            properties["SnapshotName"] = json!(name);
        }
        properties
    };
    let code = |record: OperationRecord| match record.ending() {
        Some(Ending::Failed(failure)) => failure.code.clone(),
        other => format!("{other:?}"),
    };
    plane
        .put_of(
            CACHE,
            "bare",
            json!({"ClusterName": "bare", "NodeType": "db.t4g.small", "ACLName": "open-access"}),
        )
        .await;
    let added = plane
        .put_of(
            CACHE,
            "bare",
            json!({"ClusterName": "bare", "NodeType": "db.t4g.small", "ACLName": "open-access",
                                      "SnapshotName": "s"}),
        )
        .await;
    assert_eq!(code(added), "ReplaceRequired");
    plane.put_of(CACHE, "c", cluster(Some("s1"))).await;
    // A put without it leaves it as it is, and what the resource was created with stays known.
    assert_eq!(done(&plane.put_of(CACHE, "c", cluster(None)).await), SuccessKind::Noop);
    assert_eq!(done(&plane.put_of(CACHE, "c", cluster(Some("s1"))).await), SuccessKind::Noop);
    assert_eq!(done(&plane.put_of(CACHE, "c", cluster(None)).await), SuccessKind::Noop);
    assert_eq!(code(plane.put_of(CACHE, "c", cluster(Some("s2"))).await), "ReplaceRequired");
}
