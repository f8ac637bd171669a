//! Values that the service makes up, in the shape that AWS gives them: ids with their prefix, ARNs
//! by the type's template, host names, instants.
//!
//! `data/shapes.tsv` has what is known of single types; the rest goes by the name of the property.
//! What is proposed here and does not fit the schema is made from the schema instead.

mod shapes;
mod spelling;

use std::collections::BTreeMap;

use hangar_schema::sample::{Knowledge, Unset, Want};
use hangar_schema::{Kind, Kinds, TypeSchema};
use serde_json::Value;

use super::model::Circumstances;
use super::place::Place;
use super::random::Random;
use super::state::Taken;
use super::time::Timestamp;
use crate::core::instant::iso8601;
use shapes::Shapes;
use spelling::{default_port, service_in_arns, spelled};

/// What becomes of the defaults that a schema states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// They are there where nobody stated anything else.
    FilledIn,
    /// They are left out: with what is stated they break the schema's own rules.
    LeftOut,
}

/// Makes up the values of one resource.
pub struct Generator<'a> {
    schema: &'a TypeSchema,
    place: &'a Place,
    stated: &'a Value,
    now: Timestamp,
    serial: u64,
    random: Random,
    same: Random,
    taken: Taken<'a>,
    defaults: Defaults,
    shapes: &'static Shapes,
    /// What was made up already, by pointer, so that an id and the ARN with it agree.
    made: BTreeMap<String, String>,
}

impl Knowledge for Generator<'_> {
    fn propose(&mut self, unset: &Unset<'_>) -> Option<Value> {
        if let Some(made) = self.made.get(unset.pointer) {
            return to_kind(made, unset.kinds);
        }
        let text = match self.shapes.find(self.schema.name(), unset.pointer) {
            Some(template) => self.expand_any(template, 0),
            None if matches!(unset.want, Want::Unstated | Want::Nested) => None,
            None => {
                if let Some(healthy) = healthy(unset.allowed) {
                    return Some(healthy.clone());
                }
                self.by_name(unset.pointer, unset.name, unset.kinds, 0)
            }
        }?;
        let value = to_kind(&text, unset.kinds);
        if value.is_some() {
            self.made.insert(unset.pointer.to_owned(), text);
        }
        value
    }

    fn fills_defaults(&self) -> bool {
        self.defaults == Defaults::FilledIn
    }

    /// A text that only fits a pattern, with the caller's own partition, region and account where
    /// it is an ARN; first as most services write them, then with the same parts left out.
    fn mend(&mut self, made: &str) -> Vec<String> {
        let (own, thing, place) = (self.service(), self.thing(), self.place);
        let arn = |service: &str, region: &str, account: &str, resource: &str| {
            format!("arn:{}:{service}:{region}:{account}:{resource}", place.partition())
        };
        if !made.starts_with("arn:") {
            return Vec::new();
        }
        let mut better = Vec::new();
        let parts: Vec<&str> = made.splitn(6, ':').collect();
        if let [_, _, stated, region, account, resource] = parts.as_slice() {
            let region = if region.is_empty() { "" } else { place.region() };
            let account = if account.is_empty() { "" } else { place.account() };
            for service in [own.as_str(), stated].into_iter().filter(|it| !it.is_empty()) {
                better.push(arn(service, place.region(), place.account(), resource));
                better.push(arn(service, region, account, resource));
            }
        }
        let resource = format!("{thing}/{}", self.random.text(ALNUM, 12));
        better.push(arn(&own, place.region(), place.account(), &resource));
        // Some patterns know one partition only.
        let prefix = format!("arn:{}:", place.partition());
        let elsewhere: Vec<String> =
            better.iter().map(|arn| arn.replacen(&prefix, "arn:aws:", 1)).collect();
        better.extend(elsewhere);
        better
    }
}

/// How deep one made-up value may ask for another.
const MAX_DEPTH: usize = 4;

