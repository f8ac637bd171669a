//! Generated configurations, in the hands of the real program.

use hangar_manifest::recipe::configuration::{Configuration, skeleton};
use hangar_manifest::recipe::module::{modules_json, outline};
use serde_json::{Value, json};

use super::configuration::Case;
use super::terraform::{Workspace, workspace};

/// Writes module and configuration as a run has them; the state is in a file, as no backend is here.
fn lay_out(workspace: &Workspace, case: &str, module: &str, built: &Configuration) -> String {
    let root = format!("{case}/root");
    workspace.write(&format!("{case}/module/main.tf"), module);
    workspace.write(&format!("{root}/main.tf.json"), built.main_tf.to_string());
    workspace.write(&format!("{root}/hangar.auto.tfvars.json"), built.variables.to_string());
    root
}

const ECHO: &str = r#"
variable "a" { type = any }
variable "b" {
  type    = any
  default = "untouched"
}
resource "terraform_data" "x" { input = var.a }
output "a" { value = terraform_data.x.output }
output "b" { value = var.b }
"#;

const CONTEXT: &str = r#"
variable "context" {
  type = object({
    resource    = object({ name = string, properties = any, connections = any })
    application = optional(object({ id = string, name = string }))
    environment = object({ id = string, name = string })
    runtime     = object({ kubernetes = object({ namespace = string }) })
    azure       = optional(object({ resourceNameHash = string }))
    aws         = optional(object({ region = string, account = string }))
  })
}
resource "terraform_data" "x" { input = var.context.resource.name }
output "result" {
  value = {
    resources = ["/a/b"]
    values    = { name = terraform_data.x.output, application = var.context.application == null }
    secrets   = { host = var.context.resource.connections.db.properties.host }
  }
}
"#;

const ALIASES: &str = r#"
terraform {
  required_providers {
    terraform = {
      source                = "terraform.io/builtin/terraform"
      configuration_aliases = [terraform.other]
    }
  }
}
resource "terraform_data" "x" { provider = terraform.other }
resource "terraform_data" "y" {}
output "dash-ed" { value = terraform_data.x.id }
"#;

const BARE: &str = r#"
terraform {
  required_providers {
    terraform = {
      source                = "terraform.io/builtin/terraform"
      configuration_aliases = [terraform, terraform.other]
    }
  }
}
resource "terraform_data" "x" { provider = terraform }
"#;

const SECRETS: &str = r#"
variable "password" { sensitive = true }
variable "caller" {}
variable "gone" {
  ephemeral = true
  default   = null
}
output "password" {
  value     = "${var.password}${var.caller}"
  sensitive = true
}
output "plain" { value = 1 }
output "gone" {
  value     = var.gone
  ephemeral = true
}
"#;

#[test]
fn what_is_generated_is_valid() {
    let Some(workspace) = workspace("what_is_generated_is_valid") else { return };
    let mut secrets = Case::of(SECRETS).with(json!({"password": "p", "caller": "c", "gone": "g"}));
    secrets.secret_parameters.insert("caller".to_owned());
    let cases = [
        ("empty", "", Case::of("")),
        ("echo", ECHO, Case::of(ECHO).with(json!({"a": {"b": [1, "${x}", null]}}))),
        ("context", CONTEXT, Case::of(CONTEXT)),
        ("secrets", SECRETS, secrets),
        ("bare", BARE, Case::of(BARE).configured("terraform", json!({"alias": "other"}), &[])),
        (
            "aliases",
            ALIASES,
            Case::of(ALIASES).configured("terraform", json!({}), &[]).configured(
                "terraform",
                json!({"alias": "other"}),
                &[],
            ),
        ),
    ];
    for (name, module, case) in cases {
        let root = lay_out(&workspace, name, module, &case.built());
        workspace.succeed(&root, &["init", "-backend=false", "-no-color"]);
        let told = workspace.json(&root, &["validate", "-json"]);
        assert_eq!(told["diagnostics"], json!([]), "{name}");
        workspace.write(
            &format!("{root}/test_override.tf.json"),
            r#"{"terraform": {"backend": {"local": {}}}}"#,
        );
        workspace.succeed(&root, &["init", "-no-color"]);
        workspace.succeed(&root, &["plan", "-input=false", "-no-color"]);
    }
}

