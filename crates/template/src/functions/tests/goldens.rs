//! Values that the compiler itself computed: names that are deployed rest on them.

use serde_json::json;

use super::*;

#[test]
fn a_unique_string_is_what_it_always_was() {
    for (texts, expected) in [
        (
            json!(["/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg"]),
            "js26ofeqkqeve",
        ),
        (json!(["test"]), "rbgf3xv4ufgzg"),
        (json!(["hello", "world"]), "a7wkljktk6wne"),
        (json!(["abc"]), "cgtzqvhu4i23s"),
        (json!(["foo", "bar", "baz"]), "xzi4ioaxtmth4"),
        (json!(["a"]), "eveiun73364hy"),
        (json!(["abcd"]), "2vkzoblxv4fya"),
        (json!(["abcde"]), "5a3qs7ylzrs64"),
        (json!(["abcdefgh"]), "q7ncvd5x2rx4e"),
        (json!(["abcdefghi"]), "zignisl6otg3u"),
        (json!(["asd", "asdf", "asdf"]), "iizpqit7ih3cc"),
    ] {
        assert_eq!(evaluated("uniqueString", &texts).unwrap(), json!(expected), "{texts}");
    }
}

#[test]
fn a_guid_is_what_it_always_was() {
    for (texts, expected) in [
        (
            json!(["/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg"]),
            "b8e075c9-97d8-52c7-bffb-d36640778cf7",
        ),
        (json!(["test"]), "d6a5baf1-8b9b-542a-8525-2982f1f98a0c"),
        (json!(["hello", "world"]), "a5b868f8-11fe-567a-ace0-e77cc87f104e"),
        (json!(["abc"]), "a9b46cc2-65a6-5559-9f14-7091827ab32f"),
        (json!(["foo", "bar", "baz"]), "2ed86837-7c7c-5eaa-9864-dd077fd19b0d"),
        (json!(["a"]), "3703365d-5a9f-59b4-bca7-b9681389e4c1"),
        (json!(["abcd"]), "8e833031-348e-5f81-8d55-302bf8697cf6"),
        (json!(["abcde"]), "9ebb8bca-40cf-5fa4-a4ea-a1b0626f9b2e"),
        (json!(["abcdefgh"]), "a44fd8b6-4861-5cb4-a3a6-309b95e320e6"),
        (json!(["abcdefghi"]), "9f3e1f75-1851-5999-9db5-3510a628a6bc"),
        (json!(["asdf"]), "228d27cc-6fdb-5934-b7ac-1efccebade04"),
    ] {
        assert_eq!(evaluated("guid", &texts).unwrap(), json!(expected), "{texts}");
    }
}

#[test]
fn the_compiler_evaluates_the_same() {
    for (name, arguments, expected) in [
        ("base64ToJson", json!(["eyJoaSI6ICJ0aGVyZSJ9"]), json!({"hi": "there"})),
        ("dateTimeAdd", json!(["2023-03-31T01:00:38Z", "P1D"]), json!("2023-04-01T01:00:38Z")),
        ("dateTimeFromEpoch", json!([1_680_224_438]), json!("2023-03-31T01:00:38Z")),
        ("format", json!(["->{0}<-", 123]), json!("->123<-")),
        ("intersection", json!([[1, 2, 3], [2, 3, 4]]), json!([2, 3])),
        ("lastIndexOf", json!(["abcba", "b"]), json!(3)),
        ("replace", json!(["abc", "b", "/"]), json!("a/c")),
        ("trim", json!(["  adf asdf  "]), json!("adf asdf")),
        (
            "uri",
            json!(["https://github.com", "Azure/bicep"]),
            json!("https://github.com/Azure/bicep"),
        ),
        ("uriComponent", json!(["UB*8h 0+=_)9h9n"]), json!("UB%2A8h%200%2B%3D_%299h9n")),
        ("uriComponentToString", json!(["%20%25%20"]), json!(" % ")),
    ] {
        assert_eq!(evaluated(name, &arguments).unwrap(), expected, "{name}{arguments}");
    }
}
