//! `format` and `formatlist`: texts by a pattern with verbs.

use super::super::decimal::Decimal;
use super::super::value::{Data, Datum};
use super::argument::{Arguments, Text};
use super::encode::{json_text, write_string};
use super::{MOST_TEXT, Problem, Ran};

/// Letters that a value may be widened to, and digits behind a point.
const WIDEST: usize = 1000;

pub(super) fn format(arguments: &mut Arguments) -> Ran {
    let pattern = arguments.text(0)?;
    arguments.take(0);
    let values = arguments.all();
    let text = formatted(&pattern, &values[1..])?;
    Ok(Datum::text(text))
}

/// Lists give one value to each text; all else is in all of them.
pub(super) fn formatlist(arguments: &mut Arguments) -> Ran {
    let pattern = arguments.text(0)?;
    let values = arguments.all();
    let lists = values[1..].iter().filter_map(Datum::elements);
    let mut lengths = lists.map(<[Datum]>::len);
    let length = lengths.next();
    if lengths.any(|other| Some(other) != length) {
        return Err(Problem::Wrong("all lists must have the same length".to_owned()));
    }
    let mut all = Vec::new();
    let mut size = 0;
    for at in 0..length.unwrap_or(1) {
        let of_this = |value: &Datum| match value.elements() {
            Some(items) => items.get(at).cloned().unwrap_or_else(Datum::null),
            None => value.clone(),
        };
        // A text that stands beside a list is there once for each of its elements.
        size += values[1..]
            .iter()
            .filter(|it| it.elements().is_none())
            .map(|it| it.weight() * 64)
            .sum::<usize>();
        if size > MOST_TEXT {
            return Err(Problem::TooMuch);
        }
        let row: Vec<Datum> = values[1..].iter().map(of_this).collect();
        let text = formatted(&pattern, &row)?;
        size += text.len();
        if size > MOST_TEXT {
            return Err(Problem::TooMuch);
        }
        all.push(Datum::text(text));
    }
    Ok(Datum::list(all))
}

/// What stands behind one `%`.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the notation")]
struct Verb {
    is_sharp: bool,
    is_zero: bool,
    is_left: bool,
    is_plus: bool,
    is_space: bool,
    width: Option<usize>,
    precision: Option<usize>,
    /// The argument, where its number is given.
    argument: Option<usize>,
    letter: char,
}

fn wrong<T>(problem: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Wrong(problem.into()))
}

fn formatted(pattern: &str, values: &[Datum]) -> Result<String, Problem> {
    let mut out = Text::default();
    let mut rest = pattern;
    let (mut next, mut most_used) = (0, 0);
    while let Some(at) = rest.find('%') {
        out.push(&rest[..at])?;
        let (verb, behind) = read(&rest[at + 1..])?;
        rest = behind;
        if verb.letter == '%' {
            out.push("%")?;
            continue;
        }
        if let Some(argument) = verb.argument {
            next = argument;
        }
        let Some(value) = values.get(next) else {
            return wrong(format!("there is no argument for `%{}`", verb.letter));
        };
        next += 1;
        most_used = most_used.max(next);
        out.push(&verb.write(value)?)?;
    }
    out.push(rest)?;
    if most_used < values.len() {
        return wrong(format!("too many arguments: {} passed, {most_used} used", values.len()));
    }
    Ok(out.into_string())
}

