//! Character classes: `[…]`.

use super::escape::Escape;
use super::{Reason, Translator};

/// Java nests classes after `&&`; nobody nests them deeper than this.
const MAX_NESTING: usize = 8;

/// One member of a class.
enum Item {
    Char(char),
    /// Half of a surrogate pair: a code unit that no text of ours holds.
    Surrogate,
    /// Already written as the members of a class.
    Set(String),
}

/// What was seen in one class, to be judged at its end.
#[derive(Default)]
struct Seen {
    spaces: bool,
    other_than_spaces: bool,
    surrogates: bool,
}

impl Translator {
    /// Reads a class, after its `[`.
    pub(super) fn class(&mut self, nesting: usize) -> Result<(), Reason> {
        if nesting > MAX_NESTING {
            return Err("classes are nested too deeply");
        }
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut seen = Seen::default();
        if self.eat("]") {
            // Java reads it as itself, ECMAScript as the end of an empty class.
            self.advise("a `]` at the start of a class");
            self.literal(']');
        }
        loop {
            if self.eat("&&") {
                self.advise("an intersection of classes");
                self.out.push_str("&&");
                while self.eat("[") {
                    self.class(nesting + 1)?;
                }
            }
            match self.next().ok_or("a `[` is not closed")? {
                ']' => break,
                c => self.member(c, &mut seen)?,
            }
        }
        if seen.surrogates {
            self.advise("half of a surrogate pair in a class");
            self.out.push_str(r"\x{10000}-\x{10FFFF}");
        }
        // `[\s\S]` is every character, whatever a space is.
        self.disputed.spaces |= seen.spaces != seen.other_than_spaces;
        self.out.push(']');
        Ok(())
    }

    /// Reads one member that begins with `c`, or the range that it opens.
    fn member(&mut self, c: char, seen: &mut Seen) -> Result<(), Reason> {
        let low = self.item(c, seen)?;
        let opens_range = self.peek() == Some('-')
            && !matches!(self.chars.get(self.at + 1), None | Some(']'))
            && !matches!(low, Item::Set(_));
        if !opens_range {
            self.single(low, seen);
            return Ok(());
        }
        self.at += 1;
        let high = self.next().ok_or("a `[` is not closed")?;
        match (low, self.item(high, seen)?) {
            (Item::Char(low), Item::Char(high)) if low > high => {
                return Err("the range of a class is reversed");
            }
            (Item::Char(low), Item::Char(high)) => self.range(low, high),
            (Item::Char(low), Item::Surrogate) => {
                seen.surrogates = true;
                if low < '\u{d7ff}' {
                    self.range(low, '\u{d7ff}');
                }
            }
            (Item::Surrogate, Item::Char(high)) => {
                seen.surrogates = true;
                if high > '\u{e000}' {
                    self.range('\u{e000}', high);
                }
            }
            (low, high) => {
                if matches!(high, Item::Set(_)) {
                    self.advise("a range that ends in a class");
                    self.literal('-');
                }
                self.single(low, seen);
                self.single(high, seen);
            }
        }
        Ok(())
    }

    fn range(&mut self, low: char, high: char) {
        self.literal(low);
        self.out.push('-');
        self.literal(high);
    }

    fn single(&mut self, item: Item, seen: &mut Seen) {
        match item {
            Item::Char(c) => self.literal(c),
            Item::Surrogate => seen.surrogates = true,
            Item::Set(set) => self.out.push_str(&set),
        }
    }

    fn item(&mut self, c: char, seen: &mut Seen) -> Result<Item, Reason> {
        if c == '[' {
            // Java opens a class in the class here, ECMAScript means the bracket itself.
            self.advise("an unescaped `[` in a class");
        }
        if c != '\\' {
            return Ok(Item::Char(c));
        }
        if self.eat("b") {
            self.advise("a backspace as `[\\b]`");
            return Ok(Item::Char('\u{8}'));
        }
        Ok(match self.escape()? {
            Escape::Char(c) => Item::Char(c),
            Escape::Surrogate => Item::Surrogate,
            Escape::Set(set) => Item::Set(set),
            Escape::Space => {
                seen.spaces = true;
                Item::Set(r" \t\n\x0B\f\r".to_owned())
            }
            Escape::NotSpace => {
                seen.other_than_spaces = true;
                Item::Set(r"[^ \t\n\x0B\f\r]".to_owned())
            }
            Escape::Text(_) | Escape::Raw(_) => {
                return Err("an escape that is not allowed in a class");
            }
        })
    }
}
