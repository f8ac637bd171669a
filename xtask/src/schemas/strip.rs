//! Drops from a schema what only documents it, and what only cfn-lint understands.
//!
//! A word is dropped only where it is a keyword: `description` is also the name of many a property.

use serde_json::{Map, Value};

use super::select::Source;

/// The schema with its structure kept.
pub(crate) fn strip(schema: Value, source: Source) -> Value {
    let Value::Object(members) = schema else {
        return schema;
    };
    let kept = members.into_iter().filter(|(keyword, value)| keeps(keyword, value, source));
    Value::Object(kept.map(|(keyword, value)| strip_below(keyword, value, source)).collect())
}

fn strip_below(keyword: String, value: Value, source: Source) -> (String, Value) {
    let value = match (Position::of(&keyword), value) {
        (Position::Schema, Value::Array(schemas)) => {
            schemas.into_iter().map(|schema| strip(schema, source)).collect()
        }
        (Position::Schema, schema) => strip(schema, source),
        (Position::NamedSchemas, Value::Object(named)) => Value::Object(
            named.into_iter().map(|(k, v)| (k, strip(v, source))).collect::<Map<_, _>>(),
        ),
        (_, value) => value,
    };
    (keyword, value)
}

fn keeps(keyword: &str, value: &Value, source: Source) -> bool {
    if DOCUMENTATION.contains(&keyword) {
        return false;
    }
    match source {
        // What AWS publishes is kept even where we do not know the word yet.
        Source::Raw => true,
        Source::CfnLint if keyword == "format" => {
            value.as_str().is_some_and(|format| FORMATS.contains(&format))
        }
        Source::CfnLint => KEYWORDS.contains(&keyword),
    }
}

/// What the value of a keyword holds.
enum Position {
    /// A schema or a list of schemas.
    Schema,
    /// Schemas under names that are no keywords.
    NamedSchemas,
    /// A plain value, in which no word is a keyword.
    Plain,
}

impl Position {
    fn of(keyword: &str) -> Self {
        match keyword {
            "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "propertyNames"
            | "then"
            | "typeConfiguration" => Self::Schema,
            "definitions" | "dependencies" | "patternProperties" | "properties" => {
                Self::NamedSchemas
            }
            _ => Self::Plain,
        }
    }
}

const DOCUMENTATION: &[&str] = &[
    "$comment",
    "$id",
    "$schema",
    "description",
    "documentationUrl",
    "enumDescriptions",
    "examples",
    "markdownDescription",
    "markdownEnumDescriptions",
    "resourceLink",
    "sourceUrl",
    "title",
];

/// JSON Schema draft 7 and the words that CloudFormation adds to it.
const KEYWORDS: &[&str] = &[
    // draft 7
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "default",
    "definitions",
    "dependencies",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "uniqueItems",
    // CloudFormation's resource type definition schema
    "additionalIdentifiers",
    "arrayType",
    "conditionalCreateOnlyProperties",
    "createOnlyProperties",
    "deprecatedProperties",
    "handlers",
    "insertionOrder",
    "nonPublicDefinitions",
    "nonPublicProperties",
    "primaryIdentifier",
    "propertyTransform",
    "readOnlyProperties",
    "relationshipRef",
    "replacementStrategy",
    "taggable",
    "tagging",
    "typeConfiguration",
    "typeName",
    "writeOnlyProperties",
];

/// Formats that JSON Schema or AWS define; cfn-lint's own name a type's property or a check of its.
const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "double",
    "email",
    "float",
    "hostname",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "password",
    "regex",
    "time",
    "timestamp",
    "uri",
    "uri-reference",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documentation_is_dropped_at_every_depth() {
        let schema = json!({
            "typeName": "A::B::C", "description": "d", "sourceUrl": "u", "$schema": "s",
            "properties": {"P": {"type": "array", "title": "t", "items": {"examples": [1], "type": "string"}}},
            "definitions": {"D": {"oneOf": [{"description": "d", "required": ["P"]}]}},
        });
        assert_eq!(
            strip(schema, Source::Raw),
            json!({
                "typeName": "A::B::C",
                "properties": {"P": {"type": "array", "items": {"type": "string"}}},
                "definitions": {"D": {"oneOf": [{"required": ["P"]}]}},
            })
        );
    }

    #[test]
    fn a_property_named_as_a_keyword_stays() {
        let schema = json!({
            "properties": {"description": {"type": "string"}, "title": {"type": "string"}},
            "definitions": {"examples": {"patternProperties": {"description": {}}}},
            "dependencies": {"title": ["description"]},
        });
        assert_eq!(strip(schema.clone(), Source::Raw), schema);
        assert_eq!(strip(schema.clone(), Source::CfnLint), schema);
    }

    #[test]
    fn plain_values_stay_untouched() {
        let schema = json!({
            "default": {"description": "d"}, "const": {"title": 1}, "enum": [{"title": 1}],
            "handlers": {"create": {"permissions": ["a:b"], "timeoutInMinutes": 5}},
        });
        assert_eq!(strip(schema.clone(), Source::CfnLint), schema);
    }

    #[test]
    fn only_cfn_lint_loses_words_and_formats_that_nobody_else_knows() {
        let schema = json!({
            "requiredXor": ["A"], "requiredOr": ["A"], "dependentExcluded": {},
            "properties": {
                "A": {"format": "AWS::EC2::VPC.Id"}, "B": {"format": "json"}, "C": {"format": "date-time"},
            },
        });
        assert_eq!(strip(schema.clone(), Source::Raw), schema);
        assert_eq!(
            strip(schema, Source::CfnLint),
            json!({"properties": {"A": {}, "B": {}, "C": {"format": "date-time"}}})
        );
    }

    #[test]
    fn numbers_keep_their_text() {
        let text = r#"{"properties":{"A":{"maximum":1.50,"minimum":10000000000000000000001}}}"#;
        let schema = serde_json::from_str(text).unwrap();
        let stripped = strip(schema, Source::CfnLint);
        assert_eq!(serde_json::to_string(&stripped).unwrap(), text);
    }
}
