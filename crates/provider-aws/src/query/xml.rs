//! A reader of the small XML answers of AWS: elements and their text, and nothing else.
//!
//! Attributes, comments and declarations are passed over; a document type is refused, so that there
//! are no entities but the five that XML has itself.

use std::str::Chars;

/// An element: its name without a prefix, its children, and the text directly in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Element {
    name: String,
    text: String,
    children: Vec<Element>,
}

/// Why a text is not such a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why} at byte {at}")]
pub(crate) struct XmlError {
    why: &'static str,
    at: usize,
}

/// Answers nest three or four deep.
const MAX_DEPTH: usize = 32;

impl Element {
    /// Reads a document.
    pub(crate) fn parse(text: &str) -> Result<Self, XmlError> {
        let mut reader = Reader { text, at: 0 };
        // The elements that are open, the document itself first.
        let mut open = vec![Self::default()];
        while !reader.rest().is_empty() {
            let depth = open.len();
            let Some(parent) = open.last_mut() else {
                return Err(reader.error("too many end tags"));
            };
            match reader.next()? {
                Token::Nothing => {}
                Token::Text(text) if depth == 1 && !text.trim().is_empty() => {
                    return Err(reader.error("text outside an element"));
                }
                Token::Text(text) => parent.text.push_str(&text),
                Token::Empty(name) => {
                    parent.children.push(Self { name, ..Self::default() });
                }
                Token::Start(_) if depth > MAX_DEPTH => {
                    return Err(reader.error("elements are nested too deeply"));
                }
                Token::Start(name) => open.push(Self { name, ..Self::default() }),
                Token::End(name) => {
                    let ended = open.pop().filter(|ended| depth > 1 && ended.name == name);
                    match (ended, open.last_mut()) {
                        (Some(ended), Some(parent)) => parent.children.push(ended),
                        _ => return Err(reader.error("an end tag without a matching start tag")),
                    }
                }
            }
        }
        match (open.pop(), open.is_empty()) {
            (Some(document), true) if document.children.len() == 1 => {
                document.children.into_iter().next().ok_or(reader.error("no element"))
            }
            _ => Err(reader.error("the document is not one element, or is incomplete")),
        }
    }

    /// The first element of that name in it, at any depth.
    pub(crate) fn find(&self, name: &str) -> Option<&Self> {
        self.children
            .iter()
            .find_map(|child| if child.name == name { Some(child) } else { child.find(name) })
    }

    /// The child of that name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the child of that name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        Some(self.child(name)?.text.trim())
    }

    /// The same with the blanks around it, where they may be part of a value.
    pub(crate) fn whole_text_of(&self, name: &str) -> Option<&str> {
        Some(self.child(name)?.text.as_str())
    }

    /// What is in the list of that name: AWS calls each one a member.
    pub(crate) fn members_of<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Self> + use<'a> {
        let all = self.child(name).map(|list| list.children.as_slice()).unwrap_or_default();
        all.iter().filter(|child| child.name == "member")
    }

    /// Its own text.
    pub(crate) fn text(&self) -> &str {
        self.text.trim()
    }
}

