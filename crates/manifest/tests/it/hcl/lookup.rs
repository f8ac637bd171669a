//! Attributes and outputs by name, in every form of a state, and what is said where they are not there.

use std::fs;
use std::path::Path;

use hangar_manifest::deployed::{Deployed, Found, codes};
use hangar_manifest::hcl::parse_template;
use hangar_manifest::state::{self, State};
use serde_json::{Value, json};

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hcl");
const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s");

/// Modules, data sources, keys, and objects that are to go.
const MODULES: &str = r#"{"version": 4, "serial": 1, "lineage": "x", "resources": [
  {"module": "module.m[0]", "mode": "managed", "type": "aws_x", "name": "y", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"index_key": "k", "attributes": {"id": "in-module"}}, {"index_key": "0", "attributes": {"id": "text-zero"}}]},
  {"module": "module.m[\"a.b\"]", "mode": "managed", "type": "aws_x", "name": "y", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"attributes": {"id": "by-key"}}]},
  {"mode": "data", "type": "aws_ami", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"attributes": {"id": "ami-1", "tags": {"a.b": {"c": 1}, "a": {"b.c": 2, "b": {"d": 3}}, "a.b.c": "all"}, "none": null,
     "block": [{"ids": ["x", "y"], "type": "string", "value": "plain"}]}}]},
  {"mode": "managed", "type": "aws_x", "name": "tainted", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"status": "tainted", "attributes": {"id": "t"}}]},
  {"mode": "managed", "type": "aws_x", "name": "twice", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"deposed": "ab12", "attributes": {"id": "old"}}, {"attributes": {"id": "new"}}]},
  {"mode": "managed", "type": "aws_x", "name": "gone", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"deposed": "ab12", "attributes": {"id": "old"}}]},
  {"mode": "managed", "type": "aws_x", "name": "moved", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"attributes": {"id": "bare"}}, {"index_key": 0, "attributes": {"id": "zero"}}]},
  {"mode": "managed", "type": "aws_x", "name": "secret", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"attributes": {"id": "s", "password": "hush", "map": {"hushkey": "hush"}, "block": [{"key": "hush", "name": "n"}]}, "sensitive_attributes": [
     [{"type": "get_attr", "value": "password"}], [{"type": "get_attr", "value": "map"}],
     [{"type": "get_attr", "value": "block"}, {"type": "index", "value": {"value": 0, "type": "number"}}, {"type": "get_attr", "value": "key"}]]}]}]}"#;

const FLAT: &str = r#"{"version": 3, "serial": 1, "lineage": "x", "modules": [{"path": ["root"], "outputs": {"a": {"value": "b", "sensitive": true}},
  "resources": {"aws_vpc.v.0": {"type": "aws_vpc", "primary": {"id": "vpc-1", "attributes": {"arn": "arn:x", "tags.%": "1", "tags.a.b": "c",
  "metadata.#": "1", "metadata.0.name": "n"}}, "provider": "provider.aws"}}}]}"#;

fn read(text: &str) -> State<'_> {
    state::read(text.as_bytes()).unwrap()
}

fn value(deployed: &Deployed<'_>, address: &str, path: &str) -> Value {
    let found = deployed.attribute(address, path);
    found.unwrap_or_else(|error| panic!("{address}#{path}: {error}")).value
}

