//! `hangar resolve` inside of kubectl, Helm, kustomize and Argo CD: what each of them hands on, and that
//! nothing is handed on where resolving fails.

use serde_json::{Value, json};

use super::bench::{Bench, Said, Tool};
use crate::fake_api::{Answer, FakeApi, Received};

/// A manifest that can be resolved, and one that cannot.
const GOOD: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  b: ${cfn:Storage/Bucket}\n";
const BAD: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  b: ${cfn:Nowhere/Bucket}\n";

/// A `kubectl` that tells what it was given.
const ECHO: &str =
    "#!/bin/sh\nfor it in \"$@\"; do printf '[%s]' \"$it\"; done\necho\ncat\nexit 7\n";

#[track_caller]
fn assert_told(said: &Said, code: i32) {
    assert_eq!(said.code, Some(code), "{}\n{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("error[REF0002]"), "{}", said.stderr);
    assert!(said.stderr.contains("stack `Nowhere` does not exist"), "{}", said.stderr);
    assert_eq!(said.stdout, "");
}

fn with_manifests() -> Bench {
    let bench = Bench::deployed();
    bench.write("good.yaml", GOOD);
    bench.write("bad.yaml", BAD);
    bench
}

#[test]
fn kubectl_gets_its_own_arguments_and_resolved_manifests_and_its_exit_code_counts() {
    let bench = with_manifests();
    bench.script("kubectl", ECHO);
    let bucket = bench.bucket();
    let resolved = GOOD.replace("${cfn:Storage/Bucket}", &bucket);
    for files in [
        "-f good.yaml",
        "-fgood.yaml",
        "-f=good.yaml",
        "--filename good.yaml",
        "--filename=good.yaml",
    ] {
        let said = Said::from(bench.sh(&format!("kubectl-hangar apply {files}")));
        assert_eq!(said.stdout, format!("[apply][-f][-]\n{resolved}"), "{files}");
        assert_eq!(said.code, Some(7));
    }
    // Blanks, quotes and what a shell would expand stay as they are.
    let odd =
        r#"kubectl-hangar annotate --local -f good.yaml "a=it's \"so\"" 'b=$HOME *' '' -n 'x y'"#;
    let said = Said::from(bench.sh(odd));
    let first = said.stdout.lines().next().unwrap();
    assert_eq!(first, r#"[annotate][--local][a=it's "so"][b=$HOME *][][-n][x y][-f][-]"#);
}

#[test]
fn flags_behind_two_dashes_are_for_resolve() {
    let bench = with_manifests();
    bench.script("kubectl", ECHO);
    bench.write("it's a lock", r#"{"version": 1, "values": {"${cfn:Nowhere/Bucket}": "kept"}}"#);
    let offline = r#"kubectl-hangar apply -f bad.yaml -n shop -- --offline --lock "it's a lock""#;
    let said = Said::from(bench.sh(offline));
    let resolved = BAD.replace("${cfn:Nowhere/Bucket}", "kept");
    assert_eq!(said.stdout, format!("[apply][-n][shop][-f][-]\n{resolved}"), "{}", said.stderr);
}

#[test]
fn manifests_may_come_from_standard_input_and_from_directories() {
    let bench = with_manifests();
    bench.script("kubectl", ECHO);
    let bucket = bench.bucket();
    let piped = Said::from(bench.sh("cat good.yaml | kubectl-hangar apply -f -"));
    assert!(piped.stdout.contains(&format!("b: {bucket}")), "{}{}", piped.stdout, piped.stderr);
    bench.write("k8s/one.yaml", GOOD);
    bench.write("k8s/deep/two.yaml", &GOOD.replace("name: a", "name: deep"));
    let flat = Said::from(bench.sh("kubectl-hangar diff -f k8s"));
    assert!(!flat.stdout.contains("deep"), "{}", flat.stdout);
    let all = Said::from(bench.sh("kubectl-hangar diff -R -f k8s"));
    assert!(all.stdout.contains("deep"), "{}", all.stdout);
}

#[test]
fn where_resolving_fails_kubectl_is_not_run() {
    let bench = with_manifests();
    bench.script("kubectl", "#!/bin/sh\necho \"$@\" >>was-run\n");
    for (command, code) in [("apply", 1), ("create", 1), ("delete", 1), ("diff", 2)] {
        let script = format!("kubectl-hangar {command} -f good.yaml -f bad.yaml");
        assert_told(&Said::from(bench.sh(&script)), code);
    }
    let none = Said::from(bench.sh("kubectl-hangar apply -n shop"));
    assert_eq!(none.code, Some(1));
    assert!(
        none.stderr.starts_with("error: no manifests were passed: use -f FILE"),
        "{}",
        none.stderr
    );
    let missing = Said::from(bench.sh("kubectl-hangar apply -f missing.yaml"));
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("missing.yaml"), "{}", missing.stderr);
    assert!(!bench.path("was-run").exists());
}

#[test]
fn the_plugin_of_kubectl_explains_itself_and_resolves_alone() {
    let bench = with_manifests();
    let help = Said::from(bench.sh("kubectl-hangar --help"));
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("Examples:"));
    let alone = Said::from(bench.sh("kubectl-hangar resolve -f good.yaml"));
    assert_eq!(alone.stdout, GOOD.replace("${cfn:Storage/Bucket}", &bench.bucket()));
}

/// As much of an API server as `kubectl create` and `kubectl apply` ask for.
fn api_server(received: &Received, _: usize) -> Answer {
    let (status, body) = match (received.method.as_str(), received.path.as_str()) {
        ("GET", "/api") => (200, json!({"kind": "APIVersions", "versions": ["v1"]})),
        ("GET", "/apis") => {
            (200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}))
        }
        ("GET", "/api/v1") => {
            let resource = json!({"name": "configmaps", "singularName": "configmap", "namespaced": true,
                                  "kind": "ConfigMap", "verbs": ["create", "get", "patch"]});
            (200, json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [resource]}))
        }
        ("POST", _) => (201, received.body.clone()),
        _ => (
            404,
            json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                          "reason": "NotFound", "message": "not found"}),
        ),
    };
    let headers = vec![("content-type", "application/json".to_owned())];
    Answer::Json { status, headers, body }
}

