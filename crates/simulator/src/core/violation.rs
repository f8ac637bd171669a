//! What is wrong with a model, in the words of AWS's own validator: one line a mistake.

use hangar_schema::{Purpose, Source, TypeSchema, codes, validate};
use serde_json::Value;

/// What is said of an object that fits several alternatives.
pub const TOO_MANY: &str = "2 subschemas matched instead of one";

/// The mistakes that make AWS refuse a model, each as its line.
pub fn violations(schema: &TypeSchema, model: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for found in validate(schema, model, Purpose::Desired) {
        // AWS's validator takes no text for a number, and reads patterns as Java does; where the
        // schema is AWS's own a likely mismatch is one.
        let is_taken_at_its_word = match found.code {
            codes::WRONG_TYPE => true,
            codes::PATTERN => schema.source() == Source::Aws,
            _ => false,
        };
        if !found.is_error() && !is_taken_at_its_word {
            continue;
        }
        let pointer = found.pointer.as_deref().unwrap_or_default();
        let (holder, name) = pointer.rsplit_once('/').unwrap_or(("", pointer));
        let constraint = |keyword: &str| {
            format!("#{pointer}: failed validation constraint for keyword [{keyword}]")
        };
        let line = match found.code {
            codes::UNKNOWN_PROPERTY => {
                format!("#{holder}: extraneous key [{}] is not permitted", unescape(name))
            }
            codes::MISSING_PROPERTY => {
                let missing = quoted(&found.message).last().unwrap_or_default().to_owned();
                format!("#{pointer}: required key [{missing}] not found")
            }
            codes::MISSING_DEPENDENCY => {
                let missing = quoted(&found.message).last().unwrap_or_default().to_owned();
                format!("#{pointer}: property [{missing}] is required")
            }
            codes::WRONG_TYPE => {
                let wanted = wanted_type(&found.message);
                let value = model.pointer(pointer).unwrap_or(&Value::Null);
                format!("#{pointer}: expected type: {}, found: {}", capital(wanted), kind(value))
            }
            codes::NOT_ALLOWED => {
                // AWS's validator reads a type with its values as two schemas of which one fits.
                lines.push(format!("#{pointer}: #: only 1 subschema matches out of 2"));
                constraint("enum")
            }
            codes::PATTERN => constraint("pattern"),
            codes::FORMAT => constraint("format"),
            codes::RANGE if found.message.contains("at least") => constraint("minimum"),
            codes::RANGE => constraint("maximum"),
            codes::MULTIPLE => constraint("multipleOf"),
            codes::LENGTH => {
                let (bound, limit, found) = counted(&found.message, "minLength", "maxLength");
                format!("#{pointer}: expected {bound}: {limit}, actual: {found}")
            }
            codes::DUPLICATE_ITEM => format!("#{holder}: array items are not unique"),
            codes::ITEM_COUNT => {
                let (bound, limit, found) = counted(&found.message, "minimum", "maximum");
                format!("#{pointer}: expected {bound} item count: {limit}, found: {found}")
            }
            codes::MEMBER_COUNT => {
                let (bound, limit, found) = counted(&found.message, "minimum", "maximum");
                format!("#{pointer}: {bound} size: [{limit}], found: [{found}]")
            }
            codes::NO_ALTERNATIVE => format!("#{pointer}: #: 0 subschemas matched instead of one"),
            codes::SEVERAL_ALTERNATIVES => {
                format!("#{pointer}: #: {TOO_MANY}")
            }
            _ => format!("#{pointer}: {}", found.message),
        };
        lines.push(line);
    }
    lines
}

/// `has 3 items, and the schema allows at most 2`: which bound, its number, and the one found.
fn counted<'m>(
    message: &'m str,
    least: &'static str,
    most: &'static str,
) -> (&'static str, &'m str, &'m str) {
    let digits = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = digits.filter(|text| !text.is_empty()).rev();
    let (limit, found) = (numbers.next().unwrap_or("0"), numbers.next().unwrap_or("0"));
    (if message.contains("at least") { least } else { most }, limit, found)
}

/// The type that `expected an integer, found a string` wants; of several the last one.
fn wanted_type(message: &str) -> &str {
    let wanted = message.rsplit_once(", found ").map_or(message, |(wanted, _)| wanted);
    wanted.rsplit(' ').next().unwrap_or_default().trim_matches('`')
}

fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

fn unescape(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if word == "object" => {
            format!("JSON{}{}", first.to_uppercase(), letters.as_str())
        }
        Some(_) if word == "array" => "JSONArray".to_owned(),
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "Integer",
        Value::Number(_) => "BigDecimal",
        Value::String(_) => "String",
        Value::Array(_) => "JSONArray",
        Value::Object(_) => "JSONObject",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_schema::Catalog;
    use serde_json::json;

    fn lines(type_name: &str, model: &Value) -> Vec<String> {
        violations(&Catalog::bundled().get(type_name).unwrap(), model)
    }

    #[test]
    fn what_only_looks_like_the_right_type_is_refused_as_aws_refuses_it() {
        assert_eq!(
            lines("AWS::SQS::Queue", &json!({"DelaySeconds": "7"})),
            ["#/DelaySeconds: expected type: Integer, found: String"]
        );
        assert_eq!(
            lines("AWS::Logs::LogGroup", &json!({"LogGroupName": "bad name!"})),
            ["#/LogGroupName: failed validation constraint for keyword [pattern]"]
        );
    }

    #[test]
    fn mistakes_are_named_as_aws_names_them() {
        assert_eq!(
            lines("AWS::SQS::Queue", &json!({"DelaySeconds": [], "Colour": "red"})),
            [
                "#: extraneous key [Colour] is not permitted",
                "#/DelaySeconds: expected type: Integer, found: JSONArray",
            ]
        );
        assert_eq!(
            lines("AWS::Lambda::Function", &json!({"Role": "arn:aws:iam::123456789012:role/r"})),
            ["#: required key [Code] not found"]
        );
        assert_eq!(
            lines("AWS::Logs::LogGroup", &json!({"RetentionInDays": 2})),
            [
                "#/RetentionInDays: #: only 1 subschema matches out of 2",
                "#/RetentionInDays: failed validation constraint for keyword [enum]",
            ]
        );
        assert_eq!(
            lines("AWS::Logs::LogGroup", &json!({"LogGroupName": ""}))[0],
            "#/LogGroupName: expected minLength: 1, actual: 0"
        );
    }
}
