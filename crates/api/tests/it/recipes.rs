//! Recipes without Terraform: what is refused, what a run answers while it lasts, what is listed and shown.

use hangar_plan::operation::{Convergence, Ending, OperationId, Success, SuccessKind};
use hangar_plan::recipe::{Progress, RecipeRow, RecipeTask, RecipeWork, Run, Stage, Summary};
use hangar_plan::record::{
    CloudControlLink, GroupName, OperationRecord, OutputResource, RecipeName, RecipeRecord,
    RecipeStatus, Version, Work,
};
use hangar_store::{GroupHold, RecipeWrite, Reservation};
use serde_json::{Value, json};

use crate::server::{GROUP, Reply, Server, VERSION};

const ASYNC: (&str, &str) = ("prefer", "respond-async");

const HELLO: &str = "variable \"name\" {}\nvariable \"word\" { sensitive = true }\n";

pub(crate) fn id(name: &str) -> String {
    format!("{GROUP}/providers/Hangar.Recipes/recipes/{name}")
}

pub(crate) fn path(name: &str) -> String {
    format!("{}?{VERSION}", id(name))
}

pub(crate) fn action(name: &str, word: &str) -> String {
    format!("{}/{word}?{VERSION}", id(name))
}

/// A body with one file.
pub(crate) fn body() -> Value {
    json!({"properties": {
        "files": {"main.tf": HELLO}, "label": "./hello",
        "parameters": {"name": "you", "word": "hush-hush"},
    }})
}

fn body_with(name: &str, value: Value) -> Value {
    let mut body = body();
    body["properties"][name] = value;
    body
}

pub(crate) async fn deploy(server: &Server, name: &str) -> Reply {
    server.call_with("PUT", &path(name), body(), &[ASYNC]).await
}

pub(crate) fn name(name: &str) -> RecipeName {
    let group = GroupName { plane: "local".to_owned(), group: "Team".to_owned() };
    RecipeName { group, name: name.to_owned() }
}

/// What is kept of a recipe, without Terraform having run.
pub(crate) struct Kept {
    pub(crate) name: RecipeName,
    pub(crate) operation: OperationId,
    pub(crate) ending: Option<Ending>,
    pub(crate) status: RecipeStatus,
    /// What it is run with.
    pub(crate) sealed: Vec<u8>,
}

impl Kept {
    /// One whose first run is under way.
    pub(crate) fn running(recipe: &str, bits: u128) -> Self {
        let operation = OperationId::from_u128(bits);
        let (status, sealed) = (RecipeStatus::default(), vec![1; 100]);
        Self { name: name(recipe), operation, ending: None, status, sealed }
    }

    /// One that has made so many resources.
    pub(crate) fn of(recipe: &str, bits: u128, resources: usize) -> Self {
        let scope = "/planes/aws/aws/accounts/42/regions/eu-central-1";
        let resource = |index: usize| OutputResource {
            id: format!("{scope}/providers/AWS.EC2/VPC/{recipe}-{index}"),
            address: Some(format!("aws_vpc.it[{index}]")),
            terraform_type: Some("aws_vpc".to_owned()),
            provider: None,
            cloud_control: Some(CloudControlLink {
                type_name: "AWS.EC2/VPC".to_owned(),
                identifier: format!("{recipe}-{index}"),
                confidence: "exact".to_owned(),
                id: None,
            }),
        };
        let ending = Ending::Succeeded(Success {
            kind: SuccessKind::Deployed,
            convergence: Convergence::Converged,
            not_effective: Vec::new(),
        });
        let status = RecipeStatus {
            resources: (0..resources).map(resource).collect(),
            values: Some(json!({"port": 80})),
            secrets: vec!["password".to_owned()],
            warnings: vec!["odd".to_owned()],
            tool: Some("terraform 1.11.4".to_owned()),
            has_state: true,
        };
        Self { ending: Some(ending), status, ..Self::running(recipe, bits) }
    }

