//! The properties of a resource through its life: what a create makes of the desired state, and
//! what an update makes of what is there.

use hangar_schema::sample::Sampler;
use hangar_schema::{
    PropertyPointer, TypeSchema, as_returned, identifier_of, keep_create_only_secrets,
    keep_ignored_removals, touched, without_nulls, without_read_only, without_secrets,
};
use serde_json::{Map, Value};

use super::generate::{Defaults, Generator};
use super::json_patch::{self, Deed, PatchOperation};
use super::place::Place;
use super::random::Random;
use super::refusal::{Exception, Refusal};
use super::settings::ArrayOrder;
use super::state::{Document, Taken};
use super::time::Timestamp;
use super::violation::{TOO_MANY, violations};

/// What making a document depends on beside the caller's words.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// The type.
    pub schema: &'a TypeSchema,
    /// Where.
    pub place: &'a Place,
    /// When.
    pub now: Timestamp,
    /// The number of the request.
    pub serial: u64,
    /// What all that looks random is made from.
    pub seed: u64,
    /// How often it was tried before: a made-up identifier may be taken.
    pub attempt: u32,
    /// The identifiers that are taken.
    pub taken: Taken<'a>,
    /// In which order unordered arrays come back.
    pub order: ArrayOrder,
}

/// A resource that a create will leave.
#[derive(Debug, Clone)]
pub struct Created {
    /// Its identifier.
    pub identifier: String,
    /// Whether the caller chose all of it.
    pub is_chosen: bool,
    /// Its properties.
    pub document: Document,
}

/// What a create makes of the desired state.
pub fn create(desired: &str, about: Circumstances<'_>) -> Result<Created, Refusal> {
    let schema = about.schema;
    let stated = read_object(desired, "desired state")?;
    // AWS ignores what only it can say.
    let stated = without_read_only(schema, &without_nulls(&stated));
    refuse_violations(&violations(schema, &stated))?;
    let is_chosen = identifier_of(schema, &stated).is_ok();
    let whole = complete(&stated, about);
    let identifier = identifier_of(schema, &whole).map_err(|why| {
        Refusal::new(
            Exception::InvalidRequest,
            format!("Invalid request provided: {}", why.message),
        )
    })?;
    let document = document(schema, &whole);
    Ok(Created { identifier: identifier.as_str().to_owned(), is_chosen, document })
}

/// What an update will leave.
#[derive(Debug, Clone)]
pub struct Updated {
    /// The properties.
    pub document: Document,
    /// The same as the first answer shows them: without read-only values.
    pub shown: String,
}

/// What an update makes of what is there; all of the patch or nothing.
///
/// The patch meets what a read returns, so a write-only value that it does not repeat is lost.
pub fn update(
    before: &Document,
    patch: &[PatchOperation],
    about: Circumstances<'_>,
) -> Result<Updated, Refusal> {
    let schema = about.schema;
    let invalid = |message: String| Refusal::new(Exception::Validation, message);
    let readable = parse(&before.readable);
    refuse_secret_operations(schema, patch)?;
    let patched = json_patch::apply(&readable, patch).map_err(invalid)?;
    if patched.to_string().len() > MAX_TEXT {
        return Err(invalid("Model validation failed (#: the model is too large)".to_owned()));
    }
    if !patched.is_object() {
        return Err(invalid("Model validation failed (#: expected type: JSONObject)".to_owned()));
    }
    let mut patched = without_nulls(&patched).into_owned();
    refuse_touched("readOnlyProperties", &schema.lists().read_only, &readable, &patched)?;
    let whole_before = parse(before.whole());
    let (within, plain): (Vec<_>, Vec<_>) =
        schema.lists().create_only.iter().cloned().partition(|it| lies_in_secret(schema, it));
    refuse_touched("createOnlyProperties", &plain, &readable, &patched)?;
    // Part of a larger secret: a patch that repeats the secret carries it along as it was.
    let carried = touched(&within, &readable, &patched).into_iter().cloned().collect::<Vec<_>>();
    refuse_touched("createOnlyProperties", &carried, &whole_before, &patched)?;
    refuse_touched("primaryIdentifier", schema.primary_identifier(), &readable, &patched)?;
    keep_create_only_secrets(schema, &whole_before, &mut patched);
    // The whole model, what the patch does not touch included.
    let asked = without_read_only(schema, &patched);
    let mut found = violations(schema, &asked);
    if !found.is_empty() {
        // An identifier that the service added can make two alternatives fit where the schema
        // wants one; no patch could mend that.
        let known = violations(schema, &without_read_only(schema, &whole_before));
        found.retain(|line| !(line.contains(TOO_MANY) && known.contains(line)));
    }
    refuse_violations(&found)?;
    keep_ignored_removals(schema, &readable, &mut patched);
    let mut shown = without_secrets(schema, &asked);
    drop_hollow(&mut shown, &asked);
    let shown = shown.to_string();
    let whole = complete(&patched, about);
    Ok(Updated { document: document(schema, &whole), shown })
}

/// The properties after somebody changed them behind Cloud Control's back, by RFC 7396.
pub fn tamper(schema: &TypeSchema, before: &Document, merge: &Value) -> Document {
    let mut whole = parse(before.whole());
    merge_into(&mut whole, merge);
    document(schema, &whole)
}

