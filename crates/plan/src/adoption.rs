//! A template for what exists: what AWS shows of resources, as the Bicep that states them.
//!
//! What it says is read back here before anybody gets it: whatever a schema has against a value that a service
//! returned is silenced in the text, so that the template lints clean, and what it is put over does not change.

mod order;
mod parameter;
mod reference;
mod silence;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use hangar_ids::TypeName;
use hangar_schema::{Restated, TypeSchema, restate};
use hangar_template::write::{self, ResourceText, symbol_for};
use serde_json::Value;

use parameter::Parameter;
use reference::Offers;
use silence::Silenced;

/// A resource that exists.
#[derive(Debug, Clone)]
pub struct Existing {
    /// Its type.
    pub type_name: TypeName,
    /// The schema of that.
    pub schema: Arc<TypeSchema>,
    /// What AWS calls it.
    pub identifier: String,
    /// What Hangar calls it, or will.
    pub alias: String,
    /// What AWS shows of it.
    pub live: Value,
    /// What was applied to it by its alias, if anything was.
    pub applied: Option<Value>,
    /// Pointers of the secret values that were applied by its alias: no document shows them.
    pub hidden: Vec<String>,
}

/// The parts of a template around its resources.
pub struct Frame<'a> {
    /// The comment at its head, from the names of the parameters that need a value.
    pub head: &'a dyn Fn(&[String]) -> String,
    /// The comment at its end: what could not be looked at.
    pub apart: &'a str,
    /// The account and the region of the resources, if they are all in one place.
    pub place: Option<(&'a str, &'a str)>,
}

/// Whether values of other resources are read from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// `vpc.properties.VpcId` in the place of `'vpc-…'`.
    Written,
    /// Every value as it is.
    Never,
}

/// A template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its text.
    pub text: String,
    /// How many resources it declares.
    pub resources: usize,
    /// How many types they have.
    pub types: usize,
    /// How many values are read from other resources.
    pub references: usize,
    /// How many parameters stand for values that AWS never returns.
    pub parameters: usize,
    /// The parameters that stand for hidden secrets, and need a value.
    pub secrets: Vec<String>,
    /// How many lines silence what a schema has against what AWS returned.
    pub silenced: usize,
    /// Those that a plan changes all the same: alias, type and where.
    pub differs: Vec<(String, String, Vec<String>)>,
}

/// The template that states `found`.
pub fn template(found: &[Existing], references: References, frame: &Frame<'_>) -> Template {
    let mut taken = BTreeSet::new();
    let mut drafts: Vec<Draft<'_>> = Vec::with_capacity(found.len());
    for existing in found {
        let symbol = symbol_for(&existing.alias, &mut taken);
        drafts.push(Draft::of(existing, symbol));
    }
    let mut links = match references {
        References::Written => Offers::of(found).links(&drafts),
        References::Never => reference::Links::none(drafts.len()),
    };
    let sequence = order::sequence(&links.needs);
    let mut body = String::new();
    let mut parameters = Vec::new();
    let mut differs = Vec::new();
    for at in sequence {
        let Draft { existing, symbol, restated } = &drafts[at];
        let mut replacements = links.replaced(at, &drafts);
        let mut properties = restated.properties.clone();
        for unseen in &restated.unseen {
            let parameter = Parameter::of(unseen, existing, symbol, &mut taken);
            parameter.stand_in(&mut properties, &mut replacements);
            parameters.push(parameter);
        }
        // A part of a value that AWS never returns stays with it.
        let is_of = |pointer: &str, unseen: &str| {
            pointer.strip_prefix(unseen).is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        let is_unseen =
            |pointer: &&String| restated.unseen.iter().any(|it| is_of(pointer, &it.pointer));
        for pointer in existing.hidden.iter().filter(|it| !is_unseen(it)) {
            let parameter = Parameter::hidden(pointer, existing, symbol, &mut taken);
            parameter.stand_in(&mut properties, &mut replacements);
            parameters.push(parameter);
        }
        if !restated.differs.is_empty() {
            let type_name = existing.type_name.ucp();
            differs.push((existing.alias.clone(), type_name, restated.differs.clone()));
        }
        body.push('\n');
        body.push_str(&statement(existing, symbol, restated, properties, replacements));
    }
    let secrets: Vec<String> = parameters.iter().filter_map(Parameter::needed).collect();
    let mut text = write::comment(&(frame.head)(&secrets));
    text.push_str(&extension(frame.place));
    for parameter in &parameters {
        text.push('\n');
        text.push_str(&parameter.statement());
    }
    text.push_str(&body);
    if !frame.apart.is_empty() {
        let _ = write!(text, "\n{}", write::comment(frame.apart));
    }
    let Silenced { text, lines } = silence::silenced(&text, found);
    let types: BTreeSet<String> = found.iter().map(|it| it.type_name.ucp()).collect();
    Template {
        text,
        resources: found.len(),
        types: types.len(),
        references: links.count,
        parameters: parameters.len() - secrets.len(),
        secrets,
        silenced: lines,
        differs,
    }
}

/// The extension with the place of the resources: without it the template would plan them elsewhere.
fn extension(place: Option<(&str, &str)>) -> String {
    match place {
        Some((account, region)) => {
            format!("extension aws with {{ account: '{account}', region: '{region}' }}\n")
        }
        None => "extension aws\n".to_owned(),
    }
}

/// A resource on its way into the template.
struct Draft<'a> {
    existing: &'a Existing,
    symbol: String,
    restated: Restated,
}

impl<'a> Draft<'a> {
    fn of(existing: &'a Existing, symbol: String) -> Self {
        let restated = restate(&existing.schema, &existing.live, existing.applied.as_ref());
        Self { existing, symbol, restated }
    }
}

fn statement(
    existing: &Existing,
    symbol: &str,
    restated: &Restated,
    properties: Value,
    replacements: write::Replacements,
) -> String {
    let type_name = existing.type_name.ucp();
    if existing.schema.handlers().create.is_none() {
        return write::existing(symbol, &type_name, &existing.alias);
    }
    let mut comment = String::new();
    if !restated.differs.is_empty() {
        let paths = restated.differs.join(", ");
        let _ = writeln!(
            comment,
            "A plan shows a change here: AWS returns {paths} in another form than it accepts."
        );
    }
    write::resource(&ResourceText {
        symbol: symbol.to_owned(),
        type_name,
        alias: existing.alias.clone(),
        properties,
        replacements,
        depends_on: Vec::new(),
        comment,
    })
}

#[cfg(test)]
mod tests;
