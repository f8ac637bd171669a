//! What a recipe came to, and what it is, for people.

use std::fmt::Write as _;
use std::time::Duration;

use hangar_diag::Diagnostic;
use serde_json::{Map, Value};

use super::rows::shown_address;
use crate::client::ids;
use crate::client::instant::felt;
use crate::client::recipe::{OutputResource, Recipe, RecipeProperties, StateLock};
use crate::codes;
use crate::commands::resource::list::is_default;
use crate::failure::Report;
use crate::render::printable;
use crate::render::table::Table;

/// How a run ended, and what there is now.
pub(super) fn text(recipe: &Recipe, width: Option<usize>) -> String {
    let properties = &recipe.properties;
    let took = properties.end_time.zip(properties.start_time).map(|(end, start)| end.since(start));
    let mut text = format!("{}\n", headline(recipe, took));
    text.push_str(&holdings(recipe, width));
    text
}

/// What the state holds: resources, values, the names of secrets.
pub(super) fn holdings(recipe: &Recipe, width: Option<usize>) -> String {
    let status = &recipe.properties.status;
    let mut text = String::new();
    if !status.output_resources.is_empty() {
        let _ = writeln!(text, "\n{}", resources(&status.output_resources, width));
    }
    if !status.values.is_empty() {
        let _ = write!(text, "\nvalues:\n{}", values(&status.values));
    }
    if !status.secrets.is_empty() {
        let names = status.secrets.join(", ");
        let show = format!("hangar recipe show {} --secrets", words_of(recipe));
        let _ = writeln!(text, "\nsecrets: {} (`{show}` shows them)", printable(&names));
    }
    text
}

fn headline(recipe: &Recipe, took: Option<Duration>) -> String {
    let name = printable(&recipe.name);
    let took = took.map(|took| format!(" in {}", felt(took))).unwrap_or_default();
    format!("{name}: {}{took}", came_to(&recipe.properties))
}

fn came_to(properties: &RecipeProperties) -> String {
    let state = properties.state_word();
    match (state.as_str(), properties.outcome.as_deref()) {
        ("succeeded", Some("noop")) => return "no changes".to_owned(),
        ("succeeded", _) => {}
        _ => return state,
    }
    let Some(summary) = properties.summary else { return "deployed".to_owned() };
    let counts =
        [(summary.add, "added"), (summary.change, "changed"), (summary.remove, "destroyed")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    if counts.is_empty() { "no changes".to_owned() } else { counts.join(", ") }
}

/// The output resources.
pub(super) fn resources(resources: &[OutputResource], width: Option<usize>) -> String {
    let mut table = Table::new(["ADDRESS", "OUTPUT RESOURCE"]);
    table.fit(width);
    for resource in resources {
        let address = resource.address.as_deref().map_or("(declared)", shown_address);
        table.row([address, &resource.id]);
    }
    table.to_string()
}

/// Names and values, a line each.
pub(super) fn values(values: &Map<String, Value>) -> String {
    let width = values.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in values {
        let value = match value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let _ = writeln!(text, "  {:width$}  {}", printable(name), printable(&value));
    }
    text
}

/// The words by which commands name a recipe: `net -g prod`.
pub(super) fn words_of(recipe: &Recipe) -> String {
    let group = ids::group_of(&recipe.id).unwrap_or_default();
    words(&recipe.name, &group)
}

/// The same of a name and a group.
pub(super) fn words(name: &str, group: &str) -> String {
    let name = ids::quoted(name);
    if group.is_empty() || is_default(group) {
        name
    } else {
        format!("{name} -g {}", ids::quoted(group))
    }
}

/// The warnings of a recipe as diagnostics.
pub(super) fn warnings(recipe: &Recipe) -> Vec<Report> {
    let warnings = recipe.properties.status.warnings.iter();
    let diagnostics: Vec<Diagnostic> =
        warnings.map(|text| Diagnostic::warning(codes::API_WARNING, text.clone())).collect();
    if diagnostics.is_empty() { Vec::new() } else { vec![Report { source: None, diagnostics }] }
}

/// Who holds a lock, for what, and for how long.
pub(super) fn holder(lock: &StateLock) -> String {
    let who = lock.who.as_deref().filter(|who| !who.is_empty()).unwrap_or("an unknown client");
    let mut text = who.to_owned();
    if let Some(word) = lock.operation.as_deref().filter(|word| !word.is_empty()) {
        let _ = write!(text, " ({word})");
    }
    if let Some(age) = lock.age_seconds {
        let _ = match age {
            0..60 => write!(text, " for {age}s"),
            _ => write!(text, " for {}", felt(Duration::from_secs(age))),
        };
    }
    if let Some(operation) = &lock.hangar_operation {
        let _ = write!(text, ", operation {operation}");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recipe(properties: &Value) -> Recipe {
        let mut document = json!({
            "id": "/planes/radius/local/resourceGroups/prod/providers/Hangar.Recipes/recipes/net", "name": "net",
            "properties": {"provisioningState": "Succeeded", "startTime": "2026-01-02T03:04:05Z",
                           "endTime": "2026-01-02T03:04:09.2Z"},
        });
        let more = properties.as_object().unwrap().clone();
        document["properties"].as_object_mut().unwrap().extend(more);
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn the_end_tells_what_was_made_and_names_secrets_only() {
        let recipe = recipe(&json!({
            "summary": {"add": 2, "change": 0, "remove": 1}, "outcome": "deployed",
            "status": {
                "outputResources": [
                    {"id": "/planes/aws/aws/x", "address": "module.recipe.aws_vpc.main"}, {"id": "/y"}],
                "values": {"vpc": "vpc-1", "zones": ["a"]}, "secrets": ["password"],
            },
        }));
        insta::assert_snapshot!(text(&recipe, None), @r#"
        net: 2 added, 1 destroyed in 4.2s

        ADDRESS       OUTPUT RESOURCE
        aws_vpc.main  /planes/aws/aws/x
        (declared)    /y

        values:
          vpc    vpc-1
          zones  ["a"]

        secrets: password (`hangar recipe show net -g prod --secrets` shows them)
        "#);
    }

    #[test]
    fn nothing_done_is_no_changes_and_a_failure_is_not() {
        assert_eq!(text(&recipe(&json!({"outcome": "noop"})), None), "net: no changes in 4.2s\n");
        let failed = recipe(&json!({"provisioningState": "Failed", "summary": {"add": 2}}));
        assert_eq!(text(&failed, None), "net: failed in 4.2s\n");
    }

    #[test]
    fn a_lock_says_who_holds_it_and_for_how_long() {
        let lock: StateLock = serde_json::from_value(json!({
            "id": "l", "who": "ann@laptop", "operation": "OperationTypeApply", "ageSeconds": 125}))
        .unwrap();
        assert_eq!(holder(&lock), "ann@laptop (OperationTypeApply) for 2m 05s");
    }
}