#[test]
fn a_server_gets_resolved_objects_from_kubectl_or_none() {
    let bench = with_manifests();
    if !Tool::Kubectl.put_into(&bench, "a_server_gets_resolved_objects_from_kubectl_or_none") {
        return;
    }
    let bucket = bench.bucket();
    for command in ["create", "apply"] {
        let server = FakeApi::start(api_server);
        let kubectl =
            |file: &str| {
                let url = server.url();
                Said::from(bench.sh(&format!(
                    "kubectl hangar {command} --server {url} --validate=false -f {file}"
                )))
            };
        assert_told(&kubectl("bad.yaml"), 1);
        assert_eq!(server.lines(), [""; 0]);
        let said = kubectl("good.yaml");
        assert_eq!(said.stdout, "configmap/a created\n", "{}", said.stderr);
        let all = server.received();
        let posts: Vec<&Value> =
            all.iter().filter(|it| it.method == "POST").map(|it| &it.body["data"]["b"]).collect();
        assert_eq!(posts, [&json!(bucket)]);
    }
}

#[test]
fn helm_fails_where_resolving_fails_and_says_why() {
    const TEST: &str = "helm_fails_where_resolving_fails_and_says_why";
    let template = "helm template demo examples/references/chart --set queue='${cfn:Nowhere/Q}'";
    let bench = Bench::deployed();
    if Tool::Helm3.put_into(&bench, TEST) {
        let post = "--post-renderer hangar --post-renderer-args resolve";
        assert_told(&Said::from(bench.sh(&format!("{template} {post}"))), 1);
    }
    let bench = Bench::deployed();
    if Tool::Helm4.put_into(&bench, TEST) {
        let installed = Said::from(bench.sh("helm plugin install integrations/helm4/hangar"));
        assert_eq!(installed.code, Some(0), "{}", installed.stderr);
        assert_told(&Said::from(bench.sh(&format!("{template} --post-renderer hangar"))), 1);
    }
}

#[test]
fn kustomize_fails_where_resolving_fails() {
    let bench = with_manifests();
    if !Tool::Kustomize.put_into(&bench, "kustomize_fails_where_resolving_fails") {
        return;
    }
    let build = "kustomize build --enable-alpha-plugins --enable-exec app";
    let kustomization = "resources: [it.yaml]\ntransformers: [../integrations/kustomize]\n";
    bench.write("app/kustomization.yaml", kustomization);
    bench.write("app/it.yaml", BAD);
    assert_told(&Said::from(bench.sh(build)), 1);
    bench.write("app/it.yaml", GOOD);
    let said = Said::from(bench.sh(build));
    assert!(said.stdout.contains(&format!("b: {}", bench.bucket())), "{}", said.stderr);
}

