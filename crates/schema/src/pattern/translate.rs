//! From the dialects of schemas to the spelling of our engine, noting on the way what the
//! dialects disagree about.

mod class;
mod escape;

use escape::Escape;

/// A pattern in our engine's spelling.
pub(super) struct Translation {
    pub(super) regex: String,
    /// The first construct found that the dialects read differently whatever the text.
    pub(super) advice: Option<&'static str>,
    pub(super) disputed: Disputed,
    /// Whether a part that matches more can make the whole match less.
    pub(super) negates: bool,
}

/// The texts on which the dialects disagree, though they agree on all others.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four facts that hold side by side")]
pub(super) struct Disputed {
    /// `\s` includes Unicode spaces in ECMAScript only.
    pub(super) spaces: bool,
    /// `.` excludes U+0085 in Java only.
    pub(super) next_line: bool,
    /// `\b` and `\p{…}`: versions of Java and of Unicode differ beyond ASCII.
    pub(super) beyond_ascii: bool,
    /// `$` stands before a last line break in Java only.
    pub(super) end: bool,
}

/// Why a pattern is broken in every dialect.
pub(super) type Reason = &'static str;

/// Longer patterns are not read: no schema has one, and compiling is not linear.
const MAX_LENGTH: usize = 16 * 1024;

/// All characters but the line ends on which both dialects agree.
const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";

pub(super) fn translate(source: &str) -> Result<Translation, Reason> {
    if source.len() > MAX_LENGTH {
        return Err("the pattern is too long");
    }
    let mut translator = Translator {
        chars: source.chars().collect(),
        at: 0,
        out: String::with_capacity(source.len() + 16),
        advice: None,
        disputed: Disputed::default(),
        negates: false,
        groups: Vec::new(),
        mode: Mode::default(),
    };
    translator.pattern()?;
    Ok(Translation {
        regex: translator.out,
        advice: translator.advice,
        disputed: translator.disputed,
        negates: translator.negates,
    })
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    advice: Option<&'static str>,
    disputed: Disputed,
    negates: bool,
    /// The groups that are open, the innermost last.
    groups: Vec<Group>,
    mode: Mode,
}

/// An open group.
struct Group {
    /// The mode to go back to behind it.
    mode: Mode,
    looks_around: bool,
}

/// Java's inline flags that change what `.`, `^` and `$` mean.
#[derive(Clone, Copy, Default)]
struct Mode {
    dot_all: bool,
    multi_line: bool,
}

