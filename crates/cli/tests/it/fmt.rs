//! `hangar fmt`: files written the one way.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{hangar, shown_of};

const ROUGH: &str = "var a={b:1}\nvar  c = a.b+1\n";
const FINE: &str = "var a = { b: 1 }\nvar c = a.b + 1\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn said(folder: &Path, arguments: &[&str]) -> String {
    shown_of(hangar(arguments).current_dir(folder))
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn files_and_folders_are_formatted_in_place_and_those_that_changed_are_named() {
    let folder = folder(&[
        ("a.bicep", ROUGH),
        ("deep/b.bicepparam", "using   'a.bicep'\n"),
        ("deep/fine.bicep", FINE),
        (".git/c.bicep", ROUGH),
        ("node_modules/d.bicep", ROUGH),
        ("deep/notes.txt", ROUGH),
    ]);
    let told = said(folder.path(), &["fmt", "a.bicep", "."]);
    insta::assert_snapshot!(told, @"
    exit: 0
    --- stdout
    a.bicep
    ./deep/b.bicepparam
    2 of 3 files changed
    --- stderr
    ");
    assert_eq!(text(folder.path(), "a.bicep"), FINE);
    assert_eq!(text(folder.path(), "deep/b.bicepparam"), "using 'a.bicep'\n");
    for untouched in [".git/c.bicep", "node_modules/d.bicep", "deep/notes.txt"] {
        assert_eq!(text(folder.path(), untouched), ROUGH, "{untouched}");
    }
    let again = said(folder.path(), &["fmt", ".", "--check"]);
    assert_eq!(again, "exit: 0\n--- stdout\n0 of 3 files would change\n--- stderr\n");
}

#[test]
fn a_check_writes_nothing_and_ends_with_two() {
    let folder = folder(&[("a.bicep", ROUGH)]);
    let told = said(folder.path(), &["fmt", "a.bicep", "--check"]);
    assert_eq!(told, "exit: 2\n--- stdout\na.bicep\n1 of 1 file would change\n--- stderr\n");
    assert_eq!(text(folder.path(), "a.bicep"), ROUGH);
    let output = hangar(&["fmt", "a.bicep", "--check", "-o", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found, json!([{"file": "a.bicep", "changed": true}]));
}

#[test]
fn a_diff_shows_what_would_change_and_writes_nothing() {
    let folder = folder(&[("a.bicep", ROUGH)]);
    insta::assert_snapshot!(said(folder.path(), &["fmt", "a.bicep", "--diff"]), @"
    exit: 0
    --- stdout
    --- a.bicep
    +++ a.bicep
    @@ -1,2 +1,2 @@
    -var a={b:1}
    -var  c = a.b+1
    +var a = { b: 1 }
    +var c = a.b + 1
    --- stderr
    ");
    assert_eq!(text(folder.path(), "a.bicep"), ROUGH);
    let told = said(folder.path(), &["fmt", "a.bicep", "--diff", "--check"]);
    assert!(told.starts_with("exit: 2\n"), "{told}");
}

#[test]
fn a_file_with_a_mistake_is_left_as_it_is_and_the_others_are_not() {
    let bad = "var   a =\n";
    let folder = folder(&[("a.bicep", bad), ("b.bicep", ROUGH)]);
    insta::assert_snapshot!(said(folder.path(), &["fmt", "."]), @"
    exit: 1
    --- stdout
    ./b.bicep
    1 of 1 file changed
    --- stderr
    error[BCP009]: expected an expression here: a literal, a name, `(`, `[` or `{`
     --> ./a.bicep:1:10
      |
    1 | var   a =
      |          ^
    hint: write the value of `a` after the `=`
    ");
    assert_eq!(text(folder.path(), "a.bicep"), bad);
    assert_eq!(text(folder.path(), "b.bicep"), FINE);
}

#[test]
fn standard_input_is_printed_formatted_whichever_of_the_two_it_is() {
    for (given, wanted) in [(ROUGH, FINE), ("using   'a.bicep'\n", "using 'a.bicep'\n")] {
        let mut child =
            hangar(&["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
        assert!(output.status.success());
    }
}

#[test]
fn a_file_keeps_its_byte_order_mark_and_its_line_ends() {
    let folder = folder(&[("a.bicep", "\u{feff}var  a = 1\r\n")]);
    said(folder.path(), &["fmt", "a.bicep"]);
    assert_eq!(text(folder.path(), "a.bicep"), "\u{feff}var a = 1\r\n");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_a_link_stays_one() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = folder(&[("a.bicep", ROUGH)]);
    let file = folder.path().join("a.bicep");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.bicep", folder.path().join("link.bicep")).unwrap();
    said(folder.path(), &["fmt", "link.bicep"]);
    assert_eq!(text(folder.path(), "a.bicep"), FINE);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(folder.path().join("link.bicep")).unwrap().is_symlink());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn what_is_no_template_is_refused_by_name() {
    let folder = folder(&[("a.json", "{}"), ("empty/notes.txt", "")]);
    insta::assert_snapshot!(said(folder.path(), &["fmt", "a.json"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0050]: `a.json` is not a Bicep file
    hint: pass files that end in `.bicep` or `.bicepparam`, or a folder that contains them
    ");
    insta::assert_snapshot!(said(folder.path(), &["fmt", "empty"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0051]: `empty` contains no template
    hint: templates end in `.bicep`, parameter files in `.bicepparam`
    ");
    let missing = said(folder.path(), &["fmt", "b.bicep"]);
    assert!(missing.contains("error[CLI0002]"), "{missing}");
}

#[test]
fn a_file_of_another_tool_is_named_by_its_language() {
    let manifest = "apiVersion: v1\nkind: Pod\n";
    let stack = r#"{"Resources": {"A": {"Type": "AWS::S3::Bucket"}}}"#;
    let arm = r#"{"$schema": "x", "contentVersion": "1.0.0.0", "resources": []}"#;
    let folder = folder(&[("c.yaml", manifest), ("e.json", stack), ("arm.json", arm)]);
    let fmt = said(folder.path(), &["fmt", "c.yaml"]);
    assert!(fmt.contains("error[TMPL0241]: this is a Kubernetes manifest"), "{fmt}");
    let build = said(folder.path(), &["build", "e.json"]);
    assert!(build.contains("error[TMPL0241]: this is a CloudFormation template"), "{build}");
    let build = said(folder.path(), &["build", "arm.json"]);
    assert!(build.contains("`arm.json` is not a Bicep template"), "{build}");
}
