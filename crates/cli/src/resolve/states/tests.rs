//! States of every kind of place, as files and by the real Terraform.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::*;

const STATE: &str =
    r#"{"version": 4, "serial": 1, "lineage": "x", "resources": [], "note": "hush"}"#;

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let app = directory.path().display().to_string();
        fs::write(path, text.replace("<app>", &app)).unwrap();
    }
    directory
}

fn ask(directory: &Path, given: &[&str], variables: &[(&str, &str)]) -> StateAsk {
    let given: Vec<String> = given.iter().map(|it| (*it).to_owned()).collect();
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    StateAsk::new(&given, directory, &Variables::new(variables.iter().map(own))).unwrap()
}

async fn found(name: &str, ask: &StateAsk) -> String {
    match find_state(name, ask).await {
        Ok(Fact::State(text)) => String::from_utf8(text).unwrap(),
        other => panic!("{name}: {other:?}"),
    }
}

async fn missing(name: &str, ask: &StateAsk) -> String {
    match find_state(name, ask).await {
        Err(Trouble::Missing { message, hint }) => format!("{message}\n{hint}"),
        other => panic!("{name}: {other:?}"),
    }
}

async fn failed(name: &str, ask: &StateAsk) -> String {
    match find_state(name, ask).await {
        Err(Trouble::Failed { message, hint }) => {
            format!("{message}\n{}", hint.unwrap_or_default())
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// An app of one stack, which keeps its state as is told.
fn app(terraform: &str, more: &[(&str, &str)]) -> TempDir {
    let manifest = r#"{"version": "0.21.0", "stacks": {"storage": {"name": "storage", "constructPath": "storage",
        "synthesizedStackPath": "stacks/storage/cdk.tf.json", "workingDirectory": "stacks/storage"}}}"#;
    let stack = format!(r#"{{"terraform": {terraform}}}"#);
    let mut files = vec![
        ("cdktf.out/manifest.json", manifest),
        ("cdktf.out/stacks/storage/cdk.tf.json", stack.as_str()),
    ];
    files.extend(more);
    directory(&files)
}

#[tokio::test]
async fn what_was_said_comes_first() {
    let app = app(
        r#"{"backend": {"local": {"path": "<app>/terraform.storage.tfstate"}}}"#,
        &[
            ("terraform.storage.tfstate", "{}"),
            ("other/x.tfstate", STATE),
            ("dir/terraform.tfstate", STATE),
        ],
    );
    assert_eq!(found("storage", &ask(app.path(), &[], &[])).await, "{}");
    for given in ["storage=other/x.tfstate", "storage=dir"] {
        assert_eq!(found("storage", &ask(app.path(), &[given], &[])).await, STATE, "{given}");
    }
    let told = failed("storage", &ask(app.path(), &["storage=nowhere"], &[])).await;
    assert!(told.contains("nowhere`"), "{told}");
}

#[test]
fn what_says_nothing_is_refused() {
    let variables = Variables::default();
    for given in [&["a"][..], &["=b"], &["a="], &["a=b", "a=c"]] {
        let given: Vec<String> = given.iter().map(|it| (*it).to_owned()).collect();
        assert!(StateAsk::new(&given, Path::new("."), &variables).is_err(), "{given:?}");
    }
}

#[tokio::test]
async fn a_stack_keeps_its_state_where_its_backend_says() {
    for (terraform, file) in [
        (
            r#"{"backend": {"local": {"path": "<app>/terraform.storage.tfstate"}}}"#,
            "terraform.storage.tfstate",
        ),
        (
            r#"{"backend": {"local": {"path": "/built/elsewhere/terraform.storage.tfstate"}}}"#,
            "terraform.storage.tfstate",
        ),
        (
            r#"{"backend": {"local": {"path": "own.tfstate"}}}"#,
            "cdktf.out/stacks/storage/own.tfstate",
        ),
        (r#"{"backend": {"local": {"path": "own.tfstate"}}}"#, "own.tfstate"),
        ("{}", "cdktf.out/stacks/storage/terraform.tfstate"),
    ] {
        let app = app(terraform, &[(file, STATE)]);
        assert_eq!(found("storage", &ask(app.path(), &[], &[])).await, STATE, "{terraform} {file}");
    }
}

#[tokio::test]
async fn a_stack_that_was_not_deployed_is_told_with_where_its_state_would_be() {
    let app = app(
        r#"{"backend": {"local": {"path": "<app>/terraform.storage.tfstate"}}}"#,
        &[("storage/terraform.tfstate", STATE)],
    );
    let told = missing("storage", &ask(app.path(), &[], &[])).await;
    assert!(told.contains("terraform.storage.tfstate`"), "{told}");
    assert!(told.contains("Are you sure you deployed the CDKTF stack?"), "{told}");
    let told = missing("compute", &ask(app.path(), &[], &[])).await;
    assert!(
        told.contains("manifest.json (stacks: storage)") && told.contains("compute`"),
        "{told}"
    );
}

#[tokio::test]
async fn an_app_may_be_synthesized_elsewhere() {
    let files = [
        ("cdktf.json", r#"{"output": "gen"}"#),
        (
            "gen/manifest.json",
            r#"{"stacks": {"a": {"name": "a", "synthesizedStackPath": "stacks/a/cdk.tf.json", "workingDirectory": "stacks/a"}}}"#,
        ),
        ("gen/stacks/a/cdk.tf.json", "{}"),
        ("gen/stacks/a/terraform.tfstate", STATE),
    ];
    let app = directory(&files);
    assert_eq!(found("a", &ask(app.path(), &[], &[])).await, STATE);
    assert_eq!(found("gen/stacks/a", &ask(app.path(), &[], &[])).await, STATE);
}

#[tokio::test]
async fn a_manifest_does_not_lead_out_of_its_directory() {
    for path in ["../../etc", "/etc"] {
        let manifest =
            format!(r#"{{"stacks": {{"a": {{"name": "a", "workingDirectory": "{path}"}}}}}}"#);
        let app = directory(&[("cdktf.out/manifest.json", manifest.as_str())]);
        let told = failed("a", &ask(app.path(), &[], &[])).await;
        assert!(told.contains("is outside of"), "{told}");
    }
}

#[tokio::test]
async fn a_path_is_a_file_or_a_directory_and_a_bare_name_only_a_directory() {
    let files = [("infra/terraform.tfstate", STATE), ("x.tfstate", STATE), ("bare", STATE)];
    let here = directory(&files);
    let ask = ask(here.path(), &[], &[]);
    for name in ["infra", "./infra", "infra/terraform.tfstate", "x.tfstate", "./bare"] {
        assert_eq!(found(name, &ask).await, STATE, "{name}");
    }
    for name in ["bare", "", "nothing", "no/thing", "x.tfstate/deeper"] {
        let told = missing(name, &ask).await;
        assert!(!told.contains("hush"), "{told}");
    }
}

#[tokio::test]
async fn the_workspace_of_a_directory_is_looked_into() {
    let files = [
        (".terraform/environment", "prod\n"),
        ("terraform.tfstate", "{}"),
        ("terraform.tfstate.d/prod/terraform.tfstate", STATE),
        ("terraform.tfstate.d/test/terraform.tfstate", "[]"),
    ];
    let here = directory(&files);
    assert_eq!(found("./", &ask(here.path(), &[], &[])).await, STATE);
    assert_eq!(found("./", &ask(here.path(), &[], &[("TF_WORKSPACE", "test")])).await, "[]");
    assert_eq!(found("./", &ask(here.path(), &[], &[("TF_WORKSPACE", "default")])).await, "{}");
}

#[tokio::test]
async fn a_backend_that_nobody_can_fetch_from_is_told() {
    let backend = r#"{"version": 3, "backend": {"type": "s3", "config": {"bucket": "b", "secret_key": "hush"}}}"#;
    let here = directory(&[
        ("infra/.terraform/terraform.tfstate", backend),
        ("infra/terraform.tfstate", STATE),
    ]);
    let told = failed("infra", &ask(here.path(), &[], &[])).await;
    assert!(told.contains("neither `terraform` nor `tofu` is on PATH"), "{told}");
    let app = app(
        r#"{"backend": {"s3": {"bucket": "b", "secret_key": "hush"}}}"#,
        &[("fail", "#!/bin/sh\necho 'Error: no luck' >&2\necho hush >&2\nexit 1\n")],
    );
    let program = app.path().join("fail");
    let mut rights = fs::metadata(&program).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    fs::set_permissions(&program, rights).unwrap();
    let told = failed(
        "storage",
        &ask(app.path(), &[], &[("HANGAR_TERRAFORM", program.to_str().unwrap())]),
    )
    .await;
    assert!(told.contains("failed: no luck") && told.contains("terraform init"), "{told}");
    assert!(!told.contains("hush"), "{told}");
}

#[test]
fn what_is_asked_with_does_not_print_its_environment() {
    let ask = ask(Path::new("."), &["a=b"], &[("AWS_SECRET_ACCESS_KEY", "hush")]);
    assert!(!format!("{ask:?}").contains("hush"));
}

/// An HTTP backend is what `state pull` must be used for; here a local one that Terraform was told of by
/// `init`, in a workspace of its own.
#[tokio::test]
#[allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]
async fn the_real_terraform_fetches_what_it_applied() {
    let path = std::env::var("PATH").unwrap_or_default();
    let configuration = r#"{"resource": {"terraform_data": {"a": {"input": "x"}}}, "terraform": {"backend": {"local": {"path": "kept.tfstate"}}}}"#;
    let here = directory(&[("infra/main.tf.json", configuration)]);
    let infra = here.path().join("infra");
    let terraform = |arguments: &[&str]| {
        let mut process = Command::new("terraform");
        process.args(arguments).current_dir(&infra).env("CHECKPOINT_DISABLE", "1");
        process.output().is_ok_and(|output| output.status.success())
    };
    if !terraform(&["version"]) {
        println!("skipped: the_real_terraform_fetches_what_it_applied (no terraform on PATH)");
        return;
    }
    assert!(terraform(&["init"]) && terraform(&["apply", "-auto-approve"]));
    let ask = ask(here.path(), &[], &[("PATH", path.as_str())]);
    let text = found("infra", &ask).await;
    assert!(text.contains("\"terraform_data\""));
    let mut look = Look { ask: &ask, name: "infra", places: Vec::new() };
    let pulled = pull::pull(&mut look, &infra).await.unwrap().unwrap();
    let serial = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap()["lineage"].clone();
    assert_eq!(serial(&pulled), serial(text.as_bytes()));
}
