//! Literals of HCL's native syntax: what an expression says where nothing must be evaluated.

use serde_json::{Number, Value};

use super::native::Scan;
use super::tree::Term;

/// Literals nested deeper than this are left as text.
const MAX_DEPTH: usize = 32;

/// What the expression says; `Term::Other` with its text where it is no literal.
pub(super) fn parse(text: &str) -> Term {
    let mut scan = Scan::new(text);
    let term = term(&mut scan, 0);
    scan.skip_blank();
    match term {
        Some(term) if scan.rest().is_empty() => term,
        _ => Term::Other(text.to_owned()),
    }
}

/// The text that a quoted string stands for, if no template is in it.
pub(super) fn string(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(next) = rest.chars().next() {
        if let Some(literal) = ["$${", "%%{"].into_iter().find(|it| rest.starts_with(it)) {
            out.push_str(&literal[1..]);
            rest = &rest[3..];
            continue;
        }
        if rest.starts_with("${") || rest.starts_with("%{") {
            return None;
        }
        rest = &rest[next.len_utf8()..];
        if next == '\\' {
            rest = escape(rest, &mut out)?;
        } else {
            out.push(next);
        }
    }
    Some(out)
}

/// Reads what follows a backslash; what is left behind it.
fn escape<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let kind = rest.chars().next()?;
    let digits = match kind {
        'n' => return pushed(out, '\n', rest),
        'r' => return pushed(out, '\r', rest),
        't' => return pushed(out, '\t', rest),
        '"' | '\\' => return pushed(out, kind, rest),
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code = u32::from_str_radix(rest.get(1..=digits)?, 16).ok()?;
    out.push(char::from_u32(code)?);
    rest.get(1 + digits..)
}

fn pushed<'a>(out: &mut String, it: char, rest: &'a str) -> Option<&'a str> {
    out.push(it);
    rest.get(1..)
}

fn term(scan: &mut Scan<'_>, depth: usize) -> Option<Term> {
    if depth == MAX_DEPTH {
        return None;
    }
    scan.skip_blank();
    match scan.peek()? {
        '"' => {
            let rest = scan.rest();
            let from = scan.at();
            scan.quoted()?;
            string(&rest[..scan.at() - from]).map(|text| Term::Scalar(Value::String(text)))
        }
        '[' => list(scan, depth),
        '{' => object(scan, depth),
        '<' => heredoc(scan),
        '-' | '0'..='9' => number(scan),
        _ => word(scan),
    }
}

/// `null`, a boolean, or a reference by names alone, such as `aws.east`.
fn word(scan: &mut Scan<'_>) -> Option<Term> {
    let first = scan.identifier()?;
    let mut path = first.to_owned();
    while scan.rest().starts_with('.') {
        scan.bump();
        path.push('.');
        path.push_str(scan.identifier()?);
    }
    Some(match path.as_str() {
        "null" => Term::Scalar(Value::Null),
        "true" => Term::Scalar(Value::Bool(true)),
        "false" => Term::Scalar(Value::Bool(false)),
        _ => Term::Other(path),
    })
}

fn number(scan: &mut Scan<'_>) -> Option<Term> {
    let rest = scan.rest();
    let mut before = ' ';
    let end = rest
        .find(|c: char| {
            let is_part = c.is_ascii_digit()
                || matches!(c, '.' | 'e' | 'E')
                || (matches!(c, '-' | '+') && matches!(before, ' ' | 'e' | 'E'));
            before = c;
            !is_part
        })
        .unwrap_or(rest.len());
    let value: Number = serde_json::from_str(&rest[..end]).ok()?;
    for _ in 0..end {
        scan.bump();
    }
    Some(Term::Scalar(Value::Number(value)))
}

fn list(scan: &mut Scan<'_>, depth: usize) -> Option<Term> {
    scan.bump();
    let mut items = Vec::new();
    loop {
        scan.skip_blank();
        if scan.peek()? == ']' {
            scan.bump();
            return Some(Term::List(items));
        }
        items.push(term(scan, depth + 1)?);
        scan.skip_blank();
        match scan.peek()? {
            ',' => scan.bump(),
            ']' => {}
            _ => return None,
        }
    }
}

fn object(scan: &mut Scan<'_>, depth: usize) -> Option<Term> {
    scan.bump();
    let mut members: Vec<(String, Term)> = Vec::new();
    loop {
        scan.skip_blank();
        let name = match scan.peek()? {
            '}' => {
                scan.bump();
                return Some(Term::Object(members));
            }
            '"' => match term(scan, depth + 1)? {
                Term::Scalar(Value::String(name)) => name,
                _ => return None,
            },
            _ => scan.identifier()?.to_owned(),
        };
        scan.skip_blank();
        if !matches!(scan.peek()?, '=' | ':') {
            return None;
        }
        scan.bump();
        let value = term(scan, depth + 1)?;
        // Of two members of one name HCL keeps the later.
        members.retain(|(earlier, _)| *earlier != name);
        members.push((name, value));
        let before = scan.rest();
        scan.skip_blank();
        let passed = &before[..before.len() - scan.rest().len()];
        match scan.peek()? {
            ',' => scan.bump(),
            '}' => {}
            _ if passed.contains('\n') => {}
            _ => return None,
        }
    }
}

/// A heredoc without templates: its lines, less what all are indented by where it was written `<<-`.
fn heredoc(scan: &mut Scan<'_>) -> Option<Term> {
    let rest = scan.rest();
    let (is_flush, opening) = match rest.strip_prefix("<<-") {
        Some(opening) => (true, opening),
        None => (false, rest.strip_prefix("<<")?),
    };
    let (marker, content) = opening.split_once('\n')?;
    let marker = marker.trim();
    let mut lines = Vec::new();
    let mut used = rest.len() - content.len();
    for line in content.split_inclusive('\n') {
        if line.trim() == marker {
            used += line.trim_end_matches(['\n', '\r']).len();
            while scan.rest().len() > rest.len() - used {
                scan.bump();
            }
            return joined(&lines, is_flush).map(|text| Term::Scalar(Value::String(text)));
        }
        used += line.len();
        lines.push(line);
    }
    None
}

fn joined(lines: &[&str], is_flush: bool) -> Option<String> {
    // Lines of nothing but white space neither count nor change.
    let is_blank = |line: &str| line.trim().is_empty();
    let indent_of = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count();
    let least = lines.iter().copied().filter(|line| !is_blank(line)).map(indent_of).min();
    let indent = least.filter(|_| is_flush).unwrap_or(0);
    let cut = |line: &str| -> String {
        line.chars().skip(if is_blank(line) { 0 } else { indent }).collect()
    };
    let text: String = lines.iter().map(|line| cut(line)).collect();
    let plain = text.replace("$${", "").replace("%%{", "");
    if plain.contains("${") || plain.contains("%{") {
        return None;
    }
    Some(text.replace("$${", "${").replace("%%{", "%{"))
}
