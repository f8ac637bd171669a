//! Outlines of modules, by text.

use hangar_manifest::recipe::module::{ModulesError, Outline, Problem, modules_json, outline};
use serde_json::json;

fn native(text: &str) -> Outline {
    outline(&[("main.tf", text.as_bytes())])
}

#[test]
fn a_variable_is_told_with_its_type_and_default_as_written() {
    let read = native(
        "variable \"size\" {\n  type = object({\n    n = number # how many\n  })\n  default = { n = 1 + 1 }\n}\n",
    );
    let size = &read.variables["size"];
    assert_eq!(size.type_text.as_deref(), Some("object({\n    n = number # how many\n  })"));
    assert_eq!(size.default_text.as_deref(), Some("{ n = 1 + 1 }"));
    assert_eq!(size.default, None);
    assert!(!size.required && size.nullable && !size.sensitive);
}

#[test]
fn a_default_of_null_is_a_default() {
    let read = native("variable \"a\" { default = null }\nvariable \"b\" {}\n");
    assert_eq!(read.variables["a"].default, Some(json!(null)));
    assert!(!read.variables["a"].required);
    assert!(read.variables["b"].required);
}

#[test]
fn required_providers_are_read_in_every_form() {
    let text = r#"
terraform {
  required_version = ">= 1.0"
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 4, < 6"
      configuration_aliases = [aws.east, aws.west]
    }
    random = "~> 3.0"
    mine   = { source = "example.com/corp/mine" }
  }
}
"#;
    let json = r#"{"terraform": [{"required_providers": {
        "aws": {"source": "hashicorp/aws", "version": ">= 4, < 6", "configuration_aliases": ["aws.east", "aws.west"]},
        "random": "~> 3.0", "mine": {"source": "example.com/corp/mine"}}}]}"#;
    let read = native(text);
    assert_eq!(read.problems, []);
    assert_eq!(read, outline(&[("main.tf.json", json.as_bytes())]));
    let aws = &read.required_providers["aws"];
    assert_eq!(aws.source.as_deref(), Some("hashicorp/aws"));
    assert_eq!(aws.versions, [">= 4, < 6"]);
    assert_eq!(aws.configuration_aliases, ["east", "west"]);
    assert!(!aws.wants_default);
    assert_eq!(read.required_providers["random"].versions, ["~> 3.0"]);
    assert_eq!(read.required_providers["mine"].source.as_deref(), Some("example.com/corp/mine"));
}

#[test]
fn providers_that_are_used_are_found_by_type_or_by_name() {
    let read = native(
        r#"
resource "aws_vpc" "main" {}
data "azurerm_client_config" "me" {}
resource "google_thing" "x" { provider = google-beta.west }
resource "terraform_data" "x" {}
provider "helm" {}
ephemeral "random_password" "p" {}
"#,
    );
    let used: Vec<&str> = read.used_providers.iter().map(String::as_str).collect();
    assert_eq!(used, ["aws", "azurerm", "google-beta", "helm", "random"]);
}

#[test]
fn a_problem_names_file_and_line_and_the_rest_is_read() {
    let files: [(&str, &[u8]); 3] = [
        ("b.tf", b"variable \"x\" {}\n\n  ]\nvariable \"y\" {}\n"),
        ("a.tf.json", b"{\n  \"variable\": {\n    \"z\": 1\n  }\n}"),
        ("c.tf", b"ok = 1\n\xff"),
    ];
    let read = outline(&files);
    let places: Vec<(&str, usize)> =
        read.problems.iter().map(|Problem { file, line, .. }| (file.as_str(), *line)).collect();
    assert_eq!(places, [("a.tf.json", 3), ("b.tf", 3), ("c.tf", 2)]);
    assert_eq!(read.variables.keys().collect::<Vec<_>>(), ["x", "y", "z"]);
}

#[test]
fn an_override_of_nothing_is_a_problem() {
    let read = outline(&[("override.tf", b"variable \"a\" {}")]);
    assert!(read.variables.is_empty());
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn the_manifest_of_modules_tells_the_directories() {
    let manifest = json!({"Modules": [
        {"Key": "", "Source": "", "Dir": "."},
        {"Key": "recipe", "Source": "../m", "Dir": "../m"},
        {"Key": "recipe.a", "Source": "./a", "Dir": "../m/a"},
        {"Key": "recipe.b", "Source": "./a", "Dir": "../m/a"},
        {"Key": "recipes", "Source": "x", "Dir": "x"},
    ]});
    let read = modules_json(&manifest).unwrap();
    assert_eq!(read.recipe, "../m");
    assert_eq!(read.nested, ["../m/a"]);
    assert_eq!(modules_json(&json!({"Modules": []})), Err(ModulesError::Missing));
    assert_eq!(modules_json(&json!([])), Err(ModulesError::Shape));
    assert_eq!(modules_json(&json!({"Modules": [{"Key": 1}]})), Err(ModulesError::Shape));
}
