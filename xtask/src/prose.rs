//! A Markdown page as a reader sees it: sentences without code, headings with their anchors, links.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A piece of prose with the line on which it starts, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Stands in the text of a sentence for a piece of code.
pub(crate) const CODE: &str = "`x`";

impl Sentence {
    /// The words without code.
    pub(crate) fn count_words(&self) -> usize {
        let words = self.text.split_whitespace().filter(|word| !word.contains(CODE));
        words.filter(|word| word.contains(char::is_alphanumeric)).count()
    }
}

/// The block of code that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    None,
    /// What a program prints.
    Output,
    Other,
}

/// A link and its line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) target: String,
    pub(crate) line: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    sentences: Vec<Sentence>,
    outputs: Vec<Sentence>,
    anchors: Vec<String>,
    links: Vec<Link>,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        // The pieces of the block that is being read, each with its line.
        let mut block: Vec<(String, usize)> = Vec::new();
        let (mut code, mut heading) = (Code::None, None::<String>);
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    page.add_block(&mut block);
                    let is_output = matches!(kind, CodeBlockKind::Fenced(info) if &*info == "text");
                    code = if is_output { Code::Output } else { Code::Other };
                }
                Event::End(TagEnd::CodeBlock) => code = Code::None,
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let (target, line) = (dest_url.to_string(), line_of(range.start));
                    page.links.push(Link { target, line });
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(heading) = heading.take() {
                        page.add_anchor(&heading);
                    }
                    page.add_block(&mut block);
                }
                Event::Text(text) if code == Code::Output => {
                    page.add_output(&text, line_of(range.start));
                }
                Event::Text(_) if code == Code::Other => {}
                Event::Text(words) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&words);
                    }
                    block.push((words.to_string(), line_of(range.start)));
                }
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    block.push((CODE.to_owned(), line_of(range.start)));
                }
                Event::SoftBreak | Event::HardBreak => {
                    block.push((" ".to_owned(), line_of(range.start)));
                }
                Event::Start(Tag::Paragraph | Tag::Item | Tag::TableCell | Tag::List(_))
                | Event::End(
                    TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::List(_),
                ) => page.add_block(&mut block),
                _ => {}
            }
        }
        page.add_block(&mut block);
        page
    }

    pub(crate) fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The lines that programs print, in blocks marked `text`; not the commands, which start with `$`.
    pub(crate) fn outputs(&self) -> &[Sentence] {
        &self.outputs
    }

    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// Whether `#anchor` leads to a heading.
    pub(crate) fn has_anchor(&self, anchor: &str) -> bool {
        self.anchors.iter().any(|it| it == anchor)
    }

    pub(crate) fn count_words(&self) -> usize {
        self.sentences.iter().map(Sentence::count_words).sum()
    }

    /// Splits what was read at the ends of sentences.
    fn add_block(&mut self, block: &mut Vec<(String, usize)>) {
        let mut sentence: Option<Sentence> = None;
        for (text, line) in block.drain(..) {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let end = end_of_sentence(rest);
                let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
                let current = sentence.get_or_insert(Sentence { text: String::new(), line });
                if current.text.trim().is_empty() {
                    current.line = line;
                }
                current.text.push_str(piece);
                if end.is_some() {
                    self.sentences.extend(sentence.take());
                }
                rest = after;
            }
        }
        self.sentences.extend(sentence.filter(|it| !it.text.trim().is_empty()));
        for sentence in &mut self.sentences {
            sentence.text = sentence.text.trim().to_owned();
        }
    }

    fn add_output(&mut self, text: &str, first: usize) {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with("$ ")) {
            self.outputs.push(Sentence { text: line.to_owned(), line: first + number });
        }
    }

    /// The anchor of a heading as GitHub and mdBook compute it.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let same = self.anchors.iter().filter(|it| **it == anchor).count();
        self.anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
    }
}

/// Splits a text at the ends of its sentences.
pub(crate) fn split_sentences(text: &str) -> Vec<&str> {
    let (mut sentences, mut rest) = (Vec::new(), text);
    while let Some(end) = end_of_sentence(rest) {
        let (sentence, after) = rest.split_at(end);
        sentences.push(sentence.trim());
        rest = after;
    }
    sentences.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()));
    sentences
}

/// After which byte a sentence ends: a full stop, question mark or exclamation mark before a blank.
fn end_of_sentence(text: &str) -> Option<usize> {
    let nexts = text.chars().skip(1).map(Some).chain([None]);
    text.char_indices()
        .zip(nexts)
        .filter(|((_, c), next)| {
            matches!(c, '.' | '?' | '!') && next.is_none_or(char::is_whitespace)
        })
        .map(|((at, c), _)| at + c.len_utf8())
        .find(|end| !is_abbreviation(&text[..*end]))
}

fn is_abbreviation(text: &str) -> bool {
    ["e.g.", "i.e.", "etc.", "…."].iter().any(|it| text.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_no_code_blocks_and_know_their_lines() {
        let page =
            Page::parse("# A b\n\nOne two. Three\nfour `a b`.\n\n```sh\ncode\n```\n\n- item\n");
        let found: Vec<_> = page.sentences().iter().map(|it| (it.line, it.text.as_str())).collect();
        assert_eq!(found, [(1, "A b"), (3, "One two."), (3, "Three four `x`."), (10, "item")]);
        assert_eq!(page.count_words(), 7);
    }

    #[test]
    fn the_output_of_programs_is_read_without_their_commands() {
        let page = Page::parse("# A\n\n```text\n$ hangar x\none two\n```\n\n```sh\ncode\n```\n");
        let found: Vec<_> = page.outputs().iter().map(|it| (it.line, it.text.as_str())).collect();
        assert_eq!(found, [(5, "one two")]);
        assert_eq!(split_sentences("One two. Three? four"), ["One two.", "Three?", "four"]);
    }

    #[test]
    fn anchors_are_those_that_links_use() {
        let page = Page::parse("# Plan files\n\n## `a` & b\n\n## Plan files\n\n[x](y.md#z)\n");
        assert!(page.has_anchor("plan-files") && page.has_anchor("a--b"));
        assert!(page.has_anchor("plan-files-1") && !page.has_anchor("plan"));
        assert_eq!(page.links(), [Link { target: "y.md#z".to_owned(), line: 7 }]);
    }
}
