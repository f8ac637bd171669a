//! Functions that read files of the project: `loadTextContent`, `loadJsonContent`, `loadDirectoryFileInfo` and the like.
//!
//! The bytes come from the [`Context`](super::Context); where a path may lead is decided there.

use super::arguments::Arguments;
use super::encode;
use super::fault::Fault;
use super::json::{self, PathFault};
use super::{Function, Parameter, yaml};
use crate::value::{Kind, Members, Value};

const PATH: Parameter = Parameter::new("path", "string");
const ENCODING: Parameter = Parameter::new("encoding", "string");
const PART: Parameter = Parameter::new("jsonPath", "string");

/// The limits that the documentation states: characters of a text, of a document, and bytes.
const MOST_TEXT: usize = 131_072;
const MOST_DOCUMENT: usize = 1_048_576;
const MOST_BINARY: usize = 96 * 1024;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "loadTextContent",
        &[PATH, ENCODING],
        Some(Kind::String),
        load_text,
        "Returns the text of a file; the default encoding is UTF-8.",
    )
    .least(1),
    Function::new(
        "loadFileAsBase64",
        &[PATH],
        Some(Kind::String),
        load_base64,
        "Returns the bytes of a file in base64.",
    ),
    Function::new(
        "loadJsonContent",
        &[PATH, PART, ENCODING],
        None,
        load_json,
        "Returns the JSON document in a file, or its part at a path such as `$.a[0]`.",
    )
    .least(1),
    Function::new(
        "loadYamlContent",
        &[PATH, PART, ENCODING],
        None,
        load_yaml,
        "Returns the YAML document in a file, or its part at a path such as `$.a[0]`.",
    )
    .least(1),
    Function::new(
        "loadDirectoryFileInfo",
        &[PATH, Parameter::new("pattern", "string")],
        Some(Kind::Array),
        load_directory,
        "Returns the files in a folder whose names match a pattern such as `*.json`: `baseName`, \
        `extension`, `relativePath`.",
    )
    .least(1),
];

fn load_text(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    text(arguments, 1, MOST_TEXT).map(Value::string)
}

fn load_base64(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let bytes = file(arguments)?;
    if bytes.len() > MOST_BINARY {
        let what = format!("is a file with more than {MOST_BINARY} bytes");
        return Err(arguments.faulty(0, &what));
    }
    Ok(Value::string(encode::encode(&bytes)))
}

fn load_json(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = text(arguments, 2, MOST_DOCUMENT)?;
    let document = json::parse(&text).map_err(|wrong| {
        arguments.faulty(0, &format!("is a file that is not valid JSON: {wrong}"))
    })?;
    part(arguments, &document)
}

fn load_yaml(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = text(arguments, 2, MOST_DOCUMENT)?;
    // JSON with comments is read here, too.
    let document =
        yaml::parse(&text).or_else(|wrong| json::parse(&text).map_err(|_| wrong)).map_err(
            |wrong| arguments.faulty(0, &format!("is a file that is not valid YAML: {wrong}")),
        )?;
    part(arguments, &document)
}

fn part(arguments: &Arguments<'_>, document: &serde_json::Value) -> Result<Value, Fault> {
    let path = arguments.optional_string(1)?.map_or("", |it| it);
    match json::pick(document, path) {
        Ok(part) => Ok(Value::from_json(part, false)),
        Err(PathFault::Nowhere(step)) => {
            let step = arguments.quoted(1, &step);
            let what = format!("does not exist in the file: {step} was not found");
            Err(arguments.faulty(1, &what))
        }
        Err(PathFault::NotSupported) => {
            let fault = arguments.faulty(1, "has segments that are not supported yet");
            Err(fault.hint("write properties and indexes, as in `$.a['b c'][0]`"))
        }
    }
}