/// A verb, and what is behind it.
fn read(text: &str) -> Result<(Verb, &str), Problem> {
    let mut verb = Verb::default();
    let mut rest = text;
    while let Some(flag) = rest.chars().next() {
        match flag {
            '#' => verb.is_sharp = true,
            '0' => verb.is_zero = true,
            '-' => verb.is_left = true,
            '+' => verb.is_plus = true,
            ' ' => verb.is_space = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    (verb.width, rest) = digits(rest)?;
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = digits(behind)?;
        (verb.precision, rest) = (Some(precision.unwrap_or(0)), behind);
    }
    if let Some(behind) = rest.strip_prefix('[') {
        let (number, behind) = digits(behind)?;
        let number = number.and_then(|number| number.checked_sub(1));
        match (number, behind.strip_prefix(']')) {
            (Some(number), Some(behind)) => (verb.argument, rest) = (Some(number), behind),
            _ => return wrong("`[` must be followed by an argument number and `]`"),
        }
    }
    match rest.chars().next() {
        Some(letter) => {
            verb.letter = letter;
            Ok((verb, &rest[letter.len_utf8()..]))
        }
        None => wrong("the format ends after `%`"),
    }
}

fn digits(text: &str) -> Result<(Option<usize>, &str), Problem> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 {
        return Ok((None, text));
    }
    match text[..end].parse() {
        Ok(number) if number <= WIDEST => Ok((Some(number), &text[end..])),
        _ => wrong(format!("a width or precision must be at most {WIDEST}")),
    }
}

impl Verb {
    fn write(&self, value: &Datum) -> Result<String, Problem> {
        let needs = |what: &str| {
            Problem::Wrong(format!("`%{}` requires {what}, not {}", self.letter, value.noun()))
        };
        let number = || value.to_decimal().ok_or_else(|| needs("a number"));
        Ok(match self.letter {
            'v' => self.padded(&self.any(value)),
            't' => self.padded(&value.to_bool().ok_or_else(|| needs("a boolean"))?.to_string()),
            's' | 'q' => {
                let mut text = value.to_text().ok_or_else(|| needs("a string"))?;
                if let Some(precision) = self.precision {
                    text = text.chars().take(precision).collect();
                }
                if self.letter == 'q' {
                    let mut quoted = String::new();
                    write_string(&text, &mut quoted);
                    text = quoted;
                }
                self.padded(&text)
            }
            'd' => self.integer(&number()?)?,
            'b' | 'o' | 'x' | 'X' => {
                let number = number()?;
                let absolute = number.absolute();
                if !number.is_integer() {
                    return wrong(format!("`%{}` requires a whole number", self.letter));
                }
                let Ok(whole) = absolute.to_text().parse::<u128>() else {
                    return wrong("the number has too many digits");
                };
                let (prefix, digits) = match self.letter {
                    'b' => ("0b", format!("{whole:b}")),
                    'o' => ("0", format!("{whole:o}")),
                    'x' => ("0x", format!("{whole:x}")),
                    _ => ("0X", format!("{whole:X}")),
                };
                let prefix = if self.is_sharp { prefix } else { "" };
                self.signed(number.is_negative(), prefix, &digits)
            }
            'f' | 'F' => {
                let number = number()?;
                let places = self.precision.unwrap_or(6);
                self.signed(number.is_negative(), "", &fixed(&number.absolute(), places))
            }
            'e' | 'E' => {
                let number = number()?;
                let text =
                    scientific(&number.absolute(), Some(self.precision.unwrap_or(6)), self.letter);
                self.signed(number.is_negative(), "", &text)
            }
            'g' | 'G' => {
                let number = number()?;
                let text = general(&number.absolute(), self.precision, self.letter);
                self.signed(number.is_negative(), "", &text)
            }
            other => return wrong(format!("`%{other}` is not a format verb")),
        })
    }

    /// A value as it is: a text without quotes, and all that is no text or number as JSON.
    fn any(&self, value: &Datum) -> String {
        match &value.data {
            Data::Text(text) if !self.is_sharp => text.clone(),
            Data::Number(number) if !self.is_sharp => match Decimal::of_number(number) {
                Some(number) => {
                    let sign = if number.is_negative() { "-" } else { "" };
                    format!("{sign}{}", general(&number.absolute(), None, 'g'))
                }
                None => number.to_string(),
            },
            _ => json_text(value),
        }
    }

