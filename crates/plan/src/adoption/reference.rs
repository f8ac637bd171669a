//! Which values are those of other resources: identifiers that AWS made up, ARNs, and names where the property that
//! holds one says what it names.
//!
//! A value is exactly what the other resource shows, so that reading it there changes nothing. What could be read from
//! several resources, or would make two wait for each other, stays as it is.

use std::collections::{BTreeMap, HashMap};

use hangar_ids::Region;
use hangar_schema::{Class, Reading, reading};
use hangar_template::write::{self, Replacements};
use serde_json::Value;

use super::{Draft, Existing};

/// As deep as a document is looked into.
const MOST_LEVELS: usize = 100;

/// How good a place is to read a value from; the first is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// AWS made it up to name the resource.
    Generated,
    /// An ARN that AWS tells.
    Arn,
    /// Anything else that only AWS says.
    Told,
    /// A name that somebody chose: read only where a property says that it names such a thing.
    Chosen,
}

/// A value that a resource shows.
#[derive(Debug, Clone)]
struct Offer {
    /// The resource, by its place in the list.
    at: usize,
    /// The members that lead to it.
    path: Vec<String>,
    rank: Rank,
    /// The last part of the type's name, in small letters: `dbcluster`.
    thing: String,
}

/// What resources show, by value.
pub(super) struct Offers {
    by_value: HashMap<String, Vec<Offer>>,
}

/// Which values are read from where.
pub(super) struct Links {
    /// Whom each resource reads, each once.
    pub(super) needs: Vec<Vec<usize>>,
    /// How many values are read.
    pub(super) count: usize,
    reads: Vec<BTreeMap<String, Read>>,
}

/// A value that is read.
struct Read {
    offer: Offer,
    /// What follows it in the text; empty where it is all of it.
    rest: String,
}

impl Offers {
    pub(super) fn of(found: &[Existing]) -> Self {
        let mut by_value: HashMap<String, Vec<Offer>> = HashMap::new();
        for (at, existing) in found.iter().enumerate() {
            for (value, offer) in offers_of(at, existing) {
                let offers = by_value.entry(value).or_default();
                if !offers.iter().any(|it| it.at == at && it.rank <= offer.rank) {
                    offers.push(offer);
                }
            }
        }
        Self { by_value }
    }

    /// What each draft reads from others.
    pub(super) fn links(&self, drafts: &[Draft<'_>]) -> Links {
        let mut links = Links::none(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            if draft.existing.schema.handlers().create.is_none() {
                // It is only read, and states nothing.
                continue;
            }
            let mut texts = Vec::new();
            gather(&draft.restated.properties, &mut String::new(), "", &mut texts, 0);
            for (pointer, key, text) in texts {
                let Some(read) = self.read(at, key, text) else { continue };
                links.add(at, pointer, read);
            }
        }
        links
    }

    /// Where a text of a resource can be read from, if it is clear from where.
    fn read(&self, at: usize, key: &str, text: &str) -> Option<Read> {
        if let Some(offer) = self.best(at, key, text) {
            return Some(Read { offer: offer.clone(), rest: String::new() });
        }
        // `arn:…:bucket/*`: the ARN, and what follows.
        if !text.starts_with("arn:") || text.contains(['\n', '\r']) {
            return None;
        }
        let ends = text.char_indices().filter(|(_, it)| matches!(it, '/' | ':' | '*'));
        let mut ends: Vec<usize> = ends.map(|(end, _)| end).filter(|end| *end >= 16).collect();
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let offer = self.best(at, key, &text[..end])?;
            Some(Read { offer: offer.clone(), rest: text[end..].to_owned() })
        })
    }

    fn best(&self, at: usize, key: &str, text: &str) -> Option<&Offer> {
        let offers = self.by_value.get(text)?;
        let fits = |it: &&Offer| it.at != at && (it.rank != Rank::Chosen || it.is_named_by(key));
        let best = offers.iter().filter(fits).min_by_key(|it| it.rank)?;
        let mut rivals = offers.iter().filter(fits).filter(|it| it.rank == best.rank);
        rivals.all(|it| it.at == best.at).then_some(best)
    }
}

impl Offer {
    /// Whether a property of this name holds names of such resources: `Bucket`, `RoleName`, `Clusters`.
    fn is_named_by(&self, key: &str) -> bool {
        if self.path.last().is_some_and(|last| last == key && last.len() > "Name".len()) {
            return true;
        }
        let key = key.to_ascii_lowercase();
        let ends = ["identifiers", "identifier", "names", "name", "arns", "arn", "ids", "id", "s"];
        let stem = ends.iter().find_map(|end| key.strip_suffix(end)).unwrap_or(&key);
        // `Name` and `Id` say nothing of what is meant.
        stem.len() >= 3
            && [stem, &key].iter().any(|it| it.ends_with(&self.thing) || self.thing.ends_with(*it))
    }
}

