//! The properties of a resource through its life: what a create makes of the desired state, and
//! what an update makes of what is there.

use hangar_schema::outline::Outline;
use hangar_schema::sample::Sampler;
use hangar_schema::{
    PropertyPointer, TypeSchema, as_returned, identifier_of, keep_create_only_secrets,
    keep_ignored_removals, touched, without_nulls, without_read_only, without_secrets,
};
use serde_json::{Map, Value};

use super::generate::{Defaults, Generator};
use super::habits::added::AddedHabits;
use super::habits::{Habits, SharedElement, with_elements, without_elements};
use super::json_patch::{self, Deed, PatchOperation};
use super::place::Place;
use super::random::Random;
use super::refusal::{Exception, Refusal};
use super::settings::{ArrayOrder, Fidelity};
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
    /// Whether the service changes what it was given.
    pub fidelity: Fidelity,
    /// The habits that a user added.
    pub added: &'a AddedHabits,
}

impl<'a> Circumstances<'a> {
    /// The habits of the type, if the simulator has AWS's.
    fn habits(self) -> Option<Habits<'a>> {
        (self.fidelity == Fidelity::Aws).then(|| Habits::of(self.schema, self.place, self.added))
    }
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
    let whole = complete(&stated, &Value::Null, about);
    let identifier = identifier_of(schema, &whole).map_err(|why| {
        Refusal::new(
            Exception::InvalidRequest,
            format!("Invalid request provided: {}", why.message),
        )
    })?;
    let document = document(schema, &whole, about.habits());
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
/// `shared` are the elements that a read shows of other resources.
pub(super) fn update(
    before: &Document,
    shared: &[SharedElement],
    patch: &[PatchOperation],
    about: Circumstances<'_>,
) -> Result<Updated, Refusal> {
    let schema = about.schema;
    let invalid = |message: String| Refusal::new(Exception::Validation, message);
    let own = parse(&before.readable);
    let readable = with_elements(&own, shared);
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
    match about.habits() {
        Some(habits) => habits.keep_ignored_removals(&readable, &mut patched),
        None => keep_ignored_removals(schema, &readable, &mut patched),
    }
    let mut shown = without_secrets(schema, &asked);
    drop_hollow(&mut shown, &asked);
    let shown = shown.to_string();
    without_elements(&mut patched, shared, &own);
    let whole = complete(&patched, &own, about);
    Ok(Updated { document: document(schema, &whole, about.habits()), shown })
}

/// The properties after somebody changed them behind Cloud Control's back, by RFC 7396.
pub fn tamper(schema: &TypeSchema, before: &Document, merge: &Value) -> Document {
    let mut whole = parse(before.whole());
    merge_into(&mut whole, merge);
    document(schema, &whole, None)
}

/// The properties after somebody put others in their place. The identifier and the write-only
/// values stay: the read of another resource, which may be given, does not have them.
pub(super) fn replaced(schema: &TypeSchema, before: &Document, properties: &Value) -> Document {
    let whole_before = parse(before.whole());
    let mut whole = without_secrets(schema, properties);
    for part in schema.primary_identifier() {
        let names = part.member_names().unwrap_or_default();
        carry_over(&names, &whole_before, &mut whole);
    }
    carry_hidden(schema.outline(), &whole_before, &mut whole);
    document(schema, &whole, None)
}

/// Sets the value at a path of names to what it was before.
fn carry_over(names: &[&str], before: &Value, after: &mut Value) {
    let (Some((name, rest)), Value::Object(members)) = (names.split_first(), after) else { return };
    let Some(before) = before.get(*name) else { return };
    if rest.is_empty() {
        members.insert((*name).to_owned(), before.clone());
    } else {
        carry_over(rest, before, members.entry(*name).or_insert_with(|| Value::Object(Map::new())));
    }
}

/// Puts back the write-only members of objects, which no read returns.
fn carry_hidden(outline: Outline<'_>, before: &Value, after: &mut Value) {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return };
    for (name, value) in before {
        let Some(next) = outline.find_member(name) else { continue };
        match after.get_mut(name) {
            Some(after) => carry_hidden(next, value, after),
            None if next.classes().is_hidden() => {
                after.insert(name.clone(), value.clone());
            }
            None => {
                // A read does not return an object either that holds nothing else.
                let mut hidden = Value::Object(Map::new());
                carry_hidden(next, value, &mut hidden);
                if hidden.as_object().is_some_and(|members| !members.is_empty()) {
                    after.insert(name.clone(), hidden);
                }
            }
        }
    }
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

/// Adds what the service says of itself, and brings unordered arrays into its order. A value that
/// is as it was `before` an update is in the spelling of the service already.
fn complete(stated: &Value, before: &Value, about: Circumstances<'_>) -> Value {
    let (schema, habits) = (about.schema, about.habits());
    let mut spelled = as_returned(schema, stated);
    if let Some(habits) = habits {
        spelled = habits.respell(&spelled);
        restore_unchanged(stated, before, &mut spelled);
    }
    let mistakes = |model: &Value| violations(schema, &without_read_only(schema, model));
    let mut whole = complete_with(&spelled, about, Defaults::FilledIn);
    if without_read_only(schema, &whole) != spelled && !mistakes(&whole).is_empty() {
        whole = complete_with(&spelled, about, Defaults::LeftOut);
    }
    if let Some(habits) = habits {
        let known = std::cell::LazyCell::new(|| mistakes(&whole));
        let is_sound = |model: &Value| mistakes(model).iter().all(|line| known.contains(line));
        whole = habits.fill(&whole, &mut Random::new(seed_for("habits", about), &[]), &is_sound);
    }
    if about.order == ArrayOrder::Kept {
        return whole;
    }
    let seed = seed_for("order", about);
    let whole = Sampler::new(schema).reordered(&whole, seed);
    match habits {
        Some(habits) => habits.reorder(&whole, &mut Random::new(seed, &["habits"])),
        None => whole,
    }
}

/// Gives the properties that an update did not change their values before it.
fn restore_unchanged(stated: &Value, before: &Value, spelled: &mut Value) {
    let (Some(stated), Some(before)) = (stated.as_object(), before.as_object()) else { return };
    let Some(spelled) = spelled.as_object_mut() else { return };
    for (name, value) in stated.iter().filter(|(name, value)| before.get(*name) == Some(value)) {
        spelled.insert(name.clone(), value.clone());
    }
}

fn complete_with(stated: &Value, about: Circumstances<'_>, defaults: Defaults) -> Value {
    let random = random_for("values", about);
    let mut generator = Generator::new(about, stated, random, defaults);
    let mut sampler = Sampler::new(about.schema);
    sampler.completed(stated, seed_for("model", about), &mut generator)
}

/// The random numbers of one purpose in one write.
fn random_for(purpose: &str, about: Circumstances<'_>) -> Random {
    let Circumstances { schema, place, serial, seed, attempt, .. } = about;
    let number = match attempt {
        0 => serial.to_string(),
        _ => format!("{serial}.{attempt}"),
    };
    Random::new(seed, &[purpose, place.account(), place.region(), schema.name(), &number])
}

fn seed_for(purpose: &str, about: Circumstances<'_>) -> u64 {
    random_for(purpose, about).number()
}

fn document(schema: &TypeSchema, whole: &Value, habits: Option<Habits<'_>>) -> Document {
    let mut readable = without_secrets(schema, whole);
    drop_hollow(&mut readable, whole);
    if let Some(habits) = habits {
        habits.hide(&mut readable);
    }
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
