//! The apps of `examples/cdk8s`, which are those of the seed: a bucket that nobody named, and a `CronJob` that needs its name.

use serde_json::Value;

use super::app::{App, has_python, variables};

/// The one bucket that the simulator has, by its own account and not by a stack's.
fn bucket(app: &App) -> String {
    let mut all = app.rig.resources();
    all.retain(|(kind, ..)| kind == "AWS::S3::Bucket");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1
}

#[test]
fn a_cron_job_gets_the_name_of_a_bucket_that_nobody_named() {
    let test = "a_cron_job_gets_the_name_of_a_bucket_that_nobody_named";
    let Some(app) = App::example(test, "aws") else { return };
    let said = app.synthesize(&[], &["npx", "cdk8s", "synth"]);
    assert!(said.stdout.contains("Synthesizing application"), "{}", said.stdout);
    let written = variables(&app.objects("dist"));
    assert_eq!(written["BUCKET_NAME"], "${cfn:aws/Bucket83908E77#Ref}");

    let refused = app.resolve("dist", "resolved");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("`aws`"), "{}", refused.stderr);
    assert!(app.files("resolved").is_empty());

    app.deploy("cdk.out");
    let name = bucket(&app);
    assert!(name.starts_with("aws-bucket83908e77-"), "{name}");
    let values = variables(&app.resolved("dist", "resolved"));
    assert_eq!(values["BUCKET_NAME"], name);
    assert_eq!(values["OUTPUT_VALUE"], name, "an output's value is the same thing");

    // And without the output.
    app.edit("main.ts", |text| {
        let is_of_output =
            |line: &&str| line.contains("CfnOutput") || line.contains("output.value");
        let kept: Vec<&str> = text.lines().filter(|line| !is_of_output(line)).collect();
        kept.join("\n")
    });
    app.synthesize(&[], &["node_modules/.bin/tsx", "main.ts"]);
    let deployed = app.deploy("cdk.out");
    assert_eq!(deployed["stacks"][0]["outputs"].as_object().map_or(0, serde_json::Map::len), 0);
    let values = variables(&app.resolved("dist", "without"));
    assert_eq!(values["BUCKET_NAME"], name);
    assert!(!values.contains_key("OUTPUT_VALUE"));
}

#[test]
fn an_app_in_python_and_the_same_in_typescript_write_the_same_manifests() {
    let test = "an_app_in_python_and_the_same_in_typescript_write_the_same_manifests";
    let Some(python) = App::example(test, "python").filter(|_| has_python(test)) else { return };
    python.synthesize(&[], &["python3", "main.py"]);
    let Some(script) = App::example(test, "aws") else { return };
    script.synthesize(&[], &["node_modules/.bin/tsx", "main.ts"]);
    assert_eq!(python.files("dist"), script.files("dist"));

    python.deploy("cdk.out");
    let name = bucket(&python);
    let values = variables(&python.resolved("dist", "resolved"));
    assert_eq!(
        (&values["BUCKET_NAME"], &values["OUTPUT_VALUE"]),
        (&name.clone().into(), &name.clone().into())
    );
    python.synthesize(&["--resolve", "--aws", python.rig.url()], &["python3", "main.py"]);
    assert_eq!(python.files("dist"), python.files("resolved"));
}

#[test]
fn the_examples_name_the_versions_that_are_tried_here() {
    let read = |part: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        std::fs::read_to_string(format!("{root}/{part}")).unwrap()
    };
    let json = |part: &str| serde_json::from_str::<Value>(&read(part)).unwrap();
    let tried = json("npm/package.json")["devDependencies"].clone();
    // The package itself, and a provider that is too large to install for a test.
    let others = ["hangar-cdk8s", "@cdktf/provider-aws"];
    for example in ["aws", "cdktf", "aws-resolver", "cdktf-resolver"] {
        let package = json(&format!("examples/cdk8s/{example}/package.json"));
        for kind in ["dependencies", "devDependencies"] {
            let packages = package[kind].as_object().unwrap().iter();
            for (name, version) in packages.filter(|(name, _)| !others.contains(&name.as_str())) {
                assert_eq!(*version, tried[name], "{example}: {name}");
            }
        }
    }
    let tried = read("xtask/requirements.txt");
    for example in ["python", "aws-resolver", "cdktf-resolver"] {
        for wanted in read(&format!("examples/cdk8s/{example}/requirements.txt")).lines() {
            assert!(tried.lines().any(|it| it == wanted), "{example}: {wanted}");
        }
    }
}
