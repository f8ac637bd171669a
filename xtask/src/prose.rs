//! A Markdown page as a reader sees it: sentences without code, headings with their anchors, links.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of prose with the line on which it starts, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Stands in the text of a sentence for a piece of code.
const CODE: &str = "`x`";

impl Sentence {
    /// The words without code.
    pub(crate) fn count_words(&self) -> usize {
        let words = self.text.split_whitespace().filter(|word| !word.contains(CODE));
        words.filter(|word| word.contains(char::is_alphanumeric)).count()
    }
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
        let (mut in_code, mut heading) = (false, None::<String>);
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => {
                    page.add_block(&mut block);
                    in_code = true;
                }
                Event::End(TagEnd::CodeBlock) => in_code = false,
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
                Event::Text(_) if in_code => {}
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

    /// The anchor of a heading as GitHub and mdBook compute it.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let same = self.anchors.iter().filter(|it| **it == anchor).count();
        self.anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
    }
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
    fn anchors_are_those_that_links_use() {
        let page = Page::parse("# Plan files\n\n## `a` & b\n\n## Plan files\n\n[x](y.md#z)\n");
        assert!(page.has_anchor("plan-files") && page.has_anchor("a--b"));
        assert!(page.has_anchor("plan-files-1") && !page.has_anchor("plan"));
        assert_eq!(page.links(), [Link { target: "y.md#z".to_owned(), line: 7 }]);
    }
}
