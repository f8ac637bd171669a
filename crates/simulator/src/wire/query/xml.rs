//! A writer of the few shapes that answers have: elements in elements, text in the innermost.

/// A document being written, indented as AWS indents.
pub(super) struct Document {
    text: String,
    open: Vec<String>,
}

impl Document {
    pub(super) fn new(root: &str, namespace: &str) -> Self {
        let mut text = format!("<{root} xmlns=\"");
        escape_into(&mut text, namespace);
        text.push_str("\">\n");
        Self { text, open: vec![root.to_owned()] }
    }

    pub(super) fn open(&mut self, name: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        self.text.push_str(">\n");
        self.open.push(name.to_owned());
    }

    pub(super) fn leaf(&mut self, name: &str, text: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        self.text.push('>');
        escape_into(&mut self.text, text);
        self.end(name);
    }

    /// Closes the element opened last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.end(&name);
        }
    }

    /// Closes what is open.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn indent(&mut self) {
        for _ in &self.open {
            self.text.push_str("  ");
        }
    }

    fn end(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }
}

/// Escapes text so that a reader gets it back unchanged, but for what XML 1.0 cannot hold: that
/// becomes the replacement character.
fn escape_into(escaped: &mut String, text: &str) {
    escaped.reserve(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // A bare one is read as a line feed.
            '\r' => escaped.push_str("&#xD;"),
            '\t' | '\n' => escaped.push(character),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_nest_and_are_closed() {
        let mut document = Document::new("A", "urn:x");
        document.open("B");
        document.leaf("C", "1 < 2");
        document.close();
        document.leaf("D", "");
        assert_eq!(
            document.finish(),
            "<A xmlns=\"urn:x\">\n  <B>\n    <C>1 &lt; 2</C>\n  </B>\n  <D></D>\n</A>\n"
        );
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        let mut escaped = String::new();
        escape_into(&mut escaped, "a\0\u{1b}\u{ffff}\r\n\t'é😀\u{7f}");
        assert_eq!(escaped, "a\u{fffd}\u{fffd}\u{fffd}&#xD;\n\t'é😀\u{7f}");
    }
}
