//! Outlines against what `terraform` itself reads in the same files.

use hangar_manifest::recipe::module::outline;
use serde_json::{Map, Value};

use super::terraform::workspace;

/// Modules that Terraform accepts, odd in every way that the reader must not stumble over.
const MODULES: &[(&str, &[(&str, &str)])] = &[
    (
        "comments",
        &[(
            "main.tf",
            r#"
# variable "no" {}
// variable "no" {}
/* variable "no" { default = "}" } */
variable /* in between */ "a" { # behind
  default = "x" // behind a value
  /* before */ description = "A \"quoted\" one: # no comment, // neither, /* nor this */"
}
variable "b" { default = 1 } # one line
variable bare { default = true }
output "o" { value = "${var.a}-${var.b}-${var.bare}" }
"#,
        )],
    ),
    (
        "templates",
        &[(
            "main.tf",
            r#"
locals {
  nested = "a ${"b ${"c }\""} d"} e"
  escaped = "$${not} %%{neither}"
  loop = "%{ for x in ["a", "}"] ~}${x}%{ endfor }"
  call = join(",", [for k, v in { a = "{", b = "}" } : "${k}=${v}"])
}
variable "unclosed" { default = "$${ %%{" }
variable "after" { default = "$${literal} %%{literal} \u00e9 \U0001F600 \t\n\\" }
output "after" { value = [local.nested, local.escaped, local.loop, local.call] }
"#,
        )],
    ),
    (
        "heredocs",
        &[(
            "main.tf",
            r#"
variable "plain" {
  default = <<EOT
line } "
  two ${"$"}{x}
EOT
}
variable "literal" {
  default = <<EOT
a
  b $${x} "q" \n
EOT
}
variable "flush" {
  description = <<-EOT
    first
      second

    last
  EOT
  default = null
}
variable "blank" {
  default = <<-E
    x
  
		y
      
  E
}
variable "in_list" {
  default = [<<A
one
A
  , <<-B
    two
    B
  ]
}
output "text" {
  value = <<-X
    %{ if true }
    variable "no" { ${join("}", ["a"])}
    %{ endif }
  X
}
"#,
        )],
    ),
    (
        "literals",
        &[(
            "main.tf",
            r#"
variable "object" {
  type = object({
    name = string
    tags = optional(map(string), { a = "b" })
  })
  default = {
    name = "n", "tags" : {
      x = "y" # comment
      "z z" = "w"
    }
  }
}
variable "list" { default = [1, 2.5, -3, 1e3, true, null, ["x",], {}] }
variable "big" { default = 12345678901234567890 }
variable "empty" { default = "" }
variable "nullable" {
  type     = string
  default  = "d"
  nullable = false
}
variable "secret" {
  type      = string
  default   = "s"
  sensitive = true
}
variable "quoted" {
  type      = string
  default   = null
  sensitive = "true"
}
output "secret" {
  value       = var.secret
  sensitive   = true
  description = "hidden"
}
output "dash-ed" { value = 1 }
"#,
        )],
    ),
    (
        "overrides",
        &[
            (
                "main.tf",
                r#"
variable "a" {
  type = string
  default = "base"
  description = "base"
}
variable "b" { default = "base" }
output "o" { value = var.a }
"#,
            ),
            ("override.tf", "variable \"a\" {\n  default = \"first\"\n}\n"),
            (
                "z_override.tf.json",
                r#"{"variable": {"a": {"description": "second"}}, "output": {"o": {"sensitive": true}}}"#,
            ),
            ("zz.tf", "variable \"late\" { default = 1 }\n"),
            ("early_override.tf", "variable \"late\" { default = 2 }\n"),
            ("not_override.txt", "variable \"no\" {}"),
            (".hidden.tf", "variable \"no\" {}"),
        ],
    ),
    (
        "json",
        &[
            (
                "main.tf.json",
                r#"{
  "//": "a comment",
  "variable": [{"a": {"default": "${literal}", "description": "d"}}, {"b": [{"default": [1, {"x": null}]}], "c": {"type": "string", "default": "c", "sensitive": true}}],
  "output": {"o": {"value": "${var.b}"}, "p": [{"value": 1, "description": "${literal}"}]},
  "variable": {"again": {"default": 1}},
  "locals": {"x": 1}
}"#,
            ),
            ("other.tf", "variable \"native\" { default = {} }\n"),
        ],
    ),
    (
        "windows",
        &[(
            "main.tf",
            "variable \"a\" {\r\n  default = \"x\"\r\n  description = <<EOT\r\nline\r\nEOT\r\n}\r\noutput \"o\" { value = var.a }\r\n",
        )],
    ),
];