    /// Writes it as an engine would, and lets no worker at it.
    pub(crate) async fn keep(self, server: &Server) {
        let now = server.store.now().await.unwrap();
        let mut work = RecipeWork::new(self.operation, self.name.clone(), RecipeTask::Deploy, now);
        work.run = self.ending.is_none().then(|| Run {
            number: 2,
            host: "here".to_owned(),
            begun_at: now,
            heard_at: now,
        });
        work.stage = Stage::Applying;
        work.rows = vec![RecipeRow {
            address: "aws_vpc.it[0]".to_owned(),
            action: "create".to_owned(),
            progress: Progress::Done,
        }];
        work.unlisted = 3;
        work.summary = Some(Summary { add: 4, change: 0, remove: 0 });
        work.ending = self.ending.clone();
        let ended_at = self.ending.is_some().then_some(now);
        let record = RecipeRecord {
            name: self.name.clone(),
            operation: self.operation,
            task: RecipeTask::Deploy,
            started_at: now,
            ended_at,
            ending: self.ending,
            source: "a/b/c".to_owned(),
            source_version: Some("~> 1.0".to_owned()),
            parameters: json!({}),
            secret_parameters: Vec::new(),
            status: self.status,
            managed_by: None,
            sealed: self.sealed,
            created_at: now,
            version: Version(0),
        };
        let operation = OperationRecord {
            due_at: None,
            ended_at,
            ..OperationRecord::new(Work::Recipe(Box::new(work)), now)
        };
        let reservation = Reservation {
            record: operation,
            reference: None,
            deployment: None,
            recipe: Some(RecipeWrite { record, seen: None }),
            group: Some(GroupHold::Open(self.name.group)),
            resource_keys: Vec::new(),
            envelope: None,
            message: "accepted".to_owned(),
        };
        server.store.operation_reserve(reservation).await.unwrap();
    }
}

#[tokio::test]
async fn a_run_is_accepted_and_shown_while_it_lasts() {
    let server = Server::start().await;
    let made = deploy(&server, "Net").await;
    let shown = made.ok(201);
    assert_eq!(shown["id"], id("Net"));
    assert_eq!(shown["type"], "Hangar.Recipes/recipes");
    assert_eq!(shown["etag"], made.header("etag"));
    let properties = &shown["properties"];
    assert_eq!(properties["provisioningState"], "Running");
    assert_eq!((&properties["task"], &properties["stage"]), (&json!("deploy"), &json!("waiting")));
    assert_eq!((&properties["source"], &properties["version"]), (&json!("./hello"), &Value::Null));
    assert_eq!(properties["parameters"], json!({"name": "you"}));
    assert_eq!(properties["secretParameters"], json!(["word"]));
    assert_eq!(properties["rows"], json!([]));
    let nothing = json!({"outputResources": [], "values": {}, "secrets": [], "warnings": []});
    assert_eq!(properties["status"], nothing);
    let operation = properties["operation"].as_str().unwrap();
    assert!(made.header("azure-asyncoperation").contains(operation));
    assert!(made.header("location").contains(operation));
    assert!(!made.header("retry-after").is_empty());
    assert!(!made.text.contains("hush-hush"));

    let status = server.follow(made.header("azure-asyncoperation")).await.ok(200);
    assert_eq!((&status["kind"], &status["status"]), (&json!("deploy-recipe"), &json!("Running")));
    assert_eq!(status["resourceId"], id("Net"));
    assert_eq!(server.follow(made.header("location")).await.status, 202);

    let got = server.get(&id("NET")).await;
    assert_eq!(got.ok(200), shown, "names compare without case, and the first spelling is kept");
    let head = server.call("HEAD", &id("net"), Value::Null).await;
    assert_eq!((head.status, head.header("etag")), (204, made.header("etag")));
    let list = server.get(id("").trim_end_matches('/')).await.ok(200);
    assert_eq!(list, json!({"value": [shown]}));

    assert_eq!(deploy(&server, "net").await.refused(409), "Conflict");
    let deleted = server.call("DELETE", &path("net"), Value::Null).await;
    assert_eq!(deleted.refused(409), "Conflict");
    let group = server.call("DELETE", &format!("{GROUP}?{VERSION}"), Value::Null).await;
    assert!([202, 409].contains(&group.status), "{group:#?}");
}

#[tokio::test]
async fn what_is_not_there_is_not_there() {
    let server = Server::start().await;
    for (method, path) in [
        ("GET", id("net")),
        ("GET", format!("{}/state", id("net"))),
        ("GET", format!("{}/stateVersions", id("net"))),
        ("POST", action("net", "cancel")),
        ("POST", action("net", "listSecrets")),
        ("POST", action("net", "unlock")),
    ] {
        let refused = server.call(method, &path, Value::Null).await;
        assert_eq!(refused.refused(404), "ResourceNotFound", "{method} {path}");
        let none = path.replace("/Team/", "/none/");
        let refused = server.call(method, &none, Value::Null).await;
        assert_eq!(refused.refused(404), "ResourceGroupNotFound", "{method} {none}");
    }
    let gone = server.call("DELETE", &path("net"), Value::Null).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    let none = path("net").replace("/Team/", "/none/");
    for (method, body) in [("DELETE", Value::Null), ("PUT", body())] {
        let refused = server.call(method, &none, body).await;
        assert_eq!(refused.refused(404), "ResourceGroupNotFound");
    }
}