impl Links {
    /// Nothing is read from anywhere.
    pub(super) fn none(count: usize) -> Self {
        let reads = (0..count).map(|_| BTreeMap::new()).collect();
        Self { needs: vec![Vec::new(); count], count: 0, reads }
    }

    fn add(&mut self, at: usize, pointer: String, read: Read) {
        let needed = read.offer.at;
        if !self.needs[at].contains(&needed) {
            if self.reaches(needed, at) {
                return;
            }
            self.needs[at].push(needed);
        }
        self.count += 1;
        self.reads[at].insert(pointer, read);
    }

    /// Whether one waits for the other, through whomever.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.needs.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.needs[at]);
            }
        }
        false
    }

    /// The expressions that stand in a resource.
    pub(super) fn replaced(&mut self, at: usize, drafts: &[Draft<'_>]) -> Replacements {
        let reads = std::mem::take(&mut self.reads[at]);
        let expression = |read: Read| {
            let symbol = &drafts[read.offer.at].symbol;
            let steps = read.offer.path.iter().map(|name| match write::key(name) {
                key if key == *name => format!(".{name}"),
                quoted => format!("[{quoted}]"),
            });
            let value = format!("{symbol}.properties{}", steps.collect::<String>());
            match read.rest.as_str() {
                "" => value,
                rest => format!("'${{{value}}}{}", &write::string(rest)[1..]),
            }
        };
        reads.into_iter().map(|(pointer, read)| (pointer, expression(read))).collect()
    }
}

/// What a resource shows that others may hold.
fn offers_of(at: usize, existing: &Existing) -> Vec<(String, Offer)> {
    let schema = &existing.schema;
    let thing = schema.name().rsplit("::").next().unwrap_or_default().to_ascii_lowercase();
    let mut offers = Vec::new();
    let identifier = schema.primary_identifier().iter();
    let told = schema.lists().read_only.iter();
    let pointers = identifier.map(|it| (it, true)).chain(told.map(|it| (it, false)));
    for (pointer, is_identifier) in pointers {
        let Some(names) = pointer.member_names().filter(|it| !it.is_empty()) else { continue };
        let value = names.iter().try_fold(&existing.live, |at, name| at.get(*name));
        let Some(text) = value.and_then(Value::as_str) else { continue };
        let is_read_only = schema.classes_of(pointer).has(Class::ReadOnly);
        let rank = match (is_identifier, is_read_only) {
            (true, true) => Rank::Generated,
            (true, false) => Rank::Chosen,
            (false, _) if text.starts_with("arn:") => Rank::Arn,
            (false, _) => Rank::Told,
        };
        let path: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
        if is_specific(text, rank) && matches!(reading(schema, &names), Reading::Fine) {
            let offer = Offer { at, path, rank, thing: thing.clone() };
            offers.push((text.to_owned(), offer));
        }
    }
    offers
}

/// Whether nobody else would hold the same value by chance.
fn is_specific(text: &str, rank: Rank) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().any(|it| test(&it));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_place = text.parse::<Region>().is_ok()
        || text.get(..text.len().saturating_sub(1)).is_some_and(|it| it.parse::<Region>().is_ok());
    // `2026-01-01T…`: moments are shared by many.
    let is_moment = text.len() >= 10
        && text.bytes().take(4).all(|it| it.is_ascii_digit())
        && text.as_bytes()[4] == b'-';
    match rank {
        _ if text.starts_with("arn:") => text.len() >= 16,
        Rank::Chosen => text.len() >= 3,
        _ if is_place || is_moment => false,
        Rank::Generated => text.len() >= 8 && is_mixed,
        Rank::Arn => false,
        Rank::Told => text.len() >= 12 && is_mixed,
    }
}

/// Every text of a document with its pointer, and the name of the property that holds it.
fn gather<'v>(
    value: &'v Value,
    pointer: &mut String,
    key: &'v str,
    texts: &mut Vec<(String, &'v str, &'v str)>,
    level: usize,
) {
    if level > MOST_LEVELS {
        return;
    }
    let length = pointer.len();
    match value {
        Value::String(text) => texts.push((pointer.clone(), key, text)),
        Value::Object(members) => {
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                gather(member, pointer, name, texts, level + 1);
                pointer.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push('/');
                pointer.push_str(&index.to_string());
                gather(item, pointer, key, texts, level + 1);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
