//! Functions on URIs (RFC 3986): `uri`, `uriComponent`, `parseUri`, `buildUri`.

use super::arguments::Arguments;
use super::fault::Fault;
use super::{Function, MOST_BYTES, Parameter};
use crate::value::{Data, Kind, Members, Value};

const TEXT: Parameter = Parameter::new("text", "string");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "uri",
        &[Parameter::new("base", "string"), Parameter::new("relative", "string")],
        Some(Kind::String),
        uri,
        "Resolves a relative URI against a base URI.",
    ),
    Function::new(
        "uriComponent",
        &[TEXT],
        Some(Kind::String),
        uri_component,
        "Encodes a string for use in any part of a URI.",
    ),
    Function::new(
        "uriComponentToString",
        &[TEXT],
        Some(Kind::String),
        uri_component_to_string,
        "Decodes a part of a URI.",
    ),
    Function::new(
        "parseUri",
        &[Parameter::new("uri", "string")],
        Some(Kind::Object),
        parse_uri,
        "Splits a URI into scheme, host, port, path and query.",
    ),
    Function::new(
        "buildUri",
        &[Parameter::new("components", "object")],
        Some(Kind::String),
        build_uri,
        "Builds a URI from scheme, host, port, path and query.",
    ),
];

/// The parts of a URI, without what separates them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (rest, fragment) = optional(text.split_once('#'), text);
        let (rest, query) = optional(rest.split_once('?'), rest);
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, behind)) if is_scheme(scheme) => (Some(scheme), behind),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query, fragment }
    }

    fn written(&self, path: &str) -> String {
        let scheme = self.scheme.map(|it| format!("{it}:"));
        let authority = self.authority.map(|it| format!("//{it}"));
        let query = self.query.map(|it| format!("?{it}"));
        let fragment = self.fragment.map(|it| format!("#{it}"));
        let parts = [scheme, authority, Some(path.to_owned()), query, fragment];
        parts.into_iter().flatten().collect()
    }
}

fn optional<'a>(split: Option<(&'a str, &'a str)>, whole: &'a str) -> (&'a str, Option<&'a str>) {
    split.map_or((whole, None), |(before, behind)| (before, Some(behind)))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
}

fn uri(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let base = Parts::of(arguments.string(0)?);
    if base.scheme.is_none() || base.authority.is_none_or(str::is_empty) {
        return Err(arguments.refuses(0, "a URI with a scheme and a host, such as 'https://a.b/'"));
    }
    Ok(Value::string(resolved(base, Parts::of(arguments.string(1)?))))
}

/// RFC 3986, section 5.2.2.
fn resolved(base: Parts<'_>, relative: Parts<'_>) -> String {
    if relative.scheme.is_some() {
        return relative.written(&without_dots(relative.path));
    }
    if relative.authority.is_some() {
        let target = Parts { scheme: base.scheme, ..relative };
        return target.written(&without_dots(relative.path));
    }
    let target = Parts { fragment: relative.fragment, query: relative.query, ..base };
    if relative.path.is_empty() {
        let query = relative.query.or(base.query);
        let path = if base.path.is_empty() { "/" } else { base.path };
        return Parts { query, ..target }.written(path);
    }
    if relative.path.starts_with('/') {
        return target.written(&without_dots(relative.path));
    }
    let folder = base.path.rfind('/').map_or("/", |at| &base.path[..=at]);
    target.written(&without_dots(&format!("{folder}{}", relative.path)))
}

/// RFC 3986, section 5.2.4.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." && kept.len() > 1 {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

fn uri_component(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let escaped = escape(arguments.string(0)?);
    if escaped.len() > MOST_BYTES {
        return Err(arguments.too_large(MOST_BYTES, "bytes"));
    }
    Ok(Value::string(escaped))
}

fn uri_component_to_string(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(unescape(arguments.string(0)?)))
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.extend(format!("%{byte:02X}").chars());
        }
    }
    escaped
}

