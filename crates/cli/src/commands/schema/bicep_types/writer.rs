//! Writes the type of one resource into a file of types, from its schema.

use std::collections::HashMap;

use hangar_schema::outline::{Limits, Outline, OutlineKey};
use hangar_schema::pattern::{Certainty, Pattern};
use hangar_schema::{Class, Kind, PropertyPointer, Source, TypeSchema};
use serde_json::{Map, Value, json};

use super::type_file::{Flags, TypeFile, TypeIndex, property};

/// All scopes but those of Azure's extension resources.
const SCOPES: u8 = 15;

/// Adds the resource type, whose name is as templates write it, without a version.
pub(super) fn resource(file: &mut TypeFile, schema: &TypeSchema, name: &str) -> TypeIndex {
    let mut writer = Writer { file, schema, by_place: HashMap::new() };
    let outline = schema.outline();
    let properties = writer.object(outline, &format!("{name}Properties"), "");
    let has_required = outline.members().any(|member| member.is_required);
    body(file, name, properties, Flags::NONE.with_if(has_required, Flags::REQUIRED))
}

/// Adds a resource type with these properties.
pub(super) fn body(
    file: &mut TypeFile,
    name: &str,
    properties: TypeIndex,
    of_properties: Flags,
) -> TypeIndex {
    let text = file.string();
    let own = Flags::IDENTIFIER.with(Flags::DEPLOY_TIME_CONSTANT);
    let members = [
        ("alias", property(text, own, "The name that you give the resource in its group.")),
        ("id", property(text, Flags::READ_ONLY, "Hangar's id of the resource.")),
        ("name", property(text, own, "The same as `alias`; state one of the two.")),
        ("properties", property(properties, of_properties, "The properties of the resource.")),
        ("type", property(text, Flags::READ_ONLY, "The resource type.")),
    ];
    let members = members.map(|(name, member)| (name.to_owned(), member));
    let body = file.object(name, Map::from_iter(members), None);
    resource_type(file, name, body)
}

/// Adds a resource type whose body was added.
pub(super) fn resource_type(file: &mut TypeFile, name: &str, body: TypeIndex) -> TypeIndex {
    let scopes = json!({
        "name": name, "body": body.reference(), "readableScopes": SCOPES, "writableScopes": SCOPES,
    });
    file.add("ResourceType", scopes)
}

struct Writer<'f, 's> {
    file: &'f mut TypeFile,
    schema: &'s TypeSchema,
    by_place: HashMap<OutlineKey, TypeIndex>,
}

