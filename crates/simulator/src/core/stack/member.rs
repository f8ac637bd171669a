//! One resource of a stack is made: through Cloud Control's own rules where its type has handlers.

use hangar_ids::Identifier;
use hangar_manifest::cloudformation::physical_id;
use hangar_schema::{TypeSchema, identifier_of};
use serde_json::Value;

use super::deploy::{Deployment, Made};
use super::fit::{coerced, tagged};
use super::name::{made_up, named, physical_id_of};
use super::prepare::is_custom;
use super::{Body, STACK_TYPE};
use crate::core::call::CallName;
use crate::core::fault::{self, Effect, Target};
use crate::core::model::{self, parse};
use crate::core::random::Random;
use crate::core::refusal::{Exception, HandlerErrorCode, Refusal};
use crate::core::state::Change;
use crate::core::time::Timestamp;
use crate::core::words::already_exists_words;

impl Deployment<'_> {
    /// Makes a resource; the reason where it cannot be made, in AWS's words.
    pub(super) fn make(
        &mut self,
        logical_id: &str,
        type_name: &str,
        properties: &Value,
        start: Timestamp,
    ) -> Result<Made, String> {
        let desired = self.resolved(properties, 0)?;
        let mut random = self.random(logical_id);
        if type_name == STACK_TYPE {
            return self.make_stack(logical_id, &desired, start, &mut random);
        }
        let schema = self.world.types.get(type_name).ok();
        match schema.filter(|_| !is_custom(type_name)) {
            Some(schema) if schema.handlers().create.is_some() => {
                self.make_resource(logical_id, &schema, &desired, start, &mut random)
            }
            schema => Ok(self.make_inner(logical_id, type_name, schema, &desired, start, random)),
        }
    }

    /// A stream for one resource; the number is used up.
    fn random(&mut self, logical_id: &str) -> Random {
        let serial = self.world.next_serial(&self.place);
        let number = serial.to_string();
        let (account, region) = (self.place.account(), self.place.region());
        let purpose = ["member", account, region, number.as_str(), logical_id];
        let random = Random::new(self.world.settings.seed, &purpose);
        self.world.commit(Change::Serial { place: self.place.clone(), next: serial + 1 });
        random
    }

    fn make_resource(
        &mut self,
        logical_id: &str,
        schema: &TypeSchema,
        desired: &Value,
        start: Timestamp,
        random: &mut Random,
    ) -> Result<Made, String> {
        let type_name = schema.name();
        let desired = coerced(schema, desired);
        let stack = self.stack.name.clone();
        let desired = named(schema, &desired, &stack, logical_id, random).unwrap_or(desired);
        let desired = tagged(schema, &desired, &self.stack.member_tags(logical_id));
        let chosen = identifier_of(schema, &desired).ok();
        let chosen = chosen.as_ref().map(Identifier::as_str);
        self.meet_faults(CallName::CreateResource, type_name, chosen, random)?;
        let serial = self.world.next_serial(&self.place);
        let about = self.world.circumstances(&self.place, schema, serial, self.now);
        let created = self.world.made(&desired.to_string(), about);
        let created = created.map_err(|refusal| reason(logical_id, &refusal, random))?;
        let identifier = created.identifier;
        let region = self.world.region(&self.place);
        if region.is_some_and(|it| it.document(type_name, &identifier).is_some()) {
            return Err(handler_message(
                HandlerErrorCode::AlreadyExists,
                &already_exists_words(type_name, &identifier),
                random,
            ));
        }
        self.world
            .refuse_busy(&self.place, schema, &identifier)
            .map_err(|refusal| reason(logical_id, &refusal, random))?;
        self.world.commit(Change::Serial { place: self.place.clone(), next: serial + 1 });
        let values = parse(created.document.whole());
        let ends_at = self.end_of(start, random);
        self.put(type_name, &identifier, Some(created.document), ends_at);
        let physical_id = physical_id_of(type_name, &identifier, &values);
        Ok(Made { physical_id, body: Body::Resource(identifier), ends_at })
    }

    /// A resource that only its stack knows of.
    fn make_inner(
        &mut self,
        logical_id: &str,
        type_name: &str,
        schema: Option<std::sync::Arc<TypeSchema>>,
        desired: &Value,
        start: Timestamp,
        mut random: Random,
    ) -> Made {
        let random = &mut random;
        let ends_at = self.end_of(start, random);
        let name = made_up(&self.stack.name, logical_id, random, 128);
        let Some(schema) = schema.filter(|_| !is_custom(type_name)) else {
            let body =
                if is_custom(type_name) { Body::Custom } else { Body::Inner(desired.to_string()) };
            return Made { physical_id: name, body, ends_at };
        };
        let desired = coerced(&schema, desired);
        let stack = self.stack.name.clone();
        let desired = named(&schema, &desired, &stack, logical_id, random).unwrap_or(desired);
        let serial = self.world.next_serial(&self.place);
        let about = self.world.circumstances(&self.place, &schema, serial, self.now);
        // What its schema cannot describe is kept as it was stated.
        let values = match model::create(&desired.to_string(), about) {
            Ok(created) => parse(created.document.whole()),
            Err(_) => desired,
        };
        self.world.commit(Change::Serial { place: self.place.clone(), next: serial + 1 });
        let physical_id = match type_name {
            "AWS::CloudFormation::WaitConditionHandle" => self.wait_handle(logical_id),
            _ if physical_id::parts(type_name).is_some() => {
                physical_id_of(type_name, &name, &values)
            }
            _ => name,
        };
        Made { physical_id, body: Body::Inner(values.to_string()), ends_at }
    }

    fn wait_handle(&self, logical_id: &str) -> String {
        let (region, suffix) = (self.place.region(), self.place.dns_suffix());
        let id = self.stack.id.replace(':', "%3A").replace('/', "%2F");
        format!(
            "https://cloudformation-waitcondition-{region}.s3.{region}.{suffix}/{id}/{logical_id}"
        )
    }

    /// Faults that wait for a call of Cloud Control meet what a stack does too.
    pub(super) fn meet_faults(
        &mut self,
        name: CallName,
        type_name: &str,
        identifier: Option<&str>,
        random: &mut Random,
    ) -> Result<(), String> {
        let target =
            Target { name, type_name: Some(type_name), identifier, place: &self.place.clone() };
        let met = fault::meet(&self.world.state.faults, &target);
        if let Some(left) = met.left {
            self.world.commit(Change::Faults(left));
        }
        for effect in met.effects {
            match effect {
                Effect::Fail { code, message, .. } => {
                    let words = "The handler failed because of a fault armed in the simulator";
                    let message = message.unwrap_or_else(|| words.to_owned());
                    return Err(handler_message(code, &message, random));
                }
                Effect::Exception { exception, message, .. } => {
                    let message = message.unwrap_or_else(|| exception.as_str().to_owned());
                    let code = HandlerErrorCode::GeneralServiceException;
                    return Err(handler_message(code, &message, random));
                }
                Effect::Hang => self.is_hanging = true,
                Effect::DropReply { .. } | Effect::Delay { .. } => {}
            }
        }
        Ok(())
    }
}

/// What the events of a stack say of a handler that failed.
pub(super) fn handler_message(
    code: HandlerErrorCode,
    message: &str,
    random: &mut Random,
) -> String {
    let (code, token) = (code.as_str(), random.uuid());
    format!(
        "Resource handler returned message: \"{message}\" (RequestToken: {token}, \
         HandlerErrorCode: {code})"
    )
}

/// What they say of a refusal.
pub(super) fn reason(logical_id: &str, refusal: &Refusal, random: &mut Random) -> String {
    let model = refusal.message.strip_prefix("Model validation failed (");
    if let Some(lines) = model.and_then(|it| it.strip_suffix(')')) {
        return format!(
            "Properties validation failed for resource {logical_id} with message:\n{lines}"
        );
    }
    let code = match refusal.exception {
        Exception::AlreadyExists => HandlerErrorCode::AlreadyExists,
        Exception::ResourceNotFound => HandlerErrorCode::NotFound,
        Exception::NotUpdatable => HandlerErrorCode::NotUpdatable,
        Exception::ConcurrentOperation => HandlerErrorCode::ResourceConflict,
        _ => HandlerErrorCode::InvalidRequest,
    };
    handler_message(code, &refusal.message, random)
}