impl<'a> Generator<'a> {
    /// For a resource of which `stated` is known.
    pub fn new(
        about: Circumstances<'a>,
        stated: &'a Value,
        random: Random,
        defaults: Defaults,
    ) -> Self {
        let Circumstances { schema, place, now, serial, taken, .. } = about;
        let (shapes, same, made) = (Shapes::known(), random.clone(), BTreeMap::new());
        Self { schema, place, stated, now, serial, random, same, taken, defaults, shapes, made }
    }

    /// What goes by the name of the property.
    fn by_name(&mut self, pointer: &str, name: &str, kinds: Kinds, depth: usize) -> Option<String> {
        if self.is_own_arn(pointer, name) {
            return Some(self.own_arn(depth));
        }
        let is_text = kinds.has(Kind::String) || kinds.is_unstated();
        if !is_text && is_instant(name) {
            return Some((self.now.millis() / 1000).to_string());
        }
        if let Some(template) = self.shapes.find_name(name) {
            return self.expand_any(template, depth);
        }
        if !is_text {
            return None;
        }
        let (service, thing) = (self.service(), self.thing());
        let letters = lower(name);
        // A name that speaks of the resource itself; others are of things that may not be there.
        let is_own = |end: &str| {
            letters.strip_suffix(end).is_some_and(|rest| rest.is_empty() || thing.ends_with(rest))
        };
        Some(match () {
            () if is_instant(name) => iso8601(self.now.millis()),
            () if is_own("arn") || (self.is_identifier(pointer) && letters.ends_with("arn")) => {
                let template = format!(
                    "arn:{{partition}}:{service}:{{region}}:{{account}}:{thing}/{{alnum:12}}"
                );
                self.expand(&template, depth)
            }
            () if letters.ends_with("name") && self.is_identifier(pointer) => {
                self.expand(&format!("{thing}-{{alnum:12}}"), depth)
            }
            () if is_own("url") || is_own("uri") => {
                self.expand(&format!("https://{service}.{{region}}.{{suffix}}/{{alnum:12}}"), depth)
            }
            () if ["endpoint", "domainname", "dnsname"].iter().any(|end| is_own(end)) => {
                self.expand(&format!("{{alnum:12}}.{service}.{{region}}.{{suffix}}"), depth)
            }
            () if self.is_identifier(pointer) || is_own("id") => {
                self.expand(&format!("{thing}-{{hex:17}}"), depth)
            }
            () => return None,
        })
    }

    fn is_identifier(&self, pointer: &str) -> bool {
        self.schema.primary_identifier().iter().any(|part| part.to_string() == pointer)
    }

    /// Whether the property is the ARN of the resource itself.
    fn is_own_arn(&self, pointer: &str, name: &str) -> bool {
        let name = lower(name);
        let of_type = lower(self.schema.name().rsplit("::").next().unwrap_or_default());
        self.schema.arn_template().is_some()
            && pointer.matches('/').count() == 1
            && name.ends_with("arn")
            && (name == "arn"
                || name == "resourcearn"
                || name.trim_end_matches("arn") == of_type
                || of_type.ends_with(name.trim_end_matches("arn"))
                || self.is_identifier(pointer))
    }

