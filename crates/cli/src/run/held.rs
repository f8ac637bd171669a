//! The standard output of a command that prints manifests: lines of a log pass at once, and text that may be a manifest
//! is held until its values are known, or until it is known that it has no raw token.

use hangar_manifest::reference::find;
use hangar_manifest::token;

/// More output than this is not held; the command then fails instead of printing references.
const MAX_HELD: usize = 64 * 1024 * 1024;

/// From which line on an output is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeldFrom {
    /// The first line that may belong to a manifest or hold a reference: the output will be resolved.
    AnyYaml,
    /// The first line that begins a Kubernetes object: it will be printed as it is, unless it has a raw token.
    Object,
}

/// The output of a command, from the first line that may belong to a manifest.
#[derive(Debug)]
pub(crate) struct HeldOutput {
    from: HeldFrom,
    state: State,
    /// The bytes of a line whose end has not been read.
    line: Vec<u8>,
}

#[derive(Debug, Default)]
enum State {
    /// No line so far may belong to a manifest.
    #[default]
    Passing,
    /// All bytes from the first line that may.
    Holding(Vec<u8>),
    /// There were too many of them.
    TooLong,
}

/// The held part of an output, once the command has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It can be printed as it is.
    Plain(Vec<u8>),
    /// It has references to resolve, or it is a manifest with raw tokens.
    Manifest(String),
    /// The same, and it cannot be read.
    NotText,
    /// It is longer than a manifest may be.
    TooLong,
}

impl HeldOutput {
    pub(crate) fn new(from: HeldFrom) -> Self {
        Self { from, state: State::default(), line: Vec::new() }
    }

    /// Takes the next bytes of the output, and returns those that can be printed now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut passed = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match &mut self.state {
                State::Passing => {
                    self.line.extend_from_slice(piece);
                    if piece.ends_with(b"\n") || self.line.len() > MAX_HELD {
                        self.end_line(&mut passed);
                    }
                }
                State::Holding(held) if held.len() + piece.len() <= MAX_HELD => {
                    held.extend_from_slice(piece);
                }
                State::Holding(_) | State::TooLong => self.state = State::TooLong,
            }
        }
        passed
    }

    fn end_line(&mut self, passed: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        let line_text = String::from_utf8_lossy(&line);
        let is_held = match self.from {
            HeldFrom::AnyYaml => may_be_manifest(&line_text),
            HeldFrom::Object => may_begin_object(&line_text),
        };
        if is_held {
            self.state = State::Holding(line);
        } else {
            passed.extend(line);
        }
    }

    /// Ends the output, and returns what was held.
    pub(crate) fn finish(mut self) -> Held {
        let mut rest = Vec::new();
        self.end_line_if_open(&mut rest);
        match self.state {
            State::Passing => Held::Plain(rest),
            State::TooLong => Held::TooLong,
            State::Holding(held) => {
                let text = String::from_utf8_lossy(&held);
                let has_references = self.from == HeldFrom::AnyYaml && !find(&text).is_empty();
                if !has_references && !has_raw_tokens(&text) {
                    return Held::Plain(held);
                }
                String::from_utf8(held).map_or(Held::NotText, Held::Manifest)
            }
        }
    }

    fn end_line_if_open(&mut self, rest: &mut Vec<u8>) {
        if matches!(self.state, State::Passing) && !self.line.is_empty() {
            self.end_line(rest);
        }
    }
}

/// Whether a line may belong to a manifest: it begins a document, has a key at its start, or holds a reference.
fn may_be_manifest(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim_end();
    let starts_document = line.starts_with("---") || line.starts_with("%YAML");
    let starts_json = line.starts_with(['{', '[']);
    starts_document || starts_json || starts_with_key(line) || !find(line).is_empty()
}

fn starts_with_key(line: &str) -> bool {
    // The keys of an item of a list are indented; what has no blank before it is a key of the object itself.
    let line = line.strip_prefix("- ").unwrap_or(line);
    let Some((key, rest)) = line.split_once(':') else { return false };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./\"'".contains(&byte);
    let is_key = !key.is_empty() && key.bytes().all(is_word);
    is_key && (rest.is_empty() || rest.starts_with(' '))
}