#[tokio::test]
async fn what_cannot_run_is_refused_with_all_that_is_wrong_before_anything_is_kept() {
    let server = Server::start().await;
    for (body, code, told) in [
        (json!({"properties": {"source": "./net"}}), "InvalidRecipe", "send its files in `files`"),
        (json!({"properties": {"source": "/srv/x"}}), "InvalidRecipe", "send its files in `files`"),
        (json!({"properties": {"source": "file:///x"}}), "InvalidRecipe", "`files`"),
        (json!({"properties": {"source": "nothing"}}), "InvalidRecipe", "is not a module source"),
        (json!({"properties": {}}), "InvalidRequestContent", "both missing"),
        (body_with("source", json!("a/b/c")), "InvalidRequestContent", "both set"),
        (
            body_with("files", json!({"x.txt": ""})),
            "InvalidRecipe",
            "the module has no Terraform file",
        ),
        (body_with("files", json!({"main.tf": "variable {"})), "InvalidRecipe", "main.tf:1"),
        (body_with("parameters", json!({"nme": 1})), "InvalidRecipe", "the recipe is not valid"),
    ] {
        let refused = server.put(&path("net"), body.clone()).await;
        assert_eq!(refused.refused(400), code, "{body}");
        assert!(refused.text.contains(told), "{body}: {}", refused.text);
    }
    let wrong = body_with("parameters", json!({"nme": "x", "wrd": "y"}));
    let wrong = server.put(&path("net"), wrong).await;
    let details = wrong.json()["error"]["details"].as_array().unwrap().len();
    assert!(details >= 2, "{}", wrong.text);
    assert_eq!(server.get(&id("net")).await.refused(404), "ResourceNotFound");
    let long = body_with("label", json!("x".repeat(5 << 20)));
    assert_eq!(server.put(&path("net"), long).await.refused(413), "RequestEntityTooLarge");
}

#[tokio::test]
async fn conditions_and_repeated_requests_are_honoured() {
    let server = Server::start().await;
    let must_be = [ASYNC, ("if-match", "*")];
    let refused = server.call_with("PUT", &path("net"), body(), &must_be).await;
    assert_eq!(refused.refused(412), "PreconditionFailed");
    let named = [ASYNC, ("if-none-match", "*"), ("repeatability-request-id", "one")];
    let first = server.call_with("PUT", &path("net"), body(), &named).await;
    let operation = first.ok(201)["properties"]["operation"].clone();
    let again = server.call_with("PUT", &path("net"), body(), &named).await;
    assert_eq!(again.ok(200)["properties"]["operation"], operation);
    let other = body_with("label", json!("other"));
    let other = server.call_with("PUT", &path("net"), other, &named).await;
    assert_eq!(other.refused(400), "RepeatabilityMismatch");
    let stale =
        server.call_with("DELETE", &path("net"), Value::Null, &[("if-match", "\"x\"")]).await;
    assert_eq!(stale.refused(412), "PreconditionFailed");
    let read = server.call_with("GET", &id("net"), Value::Null, &[("if-match", "\"x\"")]).await;
    assert_eq!(read.refused(412), "PreconditionFailed");
}

#[tokio::test]
async fn a_run_is_stopped_once_and_takes_no_more() {
    let server = Server::start().await;
    deploy(&server, "net").await.ok(201);
    let stopped = server.call("POST", &action("net", "cancel"), Value::Null).await;
    assert_eq!((stopped.status, stopped.text.as_str()), (204, ""));
    let wrong = server.call("POST", &action("net", "cancel"), json!({"a": 1})).await;
    assert_eq!(wrong.refused(400), "InvalidRequestContent");
}