/// The text that percent sequences stand for. Those that stand for no UTF-8 stay as they are.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let bytes: Vec<u8> = rest.as_bytes().chunks(3).map_while(byte_of).collect();
        if bytes.is_empty() {
            plain.push('%');
            rest = &rest[1..];
        }
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            plain.push_str(chunk.valid());
            at += chunk.valid().len();
            plain.push_str(&rest[at * 3..(at + chunk.invalid().len()) * 3]);
            at += chunk.invalid().len();
        }
        rest = &rest[bytes.len() * 3..];
    }
    plain + rest
}

fn byte_of(sequence: &[u8]) -> Option<u8> {
    let [b'%', high, low] = sequence else { return None };
    let digit = |it: u8| char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
}

/// The port is null where the URI has none; the query has its `?`.
fn parse_uri(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let parts = Parts::of(arguments.string(0)?);
    let wrong = || arguments.refuses(0, "a URI with a scheme and a host, such as 'https://a.b/'");
    let scheme = parts.scheme.ok_or_else(wrong)?;
    let authority = parts.authority.filter(|it| !it.is_empty()).ok_or_else(wrong)?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port = match port.filter(|it| !it.is_empty()) {
        Some(port) => Value::int(i64::from(port.parse::<u16>().map_err(|_| wrong())?)),
        None => Value::NULL,
    };
    let query = parts.query.map(|it| format!("?{it}")).unwrap_or_default();
    let path = if parts.path.is_empty() { "/" } else { parts.path };
    Ok(Value::object(Members::from([
        ("scheme".into(), Value::string(scheme.to_ascii_lowercase())),
        ("host".into(), Value::string(host)),
        ("port".into(), port),
        ("path".into(), Value::string(path)),
        ("query".into(), Value::string(query)),
    ])))
}

fn build_uri(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    const KNOWN: &[&str] = &["scheme", "host", "port", "path", "query"];
    let components = arguments.object(0)?;
    if let Some(name) = components.keys().find(|it| !KNOWN.contains(&&***it)) {
        let name = arguments.quoted(0, name);
        let what =
            format!("has the unknown property {name}; allowed properties: {}", KNOWN.join(", "));
        return Err(arguments.faulty(0, &what));
    }
    let text = |name: &str| match components.get(name).map(|it| &it.data) {
        Some(Data::String(text)) => Ok(&**text),
        None | Some(Data::Null) => Ok(""),
        _ => Err(arguments.faulty(0, &format!("has a property `{name}` that is not a string"))),
    };
    let (scheme, host, path, query) =
        (text("scheme")?, text("host")?, text("path")?, text("query")?);
    if !is_scheme(scheme) || host.is_empty() || host.contains(['/', '?', '#']) {
        return Err(arguments.faulty(0, "must have a `scheme` and a `host`"));
    }
    let port = match components.get("port").map(|it| &it.data) {
        Some(Data::Int(port @ 0..=65535)) => format!(":{port}"),
        None | Some(Data::Null) => String::new(),
        _ => return Err(arguments.faulty(0, "must have a `port` from 0 to 65535, or none")),
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mark = if query.is_empty() || query.starts_with('?') { "" } else { "?" };
    Ok(Value::string(format!("{scheme}://{host}{port}{slash}{path}{mark}{query}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_rfc_come_out() {
        for (relative, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g?y#s", "http://a/b/c/g?y#s"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
        ] {
            let base = Parts::of("http://a/b/c/d;p?q");
            assert_eq!(resolved(base, Parts::of(relative)), expected, "{relative}");
        }
    }

    #[test]
    fn what_stands_for_no_text_stays_as_it_is() {
        assert_eq!(unescape("%20%25%20"), " % ");
        assert_eq!(unescape("a%FFb%C3%A9%C3"), "a%FFbé%C3");
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%é%4"), "%é%4");
    }

    proptest! {
        #[test]
        fn a_component_comes_back(text: String) {
            prop_assert_eq!(unescape(&escape(&text)), text);
        }

        #[test]
        fn no_text_is_too_strange(text in ".{0,40}", other in "[%a-c/.:?#é]{0,20}") {
            let _ = unescape(&other);
            let _ = resolved(Parts::of(&text), Parts::of(&other));
        }
    }
}
