//! HCL's native syntax cut into blocks and attributes.
//!
//! It finds where each expression ends (brackets, templates in strings, heredocs, comments) and leaves
//! what the expression says to `literal`. Nothing recurses, so no text exhausts the stack.

use super::literal;
use super::tree::{Attribute, Block, Body};
use super::{Problem, line_after};

/// Blocks nested deeper than this are no configuration that anyone wrote.
const MAX_DEPTH: usize = 64;

/// The body of a file. What cannot be read is a problem, and the rest is read as far as it goes.
pub(super) fn parse(file: &str, text: &str, problems: &mut Vec<Problem>) -> Body {
    let mut reader = Reader { scan: Scan::new(text), file, problems, open: Vec::new() };
    reader.scan.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    reader.read()
}

struct Reader<'a> {
    scan: Scan<'a>,
    file: &'a str,
    problems: &'a mut Vec<Problem>,
    /// The blocks around the present place, outermost first.
    open: Vec<Block>,
}

impl Reader<'_> {
    fn read(mut self) -> Body {
        let mut top = Body::default();
        loop {
            self.scan.skip_blank();
            let line = self.scan.line();
            let Some(next) = self.scan.peek() else { break };
            if next == '}' {
                self.scan.bump();
                match self.open.pop() {
                    Some(block) => self.body(&mut top).blocks.push(block),
                    None => self.fault(line, "unexpected `}`"),
                }
                continue;
            }
            let Some(name) = self.scan.identifier() else {
                self.fault(line, "expected the name of an argument or a block");
                self.scan.skip_line();
                continue;
            };
            let name = name.to_owned();
            self.scan.skip_spaces();
            if self.scan.rest().starts_with('=') && !self.scan.rest().starts_with("==") {
                self.scan.bump();
                if let Some(attribute) = self.attribute(name, line) {
                    self.body(&mut top).attributes.push(attribute);
                }
            } else if let Some(labels) = self.labels(line) {
                if self.open.len() == MAX_DEPTH {
                    self.fault(line, "blocks are nested too deeply");
                    break;
                }
                self.open.push(Block { kind: name, labels, line, body: Body::default() });
            }
        }
        while let Some(block) = self.open.pop() {
            self.fault(block.line, &format!("the block `{}` is not closed", block.kind));
            self.body(&mut top).blocks.push(block);
        }
        top
    }

    fn body<'b>(&'b mut self, top: &'b mut Body) -> &'b mut Body {
        self.open.last_mut().map_or(top, |block| &mut block.body)
    }

    fn attribute(&mut self, name: String, line: usize) -> Option<Attribute> {
        self.scan.skip_spaces();
        let from = self.scan.at;
        match self.scan.skip_expression() {
            Ok(to) => {
                let text = self.scan.text[from..to].trim();
                if text.is_empty() {
                    self.fault(line, &format!("`{name}` has no value"));
                    return None;
                }
                let term = literal::parse(text);
                Some(Attribute { name, line, text: text.to_owned(), term })
            }
            Err(fault) => {
                self.fault(fault.line, &fault.message);
                self.scan.skip_line();
                None
            }
        }
    }

    /// The labels of a block, up to and with its `{`.
    fn labels(&mut self, line: usize) -> Option<Vec<String>> {
        let mut labels = Vec::new();
        loop {
            self.scan.skip_spaces();
            match self.scan.peek() {
                Some('{') => {
                    self.scan.bump();
                    return Some(labels);
                }
                Some('"') => {
                    let from = self.scan.at;
                    let label = self
                        .scan
                        .quoted()
                        .and_then(|()| literal::string(&self.scan.text[from..self.scan.at]));
                    let Some(label) = label else {
                        self.fault(line, "a label must be a plain string");
                        self.scan.skip_line();
                        return None;
                    };
                    labels.push(label);
                }
                _ => {
                    let Some(label) = self.scan.identifier() else {
                        self.fault(line, "expected `=` or a block's `{`");
                        self.scan.skip_line();
                        return None;
                    };
                    labels.push(label.to_owned());
                }
            }
        }
    }

    fn fault(&mut self, line: usize, message: &str) {
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line,
            message: message.to_owned(),
        });
    }
}

/// Why an expression has no end.
pub(super) struct Fault {
    line: usize,
    message: String,
}

/// What the place that is looked at is inside of, with where that began.
#[derive(Clone, Copy)]
enum Inside<'a> {
    /// A bracket, by the one that closes it; a template's `${` counts as one.
    Bracket(char, usize),
    Quoted(usize),
    Heredoc(&'a str, usize),
}