fn evaluated(deployed: &Deployed<'_>, template: &str) -> Found {
    let tree = parse_template(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    deployed.evaluate(&tree).unwrap_or_else(|error| panic!("{template}: {error}"))
}

#[test]
fn attributes_are_found_by_address_and_path_in_raw_states_and_as_shown() {
    for file in ["terraform.tfstate", "show.json"] {
        let text = fs::read_to_string(format!("{OWN}/{file}")).unwrap();
        let state = read(&text);
        let deployed = Deployed::new(&state);
        for (address, path, expected) in [
            ("terraform_data.one", "output.name", json!("example-bucket")),
            ("terraform_data.one", "output.port", json!(5432)),
            ("terraform_data.one", "output.zones", json!(["a", "b"])),
            ("terraform_data.one", "output.zones.1", json!("b")),
            ("terraform_data.one", "output.zones[0]", json!("a")),
            ("terraform_data.one", "output.labels.app.kubernetes.io/name", json!("web")),
            ("terraform_data.one", "output.labels[\"app.kubernetes.io/name\"]", json!("web")),
            ("terraform_data.one", "output.labels[tier]", json!("front")),
            ("terraform_data.one", "output.records.0", json!({"type": "A", "value": "10.0.0.1"})),
            ("terraform_data.one", "output.nothing", Value::Null),
            ("terraform_data.one", "triggers_replace", Value::Null),
            ("terraform_data.many[1]", "output", json!("v1")),
            ("terraform_data.many.2", "output", json!("v2")),
            ("terraform_data.each[\"b.c\"]", "output", json!("b.c")),
            ("terraform_data.each[b.c]", "output", json!("b.c")),
            ("terraform_data.each[a]", "output", json!("a")),
        ] {
            assert_eq!(value(&deployed, address, path), expected, "{file} {address} {path}");
        }
        let big = value(&deployed, "terraform_data.one", "output.big");
        assert_eq!(big.to_string(), "12345678901234567890");
        let whole = value(&deployed, "terraform_data.many[0]", "");
        assert_eq!(whole["output"], "v0");
        assert_eq!(whole.as_object().unwrap().len(), 4);
    }
}

#[test]
fn what_is_marked_is_found_as_sensitive_and_what_is_beside_it_is_not() {
    for file in ["terraform.tfstate", "show.json"] {
        let text = fs::read_to_string(format!("{OWN}/{file}")).unwrap();
        let state = read(&text);
        let deployed = Deployed::new(&state);
        let is_sensitive =
            |path: &str| deployed.attribute("terraform_data.one", path).unwrap().sensitive;
        assert!(is_sensitive("input.database.password"));
        assert!(is_sensitive("input.database") && is_sensitive("input") && is_sensitive(""));
        assert!(
            !is_sensitive("input.database.user")
                && !is_sensitive("input.name")
                && !is_sensitive("id")
        );
        let output = |name: &str| deployed.output(name).unwrap();
        assert_eq!(
            (output("name").value, output("name").sensitive),
            (json!("example-bucket"), false)
        );
        assert_eq!((output("password").value, output("password").sensitive), (json!("hush"), true));
    }
}

#[test]
fn modules_data_sources_and_keys_are_told_apart() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    for (address, expected) in [
        ("module.m[0].aws_x.y[\"k\"]", "in-module"),
        ("module.m[0].aws_x.y[k]", "in-module"),
        ("module.m[0].aws_x.y[0]", "text-zero"),
        ("module.m[\"0\"].aws_x.y[k]", "in-module"),
        ("module.m[\"a.b\"].aws_x.y", "by-key"),
        ("module.m[a.b].aws_x.y", "by-key"),
        ("data.aws_ami.a", "ami-1"),
        ("aws_x.twice", "new"),
        ("aws_x.moved", "bare"),
        ("aws_x.moved[0]", "zero"),
    ] {
        assert_eq!(value(&deployed, address, "id"), expected, "{address}");
    }
    assert_eq!(evaluated(&deployed, "${data.aws_ami.a.id}").value, "ami-1");
    assert_eq!(evaluated(&deployed, "${aws_x.moved[0].id}${aws_x.moved.id}").value, "zerobare");
}

#[test]
fn of_names_with_dots_the_longest_that_leads_somewhere_is_taken() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    let tag = |path: &str| value(&deployed, "data.aws_ami.a", path);
    assert_eq!(tag("tags.a.b.c"), "all");
    assert_eq!(tag("tags[\"a.b\"].c"), 1);
    assert_eq!(tag("tags[a].b.c"), 2);
    assert_eq!(tag("tags.a.b.d"), 3);
    assert_eq!(tag("block.0.ids[1]"), "y");
    assert_eq!(tag("block[0].value"), "plain");
}

#[test]
fn a_state_of_version_3_answers_too() {
    let state = read(FLAT);
    let deployed = Deployed::new(&state);
    assert_eq!(value(&deployed, "aws_vpc.v[0]", "arn"), "arn:x");
    assert_eq!(value(&deployed, "aws_vpc.v.0", "id"), "vpc-1");
    assert_eq!(value(&deployed, "aws_vpc.v[0]", "tags.a.b"), "c");
    assert_eq!(value(&deployed, "aws_vpc.v[0]", "metadata.0.name"), "n");
    assert_eq!(evaluated(&deployed, "${aws_vpc.v[*].metadata[0].name}").value, json!(["n"]));
    assert!(deployed.output("a").unwrap().sensitive);
}

