//! Functions that read files of the project: `loadTextContent`, `loadFileAsBase64`, `loadJsonContent`.
//!
//! The bytes come from the [`Context`](super::Context); where a path may lead is decided there.

use super::arguments::Arguments;
use super::encode;
use super::fault::Fault;
use super::json::{self, PathFault};
use super::{Function, Parameter};
use crate::value::{Kind, Value};

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
        "The text of a file, in UTF-8 unless another encoding is given.",
    )
    .least(1),
    Function::new(
        "loadFileAsBase64",
        &[PATH],
        Some(Kind::String),
        load_base64,
        "The bytes of a file in base64.",
    ),
    Function::new(
        "loadJsonContent",
        &[PATH, PART, ENCODING],
        None,
        load_json,
        "The JSON document in a file, or the part of it at a path such as `$.a[0]`.",
    )
    .least(1),
    Function::new(
        "loadYamlContent",
        &[PATH, PART, ENCODING],
        None,
        load_yaml,
        "The YAML document in a file; only what is JSON as well is read so far.",
    )
    .least(1),
    Function::new(
        "loadDirectoryFileInfo",
        &[PATH, Parameter::new("pattern", "string")],
        Some(Kind::Array),
        load_directory,
        "The files in a folder. Not supported yet.",
    )
    .least(1),
];

fn load_text(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    text(arguments, 1, MOST_TEXT).map(Value::string)
}

fn load_base64(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let bytes = file(arguments)?;
    if bytes.len() > MOST_BINARY {
        let what = format!("names a file of more than {MOST_BINARY} bytes");
        return Err(arguments.faulty(0, &what));
    }
    Ok(Value::string(encode::encode(&bytes)))
}

fn load_json(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = text(arguments, 2, MOST_DOCUMENT)?;
    let document = json::parse(&text)
        .map_err(|wrong| arguments.faulty(0, &format!("names a file that is no JSON: {wrong}")))?;
    part(arguments, &document)
}

fn load_yaml(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = text(arguments, 2, MOST_DOCUMENT)?;
    let document = json::parse(&text).map_err(|_| {
        let fault = arguments.faulty(0, "names a file in YAML, which is not supported yet");
        fault.hint("write the file as JSON, and read it with `loadJsonContent`")
    })?;
    part(arguments, &document)
}

fn part(arguments: &Arguments<'_>, document: &serde_json::Value) -> Result<Value, Fault> {
    let path = arguments.optional_string(1)?.map_or("", |it| it);
    match json::pick(document, path) {
        Ok(part) => Ok(Value::from_json(part, false)),
        Err(PathFault::Nowhere(step)) => {
            let step = arguments.quoted(1, &step);
            let what = format!("leads nowhere in the file: there is no {step}");
            Err(arguments.faulty(1, &what))
        }
        Err(PathFault::NotSupported) => {
            let fault = arguments.faulty(1, "has steps that are not supported yet");
            Err(fault.hint("members and indices are: `$.a['b c'][0]`"))
        }
    }
}

fn load_directory(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let name = arguments.function.name;
    let fault = Fault::call(format!("`{name}` is not supported yet"));
    Err(fault.hint("list the files in the template, and read each with `loadTextContent`"))
}

fn file(arguments: &Arguments<'_>) -> Result<std::sync::Arc<[u8]>, Fault> {
    let path = arguments.string(0)?;
    if arguments.value(0)?.secret {
        // Whoever looks for files names the path when there is none.
        return Err(arguments.faulty(0, "is secret, but must be a plain path"));
    }
    arguments.context.file(path).map_err(|fault| match fault {
        // Whoever looks for files does not know which argument named this one.
        Fault::Wrong { argument: None, message, hint } => {
            Fault::Wrong { argument: Some(0), message, hint }
        }
        other => other,
    })
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
            let what = format!("names a file that is no text in {name}");
            return Err(arguments.faulty(0, &what));
        }
        None => String::new(),
    };
    if bytes.len() > most * 4 + 4 || super::units::length(&text) > most {
        let what = format!("names a file of more than {most} characters");
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
