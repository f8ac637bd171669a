//! Tokens as text: `${Token[…]}` and its sisters, also with other letters or escaped.

use super::{Family, Form, RawToken};

/// Names are short; this keeps one `[` without an end from being looked at again and again.
const MAX_NAME: usize = 256;

pub(super) fn find(text: &str) -> Vec<RawToken> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut done = 0;
    // Of the letters of `token` the rarest is `k`.
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| matches!(byte, b'k' | b'K')) {
        let k = at + next;
        at = k + 1;
        let Some(word) = k.checked_sub(2).filter(|start| *start >= done) else { continue };
        if !bytes.get(word..word + 5).is_some_and(|word| word.eq_ignore_ascii_case(b"token")) {
            continue;
        }
        if let Some(token) = token(text, word, done) {
            done = token.range.end;
            at = done;
            found.push(token);
        }
    }
    found
}

/// The token whose word `token` stands there.
fn token(text: &str, word: usize, after: usize) -> Option<RawToken> {
    let bytes = text.as_bytes();
    let (family, begin) = match word.checked_sub(2).and_then(|tf| bytes.get(tf..word)) {
        Some(tf) if tf.eq_ignore_ascii_case(b"tf") => (Family::Cdktf, word - 2),
        _ => (Family::AwsCdk, word),
    };
    let (brace, escaped_brace) = before(bytes, begin, b"{")?;
    let (start, escaped_sigil) = before(bytes, brace.start, b"$#&")?;
    if start.start < after {
        return None;
    }
    let (open, escaped_open) = unit(bytes, word + 5)?;
    if open.byte != b'[' {
        return None;
    }
    let mut name = Vec::new();
    let mut escaped = escaped_brace || escaped_sigil || escaped_open;
    let mut at = open.end;
    let is_exact = match family {
        Family::AwsCdk => &bytes[begin..word + 5] == b"Token",
        Family::Cdktf => &bytes[begin..word + 5] == b"TfToken",
    };
    let cut = |name: &[u8]| -> Option<RawToken> {
        let name = std::str::from_utf8(name).ok()?;
        let is_known = is_exact && (family == Family::Cdktf || name.starts_with("TOKEN"));
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":._-]".contains(&byte));
        (is_known && is_name).then(|| RawToken {
            range: start.start..text.len(),
            form: Form::Cut,
            family,
            name: name.to_owned(),
        })
    };
    loop {
        let Some((next, was_escaped)) = unit(bytes, at) else { return cut(&name) };
        at = next.end;
        escaped |= was_escaped;
        if next.byte == b']' {
            break;
        }
        name.push(next.byte);
        if name.len() > MAX_NAME {
            return None;
        }
    }
    let Some((close, escaped_close)) = unit(bytes, at) else {
        name.push(b']');
        return cut(&name);
    };
    let name = String::from_utf8(name).ok()?;
    let (_, number) = name.rsplit_once('.')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if close.byte != b'}' || !is_number {
        return None;
    }
    let form = match start.byte {
        _ if escaped || escaped_close => Form::Escaped,
        _ if !is_exact => Form::LowerCased,
        b'#' => Form::List,
        b'&' => Form::Map,
        _ => Form::Text,
    };
    Some(RawToken { range: start.start..close.end, form, family, name })
}

/// One byte as it is meant, and where it is written.
struct Unit {
    byte: u8,
    start: usize,
    end: usize,
}

/// The byte that begins there, and whether it is escaped: `%7B` of URLs, or `\u007b` of JSON.
fn unit(bytes: &[u8], at: usize) -> Option<(Unit, bool)> {
    let rest = bytes.get(at..)?;
    let escape = match rest {
        [b'%', high, low, ..] => hex(*high, *low).map(|byte| (byte, 3)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => hex(*high, *low).map(|byte| (byte, 6)),
        _ => None,
    };
    match escape {
        Some((byte, length)) => Some((Unit { byte, start: at, end: at + length }, true)),
        None => Some((Unit { byte: *rest.first()?, start: at, end: at + 1 }, false)),
    }
}

/// The byte that ends there, where it is one of those.
fn before(bytes: &[u8], end: usize, wanted: &[u8]) -> Option<(Unit, bool)> {
    for length in [1, 3, 6] {
        let Some(start) = end.checked_sub(length) else { break };
        if let Some((unit, escaped)) = unit(bytes, start)
            && unit.end == end
            && wanted.contains(&unit.byte)
        {
            return Some((unit, escaped));
        }
    }
    None
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}
