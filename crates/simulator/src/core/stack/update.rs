//! A stack is changed: what is new, what is other, what is gone.

use std::collections::BTreeMap;

use hangar_manifest::cloudformation::template::Template;
use serde_json::Map;

use super::call::{Draft, StackReply};
use super::source::invalid;
use crate::core::place::Place;
use crate::core::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::core::world::World;

impl World {
    pub(super) fn update_stack(
        &mut self,
        _: &Place,
        _: &Draft,
        _: Timestamp,
    ) -> Result<StackReply, Refusal> {
        Err(invalid("No updates are to be performed."))
    }
}

/// A template without anything in it.
pub(super) fn nothing() -> Template {
    Template {
        description: None,
        parameters: BTreeMap::new(),
        mappings: Map::new(),
        conditions: BTreeMap::new(),
        resources: BTreeMap::new(),
        outputs: BTreeMap::new(),
    }
}