fn merge_into(target: &mut Value, merge: &Value) {
    let Value::Object(changes) = merge else {
        *target = merge.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (name, change) in changes {
        if change.is_null() {
            members.remove(name);
        } else {
            merge_into(members.entry(name.clone()).or_insert(Value::Null), change);
        }
    }
}

/// Adds what the service says of itself, and brings unordered arrays into its order.
fn complete(stated: &Value, about: Circumstances<'_>) -> Value {
    let spelled = as_returned(about.schema, stated);
    let whole = complete_with(&spelled, about, Defaults::FilledIn);
    let asked = without_read_only(about.schema, &whole);
    if asked == spelled || violations(about.schema, &asked).is_empty() {
        return whole;
    }
    complete_with(&spelled, about, Defaults::LeftOut)
}

fn complete_with(stated: &Value, about: Circumstances<'_>, defaults: Defaults) -> Value {
    let Circumstances { schema, place, serial, seed, attempt, order, .. } = about;
    let number = match attempt {
        0 => serial.to_string(),
        _ => format!("{serial}.{attempt}"),
    };
    let purpose = |what| [what, place.account(), place.region(), schema.name(), number.as_str()];
    let seed_for = |what| Random::new(seed, &purpose(what)).number();
    let random = Random::new(seed, &purpose("values"));
    let mut generator = Generator::new(about, stated, random, defaults);
    let mut sampler = Sampler::new(schema);
    let whole = sampler.completed(stated, seed_for("model"), &mut generator);
    match order {
        ArrayOrder::Kept => whole,
        ArrayOrder::Shuffled => sampler.reordered(&whole, seed_for("order")),
    }
}

fn document(schema: &TypeSchema, whole: &Value) -> Document {
    let mut readable = without_secrets(schema, whole);
    drop_hollow(&mut readable, whole);
    let hidden = (readable != *whole).then(|| whole.to_string().into());
    Document { readable: readable.to_string().into(), hidden }
}

/// A read does not return an object of which nothing is left without its write-only values.
fn drop_hollow(readable: &mut Value, whole: &Value) {
    match (readable, whole) {
        (Value::Object(readable), Value::Object(whole)) => readable.retain(|name, member| {
            let Some(whole) = whole.get(name) else { return true };
            drop_hollow(member, whole);
            let is_hollow = matches!(member, Value::Object(left) if left.is_empty());
            !(is_hollow && matches!(whole, Value::Object(all) if !all.is_empty()))
        }),
        (Value::Array(readable), Value::Array(whole)) if readable.len() == whole.len() => {
            readable.iter_mut().zip(whole).for_each(|(item, whole)| drop_hollow(item, whole));
        }
        _ => {}
    }
}

/// A write-only value is not there to be replaced, removed or tested.
fn refuse_secret_operations(schema: &TypeSchema, patch: &[PatchOperation]) -> Result<(), Refusal> {
    let refused: Vec<String> = patch
        .iter()
        .filter(|operation| !matches!(operation.deed, Deed::Add(_) | Deed::Copy(_) | Deed::Move(_)))
        .filter(|operation| {
            let path = operation.path.parts();
            schema.lists().write_only.iter().any(|pointer| {
                pointer.member_names().is_some_and(|names| names.iter().eq(path.iter()))
            })
        })
        .map(|operation| operation.path.to_string())
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Invalid patch update: writeOnlyProperties [{}] can only be updated using 'add' operation",
        refused.join(", ")
    );
    Err(Refusal::new(Exception::Validation, message))
}

/// Whether the pointer lies strictly below a write-only one.
fn lies_in_secret(schema: &TypeSchema, pointer: &PropertyPointer) -> bool {
    let steps = pointer.steps();
    schema
        .lists()
        .write_only
        .iter()
        .any(|secret| secret.steps().len() < steps.len() && steps.starts_with(secret.steps()))
}

fn refuse_touched(
    list: &str,
    pointers: &[PropertyPointer],
    before: &Value,
    after: &Value,
) -> Result<(), Refusal> {
    let names: Vec<String> = touched(pointers, before, after)
        .into_iter()
        .map(|pointer| format!("/properties{pointer}"))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("Invalid patch update: {list} [{}] cannot be updated", names.join(", "));
    Err(Refusal::new(Exception::NotUpdatable, message))
}

fn refuse_violations(lines: &[String]) -> Result<(), Refusal> {
    if lines.is_empty() {
        return Ok(());
    }
    let message = format!("Model validation failed ({})", lines.join("\n"));
    Err(Refusal::new(Exception::Validation, message))
}

/// Reads a JSON object that a caller sent as text.
pub fn read_object(text: &str, what: &str) -> Result<Value, Refusal> {
    let refused = |why: String| Refusal::new(Exception::Validation, why);
    match serde_json::from_str(text) {
        Ok(value) if json_patch::depth(&value) > json_patch::MAX_DEPTH => {
            Err(refused(format!("The {what} is nested too deeply")))
        }
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(refused(format!("The {what} must be a JSON object"))),
        Err(error) => Err(refused(format!("The {what} is not valid JSON: {error}"))),
    }
}

/// A patched model may be this long: AWS takes 262,144 characters of up to four bytes.
const MAX_TEXT: usize = 4 * 262_144;

/// The document of a resource that we wrote ourselves.
// Invariant: nothing is stored that is deeper than `json_patch::MAX_DEPTH`, so it can be read.
pub fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
