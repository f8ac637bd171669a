//! Texts that a schema allows: by format, by pattern, or plain words of a fitting length.

use std::collections::HashMap;
use std::sync::Arc;

use super::demand::Demand;
use super::expression::Expression;
use super::random::Random;
use crate::pattern::{Certainty, Kept, Pattern, Verdict};

/// Makes texts and remembers the expressions of one type, which recur.
#[derive(Debug)]
pub(super) struct Texts<'s> {
    kept: &'s Kept,
    patterns: HashMap<&'s str, Known>,
    /// How often no text was found that fits the patterns of a place.
    pub(super) misfits: usize,
}

/// A pattern to play and the same to check with.
#[derive(Debug)]
struct Known {
    expression: Option<Expression>,
    pattern: Arc<Pattern>,
}

/// How often a text is tried before the pattern counts as out of reach.
const ATTEMPTS: u32 = 48;

/// Longer than any text needs to be, unless the schema asks for more.
const USUAL_LENGTH: usize = 24;

impl<'s> Texts<'s> {
    /// Texts of the type that keeps these patterns.
    pub(super) fn new(kept: &'s Kept) -> Self {
        Self { kept, patterns: HashMap::new(), misfits: 0 }
    }

    /// A text for a place called `name`.
    pub(super) fn text(&mut self, random: &mut Random, demand: &Demand<'s>, name: &str) -> String {
        let bounds = Bounds::of(demand);
        if demand.patterns.is_empty() {
            let text = match demand.format {
                Some("date-time" | "timestamp") => date_time(random),
                Some("date") => date_time(random)[..10].to_owned(),
                Some("uri") => format!("https://example.com/{}", random.tail()),
                Some("email") => format!("{}@example.com", random.tail()),
                _ => word(random, name),
            };
            return bounds.fit(&text);
        }
        if let Some(text) = self.fitting(random, &demand.patterns, bounds, name) {
            return text;
        }
        self.misfits += 1;
        let default = demand.default.and_then(|value| value.as_str());
        bounds.fit(default.unwrap_or(&word(random, name)))
    }

    /// Whether a text that somebody else made is one that the schema allows.
    pub(super) fn allow(&self, text: &str, demand: &Demand<'_>) -> bool {
        Bounds::of(demand).hold(text)
            && demand.patterns.iter().all(|pattern| fits(&self.kept.pattern(pattern), text))
    }

    /// A key of a map whose names fit `pattern`.
    pub(super) fn key(&mut self, random: &mut Random, pattern: &'s str) -> String {
        let bounds = Bounds { least: 1, most: None };
        if let Some(key) = self.fitting(random, &[pattern], bounds, "Key") {
            return key;
        }
        self.misfits += 1;
        word(random, "Key")
    }

    fn fitting(
        &mut self,
        random: &mut Random,
        patterns: &[&'s str],
        bounds: Bounds,
        name: &str,
    ) -> Option<String> {
        for pattern in patterns {
            self.patterns.entry(pattern).or_insert_with(|| Known::read(pattern, self.kept));
        }
        let known: Vec<&Known> =
            patterns.iter().filter_map(|pattern| self.patterns.get(pattern)).collect();
        // What is usual there is more telling than a play on the pattern, where it fits.
        let usual = [word(random, name), date_time(random), format!("{}", random.below(9) + 1)];
        let usual_fits = |text: &&String| bounds.hold(text) && known.iter().all(|p| p.fits(text));
        if known.iter().all(|pattern| pattern.can_check())
            && let Some(text) = usual.iter().find(usual_fits)
        {
            return Some(text.clone());
        }
        for attempt in 0..ATTEMPTS {
            let played = known.get(attempt as usize % known.len().max(1))?;
            let Some(expression) = &played.expression else { continue };
            let mut text = expression.play(random, stretch(attempt, bounds));
            // `^\d+$` and a length of twelve: more of the same, cut to length, often fits.
            if !bounds.hold(&text) {
                text = bounds.cut(text + &expression.play(random, stretch(attempt, bounds)));
            }
            if bounds.hold(&text) && known.iter().all(|pattern| pattern.fits(&text)) {
                return Some(text);
            }
        }
        None
    }
}

/// Repetitions grow with the attempts, towards the least length that is asked.
fn stretch(attempt: u32, bounds: Bounds) -> u32 {
    let wanted = u32::try_from(bounds.least).unwrap_or(u32::MAX);
    match attempt {
        0..8 => 8,
        8..16 => wanted.saturating_mul(2).saturating_add(1),
        16..24 => wanted.saturating_add(1),
        24..32 => 2,
        32..40 => 64,
        _ => attempt % 4,
    }
}

impl Known {
    fn read(source: &str, kept: &Kept) -> Self {
        Self { expression: Expression::read(source), pattern: kept.pattern(source) }
    }

    fn can_check(&self) -> bool {
        !matches!(self.pattern.certainty(), Certainty::Unchecked(_))
    }

    fn fits(&self, text: &str) -> bool {
        fits(&self.pattern, text)
    }
}

fn fits(pattern: &Pattern, text: &str) -> bool {
    pattern.matches(text) != Verdict::Mismatch
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    least: usize,
    most: Option<usize>,
}

impl Bounds {
    fn of(demand: &Demand<'_>) -> Self {
        let count = |length: u64| usize::try_from(length).unwrap_or(usize::MAX);
        // A schema that asks for megabytes gets a page.
        let least = count(demand.length.0).min(4096);
        Self { least, most: demand.length.1.map(count) }
    }

    fn hold(self, text: &str) -> bool {
        let length = text.chars().count();
        length >= self.least && self.most.is_none_or(|most| length <= most)
    }

    /// The beginning of a text that is too long.
    fn cut(self, text: String) -> String {
        match self.most {
            Some(most) if text.chars().count() > most => text.chars().take(most).collect(),
            _ => text,
        }
    }

    /// Cuts or lengthens a text whose letters do not matter.
    fn fit(self, text: &str) -> String {
        let most =
            self.most.unwrap_or(usize::MAX).min(self.least.max(USUAL_LENGTH).max(text.len()));
        let mut fitted: String = text.chars().rev().take(most).collect();
        while fitted.len() < self.least {
            fitted.push('a');
        }
        fitted.chars().rev().collect()
    }
}

/// A word that tells what it stands for: the place's name in lower case, and something to tell it
/// from others.
fn word(random: &mut Random, name: &str) -> String {
    let tail = random.tail();
    if name.ends_with("Arn") || name.ends_with("ARN") {
        return format!("arn:aws:iam::123456789012:role/sample-{tail}");
    }
    let base: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(12)
        .collect::<String>()
        .to_ascii_lowercase();
    format!("{}-{tail}", if base.is_empty() { "sample" } else { &base })
}

fn date_time(random: &mut Random) -> String {
    format!("2026-{:02}-{:02}T12:00:00Z", random.below(12) + 1, random.below(28) + 1)
}
