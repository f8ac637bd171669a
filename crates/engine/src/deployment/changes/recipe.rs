//! What a run would do with a recipe: run it, with what it is given otherwise than last time.

use std::collections::BTreeSet;

use hangar_plan::deployment::Row;
use hangar_plan::operation::Failure;
use hangar_plan::record::GroupName;
use hangar_template::deployment::Resource;
use serde_json::Value;

use super::property::{Page, escaped};
use super::told::{Deed, change};
use super::{Looked, Presence};
use crate::deployment::prepared::{Prepared, of_problems};
use crate::deployment::recipe;
use crate::engine::Shared;

/// A recipe would be run; what that changes only Terraform can tell, and not before it plans.
pub(super) async fn look(
    shared: &Shared,
    prepared: &Prepared,
    row: &Row,
    index: usize,
    group: &GroupName,
) -> Result<Looked, Failure> {
    let sights = prepared.sights();
    let read = prepared.deployment.recipe(index, &sights).and_then(|recipe| {
        let body = prepared.deployment.body(index, &sights)?;
        Ok(recipe.map(|recipe| (recipe::stated(&recipe), body)))
    });
    let read = match read {
        Ok(read) => read,
        Err(problems) => {
            let (failure, place) = of_problems(&problems, &prepared.sources);
            let deed = Deed { place, ..Deed::refused(failure.message) };
            return Ok(Looked { presence: Presence::NotYet, change: change(row, group, deed) });
        }
    };
    let before = recipe::find(shared, prepared, index, row, group).await;
    let before = before.map_err(|failed| failed.failure)?;
    let shown = before.as_ref().map(|it| &it.properties);
    let changed =
        read.map(|(stated, body)| given(shown, &Page::stating(&prepared.sources, &body, stated)));
    let reason = "what it changes is known when Terraform plans it".to_owned();
    let changed = changed.unwrap_or_default();
    let deed = Deed { changed, reason: Some(reason), ..Deed::of("run") };
    // What it told last is taken to stay, as of a resource that is updated.
    let presence = match before {
        Some(resource) => Presence::There(Resource { changing: true, ..resource }),
        None => Presence::NotYet,
    };
    Ok(Looked { presence, change: change(row, group, deed) })
}

/// What a recipe is given that it was not given last; whether a secret is another one is not told.
fn given(before: Option<&Value>, page: &Page<'_>) -> Vec<Value> {
    let mut changed = Vec::new();
    let hidden = before.and_then(|it| it.get("secretParameters")).and_then(Value::as_array);
    let is_hidden = |path: &str| {
        let name = path.strip_prefix("/parameters/");
        let told = hidden.into_iter().flatten().filter_map(Value::as_str).map(escaped);
        name.is_some_and(|name| told.into_iter().any(|it| it == name))
    };
    let is_told = |path: &str| {
        let is_unknown = page.stated.unknown.iter().any(|(it, _)| it == path);
        !is_unknown && !is_hidden(path)
    };
    let mut compare = |path: String| {
        let was = before.and_then(|it| it.pointer(&path));
        let is = page.stated.properties.pointer(&path);
        if was != is && is_told(&path) {
            let mut told = page.value(&path, was, is);
            if before.is_some() {
                let (cause, reason) = match (was, is) {
                    (Some(_), Some(_)) => ("stated", "the template changed it"),
                    (None, _) => ("first-stated", "given for the first time"),
                    (_, None) => ("no-longer-stated", "the template does not give it any more"),
                };
                told.insert("cause".to_owned(), cause.into());
                told.insert("reason".to_owned(), reason.into());
            }
            changed.push(Value::Object(told));
        }
    };
    compare("/source".to_owned());
    compare("/version".to_owned());
    let names = |document: Option<&Value>| -> BTreeSet<String> {
        let parameters = document.and_then(|it| it.get("parameters")).and_then(Value::as_object);
        parameters.into_iter().flat_map(|it| it.keys().cloned()).collect()
    };
    for name in &names(before) | &names(Some(&page.stated.properties)) {
        compare(format!("/parameters/{}", escaped(&name)));
    }
    changed.extend(page.unknowns().map(Value::Object));
    changed
}