#[test]
fn an_alias_that_is_not_handed_over_is_refused_by_terraform_too() {
    let test = "an_alias_that_is_not_handed_over_is_refused_by_terraform_too";
    let Some(workspace) = workspace(test) else { return };
    let mut built =
        Case::of(ALIASES).configured("terraform", json!({"alias": "other"}), &[]).built();
    built.main_tf["module"]["recipe"].as_object_mut().unwrap().remove("providers");
    let root = lay_out(&workspace, "aliases", ALIASES, &built);
    assert!(!workspace.run(&root, &["init", "-backend=false"]).status.success());
}

#[test]
fn values_come_out_as_they_went_in() {
    let Some(workspace) = workspace("values_come_out_as_they_went_in") else { return };
    let values = [
        json!(
            "${file(\"/etc/hostname\")} %{ if true } $${x} %%{y} \\ \" \n\t\u{e9}\u{1f600} <<EOT"
        ),
        json!({"a b": [1, -2.5, true, null, {}, []], "${k}": {"deep": [["x"]]}, "": ""}),
        serde_json::from_str("[12345678901234567890123, 0.1, 1000]").unwrap(),
        json!(false),
        json!("{{ not.ours }}"),
    ];
    let mut root = String::new();
    for (index, value) in values.iter().enumerate() {
        let built = Case::of(ECHO).with(json!({"a": value, "b": null})).built();
        root = lay_out(&workspace, "echo", ECHO, &built);
        if index == 0 {
            let local = r#"{"terraform": {"backend": {"local": {}}}}"#;
            workspace.write(&format!("{root}/test_override.tf.json"), local);
            workspace.succeed(&root, &["init", "-no-color"]);
        }
        workspace.succeed(&root, &["apply", "-auto-approve", "-input=false", "-no-color"]);
        let outputs = workspace.json(&root, &["output", "-json"]);
        // As text: numbers keep their digits.
        assert_eq!(outputs["a"]["value"].to_string(), value.to_string());
        assert_eq!(outputs["b"]["value"], json!("untouched"));
    }
    workspace.succeed(&root, &["apply", "-destroy", "-auto-approve", "-input=false", "-no-color"]);
}

#[test]
fn get_tells_where_the_module_is_and_its_outline_is_enough_for_the_rest() {
    let test = "get_tells_where_the_module_is_and_its_outline_is_enough_for_the_rest";
    let Some(workspace) = workspace(test) else { return };
    let outer = "variable \"name\" {}\nmodule \"inner\" {\n  source = \"./inner\"\n  name   = var.name\n}\n\
                 output \"name\" { value = module.inner.name }\n";
    let inner = "variable \"name\" {}\noutput \"name\" { value = var.name }\n";
    workspace.write("module/main.tf", outer);
    workspace.write("module/inner/main.tf", inner);
    let mut case = Case::of(outer).with(json!({"name": "{{context.resource.name}}"}));
    workspace.write("root/main.tf.json", skeleton(&case.source).to_string());
    workspace.succeed("root", &["get", "-no-color"]);
    let manifest = std::fs::read(workspace.directory.join("root/.terraform/modules/modules.json"));
    let manifest: Value = serde_json::from_slice(&manifest.unwrap()).unwrap();
    let directories = modules_json(&manifest).unwrap();
    let read = |directory: &str| {
        let path = workspace.directory.join("root").join(directory).join("main.tf");
        outline(&[("main.tf", &std::fs::read(path).unwrap())])
    };
    assert_eq!(read(&directories.recipe), case.module);
    assert_eq!(directories.nested.len(), 1);
    case.nested = directories.nested.iter().map(|it| read(it)).collect();
    let built = case.built();
    workspace.write("root/main.tf.json", built.main_tf.to_string());
    workspace.write("root/hangar.auto.tfvars.json", built.variables.to_string());
    workspace.succeed("root", &["init", "-backend=false", "-no-color"]);
    workspace.succeed("root", &["validate", "-no-color"]);
}
