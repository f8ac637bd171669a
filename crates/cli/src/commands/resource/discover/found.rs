//! What was found: as a table for people, as the list that an import reads for programs.

use serde::Serialize;
use serde_json::Value;

use super::Unread;
use super::choose::Skipped;
use crate::client::arm_error::ArmError;
use crate::client::ids;
use crate::client::shape::AwsPlace;
use crate::render::counted;
use crate::render::table::Table;

/// One resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    pub(super) r#type: String,
    #[serde(skip)]
    pub(super) identifier: String,
    /// The same, so that an import takes it for nothing else.
    #[serde(rename = "identifier")]
    pub(super) written: Value,
    /// A proposal; the alias that it has where it is mapped.
    pub(super) alias: String,
    pub(super) scope: String,
    /// The reference that stands for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tracked_by: Option<String>,
}

/// A type that could not be listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Failed {
    pub(super) r#type: String,
    pub(super) code: String,
    pub(super) message: String,
}

impl Failed {
    pub(super) fn new(type_name: String, error: ArmError) -> Self {
        let message = error.message.trim().trim_end_matches('.').to_owned();
        Self { r#type: type_name, code: error.code, message }
    }
}

/// All of it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) resources: Vec<Found>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) failed: Vec<Failed>,
    /// The template that states the resources, where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bicep: Option<String>,
    /// What it leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unread: Vec<Unread>,
    #[serde(skip)]
    place: AwsPlace,
    #[serde(skip)]
    unmapped: usize,
    #[serde(skip)]
    mapped: usize,
}

impl Report {
    pub(super) fn new(place: AwsPlace, skipped: Vec<Skipped>, failed: Vec<Failed>) -> Self {
        Self {
            resources: Vec::new(),
            skipped,
            failed,
            bicep: None,
            unread: Vec::new(),
            place,
            unmapped: 0,
            mapped: 0,
        }
    }

    pub(super) fn count(&mut self, is_mapped: bool) {
        *if is_mapped { &mut self.mapped } else { &mut self.unmapped } += 1;
    }

    pub(super) fn table(&self, with_mapped: bool, width: Option<usize>) -> String {
        let AwsPlace { account, region } = &self.place;
        if self.resources.is_empty() {
            let besides = match self.mapped {
                0 => String::new(),
                1 => "; 1 resource has an alias".to_owned(),
                count => format!("; {count} resources have an alias"),
            };
            return format!(
                "no resources without an alias in account {account}, {region}{besides}"
            );
        }
        if with_mapped {
            let mut table = Table::new(["TYPE", "IDENTIFIER", "ALIAS", "MAPPED IN"]);
            table.fit(width);
            for found in &self.resources {
                let group = found.tracked_by.as_deref().and_then(ids::group_of);
                table.row([
                    &*found.r#type,
                    &found.identifier,
                    &found.alias,
                    group.as_deref().unwrap_or("-"),
                ]);
            }
            return table.to_string();
        }
        let mut table = Table::new(["TYPE", "IDENTIFIER", "ALIAS"]);
        table.fit(width);
        for found in &self.resources {
            table.row([&*found.r#type, &found.identifier, &found.alias]);
        }
        table.to_string()
    }

    /// What else there is to know, and what to do next.
    pub(super) fn note(&self, group: &str, all: bool) -> Option<String> {
        let mut parts = Vec::new();
        let below = self.skipped.iter().filter(|skipped| !skipped.parents.is_empty()).count();
        let never = self.skipped.len() - below;
        if all && below > 0 {
            parts.push(format!("{} can only be listed below a parent", counted(below, "type")));
        }
        if all && never > 0 {
            parts.push(format!("{} cannot be listed", counted(never, "type")));
        }
        if self.unmapped > 0 {
            let group =
                if group == ids::DEFAULT_GROUP { String::new() } else { format!(" -g {group}") };
            parts.push(format!(
                "with -o json the output is a list for `hangar resource import --from FILE{group}`"
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
