//! Reads a FILE argument: a path, or `-` for standard input.

use std::fs::File;
use std::io::{self, BufRead as _, ErrorKind, Read};
use std::path::{Path, PathBuf};

use hangar_diag::{Diagnostic, Span, nearest};

use crate::codes;
use crate::failure::Failure;

/// A text that was given, with the name to show for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The file, as it was typed; none for a text that was itself an argument.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
}

impl Source {
    /// A text that was itself typed, such as an id.
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self { name: None, text: text.into() }
    }

    /// The same text with what stands at these places made unreadable, byte for byte, so that
    /// other places stay where they are.
    pub(crate) fn masked(mut self, places: impl IntoIterator<Item = Span>) -> Self {
        for Span { start, end } in places {
            if let Some(hidden) = self.text.get(start..end) {
                let stars = hidden.bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' });
                let stars: String = stars.collect();
                self.text.replace_range(start..end, &stars);
            }
        }
        self
    }
}

/// Reads the FILE arguments of one command: standard input can be one of them, once.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    stdin: Stdin,
}

#[derive(Debug, Default)]
enum Stdin {
    #[default]
    Unread,
    Read,
}

/// Whether a text began with a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Written,
}

impl Mark {
    /// What stands before the text.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Written => MARK,
        }
    }
}

const MARK: &str = "\u{feff}";

/// As much as a Terraform state may have, the largest thing we read.
const MAX_SIZE: u64 = 64 << 20;

impl Inputs {
    /// The whole text of the file, without a byte order mark.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Source, Failure> {
        let (name, bytes) = self.read_bytes(path)?;
        text_of(name, bytes)
    }

    /// The same, and whether there was a byte order mark, for who writes the text again.
    pub(crate) fn read_marked(&mut self, path: &Path) -> Result<(Source, Mark), Failure> {
        let (name, bytes) = self.read_bytes(path)?;
        let mark = if bytes.starts_with(MARK.as_bytes()) { Mark::Written } else { Mark::None };
        Ok((text_of(name, bytes)?, mark))
    }

    /// The name to show for a file, and its bytes, for who can tell what they are where they are no text.
    pub(crate) fn read_bytes(&mut self, path: &Path) -> Result<(String, Vec<u8>), Failure> {
        if path == Path::new("-") {
            return self.read_stdin();
        }
        let name = path.display().to_string();
        if path.is_dir() {
            let message = format!("cannot read `{name}`: it is a directory");
            let mistake =
                Diagnostic::error(codes::FILE_IS_FOLDER, message).hint("pass a file in it");
            return Err(of_file(&name, mistake));
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing(&name, path),
            _ => unreadable(&name, &error),
        })?;
        read(name, file)
    }

    fn read_stdin(&mut self) -> Result<(String, Vec<u8>), Failure> {
        match self.stdin {
            Stdin::Unread => self.stdin = Stdin::Read,
            Stdin::Read => {
                return Err(Diagnostic::error(
                    codes::STDIN_TWICE,
                    "standard input has already been read",
                )
                .hint("pass `-` for only one argument, and files for the others")
                .into());
            }
        }
        read("<stdin>".to_owned(), io::stdin().lock())
    }
}

/// One line of standard input: what a person answers.
pub(crate) fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

fn read(name: String, reader: impl Read) -> Result<(String, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    // One byte past the limit tells a file that fits from one that does not.
    let mut limited = reader.take(MAX_SIZE + 1);
    limited.read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
    if limited.limit() == 0 {
        let limit = MAX_SIZE >> 20;
        let message = format!("cannot read `{name}`: it is larger than {limit} MiB");
        let hint = "split it, or check that it is the file you meant";
        return Err(of_file(&name, Diagnostic::error(codes::FILE_TOO_LARGE, message).hint(hint)));
    }
    Ok((name, bytes))
}

fn text_of(name: String, bytes: Vec<u8>) -> Result<Source, Failure> {
    let text = String::from_utf8(bytes).map_err(|error| not_text(&name, error))?;
    let text = match text.strip_prefix(MARK) {
        Some(text) => text.to_owned(),
        None => text,
    };
    Ok(Source { name: Some(name), text })
}

/// A mistake about a file as a whole.
fn of_file(name: &str, mistake: Diagnostic) -> Failure {
    let source = Source { name: Some(name.to_owned()), text: String::new() };
    Failure::in_source(source, vec![mistake])
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    let message = format!("cannot read `{name}`: {error}");
    let mistake = Diagnostic::error(codes::FILE_UNREADABLE, message)
        .hint("check the path and its permissions");
    of_file(name, mistake)
}

/// A file that does not exist, with the file of its folder that was perhaps meant.
fn missing(name: &str, path: &Path) -> Failure {
    let message = format!("cannot read `{name}`: no such file");
    let mistake = Diagnostic::error(codes::FILE_MISSING, message);
    let mistake = match near_file(path) {
        Some(near) => mistake.hint(format!("did you mean `{}`?", near.display())),
        None => mistake,
    };
    of_file(name, mistake.hint("check the path; `-` reads standard input"))
}

/// The file beside a path whose name is nearest to it.
fn near_file(path: &Path) -> Option<PathBuf> {
    let typed = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let is_file = |entry: &std::fs::DirEntry| entry.path().is_file();
    let names: Vec<String> = entries
        .flatten()
        .filter(is_file)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    nearest(typed, names.iter().map(String::as_str)).map(|near| path.with_file_name(near))
}

fn not_text(name: &str, error: std::string::FromUtf8Error) -> Failure {
    let at = error.utf8_error().valid_up_to();
    // What precedes the bad byte is text, so that its line and column can be told.
    let mut bytes = error.into_bytes();
    bytes.truncate(at);
    let text = String::from_utf8(bytes).unwrap_or_default();
    let message = format!("cannot read `{name}`: it is not valid UTF-8 at byte {at}");
    let diagnostic = Diagnostic::error(codes::FILE_NOT_TEXT, message)
        .at(Span::new(at, at), "invalid UTF-8 starts here")
        .hint("save it as UTF-8");
    Failure::in_source(Source { name: Some(name.to_owned()), text }, vec![diagnostic])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T: std::fmt::Debug>(result: Result<T, Failure>) -> &'static str {
        match result {
            Err(Failure::Reported(reports)) => reports[0].diagnostics[0].code.as_str(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_byte_order_mark_is_left_out() {
        let source = text_of("a".to_owned(), "\u{feff}{}".into()).unwrap();
        assert_eq!(source, Source { name: Some("a".to_owned()), text: "{}".to_owned() });
    }

    #[test]
    fn what_cannot_be_read_has_a_code_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut inputs = Inputs::default();
        assert_eq!(code(inputs.read(&folder.path().join("none"))), "CLI0002");
        assert_eq!(code(inputs.read(folder.path())), "CLI0003");
        assert_eq!(code(text_of("a".to_owned(), b"ok \xff".to_vec())), "CLI0004");
        assert_eq!(code(read("a".to_owned(), io::repeat(b' '))), "CLI0005");
    }

    #[test]
    fn standard_input_is_read_once() {
        let mut inputs = Inputs { stdin: Stdin::Read };
        assert_eq!(code(inputs.read(Path::new("-"))), "CLI0007");
    }
}
