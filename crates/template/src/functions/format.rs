//! `format`: a text with holes that values are put into, after .NET's composite formatting.
//!
//! A hole is `{index}`, `{index,width}` or `{index:format}`. Of the formats for numbers those are read that
//! mean the same everywhere: `D`, `X`, `x` and `G`, with or without a number of digits, `N` and `F` with one, and
//! zeros (`000`). Any other is refused rather than guessed at.

use super::arguments::Arguments;
use super::fault::Fault;
use super::render::{self, Quote, Text};
use super::{Function, MOST_BYTES, Parameter, units};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "format",
    &[Parameter::new("format", "string"), Parameter::new("values", "any")],
    Some(Kind::String),
    format,
    "Replaces the placeholders of a string with values: `{0}` is the first value.",
)
.least(1)
.repeated()];

fn format(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let too_large = |_| arguments.too_large(MOST_BYTES, "bytes");
    let mut text = Text::default();
    for piece in pieces(arguments.string(0)?).map_err(|what| arguments.faulty(0, what))? {
        match piece {
            Piece::Text(piece) => text.push(piece).map_err(too_large)?,
            Piece::Hole(hole) => text.push(&filled(arguments, hole)?).map_err(too_large)?,
        }
    }
    Ok(text.into_value())
}

#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Hole(Hole<'a>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hole<'a> {
    index: usize,
    /// How wide it is at least; less than nothing is filled on the right.
    width: i64,
    format: &'a str,
}

fn pieces(format: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        if behind.starts_with("{{") || behind.starts_with("}}") {
            pieces.push(Piece::Text(&behind[..1]));
            rest = &behind[2..];
        } else if let Some(behind) = behind.strip_prefix('{') {
            let (hole, behind) = behind.split_once('}').ok_or("has a `{` without a `}`")?;
            pieces.push(Piece::Hole(
                Hole::parse(hole).ok_or(
                    "has a placeholder that is not of the form `{0}`, `{0,10}` or `{0:D3}`",
                )?,
            ));
            rest = behind;
        } else {
            return Err("has a `}` without a `{`; write a literal brace twice");
        }
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

impl<'a> Hole<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (place, format) = text.split_once(':').unwrap_or((text, ""));
        let (index, width) = place.split_once(',').unwrap_or((place, "0"));
        let index = index.trim_end();
        if !index.bytes().all(|it| it.is_ascii_digit()) || format.contains('{') {
            return None;
        }
        let width =
            width.trim().parse().ok().filter(|it| (-MOST_WIDTH..=MOST_WIDTH).contains(it))?;
        Some(Self { index: index.parse().ok()?, width, format })
    }
}

const MOST_WIDTH: i64 = 10_000;

fn filled(arguments: &Arguments<'_>, hole: Hole<'_>) -> Result<String, Fault> {
    if hole.index >= arguments.count() - 1 {
        let count = arguments.count() - 1;
        let what = format!(
            "has the placeholder `{{{}}}`, but the number of values is {count}",
            hole.index
        );
        return Err(arguments.faulty(0, &what));
    }
    let value = arguments.value(hole.index + 1)?;
    let text = match value.data {
        Data::Int(number) if !hole.format.is_empty() => {
            number_as(number, hole.format).ok_or_else(|| {
                let format = arguments.quoted(0, hole.format);
                let what = format!("has the format {format}, which is not supported");
                let fault = arguments.faulty(0, &what);
                fault.hint(
                    "use D, X, x or G, N or F with digits (`N0`), or zeros (`000`) for an int",
                )
            })?
        }
        _ => {
            let mut text = Text::default();
            render::write(&mut text, value, Quote::Single)
                .map_err(|_| arguments.too_large(MOST_BYTES, "bytes"))?;
            text.into_string()
        }
    };
    let width = usize::try_from(hole.width.unsigned_abs()).unwrap_or(0);
    let filling = " ".repeat(width.saturating_sub(units::length(&text)));
    Ok(if hole.width < 0 { text + &filling } else { filling + &text })
}

/// A number in one of the formats that are the same in all places.
fn number_as(number: i64, format: &str) -> Option<String> {
    if format.bytes().all(|it| it == b'0') {
        return padded(number, format.len());
    }
    let (kind, digits) = format.split_at_checked(1)?;
    let digits: Option<usize> = match digits {
        "" => None,
        _ if digits.bytes().all(|it| it.is_ascii_digit()) => {
            Some(digits.parse().ok().filter(|it| *it <= MOST_DIGITS)?)
        }
        _ => return None,
    };
    match (kind, digits) {
        ("D" | "d", digits) => padded(number, digits.unwrap_or(0)),
        ("X", digits) => Some(format!("{number:0width$X}", width = digits.unwrap_or(0))),
        ("x", digits) => Some(format!("{number:0width$x}", width = digits.unwrap_or(0))),
        ("G" | "g", None) => Some(number.to_string()),
        ("N" | "n", Some(digits)) => Some(grouped(number) + &fraction(digits)),
        ("F" | "f", Some(digits)) => Some(number.to_string() + &fraction(digits)),
        _ => None,
    }
}

const MOST_DIGITS: usize = 99;

/// The number with at least so many digits; the sign is none.
fn padded(number: i64, digits: usize) -> Option<String> {
    let sign = if number < 0 { "-" } else { "" };
    (digits <= MOST_DIGITS).then(|| format!("{sign}{:0digits$}", number.unsigned_abs()))
}

fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn fraction(digits: usize) -> String {
    if digits == 0 { String::new() } else { format!(".{}", "0".repeat(digits)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_their_format_says() {
        for (number, format, text) in [
            (8_175_133, "N0", "8,175,133"),
            (-1234, "N2", "-1,234.00"),
            (999, "N0", "999"),
            (42, "D5", "00042"),
            (-42, "D5", "-00042"),
            (42, "000", "042"),
            (255, "X", "FF"),
            (255, "x4", "00ff"),
            (-1, "X", "FFFFFFFFFFFFFFFF"),
            (7, "F1", "7.0"),
            (i64::MIN, "G", "-9223372036854775808"),
        ] {
            assert_eq!(number_as(number, format).as_deref(), Some(text), "{format}");
        }
        for format in ["C", "P", "E2", "N", "F", "#,#", "0.0", "D100", "é", "D-1"] {
            assert_eq!(number_as(1, format), None, "{format}");
        }
    }

    #[test]
    fn holes_are_read() {
        let hole = |index, width, format| {
            Ok(vec![Piece::Text(""), Piece::Hole(Hole { index, width, format }), Piece::Text("")])
        };
        assert_eq!(pieces("{0}"), hole(0, 0, ""));
        assert_eq!(pieces("{12,-5:N0}"), hole(12, -5, "N0"));
        for wrong in
            ["{", "}", "{}", "{a}", "{-1}", "{0,}", "{0", "{0:{}", "{99999999999999999999}"]
        {
            assert!(pieces(wrong).is_err(), "{wrong}");
        }
    }
}
