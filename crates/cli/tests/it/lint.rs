//! `hangar lint`, and what is wrong before anything is deployed: each mistake in its own words.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{hangar, shown_of};

/// What a command says in a folder with these files.
fn said(files: &[(&str, &str)], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    shown_of(hangar(arguments).current_dir(folder.path()))
}

const GOOD: &str = "extension aws
param size int = 1
resource queue 'AWS.SQS/Queue@default' = {
  alias: 'jobs'
  properties: {
    DelaySeconds: size
  }
}
";

const BAD: &str = "extension aws
resource queue 'AWS.SQS/Queue@default' = {
  alias: 'jobs'
  properties: {
    DelaySeconds: sise
  }
}
";

#[test]
fn what_is_right_has_no_mistakes_and_a_parameter_needs_no_value() {
    let told = said(&[("a.bicep", &GOOD.replace(" = 1", ""))], &["lint", "a.bicep"]);
    assert_eq!(told, "exit: 0\n--- stdout\n1 file: no problems\n--- stderr\n");
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    insta::assert_snapshot!(said(&[("a.bicep", BAD)], &["lint", "a.bicep"]), @"
    exit: 1
    --- stdout
    error[BCP057]: the name `sise` is not declared
     --> a.bicep:5:19
      |
    5 |     DelaySeconds: sise
      |                   ^^^^
    hint: declare it with `param sise string` or `var sise = …`, or write the string `'sise'`

    1 error in 1 file
    --- stderr
    ");
}

#[test]
fn in_one_line_a_mistake_is_written_as_bicep_writes_it() {
    let told = said(&[("a.bicep", BAD)], &["lint", "a.bicep", "--format", "line"]);
    assert!(told.starts_with("exit: 1\n--- stdout\na.bicep(5,19) : Error BCP057: "), "{told}");
}

#[test]
fn programs_get_a_list() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bicep"), BAD).unwrap();
    let output = hangar(&["lint", "a.bicep", "missing.bicep", "-o", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &found[0];
    assert_eq!((&first["file"], &first["code"]), (&json!("a.bicep"), &json!("BCP057")));
    let place =
        ["line", "column", "endLine", "endColumn"].map(|name| first[name].as_u64().unwrap());
    assert_eq!(place, [5, 19, 5, 23]);
    assert_eq!((&first["severity"], first["hints"].is_array()), (&json!("error"), true));
    assert_eq!(found[1]["code"], "CLI0002");
}

#[test]
fn the_examples_have_no_mistakes() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = [
        "network/main.bicep",
        "network/prod.bicepparam",
        "service/main.bicep",
        "database/main.bicep",
        "recipes/app.bicep",
        "modules/main.bicep",
        "modules/network.bicep",
        "modules/storage.bicep",
        "modules/shared.bicep",
        "modules/large.bicepparam",
    ];
    let told = shown_of(hangar(&["lint"]).args(files).current_dir(examples));
    assert_eq!(told, "exit: 0\n--- stdout\n10 files: no problems\n--- stderr\n");
}

#[test]
fn a_mistake_in_a_module_is_shown_in_its_own_file() {
    let main = "import { names } from './lib/shared.bicep'
module queues './lib/queue.bicep' = [for name in names: { params: { name: name } }]
";
    let files = [
        ("main.bicep", main),
        ("lib/shared.bicep", "@export()\nvar names = ['a', 'b']\n"),
        (
            "lib/queue.bicep",
            "extension aws
param name string
resource queue 'AWS.SQS/Queue@default' = {
  alias: name
  properties: { DelaySecond: 1, QueueName: loadTextContent('name.txt') }
}
",
        ),
        ("lib/name.txt", "jobs"),
    ];
    insta::assert_snapshot!(said(&files, &["lint", "main.bicep", "--format", "line"]), @"
    exit: 1
    --- stdout
    lib/queue.bicep(5,17) : Error BCP089: `DelaySecond` is not a property of AWS.SQS/Queue
    --- stderr
    ");
    let shown = said(&files, &["lint", "main.bicep"]);
    assert!(shown.contains(" --> lib/queue.bicep:5:17"), "{shown}");
}

#[test]
fn a_file_of_parameters_sees_the_environment_of_those_that_it_extends() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("main.bicep", "param a string\nparam b int\n"),
        ("base.bicepparam", "using none\nparam a = readEnvironmentVariable('HANGAR_TEST_A')\n"),
        ("x.bicepparam", "using 'main.bicep'\nextends 'base.bicepparam'\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut lint = hangar(&["lint", "x.bicepparam", "--format", "line"]);
    let told = shown_of(lint.current_dir(folder.path()).env("HANGAR_TEST_A", "x"));
    assert!(
        told.starts_with(
            "exit: 1\n--- stdout\nmain.bicep(2,7) : Error BCP258: the parameter `b` has no value"
        ),
        "{told}"
    );
}

/// What is said of a recipe whose properties are these, with a module beside the template.
fn recipe(properties: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("module/inner")).unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("empty/README.md"), "nothing for Terraform").unwrap();
    fs::write(folder.path().join("module/inner/main.tf"), "variable \"deep\" {}\n").unwrap();
    let variables =
        "variable \"cidr\" {\n  type = string\n}\nvariable \"size\" {\n  default = 1\n}\n";
    fs::write(folder.path().join("module/main.tf"), variables).unwrap();
    let text = format!(
        "param x string\nresource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {{\n  name: 'net'\n  \
         properties: {{ {properties} }}\n}}\n"
    );
    fs::write(folder.path().join("a.bicep"), text).unwrap();
    let mut lint = hangar(&["lint", "a.bicep", "--format", "line", "--allow", "no-unused-params"]);
    let told = shown_of(lint.current_dir(folder.path()));
    let (_, told) = told.split_once("--- stdout\n").unwrap();
    told.replace("\n--- stderr\n", "").replace("--- stderr\n", "")
}