enum Token {
    Start(String),
    Empty(String),
    End(String),
    Text(String),
    Nothing,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, why: &'static str) -> XmlError {
        XmlError { why, at: self.at }
    }

    /// What comes before `end`, which is passed too.
    fn until(&mut self, end: &str) -> Result<&'a str, XmlError> {
        let rest = self.rest();
        let length = rest.find(end).ok_or_else(|| self.error("the document is incomplete"))?;
        self.at += length + end.len();
        Ok(&rest[..length])
    }

    fn passes(&mut self, beginning: &str) -> bool {
        let is_there = self.rest().starts_with(beginning);
        if is_there {
            self.at += beginning.len();
        }
        is_there
    }

    fn next(&mut self) -> Result<Token, XmlError> {
        if self.passes("<!--") {
            return self.until("-->").map(|_| Token::Nothing);
        }
        if self.passes("<?") {
            return self.until("?>").map(|_| Token::Nothing);
        }
        if self.passes("<![CDATA[") {
            return self.until("]]>").map(|text| Token::Text(text.to_owned()));
        }
        if self.rest().starts_with("<!") {
            return Err(self.error("a document type declaration"));
        }
        if self.passes("</") {
            let name = self.until(">")?;
            return Ok(Token::End(local(name.trim_end()).to_owned()));
        }
        if self.passes("<") {
            return self.start();
        }
        let length = self.rest().find('<').unwrap_or(self.rest().len());
        let text =
            unescape(&self.rest()[..length]).ok_or_else(|| self.error("an invalid entity"))?;
        self.at += length;
        // A byte order mark is not text.
        Ok(Token::Text(text.trim_start_matches('\u{feff}').to_owned()))
    }

    fn start(&mut self) -> Result<Token, XmlError> {
        let rest = self.rest();
        let is_end_of_name = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
        let length =
            rest.find(is_end_of_name).ok_or_else(|| self.error("the document is incomplete"))?;
        let name = local(&rest[..length]).to_owned();
        if name.is_empty() || name.contains(['<', '&', '"']) {
            return Err(self.error("an element without a name"));
        }
        self.at += length;
        // A `>` in a quoted value does not end the tag.
        let mut quote = None;
        for (offset, c) in self.rest().char_indices() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), _) if open == c => quote = None,
                (None, '>') => {
                    let is_empty = self.rest()[..offset].ends_with('/');
                    self.at += offset + 1;
                    return Ok(if is_empty { Token::Empty(name) } else { Token::Start(name) });
                }
                _ => {}
            }
        }
        Err(self.error("the document is incomplete"))
    }
}

/// A name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        plain.push(if c == '&' { entity(&mut characters)? } else { c });
    }
    Some(plain)
}

/// The character of an entity whose `&` was passed.
fn entity(characters: &mut Chars<'_>) -> Option<char> {
    let rest = characters.as_str();
    let (name, after) = rest.split_at(rest.find(';')?);
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    *characters = after[1..].chars();
    Some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_its_entities() {
        let answer = Element::parse(
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- > -->\n<a:R xmlns:a=\"u>\" b='/>'>\n  <Result>\n    \
             <Schema>{&quot;a&quot;: &#x1F600;&#65;&lt;&gt;&amp;&apos;<![CDATA[<&>]]>}</Schema>\n    \
             <None/>\n  </Result >\n</a:R>\n",
        )
        .unwrap();
        let result = answer.find("Result").unwrap();
        assert_eq!(result.text_of("Schema"), Some("{\"a\": 😀A<>&'<&>}"));
        assert_eq!(result.text_of("None"), Some(""));
        assert_eq!(result.text_of("Nothing"), None);
        assert_eq!(answer.find("Schema").map(|it| it.name.as_str()), Some("Schema"));
    }

    #[test]
    fn a_list_is_read_by_its_members_and_a_value_with_its_blanks() {
        let answer = Element::parse(
            "<R><L>\n <member>a</member>\n <other/><member><L><member>b</member></L></member>\n</L>\
             <V> v\n</V></R>",
        )
        .unwrap();
        let members: Vec<&Element> = answer.members_of("L").collect();
        assert_eq!(members.iter().map(|it| it.text()).collect::<Vec<_>>(), ["a", ""]);
        assert_eq!(members[1].members_of("L").count(), 1);
        assert_eq!(answer.members_of("None").count(), 0);
        assert_eq!((answer.text_of("V"), answer.whole_text_of("V")), (Some("v"), Some(" v\n")));
    }

    #[test]
    fn what_is_no_document_is_an_error() {
        for text in [
            "",
            "   ",
            "text",
            "<a>",
            "<a",
            "<a b=\"",
            "</a>",
            "<a></b>",
            "<a></a></a>",
            "<a/><b/>",
            "<a/>text",
            "<a>&nbsp;</a>",
            "<a>&amp</a>",
            "<a>&#xD800;</a>",
            "<a>&#;</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<a><![CDATA[</a>",
            "<>a</>",
            "<html><body>é<br></body></html>",
        ] {
            assert!(Element::parse(text).is_err(), "{text}");
        }
        let deep = format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000));
        assert!(Element::parse(&deep).is_err());
    }

    #[test]
    fn no_cut_of_an_answer_is_read_as_a_whole_one() {
        let whole = "<R><E>é &lt; <!-- c --><F a=\"1\">x</F><G/></E></R>";
        assert!(Element::parse(whole).is_ok());
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            assert!(Element::parse(&whole[..end]).is_err(), "{}", &whole[..end]);
        }
    }
}
