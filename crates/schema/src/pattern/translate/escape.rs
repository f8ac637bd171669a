//! What may follow a backslash, in a class or outside.

use super::{Reason, Translator};

/// What an escape stands for.
pub(super) enum Escape {
    Char(char),
    /// Java's `\Q…\E`.
    Text(String),
    /// Half of a surrogate pair.
    Surrogate,
    /// Members of a class.
    Set(String),
    Space,
    NotSpace,
    /// An assertion or a reference, already in our engine's spelling; not for classes.
    Raw(String),
}

/// The Unicode general categories, which all dialects spell alike, by their ASCII members: on
/// other texts the answer is `Unknown` anyway, and the full tables take milliseconds to compile.
const CATEGORIES: &[(&[&str], &str)] = &[
    (&["L"], "A-Za-z"),
    (&["Lu"], "A-Z"),
    (&["Ll"], "a-z"),
    (&["N", "Nd"], "0-9"),
    (&["P"], r##"!"#%\&'()*,\-./:;?@\[\\\]_{}"##),
    (&["Pc"], "_"),
    (&["Pd"], r"\-"),
    (&["Ps"], r"(\[{"),
    (&["Pe"], r")\]}"),
    (&["Po"], r##"!"#%\&'*,./:;?@\\"##),
    (&["S"], r"$+<=>\^`|\~"),
    (&["Sm"], r"+<=>|\~"),
    (&["Sc"], r"$"),
    (&["Sk"], r"\^`"),
    (&["Z", "Zs"], " "),
    (&["C", "Cc"], r"\x00-\x1F\x7F"),
    (&["Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "Nl", "No", "Pi", "Pf", "So"], NOTHING),
    (&["Zl", "Zp", "Cf", "Co", "Cn"], NOTHING),
];

/// A class that no character is in.
const NOTHING: &str = "[a&&b]";

/// Java's ASCII classes.
const JAVA_CLASSES: &[(&str, &str)] = &[
    ("ASCII", r"\x00-\x7F"),
    ("Alnum", "0-9A-Za-z"),
    ("Alpha", "A-Za-z"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("Digit", "0-9"),
    ("Graph", r"\x21-\x7E"),
    ("Lower", "a-z"),
    ("Print", r"\x20-\x7E"),
    ("Punct", r"\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E"),
    ("Space", r" \t\n\x0B\f\r"),
    ("Upper", "A-Z"),
    ("XDigit", "0-9A-Fa-f"),
];

const HORIZONTAL_SPACE: &str =
    r" \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}";
const VERTICAL_SPACE: &str = r"\n\x0B\f\r\x{85}\x{2028}\x{2029}";

impl Translator {
    /// Reads an escape, after its backslash.
    pub(super) fn escape(&mut self) -> Result<Escape, Reason> {
        let c = self.next().ok_or("a backslash ends the pattern")?;
        Ok(match c {
            'd' => Escape::Set("0-9".to_owned()),
            'D' => Escape::Set("[^0-9]".to_owned()),
            'w' => Escape::Set("0-9A-Za-z_".to_owned()),
            'W' => Escape::Set("[^0-9A-Za-z_]".to_owned()),
            's' => Escape::Space,
            'S' => Escape::NotSpace,
            't' => Escape::Char('\t'),
            'n' => Escape::Char('\n'),
            'r' => Escape::Char('\r'),
            'f' => Escape::Char('\u{c}'),
            'b' | 'B' => {
                self.disputed.beyond_ascii = true;
                Escape::Raw(format!("\\{c}"))
            }
            'x' => self.hexadecimal(),
            'u' => self.unicode(),
            'p' | 'P' => self.property(c)?,
            'c' => self.control()?,
            'k' => Escape::Raw(r"\k".to_owned()),
            '0' => self.octal(),
            '1'..='9' => self.reference(c),
            c if c.is_ascii_alphabetic() => self.java_escape(c)?,
            c => Escape::Char(c),
        })
    }

    /// Escapes that Java has and ECMAScript reads as the letter itself.
    fn java_escape(&mut self, c: char) -> Result<Escape, Reason> {
        self.advise("an escape that exists only in Java");
        Ok(match c {
            'A' => Escape::Raw(r"\A".to_owned()),
            'z' => Escape::Raw(r"\z".to_owned()),
            'Z' => {
                self.disputed.end = true;
                Escape::Raw(r"\z".to_owned())
            }
            'R' => Escape::Raw(format!(r"(?:\r\n|[{VERTICAL_SPACE}])")),
            'h' => Escape::Set(HORIZONTAL_SPACE.to_owned()),
            'H' => Escape::Set(format!("[^{HORIZONTAL_SPACE}]")),
            'v' => Escape::Set(VERTICAL_SPACE.to_owned()),
            'V' => Escape::Set(format!("[^{VERTICAL_SPACE}]")),
            'a' => Escape::Char('\u{7}'),
            'e' => Escape::Char('\u{1b}'),
            'Q' => Escape::Text(self.quoted()),
            'G' | 'X' | 'N' | 'E' => return Err("an unsupported escape"),
            letter => Escape::Char(letter),
        })
    }

    fn quoted(&mut self) -> String {
        let mut text = String::new();
        while !self.eat(r"\E") {
            match self.next() {
                Some(c) => text.push(c),
                None => break,
            }
        }
        text
    }

    fn hexadecimal(&mut self) -> Escape {
        if let Some(code) = self.digits(2) {
            return char::from_u32(code).map_or(Escape::Surrogate, Escape::Char);
        }
        self.advise("`\\x` without two digits");
        if let Some(code) = self.braced().and_then(|hex| u32::from_str_radix(&hex, 16).ok())
            && let Some(c) = char::from_u32(code)
        {
            return Escape::Char(c);
        }
        Escape::Char('x')
    }

    /// `\u` with its four digits, or two of them that make a pair.
    fn unicode(&mut self) -> Escape {
        let Some(first) = self.digits(4) else {
            self.advise("`\\u` without four digits");
            return Escape::Char('u');
        };
        if let Some(c) = char::from_u32(first) {
            return Escape::Char(c);
        }
        let after_first = self.at;
        if first < 0xdc00
            && self.eat(r"\u")
            && let Some(second @ 0xdc00..0xe000) = self.digits(4)
            && let Some(c) = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
        {
            return Escape::Char(c);
        }
        self.at = after_first;
        Escape::Surrogate
    }

    fn property(&mut self, p: char) -> Result<Escape, Reason> {
        let name = if let Some(name) = self.braced() {
            name
        } else {
            self.advise("`\\p` without braces");
            self.next().ok_or("a backslash ends the pattern")?.to_string()
        };
        let category = CATEGORIES.iter().find(|(names, _)| names.contains(&name.as_str()));
        let java = JAVA_CLASSES.iter().find(|(java, _)| *java == name);
        let set = match (category, java) {
            (Some((_, set)), _) => {
                self.disputed.beyond_ascii = true;
                Some(set)
            }
            (None, java) => {
                self.advise("a property whose name differs between regular expression dialects");
                java.map(|(_, set)| set)
            }
        };
        if let Some(set) = set {
            let set = if p == 'P' { format!("[^{set}]") } else { (*set).to_owned() };
            return Ok(Escape::Set(set));
        }
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_=".contains(c));
        if !plain {
            return Err("a property without a name");
        }
        let name = name.strip_prefix("Is").unwrap_or(&name);
        Ok(Escape::Set(format!("\\{p}{{{name}}}")))
    }

    fn control(&mut self) -> Result<Escape, Reason> {
        let letter =
            self.next().filter(char::is_ascii_alphabetic).ok_or("`\\c` without a letter")?;
        if letter.is_ascii_lowercase() {
            self.advise("`\\c` with a small letter");
        }
        let code = letter.to_ascii_uppercase() as u8 - b'@';
        Ok(Escape::Char(char::from(code)))
    }

    /// NUL in ECMAScript, the beginning of an octal number in Java.
    fn octal(&mut self) -> Escape {
        self.advise("an octal escape");
        let mut code = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            if code * 8 + digit > 0o377 {
                break;
            }
            code = code * 8 + digit;
            self.at += 1;
        }
        char::from_u32(code).map_or(Escape::Surrogate, Escape::Char)
    }

    /// A group that took no part matches nothing in Java and the empty text in ECMAScript.
    fn reference(&mut self, first: char) -> Escape {
        self.advise("a reference to a group");
        let mut digits = String::from(first);
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        Escape::Raw(format!("(?:\\{digits})"))
    }

    /// Exactly `count` hexadecimal digits.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.chars.get(self.at..self.at + count)?;
        let code = digits.iter().try_fold(0, |code, c| Some(code * 16 + c.to_digit(16)?))?;
        self.at += count;
        Some(code)
    }

    /// What stands in braces next, without them.
    fn braced(&mut self) -> Option<String> {
        let start = self.at;
        if self.eat("{") {
            let rest = &self.chars[self.at..];
            if let Some(length) = rest.iter().position(|&c| c == '}') {
                let inside = rest[..length].iter().collect();
                self.at += length + 1;
                return Some(inside);
            }
        }
        self.at = start;
        None
    }
}
