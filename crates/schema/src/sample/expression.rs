//! Text that fits a regular expression: the common subset of what schemas write, read into a tree
//! and played forwards.
//!
//! Look-arounds, word boundaries and back references are passed over: the caller checks what comes
//! out against the real expression and tries again.

#[cfg(test)]
mod tests;

use super::random::Random;

/// A regular expression as alternatives of sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expression(Vec<Vec<Part>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    atom: Atom,
    least: u32,
    /// None where the expression sets no end.
    most: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    /// Characters of which one is written; empty where a class allows nothing that we write.
    OneOf(Vec<char>),
    Group(Expression),
}

/// Expressions nested deeper than this are not played.
const MAX_DEPTH: usize = 32;

/// A text is cut after so many steps, whatever its quantifiers ask for.
const MAX_STEPS: usize = 8192;

impl Expression {
    /// Reads an expression; none where it uses what we do not know.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.chars().collect(), at: 0 };
        let expression = reader.alternatives(0)?;
        (reader.at == reader.rest.len()).then_some(expression)
    }

    /// A text that the expression describes, where open quantifiers repeat up to `stretch` times
    /// more than they must.
    pub(super) fn play(&self, random: &mut Random, stretch: u32) -> String {
        let mut player = Player { random, stretch, steps: MAX_STEPS, text: String::new() };
        player.write(self);
        player.text
    }
}

struct Player<'r> {
    random: &'r mut Random,
    stretch: u32,
    /// How much may still be written: `(a?){9999}` nested in itself would never end.
    steps: usize,
    text: String,
}