/// Where kustomize runs its functions, and what older ones run: a program without arguments.
#[test]
fn a_function_finds_the_data_directory_above_the_folder_of_its_kustomization() {
    let bench = with_manifests();
    bench.put_on_path("hangar-krm", &bench.path("integrations/kustomize/hangar-krm"));
    let found = "cd examples/references && unset HANGAR_DATA_DIR && ";
    for function in ["hangar resolve", "hangar-krm"] {
        let said = Said::from(bench.sh(&format!("{found} {function} <../../good.yaml")));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        assert!(said.stdout.contains(&format!("b: {}", bench.bucket())), "{}", said.stdout);
    }
    assert_told(&Said::from(bench.sh(&format!("{found} hangar-krm <../../bad.yaml"))), 1);
}

/// Helm goes on to write where it was: at the start of the file, whatever was appended meanwhile.
#[test]
fn the_plugin_of_helm_is_not_overwritten_by_helm() {
    let bench = with_manifests();
    if !std::path::Path::new("/proc/self/fd").exists() {
        println!("skipped: the_plugin_of_helm_is_not_overwritten_by_helm (no /proc)");
        return;
    }
    let helm = "sh integrations/helm4/hangar/resolve.sh <bad.yaml; code=$?\n\
                echo 'Error: error while running post render on files: plugin \"hangar\" exited with error' >&2\n\
                exit $code\n";
    bench.write("helm", helm);
    let said = Said::from(bench.sh("sh helm 2>said; code=$?; cat said >&2; exit $code"));
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{}", said.stderr);
    for text in [
        "Error: error while running",
        "\nerror[REF0002]: ",
        "stack `Nowhere` does not exist in account 000000000000",
    ] {
        assert!(said.stderr.contains(text), "no `{text}` in:\n{}", said.stderr);
    }
    let good = "sh integrations/helm4/hangar/resolve.sh <good.yaml";
    let said = Said::from(bench.sh(good));
    assert!(said.stdout.contains(&format!("b: {}", bench.bucket())), "{}", said.stderr);
}

#[test]
fn a_name_that_kustomize_makes_from_content_is_of_the_resolved_content() {
    let bench = Bench::deployed();
    let test = "a_name_that_kustomize_makes_from_content_is_of_the_resolved_content";
    if !Tool::Kustomize.put_into(&bench, test) {
        return;
    }
    let generator = |bucket: &str| {
        format!("configMapGenerator: [{{name: made, literals: [\"bucket={bucket}\"]}}]\n")
    };
    let bucket = bench.bucket();
    bench.write("plain/kustomization.yaml", &generator(&bucket));
    let resolved =
        generator("${cfn:Storage/Bucket}") + "transformers: [../integrations/kustomize]\n";
    bench.write("resolved/kustomization.yaml", &resolved);
    let build = |app: &str| {
        bench.sh(&format!("kustomize build --enable-alpha-plugins --enable-exec {app}"))
    };
    assert_eq!(Said::from(build("resolved")).stdout, Said::from(build("plain")).stdout);
}

/// What kustomize and kpt give a function, and expect back.
#[test]
fn a_resource_list_comes_back_with_the_secrets_rule_of_each_item() {
    let bench = Bench::deployed();
    let list = |value: &str| {
        format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Secret\n  \
             metadata:\n    name: s\n    annotations:\n      internal.config.kubernetes.io/index: '0'\n  data:\n    \
             b: {value}\nfunctionConfig:\n  apiVersion: hangar/v1\n  kind: Resolve\n"
        )
    };
    bench.write("list.yaml", &list("${cfn:Storage/Bucket|base64}"));
    let said = Said::from(bench.sh("hangar resolve <list.yaml"));
    let encoded = Said::from(bench.sh(&format!("printf %s {} | base64", bench.bucket()))).stdout;
    assert_eq!(said.stdout, list(encoded.trim()), "{}", said.stderr);
    bench.write("list.yaml", &list("${cfn:Storage/Bucket}"));
    let said = Said::from(bench.sh("hangar resolve <list.yaml"));
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(said.stderr.contains("error[REF0014]: Secret s, /data/b"), "{}", said.stderr);
}

