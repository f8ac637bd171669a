//! What is not known yet is taken as fine.

use super::fixture::{NOTHING, said};

/// What is said of these properties, on the fifth line; `p` is not known, nor is what is read of `other`.
fn of(properties: &str) -> Vec<String> {
    said(&format!(
        "param p string\nresource other 'AWS.Test/Thing@default' = {{ alias: 'other' }}\n\
         resource it 'AWS.Test/Strict@default' = {{ alias: 'it', properties: {{\n\
         Name: other.properties.Name, Count: p\n{properties}\n}} }}\n"
    ))
}

#[test]
fn nothing_is_said_at_or_below_or_because_of_an_unknown_value() {
    for fine in [
        "",
        "Mode: p",
        "Deep: p",
        "Deep: { In: p, Out: p }",
        "Deep: { In: p, Out: [p] }",
        "List: [p, p]",
        "List: p",
        "Either: { L: p }",
        "Either: { L: p, R: 1 }",
        "Either: p",
        "Choice: { X: p, Y: 'a' }",
        "Pair: { A: p }",
        "Map: { a: p }",
    ] {
        assert_eq!(of(fine), NOTHING, "{fine}");
    }
}

#[test]
fn a_mistake_beside_an_unknown_value_is_found() {
    assert_eq!(
        of("Deep: { In: p }"),
        [
            "error BCP035 5:1 «Deep» `Deep` of AWS.Test/Strict lacks the required property `Out`",
            "  add `Out` (an array)"
        ]
    );
    assert_eq!(
        of("Either: { L: p, Z: 1 }"),
        [
            "error BCP089 5:17 «Z» `Either.Z` is not a property of AWS.Test/Strict",
            "  did you mean `R`?"
        ]
    );
    assert_eq!(
        of("List: [p, 1, 'a']"),
        [
            "error BCP332 5:7 «[p, 1, 'a']» `List` of AWS.Test/Strict is too long: it has 3 items",
            "  write at most 2 items",
            "error BCP034 5:11 «1» `List[1]` of AWS.Test/Strict is an int, but its schema expects \
             a string",
            "  write it in single quotes, or as `string(…)`"
        ]
    );
}

#[test]
fn the_name_of_an_unknown_value_is_looked_at() {
    assert_eq!(
        of("Zebra: p"),
        [
            "error BCP037 5:1 «Zebra» `Zebra` is not a property of AWS.Test/Strict",
            "  remove it; the properties here are `Choice`, `Deep`, `Either`, `Flag`, `List`, `Map`, `Mode`, `Modes` and 4 more"
        ]
    );
    assert_eq!(
        of("Id: p"),
        [
            "error BCP073 5:1 «Id» `Id` of AWS.Test/Strict is read-only: AWS sets it",
            "  remove it; its value can be read from the resource"
        ]
    );
}