#[tokio::test]
async fn a_recipe_that_has_ended_shows_what_came_of_it() {
    let server = Server::start().await;
    Kept::of("net", 7, 1).keep(&server).await;
    let shown = server.get(&id("net")).await.ok(200);
    let properties = &shown["properties"];
    assert_eq!(properties["provisioningState"], "Succeeded");
    assert_eq!(properties["outcome"], "deployed");
    assert_eq!(
        (&properties["source"], &properties["version"]),
        (&json!("a/b/c"), &json!("~> 1.0"))
    );
    assert!(properties["startTime"].is_string() && properties["endTime"].is_string());
    let row = json!({"address": "aws_vpc.it[0]", "action": "create", "progress": "done"});
    assert_eq!(properties["rows"], json!([row]), "the steps of a run that is kept are told");
    assert_eq!((&properties["unlisted"], &properties["summary"]["add"]), (&json!(3), &json!(4)));
    let status = &properties["status"];
    assert_eq!(status["outputResources"][0]["address"], "aws_vpc.it[0]");
    assert_eq!(status["outputResources"][0]["terraformType"], "aws_vpc");
    assert_eq!(
        status["outputResources"][0]["cloudControl"],
        json!({"typeName": "AWS.EC2/VPC", "identifier": "net-0", "confidence": "exact"})
    );
    assert_eq!(
        (&status["values"], &status["tool"]),
        (&json!({"port": 80}), &json!("terraform 1.11.4"))
    );
    assert_eq!((&status["secrets"], &status["warnings"]), (&json!(["password"]), &json!(["odd"])));
    assert_eq!(properties.get("state"), None, "there has never been one");
    assert_eq!(properties.get("error"), None);
    let stopped = server.call("POST", &action("net", "cancel"), Value::Null).await;
    assert_eq!(stopped.refused(409), "NotRunning");
    let again = deploy(&server, "net").await.ok(200);
    assert_eq!(again["properties"]["provisioningState"], "Running");
    assert_eq!(again["properties"]["status"], *status, "what it came to stays until there is more");
}

#[tokio::test]
async fn a_delete_is_under_way_until_everything_is_destroyed() {
    let server = Server::start().await;
    deploy(&server, "net").await.ok(201);
    let sealed = server.store.recipe_find(&name("net")).await.unwrap().unwrap().sealed;
    server.tamper("DELETE FROM recipe").await;
    Kept { sealed, ..Kept::of("net", 7, 1) }.keep(&server).await;
    let named = [ASYNC, ("repeatability-request-id", "one")];
    let deleted = server.call_with("DELETE", &path("net"), Value::Null, &named).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (202, ""));
    let status = server.follow(deleted.header("azure-asyncoperation")).await.ok(200);
    assert_eq!((&status["kind"], &status["status"]), (&json!("delete-recipe"), &json!("Deleting")));
    let shown = server.get(&id("net")).await.ok(200);
    assert_eq!(shown["properties"]["provisioningState"], "Deleting");
    assert_eq!(shown["properties"]["task"], "delete");
    let again = server.call_with("DELETE", &path("net"), Value::Null, &named).await;
    assert_eq!(again.header("azure-asyncoperation"), deleted.header("azure-asyncoperation"));
}

#[tokio::test]
async fn the_result_of_a_run_is_the_recipe_as_it_is_now() {
    let server = Server::start().await;
    Kept::of("net", 7, 1).keep(&server).await;
    let operation = OperationId::from_u128(7);
    let url =
        format!("/planes/radius/local/providers/System.Resources/operationResults/{operation}");
    let result = server.get(&url).await;
    assert_eq!(result.ok(201), server.get(&id("net")).await.ok(200));
    assert_eq!(result.header("etag"), result.json()["etag"]);
    server.tamper("DELETE FROM recipe").await;
    let forgotten = server.get(&url).await.ok(200);
    assert_eq!(
        (&forgotten["id"], &forgotten["properties"]["provisioningState"]),
        (&json!(id("net")), &json!("Succeeded"))
    );
}

#[tokio::test]
async fn the_secrets_of_a_result_are_given_out_by_one_route_only() {
    let server = Server::start().await;
    Kept::of("net", 7, 1).keep(&server).await;
    let none = server.call("POST", &action("net", "listSecrets"), Value::Null).await;
    assert_eq!(none.ok(200), json!({"secrets": {}}));
    let kind = r#"["object", {"secrets": ["object", {"password": "string"}]}]"#;
    let state = format!(
        r#"{{"version": 4, "serial": 1, "lineage": "l", "resources": [], "outputs": {{"result": {{
        "value": {{"secrets": {{"password": "hush-hush"}}}}, "type": {kind}, "sensitive": true}}}}}}"#
    );
    let path = format!("{}/state", id("net"));
    server.put_text("POST", &path, &state).await.ok(200);
    let told = server.call("POST", &action("net", "listSecrets"), json!({})).await;
    assert_eq!(told.ok(200), json!({"secrets": {"password": "hush-hush"}}));
    assert_eq!(told.header("cache-control"), "no-store");
    let wrong = server.call("POST", &action("net", "listSecrets"), json!({"a": 1})).await;
    assert_eq!(wrong.refused(400), "InvalidRequestContent");
    for path in [id("net"), format!("{}/stateVersions", id("net")), GROUP.to_owned()] {
        assert!(!server.get(&path).await.text.contains("hush-hush"), "{path}");
    }
}