#[test]
fn a_value_of_an_object_that_is_to_be_replaced_comes_with_a_warning() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    let found = deployed.attribute("aws_x.tainted", "id").unwrap();
    assert_eq!(found.value, "t");
    assert_eq!(found.warnings[0].code, codes::TAINTED);
    assert_eq!(found.warnings[0].address.as_deref(), Some("aws_x.tainted"));
    let found = evaluated(&deployed, "${aws_x.tainted.id}${aws_x.tainted.id}");
    assert_eq!(found.warnings.len(), 1);
    assert_eq!(deployed.attribute("data.aws_ami.a", "id").unwrap().warnings, []);
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    for (address, path, code, parts) in [
        (
            "aws_x.tained",
            "id",
            codes::NO_RESOURCE,
            &[
                "the state has no `aws_x.tained`",
                "did you mean `aws_x.tainted`?",
                "Are you sure you deployed the CDKTF stack?",
            ][..],
        ),
        (
            "aws_s3_bucket.Bucket",
            "id",
            codes::NO_RESOURCE,
            &["Are you sure you deployed the CDKTF stack?", "`aws_x.secret`"],
        ),
        (
            "aws_x.gone",
            "id",
            codes::NO_RESOURCE,
            &["only replaced objects that are not deleted yet"],
        ),
        (
            "module.m[0].aws_x.y",
            "id",
            codes::NO_INSTANCE,
            &[
                "does not name one instance; available: `module.m[0].aws_x.y[\"0\"]`, `module.m[0].aws_x.y[\"k\"]`",
            ],
        ),
        (
            "module.m[0].aws_x.y[z]",
            "id",
            codes::NO_INSTANCE,
            &["`module.m[0].aws_x.y[\"z\"]` does not name one instance"],
        ),
        (
            "data.aws_ami.a",
            "arm",
            codes::NO_ATTRIBUTE,
            &["`data.aws_ami.a` has no `arm`; available: `block`, `id`, `none`, `tags`"],
        ),
        ("data.aws_ami.a", "tag", codes::NO_ATTRIBUTE, &["did you mean `tags`?"]),
        ("data.aws_ami.a", "block.7", codes::NO_ATTRIBUTE, &["has no `block.7`; available: `0`"]),
        ("data.aws_ami.a", "id.x", codes::NO_ATTRIBUTE, &["has no `id.x`"]),
        ("data.aws_ami.a", "none.x", codes::NO_ATTRIBUTE, &["has no `none.x`"]),
        ("data.aws_ami.a", "a..b", codes::NO_ATTRIBUTE, &["is not a path in `data.aws_ami.a`"]),
        ("aws_x", "id", codes::ADDRESS, &["`aws_x` is not a Terraform address: `.` is missing"]),
    ] {
        let error = deployed.attribute(address, path).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        for part in parts {
            assert!(error.to_string().contains(part), "{address}#{path}: {error}");
        }
        assert!(!error.hint().is_empty());
    }
    let error = deployed.output("x").unwrap_err();
    assert_eq!(error.code(), codes::NO_OUTPUT);
}

#[test]
fn no_message_shows_what_is_sensitive() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    for path in ["map.other", "password.x", "block.0.kay", "block.0.key.x"] {
        let error = deployed.attribute("aws_x.secret", path).unwrap_err().diagnostic();
        assert!(!format!("{error} {error:?}").contains("hush"), "{error:?}");
    }
    for template in [
        "${aws_x.secret.map.other}",
        "${aws_x.secret.password + 1}",
        "${tonumber(aws_x.secret.password)}",
        "${jsondecode(aws_x.secret.password)}",
        "${aws_x.secret.map[aws_x.secret.password]}",
        "${{ a = 1 }[aws_x.secret.password]}",
        "${aws_x.secret[aws_x.secret.password]}",
        "${format(aws_x.secret.password, 1)}",
        "${index([\"a\"], aws_x.secret.password)}",
        "${base64decode(aws_x.secret.password)} ${aws_x.secret.password ? 1 : 2}",
    ] {
        let tree = parse_template(template).unwrap();
        let error = deployed.evaluate(&tree).unwrap_err();
        let told = format!("{error} {error:?} {:?}", error.diagnostic());
        assert!(!told.replace(template, "").contains("hush"), "{template}: {told}");
    }
    let found = deployed.attribute("aws_x.secret", "password").unwrap();
    assert!(!format!("{found:?}").contains("hush"));
}

