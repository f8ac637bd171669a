//! State in all its forms, and everything that is not one.

use serde_json::json;

use super::*;

fn error(text: impl AsRef<[u8]>) -> StateError {
    read(text.as_ref()).expect_err("it is not a state")
}

#[test]
fn everything_that_is_not_a_state_is_told_by_what_it_is() {
    let old_backend = json!({"version": 3, "serial": 1, "lineage": "x", "backend": {"type": "s3", "config": {}},
        "modules": [{"path": ["root"], "outputs": {}, "resources": {}, "depends_on": []}]});
    let encrypted = json!({"meta": {"key_provider.pbkdf2.k": "e30="}, "encrypted_data": "AAAA", "encryption_version": "v0", "serial": 1, "lineage": "x"});
    for (text, code, word) in [
        ("", "TF0001", "empty"),
        (" \n\t", "TF0001", "empty"),
        ("\u{feff}", "TF0001", "empty"),
        ("{\"version\": 4", "TF0003", "not JSON"),
        ("terraform {}", "TF0003", "not JSON"),
        ("{} {}", "TF0003", "not JSON"),
        ("[]", "TF0004", "a list"),
        ("\"x\"", "TF0004", "a string"),
        ("4", "TF0004", "a number"),
        ("{}", "TF0004", "another JSON document"),
        ("{\"version\": 5, \"name\": \"x\"}", "TF0004", "another JSON document"),
        ("{\"resource\": {\"aws_vpc\": {}}}", "TF0004", "a Terraform configuration"),
        ("{\"@level\":\"info\"}\n{\"@level\":\"info\"}", "TF0004", "a Terraform log"),
        ("{\"format_version\": \"1.0\", \"valid\": true}", "TF0004", "another Terraform command"),
        (
            "{\"format_version\": \"1.2\", \"planned_values\": {}, \"resource_changes\": []}",
            "TF0005",
            "a Terraform plan",
        ),
        (
            "{\"version\": 3, \"terraform_version\": \"1.11.4\", \"backend\": {\"type\": \"http\"}}",
            "TF0006",
            "`http`",
        ),
        (&old_backend.to_string(), "TF0006", "`s3`"),
        (&encrypted.to_string(), "TF0007", "encrypted"),
        ("{\"version\": 1, \"serial\": 1}", "TF0008", "version 1"),
        ("{\"version\": 2, \"serial\": 1}", "TF0008", "version 2"),
        ("{\"version\": 5, \"serial\": 1}", "TF0009", "version 5"),
        ("{\"version\": \"4\", \"serial\": 1}", "TF0009", "version \"4\""),
        ("{\"version\": -1, \"lineage\": \"x\"}", "TF0009", "version -1"),
        ("{\"format_version\": \"2.0\", \"values\": {}}", "TF0009", "2.0"),
        ("{\"version\": 4, \"resources\": {}}", "TF0010", "`resources`"),
        ("{\"version\": 3, \"modules\": 7}", "TF0010", "`modules`"),
        ("{\"format_version\": \"1.0\", \"values\": []}", "TF0010", "`values`"),
        (
            "{\"format_version\": \"1.0\", \"values\": {\"root_module\": []}}",
            "TF0010",
            "`values.root_module`",
        ),
    ] {
        let error = error(text);
        assert_eq!(error.code().as_str(), code, "{text}: {error}");
        assert!(error.to_string().contains(word), "{text}: {error}");
        assert!(!error.hint().is_empty() && error.diagnostic().is_error());
    }
    assert_eq!(error(b"\x1f\x8b\x08\0"), StateError::Gzip);
    assert_eq!(error(b"PK\x03\x04\x14"), StateError::PlanFile);
    assert_eq!(error(b"\xff\xfe{\0}\0"), StateError::Utf16);
    assert_eq!(error(b"{\"a\": \"\xff\"}"), StateError::NotText { at: 7 });
}

#[test]
fn the_place_of_a_mistake_in_json_is_told() {
    let StateError::NotJson { at, reason } = error("{\"version\": 4,\n  \"é\": }") else {
        panic!()
    };
    assert_eq!((at, reason.as_str()), (23, "expected value"));
}