#[test]
fn outlines_agree_with_terraforms_own_reading() {
    let Some(workspace) = workspace("outlines_agree_with_terraforms_own_reading") else { return };
    for (name, files) in MODULES {
        for (file, text) in *files {
            workspace.write(&format!("{name}/{file}"), text);
        }
        workspace.succeed(name, &["init", "-backend=false", "-no-color"]);
        workspace.succeed(name, &["plan", "-refresh=false", "-out=plan", "-no-color"]);
        let plan = workspace.json(name, &["show", "-json", "plan"]);
        let root = &plan["configuration"]["root_module"];

        let given: Vec<_> = files.iter().map(|(file, text)| (*file, text.as_bytes())).collect();
        let outline = outline(&given);
        assert_eq!(outline.problems, [], "{name}");
        let variables: Map<String, Value> = outline
            .variables
            .values()
            .map(|variable| {
                let mut told = Map::new();
                if let Some(default) = variable.default.clone() {
                    told.insert("default".to_owned(), default);
                }
                if let Some(text) = variable.description.clone().filter(|it| !it.is_empty()) {
                    told.insert("description".to_owned(), text.into());
                }
                if variable.sensitive {
                    told.insert("sensitive".to_owned(), true.into());
                }
                (variable.name.clone(), told.into())
            })
            .collect();
        let expected = root["variables"].as_object().cloned().unwrap_or_default();
        // The heredoc with a template of a literal is one that only evaluation can tell.
        let skipped = |name: &String| name == "plain";
        assert_eq!(
            plain(variables.into_iter().filter(|(name, _)| !skipped(name)).collect()),
            plain(expected.into_iter().filter(|(name, _)| !skipped(name)).collect()),
            "{name}"
        );
        let outputs: Map<String, Value> = outline
            .outputs
            .values()
            .map(|output| {
                let mut told = Map::new();
                if let Some(text) = output.description.clone() {
                    told.insert("description".to_owned(), text.into());
                }
                if output.sensitive {
                    told.insert("sensitive".to_owned(), true.into());
                }
                (output.name.clone(), told.into())
            })
            .collect();
        let mut expected = root["outputs"].as_object().cloned().unwrap_or_default();
        for output in expected.values_mut() {
            output.as_object_mut().expect("an output").remove("expression");
        }
        assert_eq!(outputs, expected, "{name}");
    }
}

/// Numbers by value: `1e3` and `1000` are one.
fn plain(values: Map<String, Value>) -> String {
    fn number(value: Value) -> Value {
        match value {
            Value::Number(number) => match number.as_i64().or_else(|| whole(number.as_f64()?)) {
                Some(whole) => whole.into(),
                None => Value::Number(number),
            },
            Value::Array(items) => items.into_iter().map(number).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, it)| (name, number(it)))
                .collect::<Map<_, _>>()
                .into(),
            other => other,
        }
    }
    fn whole(number: f64) -> Option<i64> {
        (number.fract() == 0.0 && number.abs() < 1e15).then(|| format!("{number}").parse().ok())?
    }
    serde_json::to_string_pretty(&number(values.into())).expect("JSON")
}

#[test]
fn what_terraform_cannot_parse_is_a_problem() {
    let Some(workspace) = workspace("what_terraform_cannot_parse_is_a_problem") else { return };
    for (index, text) in [
        "variable \"a\" {",
        "variable \"a\" {}}",
        "variable \"a\" { default = }",
        "variable \"a\" {\n  default = \"x\n}",
        "variable \"a\" {\n  default = [1, 2\n}\n",
        "variable \"a\" {\n  default = <<EOT\nx\n}\n",
        "variable \"a\" \"b\" {}",
        "variable \"a\" {}\nvariable \"a\" {}",
        "variable \"1\" {}",
        "variable \"source\" {}",
        "variable \"a${1}\" {}",
        "= 1",
        "output \"o\" {\n  value = 1\n  sensitive = maybe\n}",
        "output \"o\" {\n  value = (1]\n}",
        "variable a",
    ]
    .into_iter()
    .enumerate()
    {
        let place = format!("{index}");
        workspace.write(&format!("{place}/main.tf"), text);
        let accepted = workspace.run(&place, &["init", "-backend=false"]).status.success()
            && workspace.run(&place, &["validate"]).status.success();
        assert!(!accepted, "terraform takes {text:?}");
        assert!(!outline(&[("main.tf", text.as_bytes())]).problems.is_empty(), "{text:?}");
    }
}
