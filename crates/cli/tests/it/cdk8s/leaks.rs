//! Nothing that a command writes or prints is left with references or tokens if it ends well.

use super::app::{App, has_python};
use crate::resolve::bench::Said;
use crate::resolve::rig::Rig;

/// The line that the hook writes for an app without files.
const APP: &str =
    r#"echo '{"outdir":"/nowhere","manifests":[],"audit":null}' >>"$HANGAR_SYNTHESIZED""#;
const RETURNED: &str = r#"echo '{"outdir":"/nowhere","manifests":[],"audit":null,"returned":"references"}' >>"$HANGAR_SYNTHESIZED""#;

const REFERENCE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: ${cfn:S/B#Ref}\n";
const TOKENS: [&str; 3] =
    ["x-${Token[TOKEN.3]}", "${TfToken[TOKEN.3]}", "-1.8881545897087503e+289"];

fn shell(rig: &Rig, flags: &[&str], script: &str) -> Said {
    let script = format!("{APP}\n{script}");
    rig.run(&[&["run"], flags, &["--", "sh", "-c", &script]].concat()).into()
}

fn with_token(token: &str) -> String {
    REFERENCE.replace("${cfn:S/B#Ref}", token)
}

#[test]
fn a_text_that_an_app_gets_from_cdk8s_has_values_wherever_it_is_written() {
    let test = "a_text_that_an_app_gets_from_cdk8s_has_values_wherever_it_is_written";
    let Some(app) = App::own(test) else { return };
    app.synthesize(&[], &["node", "app.js"]);
    let deployed = app.deploy("cdk.out");
    let bucket = super::app::physical(&deployed, "Storage", "Bucket");
    app.edit("app.js", |text| {
        format!("{text}require('fs').writeFileSync('all.yaml', manifests.synthYaml());\n")
    });
    let lock = ["--resolve", "--aws", app.rig.url(), "--lock", "values.lock"];
    app.synthesize(&lock, &["node", "app.js"]);
    let written = app.read("all.yaml");
    assert!(written.contains(&format!("  storage: {bucket}\n")), "{written}");
    assert!(!written.contains("${cfn:"), "{written}");
    // The lock has the values of the files and of the text.
    app.rig.forget_calls();
    app.edit("app.js", |text| text.replace("manifests.synth();", ""));
    app.synthesize(&["--resolve", "--offline", "--lock", "values.lock"], &["node", "app.js"]);
    assert_eq!(app.read("all.yaml"), written);
    assert!(app.rig.calls().is_empty());
    // Without the stacks it is an error, and nothing is written.
    std::fs::remove_file(app.path("all.yaml")).unwrap();
    let empty = Rig::new();
    let said = app.run(&["--resolve", "--aws", empty.url()], &["node", "app.js"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("stack `Storage` does not exist"), "{}", said.stderr);
    assert!(!app.path("all.yaml").exists());
}

#[test]
fn a_text_that_an_app_in_python_gets_has_values_and_its_tokens_are_found_in_files() {
    let test = "a_text_that_an_app_in_python_gets_has_values_and_its_tokens_are_found_in_files";
    let Some(app) = App::example(test, "python").filter(|_| has_python(test)) else { return };
    let python = ["python3", "main.py"];
    app.synthesize(&[], &python);
    app.deploy("cdk.out");
    let main = app.read("main.py");
    let ending = |last: &str| {
        std::fs::write(app.path("main.py"), main.replace("k8s_app.synth()", last)).unwrap();
    };
    ending("open('all.yaml', 'w').write(k8s_app.synth_yaml())");
    app.synthesize(&["--resolve", "--aws", app.rig.url()], &python);
    let written = app.read("all.yaml");
    assert!(written.contains("value: aws-bucket") && !written.contains("${"), "{written}");
    ending("open('all.yaml', 'w').write(k8s.Yaml.stringify(*manifest.to_json()))");
    let said = app.run(&[], &python);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stderr.contains("at: CronJob manifest-cronjob-c86481e8"), "{}", said.stderr);
    assert!(said.stderr.contains("all.yaml:"), "{}", said.stderr);
    ending("print(k8s.Yaml.stringify(*manifest.to_json()))");
    let said = app.run(&[], &python);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{}", said.stderr);
    assert!(said.stderr.contains("at: CronJob manifest-cronjob-c86481e8"), "{}", said.stderr);
}

#[test]
fn a_copy_of_a_manifest_is_not_left_with_references() {
    let rig = Rig::new();
    rig.write("old.yaml", REFERENCE);
    let flags = ["--resolve", "--aws", rig.url()];
    let said = shell(&rig, &flags, "mkdir k8s && cp old.yaml k8s/copy.yaml");
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    for part in
        ["error[CLI0038]: `k8s/copy.yaml` contains references", "k8s/copy.yaml:6:6", "--eager"]
    {
        assert!(said.stderr.contains(part), "no `{part}` in:\n{}", said.stderr);
    }
    // Without --resolve, references are what is asked for.
    assert_eq!(shell(&rig, &[], "cp old.yaml k8s/copy.yaml").code, Some(0));
    // What the command did not change is not looked at.
    assert_eq!(shell(&rig, &flags, "true").code, Some(0));
}

#[test]
fn references_that_an_app_got_and_did_not_print_are_an_error() {
    let rig = Rig::new();
    let said = shell(&rig, &["--resolve", "--aws", rig.url()], RETURNED);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(
        said.stderr.contains("error[CLI0038]: the app got references as text"),
        "{}",
        said.stderr
    );
    assert_eq!(shell(&rig, &[], RETURNED).code, Some(0));
}

#[test]
fn raw_tokens_do_not_leave_by_files_or_by_standard_output() {
    let rig = Rig::new();
    for token in TOKENS {
        rig.write("source.txt", with_token(token));
        for flags in [&[][..], &["--resolve", "--aws", rig.url()], &["--eager"]] {
            for script in
                ["cat source.txt", "echo started; cat source.txt", "cat source.txt; echo done: ["]
            {
                let said = shell(&rig, flags, script);
                assert_eq!(said.code, Some(1), "{flags:?} {script} {token}: {}", said.stderr);
                assert!(!said.stdout.contains("apiVersion"), "{flags:?} {script}: {}", said.stdout);
                let is_told = said.stderr.contains("REF0015") || said.stderr.contains("YAML");
                assert!(is_told && said.stderr.contains("hint: "), "{script}: {}", said.stderr);
            }
            let said = shell(&rig, flags, "cat source.txt");
            assert!(said.stderr.contains("ConfigMap a, /data/b: `"), "{flags:?}: {}", said.stderr);
            assert!(said.stderr.contains("stdout.yaml:6:6"), "{flags:?}: {}", said.stderr);
            let said = shell(&rig, flags, "cp source.txt copy.yml");
            assert_eq!(said.code, Some(1), "{flags:?} {token}: {}", said.stderr);
            assert!(
                said.stderr.contains("error[REF0015]: ConfigMap a, /data/b: `"),
                "{}",
                said.stderr
            );
            assert!(said.stderr.contains("copy.yml:6:6"), "{}", said.stderr);
            std::fs::remove_file(rig.path().join("copy.yml")).unwrap();
        }
    }
    // Unless they are wanted.
    let wanted = ["--eager", "--allow-unresolved"];
    rig.write("source.txt", with_token(TOKENS[0]));
    let said = shell(&rig, &wanted, "cat source.txt; cp source.txt copy.yml");
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), &*with_token(TOKENS[0])));
    std::fs::remove_file(rig.path().join("copy.yml")).unwrap();
    // A log may name a token, and what has none is printed as it is.
    let log = "bucket: ${Token[TOKEN.3]}\n";
    rig.write("source.txt", log);
    assert_eq!(shell(&rig, &[], "cat source.txt").stdout, log);
    rig.write("source.txt", REFERENCE);
    assert_eq!(
        shell(&rig, &[], "cat source.txt; echo done: [").stdout,
        format!("{REFERENCE}done: [\n")
    );
}

#[test]
fn an_app_that_prints_tokens_by_itself_is_refused() {
    let Some(app) = App::own("an_app_that_prints_tokens_by_itself_is_refused") else { return };
    app.edit("app.js", |text| {
        format!("{text}console.log(k8s.Yaml.stringify(...manifests.charts[0].toJson()));\n")
    });
    let said = app.run(&[], &["node", "app.js"]);
    assert_eq!(
        (said.code, said.stdout.contains("apiVersion")),
        (Some(1), false),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("hangar: the text is not printed because"), "{}", said.stderr);
    assert!(said.stderr.contains("ConfigMap names-map"), "{}", said.stderr);
}
