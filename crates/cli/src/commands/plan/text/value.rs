//! Whole values: on one line when they fit, else over several lines; nothing is cut.

use console::measure_text_width;
use serde_json::Value;

use crate::render::printable;

/// Width of a line when the output is not a terminal.
const DEFAULT_WIDTH: usize = 120;

/// Objects and lists wider than this are shown over several lines, however wide the terminal is.
const MAX_INLINE_WIDTH: usize = 80;

/// A text shorter than this stays a text, even if it holds a JSON document.
const MIN_DOCUMENT_LENGTH: usize = 60;

/// A value, laid out for reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    Line(String),
    Block(Vec<String>),
}

/// Lays out one value; a block's lines keep to `room` where its parts allow it.
pub(super) fn layout(value: &Value, room: Option<usize>) -> Layout {
    if let Some(text) = text_block(value) {
        return Layout::Block(text);
    }
    let document = embedded_document(value);
    let value = document.as_ref().unwrap_or(value);
    let room = room.unwrap_or(DEFAULT_WIDTH).min(MAX_INLINE_WIDTH);
    let mut lines = Vec::new();
    expand(value, room, &Nested { depth: 0, lead: String::new(), trail: "" }, &mut lines);
    match lines.as_mut_slice() {
        [line] => Layout::Line(std::mem::take(line)),
        _ => Layout::Block(lines),
    }
}

/// `"a" → "b"`, if both fit on one line.
pub(super) fn pair_on_line(before: &Value, after: &Value, room: Option<usize>) -> Option<String> {
    let is_block = |value: &Value| {
        matches!(value, Value::String(text) if text.trim_end().contains('\n'))
            || embedded_document(value).is_some()
    };
    if is_block(before) || is_block(after) {
        return None;
    }
    let line = format!("{} → {}", compact(before), compact(after));
    (measure_text_width(&line) <= room.unwrap_or(DEFAULT_WIDTH)).then_some(line)
}

/// All lines of a value, every object and list opened, so that two of them can be compared.
pub(super) fn comparable_lines(value: &Value) -> Vec<String> {
    if let Some(text) = text_block(value) {
        return text;
    }
    let document = embedded_document(value);
    let mut lines = Vec::new();
    let top = Nested { depth: 0, lead: String::new(), trail: "" };
    expand(document.as_ref().unwrap_or(value), 0, &top, &mut lines);
    lines
}

/// The value as JSON on one line.
pub(super) fn compact(value: &Value) -> String {
    printable(&value.to_string()).into_owned()
}

/// The lines of a text that has several.
fn text_block(value: &Value) -> Option<Vec<String>> {
    let text = value.as_str().filter(|text| text.trim_end().contains('\n'))?;
    if embedded_document(value).is_some() {
        return None;
    }
    Some(text.lines().map(|line| printable(line).into_owned()).collect())
}

/// The JSON document that a text holds, as policies often are.
fn embedded_document(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.len() > MIN_DOCUMENT_LENGTH)?;
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Where a value stands inside of another.
struct Nested {
    depth: usize,
    /// The member's name, with its colon.
    lead: String,
    /// The comma behind it.
    trail: &'static str,
}

/// Writes a value on one line if that fits into `room`, else with a line for each member.
fn expand(value: &Value, room: usize, at: &Nested, lines: &mut Vec<String>) {
    let Nested { depth, lead, trail } = at;
    let pad = "  ".repeat(*depth);
    let line = format!("{pad}{lead}{}{trail}", compact(value));
    let members: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (format!("{}: ", compact(&Value::from(name.as_str()))), member))
            .collect(),
        _ => Vec::new(),
    };
    if members.is_empty() || measure_text_width(&line) <= room {
        lines.push(line);
        return;
    }
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    lines.push(format!("{pad}{lead}{open}"));
    let last = members.len() - 1;
    for (index, (lead, member)) in members.into_iter().enumerate() {
        let trail = if index == last { "" } else { "," };
        expand(member, room, &Nested { depth: depth + 1, lead, trail }, lines);
    }
    lines.push(format!("{pad}{close}{trail}"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: &Value) -> String {
        match layout(value, None) {
            Layout::Line(line) => line,
            Layout::Block(lines) => lines.join("\n"),
        }
    }

    #[test]
    fn a_wide_value_is_opened_and_its_narrow_parts_are_not() {
        let rule = |port: u16| json!({"CidrIp": "0.0.0.0/0", "FromPort": port});
        insta::assert_snapshot!(shown(&json!([rule(80), rule(443), rule(8443)])), @r#"
        [
          {"CidrIp":"0.0.0.0/0","FromPort":80},
          {"CidrIp":"0.0.0.0/0","FromPort":443},
          {"CidrIp":"0.0.0.0/0","FromPort":8443}
        ]
        "#);
        assert_eq!(shown(&json!([rule(80)])), r#"[{"CidrIp":"0.0.0.0/0","FromPort":80}]"#);
    }

    #[test]
    fn no_text_is_cut() {
        let long = "x".repeat(500);
        assert_eq!(shown(&json!(long)), format!("\"{long}\""));
        assert_eq!(shown(&json!("#!/bin/sh\necho a\necho b\n")), "#!/bin/sh\necho a\necho b");
    }

    #[test]
    fn a_policy_in_a_text_is_shown_as_a_document() {
        let statement = json!({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"});
        let policy = json!({"Version": "2012-10-17", "Statement": [statement]});
        insta::assert_snapshot!(shown(&json!(policy.to_string())), @r#"
        {
          "Statement": [{"Action":"sts:AssumeRole","Effect":"Allow","Principal":"*"}],
          "Version": "2012-10-17"
        }
        "#);
    }

    #[test]
    fn a_pair_that_does_not_fit_is_not_on_one_line() {
        assert_eq!(pair_on_line(&json!(1), &json!("x"), Some(16)).unwrap(), r#"1 → "x""#);
        assert_eq!(pair_on_line(&json!("a"), &json!("b".repeat(50)), Some(41)), None);
        assert_eq!(pair_on_line(&json!("a"), &json!("b\nc"), None), None);
    }
}