#[test]
fn a_state_of_version_4_is_read_whole() {
    let text = json!({"version": 4, "terraform_version": "1.9.0", "serial": 12, "lineage": "lin",
        "outputs": {"a": {"value": {"x": [1]}, "type": "dynamic"}, "b": {"value": "s", "type": "string", "sensitive": true}},
        "resources": [
            {"module": "module.m[\"k\"]", "mode": "data", "type": "t_x", "name": "n", "provider": "provider.t.west",
             "instances": [{"schema_version": 1, "attributes": {"id": "1"}}]},
            {"mode": "managed", "type": "t_y", "name": "n", "provider": "", "instances": [
             {"index_key": 3, "status": "tainted", "attributes_flat": {"id": "2", "tags.%": "1", "tags.a": "b"},
              "sensitive_attributes": [[{"type": "get_attr", "value": "id"}]], "instance_provider": "provider[\"h/n/t\"].e[\"k\"]",
              "identity": {"id": "2"}, "private": "bnVsbA==", "dependencies": ["t_x.n"]}]}]}).to_string();
    let state = read(text.as_bytes()).unwrap();
    assert_eq!(
        (state.form, state.serial, state.lineage.as_deref()),
        (Form::Raw4, Some(12), Some("lin"))
    );
    assert_eq!(state.terraform_version.as_deref(), Some("1.9.0"));
    let [data, managed] = &state.instances[..] else { panic!() };
    assert_eq!(
        (data.address.as_str(), data.mode),
        ("module.m[\"k\"].data.t_x.n", ResourceMode::Data)
    );
    assert_eq!(
        (data.provider.to_string().as_str(), data.provider.alias.as_deref()),
        ("registry.terraform.io/-/t", Some("west"))
    );
    assert_eq!((managed.address.as_str(), managed.tainted), ("t_y.n[3]", true));
    assert_eq!(managed.attributes.get(&["tags"]), Some(json!({"a": "b"})));
    assert!(managed.sensitive.covers(&["id"]) && !managed.sensitive.covers(&["tags"]));
    assert_eq!(
        (managed.provider.to_string().as_str(), managed.provider.alias.as_deref()),
        ("h/n/t", Some("e[\"k\"]"))
    );
    assert_eq!(managed.identity.and_then(Json::value), Some(json!({"id": "2"})));
    assert_eq!(managed.document.value().unwrap()["private"], "bnVsbA==");
    let outputs: Vec<_> = state
        .outputs
        .iter()
        .map(|it| (it.name.as_ref(), it.value.value().unwrap(), it.sensitive))
        .collect();
    assert_eq!(outputs, [("a", json!({"x": [1]}), false), ("b", json!("s"), true)]);
}

#[test]
fn a_state_of_version_3_is_read_whole() {
    let text = json!({"version": 3, "terraform_version": "0.11.14", "serial": 2, "lineage": "l", "modules": [
        {"path": ["root"], "outputs": {"o": {"sensitive": true, "type": "string", "value": "v"}}, "resources": {
            "data.aws_ami.a": {"type": "aws_ami", "primary": {"id": "ami-1", "attributes": {"id": "ami-1"}}, "provider": "provider.aws"},
            "aws_vpc.v.1": {"type": "aws_vpc", "primary": {"id": "vpc-1", "attributes": {"arn": "arn:x"}, "tainted": true},
                "deposed": [{"id": "vpc-0", "attributes": {"id": "vpc-0"}}], "provider": "module.x.provider.aws.west"},
            "aws_gone.g": {"type": "aws_gone", "primary": null, "deposed": []}}},
        {"path": ["root", "a", "b"], "outputs": {"hidden": {"value": "x"}}, "resources": {
            "aws_vpc.w": {"type": "aws_vpc", "primary": {"id": "vpc-2", "attributes": null}, "provider": ""}}}]}).to_string();
    let state = read(text.as_bytes()).unwrap();
    assert!(state.warnings.is_empty(), "{:?}", state.warnings);
    assert_eq!((state.form, state.serial), (Form::Raw3, Some(2)));
    let addresses: Vec<_> = state.instances.iter().map(|it| it.address.as_str()).collect();
    assert_eq!(
        addresses,
        ["aws_vpc.v.1", "aws_vpc.v.1", "data.aws_ami.a", "module.a.module.b.aws_vpc.w"]
    );
    let [current, deposed, data, inner] = &state.instances[..] else { panic!() };
    assert_eq!(
        (current.tainted, &current.key, current.name.as_ref()),
        (true, &Some(InstanceKey::Index(1)), "v")
    );
    assert_eq!(current.provider.alias.as_deref(), Some("west"));
    assert_eq!(
        (current.attributes.get(&["id"]), current.attributes.get(&["arn"])),
        (Some("vpc-1".into()), Some("arn:x".into()))
    );
    assert_eq!(
        (deposed.deposed.as_deref(), deposed.attributes.get(&["id"])),
        (Some("0"), Some("vpc-0".into()))
    );
    assert_eq!(data.mode, ResourceMode::Data);
    assert_eq!(
        (inner.module.as_ref(), inner.attributes.get(&["id"])),
        ("module.a.module.b", Some("vpc-2".into()))
    );
    assert_eq!(inner.provider.to_string(), "registry.terraform.io/-/aws");
    let outputs: Vec<_> = state.outputs.iter().map(|it| (it.name.as_ref(), it.sensitive)).collect();
    assert_eq!(outputs, [("o", true)]);
}