/// Each file as `{ baseName, extension, relativePath }`, in the order of the names.
fn load_directory(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let path = arguments.string(0)?;
    if arguments.value(0)?.secret {
        return Err(arguments.faulty(0, "is a secret, but a path cannot be a secret"));
    }
    let pattern = arguments.optional_string(1)?.map_or("*", |it| it);
    let files = arguments.context.folder(path).map_err(|fault| of_argument(fault, 0))?;
    let is_taken = |path: &&String| matches_pattern(name_of(path), pattern);
    let files: Vec<Value> = files.iter().filter(is_taken).map(|it| file_info(it)).collect();
    if files.is_empty() {
        let what =
            format!("is a folder that was not found, or that has no file that matches `{pattern}`");
        return Err(arguments
            .faulty(0, &what)
            .hint("only files inside the project folder can be read"));
    }
    Ok(Value::array(files))
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn file_info(path: &str) -> Value {
    let name = name_of(path);
    let extension = name.rfind('.').map_or("", |at| &name[at..]);
    Value::object(Members::from([
        ("baseName".into(), Value::string(name)),
        ("extension".into(), Value::string(extension)),
        ("relativePath".into(), Value::string(path)),
    ]))
}

/// Whether a name is like a pattern, in which `*` stands for any text and `?` for one character.
pub(crate) fn matches_pattern(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) =
        (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The last star, and where it was tried last.
    let mut star = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(it) if *it == '?' || *it == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((before, tried)) = star else { return false };
                star = Some((before, tried + 1));
                at = before + 1;
                read = tried + 1;
            }
        }
    }
    pattern[at..].iter().all(|it| *it == '*')
}

fn file(arguments: &Arguments<'_>) -> Result<std::sync::Arc<[u8]>, Fault> {
    let path = arguments.string(0)?;
    if arguments.value(0)?.secret {
        // Whoever looks for files names the path when there is none.
        return Err(arguments.faulty(0, "is a secret, but a path cannot be a secret"));
    }
    arguments.context.file(path).map_err(|fault| of_argument(fault, 0))
}

/// The context that looks for files does not know which argument named one.
fn of_argument(fault: Fault, argument: usize) -> Fault {
    match fault {
        Fault::Wrong { argument: None, message, hint } => {
            Fault::Wrong { argument: Some(argument), message, hint }
        }
        other => other,
    }
}

fn text(arguments: &Arguments<'_>, encoding: usize, most: usize) -> Result<String, Fault> {
    let name = arguments.optional_string(encoding)?.map_or("utf-8", |it| it);
    let read = Encoding::named(name).ok_or_else(|| {
        arguments.refuses(encoding, "'utf-8', 'utf-16', 'utf-16BE', 'us-ascii' or 'iso-8859-1'")
    })?;
    let bytes = file(arguments)?;
    // No encoding has more than four bytes for a character: what is larger need not be decoded.
    let text = (bytes.len() <= most * 4 + 4).then(|| read.decode(&bytes));
    let text = match text {
        Some(Some(text)) => text,
        Some(None) => {
            let what = format!("is a file that is not {name} text");
            return Err(arguments.faulty(0, &what));
        }
        None => String::new(),
    };
    if bytes.len() > most * 4 + 4 || super::units::length(&text) > most {
        let what = format!("is a file with more than {most} characters");
        return Err(arguments.faulty(0, &what));
    }
    Ok(text)
}

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Ascii,
    Latin1,
    Utf8,
    Utf16Little,
    Utf16Big,
}

impl Encoding {
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "us-ascii" => Self::Ascii,
            "iso-8859-1" => Self::Latin1,
            "utf-8" => Self::Utf8,
            "utf-16" => Self::Utf16Little,
            "utf-16be" => Self::Utf16Big,
            _ => return None,
        })
    }

    /// The text without the mark of its byte order; nothing if the bytes are no such text.
    fn decode(self, bytes: &[u8]) -> Option<String> {
        let text = match self {
            Self::Ascii if !bytes.is_ascii() => return None,
            Self::Latin1 => bytes.iter().copied().map(char::from).collect(),
            Self::Ascii | Self::Utf8 => std::str::from_utf8(bytes).ok()?.to_owned(),
            Self::Utf16Little => wide(bytes, u16::from_le_bytes)?,
            Self::Utf16Big => wide(bytes, u16::from_be_bytes)?,
        };
        Some(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
    }
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|it| unit(*it)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}
