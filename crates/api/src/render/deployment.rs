//! A deployment as callers see it: its last run, the resources of that, and what came out.

use hangar_ids::encode_identifier;
use hangar_plan::deployment::{
    DeploymentTask, DeploymentWork, Detached, Fate, Holdings, Left, Leftover, Member, Row, RowKind,
    RowState, RowTarget, SourcePlace, holdings_after,
};
use hangar_plan::operation::{Ending, OperationId};
use hangar_plan::record::{DeploymentName, DeploymentRecord, GroupName, OperationRecord, Subject};
use hangar_plan::{Timestamp, Waiting};
use serde_json::{Map, Value, json};

use super::state::{CANCELED, DELETING, FAILED, RUNNING, SUCCEEDED, ending_word};
use super::time::{duration, rfc3339};
use super::waiting;
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;
use crate::failure;

/// A run of a deployment: its operation has it while that is kept, and the deployment's record the last one.
#[derive(Debug, Clone)]
pub(crate) struct Run<'a> {
    task: DeploymentTask,
    name: &'a DeploymentName,
    operation: OperationId,
    started_at: Timestamp,
    ended_at: Option<Timestamp>,
    ending: Option<&'a Ending>,
    waiting: Option<Waiting>,
    rows: &'a [Row],
    outputs: Option<&'a Value>,
    managed: Vec<Member>,
    holdings: &'a Holdings,
    template_path: Option<&'a str>,
}

impl<'a> Run<'a> {
    /// The last one, as it is kept.
    pub(crate) fn of_record(record: &'a DeploymentRecord) -> Self {
        let DeploymentRecord {
            name,
            operation,
            started_at,
            ended_at,
            ending,
            rows,
            outputs,
            holdings,
            template_path,
            ..
        } = record;
        Self {
            task: DeploymentTask::Deploy,
            managed: record.members(),
            holdings,
            name,
            operation: *operation,
            started_at: *started_at,
            ended_at: *ended_at,
            ending: ending.as_ref(),
            waiting: None,
            rows,
            outputs: outputs.as_ref(),
            template_path: template_path.as_deref(),
        }
    }

    /// One, as its operation has it.
    pub(crate) fn of_work(record: &OperationRecord, work: &'a DeploymentWork) -> Self {
        Self {
            task: work.task,
            managed: holdings_after(work).managed.unwrap_or_default(),
            holdings: &work.holdings,
            name: &work.deployment,
            operation: work.id,
            started_at: work.started_at,
            ended_at: record.ended_at,
            ending: work.ending.as_ref(),
            waiting: record.waiting(),
            rows: &work.rows,
            outputs: work.result.as_ref(),
            template_path: None,
        }
    }
}

/// A deployment; without a tag where another run has taken the place of this one.
pub(crate) fn deployment(run: &Run<'_>, etag: Option<&ETag>) -> Value {
    let group = &run.name.group;
    let mut properties = Map::new();
    let under_way = if run.task == DeploymentTask::Destroy { DELETING } else { RUNNING };
    let state = run.ending.map_or(under_way, ending_word);
    properties.insert(PROVISIONING_STATE.into(), state.into());
    properties.insert("operation".into(), run.operation.to_string().into());
    properties.insert("timestamp".into(), rfc3339(run.started_at).into());
    if let Some(path) = run.template_path {
        properties.insert("templatePath".into(), path.into());
    }
    if let Some(ended_at) = run.ended_at {
        properties.insert("endedAt".into(), rfc3339(ended_at).into());
        properties.insert("duration".into(), duration(ended_at.since(run.started_at)).into());
    }
    if let Some(waits) = &run.waiting {
        properties.insert("waiting".into(), waiting::waiting(waits));
    }
    if let Some(outputs) = run.outputs {
        properties.insert("outputs".into(), outputs.clone());
    }
    let made = run.rows.iter().filter(|row| is_made(row)).flat_map(|row| made(row, group));
    let made = made.map(|id| json!({ "id": id })).collect();
    properties.insert("outputResources".into(), Value::Array(made));
    let rows = run.rows.iter().map(|row| shown(row, run, group)).collect();
    properties.insert("resources".into(), Value::Array(rows));
    let of_member = |member: &Member| Value::Object(shown_member(member, group));
    let managed = run.managed.iter().map(of_member).collect();
    properties.insert("managedResources".into(), Value::Array(managed));
    let Holdings { left, detached, retiring, .. } = run.holdings;
    let mut list = |name: &str, items: Vec<Value>| {
        if !items.is_empty() {
            properties.insert(name.to_owned(), Value::Array(items));
        }
    };
    list("leftResources", left.iter().map(|left| shown_left(left, group)).collect());
    let of_detached = |it: &Detached| with_identifier(&it.member, group, it.identifier.as_deref());
    list("detachedResources", detached.iter().map(of_detached).map(Value::Object).collect());
    let stays = |it: &Leftover| json!({ "address": it.address, "identifier": it.identifier });
    list("retiringResources", retiring.iter().map(stays).collect());
    if let Some(Ending::Failed(failure) | Ending::Canceled(failure)) = run.ending {
        properties.insert("error".into(), failure::of_run(failure, run.rows).value());
    }
    let mut body = Map::new();
    body.insert("id".into(), run.name.id().into());
    body.insert("name".into(), run.name.name.as_str().into());
    body.insert("type".into(), "Microsoft.Resources/deployments".into());
    if let Some(etag) = etag {
        body.insert("etag".into(), etag.as_str().into());
    }
    body.insert("properties".into(), Value::Object(properties));
    Value::Object(body)
}

