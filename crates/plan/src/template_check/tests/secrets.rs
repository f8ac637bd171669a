//! Secrets are in no message, hint or pointer.

use serde_json::{Value as Json, json};

use super::fixture::{problems_with, said_with, thing};

const CANARY: &str = "canary-Fast";

fn secret(property: &str, value: &Json) -> (Vec<String>, String) {
    let text = format!("@secure()\nparam s object\n{}", thing("Thing", property));
    let parameters = json!({"s": {"v": value}});
    let everything = format!("{:?}", problems_with(&text, &parameters));
    (said_with(&text, &parameters), everything)
}

#[test]
fn a_secret_value_is_never_quoted() {
    let cases = [
        ("Name: s.v", json!(CANARY)),
        ("Mode: s.v", json!(CANARY)),
        ("Mode: s.v", json!("fasst-canary")),
        ("When: s.v", json!(CANARY)),
        ("Count: s.v", json!(CANARY)),
        ("Deep: s.v", json!({CANARY: 1, "In": CANARY})),
        ("Deep: { In: s.v, Out: s.v }", json!(CANARY)),
        ("Map: s.v", json!({CANARY: {"canary": 1}})),
        ("List: s.v", json!([CANARY, CANARY])),
        ("Modes: [s.v]", json!(CANARY)),
        ("Either: s.v", json!({CANARY: 1})),
        ("Zebra: s.v", json!(CANARY)),
        ("Secret: s.v", json!([CANARY])),
    ];
    for (property, value) in cases {
        let (said, everything) = secret(property, &value);
        assert!(!said.is_empty(), "{property}");
        assert!(!everything.to_lowercase().contains("canary"), "{property}: {everything}");
    }
}

#[test]
fn what_is_wrong_with_a_secret_is_said_all_the_same() {
    assert_eq!(
        secret("Name: s.v", &json!("toolong")).0,
        [
            "error BCP332 5:7 «s.v» `Name` of AWS.Test/Thing is too long",
            "  write at most 5 characters"
        ]
    );
    assert_eq!(
        secret("Mode: s.v", &json!("fsat")).0,
        [
            "error BCP036 5:7 «s.v» `Mode` of AWS.Test/Thing is a hidden value, which is not allowed",
            "  the allowed values are `'fast'`, `'slow'`, `'a'`, `'b'`, `'c'`, `'d'`, `'e'`, `'f'` \
             and 2 more"
        ]
    );
    assert_eq!(
        secret("Count: s.v", &json!(11)).0,
        [
            "error BCP327 5:8 «s.v» `Count` of AWS.Test/Thing is a hidden value, which is too large",
            "  write a number of at most 10",
            "error TMPL0210 5:8 «s.v» `Count` of AWS.Test/Thing is a hidden value, which is not a multiple of 2",
            "  write a multiple of 2"
        ]
    );
    assert_eq!(
        secret("Deep: s.v", &json!({"Inn": "x"})).0,
        [
            "error BCP035 5:1 «Deep» `Deep` of AWS.Test/Thing lacks the required property `Out`",
            "  add `Out` (an array)",
            "error BCP037 5:7 «s.v» a part of `Deep` of AWS.Test/Thing has a name that the schema does not know",
            "  its name is not shown: it is part of a secret"
        ]
    );
}