#[test]
fn a_recipe_is_held_against_the_module_beside_the_template() {
    for (properties, expected) in [
        ("source: './module', parameters: { cidr: x }", ""),
        ("source: x", ""),
        ("source: 'acme/network/aws', version: '~> 1.0', parameters: { any: 1 }", ""),
        (
            "source: './modul', parameters: { cidr: x }",
            "a.bicep(4,25) : Error TMPL0021: the directory `./modul` does not exist or is empty",
        ),
        (
            "source: './empty'",
            "a.bicep(4,25) : Error TMPL0021: `./empty` has no Terraform file (`*.tf`, `*.tf.json`) \
             at its top level",
        ),
        (
            "source: './module', parameters: { cird: x }",
            "a.bicep(4,37) : Error TMPL0022: the module needs a value for `cidr` (string)\n\
             a.bicep(4,51) : Error TMPL0022: the module has no variable `cird`; did you mean `cidr`?",
        ),
        (
            "source: './module'",
            "a.bicep(2,10) : Error TMPL0022: the module needs a value for `cidr` (string)",
        ),
        (
            "source: 'modules/network'",
            "a.bicep(4,25) : Error TMPL0021: `modules/network` is not a module source: expected a \
             directory (`./module`, `/srv/module`), `namespace/name/provider`, `git::…`, \
             `https://….zip`, `s3::…` or `gcs::…`",
        ),
        (
            "source: 'git::https://example.com/x.git', version: '1'",
            "a.bicep(4,25) : Error TMPL0021: `version` is only for registry modules, and \
             `git::https://example.com/x.git` is not one (set the revision with `?ref=` in the \
             source)",
        ),
    ] {
        assert_eq!(recipe(properties), expected, "{properties}");
    }
}

