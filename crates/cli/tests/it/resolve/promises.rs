//! A manifest is resolved whole or not at all, and no secret leaves its place: what strangers tried to break.

use std::process::Output;

use serde_json::json;

use super::rig::Rig;

/// A state with an open and a secret output.
const STATE: &str = r#"{"version": 4, "serial": 1, "lineage": "x", "resources": [], "outputs": {
  "open": {"value": "o", "type": "string"}, "none": {"value": null, "type": "dynamic"},
  "list": {"value": ["a", "b"], "type": ["list", "string"]},
  "token": {"value": "${Token[TOKEN.12]}", "type": "string"},
  "closed": {"value": "S3CRET", "type": "string", "sensitive": true}}}"#;

/// Without an AWS: a state and manifests.
fn rig() -> Rig {
    let rig = Rig::new();
    rig.write("s.tfstate", STATE);
    rig
}

fn resolve(rig: &Rig, manifest: &str, arguments: &[&str]) -> Output {
    rig.write("manifest.yaml", manifest);
    rig.resolve(&[&["-f", "manifest.yaml", "--state", "s=s.tfstate"], arguments].concat())
}

/// The code of what was refused; nothing is on standard output then.
fn refused(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{said}");
    assert!(!said.contains("S3CRET"), "{said}");
    let code = said.split("error[").nth(1).and_then(|rest| rest.split(']').next());
    code.unwrap_or_else(|| panic!("{said}")).to_owned()
}

