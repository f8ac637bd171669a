//! Bare templates, as the strings of `cdk.tf.json` are.

use hangar_manifest::deployed::Deployed;
use hangar_manifest::hcl::parse_template;
use hangar_manifest::state;
use serde_json::{Value, json};

use crate::recipe::terraform::workspace;

/// Templates and the values that Terraform gives them.
fn templates() -> Vec<(&'static str, Value)> {
    vec![
        ("", json!("")),
        ("plain \\n \"quoted\"", json!("plain \\n \"quoted\"")),
        ("${[1, \"a\"]}", json!([1, "a"])),
        ("${1}", json!(1)),
        ("a${1}", json!("a1")),
        ("${1}${2}", json!("12")),
        ("${ 1\n + 2 }", json!(3)),
        ("$${a} %%{b} $${", json!("${a} %{b} ${")),
        ("${\"a\\n\"}", json!("a\n")),
        ("${\"${\"${1}\"}\"}", json!(1)),
        ("a ${~ 1 ~} \n\n b", json!("a1\n b")),
        ("a\n  ${~ 1 }", json!("a\n1")),
        ("a \n ${~ 1 ~}", json!("a \n1")),
        ("${~ 1 ~}", json!(1)),
        ("%{ if 1 == 1 }\nyes\n%{ else }\nno\n%{ endif }", json!("\nyes\n")),
        ("%{ if true ~}\n yes\n%{~ else ~}\nno\n%{ endif ~} \n x", json!(" yes x")),
        ("%{ for x in [1, 2] ~}\n  ${x},\n%{ endfor ~}\nend", json!("  1,\n  2,\nend")),
        ("%{ for k, v in { a = 1 } }${k}${v}%{ endfor }", json!("a1")),
        ("${join(\"-\", [\"pre\", \"x\", \"post\"])}", json!("pre-x-post")),
        ("${{ a = 1\n b = 2 }}", json!({"a": 1, "b": 2})),
        ("${[\n 1, # one\n 2, // two\n /* three */ 3\n]}", json!([1, 2, 3])),
        ("tail ~} } ]", json!("tail ~} } ]")),
        ("é${\"ü\"}ß", json!("éüß")),
    ]
}

#[test]
fn templates_have_the_values_that_terraform_gives_them() {
    let text = br#"{"version": 4, "serial": 1, "lineage": "x", "resources": []}"#;
    let state = state::read(text).unwrap();
    for (template, expected) in templates() {
        let tree = parse_template(template).unwrap_or_else(|error| panic!("{template}: {error}"));
        let found = Deployed::new(&state).evaluate(&tree);
        let found = found.unwrap_or_else(|error| panic!("{template}: {error}"));
        assert_eq!(found.value, expected, "{template}");
    }
}

#[test]
fn the_templates_are_what_terraform_says() {
    let Some(workspace) = workspace("the_templates_are_what_terraform_says") else { return };
    let outputs: serde_json::Map<String, Value> = templates()
        .iter()
        .enumerate()
        .map(|(at, (template, _))| (format!("t{at}"), json!({"value": template})))
        .collect();
    workspace.write("all/main.tf.json", json!({"output": outputs}).to_string());
    workspace.succeed("all", &["init", "-no-color"]);
    workspace.succeed("all", &["apply", "-auto-approve", "-no-color"]);
    let outputs = workspace.json("all", &["output", "-json"]);
    for (at, (template, expected)) in templates().into_iter().enumerate() {
        assert_eq!(outputs[format!("t{at}")]["value"], expected, "{template}");
    }
}
