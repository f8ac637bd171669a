//! What is taken as a credential and what is not.

use super::*;

const ROLE: &str = "arn:aws:iam::123456789012:role/deploy";

fn key(id: &str, secret: &str, token: Option<&str>) -> AccessKey {
    AccessKey {
        access_key_id: id.to_owned(),
        secret_access_key: SecretText::new(secret),
        session_token: token.map(SecretText::new),
    }
}

fn web(role_arn: &str, session_name: Option<&str>, token_file: &str) -> Credential {
    let (role_arn, token_file) = (role_arn.to_owned(), token_file.into());
    Credential::WebIdentity { role_arn, token_file, session_name: session_name.map(str::to_owned) }
}

fn assume(external_id: Option<&str>, source: Option<AccessKey>) -> Credential {
    Credential::AssumeRole {
        role_arn: ROLE.to_owned(),
        external_id: external_id.map(str::to_owned),
        session_name: None,
        source,
    }
}

#[test]
fn a_role_is_an_arn_of_iam_with_an_account_and_a_name() {
    for (text, account) in [
        (ROLE, "123456789012"),
        ("arn:aws-cn:iam::000000000042:role/team/a/deploy", "000000000042"),
        ("arn:aws-us-gov:iam::123456789012:role/a+=,.@_-b", "123456789012"),
    ] {
        let credential = web(text, None, "/token");
        assert_eq!(credential.check(), Ok(()), "{text}");
        assert_eq!(credential.role_account().as_deref(), Some(account));
    }
    for text in ["", "deploy", "arn:aws:iam::42:role/deploy", "arn:aws:iam::123456789012:user/me"] {
        let credential = web(text, None, "/token");
        assert_eq!(credential.check(), Err(CredentialError::RoleArn(text.to_owned())));
        assert_eq!(credential.role_account(), None);
    }
}

#[test]
fn names_and_ids_keep_to_awss_letters_and_lengths() {
    for (text, is_taken) in [
        ("ab", true),
        ("a_+=,.@-Z", true),
        ("a", false),
        ("", false),
        ("a b", false),
        ("a/b", false),
        ("éé", false),
        (&"a".repeat(64), true),
        (&"a".repeat(65), false),
    ] {
        assert_eq!(web(ROLE, Some(text), "/token").check().is_ok(), is_taken, "{text}");
    }
    for (text, is_taken) in [
        ("Unique-Id:1/2", true),
        ("a", false),
        ("a b", false),
        (&"a".repeat(1224), true),
        (&"a".repeat(1225), false),
    ] {
        assert_eq!(assume(Some(text), None).check().is_ok(), is_taken, "{text}");
    }
    assert_eq!(web(ROLE, None, "").check(), Err(CredentialError::TokenFile));
}

#[test]
fn a_key_has_an_id_and_a_secret_wherever_it_stands() {
    for (key, wrong) in [
        (key("AKIAIOSFODNN7EXAMPLE", "wJalr/K7+=", None), None),
        (key("42", "simulator", Some("Fwo+/=")), None),
        (key("", "s", None), Some(CredentialError::AccessKeyId)),
        (key("a-b", "s", None), Some(CredentialError::AccessKeyId)),
        (key(&"a".repeat(129), "s", None), Some(CredentialError::AccessKeyId)),
        (key("a", "", None), Some(CredentialError::SecretAccessKey)),
        (key("a", "s\n", None), Some(CredentialError::SecretAccessKey)),
        (key("a", "s", Some("")), Some(CredentialError::SessionToken)),
        (key("a", "s", Some("a\r\nb: c")), Some(CredentialError::SessionToken)),
    ] {
        let expected = wrong.map_or(Ok(()), Err);
        assert_eq!(Credential::AccessKey(key.clone()).check(), expected);
        assert_eq!(assume(None, Some(key)).check(), expected);
    }
    assert_eq!(assume(None, None).check(), Ok(()));
}

#[test]
fn no_secret_is_shown() {
    let shown = format!(
        "{:?} {:?}",
        assume(None, Some(key("id", "hunter2", Some("tok-en")))),
        Chosen {
            credential: Credential::AccessKey(key("id", "hunter2", None)),
            revision: "1".to_owned(),
        }
    );
    assert!(!shown.contains("hunter2") && !shown.contains("tok-en"), "{shown}");
    // What stands in the wrong member may be a secret.
    for wrong in [key("hunter 2", "s", None), key("a", "hunter 2", None), key("a", "s", Some("é"))]
    {
        let error = Credential::AccessKey(wrong).check().unwrap_err();
        assert!(!error.to_string().contains("hunter"), "{error}");
    }
}
