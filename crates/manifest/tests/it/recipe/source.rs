//! Sources of modules as users type them.

use hangar_manifest::recipe::source::{SourceKind, parse};
use proptest::prelude::*;

#[test]
fn every_form_is_known() {
    let registry = |host: Option<&str>| SourceKind::Registry { host: host.map(str::to_owned) };
    for (text, kind) in [
        ("./module", SourceKind::Local),
        ("..", SourceKind::Local),
        ("/srv/modules/redis", SourceKind::Local),
        ("git::https://example.com/repo.git//sub?ref=v1", SourceKind::Git),
        ("git::ssh://git@example.com/repo.git", SourceKind::Git),
        ("git@github.com:owner/repo.git", SourceKind::Git),
        ("github.com/owner/repo//sub?ref=v1", SourceKind::Git),
        ("terraform-aws-modules/vpc/aws", registry(None)),
        ("terraform-aws-modules/vpc/aws//modules/endpoints", registry(None)),
        ("app.terraform.io/corp/vpc/aws", registry(Some("app.terraform.io"))),
        ("localhost:8080/corp/vpc/aws", registry(Some("localhost:8080"))),
        ("https://example.com/module.zip", SourceKind::Http),
        ("http://127.0.0.1:1/module.zip", SourceKind::Http),
        ("s3::https://s3.amazonaws.com/bucket/module.zip", SourceKind::S3),
        ("gcs::https://www.googleapis.com/storage/v1/b/m.zip", SourceKind::Gcs),
        ("hg::http://example.com/repo", SourceKind::Mercurial),
    ] {
        let source = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(source.kind, kind, "{text}");
        assert_eq!(source.expose(), text);
        assert_eq!(source.to_string(), text);
        assert!(!source.has_credentials(), "{text}");
    }
}

#[test]
fn mistakes_say_what_to_do() {
    for (text, version, told) in [
        (" ", None, "the source is empty"),
        (
            "terraform-aws-modules/rds/aws:6.1.0",
            None,
            "`terraform-aws-modules/rds/aws:6.1.0` contains a version; use `terraform-aws-modules/rds/aws` \
             with `--version 6.1.0`",
        ),
        (
            "a.example/corp/rds/aws?version=1//sub",
            None,
            "`a.example/corp/rds/aws?version=1//sub` contains a version; use `a.example/corp/rds/aws//sub` \
             with `--version 1`",
        ),
        (
            "./module",
            Some("1.0"),
            "`--version` applies only to registry modules, and `./module` is not one",
        ),
        (
            "git::https://u:hunter2@h/r.git",
            Some("1.0"),
            "`--version` applies only to registry modules, and `git::https://***@h/r.git` is not one (set the \
             revision with `?ref=` in the source)",
        ),
    ] {
        assert_eq!(parse(text, version).unwrap_err().to_string(), told);
    }
    for text in [
        "module",
        "a/b",
        "a/b/c/d/e",
        "ftp://x/y",
        "git::",
        "https://",
        "github.com/x",
        "a/b/c//",
        "x\ny",
    ] {
        assert!(parse(text, None).is_err(), "{text}");
    }
}

#[test]
fn credentials_are_not_shown() {
    for (text, shown) in [
        ("https://user:hunter2@example.com/m.zip", "https://***@example.com/m.zip"),
        (
            "git::https://hunter2@example.com/r.git//s?ref=v1",
            "git::https://***@example.com/r.git//s?ref=v1",
        ),
        ("git::https://a:hunter@2@example.com/r.git", "git::https://***@example.com/r.git"),
        (
            "https://example.com/m.zip?archive=zip&token=hunter2",
            "https://example.com/m.zip?archive=zip&token=***",
        ),
        ("https://h/m.zip?X-Amz-Signature=hunter2&x=1", "https://h/m.zip?X-Amz-Signature=***&x=1"),
        (
            "s3::https://b/m.zip?aws_access_key_secret=hunter2",
            "s3::https://b/m.zip?aws_access_key_secret=***",
        ),
        ("git::ssh://git:hunter2@example.com/r.git", "git::ssh://***@example.com/r.git"),
        ("git::user:hunter2@example.com:r.git", "git::***@example.com:r.git"),
        ("git::ssh://git@example.com/r?sshkey=hunter2", "git::ssh://git@example.com/r?sshkey=***"),
    ] {
        let source = parse(text, None).unwrap();
        assert_eq!(source.to_string(), shown);
        assert_eq!(source.expose(), text);
        assert!(source.has_credentials());
        assert!(!format!("{source:?}").contains("hunter"));
    }
}

#[test]
fn a_version_goes_with_a_registry() {
    assert_eq!(parse("a/b/c", Some(" ~> 1.0 ")).unwrap().version(), Some("~> 1.0"));
    assert_eq!(parse("a/b/c", Some("")).unwrap().version(), None);
}

proptest! {
    #[test]
    fn any_text_is_a_source_or_a_mistake(text in "[a-z:/@.?&=# -]{0,40}|\\PC{0,30}") {
        match parse(&text, None) {
            Ok(source) => prop_assert_eq!(source.expose(), text.trim()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_password_is_never_shown(password in "[A-Za-z0-9:@%._~-]{6,20}") {
        let source = parse(&format!("git::https://me:{password}@example.com/r.git"), None).unwrap();
        prop_assert_eq!(source.to_string(), "git::https://***@example.com/r.git");
    }
}