impl<'s> Writer<'_, 's> {
    fn place(&mut self, outline: Outline<'s>, name: &str, path: &str) -> TypeIndex {
        let limits = outline.limits();
        let kinds: Vec<Kind> = outline.kinds().iter().collect();
        let types: Vec<TypeIndex> =
            kinds.iter().map(|kind| self.kind(*kind, outline, &limits, name, path)).collect();
        match types.as_slice() {
            [] => self.file.any(),
            [only] => *only,
            several => self.file.union(several),
        }
    }

    fn kind(
        &mut self,
        kind: Kind,
        outline: Outline<'s>,
        limits: &Limits<'s>,
        name: &str,
        path: &str,
    ) -> TypeIndex {
        match kind {
            Kind::Null => self.file.add("NullType", json!({})),
            Kind::Boolean => self.file.add("BooleanType", json!({})),
            Kind::Integer => self.integer(limits),
            // The language has no numbers with a fraction.
            Kind::Number => self.file.any(),
            Kind::String => self.text(outline, limits),
            Kind::Array => {
                let item = match outline.element() {
                    Some(element) => self.place(element, name, &format!("{path}/*")),
                    None => self.file.any(),
                };
                let mut json = json!({"itemType": item.reference()});
                let (least, most) = if self.is_proven() { limits.item_count } else { (None, None) };
                set(&mut json, "minLength", least.filter(|least| *least > 0).map(Value::from));
                set(&mut json, "maxLength", most.map(Value::from));
                self.file.add("ArrayType", json)
            }
            Kind::Object => self.object(outline, name, path),
        }
    }

    /// Whether AWS itself states the limits: an editor shows what breaks one as an error.
    fn is_proven(&self) -> bool {
        self.schema.source() != Source::CfnLint
    }

    fn integer(&mut self, limits: &Limits<'_>) -> TypeIndex {
        let mut json = json!({});
        if self.is_proven() {
            let whole = |number: Option<&serde_json::Number>| {
                number.and_then(serde_json::Number::as_i64).map(Value::from)
            };
            set(&mut json, "minValue", whole(limits.range.0));
            set(&mut json, "maxValue", whole(limits.range.1));
        }
        self.file.add("IntegerType", json)
    }

    fn text(&mut self, outline: Outline<'_>, limits: &Limits<'_>) -> TypeIndex {
        let has_allowed = !limits.allowed.is_empty();
        let values = if has_allowed { &limits.allowed } else { &limits.advised };
        let values: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        if values.is_empty() {
            return self.plain_text(outline, limits);
        }
        let mut elements: Vec<TypeIndex> =
            values.into_iter().map(|value| self.file.literal(value)).collect();
        // Values that AWS does not state are offered, and others are taken too.
        if !has_allowed || !self.is_proven() {
            elements.push(self.file.string());
        }
        match elements.as_slice() {
            [only] => *only,
            several => self.file.union(several),
        }
    }

    fn plain_text(&mut self, outline: Outline<'_>, limits: &Limits<'_>) -> TypeIndex {
        let mut json = json!({});
        if outline.classes().is_hidden() {
            json["sensitive"] = true.into();
        }
        if self.is_proven() {
            let (least, most) = limits.length;
            set(&mut json, "minLength", least.filter(|least| *least > 0).map(Value::from));
            set(&mut json, "maxLength", most.map(Value::from));
            set(&mut json, "pattern", limits.pattern.filter(|it| is_plain(it)).map(Value::from));
        }
        self.file.add("StringType", json)
    }

    fn object(&mut self, outline: Outline<'s>, name: &str, path: &str) -> TypeIndex {
        if let Some(known) = self.by_place.get(&outline.key()) {
            return *known;
        }
        let name = outline.definition().unwrap_or(name).to_owned();
        let at = self.file.reserve();
        self.by_place.insert(outline.key(), at);
        let mut members = Map::new();
        for member in outline.members() {
            let path = format!("{path}/{}", member.name);
            let value_type = self.place(member.outline, member.name, &path);
            let classes = member.outline.classes();
            let flags = Flags::NONE
                .with_if(member.is_required, Flags::REQUIRED)
                .with_if(member.outline.is_read_only(), Flags::READ_ONLY)
                .with_if(classes.is_hidden(), Flags::WRITE_ONLY)
                .with_if(self.is_identifier(&path), Flags::IDENTIFIER);
            let described = property(value_type, flags, &describe(member.outline));
            members.insert(member.name.to_owned(), described);
        }
        let is_open = !outline.is_closed();
        let additional = match outline.others() {
            Some(others) => Some(self.place(others, "value", &format!("{path}/*"))),
            None if is_open => Some(self.file.any()),
            None => None,
        };
        self.file.set_object(at, &name, members, additional);
        at
    }

    fn is_identifier(&self, path: &str) -> bool {
        let parts: &[PropertyPointer] = self.schema.primary_identifier();
        parts.iter().any(|part| part.to_string() == path)
    }
}

/// Whether a pattern means the same to Bicep's engine as to AWS's.
fn is_plain(pattern: &str) -> bool {
    pattern.is_ascii() && *Pattern::compile(pattern).certainty() == Certainty::Checked
}

fn set(json: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        json[name] = value;
    }
}

/// What the flags of a member do not tell.
fn describe(outline: Outline<'_>) -> String {
    let (classes, limits) = (outline.classes(), outline.limits());
    let mut sentences = Vec::new();
    if classes.has(Class::CreateOnly) && !outline.is_read_only() {
        sentences.push("Set at creation only: a change replaces the resource.".to_owned());
    }
    if classes.has(Class::ConditionalCreateOnly) {
        sentences.push("Some changes replace the resource.".to_owned());
    }
    if classes.has(Class::Deprecated) {
        sentences.push("Deprecated.".to_owned());
    }
    sentences.extend(limits.default.map(|default| format!("Default: `{default}`.")));
    sentences.extend(limits.format.map(|format| format!("Format: {format}.")));
    if let Some(pattern) = limits.pattern.filter(|pattern| !is_plain(pattern)) {
        sentences.push(format!("Matches `{pattern}`."));
    }
    if let Some(pattern) = limits.advised_pattern {
        sentences.push(format!("By cfn-lint it matches `{pattern}`."));
    }
    sentences.join(" ")
}
