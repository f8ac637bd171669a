//! Hands behind Cloud Control's back: resources made, changed and deleted without a request.

use hangar_schema::{TypeSchema, identifier_of};
use serde_json::Value;

use super::model;
use super::place::Place;
use super::read::kept_name;
use super::refusal::{Exception, Refusal};
use super::state::{Change, Document};
use super::time::Timestamp;
use super::world::World;

impl World {
    /// Makes a resource as the service's own console would; gives its identifier.
    pub fn create_out_of_band(
        &mut self,
        place: &Place,
        type_name: &str,
        desired: &Value,
        wall: Timestamp,
    ) -> Result<String, Refusal> {
        let now = self.now(wall);
        self.settle(now);
        let schema = self.types.get(type_name)?;
        let serial = self.next_serial(place);
        let about = self.circumstances(place, &schema, serial, now);
        let created = self.made(&desired.to_string(), about)?;
        if self.region(place).and_then(|it| it.document(type_name, &created.identifier)).is_some() {
            let message =
                format!("{type_name} {} already exists; change it instead", created.identifier);
            return Err(Refusal::new(Exception::AlreadyExists, message));
        }
        // The number is used up, so that the next request makes up other values.
        self.commit(Change::Serial { place: place.clone(), next: serial + 1 });
        let identifier = created.identifier;
        let resource = self.written(place, type_name, &identifier, Some(created.document), now);
        self.commit(Change::Resource {
            place: place.clone(),
            type_name: kept_name(&schema),
            identifier: identifier.as_str().into(),
            resource,
        });
        Ok(identifier)
    }

    /// Changes a resource by RFC 7396, whatever the schema says; says whether there is one.
    pub fn change_out_of_band(
        &mut self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        merge: &Value,
        wall: Timestamp,
    ) -> Result<bool, Refusal> {
        self.rewrite_out_of_band(place, type_name, identifier, wall, |schema, before| {
            model::tamper(schema, before, merge)
        })
    }

    /// Puts other properties in the place of those that a read returns, whatever the schema says;
    /// the identifier and write-only values stay. Says whether there is such a resource.
    pub fn replace_out_of_band(
        &mut self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        properties: &Value,
        wall: Timestamp,
    ) -> Result<bool, Refusal> {
        self.rewrite_out_of_band(place, type_name, identifier, wall, |schema, before| {
            model::replaced(schema, before, properties)
        })
    }

    fn rewrite_out_of_band(
        &mut self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        wall: Timestamp,
        rewrite: impl FnOnce(&TypeSchema, &Document) -> Document,
    ) -> Result<bool, Refusal> {
        let now = self.now(wall);
        self.settle(now);
        let schema = self.types.get(type_name)?;
        let Some(before) = self.region(place).and_then(|it| it.document(type_name, identifier))
        else {
            return Ok(false);
        };
        let document = rewrite(&schema, before);
        let named = identifier_of(&schema, &model::parse(document.whole()));
        if named.map_or(true, |named| named.as_str() != identifier) {
            let message = format!(
                "the properties would change the identifier {identifier}: remove the properties of \
                 the identifier, or create a new resource"
            );
            return Err(Refusal::new(Exception::InvalidRequest, message));
        }
        let document = Some(document);
        let resource = self.written(place, type_name, identifier, document, now);
        self.commit(Change::Resource {
            place: place.clone(),
            type_name: kept_name(&schema),
            identifier: identifier.into(),
            resource,
        });
        Ok(true)
    }

    /// Deletes a resource; says whether there was one.
    pub fn delete_out_of_band(
        &mut self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        wall: Timestamp,
    ) -> bool {
        let now = self.now(wall);
        self.settle(now);
        let exists = self.region(place).and_then(|it| it.document(type_name, identifier)).is_some();
        if exists {
            let resource = self.written(place, type_name, identifier, None, now);
            self.commit(Change::Resource {
                place: place.clone(),
                type_name: type_name.into(),
                identifier: identifier.into(),
                resource,
            });
        }
        exists
    }
}