fn shown_member(member: &Member, group: &GroupName) -> Map<String, Value> {
    let mut shown = Map::new();
    shown.insert("address".into(), member.address.as_str().into());
    shown.insert("type".into(), member.type_text().into());
    let name = if matches!(member.kind, RowKind::Aws(_)) { "alias" } else { "name" };
    shown.insert(name.into(), member.name.as_str().into());
    shown.insert("id".into(), member.id(group).into());
    shown
}

fn with_identifier(
    member: &Member,
    group: &GroupName,
    identifier: Option<&str>,
) -> Map<String, Value> {
    let mut shown = shown_member(member, group);
    if let Some(identifier) = identifier {
        shown.insert("identifier".into(), identifier.into());
    }
    shown
}

/// What left the template and was not taken away, and why it is still there.
fn shown_left(left: &Left, group: &GroupName) -> Value {
    let mut shown = with_identifier(&left.member, group, left.identifier.as_deref());
    let (fate, reason) = match &left.fate {
        Fate::Kept { because } => ("kept", because.clone()),
        Fate::Removed { because, .. } => ("removed", because.clone()),
        Fate::TakenOver { by } => {
            shown.insert("managedBy".into(), by.id().into());
            ("taken over", None)
        }
    };
    shown.insert("fate".into(), fate.into());
    if let Some(reason) = reason {
        shown.insert("reason".into(), reason.into());
    }
    Value::Object(shown)
}

/// What a run would do, as ARM has it; a scope that nobody named is left out.
pub(crate) fn what_if(found: &Value) -> Value {
    let mut properties = found.clone();
    if let Value::Object(members) = &mut properties {
        members.retain(|_, value| !value.is_null());
    }
    json!({ "status": SUCCEEDED, "properties": properties })
}

/// How many of the resources are done, in a hundred.
pub(super) fn percent(work: &DeploymentWork) -> u8 {
    let done = work.rows.iter().filter(|row| row.is_done()).count();
    u8::try_from(done * 100 / work.rows.len().max(1)).unwrap_or(100)
}

fn is_made(row: &Row) -> bool {
    matches!(row.target, RowTarget::Managed(_)) && row.is_done()
}

/// The ids of what a row made: its reference, or its recipe and what that made.
fn made(row: &Row, group: &GroupName) -> impl Iterator<Item = String> {
    let own = match &row.kind {
        RowKind::Aws(_) => row.reference(group).map(|name| name.id()),
        RowKind::Recipe => row.recipe(group).map(|name| name.id()),
    };
    own.into_iter().chain(row.made.clone())
}