/// A command of Argo CD's plugin: the one argument of its shell.
fn of_plugin(bench: &Bench, under: &str) -> String {
    let text = std::fs::read_to_string(bench.path("integrations/argocd/plugin.yaml")).unwrap();
    let (_, rest) = text.split_once(under).unwrap();
    let (_, rest) = rest.split_once("command: [sh, -c]").unwrap();
    let (_, rest) = rest.split_once("args:\n").unwrap();
    let item = rest.trim_start().strip_prefix("- ").unwrap();
    let (first, block) = item.split_once('\n').unwrap();
    if first != "|" {
        return first.to_owned();
    }
    let indent = block.len() - block.trim_start_matches(' ').len();
    let lines = block.lines().take_while(|line| line.len() - line.trim_start().len() >= indent);
    lines.map(|line| line[indent..].to_owned() + "\n").collect()
}

/// Runs it in the folder of an application, with what Argo CD tells its plugins.
fn by_argo(bench: &Bench, under: &str, app: &str, more: &[(&str, &str)]) -> Said {
    let mut command = bench.command("sh");
    command.args(["-c", &of_plugin(bench, under)]).current_dir(bench.path(app));
    command.env("ARGOCD_APP_NAME", "shop").env("ARGOCD_APP_NAMESPACE", "default");
    command.envs(more.iter().copied());
    Said::from(command.output().unwrap())
}

#[test]
fn argo_discovers_folders_with_references_and_no_others() {
    let bench = Bench::new();
    bench.write("with/deep/it.yaml", GOOD);
    bench.write("without/it.yaml", "a: ${HOME} $(VAR)\n");
    let found = by_argo(&bench, "  discover:", "with", &[]);
    assert_eq!((found.code, found.stdout.trim()), (Some(0), "./deep/it.yaml"));
    let found = by_argo(&bench, "  discover:", "without", &[]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(0), ""));
}

#[test]
fn argo_gets_the_manifests_of_a_folder_or_an_error() {
    let bench = Bench::deployed();
    bench.write("app/deep/it.yaml", GOOD);
    let said = by_argo(&bench, "  generate:", "app", &[]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.stdout, GOOD.replace("${cfn:Storage/Bucket}", &bench.bucket()));
    bench.write("app/bad.yaml", BAD);
    assert_told(&by_argo(&bench, "  generate:", "app", &[]), 1);
    // From a lock nobody is asked, and no argument of another kind gets through.
    bench.write("app/deep/it.yaml", BAD);
    bench
        .write("app/hangar.lock", r#"{"version": 1, "values": {"${cfn:Nowhere/Bucket}": "kept"}}"#);
    let said = by_argo(&bench, "  generate:", "app", &[("ARGOCD_ENV_HANGAR_LOCK", "hangar.lock")]);
    assert_eq!(said.stdout.matches("b: kept").count(), 2, "{}", said.stderr);
    let sly = ("ARGOCD_ENV_HANGAR_LOCK", "hangar.lock --resolver 'touch sly'");
    assert_eq!(by_argo(&bench, "  generate:", "app", &[sly]).code, Some(1));
    assert!(!bench.path("app/sly").exists());
}

#[test]
fn argo_builds_kustomizations_and_charts_before_references_are_resolved() {
    const TEST: &str = "argo_builds_kustomizations_and_charts_before_references_are_resolved";
    let bench = Bench::deployed();
    if Tool::Kustomize.put_into(&bench, TEST) {
        bench.write("app/kustomization.yaml", "resources: [it.yaml]\nnamePrefix: prod-\n");
        bench.write("app/it.yaml", GOOD);
        let said = by_argo(&bench, "  generate:", "app", &[]);
        assert!(said.stdout.contains("name: prod-a"), "{}", said.stderr);
        assert!(said.stdout.contains(&format!("b: {}", bench.bucket())), "{}", said.stdout);
        bench.write("app/kustomization.yaml", "resources: [missing.yaml]\n");
        let said = by_argo(&bench, "  generate:", "app", &[]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    }
    if Tool::Helm3.put_into(&bench, TEST) {
        let said = by_argo(&bench, "  generate:", "examples/references/chart", &[]);
        assert!(said.stdout.contains("name: shop-settings"), "{}", said.stderr);
        assert!(said.stdout.contains(&bench.bucket()), "{}", said.stdout);
    }
}