    fn integer(&self, number: &Decimal) -> Result<String, Problem> {
        if !number.is_integer() {
            return wrong("`%d` requires a whole number");
        }
        let mut digits = number.absolute().to_text();
        if let Some(precision) = self.precision {
            let missing = precision.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        Ok(self.signed(number.is_negative(), "", &digits))
    }

    /// Digits with their sign; zeros that widen stand between both.
    fn signed(&self, is_negative: bool, prefix: &str, digits: &str) -> String {
        let sign = match (is_negative, self.is_plus, self.is_space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        };
        let length = sign.len() + prefix.len() + digits.len();
        let missing = self.width.unwrap_or(0).saturating_sub(length);
        if self.is_zero && !self.is_left {
            return format!("{sign}{prefix}{}{digits}", "0".repeat(missing));
        }
        self.padded(&format!("{sign}{prefix}{digits}"))
    }

    fn padded(&self, text: &str) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        let fill = if self.is_zero && !self.is_left { "0" } else { " " };
        if self.is_left {
            return format!("{text}{}", " ".repeat(missing));
        }
        format!("{}{text}", fill.repeat(missing))
    }
}

/// A number that is not negative with so many digits behind the point.
fn fixed(number: &Decimal, places: usize) -> String {
    let mut text = number.rounded(places).to_text();
    if places > 0 {
        let point = text.find('.').unwrap_or(text.len());
        if point == text.len() {
            text.push('.');
        }
        let fraction = text.len() - point - 1;
        text.push_str(&"0".repeat(places.saturating_sub(fraction)));
    }
    text
}

/// `d.ddde+dd`; without a precision with all digits that there are.
fn scientific(number: &Decimal, precision: Option<usize>, letter: char) -> String {
    let number = match precision {
        Some(precision) => to_digits(number, precision + 1),
        None => number.clone(),
    };
    let (digits, point) = number.parts();
    let exponent = if digits.is_empty() { 0 } else { point - 1 };
    let letters: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    let (first, rest) = if letters.is_empty() { ("0", "") } else { letters.split_at(1) };
    let wanted = precision.unwrap_or(rest.len());
    let rest = format!("{rest}{}", "0".repeat(wanted.saturating_sub(rest.len())));
    let dot = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    let e = if letter.is_uppercase() { 'E' } else { 'e' };
    format!("{first}{dot}{rest}{e}{sign}{:02}", exponent.unsigned_abs())
}

/// Plain, or with an exponent where the number is very large or very small.
fn general(number: &Decimal, precision: Option<usize>, letter: char) -> String {
    let number = match precision {
        Some(precision) => to_digits(number, precision.max(1)),
        None => number.clone(),
    };
    let (digits, point) = number.parts();
    let exponent = if digits.is_empty() { 0 } else { point - 1 };
    // What has all its digits before the point is not lengthened by zeros for it.
    let most = match precision.map(|precision| precision.max(1)) {
        None => 6,
        Some(most) if most > digits.len() && digits.len().cast_signed() >= point => digits.len(),
        Some(most) => most,
    };
    if exponent < -4 || exponent >= most.cast_signed() {
        return scientific(&number, None, letter);
    }
    number.to_text()
}

/// Rounded to so many digits.
fn to_digits(number: &Decimal, count: usize) -> Decimal {
    let (digits, point) = number.parts();
    if digits.len() <= count {
        return number.clone();
    }
    let places = count.cast_signed() - point;
    if let Ok(places) = usize::try_from(places) {
        return number.rounded(places);
    }
    // Digits before the point go, too: rounded as a fraction and moved back.
    let shift = format!("1e{}", places.unsigned_abs());
    let Some(shift) = Decimal::parse(&shift) else { return number.clone() };
    let moved = number.divided_by(&shift).map(|it| it.rounded(0));
    moved.and_then(|it| it.times(&shift)).unwrap_or_else(|| number.clone())
}
