//! The list of words and phrases to avoid, each with the wording to use instead.

use anyhow::{Context as _, Result};
use fancy_regex::Regex;

pub(super) struct Phrases {
    list: Vec<(Regex, String)>,
    /// All of them in one: most texts contain no phrase, and this finds that out at once.
    any: Regex,
}

impl Phrases {
    /// Reads lines `EXPRESSION -> WORDING`; empty lines and lines that start with `#` are skipped.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut list = Vec::new();
        let mut expressions = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (expression, wording) = line
                .split_once(" -> ")
                .with_context(|| format!("no ` -> ` in the line `{line}`"))?;
            expressions.push(format!("(?:{expression})"));
            let expression = Regex::new(&format!("(?i){expression}"))
                .with_context(|| format!("no regular expression: `{expression}`"))?;
            list.push((expression, wording.to_owned()));
        }
        let any = Regex::new(&format!("(?i){}", expressions.join("|")))
            .context("the expressions do not fit together")?;
        Ok(Self { list, any })
    }

    /// One line for each phrase that a text contains.
    pub(super) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = String> + 'a {
        let is_worth_it = self.any.is_match(text).unwrap_or(true);
        self.list.iter().filter(move |_| is_worth_it).filter_map(move |(expression, wording)| {
            let found = expression.find(text).ok().flatten()?;
            Some(format!("`{}`: write {wording}", found.as_str()))
        })
    }
}