/// Whether a line may be the first one of a Kubernetes object.
fn may_begin_object(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    matches!(line, "{" | "[") || is_of_object(line)
}

/// Whether a line is the `apiVersion` of a Kubernetes object, or has one in JSON.
fn is_of_object(line: &str) -> bool {
    let key = line.strip_prefix("- ").unwrap_or(line);
    ["apiVersion:", "\"apiVersion\":"].iter().any(|begin| key.starts_with(begin))
        || (line.starts_with(['{', '[']) && line.contains("\"apiVersion\""))
}

/// Whether a text is a manifest with raw tokens. A log may name tokens.
pub(crate) fn has_raw_tokens(text: &str) -> bool {
    text.lines().any(|line| is_of_object(line.trim_start_matches('\u{feff}').trim()))
        && !token::find(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: ${cfn:S/B#Ref}\n";

    fn held_of(chunks: &[&str]) -> (String, Held) {
        held_from(HeldFrom::AnyYaml, chunks)
    }

    fn held_from(from: HeldFrom, chunks: &[&str]) -> (String, Held) {
        let mut output = HeldOutput::new(from);
        let passed: Vec<u8> = chunks.iter().flat_map(|it| output.push(it.as_bytes())).collect();
        (String::from_utf8(passed).unwrap(), output.finish())
    }

    #[test]
    fn a_log_passes_and_a_manifest_is_held_from_its_first_line() {
        let log = "Synthesizing application\n  - dist/a.k8s.yaml\n";
        assert_eq!(held_of(&[log]), (log.to_owned(), Held::Plain(Vec::new())));
        let both = format!("{log}{MANIFEST}");
        let expected = (log.to_owned(), Held::Manifest(MANIFEST.to_owned()));
        assert_eq!(held_of(&[&both]), expected);
        // However the bytes arrive.
        let bytes: Vec<String> = both.chars().map(String::from).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        assert_eq!(held_of(&bytes), expected);
    }

    #[test]
    fn every_form_of_a_manifest_is_held() {
        for text in [
            format!("---\n{MANIFEST}"),
            "{\"kind\": \"X\",\n\"a\": \"${cfn:S/B#Ref}\"}".to_owned(),
            "- kind: X\n  a: ${cfn:S/B#Ref}\n".to_owned(),
            "\"kind\": X\na: ${cfn:S/B#Ref}".to_owned(),
            "the bucket is ${cfn:S/B#Ref}".to_owned(),
        ] {
            assert_eq!(held_of(&[&text]), (String::new(), Held::Manifest(text.clone())), "{text}");
        }
        let log = "kind: ConfigMap\nbucket: ${Token[TOKEN.3]}\n";
        assert_eq!(held_of(&[log]), (String::new(), Held::Plain(log.into())));
        let plain = "kind: ConfigMap\n";
        assert_eq!(held_of(&[plain]), (String::new(), Held::Plain(plain.into())));
    }

    #[test]
    fn a_manifest_with_raw_tokens_is_no_plain_text() {
        for text in [
            "apiVersion: v1\ndata:\n  a: ${Token[TOKEN.3]}\n",
            "- apiVersion: v1\n  a: x-${TfToken[TOKEN.3]}\n",
            "apiVersion: v1\nport: -1.8881545897087503e+289\n",
            "{\"apiVersion\": \"v1\", \"a\": \"#{Token[TOKEN.3]}\"}",
            "[\n  {\n    \"apiVersion\": \"v1\",\n    \"a\": \"${Token[TOKEN.3]}\"\n  }\n]\n",
        ] {
            let expected = (String::new(), Held::Manifest(text.to_owned()));
            assert_eq!(held_of(&[text]), expected, "{text}");
            assert_eq!(held_from(HeldFrom::Object, &[text]), expected, "{text}");
        }
    }

    #[test]
    fn output_that_is_not_resolved_passes_up_to_the_first_object() {
        let log = "note: 1\n--- step\nthe bucket is ${Token[TOKEN.3]}\n";
        let printed = format!("{log}{MANIFEST}");
        let expected = (log.to_owned(), Held::Plain(MANIFEST.into()));
        assert_eq!(held_from(HeldFrom::Object, &[&printed]), expected);
    }
}