fn shown(row: &Row, run: &Run<'_>, group: &GroupName) -> Value {
    let rows = run.rows;
    let mut shown = Map::new();
    let mut set = |name: &str, value: Value| drop(shown.insert(name.to_owned(), value));
    let address_of = |index: &usize| rows.get(*index).map(|row| row.address.as_str().into());
    set("address", row.address.as_str().into());
    set("type", row.type_text().into());
    let existing = matches!(row.target, RowTarget::Existing { .. });
    if let Some(name) = row.name() {
        set(if row.aws().is_some() { "alias" } else { "name" }, name.into());
    }
    set("existing", existing.into());
    if let Some(id) = id(row, group) {
        set("id", id.into());
    }
    if let Some(aws) = row.aws() {
        set("scope", aws.scope.to_string().into());
    }
    set("dependsOn", row.depends_on.iter().filter_map(address_of).collect());
    if let Some(identifier) = &row.identifier {
        set("identifier", identifier.as_str().into());
    }
    if !row.changed.is_empty() {
        set("changed", row.changed.clone().into());
    }
    if let Some(source) = &row.place {
        set("source", place(source));
    }
    if row.is_removal() {
        set("left", true.into());
    }
    let (state, began_at, ended_at) = match &row.state {
        RowState::Waiting => {
            let is_awaited = |index: &&usize| rows.get(**index).is_some_and(|it| !it.is_done());
            let awaited = row.depends_on.iter().filter(is_awaited).filter_map(address_of);
            set("waitsOn", awaited.collect());
            ("Waiting", None, None)
        }
        RowState::Begun { at } => (RUNNING, Some(*at), None),
        RowState::Done { begun_at, at, stated } => {
            set("action", stated.as_str().into());
            (SUCCEEDED, Some(*begun_at), Some(*at))
        }
        RowState::Failed { begun_at, at, failure, place } => {
            let place = place.as_ref().or(row.place.as_ref());
            set("error", failure::of_row(failure, place));
            (FAILED, Some(*begun_at), Some(*at))
        }
        RowState::Skipped { because } => {
            if let Some(address) = address_of(because) {
                set("because", address);
            }
            ("Skipped", None, None)
        }
        RowState::Canceled => (CANCELED, None, None),
    };
    set("state", state.into());
    if run.ending.is_none()
        && let Some(waits) = waiting::of_row(row, rows, run.started_at)
    {
        set("waiting", waiting::waiting(&waits));
    }
    if let (RowState::Begun { .. }, Some(verb)) = (&row.state, row.verb) {
        set("verb", super::operation::verb_word(verb).into());
    }
    if let Some(at) = began_at {
        set("startedAt", rfc3339(at).into());
        // What is only read has no operation of its own.
        if !existing {
            set("operation", row.operation.to_string().into());
        }
    }
    if let Some(at) = ended_at {
        set("endedAt", rfc3339(at).into());
    }
    Value::Object(shown)
}

/// The id of its reference, or of the resource where it has none; a recipe's is its own.
fn id(row: &Row, group: &GroupName) -> Option<String> {
    let aws = match &row.kind {
        RowKind::Aws(aws) => aws,
        RowKind::Recipe => return row.recipe(group).map(|name| name.id()),
    };
    if let Some(reference) = row.reference(group) {
        return Some(reference.id());
    }
    let subject = Subject::new(aws.scope.clone(), aws.type_name.clone(), None);
    let identifier = encode_identifier(row.identifier.as_deref()?);
    Some(format!("{}/{identifier}", subject.collection()))
}