#[test]
fn try_does_not_hide_that_nothing_was_deployed() {
    let state = read(MODULES);
    let deployed = Deployed::new(&state);
    assert_eq!(evaluated(&deployed, "${try(aws_x.tainted.nope, \"d\")}").value, "d");
    assert_eq!(evaluated(&deployed, "${try(aws_x.moved[7].id, \"d\")}").value, "d");
    assert_eq!(evaluated(&deployed, "${true ? aws_x.tainted.id : aws_x.nope.id}").value, "t");
    for template in ["${try(aws_x.nope.id, \"d\")}", "${can(var.x)}", "${try(nope(1), 2)}"] {
        assert!(deployed.evaluate(&parse_template(template).unwrap()).is_err(), "{template}");
    }
}

/// The deferred references of a manifest: name, stack and template.
fn deferred(manifest: &str) -> Vec<(String, String, String)> {
    let lines = manifest.lines().filter_map(|line| line.split_once(": DEFERTF "));
    let read = |(name, reference): (&str, &str)| {
        let reference: Value = serde_json::from_str(reference).unwrap();
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        (name.trim().to_owned(), text(&reference["stacks"][0]), text(&reference["expr"]))
    };
    lines.map(read).collect()
}

#[test]
#[allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]
fn deferred_expressions_of_a_deployed_stack_have_its_values() {
    let folder = Path::new(SHARED).join("cdktf-live");
    let Ok(manifest) = fs::read_to_string(folder.join("dist.deferred-prototype.yaml")) else {
        println!(
            "skipped: deferred_expressions_of_a_deployed_stack_have_its_values (no shared fixtures)"
        );
        return;
    };
    let states = [
        ("storage", "storage.tfstate"),
        ("storage", "show.storage.json"),
        ("compute", "compute.tfstate"),
    ];
    let mut checked = 0;
    for (stack, file) in states {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let state = read(&text);
        let deployed = Deployed::new(&state);
        for (name, of_stack, template) in deferred(&manifest) {
            if of_stack != stack {
                continue;
            }
            let expected = match name.as_str() {
                "ID" => "3f7a9407-16d9-0f4a-adca-fbf5c11cf1d5",
                "NAME" => "EXAMPLE-BUCKET",
                "OTHER" => "1eff4223-fe25-a45b-ed27-1021cac68410",
                "ZONES" => "a,b",
                other => panic!("{other} is new"),
            };
            let found = evaluated(&deployed, &template);
            assert_eq!((found.value, found.sensitive), (json!(expected), false), "{file} {name}");
            checked += 1;
        }
        let id = value(&deployed, "terraform_data.Bucket", "id");
        assert_eq!(id, evaluated(&deployed, "${terraform_data.Bucket.id}").value);
    }
    assert_eq!(checked, 7);
}

#[test]
#[allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]
fn all_deferred_expressions_of_the_larger_app_are_computed() {
    let path = Path::new(SHARED).join("cdktf/dist.deferred-prototype.yaml");
    let Ok(manifest) = fs::read_to_string(path) else {
        println!(
            "skipped: all_deferred_expressions_of_the_larger_app_are_computed (no shared fixtures)"
        );
        return;
    };
    let resource = |of_type: &str, name: &str, attributes: Value| {
        json!({"mode": "managed", "type": of_type, "name": name, "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
            "instances": [{"attributes": attributes}]})
    };
    let bucket = json!({"bucket": "b", "id": "b", "arn": "arn:b", "bucket_domain_name": "b.s3", "tags_all": {"k": "v"}});
    let text = json!({"version": 4, "serial": 1, "lineage": "x", "resources": [
        resource("aws_s3_bucket", "Bucket", bucket),
        resource("aws_sqs_queue", "Queue", json!({"arn": "arn:q", "name": "q"})),
        resource("aws_route53_zone", "Zone", json!({"name_servers": ["n1", "n2"]})),
        resource("aws_db_instance", "Db", json!({"port": 5432})),
    ]})
    .to_string();
    let state = read(&text);
    let deployed = Deployed::new(&state);
    let values: Vec<String> = deferred(&manifest)
        .into_iter()
        .map(|(_, _, template)| evaluated(&deployed, &template).value.to_string())
        .collect();
    let expected = [
        "\"b\"",
        "\"arn:q\"",
        "\"https://b.s3/x\"",
        "\"b:q\"",
        "\"b\"",
        "\"pre-b-post\"",
        "\"B\"",
        "\"n1,n2\"",
        "\"n1\"",
        "5432",
        r#"{"arn":"arn:b","bucket":"b","bucket_domain_name":"b.s3","id":"b","tags_all":{"k":"v"}}"#,
        "\"arn:b\"",
        r#"["n1","n2"]"#,
        r#"{"k":"v"}"#,
        "5432",
    ];
    assert_eq!(values, expected);
}
