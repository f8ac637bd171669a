//! What is said of reads.

use super::fixture::{NOTHING, said};

/// What is said of an output of this expression.
fn of(expression: &str) -> Vec<String> {
    said(&format!(
        "resource it 'AWS.Test/Thing@default' = {{\n  alias: 'it'\n}}\noutput o string = {expression}\n"
    ))
}

#[test]
fn what_the_schema_has_can_be_read() {
    for fine in [
        "it.properties.Id",
        "it.properties.Deep.In",
        "it.properties.Map.any",
        "it.id",
        "it.properties",
    ] {
        assert_eq!(of(fine), NOTHING, "{fine}");
    }
}

#[test]
fn an_unknown_property_is_refused_with_the_near_name_or_with_those_that_there_are() {
    assert_eq!(
        of("it.properties.Idd"),
        [
            "error BCP083 4:33 «Idd» `Idd` is not a property of AWS.Test/Thing",
            "  did you mean `Id`?"
        ]
    );
    assert_eq!(
        of("it.properties.Zebra"),
        [
            "error BCP053 4:33 «Zebra» `Zebra` is not a property of AWS.Test/Thing",
            "  readable properties: `Choice`, `Count`, `Deep`, `Either`, `Flag`, `Id`, `List`, \
             `Map` and 6 more"
        ]
    );
    assert_eq!(
        of("it.properties.Deep.Inn"),
        [
            "error BCP083 4:38 «Inn» `Deep.Inn` is not a property of AWS.Test/Thing",
            "  did you mean `In`?"
        ]
    );
    assert_eq!(
        of("it.properties.?Zebra"),
        [
            "warning BCP053 4:34 «Zebra» `Zebra` is not a property of AWS.Test/Thing",
            "  readable properties: `Choice`, `Count`, `Deep`, `Either`, `Flag`, `Id`, `List`, \
             `Map` and 6 more"
        ]
    );
}

#[test]
fn what_aws_never_returns_cannot_be_read() {
    assert_eq!(
        of("it.properties.Secret"),
        [
            "error BCP077 4:33 «Secret» `Secret` of AWS.Test/Thing is write-only: AWS never returns it",
            "  use the parameter or variable that sets the property"
        ]
    );
}

#[test]
fn a_text_has_no_properties() {
    assert_eq!(
        of("it.properties.Id.length"),
        [
            "error BCP055 4:36 «length» `Id` of AWS.Test/Thing is a string, which has no property `length`",
            "  read `Id` itself"
        ]
    );
}
