//! `secretPaths`: JSON pointers (RFC 6901) to what is secret in a body's `properties`.
//!
//! A pointer that names nothing hides nothing: it is refused, lest a misspelt password be shown.

use hangar_diag::nearest;
use serde_json::{Map, Value};

use super::{Members, Wanted};
use crate::error::{ApiError, Code};

/// Takes `secretPaths` out of a body; each must name something in what is wanted.
pub(super) fn take(
    members: &mut Members,
    wanted: Option<&Wanted>,
) -> Result<Vec<String>, ApiError> {
    let none = Map::new();
    let properties = wanted.map_or(&none, |wanted| &wanted.properties);
    let pointers = members.take_texts(SECRET_PATHS)?;
    for (index, pointer) in pointers.iter().enumerate() {
        check(pointer, properties).map_err(|why| {
            let message = format!("the secret path `{pointer}` {why}");
            ApiError::new(Code::InvalidSecretPath, message)
                .with_target(format!("/{SECRET_PATHS}/{index}"))
        })?;
    }
    Ok(pointers)
}

const SECRET_PATHS: &str = "secretPaths";

/// Says why a pointer cannot be used, never what it points to.
fn check(pointer: &str, properties: &Map<String, Value>) -> Result<(), String> {
    if !is_pointer(pointer) {
        return Err(String::from(
            "is not a JSON pointer into `properties`, such as `/Password`; in a name, write `~` as \
             `~0` and `/` as `~1`",
        ));
    }
    let mut segments = pointer.split('/').skip(1);
    let first = segments.next().unwrap_or_default();
    let mut found = properties.get(&unescaped(first)).ok_or_else(|| {
        let near = near_member("", first, properties);
        near.unwrap_or_else(|| String::from("does not exist in `properties`"))
    })?;
    let mut place = format!("/{first}");
    for segment in segments {
        let below = format!("{place}/{segment}");
        found = found.pointer(&format!("/{segment}")).ok_or_else(|| match found {
            Value::Object(members) => near_member(&place, segment, members)
                .unwrap_or_else(|| format!("does not exist: `{place}` has no such member")),
            Value::Array(items) => {
                format!("does not exist: `{place}` is an array of length {}", items.len())
            }
            _ => format!("does not exist: `{place}` is neither an object nor an array"),
        })?;
        place = below;
    }
    Ok(())
}

/// Whether a text is a pointer to something below the root.
fn is_pointer(text: &str) -> bool {
    let escapes = || text.split('~').skip(1);
    text.starts_with('/') && escapes().all(|rest| rest.starts_with(['0', '1']))
}

fn near_member(place: &str, segment: &str, members: &Map<String, Value>) -> Option<String> {
    let near = nearest(&unescaped(segment), members.keys().map(String::as_str))?;
    let near = near.replace('~', "~0").replace('/', "~1");
    Some(format!("does not exist in `properties`; did you mean `{place}/{near}`?"))
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(pointers: &Value) -> Result<Vec<String>, ApiError> {
        let properties = json!({
            "Password": "canary", "a/b~c": 1, "Deep": {"List": [{"Key": "canary"}], "Null": null},
        });
        let mut members =
            Members::of(json!({"properties": properties, "secretPaths": pointers})).unwrap();
        let wanted = Wanted::take(&mut members)?;
        take(&mut members, wanted.as_ref())
    }

    #[test]
    fn a_secret_path_names_something_in_the_properties() {
        let right = ["/Password", "/a~1b~0c", "/Deep", "/Deep/List/0/Key", "/Deep/Null"];
        assert_eq!(taken(&json!(right)).unwrap(), right);
        assert!(taken(&json!([])).unwrap().is_empty());
    }

    #[test]
    fn a_secret_path_that_names_nothing_is_refused_with_the_nearest_member() {
        for (pointer, expected) in [
            ("/Pasword", "did you mean `/Password`?"),
            ("/a~1b~0d", "did you mean `/a~1b~0c`?"),
            ("/Deep/Lists/0/Key", "did you mean `/Deep/List`?"),
            ("/Deep/List/0/Kez", "did you mean `/Deep/List/0/Key`?"),
            ("/Unlike", "does not exist in `properties`"),
            ("/Deep/Unlike", "`/Deep` has no such member"),
            ("/Deep/List/1", "`/Deep/List` is an array of length 1"),
            ("/Deep/List/00", "`/Deep/List` is an array of length 1"),
            ("/Deep/List/-", "`/Deep/List` is an array of length 1"),
            ("/Password/x", "`/Password` is neither an object nor an array"),
            ("/", "does not exist in `properties`"),
        ] {
            let error = taken(&json!(["/Password", pointer])).unwrap_err();
            let said = (error.code(), error.status().as_u16());
            assert_eq!(said, ("InvalidSecretPath", 400), "{pointer}");
            assert!(error.message().starts_with(&format!("the secret path `{pointer}` ")));
            assert!(error.message().ends_with(expected), "{pointer}: {}", error.message());
            assert!(!error.body().to_string().contains("canary"));
            assert_eq!(error.value()["target"], "/secretPaths/1");
        }
    }

    #[test]
    fn a_secret_path_is_an_rfc_6901_pointer() {
        for pointer in ["", "Password", "/a~2", "/a~", "#/Password", "/a~1b~"] {
            let error = taken(&json!([pointer])).unwrap_err();
            assert_eq!(error.code(), "InvalidSecretPath", "{pointer}");
            assert!(error.message().contains("is not a JSON pointer"), "{pointer}");
        }
        for pointers in [json!("/Password"), json!([1]), json!([null])] {
            let error = taken(&pointers).unwrap_err();
            assert_eq!(error.code(), "InvalidRequestContent", "{pointers}");
        }
    }

    #[test]
    fn without_properties_there_is_nothing_to_hide() {
        let mut members = Members::of(json!({"secretPaths": ["/Password"]})).unwrap();
        assert_eq!(take(&mut members, None).unwrap_err().code(), "InvalidSecretPath");
    }
}
