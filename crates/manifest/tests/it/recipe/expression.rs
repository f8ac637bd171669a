//! Expressions over the context.

use hangar_manifest::recipe::expression::{ExpressionError, resolve};
use serde_json::{Value, json};

use super::configuration::context;

fn resolved(parameter: &Value) -> Result<Value, Vec<ExpressionError>> {
    let mut errors = Vec::new();
    let value = resolve(parameter, &context().to_value(), &mut errors);
    if errors.is_empty() { Ok(value) } else { Err(errors) }
}

#[test]
fn a_whole_expression_keeps_its_type_and_a_part_is_text() {
    for (given, expected) in [
        (json!("{{context.resource.name}}"), json!("orders")),
        (json!("{{ context.resource.properties.port }}"), json!(6379)),
        (json!("{{context.resource.properties.tls}}"), json!(true)),
        (json!("{{context.resource.properties.tags}}"), json!(["a"])),
        (json!("{{context.resource.properties.tags[0]}}"), json!("a")),
        (json!("{{context.resource.connections[\"db\"].properties.host}}"), json!("h")),
        (
            json!("p{{context.resource.properties.port}}-{{context.aws.region}}"),
            json!("p6379-eu-west-1"),
        ),
        (json!("{{context.resource.name}}{{context.resource.name}}"), json!("ordersorders")),
        (json!({"a": ["x-{{context.environment.name}}", 1]}), json!({"a": ["x-dev", 1]})),
        (json!("{{context.application}}"), json!(null)),
    ] {
        assert_eq!(resolved(&given), Ok(expected), "{given}");
    }
}

#[test]
fn one_choice_by_a_comparison() {
    for (given, expected) in [
        (r#"{{context.resource.properties.size == "s" ? "small" : "big"}}"#, json!("small")),
        ("{{context.resource.properties.size == 'm' ? 'small' : 'big'}}", json!("big")),
        (r#"{{context.resource.properties.size != "s" ? 1 : 2}}"#, json!(2)),
        ("{{context.resource.properties.port == 6379 ? true : false}}", json!(true)),
        (
            r#"{{context.resource.properties.tls ? context.aws.region : "none"}}"#,
            json!("eu-west-1"),
        ),
        (r#"{{context.resource.properties.nope == "x" ? "a" : "b"}}"#, json!("b")),
        (r#"n-{{context.resource.properties.size == "s" ? "}}" : "?:"}}"#, json!("n-}}")),
    ] {
        assert_eq!(resolved(&json!(given)), Ok(expected), "{given}");
    }
}

#[test]
fn other_braces_stay() {
    for text in
        ["{{ .Values.x }}", "{{contextual}}", "{{", "}}", "{{context.resource.name", "{{{{", "${x}"]
    {
        assert_eq!(resolved(&json!(text)), Ok(json!(text)));
    }
    assert_eq!(resolved(&json!("{{x}} {{context.aws.region}}")), Ok(json!("{{x}} eu-west-1")));
}

#[test]
fn what_has_no_value_is_told_all_at_once() {
    let given = json!([
        "{{context.nope}}",
        "x{{context.resource}}",
        "x{{context.application}}",
        "{{context.a == }}",
        "{{context.resource.name ? 1 : 2}}",
        "{{context.resource..name}}",
        "{{context.resource.name == \"a\" ? 1}}",
    ]);
    let told: Vec<String> = resolved(&given).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 7);
    assert_eq!(told[0], "`{{context.nope}}`: the context has no such value");
    assert!(told[1].ends_with("must be a string, a number or a boolean"), "{}", told[1]);
    assert!(told[3].contains("is not an expression"), "{}", told[3]);
}