#[tokio::test]
async fn recipes_come_in_pages_by_name() {
    let server = Server::start().await;
    for (index, name) in ["c", "A", "b", "E", "d"].iter().enumerate() {
        Kept::of(name, 10 + index as u128, 0).keep(&server).await;
    }
    let all = all_pages(&server, id("").trim_end_matches('/'), 2).await;
    let names: Vec<&str> = all.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "b", "c", "d", "E"]);
}

/// All that a list gives, page by page, each no longer than asked for.
async fn all_pages(server: &Server, path: &str, top: usize) -> Vec<Value> {
    let mut url = format!("{}{path}?$top={top}", server.url());
    let mut all = Vec::new();
    loop {
        let page = server.follow(&url).await.ok(200);
        let values = page["value"].as_array().unwrap();
        assert!(values.len() <= top && !values.is_empty() && all.len() < 100, "{page:#}");
        all.extend(values.iter().cloned());
        let Some(next) = page["nextLink"].as_str() else { return all };
        next.clone_into(&mut url);
    }
}

#[tokio::test]
async fn a_group_lists_references_then_recipes_with_what_they_made_in_pages_of_any_length() {
    let server = Server::start().await;
    for alias in ["one", "two", "three"] {
        server.put(&crate::server::alias(alias), crate::server::vpc(true)).await.ok(201);
    }
    for (bits, (name, made)) in (10..).zip([("b", 2), ("A", 3), ("c", 0)]) {
        Kept::of(name, bits, made).keep(&server).await;
    }
    let shown = server.get(GROUP).await.ok(200);
    let all = shown["resources"].as_array().unwrap();
    assert_eq!(shown.get("resourcesNextLink"), None);
    let names: Vec<&str> = all.iter().map(|it| it["name"].as_str().unwrap()).collect();
    let expected = ["one", "three", "two", "A", "A-0", "A-1", "A-2", "b", "b-0", "b-1", "c"];
    assert_eq!(names, expected);
    assert_eq!(
        all[3],
        json!({"id": id("A"), "name": "A", "type": "Hangar.Recipes/recipes",
            "properties": {"provisioningState": "Succeeded"}})
    );
    assert_eq!(
        all[4],
        json!({
            "id": "/planes/aws/aws/accounts/42/regions/eu-central-1/providers/AWS.EC2/VPC/A-0",
            "type": "AWS.EC2/VPC", "name": "A-0", "recipe": id("A"), "address": "aws_vpc.it[0]",
            "cloudControl": {"typeName": "AWS.EC2/VPC", "identifier": "A-0", "confidence": "exact"},
        })
    );
    let list = format!("{GROUP}/resources");
    for top in 1..=12 {
        assert_eq!(&all_pages(&server, &list, top).await, all, "{top} at once");
    }
    for path in [
        format!("{list}?state=ready"),
        format!("{list}?drift=unknown"),
        format!("{GROUP}/providers/AWS.EC2/VPC:reference"),
    ] {
        let only = server.get(&path).await.ok(200);
        let is_reference = |it: &Value| it["id"].as_str().unwrap().contains(":reference/");
        assert!(only["value"].as_array().unwrap().iter().all(is_reference), "{path}");
    }
    let page = server.get(&format!("{list}?$top=5")).await.ok(200);
    let next = page["nextLink"].as_str().unwrap().replace("/resources?", "/resources?state=ready&");
    assert_eq!(server.follow(&next).await.refused(400), "InvalidSkipToken");
}

#[tokio::test]
async fn a_page_goes_on_where_its_recipe_was_deleted_meanwhile() {
    let server = Server::start().await;
    for (bits, name) in [(10, "a"), (11, "b")] {
        Kept::of(name, bits, 2).keep(&server).await;
    }
    let page = server.get(&format!("{GROUP}/resources?$top=2")).await.ok(200);
    server.tamper("DELETE FROM recipe WHERE name_key = 'a'").await;
    let rest = server.follow(page["nextLink"].as_str().unwrap()).await.ok(200);
    let names: Vec<&str> =
        rest["value"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["b", "b-0"]);
}
