//! Write-only values: sent when they change or when something else does, never when nothing does.

use hangar_schema::{
    Inputs, PlainSecrets, Recorded, SecretRecord, TypeSchema, patch_with, secrets, with_marks,
    without_hollow, without_secrets,
};
use serde_json::{Value, json};

use crate::verdict::{add, bundled, diff, noop, replace, rules_at, schema, update, verdict};

fn vault() -> TypeSchema {
    schema(json!({
        "properties": {
            "Size": {"type": "integer"},
            "Password": {"type": "string"},
            "Seed": {"type": "string"},
            "Login": {"type": "object", "properties": {"User": {"type": "string"}, "Key": {"type": "string"}}},
            "Hidden": {"type": "object", "properties": {"A": {"type": "string"}, "B": {"type": "string"}}},
            "Users": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {
                "Name": {"type": "string"}, "Role": {"type": "string"}, "Password": {"type": "string"}}}}
        },
        "writeOnlyProperties": [
            "/properties/Password", "/properties/Seed", "/properties/Login/Key",
            "/properties/Hidden/A", "/properties/Hidden/B", "/properties/Users/*/Password"
        ],
        "createOnlyProperties": ["/properties/Seed"]
    }))
}

#[test]
fn an_unchanged_write_only_value_is_no_operation() {
    let stated = json!({"Size": 1, "Password": "p"});
    assert_eq!(verdict(&vault(), json!({"Size": 1}), stated.clone(), stated), noop());
}

#[test]
fn an_unchanged_write_only_value_is_repeated_when_something_else_changes() {
    let applied = json!({"Size": 1, "Password": "p"});
    assert_eq!(
        verdict(&vault(), json!({"Size": 1}), json!({"Size": 2, "Password": "p"}), applied),
        update(json!([add("/Size", json!(2)), add("/Password", json!("p"))]))
    );
}

#[test]
fn a_changed_write_only_value_is_sent() {
    let applied = json!({"Size": 1, "Password": "p"});
    assert_eq!(
        verdict(&vault(), json!({"Size": 1}), json!({"Size": 1, "Password": "q"}), applied),
        update(json!([add("/Password", json!("q"))]))
    );
}

#[test]
fn a_write_only_value_with_no_record_is_sent_once() {
    assert_eq!(
        verdict(&vault(), json!({"Size": 1}), json!({"Password": "p"}), None),
        update(json!([add("/Password", json!("p"))]))
    );
}

#[test]
fn a_dropped_write_only_value_is_no_operation_and_explained() {
    let patch = diff(
        &vault(),
        &json!({"Size": 1}),
        &json!({"Size": 1}),
        Some(&json!({"Size": 1, "Password": "p"})),
    );
    assert!(patch.operations.is_empty());
    assert_eq!(rules_at(&patch, "/Password"), ["write-only-dropped"]);
}

#[test]
fn a_create_and_write_only_value_is_compared_with_its_record_only() {
    let seed = |text: &str| json!({"Seed": text});
    assert_eq!(verdict(&vault(), json!({}), seed("a"), seed("a")), noop());
    assert_eq!(verdict(&vault(), json!({}), seed("b"), seed("a")), replace(&["/Seed"]));
    assert_eq!(verdict(&vault(), json!({}), seed("a"), None), noop());
    // Nor is it ever sent, whatever else is.
    assert_eq!(
        verdict(
            &vault(),
            json!({"Size": 1}),
            json!({"Size": 2, "Seed": "a"}),
            json!({"Size": 1, "Seed": "a"})
        ),
        update(json!([add("/Size", json!(2))]))
    );
}

#[test]
fn an_object_of_write_only_values_that_live_lacks_is_compared_inside() {
    let stated = json!({"Hidden": {"A": "1", "B": "2"}});
    assert_eq!(verdict(&vault(), json!({}), stated.clone(), stated.clone()), noop());
    assert_eq!(
        verdict(&vault(), json!({}), json!({"Hidden": {"A": "1", "B": "3"}}), stated.clone()),
        update(json!([add("/Hidden", json!({"A": "1", "B": "3"}))]))
    );
    let both = json!({"Size": 1, "Hidden": {"A": "1"}});
    assert_eq!(
        verdict(&vault(), json!({"Size": 1}), json!({"Size": 2, "Hidden": {"A": "1"}}), both),
        update(json!([add("/Size", json!(2)), add("/Hidden", json!({"A": "1"}))]))
    );
}

