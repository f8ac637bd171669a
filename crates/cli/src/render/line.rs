//! One line about a resource that fits the terminal.

use console::measure_text_width;

use super::printable;
use super::table::shortened;

/// An identifier keeps so much before other parts of its line are shortened.
const READABLE: usize = 20;

/// No part is cut to less than this.
const LEAST: usize = 12;

/// A resource: `net  AWS.EC2/VPC  update  vpc-1`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResourceLine<'a> {
    /// The address in the template, or the alias.
    pub(crate) name: &'a str,
    pub(crate) type_name: &'a str,
    /// What happens to it, or its state.
    pub(crate) word: &'a str,
    pub(crate) identifier: Option<&'a str>,
}

impl ResourceLine<'_> {
    /// The line, of at most `room` columns: the identifier is shortened in the middle, then the type is left out, then
    /// the name is shortened. Without a limit nothing is cut.
    pub(crate) fn text(self, room: Option<usize>) -> String {
        let (mut name, mut identifier) = (shown(self.name), self.identifier.map(shown));
        let (type_name, word) = (shown(self.type_name), shown(self.word));
        let line = |name: &str, type_name: Option<&str>, identifier: Option<&str>| {
            let parts = [Some(name), type_name, Some(&*word), identifier];
            parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
        };
        let whole = line(&name, Some(&type_name), identifier.as_deref());
        let Some(room) = room else { return whole };
        let excess = |line: &str| measure_text_width(line).saturating_sub(room);
        let with_type = excess(&whole);
        if with_type == 0 {
            return whole;
        }
        if let Some(identifier) = &identifier
            && measure_text_width(identifier) >= with_type + READABLE
        {
            let identifier = cut_by(identifier, with_type, READABLE);
            return line(&name, Some(&type_name), Some(&identifier));
        }
        let without_type = excess(&line(&name, None, identifier.as_deref()));
        identifier = identifier.map(|identifier| cut_by(&identifier, without_type, READABLE));
        let left = excess(&line(&name, None, identifier.as_deref()));
        name = cut_by(&name, left, READABLE);
        let left = excess(&line(&name, None, identifier.as_deref()));
        identifier = identifier.map(|identifier| cut_by(&identifier, left, LEAST));
        line(&name, None, identifier.as_deref())
    }
}

fn shown(text: &str) -> String {
    printable(text).into_owned()
}

/// A text without so many columns of its middle, but never less than `least` of it.
pub(crate) fn cut_by(text: &str, excess: usize, least: usize) -> String {
    let width = measure_text_width(text);
    shortened(text, width.saturating_sub(excess).max(least.min(width))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: &str = "https://sqs.us-east-1.amazonaws.com/000000000000/queue-kF7uQFx3d8MW";

    fn line(name: &str, room: usize) -> String {
        let line = ResourceLine {
            name,
            type_name: "AWS.SQS/Queue",
            word: "update",
            identifier: Some(QUEUE),
        };
        let text = line.text(Some(room));
        assert!(measure_text_width(&text) <= room, "{text}");
        text
    }

    #[test]
    fn a_line_fits_by_its_identifier_then_its_type_then_its_name() {
        let whole = format!("jobs  AWS.SQS/Queue  update  {QUEUE}");
        assert_eq!(line("jobs", 120), whole);
        assert_eq!(
            line("jobs", 76),
            "jobs  AWS.SQS/Queue  update  https://sqs.us-east-1.a…0000/queue-kF7uQFx3d8MW"
        );
        let name = "aSymbolicNameThatIsQuiteLong";
        assert_eq!(line(name, 60), "aSymbolicNameThatIsQuiteLong  update  https://sq…F7uQFx3d8MW");
        assert_eq!(line(name, 52), "aSymbolicN…IsQuiteLong  update  https://s…7uQFx3d8MW");
        let unlimited = ResourceLine {
            name: "jobs",
            type_name: "AWS.SQS/Queue",
            word: "update",
            identifier: Some(QUEUE),
        };
        assert_eq!(unlimited.text(None), whole);
    }
}
