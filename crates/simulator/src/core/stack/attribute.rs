//! Attributes of which nothing is known but their names: made up when a template asks for them, and from then
//! on in the model, so that Cloud Control shows what the stack used.

use hangar_schema::{Class, Kind, PropertyPointer, Step};
use serde_json::{Value, json};

use super::deploy::Deployment;
use super::{Body, Member};
use crate::core::model::tamper;
use crate::core::random::Random;
use crate::core::state::{Change, Resource};

impl Deployment<'_> {
    /// A value for an attribute that a resource has no value for.
    pub(super) fn made_up(&mut self, logical_id: &str, member: &Member, attribute: &str) -> Value {
        let purpose = ["attribute", self.stack.id.as_str(), logical_id, attribute];
        let mut random = Random::new(self.world.settings.seed, &purpose);
        let text = self.text_for(member, attribute, &mut random);
        let Body::Resource(identifier) = &member.body else { return json!(text) };
        let Ok(schema) = self.world.types.get(&member.type_name) else { return json!(text) };
        let pointer: PropertyPointer =
            attribute.split('.').map(|name| Step::Member(name.into())).collect();
        let kinds = schema.kinds_at(&pointer);
        let value = if kinds.has(Kind::String) || kinds.is_unstated() {
            json!(text)
        } else if kinds.has_numeric() {
            json!(random.between(1, 65_535))
        } else if kinds.has(Kind::Boolean) {
            json!(true)
        } else if kinds.has(Kind::Array) {
            json!([text])
        } else {
            return json!(text);
        };
        // What a caller could state is not put into his mouth.
        if !schema.classes_of(&pointer).has(Class::ReadOnly) {
            return value;
        }
        let region = self.world.region(&self.place);
        let known = region.and_then(|it| it.resource(&member.type_name, identifier)).cloned();
        let Some(before @ Resource { document: Some(_), .. }) = known else { return value };
        let merge = attribute.rsplit('.').fold(value.clone(), |inner, name| json!({ name: inner }));
        let document = before.document.as_ref().map(|it| tamper(&schema, it, &merge));
        let after = Resource { document, ..before.clone() };
        let change = |resource| Change::Resource {
            place: self.place.clone(),
            type_name: member.type_name.as_str().into(),
            identifier: identifier.as_str().into(),
            resource: Some(resource),
        };
        let (forth, back) = (change(after), change(before));
        self.undo.push(back);
        self.world.commit(forth);
        value
    }

    fn text_for(&self, member: &Member, attribute: &str, random: &mut Random) -> String {
        let name = attribute.rsplit('.').next().unwrap_or(attribute);
        let drawn = random.text("0123456789abcdef", 12);
        if !name.ends_with("Arn") {
            return format!("{}-{drawn}", name.to_lowercase());
        }
        let service = member.type_name.split("::").nth(1).unwrap_or_default().to_lowercase();
        let (partition, region) = (self.place.partition(), self.place.region());
        let account = self.place.account();
        format!("arn:{partition}:{service}:{region}:{account}:{}/{drawn}", name.to_lowercase())
    }
}
