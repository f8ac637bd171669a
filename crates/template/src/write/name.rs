//! Names for resources, made of their aliases.

use std::collections::BTreeSet;

use crate::functions;

/// Words that begin statements or mean something in them, and the types that are there without a declaration.
/// Most of them could be names; a reader would take them for what they are.
const WORDS: [&str; 35] = [
    "targetScope",
    "metadata",
    "param",
    "var",
    "type",
    "func",
    "resource",
    "module",
    "output",
    "extension",
    "import",
    "assert",
    "test",
    "using",
    "extends",
    "provider",
    "existing",
    "for",
    "if",
    "in",
    "with",
    "as",
    "from",
    "none",
    "true",
    "false",
    "null",
    "string",
    "int",
    "bool",
    "object",
    "array",
    "any",
    "sys",
    "az",
];

/// The longest name that is made of an alias; a number may follow.
const MOST_LETTERS: usize = 80;

/// A name that the language takes, from an alias: `web-vpc` is `webVpc`. It is none of those that are taken, no
/// word of the language and no function, and it is taken from now on.
///
/// ```
/// use std::collections::BTreeSet;
/// use hangar_template::write::symbol_for;
///
/// let mut taken = BTreeSet::new();
/// assert_eq!(symbol_for("Web-vpc", &mut taken), "webVpc");
/// assert_eq!(symbol_for("web.vpc", &mut taken), "webVpc2");
/// assert_eq!(symbol_for("resource", &mut taken), "resource2");
/// assert_eq!(symbol_for("10-x", &mut taken), "r10X");
/// ```
pub fn symbol_for(alias: &str, taken: &mut BTreeSet<String>) -> String {
    let base = camel_case(alias);
    let is_free = |name: &str| !taken.contains(name) && !is_word(name);
    let mut name = base.clone();
    let mut number = 2_usize;
    while !is_free(&name) {
        name = format!("{base}{number}");
        number += 1;
    }
    taken.insert(name.clone());
    name
}

/// Whether a text is a name of the language.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= 255
        && bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
        && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

fn is_word(name: &str) -> bool {
    // `aws` is what the extension is called.
    name == "aws" || WORDS.contains(&name) || functions::find(None, name).is_some()
}

/// Its words in one: the first letter small, that of each further word large.
fn camel_case(alias: &str) -> String {
    let mut name = String::new();
    let words = alias.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    for word in words {
        let (first, rest) = word.split_at(1);
        if name.is_empty() {
            if first.as_bytes()[0].is_ascii_digit() {
                name.push('r');
            }
            name.push_str(&small_at_first(word));
        } else {
            name.push_str(&first.to_ascii_uppercase());
            name.push_str(rest);
        }
        if name.len() > MOST_LETTERS {
            name.truncate(MOST_LETTERS);
            break;
        }
    }
    if name.is_empty() { "item".to_owned() } else { name }
}

/// `VPCMain` is `vpcMain`, `Web` is `web`: the capitals that a word begins with are one word.
fn small_at_first(word: &str) -> String {
    let capitals = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let small = match capitals {
        0 | 1 => capitals,
        all if all == word.len() => all,
        some => some - 1,
    };
    format!("{}{}", word[..small].to_ascii_lowercase(), &word[small..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_never_twice() {
        for (alias, expected) in [
            ("VPCMain", "vpcMain"),
            ("VPC", "vpc"),
            ("web_tier--db", "webTierDb"),
            ("concat", "concat2"),
            ("aws", "aws2"),
            ("…", "item"),
            ("é-x", "x"),
        ] {
            assert_eq!(symbol_for(alias, &mut BTreeSet::new()), expected);
        }
        let mut taken = BTreeSet::new();
        let names: BTreeSet<String> =
            (0..50).map(|_| symbol_for(&"long-".repeat(200), &mut taken)).collect();
        assert_eq!(names.len(), 50);
        assert!(names.iter().all(|it| is_identifier(it)), "{names:?}");
    }
}
