//! Where two templates differ: the first places, as pointers, with what is there.

use serde_json::Value;

use super::expression::{is_same, is_same_type, parse};

/// One place where two documents differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) pointer: String,
    pub(super) wanted: Option<String>,
    pub(super) got: Option<String>,
}

/// All places where two templates differ. Who wrote them does not count, nor does the order of members, nor how
/// an expression is spelled.
pub(super) fn differences(wanted: &Value, got: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(wanted), Some(got), &mut found);
    found
}

// serde_json does not read documents that are nested too deep to recurse into.
fn compare(
    pointer: &str,
    wanted: Option<&Value>,
    got: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (wanted, got) {
        (Some(Value::Object(wanted)), Some(Value::Object(got))) => {
            let mut names: Vec<&String> = wanted.keys().chain(got.keys()).collect();
            names.sort();
            names.dedup();
            for name in names.into_iter().filter(|it| *it != "_generator") {
                let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                compare(&pointer, wanted.get(name), got.get(name), found);
            }
        }
        (Some(Value::Array(wanted)), Some(Value::Array(got))) => {
            for at in 0..wanted.len().max(got.len()) {
                compare(&format!("{pointer}/{at}"), wanted.get(at), got.get(at), found);
            }
        }
        (Some(Value::String(wanted)), Some(Value::String(got)))
            if same_text(wanted, got)
                || pointer.ends_with("/type") && is_same_type(wanted, got) => {}
        (wanted, got) if wanted == got => {}
        (wanted, got) => found.push(Difference {
            pointer: pointer.to_owned(),
            wanted: wanted.map(Value::to_string),
            got: got.map(Value::to_string),
        }),
    }
}

fn same_text(wanted: &str, got: &str) -> bool {
    wanted == got
        || parse(wanted).zip(parse(got)).is_some_and(|(wanted, got)| is_same(&wanted, &got))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn order_spelling_and_generator_do_not_count() {
        let wanted = json!({"a": "[concat('x','y')]", "metadata": {"_generator": 1}, "b": [1]});
        let got = json!({"b": [1], "metadata": {"_generator": 2}, "a": "[concat('x', 'y')]"});
        assert_eq!(differences(&wanted, &got), []);
    }

    #[test]
    fn the_case_of_a_type_does_not_count() {
        let wanted = json!({"type": "Microsoft.Web/sites", "id": "[resourceId('Microsoft.Web/sites', 'a')]"});
        let got = json!({"type": "microsoft.web/sites", "id": "[resourceId('microsoft.web/sites', 'a')]"});
        assert_eq!(differences(&wanted, &got), []);
        let got = json!({"type": "microsoft.web/sites", "id": "[resourceId('microsoft.web/sites', 'A')]"});
        assert_eq!(differences(&wanted, &got).len(), 1);
    }

    #[test]
    fn each_place_is_told() {
        let found = differences(&json!({"a/b": [1, 2], "c": 1}), &json!({"a/b": [1, 3], "d": 1}));
        let places: Vec<_> = found.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(places, ["/a~1b/1", "/c", "/d"]);
    }
}