    /// The ARN by the type's template: `arn:${Partition}:ec2:${Region}:${Account}:vpc/${VpcId}`.
    fn own_arn(&mut self, depth: usize) -> String {
        let template = self.schema.arn_template().unwrap_or_default();
        let mut arn = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            arn.push_str(before);
            match name {
                "Partition" => arn.push_str(self.place.partition()),
                "Region" => arn.push_str(self.place.region()),
                "Account" | "AccountId" => arn.push_str(self.place.account()),
                name => {
                    let value = self.named(name, depth + 1);
                    arn.push_str(&value);
                }
            }
            rest = after;
        }
        arn + rest
    }

    /// The value that a placeholder of an ARN template stands for: the property of that name, or
    /// one that ends alike, or what names the resource otherwise.
    fn named(&mut self, placeholder: &str, depth: usize) -> String {
        let wanted = lower(placeholder);
        let thing = lower(self.schema.name().rsplit("::").next().unwrap_or_default());
        let names: Vec<&str> = self.schema.property_names().collect();
        let find = |fits: &dyn Fn(&str) -> bool| {
            names.iter().find(|name| fits(&lower(name)) && !lower(name).ends_with("arn")).copied()
        };
        let short = wanted.strip_prefix(&thing).unwrap_or(&wanted).to_owned();
        let found = find(&|name| name == wanted)
            .or_else(|| find(&|name| name == short))
            .or_else(|| find(&|name| name.strip_prefix(&thing) == Some(&wanted)))
            .or_else(|| {
                let is_part = |name: &&&str| self.is_identifier(&format!("/{name}"));
                names.iter().filter(|name| !lower(name).ends_with("arn")).find(is_part).copied()
            })
            .or_else(|| {
                find(&|name| {
                    wanted.ends_with("id") && (name == "id" || *name == format!("{thing}id"))
                })
            })
            // What AWS calls an id it makes up; a name is no stand-in for it.
            .or_else(|| {
                let is_name = |name: &str| name == "name" || *name == format!("{thing}name");
                find(&|name| !wanted.ends_with("id") && is_name(name))
            });
        match found {
            Some(name) => self.value_of(&format!("/{name}"), depth),
            None => self.random.text(ALNUM, 12),
        }
    }

    /// The text at a pointer, where the caller stated one.
    fn stated_at(&self, pointer: &str) -> Option<String> {
        match self.stated.pointer(pointer)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// The text at a pointer: as stated, as made up before, or made up now.
    fn value_of(&mut self, pointer: &str, depth: usize) -> String {
        if let Some(stated) = self.stated_at(pointer) {
            return stated;
        }
        if pointer == "/Port" {
            let engine = self.stated_at("/Engine");
            return default_port(self.schema.name(), engine.as_deref()).to_owned();
        }
        if let Some(made) = self.made.get(pointer) {
            return made.clone();
        }
        let name = pointer.rsplit('/').next().unwrap_or_default().to_owned();
        let made = match self.shapes.find(self.schema.name(), pointer) {
            Some(template) if depth < MAX_DEPTH => {
                let made = self.expand_any(template, depth + 1);
                made.unwrap_or_else(|| self.random.text(ALNUM, 12))
            }
            _ if depth >= MAX_DEPTH => self.random.text(ALNUM, 12),
            _ => {
                let made =
                    self.by_name(pointer, &name, Kinds::UNSTATED.with(Kind::String), depth + 1);
                made.unwrap_or_else(|| format!("{}-{}", self.thing(), self.random.text(ALNUM, 12)))
            }
        };
        self.made.insert(pointer.to_owned(), made.clone());
        made
    }

    /// The first alternative of a template whose conditions hold, filled in.
    fn expand_any(&mut self, template: &str, depth: usize) -> Option<String> {
        let chosen = template.split(" || ").find(|alternative| {
            let mut conditions = alternative.split("{!").skip(1);
            conditions.all(|rest| {
                let pointer = rest.split(['}', '|', '=']).next().unwrap_or_default();
                self.stated.pointer(pointer).is_some_and(|value| !value.is_null())
            })
        })?;
        Some(self.expand(chosen, depth))
    }

    /// A template with its placeholders filled in.
    fn expand(&mut self, template: &str, depth: usize) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            if let Some(after) = after.strip_prefix('{') {
                text.push('{');
                rest = after;
                continue;
            }
            let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
            let value = match placeholder.trim_start_matches('!') {
                "version" => self.taken.next_version(&text).to_string(),
                placeholder => self.fill(placeholder, depth),
            };
            text.push_str(&value);
            rest = after;
        }
        text + rest
    }

    /// `/Pointer=default|spelling`, or a word for something that is made up.
    fn fill(&mut self, placeholder: &str, depth: usize) -> String {
        if placeholder.starts_with('/') {
            let (place, spelling) = placeholder.split_once('|').unwrap_or((placeholder, ""));
            let (pointer, default) = match place.split_once('=') {
                Some((pointer, default)) => (pointer, Some(default)),
                None => (place, None),
            };
            let value = match (self.stated_at(pointer), default) {
                (Some(stated), _) => stated,
                (None, Some(default)) => default.to_owned(),
                // A condition on an object says nothing itself.
                (None, None) if self.stated.pointer(pointer).is_some() => String::new(),
                (None, None) => self.value_of(pointer, depth + 1),
            };
            return spelled(&value, spelling);
        }
        let (word, count) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        let count: usize = count.parse().unwrap_or(8);
        match word {
            "hex" => self.random.text("0123456789abcdef", count),
            "HEX" => self.random.text("0123456789ABCDEF", count),
            "alnum" => self.random.text(ALNUM, count),
            "ALNUM" => self.random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count),
            "Alnum" => self
                .random
                .text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", count),
            "alpha" => self.random.text("abcdefghijklmnopqrstuvwxyz", count),
            // A number must not begin with a nought.
            "digits" => {
                let first = self.random.text("123456789", 1.min(count));
                first + &self.random.text("0123456789", count.saturating_sub(1))
            }
            // The same in all values of one resource.
            "hash" => self.same.clone().text(ALNUM, count),
            "uuid" => self.random.uuid(),
            "account" => self.place.account().to_owned(),
            "region" => self.place.region().to_owned(),
            "partition" => self.place.partition().to_owned(),
            "suffix" => self.place.dns_suffix().to_owned(),
            "now" => iso8601(self.now.millis()),
            "epoch" => (self.now.millis() / 1000).to_string(),
            "serial" => self.serial.to_string(),
            "arn" => self.own_arn(depth + 1),
            "az" => format!("{}{}", self.place.region(), self.random.text("abc", 1)),
            "ipv4" => {
                let mut part = || self.random.below(254) + 1;
                format!("10.{}.{}.{}", part(), part(), part())
            }
            _ => String::new(),
        }
    }

    /// `ec2` of `AWS::EC2::VPC`.
    fn service(&self) -> String {
        let name = lower(self.schema.name().split("::").nth(1).unwrap_or("service"));
        service_in_arns(&name).map_or(name, str::to_owned)
    }

    /// `vpc` of `AWS::EC2::VPC`.
    fn thing(&self) -> String {
        lower(self.schema.name().rsplit("::").next().unwrap_or("resource"))
    }
}