#[test]
fn a_write_only_member_beside_readable_ones_is_sent_alone() {
    let applied = json!({"Login": {"User": "u", "Key": "k"}});
    assert_eq!(
        verdict(
            &vault(),
            json!({"Login": {"User": "u"}}),
            json!({"Login": {"User": "u", "Key": "l"}}),
            applied
        ),
        update(json!([add("/Login/Key", json!("l"))]))
    );
}

#[test]
fn a_write_only_value_stays_with_its_element_whatever_its_place() {
    let user = |name: &str, role: &str, password: &str| json!({"Name": name, "Role": role, "Password": password});
    let applied = json!({"Users": [user("a", "r", "pa"), user("b", "r", "pb")]});
    let live = json!({"Users": [{"Name": "b", "Role": "r"}, {"Name": "a", "Role": "r"}]});
    let swapped = json!({"Users": [user("b", "r", "pb"), user("a", "r", "pa")]});
    assert_eq!(verdict(&vault(), live.clone(), swapped, applied.clone()), noop());
    let desired = json!({"Users": [user("a", "w", "pa"), user("b", "r", "pb")]});
    assert_eq!(
        verdict(&vault(), live, desired.clone(), applied),
        update(json!([add("/Users", desired["Users"].clone())]))
    );
}

#[test]
fn lambda_code_is_repeated_with_any_other_change_because_aws_refuses_a_model_without_it() {
    let function = bundled("AWS::Lambda::Function");
    let stated = |memory: u32, key: &str| json!({"FunctionName": "f", "Role": "r", "MemorySize": memory, "Code": {"S3Bucket": "b", "S3Key": key}});
    let live = json!({"FunctionName": "f", "Role": "r", "MemorySize": 128, "Arn": "arn"});
    assert_eq!(verdict(&function, live.clone(), stated(128, "k"), stated(128, "k")), noop());
    assert_eq!(
        verdict(&function, live.clone(), stated(256, "k"), stated(128, "k")),
        update(json!([
            add("/MemorySize", json!(256)),
            add("/Code", json!({"S3Bucket": "b", "S3Key": "k"}))
        ]))
    );
    assert_eq!(
        verdict(&function, live, stated(128, "new"), stated(128, "k")),
        update(json!([add("/Code", json!({"S3Bucket": "b", "S3Key": "new"}))]))
    );
}

#[test]
fn rds_password_is_write_only() {
    let instance = bundled("AWS::RDS::DBInstance");
    let stated = |size: &str, password: &str| json!({"DBInstanceIdentifier": "db", "DBInstanceClass": size, "MasterUserPassword": password});
    let live = json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro"});
    assert_eq!(
        verdict(&instance, live.clone(), stated("db.t3.micro", "p"), stated("db.t3.micro", "p")),
        noop()
    );
    assert_eq!(
        verdict(&instance, live, stated("db.t3.large", "p"), stated("db.t3.micro", "p")),
        update(json!([
            add("/DBInstanceClass", json!("db.t3.large")),
            add("/MasterUserPassword", json!("p"))
        ]))
    );
}

#[test]
fn secrets_are_collected_by_path_and_left_out_of_what_is_stored() {
    let document = json!({"Size": 1, "Password": "p", "Users": [{"Name": "a/b", "Password": "x"}]});
    let found: Vec<_> = secrets(&vault(), &document)
        .into_iter()
        .map(|secret| (secret.path, secret.value.into_owned()))
        .collect();
    assert_eq!(
        found,
        [("/Password".into(), json!("p")), ("/Users[Name=a/b]/Password".into(), json!("x"))]
    );
    assert_eq!(
        without_secrets(&vault(), &document),
        json!({"Size": 1, "Users": [{"Name": "a/b"}]})
    );
}

struct LostKey;

impl SecretRecord for LostKey {
    fn compare(&self, _: &str, _: &Value) -> Recorded {
        Recorded::Incomparable
    }
}

#[test]
fn a_record_that_cannot_be_compared_is_never_a_change() {
    let desired = json!({"Password": "p", "Seed": "s"});
    let inputs = Inputs { live: &json!({}), desired: &desired, applied: None };
    let patch = patch_with(&vault(), &inputs, &LostKey).unwrap();
    assert!(patch.operations.is_empty() && patch.reasons.is_empty());
    assert!(rules_at(&patch, "/Seed").contains(&"write-only-incomparable"));
}

