//! `dependsOn` takes any expression that leads to resources: what is deployed waits as what is built does.

use hangar_template::arm::build;
use hangar_template::source::Sources;
use serde_json::{Value, json};

use crate::language::{FILE, deployed, nodes, problems};

/// Two resources, a loop and a module-free template around one `dependsOn`.
fn template(list: &str) -> String {
    format!(
        "extension aws
param c bool = false
var one = [a]
var all = concat(one, c ? [b] : [])
var named = {{ first: a }}
resource a 'AWS.EC2/VPC@default' = {{
  alias: 'a'
}}
resource b 'AWS.EC2/VPC@default' = {{
  alias: 'b'
}}
resource many 'AWS.EC2/VPC@default' = [for i in range(0, 2): {{
  alias: 'many-${{i}}'
}}]
resource r 'AWS.EC2/VPC@default' = {{
  alias: 'r'
  dependsOn: {list}
}}
"
    )
}

/// The resources that `r` waits for when it is deployed.
fn deployed_after(list: &str) -> String {
    let deployment = deployed(&template(list), &json!({}));
    let line = nodes(&deployment).into_iter().find(|it| it.starts_with("r ")).unwrap_or_default();
    line.split_once("<-").map_or(String::new(), |(_, needs)| needs.trim().to_owned())
}

/// The `dependsOn` of `r` that is built.
fn built_after(list: &str) -> Value {
    let built = build(&Sources::of(FILE, template(list).as_bytes()), FILE);
    assert_eq!(built.problems, [], "{list}");
    let json: Value = serde_json::from_str(&built.template.unwrap_or_default()).unwrap_or_default();
    json["resources"]["r"]["dependsOn"].clone()
}

#[test]
fn any_expression_of_resources_is_waited_for_in_deployments_as_in_builds() {
    for (list, nodes, written) in [
        ("c ? [a] : []", "a", json!(["a"])),
        ("c ? [a] : [b]", "a b", json!(["a", "b"])),
        ("concat([a], c ? [b] : [])", "a b", json!(["a", "b"])),
        ("[...one, b]", "a b", json!(["a", "b"])),
        ("[c ? a : b]", "a b", json!(["a", "b"])),
        ("[c ? a : null]", "a", json!(["a"])),
        ("one", "a", json!(["a"])),
        ("all", "a b", json!(["a", "b"])),
        ("[one[0]]", "a", json!(["a"])),
        ("[named.first]", "a", json!(["a"])),
        ("many", "many[0] many[1]", json!(["many"])),
        ("[many]", "many[0] many[1]", json!(["many"])),
        ("[for i in range(0, 2): many[i]]", "many[0] many[1]", json!(["many"])),
        ("filter([a, b], it => c)", "a b", json!(["a", "b"])),
        ("[]", "", Value::Null),
    ] {
        assert_eq!(deployed_after(list), nodes, "{list}");
        assert_eq!(built_after(list), written, "{list}");
    }
}

#[test]
fn a_dependency_that_leads_to_no_resource_is_refused_at_its_place() {
    for (list, at) in [
        ("'a'", "'a'"),
        ("a", "a"),
        ("[a.id]", "a.id"),
        ("c ? [a] : ['b']", "'b'"),
        ("[a, c]", "c"),
        ("range(0, 2)", "range(0, 2)"),
    ] {
        let text = template(list);
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{list}: {found:?}");
        assert!(found[0].starts_with("error[TMPL0017]"), "{}", found[0]);
        assert!(found[0].contains(&format!(" @ {at} (")), "{}", found[0]);
        let built = build(&Sources::of(FILE, text.as_bytes()), FILE);
        assert!(built.template.is_none(), "{list}");
    }
}