fn place(place: &SourcePlace) -> Value {
    let SourcePlace { file, line, column, start, end } = place;
    json!({ "file": file, "line": line, "column": column, "start": start, "end": end })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hangar_ids::{AccountId, Region, TypeName};
    use hangar_plan::deployment::{AwsRow, Stated};
    use hangar_plan::operation::{Failure, FailureKind, Finding, SuccessKind};
    use hangar_plan::record::AwsScope;
    use hangar_plan::{WaitCode, WaitReason};

    pub(crate) fn waiting_row(address: &str, depends_on: &[usize]) -> Row {
        Row {
            address: address.into(),
            kind: RowKind::Aws(AwsRow {
                type_name: TypeName::parse("AWS.EC2/VPC").unwrap(),
                scope: AwsScope {
                    plane: "aws".into(),
                    account: AccountId::parse("1").unwrap(),
                    region: Region::parse("us-east-1").unwrap(),
                },
            }),
            target: RowTarget::Managed(format!("{address}-alias")),
            depends_on: depends_on.to_vec(),
            retires: false,
            plan: None,
            place: Some(SourcePlace {
                file: "main.bicep".into(),
                line: 2,
                column: 10,
                start: 20,
                end: 23,
            }),
            operation: OperationId::from_u128(5),
            identifier: None,
            changed: Vec::new(),
            made: Vec::new(),
            waiting: None,
            verb: None,
            state: RowState::Waiting,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn failure() -> Failure {
        Failure {
            kind: FailureKind::Invalid,
            code: "InvalidProperties".into(),
            message: "no".into(),
            findings: vec![Finding {
                code: "SCHEMA0101".into(),
                path: "/Cidr".into(),
                message: "what".into(),
            }],
        }
    }

    pub(crate) fn failed_row(address: &str) -> Row {
        let place =
            Some(SourcePlace { file: "main.bicep".into(), line: 3, column: 5, start: 30, end: 34 });
        let state = RowState::Failed { begun_at: at(1), at: at(2), failure: failure(), place };
        Row { state, ..waiting_row(address, &[]) }
    }

    fn done_row(address: &str, stated: Stated) -> Row {
        let state = RowState::Done { begun_at: at(1), at: at(2), stated };
        Row { state, identifier: Some("vpc-1".into()), ..waiting_row(address, &[]) }
    }

    fn work(rows: Vec<Row>) -> DeploymentWork {
        let group = GroupName { plane: "local".into(), group: "rg".into() };
        let name = DeploymentName { group, name: "App".into() };
        let id = OperationId::from_u128(9);
        DeploymentWork::new(id, name, DeploymentTask::Deploy, rows, at(0))
    }

    fn run(work: &DeploymentWork) -> Run<'_> {
        Run {
            task: work.task,
            managed: Vec::new(),
            holdings: &work.holdings,
            template_path: None,
            name: &work.deployment,
            operation: work.id,
            started_at: work.started_at,
            ended_at: work.ending.as_ref().map(|_| Timestamp::from_micros(4_200_000)),
            ending: work.ending.as_ref(),
            waiting: work.waits(),
            rows: &work.rows,
            outputs: work.result.as_ref(),
        }
    }

    #[test]
    fn a_run_under_way_shows_how_far_each_resource_is_and_what_it_waits_for() {
        let rows = vec![
            done_row("vpc", Stated::Put(SuccessKind::Created)),
            Row { state: RowState::Begun { at: at(3) }, ..waiting_row("net", &[0]) },
            waiting_row("subnets[0]", &[0, 1]),
            Row {
                target: RowTarget::Existing { alias: None, or_null: false },
                ..done_row("old", Stated::Read)
            },
        ];
        let work = work(rows);
        let shown = deployment(&run(&work), Some(&ETag::test("\"t\"")));
        assert_eq!(shown["id"], work.deployment.id());
        assert_eq!((&shown["name"], &shown["etag"]), (&json!("App"), &json!("\"t\"")));
        let properties = &shown["properties"];
        assert_eq!(properties["provisioningState"], "Running");
        for absent in ["endedAt", "duration", "outputs", "error"] {
            assert_eq!(properties.get(absent), None, "{absent}");
        }
        let vpc =
            "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/vpc-alias";
        assert_eq!(properties["outputResources"], json!([{"id": vpc}]));
        assert_eq!(
            properties["resources"][0],
            json!({
                "address": "vpc", "type": "AWS.EC2/VPC", "alias": "vpc-alias", "existing": false,
                "id": vpc, "scope": "/planes/aws/aws/accounts/1/regions/us-east-1",
                "dependsOn": [], "state": "Succeeded", "action": "created", "identifier": "vpc-1",
                "operation": OperationId::from_u128(5).to_string(),
                "startedAt": "1970-01-01T00:00:01Z", "endedAt": "1970-01-01T00:00:02Z",
                "source": {"file": "main.bicep", "line": 2, "column": 10, "start": 20, "end": 23},
            })
        );
        let [_, net, subnet, old] = properties["resources"].as_array().unwrap().as_slice() else {
            panic!("{properties}")
        };
        assert_eq!((&net["state"], net.get("endedAt")), (&json!("Running"), None));
        assert_eq!(subnet["state"], "Waiting");
        assert_eq!(subnet["waiting"]["code"], "Dependency");
        assert_eq!(subnet["waiting"]["message"], "waits for net");
        assert_eq!((net.get("waiting"), properties.get("waiting")), (None, None));
        assert_eq!(
            (&subnet["dependsOn"], &subnet["waitsOn"]),
            (&json!(["vpc", "net"]), &json!(["net"]))
        );
        assert_eq!(subnet.get("operation"), None, "it is not asked for yet");
        assert_eq!((&old["existing"], &old["action"]), (&json!(true), &json!("read")));
        assert_eq!(
            old["id"],
            "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1"
        );
        assert_eq!((old.get("alias"), old.get("operation")), (None, None));
        assert_eq!(percent(&work), 50);
    }

    #[test]
    fn a_recipe_has_its_own_id_and_what_it_made_is_told_with_it() {
        let made =
            vec!["/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/v".into()];
        let stated = Stated::Put(SuccessKind::Deployed);
        let recipe = Row {
            kind: RowKind::Recipe,
            target: RowTarget::Managed("net".into()),
            identifier: None,
            made: made.clone(),
            ..done_row("net", stated)
        };
        let work = work(vec![recipe]);
        let shown = deployment(&run(&work), None);
        let id = "/planes/radius/local/resourceGroups/rg/providers/Hangar.Recipes/recipes/net";
        let properties = &shown["properties"];
        assert_eq!(properties["outputResources"], json!([{"id": id}, {"id": made[0]}]));
        let row = &properties["resources"][0];
        assert_eq!((&row["id"], &row["name"]), (&json!(id), &json!("net")));
        assert_eq!(row["type"], "Hangar.Recipes/recipes");
        assert_eq!(row["action"], "deployed");
        assert_eq!((row.get("scope"), row.get("alias")), (None, None), "it is not of AWS");
    }

    #[test]
    fn a_run_that_failed_says_why_of_each_resource() {
        let mut work = work(vec![
            failed_row("vpc"),
            Row { state: RowState::Skipped { because: 0 }, ..waiting_row("net", &[0]) },
            Row { state: RowState::Canceled, ..waiting_row("late", &[]) },
        ]);
        work.ending = Some(Ending::Failed(Failure {
            findings: vec![Finding {
                path: "vpc".into(),
                code: "InvalidProperties".into(),
                message: "no".into(),
            }],
            code: "DeploymentFailed".into(),
            ..failure()
        }));
        let shown = deployment(&run(&work), None);
        let properties = &shown["properties"];
        assert_eq!(properties["provisioningState"], "Failed");
        assert_eq!(properties["duration"], "PT4.2S");
        assert_eq!(properties["error"]["code"], "DeploymentFailed");
        assert_eq!(properties["error"]["details"][0]["target"], "vpc");
        assert_eq!(properties["outputResources"], json!([]));
        let rows = &properties["resources"];
        assert_eq!(
            rows[0]["error"],
            json!({
                "code": "InvalidProperties", "message": "no", "target": "main.bicep(3,5)",
                "details": [{"code": "SCHEMA0101", "message": "what", "target": "/Cidr"}],
                "additionalInfo": [{"type": "SourceSpan", "info": {"severity": "error",
                    "file": "main.bicep", "labels": [{"start": 30, "end": 34, "text": ""}],
                    "hints": []}}],
            })
        );
        assert_eq!((&rows[1]["state"], &rows[1]["because"]), (&json!("Skipped"), &json!("vpc")));
        assert_eq!(rows[2]["state"], "Canceled");
    }

    #[test]
    fn what_a_run_would_do_is_told_in_an_envelope() {
        let found = json!({"scope": null, "changes": [{"action": "create", "before": null}]});
        assert_eq!(
            what_if(&found),
            json!({"status": "Succeeded", "properties":
                {"changes": [{"action": "create", "before": null}]}})
        );
    }

    #[test]
    fn a_deployment_of_nothing_has_no_share_that_is_done() {
        assert_eq!(percent(&work(vec![])), 0);
    }

    #[test]
    fn a_row_and_its_run_tell_why_they_wait_until_the_run_ends() {
        let reason = WaitReason::new(WaitCode::AwsUnreachable, "cannot reach http://h: refused");
        let waiting = Some(reason.since(at(4), Some(at(9)), 3));
        let state = RowState::Begun { at: at(3) };
        let mut work = work(vec![Row { state, waiting, ..waiting_row("net", &[]) }]);
        let shown = deployment(&run(&work), None);
        let expected = |message: &str| {
            json!({
                "code": "AwsUnreachable", "message": message, "since": "1970-01-01T00:00:04Z",
                "retryAt": "1970-01-01T00:00:09Z", "attempts": 3,
            })
        };
        let properties = &shown["properties"];
        let row = &properties["resources"][0];
        assert_eq!(row["waiting"], expected("cannot reach http://h: refused"));
        assert_eq!(properties["waiting"], expected("net: cannot reach http://h: refused"));
        work.ending = Some(hangar_plan::deployment::ending(&work));
        let ended = deployment(&Run { waiting: None, ..run(&work) }, None);
        assert_eq!(ended["properties"]["resources"][0].get("waiting"), None);
    }
}
