//! What can only be seen from inside: plans of queries.

use hangar_plan::operation::EntryState;
use hangar_plan::record::{GroupName, ReferenceName};

use super::cluster::{Cluster, ClusterError};
use super::*;
use crate::{OperationFilter, ReferenceFilter};

/// A session that is set as ours are, in a database with our tables; none where PostgreSQL is missing.
#[allow(clippy::print_stdout, reason = "a skip is counted by what a test says")]
async fn session(test: &str) -> Option<deadpool_postgres::Object> {
    let cluster = match Cluster::shared() {
        Ok(cluster) => cluster,
        Err(why @ (ClusterError::Missing(_) | ClusterError::OnlyRoot)) => {
            println!("skipped: {test} ({why})");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let url = cluster.create_database().unwrap();
    let store = Postgres::connect(&url, Options::default()).await.unwrap();
    let session = store.sessions.get().await.unwrap();
    Some(session)
}

/// How PostgreSQL means to run a query, whatever it is given.
async fn plan(session: &deadpool_postgres::Object, sql: &str) -> Vec<String> {
    let count = (1..99).take_while(|number| sql.contains(&format!("${number}"))).count();
    let given = vec!["NULL"; count].join(", ");
    let given = if count == 0 { String::new() } else { format!("({given})") };
    session.batch_execute(&format!("PREPARE asked AS {sql}")).await.unwrap();
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE asked{given}");
    let rows = session.query(&explain, &[]).await.unwrap();
    session.batch_execute("DEALLOCATE asked").await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Whether every table that the plan visits is searched by an index, and nothing is sorted.
fn is_a_search(plan: &[String]) -> bool {
    let is_node = |line: &&String| line.contains("->") || !line.starts_with(' ');
    let mut good = true;
    for (number, line) in plan.iter().enumerate() {
        if line.contains("Seq Scan") || line.contains("Sort") || line.contains("Bitmap") {
            good = false;
        }
        if line.contains("Index Scan") || line.contains("Index Only Scan") {
            let own = plan[number + 1..].iter().take_while(|line| !is_node(line));
            good &= own.into_iter().any(|line| line.contains("Index Cond"));
        }
    }
    good
}

#[tokio::test]
async fn no_query_reads_or_sorts_a_whole_table() {
    let Some(session) = session("postgres::tests::no_query_reads_or_sorts").await else { return };
    let mut queries: Vec<String> = [
        attempt::FIND_BY_REQUEST,
        attempt::SETTLE,
        budget::FIND,
        claim::ENVELOPES,
        claim::LEASE,
        claim::PUT_OFF,
        commit::ENVELOPE_DROP,
        commit::LOCKS_DROP,
        commit::PRESENT,
        commit::WAKE,
        credential::FIND,
        credential::LIST,
        credential::LIST_OF_PLANE,
        credential::REMOVE,
        credential::RESEAL,
        deployment::FIND,
        deployment::LIST,
        deployment::REMOVE,
        deployment::REMOVE_ALL,
        event::LAST,
        event::LIST,
        event::LIST_LAST,
        group::FIND,
        group::LIST,
        group::REMOVE,
        key_check::FIND,
        key_check::MOVE,
        lease::END_ALL,
        lease::RENEW,
        note::FIND,
        operation::ALL_RUNNING,
        reserve::LOOK,
        operation::FIND,
        operation::FIND_HOLDING,
        operation::FIND_REPEATED,
        operation::HOLD,
        operation::NEWEST_OF_REQUEST,
        operation::RUNNING,
        plane::EXISTS,
        plane::FIND,
        plane::LIST,
        plane::REMOVE,
        recipe::FIND,
        recipe::FIRST_IN,
        recipe::LIST,
        recipe::PRESENT,
        recipe::REMOVE,
        reference::DEPENDING,
        reference::FIND,
        reference::FIND_BY_RESOURCE,
        reference::FIND_BY_RETIRING,
        reference::FIND_MANY,
        reference::FIRST_IN,
        reference::MAPPERS,
        reference::OF_PLANE,
        reference::PRESENT,
        reference::REMOVE,
        reference::RETIRING_DROP,
        reserve::LOCKS_FIND,
        retention::PARKED,
        retention::PRUNE,
        retention::REMOVE,
        schema::FIND,
        terraform::FIND,
        terraform::FORGET,
        terraform::HEAD,
        terraform::LIST,
        terraform::LOOK,
        terraform::UNLOCK,
        "DELETE FROM terraform_lock WHERE group_key = $1 AND name_key = $2",
        "DELETE FROM terraform_state WHERE group_key = $1 AND name_key = $2",
        "DELETE FROM attempt WHERE operation = $1",
        "DELETE FROM event WHERE operation = $1",
    ]
    .map(str::to_owned)
    .to_vec();
    let group = || Some(GroupName { plane: "local".to_owned(), group: "prod".to_owned() });
    let type_name = hangar_ids::TypeName::parse("AWS::EC2::VPC").unwrap();
    let name = ReferenceName { group: group().unwrap(), type_name, alias: "a".to_owned() };
    for group in [None, group()] {
        for type_key in [None, Some("aws.ec2/vpc".to_owned())] {
            for state in [None, Some(EntryState::Unknown)] {
                let (group, type_key) = (group.clone(), type_key.clone());
                let filter = ReferenceFilter { group, type_key, state };
                queries.push(page::Page::of("*", &filter, None, 100).unwrap().sql);
            }
        }
        for reference in [None, Some(name.clone())] {
            for parent in [None, Some(OperationId::from_u128(1))] {
                for running in [false, true] {
                    let (group, reference) = (group.clone(), reference.clone());
                    let filter = OperationFilter { reference, group, parent, running };
                    queries.push(operation::list_query(&filter).0);
                }
            }
        }
    }
    let mut bad = Vec::new();
    for sql in queries {
        let plan = plan(&session, &sql).await;
        if !is_a_search(&plan) {
            bad.push(format!("{sql}\n{plan:#?}"));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[tokio::test]
async fn a_page_of_references_is_found_by_all_that_it_is_asked_for() {
    let Some(session) = session("postgres::tests::a_page_of_references").await else { return };
    let group = Some(GroupName { plane: "local".to_owned(), group: "prod".to_owned() });
    let type_key = Some("aws.ec2/vpc".to_owned());
    let cases = [
        (&None, &None, "reference_pkey", "ROW(group_key, type_key, alias_key) > "),
        (&group, &None, "reference_pkey", "ROW(type_key, alias_key) > "),
        (&group, &type_key, "reference_", "(alias_key > "),
        (&None, &type_key, "reference_by_type", "ROW(group_key, alias_key) > "),
    ];
    for (group, type_key, index, condition) in cases {
        let filter =
            ReferenceFilter { group: group.clone(), type_key: type_key.clone(), state: None };
        let sql = page::Page::of("*", &filter, None, 100).unwrap().sql;
        let plan = plan(&session, &sql).await.join("\n");
        assert!(plan.contains(index) && plan.contains(condition), "{sql}\n{plan}");
        assert!(!plan.contains("Filter"), "{sql}\n{plan}");
    }
}

#[test]
fn what_only_tells_of_states_reads_none() {
    let light = [
        recipe::FIRST_IN,
        recipe::PRESENT,
        terraform::FORGET,
        terraform::HEAD,
        terraform::LIST,
        terraform::LOOK,
    ];
    for sql in light {
        assert!(!sql.contains('*') && !sql.contains("sealed"), "{sql}");
    }
}