#[test]
fn what_show_prints_is_read_whole() {
    let resource = |address: &str, more: serde_json::Value| {
        let mut resource = json!({"address": address, "mode": "managed", "type": "t", "name": "n",
            "provider_name": "registry.terraform.io/hashicorp/t", "values": {"id": address}, "sensitive_values": {"id": true}});
        resource.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        resource
    };
    let text = json!({"format_version": "1.0", "terraform_version": "1.11.4", "values": {
        "outputs": {"o": {"sensitive": false, "type": "string", "value": "v"}},
        "root_module": {
            "resources": [resource("t.n[0]", json!({"index": 0, "tainted": true})), resource("t.n[0]", json!({"index": 0, "deposed_key": "aabbccdd"}))],
            "child_modules": [
                {"address": "module.a", "resources": [resource("module.a.t.n", json!({}))],
                 "child_modules": [{"address": "module.a.module.b[\"k\"]", "resources": [resource("module.a.module.b[\"k\"].t.n", json!({"identity": {"x": 1}}))]}]},
                {"address": "module.c", "resources": [resource("module.c.t.n", json!({}))]}]}}}).to_string();
    let state = read(text.as_bytes()).unwrap();
    let modules: Vec<_> =
        state.instances.iter().map(|it| (it.address.as_str(), it.module.as_ref())).collect();
    assert_eq!(
        modules,
        [
            ("t.n[0]", ""),
            ("t.n[0]", ""),
            ("module.a.t.n", "module.a"),
            ("module.a.module.b[\"k\"].t.n", "module.a.module.b[\"k\"]"),
            ("module.c.t.n", "module.c"),
        ]
    );
    assert_eq!(
        (state.instances[0].tainted, &state.instances[0].key),
        (true, &Some(InstanceKey::Index(0)))
    );
    assert_eq!(state.instances[1].deposed.as_deref(), Some("aabbccdd"));
    assert!(state.instances[3].identity.is_some() && state.instances[3].sensitive.covers(&["id"]));
    assert_eq!((state.form, state.outputs.len(), state.serial), (Form::Show, 1, None));
}

#[test]
fn case_26_states_that_hold_nothing_are_states() {
    for text in [
        r#"{"version": 4, "resources": null}"#,
        r#"{"version": 4, "resources": []}"#,
        r#"{"version": 4}"#,
        r#"{"version": 3, "modules": []}"#,
        r#"{"format_version": "1.0"}"#,
        r#"{"format_version": "0.1", "values": {}}"#,
        r#"{"format_version": "1.0", "values": {"root_module": {}}}"#,
        r#"{"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n", "instances": []}]}"#,
        r#"{"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n", "instances": null}]}"#,
    ] {
        let state = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(state.instances.is_empty() && state.warnings.is_empty(), "{text}");
    }
}

#[test]
fn case_26_numbers_stay_as_they_are_written() {
    let text = r#"{"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n", "instances": [
        {"attributes": {"big": 123456789012345678901234567890, "exact": 1.10}}]}]}"#;
    let attributes = read(text.as_bytes()).unwrap().instances[0].attributes;
    assert_eq!(attributes.get(&["big"]).unwrap().to_string(), "123456789012345678901234567890");
    assert_eq!(attributes.get(&["exact"]).unwrap().to_string(), "1.10");
}

#[test]
fn odd_parts_are_warnings_and_all_else_is_read() {
    let good =
        json!({"mode": "managed", "type": "t", "name": "good", "instances": [{"attributes": {}}]});
    let text = json!({"version": 4, "resources": [
        7, {"mode": "managed", "name": "n"}, {"mode": "ephemeral", "type": "t", "name": "n"}, {"type": "t", "name": "n"},
        {"mode": "managed", "type": "t", "name": "list", "instances": {}},
        {"mode": "managed", "type": "t", "name": "some", "instances": ["x", {"index_key": 1.5}]},
        {"module": "no module", "mode": "managed", "type": "t", "name": "odd", "instances": []},
        good]}).to_string();
    let state = read(text.as_bytes()).unwrap();
    let addresses: Vec<_> = state.instances.iter().map(|it| it.address.as_str()).collect();
    assert_eq!(addresses, ["t.some[\"1.5\"]", "t.good"]);
    assert_eq!(state.warnings.len(), 7, "{:?}", state.warnings);
    assert!(state.warnings.iter().all(|warning| warning.code == codes::ODD_PART));
}

#[test]
fn a_key_that_is_stated_twice_counts_as_stated_last() {
    let text = r#"{"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n", "instances": [
        {"attributes": {"id": "a", "id": "b"}}]}]}"#;
    assert_eq!(
        read(text.as_bytes()).unwrap().instances[0].attributes.get(&["id"]),
        Some("b".into())
    );
}

#[test]
fn modules_without_end_are_passed_over_with_a_warning() {
    let (open, close) = ("{\"child_modules\": [".repeat(200), "]}".repeat(200));
    let text =
        format!("{{\"format_version\": \"1.0\", \"values\": {{\"root_module\": {open}{close}}}}}");
    assert_eq!(read(text.as_bytes()).unwrap().warnings.len(), 1);
}