#[test]
fn a_hidden_scalar_is_one_secret_whatever_lies_below_its_pointer() {
    let schema = schema(json!({
        "properties": {"Place": {"type": ["object", "string"]}},
        "writeOnlyProperties": ["/properties/Place"],
        "createOnlyProperties": ["/properties/Place/Co"]
    }));
    let stated = json!({"Place": "x"});
    assert_eq!(without_secrets(&schema, &stated), json!({}));
    assert_eq!(without_secrets(&schema, &json!({"Place": {"Co": "c", "Other": 1}})), json!({}));
    assert_eq!(verdict(&schema, json!({}), stated.clone(), stated), noop());
}

/// What is done where what was applied lacks what lies at paths.
fn unmarked_and_marked(
    live: &Value,
    desired: &Value,
    applied: &Value,
    paths: &[&str],
) -> [Value; 2] {
    struct Quiet;
    impl SecretRecord for Quiet {
        fn compare(&self, _: &str, value: &Value) -> Recorded {
            if value == "quiet" { Recorded::Same } else { Recorded::Different }
        }
    }
    let schema = schema(json!({"properties": {
        "Size": {"type": "integer"},
        "Note": {"type": "string"},
        "Tags": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {
            "Key": {"type": "string"}, "Value": {"type": "string"}}}},
        "Deep": {"type": "object", "properties": {
            "List": {"type": "array", "items": {"type": "string"}}, "Other": {"type": "integer"}}},
        "Settings": {"type": "array", "arrayType": "AttributeList", "insertionOrder": false, "items": {
            "type": "object", "properties": {"Key": {"type": "string"}, "Value": {"type": "string"}}}},
    }}));
    let inputs = Inputs { live, desired, applied: Some(applied) };
    let marked = with_marks(&schema, &inputs, paths, &Quiet).unwrap();
    let done = |applied: &Value| {
        let inputs = Inputs { applied: Some(applied), ..inputs };
        patch_with(&schema, &inputs, &PlainSecrets::default()).unwrap().to_json()
    };
    [done(applied), done(&marked)]
}

#[test]
fn what_was_taken_out_of_what_was_applied_goes_when_it_is_stated_no_more() {
    let tags = json!([{"Key": "a", "Value": "quiet"}]);
    let live = json!({"Size": 1, "Note": "quiet", "Tags": tags, "Deep": {"List": ["x", "quiet"], "Other": 1}});
    let applied = json!({"Size": 1, "Deep": {"Other": 1}});
    let paths = ["/Note", "/Tags/0/Value", "/Deep/List/1", "/None/0"];
    let remove = |path: &str| json!({"op": "remove", "path": path});
    let of = |desired: Value| unmarked_and_marked(&live, &desired, &applied, &paths);
    let gone = json!([remove("/Deep/List"), remove("/Note"), remove("/Tags")]);
    let [unmarked, marked] = of(json!({"Size": 1, "Deep": {"Other": 1}}));
    assert_eq!(unmarked, json!([]));
    let mut marked = marked.as_array().unwrap().clone();
    marked.sort_by_key(|it| it["path"].to_string());
    assert_eq!(Value::from(marked), gone);
    // What is still stated is as it was.
    assert_eq!(of(live.clone()), [json!([]), json!([])]);
}

#[test]
fn of_attributes_only_those_with_the_secret_go() {
    let live =
        json!({"Settings": [{"Key": "a", "Value": "quiet"}, {"Key": "b", "Value": "theirs"}]});
    let of = |desired: Value| {
        unmarked_and_marked(&live, &desired, &json!({}), &["/Settings/0/Value"])[1].clone()
    };
    let theirs = json!([{"Key": "b", "Value": "theirs"}]);
    assert_eq!(of(json!({})), json!([add("/Settings", theirs)]));
    let stated = json!([{"Key": "c", "Value": "new"}]);
    let whole = json!([{"Key": "c", "Value": "new"}, {"Key": "b", "Value": "theirs"}]);
    assert_eq!(of(json!({"Settings": stated})), json!([add("/Settings", whole)]));
}

#[test]
fn an_object_of_which_only_secrets_were_stated_is_not_expected_of_a_read() {
    let document = json!({"Size": 1, "Login": {}, "Hidden": {}, "Users": [{"Name": "n"}]});
    assert_eq!(without_hollow(&vault(), &document), json!({"Size": 1, "Users": [{"Name": "n"}]}));
    let login = json!({"Login": {"User": "u"}});
    assert_eq!(without_hollow(&vault(), &login), login);
    let function = bundled("AWS::Lambda::Function");
    assert_eq!(without_hollow(&function, &json!({"Code": {}, "Role": "r"})), json!({"Role": "r"}));
}