const ALNUM: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

fn lower(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Whether the name is that of an instant in the past of every resource.
fn is_instant(name: &str) -> bool {
    const ENDS: [&str; 5] = ["At", "Time", "Date", "Timestamp", "DateTime"];
    const PAST: [&str; 5] = ["Creat", "Updat", "Modif", "Launch", "Regist"];
    ENDS.iter().any(|end| name.ends_with(end)) && PAST.iter().any(|word| name.contains(word))
}

/// The text as the kind of value that the schema wants.
fn to_kind(text: &str, kinds: Kinds) -> Option<Value> {
    if kinds.is_unstated() || kinds.has(Kind::String) {
        return Some(text.into());
    }
    if kinds.has(Kind::Boolean) && matches!(text, "true" | "false") {
        return Some((text == "true").into());
    }
    if kinds.has(Kind::Integer) || kinds.has(Kind::Number) {
        return text.parse::<u64>().ok().map(Value::from);
    }
    if kinds.has(Kind::Array) {
        return Some(text.split(',').map(|item| Value::from(item.trim())).collect());
    }
    None
}

/// The word of a list that a resource in good health shows.
fn healthy<'v>(allowed: &[&'v Value]) -> Option<&'v Value> {
    const WORDS: [&str; 14] = [
        "active",
        "available",
        "enabled",
        "running",
        "ready",
        "deployed",
        "inservice",
        "completed",
        "complete",
        "succeeded",
        "success",
        "issued",
        "created",
        "online",
    ];
    WORDS.iter().find_map(|word| {
        allowed
            .iter()
            .copied()
            .find(|value| value.as_str().is_some_and(|text| lower(text) == *word))
    })
}
