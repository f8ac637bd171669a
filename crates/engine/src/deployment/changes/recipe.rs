//! What a run would do with a recipe: what Terraform plans, and what it is given otherwise than last time.

use std::collections::BTreeSet;

use hangar_plan::Timestamp;
use hangar_plan::deployment::{Row, Stating};
use hangar_plan::operation::{Failure, FailureKind, OperationId};
use hangar_plan::record::{AwsScope, GroupName, RecipeName};
use hangar_template::deployment::{Deployment, NothingKnown, Resource, Target};
use hangar_template::recipe::Recipe;
use hangar_template::source::Sources;
use hangar_template::value::Because;
use serde_json::Value;

use super::property::{Page, escaped};
use super::told::{Deed, change};
use super::{Looked, Presence};
use crate::deployment::prepared::{Prepared, of_problems};
use crate::deployment::recipe;
use crate::engine::Shared;
use crate::recipe::{PlannedRecipe, Recipes, plan, plan_new};

/// Has Terraform plan a recipe, if all that it is given is known.
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
        Ok(recipe.map(|recipe| (recipe, body)))
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
    let mut changed = Vec::new();
    let mut outlook = Outlook::Unplanned("it is not a recipe".to_owned());
    if let Some((recipe, body)) = read {
        let stated = recipe::stated(&recipe);
        outlook = match waits_for(&stated) {
            Some(waits_for) => Outlook::Waits(waits_for),
            None => planned(shared, prepared, row, group, &recipe).await,
        };
        changed = given(shown, &Page::stating(&prepared.sources, &body, stated));
    }
    let has_run = shown.is_some_and(|it| it["provisioningState"] == "Succeeded");
    let deed = outlook.deed(has_run);
    let (action, stays) = (deed.action, outlook.keeps_values());
    let mut told = change(row, group, Deed { changed, ..deed });
    outlook.tell_resources(&mut told);
    let presence = match before {
        Some(resource) if stays => {
            Presence::There(Resource { changing: action != "no-op", ..resource })
        }
        _ => Presence::NotYet,
    };
    Ok(Looked { presence, change: told })
}

/// What is known of a run before it.
enum Outlook {
    /// What Terraform would change.
    Planned(PlannedRecipe),
    /// What it is given is known after these.
    Waits(String),
    /// It cannot be planned here, and why.
    Unplanned(String),
    /// It would fail, and why.
    Fails(String),
}

impl Outlook {
    fn of(planned: Result<PlannedRecipe, Failure>) -> Self {
        match planned {
            Ok(planned) => Self::Planned(planned),
            Err(failure) if failure.kind == FailureKind::Unavailable => {
                Self::Unplanned(failure.message)
            }
            Err(failure) => Self::Fails(failure.message),
        }
    }

    /// Whether what the last run returned is taken to stay: Terraform plans no other outputs and no other resources, or it was
    /// not asked.
    fn keeps_values(&self) -> bool {
        match self {
            Self::Planned(planned) => {
                let is_update = |change: &Value| change["action"] == "update";
                !planned.changes_outputs && planned.changes.iter().all(is_update)
            }
            Self::Waits(_) | Self::Unplanned(_) => true,
            Self::Fails(_) => false,
        }
    }

    /// Adds what Terraform plans to what is told of the recipe.
    fn tell_resources(self, told: &mut Value) {
        if let Self::Planned(planned) = self {
            told["resourceChanges"] = planned.changes.into();
            if planned.unlisted > 0 {
                told["unlistedChanges"] = planned.unlisted.into();
            }
        }
    }

    fn deed(&self, has_run: bool) -> Deed<'static> {
        let run = |reason: String| Deed { reason: Some(reason), ..Deed::of("run") };
        match self {
            Self::Planned(planned) if planned.is_empty() && has_run => Deed::of("no-op"),
            Self::Planned(planned) if planned.is_empty() => {
                run("Terraform plans no changes; it has not run successfully yet".to_owned())
            }
            Self::Planned(planned) if planned.changes.is_empty() => {
                run("Terraform plans to change only its outputs".to_owned())
            }
            Self::Planned(_) => Deed::of("run"),
            Self::Waits(others) => run(format!("to run (depends on {others})")),
            Self::Unplanned(why) => run(format!("cannot be planned: {why}")),
            Self::Fails(why) => Deed::refused(why.clone()),
        }
    }
}

/// Has Terraform plan the recipes of a template for a group that does not exist. `changes` are those of the plan, one for each
/// node; of recipes they get what Terraform plans.
pub async fn plan_new_recipes(
    recipes: &Recipes,
    (deployment, sources): (&Deployment, &Sources),
    (group, scope): (&GroupName, Option<&AwsScope>),
    changes: &mut [Value],
) {
    for (index, (node, told)) in deployment.nodes().iter().zip(changes).enumerate() {
        let Ok(Some(recipe)) = deployment.recipe(index, &NothingKnown) else { continue };
        let Target::Managed { alias } = &node.target else { continue };
        let outlook = match (waits_for(&recipe::stated(&recipe)), recipe::terms(&recipe, sources)) {
            (Some(others), _) => Outlook::Waits(others),
            (None, Err(failure)) => Outlook::Unplanned(failure.message),
            (None, Ok(terms)) => {
                let name = RecipeName { group: group.clone(), name: alias.to_string() };
                let bits = u128::try_from(index).unwrap_or_default();
                let operation = OperationId::of_parts(Timestamp::from_micros(0), bits);
                Outlook::of(plan_new(recipes, scope, &name, &terms, operation).await)
            }
        };
        let deed = outlook.deed(false);
        told["action"] = deed.action.into();
        if let Value::Object(members) = &mut *told {
            members.remove("reason");
            members.extend(deed.reason.map(|reason| ("reason".to_owned(), reason.into())));
        }
        outlook.tell_resources(told);
    }
}

/// The resources that something it is given waits for; nothing where all of it is known.
fn waits_for(stated: &Stating) -> Option<String> {
    if stated.unknown.is_empty() {
        return None;
    }
    let names: BTreeSet<String> = stated
        .unknown
        .iter()
        .map(|(_, unknown)| match &unknown.because {
            Because::Resource { address, .. } => address.to_string(),
            other => other.to_string(),
        })
        .collect();
    Some(names.into_iter().collect::<Vec<_>>().join(", "))
}

async fn planned(
    shared: &Shared,
    prepared: &Prepared,
    row: &Row,
    group: &GroupName,
    recipe: &Recipe,
) -> Outlook {
    let Some(name) = row.recipe(group) else {
        return Outlook::Unplanned("it has no name".to_owned());
    };
    let terms = match recipe::terms(recipe, &prepared.sources) {
        Ok(terms) => terms,
        Err(failure) => return Outlook::Unplanned(failure.message),
    };
    Outlook::of(plan(shared, &name, &terms, row.operation).await)
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
                    (None, _) => ("first-stated", "set for the first time"),
                    (_, None) => ("no-longer-stated", "no longer in the template"),
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