fn accepted(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_filter_makes_no_control_plane() {
    let rig = rig();
    rig.write("manifest.yaml", "a: ${ucp:default/AWS.EC2/VPC/x#VpcId?default=q}\n");
    let output = rig.run(&["resolve", "-f", "manifest.yaml"]);
    assert_eq!(refused(&output), "REF0010");
    assert!(!rig.path().join(".hangar").exists());
}

#[test]
fn an_alias_carries_no_secret_out_of_a_secret() {
    let rig = rig();
    let list = "kind: List\nitems:\n- kind: Secret\n  stringData:\n    p: &x ${tf:s/output.closed}\n\
                - kind: ConfigMap\n  data:\n    p: *x\n";
    assert_eq!(refused(&resolve(&rig, list, &[])), "REF0012");
    let alone = "kind: Secret\nstringData:\n  p: ${tf:s/output.closed}\n";
    assert!(accepted(resolve(&rig, alone, &[])).contains("p: S3CRET"));
    let open = "kind: ConfigMap\ndata:\n  p: &x ${tf:s/output.open}\n  q: *x\n";
    assert!(accepted(resolve(&rig, open, &[])).contains("p: &x o"));
}

#[test]
fn a_secret_that_aws_makes_is_a_secret() {
    let rig = rig();
    let template = json!({"Resources": {
        "Pool": {"Type": "AWS::Cognito::UserPool", "Properties": {}},
        "Client": {"Type": "AWS::Cognito::UserPoolClient",
                   "Properties": {"UserPoolId": {"Ref": "Pool"}, "GenerateSecret": true}},
    }});
    rig.deploy(&[("Users", &template)]);
    let reference = "${cfn:Users/Client#ClientSecret}";
    let output =
        resolve(&rig, &format!("kind: ConfigMap\ndata: {{p: '{reference}'}}\n"), &["--lock", "l"]);
    assert_eq!(refused(&output), "REF0012");
    let secret = format!("kind: Secret\nstringData: {{p: '{reference}'}}\n");
    let made = accepted(resolve(&rig, &secret, &["--lock", "l"]));
    let value = made.split('\'').nth(1).unwrap();
    assert!(!value.is_empty() && !value.contains("cfn:"), "{made}");
    let lock = std::fs::read_to_string(rig.path().join("l")).unwrap();
    assert!(!lock.contains(value), "{lock}");
    let explained = accepted(resolve(&rig, &secret, &["--explain"]));
    assert!(explained.contains("«secret»") && !explained.contains(value), "{explained}");
}

#[test]
fn files_are_written_together_or_stay_as_they_were() {
    let rig = rig();
    rig.write("in/a.yaml", "a: ${tf:s/output.open}\n");
    rig.write("in/b.json", "{}");
    rig.write("out/a.yaml", "OLD");
    rig.write("out/b.json/in-the-way", "");
    let arguments = ["-f", "in", "--out", "out", "--state", "s=s.tfstate"];
    assert_eq!(refused(&rig.resolve(&arguments)), "CLI0033");
    let names = |folder: &str| {
        let entries = std::fs::read_dir(rig.path().join(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("out"), ["a.yaml", "b.json"]);
    assert_eq!(std::fs::read_to_string(rig.path().join("out/a.yaml")).unwrap(), "OLD");
    let lock =
        [&arguments[..2], &["--out", "other", "--lock", "out/b.json", "--state", "s=s.tfstate"]]
            .concat();
    assert!(!rig.resolve(&lock).status.success());
    assert!(!rig.path().join("other").exists());
}

#[test]
fn every_byte_stays_a_mark_at_the_front_too() {
    let rig = rig();
    let text = "\u{feff}# x\r\na: 1\r\n---\r\nb:   [2,  3] # y";
    assert_eq!(accepted(resolve(&rig, text, &[])), text);
}

#[test]
fn a_resolver_that_says_too_much_is_refused() {
    let rig = rig();
    let talker = "while read -r line; do echo '{}'; case \"$line\" in *first*) echo '{\"value\": \"EXTRA\"}';; esac; done";
    let output = resolve(&rig, "a: first\nb: second\nc: third\n", &["--resolver", talker]);
    assert_eq!(refused(&output), "REF0020");
    let output = resolve(&rig, "a: first\n", &["--resolver", "exit 3"]);
    assert_eq!(refused(&output), "REF0020");
    assert!(String::from_utf8_lossy(&output.stderr).contains("exit status: 3"));
}

#[test]
fn raw_tokens_do_not_come_in_by_values() {
    let rig = rig();
    assert_eq!(refused(&resolve(&rig, "a: ${tf:s/output.token}\n", &[])), "REF0015");
    assert_eq!(refused(&resolve(&rig, "a: x-${tf:s/output.token}\n", &[])), "REF0015");
    let resolver = "while read -r line; do echo '{\"value\": \"${Token[TOKEN.3]}\"}'; done";
    assert_eq!(refused(&resolve(&rig, "a: 1\n", &["--resolver", resolver])), "REF0015");
}

#[test]
fn nothing_vanishes_silently() {
    let rig = rig();
    assert_eq!(refused(&resolve(&rig, "a: p${tf:s/output.none}\n", &[])), "REF0014");
    assert_eq!(accepted(resolve(&rig, "a: p${tf:s/output.none?optional}\n", &[])), "a: p\n");
    assert_eq!(refused(&resolve(&rig, "o: 1\n${tf:s/output.open}: 2\n", &[])), "REF0014");
    assert_eq!(accepted(resolve(&rig, "p: 1\n${tf:s/output.open}: 2\n", &[])), "p: 1\no: 2\n");
    assert_eq!(accepted(resolve(&rig, "a: ${tf:s/output.list[1]}\n", &[])), "a: b\n");
    assert_eq!(
        refused(&resolve(&rig, "a: ${tf:z/output.x?optional}\n", &["--state", "z=typo"])),
        "REF0010"
    );
    rig.write("in/a.yaml", "a: 1\n");
    std::os::unix::fs::symlink("nowhere", rig.path().join("in/b.yaml")).unwrap();
    assert!(refused(&rig.resolve(&["-f", "in"])).starts_with("CLI"));
}

#[test]
fn what_was_written_is_not_read_again() {
    let rig = rig();
    rig.write("in/a.yaml", "a: ${tf:s/output.open}\n");
    rig.write("in/sub/b.yaml", "b: 1\n");
    rig.write("in/.git/c.yaml", "c: 1\n");
    rig.write("in/construct-metadata.json", "{}");
    for _ in 0..2 {
        let arguments = ["-f", "in", "-R", "--out", "in/resolved", "--state", "s=s.tfstate"];
        accepted(rig.resolve(&arguments));
    }
    assert!(rig.path().join("in/resolved/sub/b.yaml").exists());
    assert!(!rig.path().join("in/resolved/resolved").exists());
    assert!(!rig.path().join("in/resolved/.git").exists());
    assert!(!rig.path().join("in/resolved/construct-metadata.json").exists());
    rig.write("d.yaml", "%YAML 1.1\n---\nd: 1\n");
    let joined = accepted(rig.resolve(&["-f", "in/sub/b.yaml", "d.yaml"]));
    assert_eq!(joined, "b: 1\n...\n%YAML 1.1\n---\nd: 1\n");
    assert!(accepted(resolve(&rig, &joined, &[])).ends_with("d: 1\n"));
}

#[test]
fn a_place_in_a_long_text_is_shown_where_it_is() {
    let rig = rig();
    let text = "kind: ConfigMap\ndata:\n  run.sh: |\n    echo one\n    echo ${tf:s/output.nope}\n";
    let output = resolve(&rig, text, &[]);
    refused(&output);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("manifest.yaml:5:10"), "{said}");
}