#[test]
fn a_template_reads_no_file_outside_of_its_folder() {
    let text = "output secret string = loadTextContent('../outside.txt')\n";
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("outside.txt"), "canary").unwrap();
    fs::write(folder.path().join("in/a.bicep"), text).unwrap();
    let lint = |file: &str, from: &str| {
        shown_of(hangar(&["lint", file]).current_dir(folder.path().join(from)))
    };
    assert!(lint("in/a.bicep", "").starts_with("exit: 0\n"), "below the current directory");
    let told = lint("a.bicep", "in");
    assert!(told.starts_with("exit: 1\n") && !told.contains("canary"), "{told}");
    std::os::unix::fs::symlink(
        folder.path().join("outside.txt"),
        folder.path().join("in/link.txt"),
    )
    .unwrap();
    fs::write(
        folder.path().join("in/a.bicep"),
        "output secret string = loadTextContent('link.txt')\n",
    )
    .unwrap();
    let told = lint("a.bicep", "in");
    assert!(
        told.contains("error[CLI0006]: cannot read `link.txt`: it is outside of `.`"),
        "{told}"
    );
}

#[test]
fn what_only_a_control_plane_knows_is_no_mistake() {
    let text = "extension aws
param name string = '${resourceGroup().name}-${aws.region()}'
resource queue 'AWS.SQS/Queue@default' = {
  alias: '${name}-${aws.accountId()}'
  properties: {
    QueueName: resourceGroup().tags.team
  }
}
";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep"]);
    assert!(told.starts_with("exit: 0\n"), "{told}");
    let told = said(&[("a.bicep", text)], &["deploy", "a.bicep"]);
    // The group of this one has no tags, and only the control plane could tell.
    assert!(told.contains("(InvalidTemplate)") && told.contains("--> a.bicep:6:37"), "{told}");
}

/// What deploying says before it asks anybody.
fn refused(files: &[(&str, &str)], arguments: &[&str]) -> String {
    // Nobody listens there: whatever is refused is refused before anything is sent.
    let told =
        said(files, &[&["deploy"][..], arguments, &["--server", "http://127.0.0.1:9"]].concat());
    assert!(told.starts_with("exit: 1\n--- stdout\n--- stderr\n"), "{told}");
    assert!(!told.contains("API0002"), "{told}");
    told
}

#[test]
fn a_template_that_is_wrong_is_not_sent() {
    let told = refused(&[("a.bicep", BAD)], &["a.bicep"]);
    assert!(told.contains("error[BCP057]") && told.contains("--> a.bicep:5:19"), "{told}");
}

