//! Stacks as they are printed: a table for people, documents for programs.

use hangar_provider::Place;
use hangar_provider_aws::{Stack, StackResource};
use serde::Serialize;
use serde_json::{Map, Value};

use super::stack::Change;
use crate::render::table::Table;

/// A stack, and what was learnt of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    name: String,
    id: String,
    account: String,
    region: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    outputs: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<ResourceRow>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceRow {
    logical_id: String,
    physical_id: Option<String>,
    #[serde(rename = "type")]
    type_name: String,
    status: String,
}

impl Row {
    pub(super) fn new(place: &Place, stack: Stack, change: Option<Change>) -> Self {
        let outputs = stack.outputs.into_iter().map(|it| (it.key, Value::from(it.value)));
        Self {
            name: stack.name,
            id: stack.id,
            account: place.account.padded(),
            region: place.region.as_str().to_owned(),
            status: stack.status,
            status_reason: stack.status_reason,
            parent_id: stack.parent_id,
            change: change.map(Change::as_str),
            outputs: outputs.collect(),
            resources: None,
        }
    }

    pub(super) fn with_resources(mut self, resources: Vec<StackResource>) -> Self {
        let rows = resources.into_iter().map(|it| ResourceRow {
            logical_id: it.logical_id,
            physical_id: it.physical_id,
            type_name: it.type_name,
            status: it.status,
        });
        self.resources = Some(rows.collect());
        self
    }

    /// A line that says how it ended.
    pub(super) fn line(&self) -> String {
        let change = self.change.map(|change| format!(", {change}")).unwrap_or_default();
        format!("{}: {}{change}", self.name, self.status)
    }
}

/// The stacks, and below them their resources where they were asked for.
pub(super) fn table(rows: &[Row], width: Option<usize>) -> String {
    let mut stacks = Table::new(["STACK", "ACCOUNT", "REGION", "STATUS", "CHANGE", "OUTPUTS"]);
    stacks.fit(width);
    stacks.keep_first_whole();
    for row in rows {
        stacks.row([
            row.name.as_str(),
            &row.account,
            &row.region,
            &row.status,
            row.change.unwrap_or("-"),
            &row.outputs.len().to_string(),
        ]);
    }
    let mut text = stacks.to_string();
    if rows.iter().any(|row| row.resources.is_some()) {
        let mut resources = Table::new(["STACK", "LOGICAL ID", "TYPE", "PHYSICAL ID", "STATUS"]);
        resources.fit(width);
        for (row, resource) in
            rows.iter().flat_map(|row| row.resources.iter().flatten().map(move |it| (row, it)))
        {
            resources.row([
                row.name.as_str(),
                &resource.logical_id,
                &resource.type_name,
                resource.physical_id.as_deref().unwrap_or("-"),
                &resource.status,
            ]);
        }
        text = format!("{}\n\n{resources}", text.trim_end());
    }
    text
}