impl Player<'_> {
    fn write(&mut self, expression: &Expression) {
        let Some(sequence) = self.random.pick(&expression.0) else { return };
        for part in sequence {
            let most = part.most.unwrap_or(u32::MAX).min(part.least.saturating_add(self.stretch));
            let spread = most.saturating_sub(part.least) as usize;
            let count = part.least as usize + self.random.below(spread + 1);
            for _ in 0..count {
                let Some(left) = self.steps.checked_sub(1) else { return };
                self.steps = left;
                match &part.atom {
                    Atom::OneOf(choices) => self.text.extend(self.random.pick(choices)),
                    Atom::Group(inner) => self.write(inner),
                }
            }
        }
    }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let fits = wanted
            .chars()
            .enumerate()
            .all(|(offset, c)| self.rest.get(self.at + offset) == Some(&c));
        if fits {
            self.at += wanted.chars().count();
        }
        fits
    }

    fn alternatives(&mut self, depth: usize) -> Option<Expression> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut all = vec![self.sequence(depth)?];
        while self.take("|") {
            all.push(self.sequence(depth)?);
        }
        Some(Expression(all))
    }

    fn sequence(&mut self, depth: usize) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if next == '|' || next == ')' {
                break;
            }
            let Some(atom) = self.atom(depth)? else { continue };
            let (least, most) = self.quantifier();
            parts.push(Part { atom, least, most });
        }
        Some(parts)
    }

    /// `Some(None)` for what writes nothing: anchors, boundaries, look-arounds, flags.
    #[allow(clippy::option_option)]
    fn atom(&mut self, depth: usize) -> Option<Option<Atom>> {
        Some(match self.next()? {
            '^' | '$' => None,
            '.' => Some(Atom::OneOf(plain())),
            '[' => Some(Atom::OneOf(self.class()?)),
            '(' => return self.group(depth),
            '\\' => return self.escape(),
            literal => Some(Atom::OneOf(vec![literal])),
        })
    }

    #[allow(clippy::option_option)]
    fn group(&mut self, depth: usize) -> Option<Option<Atom>> {
        let is_look_around =
            ["?=", "?!", "?<=", "?<!"].into_iter().any(|opening| self.take(opening));
        if !is_look_around && self.take("?") {
            self.group_head()?;
            // `(?i)` holds no expression.
            if self.take(")") {
                return Some(None);
            }
        }
        let inner = self.alternatives(depth + 1)?;
        if !self.take(")") {
            return None;
        }
        if is_look_around {
            self.quantifier();
            return Some(None);
        }
        Some(Some(Atom::Group(inner)))
    }

    /// What stands between `(?` and the expression: `:`, flags, or a name.
    fn group_head(&mut self) -> Option<()> {
        if self.take("P<") || self.take("<") {
            while self.next()? != '>' {}
            return Some(());
        }
        loop {
            match self.peek()? {
                ')' => return Some(()),
                ':' => {
                    self.at += 1;
                    return Some(());
                }
                'a'..='z' | 'A'..='Z' | '-' => self.at += 1,
                _ => return None,
            }
        }
    }

    #[allow(clippy::option_option)]
    fn escape(&mut self) -> Option<Option<Atom>> {
        Some(match self.peek()? {
            'b' | 'B' | 'A' | 'Z' | 'z' | 'G' => {
                self.at += 1;
                None
            }
            '1'..='9' => return None,
            _ => Some(Atom::OneOf(self.escaped()?)),
        })
    }

    /// The characters that an escape stands for, after its backslash.
    fn escaped(&mut self) -> Option<Vec<char>> {
        Some(match self.next()? {
            'd' => digits(),
            'w' => word(),
            's' => vec![' '],
            'D' => without(&digits()),
            'W' => without(&word()),
            'S' => without(&[' ']),
            'n' => vec!['\n'],
            't' => vec!['\t'],
            'r' => vec!['\r'],
            'f' => vec!['\u{c}'],
            'v' => vec!['\u{b}'],
            '0' => vec!['\0'],
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'p' => self.category()?,
            'P' => without(&self.category()?),
            literal => vec![literal],
        })
    }

    /// A character by number; empty for one half of a surrogate pair, which no text holds.
    fn code(&mut self, digits: usize) -> Option<Vec<char>> {
        let mut hex = String::new();
        if self.take("{") {
            loop {
                match self.next()? {
                    '}' => break,
                    digit => hex.push(digit),
                }
            }
        } else {
            for _ in 0..digits {
                hex.push(self.next()?);
            }
        }
        let number = u32::from_str_radix(&hex, 16).ok()?;
        Some(char::from_u32(number).into_iter().collect())
    }

    fn category(&mut self) -> Option<Vec<char>> {
        let mut name = String::new();
        if self.take("{") {
            loop {
                match self.next()? {
                    '}' => break,
                    letter => name.push(letter),
                }
            }
        } else {
            name.push(self.next()?);
        }
        let matches = |wanted: fn(&char) -> bool| plain().into_iter().filter(wanted).collect();
        Some(match name.trim_start_matches("Is").chars().next()? {
            'L' | 'A' if name == "Lu" => matches(char::is_ascii_uppercase),
            'L' if name == "Ll" => matches(char::is_ascii_lowercase),
            'L' | 'A' => matches(char::is_ascii_alphabetic),
            'N' => digits(),
            'Z' => vec![' '],
            'P' => vec!['-', '_', '.', ':'],
            'S' => vec!['+', '='],
            'M' => vec!['\u{301}'],
            'C' => vec!['\u{1}'],
            _ => return None,
        })
    }

    fn class(&mut self) -> Option<Vec<char>> {
        let is_negated = self.take("^");
        let mut members: Vec<char> = Vec::new();
        let mut is_first = true;
        loop {
            if self.peek()? == ']' && !is_first {
                self.at += 1;
                break;
            }
            is_first = false;
            let low = self.class_member()?;
            // `[a-]` and `[\w-.]`: the hyphen is itself where no range can be.
            let is_range = self.peek() == Some('-')
                && !matches!(self.rest.get(self.at + 1), Some(']') | None)
                && low.len() <= 1;
            if !is_range {
                members.extend(low);
                continue;
            }
            self.at += 1;
            let high = self.class_member()?;
            match (low.first(), high.as_slice()) {
                (Some(&low), [high]) => members.extend(writable(low, *high)),
                // A range that ends in half a surrogate pair.
                (Some(&low), []) => members.extend(writable(low, '\u{ffff}')),
                (None, _) => {}
                (Some(&low), several) => {
                    members.push(low);
                    members.push('-');
                    members.extend(several);
                }
            }
        }
        members.sort_unstable();
        members.dedup();
        let chosen = if is_negated { without(&members) } else { members };
        // Plain characters where there are some: a control character is allowed more often than
        // it is meant.
        let visible: Vec<char> = chosen.iter().copied().filter(char::is_ascii_graphic).collect();
        Some(if visible.is_empty() { chosen } else { visible })
    }

    fn class_member(&mut self) -> Option<Vec<char>> {
        if self.take("[:") {
            return self.posix_class();
        }
        match self.next()? {
            '\\' => match self.peek()? {
                'b' => {
                    self.at += 1;
                    Some(vec!['\u{8}'])
                }
                _ => self.escaped(),
            },
            literal => Some(vec![literal]),
        }
    }

    fn posix_class(&mut self) -> Option<Vec<char>> {
        let mut name = String::new();
        while !self.take(":]") {
            name.push(self.next()?);
        }
        let matches = |wanted: fn(&char) -> bool| plain().into_iter().filter(wanted).collect();
        Some(match name.as_str() {
            "alpha" => matches(char::is_ascii_alphabetic),
            "digit" => digits(),
            "alnum" => matches(char::is_ascii_alphanumeric),
            "upper" => matches(char::is_ascii_uppercase),
            "lower" => matches(char::is_ascii_lowercase),
            "punct" => vec!['-', '_', '.'],
            "space" | "blank" => vec![' '],
            "graph" | "print" => plain(),
            _ => return None,
        })
    }

    fn quantifier(&mut self) -> (u32, Option<u32>) {
        let bounds = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted().unwrap_or((1, Some(1))),
            _ => return (1, Some(1)),
        };
        self.at += 1;
        self.modifier();
        bounds
    }

    /// `{2}`, `{2,}`, `{,5}`, `{2,5}`; a brace that counts nothing is a literal.
    fn counted(&mut self) -> Option<(u32, Option<u32>)> {
        let close = self.rest[self.at..].iter().position(|c| *c == '}')?;
        let inner: String = self.rest[self.at + 1..self.at + close].iter().collect();
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let bounds = match inner.split_once(',') {
            None => (number(&inner)?, number(&inner)),
            Some((least, "")) => (number(least)?, None),
            Some(("", most)) => (0, Some(number(most)?)),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        self.at += close + 1;
        self.modifier();
        Some(bounds)
    }

    /// Lazy and possessive quantifiers describe the same texts.
    fn modifier(&mut self) {
        if matches!(self.peek(), Some('?' | '+')) {
            self.at += 1;
        }
    }
}

/// What `.` may be: nothing that would need escaping somewhere.
fn plain() -> Vec<char> {
    ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['-', '_', '.', ':', '/', ' ']).collect()
}

fn digits() -> Vec<char> {
    ('0'..='9').collect()
}

fn word() -> Vec<char> {
    plain().into_iter().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn without(excluded: &[char]) -> Vec<char> {
    let kept: Vec<char> = plain().into_iter().filter(|c| !excluded.contains(c)).collect();
    if !kept.is_empty() {
        return kept;
    }
    "+=,@%é\t\n".chars().filter(|c| !excluded.contains(c)).collect()
}

/// A range cut to what is worth writing: its ASCII part, or its first characters.
fn writable(low: char, high: char) -> Vec<char> {
    (low..=high).take(128).filter(|c| !c.is_control() || low == *c).collect()
}
