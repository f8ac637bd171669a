//! Values on one line, cut where they are long; of two that differ, what differs stays.

use console::{measure_text_width, truncate_str};
use serde_json::Value;

use crate::render::printable;

/// A value that is longer is cut where nothing else limits it: -o json has all of it.
const LONGEST: usize = 60;

/// So much that is the same is shown before what differs.
const AROUND: usize = 8;

/// A value.
pub(super) fn single(value: &Value, room: Option<usize>) -> String {
    cut(&whole(value), room.unwrap_or(LONGEST))
}

/// `"a" → "b"`.
pub(super) fn pair(before: &Value, after: &Value, room: Option<usize>) -> String {
    let (before, after) = (whole(before), whole(after));
    let room = room.unwrap_or(2 * LONGEST + 3);
    let width = |text: &str| measure_text_width(text);
    if width(&before) + width(&after) + 3 <= room {
        return format!("{before} → {after}");
    }
    let half = room.saturating_sub(3) / 2;
    let same = common(&before, &after);
    let from = |text: &str| -> String {
        let skipped = same.saturating_sub(AROUND);
        if skipped == 0 || width(text) <= half {
            return text.to_owned();
        }
        format!("…{}", text.chars().skip(skipped).collect::<String>())
    };
    // Room that the one does not need is the other's.
    let (before, after) = (from(&before), from(&after));
    let spare = |text: &str| half.saturating_sub(width(text));
    let (of_before, of_after) = (half + spare(&after), half + spare(&before));
    format!("{} → {}", cut(&before, of_before), cut(&after, of_after))
}

/// A value as JSON; of a text of several lines the first, and how many there are.
fn whole(value: &Value) -> String {
    if let Value::String(text) = value
        && text.trim_end().contains('\n')
    {
        let first = text.lines().next().unwrap_or_default();
        let first = cut(&Value::from(first).to_string(), LONGEST / 2);
        return format!("{} … {} lines", printable(&first), text.lines().count());
    }
    printable(&value.to_string()).into_owned()
}

fn cut(text: &str, room: usize) -> String {
    truncate_str(text, room, "…").into_owned()
}

/// How many characters two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_not_cut_away() {
        let long = "arn:aws:iam::123456789012:role/a/very/long/path/that/goes/on/";
        let told = pair(&json!(format!("{long}one")), &json!(format!("{long}two")), Some(40));
        assert_eq!(told, r#"…goes/on/one" → …goes/on/two""#);
        assert_eq!(pair(&json!(1), &json!("x"), Some(16)), r#"1 → "x""#);
        let one_is_long = pair(&json!("a"), &json!("b".repeat(50)), Some(41));
        assert_eq!(measure_text_width(&one_is_long), 41);
    }

    #[test]
    fn a_text_of_several_lines_is_its_first() {
        let told = single(&json!("#!/bin/sh\necho a\necho b\n"), None);
        assert_eq!(told, r##""#!/bin/sh" … 3 lines"##);
        assert_eq!(measure_text_width(&single(&json!("x".repeat(99)), Some(20))), 20);
    }
}