/// A place in a text that moves forward.
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The line of `counted`, so that lines are counted once.
    line: usize,
    counted: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, counted: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn line(&mut self) -> usize {
        let passed = &self.text.as_bytes()[self.counted..self.at];
        self.line += line_after(passed) - 1;
        self.counted = self.at;
        self.line
    }

    pub(super) fn identifier(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// Past white space, ends of lines and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.skip_comment() {
                return;
            }
        }
    }

    /// Past white space and comments within the line.
    fn skip_spaces(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
            if !self.rest().starts_with("/*") || !self.skip_comment() {
                return;
            }
        }
    }

    fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with('#') || rest.starts_with("//") {
            self.skip_line();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            self.at += comment.find("*/").map_or(rest.len(), |end| end + 4);
        } else {
            return false;
        }
        true
    }

    /// To the end of the line, which is not passed.
    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Past a quoted string that begins here.
    pub(super) fn quoted(&mut self) -> Option<()> {
        let mut inside = Vec::new();
        self.code(&mut inside).ok()?;
        while !inside.is_empty() {
            self.step(&mut inside).ok()?;
        }
        Some(())
    }

    /// Past an expression that begins here; the place where it ends, before a comment behind it.
    fn skip_expression(&mut self) -> Result<usize, Fault> {
        let mut inside = Vec::new();
        loop {
            if inside.is_empty() {
                let rest = self.rest();
                if rest.is_empty() || rest.starts_with(['\n', '}', '#']) || rest.starts_with("//") {
                    return Ok(self.at);
                }
            }
            self.step(&mut inside)?;
        }
    }

    /// One step further inside of whatever this is.
    fn step(&mut self, inside: &mut Vec<Inside<'a>>) -> Result<(), Fault> {
        match inside.last().copied() {
            Some(Inside::Quoted(from)) => self.in_quotes(inside, from),
            Some(Inside::Heredoc(marker, from)) => self.in_heredoc(inside, marker, from),
            Some(Inside::Bracket(..)) | None => self.code(inside),
        }
    }

    fn code(&mut self, inside: &mut Vec<Inside<'a>>) -> Result<(), Fault> {
        let Some(next) = self.peek() else {
            let (what, from) = match inside.last() {
                Some(Inside::Bracket(close, from)) => (format!("`{close}` is missing"), *from),
                _ => ("an expression is missing".to_owned(), self.at),
            };
            return Err(self.fault_at(from, what));
        };
        if self.skip_comment() {
            return Ok(());
        }
        let here = self.at;
        self.bump();
        match next {
            '"' => inside.push(Inside::Quoted(here)),
            '(' => inside.push(Inside::Bracket(')', here)),
            '[' => inside.push(Inside::Bracket(']', here)),
            '{' => inside.push(Inside::Bracket('}', here)),
            ')' | ']' | '}' => match inside.pop() {
                Some(Inside::Bracket(close, _)) if close == next => {}
                _ => return Err(self.fault_at(here, format!("unexpected `{next}`"))),
            },
            '<' if self.rest().starts_with('<') => {
                self.bump();
                if self.rest().starts_with('-') {
                    self.bump();
                }
                let Some(marker) = self.identifier() else { return Ok(()) };
                let line = self.rest();
                let end = line.find('\n').unwrap_or(line.len());
                if !line[..end].trim().is_empty() {
                    return Err(self.fault_at(
                        here,
                        "the text of a heredoc must start on the next line".to_owned(),
                    ));
                }
                self.at += end;
                inside.push(Inside::Heredoc(marker, here));
            }
            _ => {}
        }
        Ok(())
    }

    fn in_quotes(&mut self, inside: &mut Vec<Inside<'a>>, from: usize) -> Result<(), Fault> {
        match self.peek() {
            None | Some('\n') => {
                return Err(self.fault_at(from, "a string must end on its line".to_owned()));
            }
            Some('\\') => {
                self.bump();
                if !self.rest().starts_with('\n') {
                    self.bump();
                }
            }
            Some('"') => {
                self.bump();
                inside.pop();
            }
            Some(_) => self.in_template(inside),
        }
        Ok(())
    }

    /// One character of a heredoc, or the line that ends it. It stands at the end of a line first.
    fn in_heredoc(
        &mut self,
        inside: &mut Vec<Inside<'a>>,
        marker: &str,
        from: usize,
    ) -> Result<(), Fault> {
        match self.peek() {
            None => {
                return Err(
                    self.fault_at(from, format!("the heredoc `{marker}` has no end marker"))
                );
            }
            Some('\n') => {
                self.bump();
                let rest = self.rest();
                let end = rest.find('\n').unwrap_or(rest.len());
                if rest[..end].trim() == marker {
                    self.at += end;
                    inside.pop();
                }
            }
            Some(_) => self.in_template(inside),
        }
        Ok(())
    }

    fn in_template(&mut self, inside: &mut Vec<Inside<'a>>) {
        let rest = self.rest();
        if rest.starts_with("$${") || rest.starts_with("%%{") {
            self.at += 3;
        } else if rest.starts_with("${") || rest.starts_with("%{") {
            inside.push(Inside::Bracket('}', self.at));
            self.at += 2;
        } else {
            self.bump();
        }
    }

    /// Places go back here: an opening is told by its own line, not by the one that was reached.
    fn fault_at(&self, at: usize, message: String) -> Fault {
        let line = line_after(&self.text.as_bytes()[..at]);
        Fault { line, message }
    }
}
