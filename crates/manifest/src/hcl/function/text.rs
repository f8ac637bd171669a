//! Functions of texts. Terraform counts what people take for one letter; here a letter is one code point.

use super::super::value::Datum;
use super::argument::{Arguments, Text};
use super::{Problem, Ran};

pub(super) fn join(arguments: &mut Arguments) -> Ran {
    let between = arguments.text(0)?;
    let mut text = Text::default();
    let mut is_first = true;
    for at in 1..arguments.count() {
        for item in arguments.texts(at)? {
            if !std::mem::take(&mut is_first) {
                text.push(&between)?;
            }
            text.push(&item)?;
        }
    }
    Ok(text.into_datum())
}

pub(super) fn split(arguments: &mut Arguments) -> Ran {
    let (between, text) = (arguments.text(0)?, arguments.text(1)?);
    let parts: Vec<Datum> = if between.is_empty() {
        text.chars().map(|c| Datum::text(c.to_string())).collect()
    } else {
        text.split(between.as_str()).map(Datum::text).collect()
    };
    Ok(Datum::list(parts))
}

pub(super) fn replace(arguments: &mut Arguments) -> Ran {
    let (text, from, to) = (arguments.text(0)?, arguments.text(1)?, arguments.text(2)?);
    if from.len() > 1 && from.starts_with('/') && from.ends_with('/') {
        return Err(Problem::Refused(
            "`/…/` is a regular expression, which Hangar does not evaluate",
        ));
    }
    let mut out = Text::default();
    let mut end = 0;
    for (at, found) in text.match_indices(from.as_str()) {
        out.push(&text[end..at])?;
        out.push(&to)?;
        end = at + found.len();
    }
    out.push(&text[end..])?;
    Ok(out.into_datum())
}

pub(super) fn upper(arguments: &mut Arguments) -> Ran {
    Ok(Datum::text(arguments.text(0)?.chars().map(upper_letter).collect::<String>()))
}

pub(super) fn lower(arguments: &mut Arguments) -> Ran {
    let lower = |c: char| single(c, c.to_lowercase());
    Ok(Datum::text(arguments.text(0)?.chars().map(lower).collect::<String>()))
}

pub(super) fn title(arguments: &mut Arguments) -> Ran {
    let mut begins = true;
    let titled = |c: char| {
        let letter = if begins { upper_letter(c) } else { c };
        begins = if c.is_ascii() { !(c.is_alphanumeric() || c == '_') } else { c.is_whitespace() };
        letter
    };
    Ok(Datum::text(arguments.text(0)?.chars().map(titled).collect::<String>()))
}

fn upper_letter(c: char) -> char {
    single(c, c.to_uppercase())
}

/// A letter stays one letter: what would be two is left as it is.
fn single(c: char, mut changed: impl Iterator<Item = char>) -> char {
    match (changed.next(), changed.next()) {
        (Some(changed), None) => changed,
        _ => c,
    }
}

pub(super) fn trim(arguments: &mut Arguments) -> Ran {
    let (text, letters) = (arguments.text(0)?, arguments.text(1)?);
    Ok(Datum::text(text.trim_matches(|c| letters.contains(c))))
}

pub(super) fn trimspace(arguments: &mut Arguments) -> Ran {
    Ok(Datum::text(arguments.text(0)?.trim()))
}

pub(super) fn trimprefix(arguments: &mut Arguments) -> Ran {
    let (text, prefix) = (arguments.text(0)?, arguments.text(1)?);
    Ok(Datum::text(text.strip_prefix(prefix.as_str()).unwrap_or(&text)))
}

pub(super) fn trimsuffix(arguments: &mut Arguments) -> Ran {
    let (text, suffix) = (arguments.text(0)?, arguments.text(1)?);
    Ok(Datum::text(text.strip_suffix(suffix.as_str()).unwrap_or(&text)))
}

pub(super) fn chomp(arguments: &mut Arguments) -> Ran {
    Ok(Datum::text(arguments.text(0)?.trim_end_matches(['\n', '\r'])))
}

pub(super) fn startswith(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(arguments.text(0)?.starts_with(arguments.text(1)?.as_str())))
}

pub(super) fn endswith(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(arguments.text(0)?.ends_with(arguments.text(1)?.as_str())))
}

pub(super) fn strcontains(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(arguments.text(0)?.contains(arguments.text(1)?.as_str())))
}

pub(super) fn strrev(arguments: &mut Arguments) -> Ran {
    Ok(Datum::text(arguments.text(0)?.chars().rev().collect::<String>()))
}

/// A negative offset counts from the end; a length of -1 takes all that follows.
pub(super) fn substr(arguments: &mut Arguments) -> Ran {
    let text = arguments.text(0)?;
    let (offset, length) = (arguments.integer(1)?, arguments.integer(2)?);
    let count = text.chars().count();
    let clamped = |it: i64| usize::try_from(it).unwrap_or(if it < 0 { 0 } else { usize::MAX });
    let start = match offset {
        0.. => clamped(offset),
        _ => count.saturating_sub(usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let length = if length < 0 { usize::MAX } else { clamped(length) };
    Ok(Datum::text(text.chars().skip(start).take(length).collect::<String>()))
}
