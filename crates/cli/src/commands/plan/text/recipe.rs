//! What Terraform plans of a recipe: a line for each of its resources, and below it what of that would change.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};

use super::{View, property};
use crate::client::deployment::{Action, Change, ResourceAction};
use crate::render::printable;

/// Below the row of the recipe.
const INDENT: usize = 6;

/// Writes the resources of a recipe.
pub(super) fn write_resources(text: &mut String, change: &Change, view: View<'_>) {
    for resource in &change.resource_changes {
        let (sign, style) = mark(resource.action);
        let address = printable(&resource.address);
        let word = resource.action.as_str();
        let _ = writeln!(text, "{:INDENT$}{style}{sign:<3}{style:#} {address}  {word}", "");
        let action = match resource.action {
            ResourceAction::Create => Action::Create,
            _ => Action::Update,
        };
        for changed in &resource.changed {
            property::tell_at(text, changed, action, view, INDENT + 6);
        }
    }
    if change.unlisted_changes > 0 {
        let _ = writeln!(text, "{:INDENT$}and {} more", "", change.unlisted_changes);
    }
}

fn mark(action: ResourceAction) -> (&'static str, Style) {
    let (sign, color) = match action {
        ResourceAction::Create => ("+", AnsiColor::Green),
        ResourceAction::Update => ("~", AnsiColor::Yellow),
        ResourceAction::Replace => ("-/+", AnsiColor::Magenta),
        ResourceAction::Delete => ("-", AnsiColor::Red),
        ResourceAction::Forget => (".", AnsiColor::Yellow),
        ResourceAction::Other => ("?", AnsiColor::Cyan),
    };
    (sign, color.on_default())
}