#[test]
fn a_parameter_that_does_not_exist_is_told_with_the_near_one() {
    insta::assert_snapshot!(refused(&[("a.bicep", GOOD)], &["a.bicep", "-p", "siez=3"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0025]: the template has no parameter `siez`
    hint: did you mean `size`?
    ");
}

#[test]
fn a_value_of_another_type_is_told() {
    insta::assert_snapshot!(refused(&[("a.bicep", GOOD)], &["a.bicep", "-p", "size=many"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0025]: parameter `size` has type int, but `many` does not have this type
    hint: write it as JSON: -p size=3
    ");
    let secure = format!("@secure()\nparam key object\n{GOOD}");
    let told = refused(&[("a.bicep", &secure)], &["a.bicep", "-p", "key=canary"]);
    assert!(
        told.contains("parameter `key` has type object, but the value does not have this type"),
        "{told}"
    );
    assert!(!told.contains("canary"), "{told}");
}

#[test]
fn what_is_no_pair_is_told_without_it() {
    let told = refused(&[("a.bicep", GOOD)], &["a.bicep", "-p", "canary"]);
    assert!(
        told.contains("error[CLI0025]: a value of -p is not NAME=VALUE")
            && !told.contains("canary"),
        "{told}"
    );
}

#[test]
fn a_parameter_without_a_value_is_told_where_it_is_declared() {
    insta::assert_snapshot!(refused(&[("a.bicep", &GOOD.replace(" = 1", ""))], &["a.bicep"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[BCP258]: the parameter `size` has no value
     --> a.bicep:2:7
      |
    2 | param size int
      |       ^^^^
    hint: pass a value with `-p size=…`, or write a default
    ");
}

#[test]
fn a_file_of_parameters_is_for_its_template() {
    let files = [
        ("a.bicep", GOOD),
        ("b.bicep", GOOD),
        ("b.bicepparam", "using 'b.bicep'\nparam size = 2\n"),
    ];
    insta::assert_snapshot!(refused(&files, &["a.bicep", "--params", "b.bicepparam"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0027]: `b.bicepparam` is a parameter file of `b.bicep`, not of `a.bicep`
    hint: pass that template, or write `using none`
    ");
}

#[test]
fn a_wrong_value_in_a_file_of_parameters_is_shown_there() {
    let template = "@maxValue(5)\nparam size int\n@allowed(['a', 'b'])\nparam tier string\n\
                    output o string = '${size}${tier}'\n";
    let values = "using '../main.bicep'\nparam size = 7\nparam tier = 'c'\n";
    let files = [("main.bicep", template), ("values/prod.bicepparam", values)];
    let lines = said(&files, &["lint", "values/prod.bicepparam", "--format", "line"]);
    assert!(lines.contains("values/prod.bicepparam(2,14)"), "{lines}");
    assert!(lines.contains("values/prod.bicepparam(3,14)"), "{lines}");
    assert!(!lines.contains("main.bicep("), "{lines}");
    let shown = refused(&files, &["values/prod.bicepparam"]);
    assert!(shown.contains("values/prod.bicepparam:2:14"), "{shown}");
    assert!(shown.contains("values/prod.bicepparam:3:14"), "{shown}");

    // A value that was typed is in no file.
    let typed =
        refused(&files, &["main.bicep", "--params", "values/prod.bicepparam", "-p", "size=8"]);
    assert!(typed.contains("main.bicep:2:7"), "{typed}");
    assert!(!typed.contains("prod.bicepparam:2"), "{typed}");
}

#[test]
fn a_file_that_holds_no_parameters_is_told_by_its_name() {
    let told = refused(&[("a.bicep", GOOD), ("p.json", "[1]")], &["a.bicep", "--params", "p.json"]);
    assert!(
        told.contains("error[CLI0026]: a parameter file must contain a JSON object\n--> p.json"),
        "{told}"
    );
    let reference = r#"{"$schema": "x", "parameters": {"size": {"reference": {}}}}"#;
    let told =
        refused(&[("a.bicep", GOOD), ("p.json", reference)], &["a.bicep", "--params", "p.json"]);
    assert!(told.contains("parameter `size` is a reference to a key vault"), "{told}");
}

#[test]
fn a_file_that_is_missing_is_told() {
    let told = refused(&[], &["a.bicep"]);
    assert!(told.contains("error[CLI0002]: cannot read `a.bicep`: no such file"), "{told}");
}

#[test]
fn the_environment_is_for_files_of_parameters() {
    let file = "using 'a.bicep'\nparam size = int(readEnvironmentVariable('SIZE_OF_IT'))\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bicep"), GOOD).unwrap();
    fs::write(folder.path().join("a.bicepparam"), file).unwrap();
    let lint = |value: Option<&str>| {
        let mut command = hangar(&["lint", "a.bicepparam"]);
        if let Some(value) = value {
            command.env("SIZE_OF_IT", value);
        }
        shown_of(
            command
                .env_remove(if value.is_none() { "SIZE_OF_IT" } else { "-" })
                .current_dir(folder.path()),
        )
    };
    assert!(lint(Some("3")).starts_with("exit: 0\n"), "{}", lint(Some("3")));
    let told = lint(None);
    assert!(told.starts_with("exit: 1\n") && told.contains("SIZE_OF_IT"), "{told}");
}

const LOOSE: &str = "extension aws
param unused int = 1
resource shell 'AWS.EC2/SecurityGroup@default' = {
  alias: 'shell'
  properties: {
    GroupDescription: 'Who may log in'
    SecurityGroupIngress: [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0' }]
  }
}
";

#[test]
fn rules_are_warnings_and_end_well() {
    insta::assert_snapshot!(said(&[("a.bicep", LOOSE)], &["lint", "a.bicep"]), @"
    exit: 0
    --- stdout
    warning[no-unused-params]: the parameter `unused` is never used
     --> a.bicep:2:7
      |
    2 | param unused int = 1
      |       ^^^^^^
    hint: remove it, or use it

    warning[aws-open-ingress]: the whole internet can reach port 22 (SSH)
     --> a.bicep:7:83
      |
    7 |     SecurityGroupIngress: [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0' }]
      |                                                                                   ^^^^^^^^^^^
    hint: list the allowed addresses, or another security group

    2 warnings in 1 file
    --- stderr
    ");
}

#[test]
fn a_warning_is_denied_or_allowed_by_its_code() {
    let line = |arguments: &[&str]| {
        let all = [&["lint", "a.bicep", "--format", "line"], arguments].concat();
        said(&[("a.bicep", LOOSE)], &all)
    };
    let denied = line(&["--deny", "no-unused-params"]);
    assert!(denied.starts_with("exit: 1\n"), "{denied}");
    assert!(
        denied.contains("Error no-unused-params") && denied.contains("Warning aws-open-ingress"),
        "{denied}"
    );
    let rest = line(&["--deny", "all", "--allow", "AWS-open-ingress,no-unused-params"]);
    assert!(rest.starts_with("exit: 0\n--- stdout\n"), "{rest}");
    assert!(!rest.contains("no-unused-params"), "{rest}");
    let wrong = line(&["--deny", "no-unused-parms"]);
    assert!(wrong.contains("did you mean `no-unused-params`?"), "{wrong}");
}

#[test]
fn a_configuration_above_the_file_sets_the_levels_and_a_directive_silences() {
    let config = r#"{
      // as Bicep reads it
      "analyzers": {"core": {"rules": {
        "no-unused-params": {"level": "error"},
        "aws-open-ingress": {"level": "off"}
      }}}
    }"#;
    let files = [("bicepconfig.json", config), ("deep/a.bicep", LOOSE)];
    let told = said(&files, &["lint", "deep/a.bicep", "--format", "line"]);
    assert!(told.starts_with("exit: 1\n"), "{told}");
    assert!(
        told.contains("Error no-unused-params") && !told.contains("aws-open-ingress"),
        "{told}"
    );
    let silent = LOOSE.replace("param", "#disable-next-line no-unused-params\nparam");
    let files = [("bicepconfig.json", config), ("deep/a.bicep", &silent)];
    let told = said(&files, &["lint", "deep/a.bicep"]);
    assert_eq!(told, "exit: 0\n--- stdout\n1 file: no problems\n--- stderr\n");
    let files = [("bicepconfig.json", "{"), ("a.bicep", LOOSE)];
    let told = said(&files, &["lint", "a.bicep"]);
    assert!(told.contains("TMPL0060"), "{told}");
}

#[test]
fn a_configuration_that_sets_no_rule_or_is_no_file_is_told() {
    let config = "{\"analyzers\": {\"core\": {\"rules\": {\n  \"no-unused-parms\": {\"level\": \"error\"},\n}}}}";
    let files = [("bicepconfig.json", config), ("a.bicep", LOOSE)];
    let told = said(&files, &["lint", "a.bicep"]);
    assert!(told.starts_with("exit: 0\n"), "{told}");
    assert!(
        told.contains("warning[TMPL0061]: the rule `no-unused-parms` does not exist"),
        "{told}"
    );
    assert!(told.contains("bicepconfig.json:2:3\n"), "{told}");
    assert!(told.contains("did you mean `no-unused-params`?"), "{told}");
    let told = said(&files, &["lint", "a.bicep", "--deny", "TMPL0061"]);
    assert!(told.starts_with("exit: 1\n"), "{told}");

    let files = [("bicepconfig.json/x", ""), ("a.bicep", LOOSE)];
    let told = said(&files, &["lint", "a.bicep"]);
    assert!(told.starts_with("exit: 1\n"), "{told}");
    assert!(told.contains("bicepconfig.json`: it is a directory\nhint: "), "{told}");
}

#[test]
fn a_plan_is_refused_by_a_rule_only_where_it_is_an_error() {
    let config = |level: &str| {
        format!(
            "{{\"analyzers\": {{\"core\": {{\"rules\": {{\"no-unused-params\": {{\"level\": \"{level}\"}}}}}}}}}}"
        )
    };
    let planned = |level: &str| {
        let files = [("bicepconfig.json", &*config(level)), ("a.bicep", LOOSE)];
        said(&files, &["plan", "a.bicep"])
    };
    let refused = planned("error");
    assert!(
        refused.starts_with("exit: 1\n") && refused.contains("error[no-unused-params]"),
        "{refused}"
    );
    let let_pass = planned("warning");
    assert!(
        !let_pass.contains("no-unused-params") && !let_pass.contains("aws-open-ingress"),
        "{let_pass}"
    );
}

const NETWORK: &str = "extension aws
resource vpc 'AWS.EC2/VPC@default' = {
  alias: 'vpc'
  properties: { CidrBlock: '10.0.0.0/16' }
}
var id = vpc.id
resource subnet 'AWS.EC2/Subnet@default' = {
  alias: 'subnet'
  properties: {
    CidrBlock: '10.0.0.0/24'
    VpcId: id
  }
}
";

#[test]
fn lint_plan_and_deploy_refuse_the_id_of_a_resource_in_a_property() {
    for command in ["lint", "plan", "deploy"] {
        let told = said(&[("a.bicep", NETWORK)], &[command, "a.bicep"]);
        assert!(told.starts_with("exit: 1"), "{told}");
        assert!(
            told.contains("error[TMPL0240]: `VpcId` of AWS.EC2/Subnet holds Hangar's id"),
            "{told}"
        );
        assert!(told.contains("hint: write `vpc.properties.VpcId`"), "{told}");
    }
}

#[test]
fn names_schemas_and_values_are_checked_in_one_run() {
    let text = "extension aws\nresource q 'AWS.SQS/Queue@default' = {\n  alias: 'q'\n  properties: {\n    \
                QueueNam: 'x'\n    DelaySeconds: upperCase('x')\n    VisibilityTimeout: 'x'\n  }\n}\n\
                output o string = nope\n";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep", "--format", "line"]);
    insta::assert_snapshot!(told, @"
    exit: 1
    --- stdout
    a.bicep(5,5) : Error BCP089: `QueueNam` is not a property of AWS.SQS/Queue
    a.bicep(6,19) : Error BCP082: the function `upperCase` does not exist
    a.bicep(7,24) : Error BCP036: `VisibilityTimeout` of AWS.SQS/Queue is a string, but its schema expects an int
    a.bicep(10,19) : Error BCP057: the name `nope` is not declared
    --- stderr
    ");
}

#[test]
fn one_slip_is_one_error() {
    let text = "extension aws\nparam region string = 'x'\nresource q 'AWS.SQS/Queue@default' = if (region = 'x') \
                {\n  alias: 'q'\n  properties: {\n    QueueName: \"abc\"\n  }\n}\n";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep", "--format", "line"]);
    insta::assert_snapshot!(told, @"
    exit: 1
    --- stdout
    a.bicep(3,49) : Error BCP018: `=` does not compare values
    a.bicep(6,16) : Error BCP103: strings must be in single quotes
    --- stderr
    ");
}

#[test]
fn a_circle_is_told_once_with_its_chain() {
    let told =
        said(&[("a.bicep", "var a = b\nvar b = a\noutput o string = a\n")], &["lint", "a.bicep"]);
    assert_eq!(told.matches("error[BCP080]").count(), 1, "{told}");
    assert!(told.contains("the declarations form a cycle: `a -> b -> a`"), "{told}");
}

#[test]
fn files_of_other_tools_are_named() {
    let files = [
        ("a.yaml", "Resources:\n  A:\n    Type: AWS::S3::Bucket\n", "a CloudFormation template"),
        ("a.json", "{\"Resources\": {}}", "a CloudFormation template"),
        (
            "a.tf",
            "resource \"aws_vpc\" \"a\" {\n  cidr_block = \"x\"\n}\n",
            "a Terraform configuration",
        ),
        ("k.yaml", "apiVersion: v1\nkind: Pod\n", "a Kubernetes manifest"),
    ];
    for (name, text, language) in files {
        for command in ["lint", "plan", "deploy"] {
            let told = said(&[(name, text)], &[command, name]);
            let expected = format!("error[TMPL0241]: this is {language}; Hangar deploys Bicep");
            assert!(told.contains(&expected), "{command} {name}: {told}");
            assert_eq!(told.matches("error[").count(), 1, "{told}");
        }
    }
}

#[test]
fn folders_are_linted_and_not_deployed() {
    let files = [("dir/a.bicep", BAD), ("dir/b.bicep", GOOD)];
    assert!(said(&files, &["lint", "dir"]).contains("1 error in 2 files"));
    let told = said(&files, &["deploy", "dir"]);
    assert!(told.contains("error[CLI0003]: `dir` is a directory, not a template"), "{told}");
    assert!(told.contains("hint: pass a template in it: `dir/a.bicep`, `dir/b.bicep`"), "{told}");
}

#[test]
fn mistakes_in_a_file_of_parameters_are_told_in_it() {
    let files = [("a.bicep", GOOD), ("a.bicepparam", "using 'a.bicep'\nparam siez = 3\n")];
    for command in ["lint", "deploy", "plan"] {
        let told = said(&files, &[command, "a.bicepparam"]);
        assert!(told.contains("error[BCP259]: the template has no parameter `siez`"), "{told}");
        assert!(told.contains("--> a.bicepparam:2:7"), "{told}");
    }
    let told = said(&[("a.bicepparam", "using 'no.bicep'\n")], &["deploy", "a.bicepparam"]);
    assert!(told.contains("--> a.bicepparam:1:7"), "{told}");
    let yaml = [("a.bicep", GOOD), ("p.yaml", "size: 1\n")];
    let told = said(&yaml, &["deploy", "a.bicep", "--params", "p.yaml"]);
    assert!(told.contains("parameter files in YAML are not supported"), "{told}");
}

#[test]
fn a_syntax_error_hides_no_schema_error_of_its_resource_or_of_others() {
    let text = "extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlok: '10.0.0.0/16'
    EnableDnsSupport: 'yes'
    InstanceTenancy:
  }
}
resource queue 'AWS.SQS/Queue@default' = {
  alias: 'jobs'
  properties: {
    DelaySecond: 1
  }
}
";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep", "--format", "line"]);
    let codes: Vec<&str> = told.lines().filter_map(|it| it.split(": Error ").nth(1)).collect();
    let codes: Vec<&str> = codes.iter().map(|it| &it[..6]).collect();
    assert_eq!(codes, ["BCP089", "BCP036", "BCP009", "BCP089"], "{told}");
}

#[test]
fn a_property_that_cannot_be_read_is_one_error() {
    for property in
        ["LogGroup Name: 'x'", "LogGroupName:", "- LogGroupName: 'x'", "'LogGroupName: 'x'"]
    {
        let text = format!(
            "extension aws\nresource stream 'AWS.Logs/LogStream@default' = {{\n  alias: 's'\n  \
             properties: {{\n    {property}\n  }}\n}}\n"
        );
        let told = said(&[("a.bicep", &text)], &["lint", "a.bicep", "--format", "line"]);
        let errors = told.lines().filter(|it| it.contains(": Error ")).count();
        assert_eq!(errors, 1, "{property}: {told}");
    }
}

#[test]
fn a_resource_as_the_properties_of_another_is_one_error() {
    let text = "extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
}
resource queue 'AWS.SQS/Queue@default' = {
  alias: 'jobs'
  properties: net
}
";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep", "--format", "line"]);
    let errors = told.lines().filter(|it| it.contains(": Error ")).count();
    assert_eq!(errors, 1, "{told}");
}

#[test]
fn an_output_with_a_secret_is_reported_once() {
    let text = "@secure()
param adminPassword string
output adminPassword string = adminPassword
";
    let told = said(&[("a.bicep", text)], &["lint", "a.bicep", "--format", "line"]);
    let found = told.lines().filter(|it| it.contains("outputs-should-not-contain-secrets")).count();
    assert_eq!(found, 1, "{told}");
}