impl Translator {
    fn pattern(&mut self) -> Result<(), Reason> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escaped()?,
                '[' => self.class(0)?,
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '.' if self.mode.dot_all => self.out.push_str("(?s:.)"),
                '.' => {
                    self.disputed.next_line = true;
                    self.out.push_str(DOT);
                }
                '^' => self.out.push_str(if self.mode.multi_line { "(?m:^)" } else { "^" }),
                '$' if self.mode.multi_line => self.out.push_str("(?m:$)"),
                '$' => {
                    self.disputed.end = true;
                    self.out.push_str(r"\z");
                }
                '|' => self.out.push('|'),
                '*' | '+' | '?' => {
                    self.out.push(c);
                    self.after_quantifier()?;
                }
                '{' => self.brace()?,
                c => self.literal(c),
            }
        }
        if self.groups.is_empty() { Ok(()) } else { Err("a `(` is not closed") }
    }

    fn escaped(&mut self) -> Result<(), Reason> {
        match self.escape()? {
            Escape::Char(c) => self.literal(c),
            Escape::Text(text) => text.chars().for_each(|c| self.literal(c)),
            Escape::Surrogate => return Err("half of a surrogate pair matches no text"),
            Escape::Space => {
                self.disputed.spaces = true;
                self.out.push_str(concat!("[", r" \t\n\x0B\f\r", "]"));
            }
            Escape::NotSpace => {
                self.disputed.spaces = true;
                self.out.push_str(concat!("[^", r" \t\n\x0B\f\r", "]"));
            }
            Escape::Set(set) => {
                self.out.push('[');
                self.out.push_str(&set);
                self.out.push(']');
            }
            Escape::Raw(raw) => self.out.push_str(&raw),
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), Reason> {
        self.groups.push(Group { mode: self.mode, looks_around: false });
        self.out.push('(');
        if !self.eat("?") {
            return Ok(());
        }
        for prefix in [":", "=", "!", "<=", "<!"] {
            if self.eat(prefix) {
                self.negates |= prefix.ends_with('!');
                if let Some(group) = self.groups.last_mut() {
                    group.looks_around = prefix != ":";
                }
                self.out.push('?');
                self.out.push_str(prefix);
                return Ok(());
            }
        }
        if self.eat(">") {
            self.negates = true;
            self.advise("an atomic group");
            self.out.push_str("?>");
        } else if self.eat("P<") {
            self.advise("a Python-style named group");
            self.out.push_str("?<");
        } else if self.eat("<") {
            self.out.push_str("?<");
        } else {
            self.inline_flags()?;
        }
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), Reason> {
        let group = self.groups.pop().ok_or("a `)` without a `(`")?;
        self.mode = group.mode;
        self.out.push(')');
        // Looking once more changes nothing, and our engine refuses to.
        if group.looks_around {
            self.eat("+");
        }
        Ok(())
    }

    /// Java's `(?i)` and `(?s:…)`. Only `i` is our engine's affair; `s` and `m` are translated.
    fn inline_flags(&mut self) -> Result<(), Reason> {
        self.advise("an inline flag such as `(?i)`");
        let mut on = true;
        let mut case = "";
        loop {
            match self.next() {
                Some('-') => on = false,
                Some('i') => case = if on { "i" } else { "-i" },
                Some('s') => self.mode.dot_all = on,
                Some('m') => self.mode.multi_line = on,
                Some('u' | 'U') => {}
                Some(':') => {
                    self.out.push('?');
                    self.out.push_str(case);
                    self.out.push(':');
                    return Ok(());
                }
                Some(')') => {
                    // The flags hold for the rest of the group around them.
                    self.groups.pop();
                    if case.is_empty() {
                        self.out.pop();
                    } else {
                        self.out.push('?');
                        self.out.push_str(case);
                        self.out.push(')');
                    }
                    return Ok(());
                }
                _ => return Err("an unknown kind of group"),
            }
        }
    }

    /// A `{` is a quantifier when it reads as one, and else itself.
    fn brace(&mut self) -> Result<(), Reason> {
        let inside = self.until_brace();
        let Some(bounds) = Bounds::read(&inside) else {
            self.advise("a `{` that does not start a quantifier");
            self.literal('{');
            return Ok(());
        };
        if bounds.most.is_some_and(|most| most < bounds.least) {
            return Err("a quantifier's bounds are reversed");
        }
        self.at += inside.chars().count() + 1;
        self.out.push('{');
        self.out.push_str(&inside);
        self.out.push('}');
        self.after_quantifier()
    }

    /// What stands before the next `}`, or nothing.
    fn until_brace(&self) -> String {
        let rest = &self.chars[self.at..];
        let close = rest.iter().position(|&c| c == '}').unwrap_or(0);
        rest[..close].iter().collect()
    }

    /// Reads what makes a quantifier lazy or possessive. ECMAScript refuses a second quantifier,
    /// and engines that take one differ on what it means.
    fn after_quantifier(&mut self) -> Result<(), Reason> {
        if self.eat("?") {
            self.out.push('?');
        } else if self.eat("+") {
            self.negates = true;
            self.advise("a possessive quantifier");
            self.out.push('+');
        }
        let again = match self.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => {
                self.at += 1;
                let bounds = Bounds::read(&self.until_brace());
                self.at -= 1;
                bounds.is_some()
            }
            _ => false,
        };
        if again { Err("two quantifiers in a row") } else { Ok(()) }
    }

    /// Writes a character that means itself, in a class or outside.
    fn literal(&mut self, c: char) {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn advise(&mut self, construct: &'static str) {
        self.advice.get_or_insert(construct);
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let length = wanted.chars().count();
        let found = self
            .chars
            .get(self.at..self.at + length)
            .is_some_and(|next| next.iter().copied().eq(wanted.chars()));
        if found {
            self.at += length;
        }
        found
    }
}

/// What stands between the braces of a quantifier.
struct Bounds {
    least: u32,
    most: Option<u32>,
}

impl Bounds {
    fn read(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { text.parse().ok() } else { None }
        };
        Some(match text.split_once(',') {
            None => Self { least: number(text)?, most: number(text) },
            Some((least, "")) => Self { least: number(least)?, most: None },
            Some((least, most)) => Self { least: number(least)?, most: Some(number(most)?) },
        })
    }
}
