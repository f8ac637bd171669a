//! Why a recipe was refused or its run failed: each thing once.

use hangar_diag::Diagnostic;

use super::rows::shown_address;
use crate::client::arm_error::ArmError;
use crate::client::ids::DEFAULT_GROUP;
use crate::client::recipe::Recipe;
use crate::client::shape::{Operation, OperationState};
use crate::codes;
use crate::commands::resource::write::nowhere;
use crate::failure::Failure;
use crate::session::CallError;

/// A request that was refused.
pub(crate) fn refused(error: CallError, doing: &str) -> Failure {
    match error {
        CallError::Refused(mut refusal) => {
            settle(&mut refusal.error);
            refusal.explain(doing)
        }
        CallError::Stopped(failure) => failure,
    }
}

/// A run that ended badly; nothing where it ended well.
pub(super) fn run(
    operation: &Operation,
    doing: &str,
    again: &str,
    empty: Option<&Empty<'_>>,
) -> Option<Failure> {
    let mut error = match (&operation.status, &operation.error) {
        (OperationState::Canceled, error) => {
            let why = error.as_ref().map_or("it was canceled", |error| &error.message);
            let message = format!("{doing}: {}", why.trim_end_matches('.'));
            let canceled = Diagnostic::error(codes::INTERRUPTED, message);
            return Some(canceled.hint(format!("completed changes are kept; {again}")).into());
        }
        (_, Some(error)) => error.clone(),
        (_, None) => return None,
    };
    settle(&mut error);
    let is_explained = matches!(
        error.code.as_str(),
        "TerraformNotFound" | "RecipeNeedsAws" | "RecipeSecretMissing" | "StateMissing"
    );
    let hint = match (empty, is_explained) {
        (Some(empty), _) => Some(empty.hint(again)),
        // The message says what to do.
        (None, true) => None,
        (None, false) => {
            Some(format!("fix the error and {again}; resources in the state are kept"))
        }
    };
    Some(error.explain(codes::RECIPE_FAILED, None, doing, hint, nowhere))
}

/// A recipe whose state holds no resource.
pub(super) struct Empty<'a> {
    /// The name and the group, as `hangar recipe delete` takes them.
    words: std::borrow::Cow<'a, str>,
}

impl<'a> Empty<'a> {
    /// Such a recipe; none if it has made something.
    pub(super) fn of(recipe: &Recipe, name: &'a str, group: &str) -> Option<Self> {
        let made = recipe.properties.state.as_ref().and_then(|state| state.instances).unwrap_or(0);
        let words = match group {
            DEFAULT_GROUP => name.into(),
            group => format!("{name} -g {group}").into(),
        };
        (made == 0).then_some(Self { words })
    }

    fn hint(&self, again: &str) -> String {
        format!(
            "it created nothing and stays listed as failed: fix the error and {again}, or remove it with `hangar \
             recipe delete {}`",
            self.words
        )
    }
}

/// Addresses as the recipe's author knows them, and nothing that is said twice.
fn settle(error: &mut ArmError) {
    for detail in &mut error.details {
        detail.target = detail.target.as_deref().map(|it| shown_address(it).to_owned());
        // It says no more than what it is a part of.
        if detail.code == error.code {
            detail.code.clear();
        }
    }
    match error.details.as_slice() {
        [] => {}
        [only] => {
            let target = only.target.clone().filter(|it| !it.is_empty() && !it.starts_with('/'));
            let message = error.message.clone();
            if let Some(address) = target.filter(|address| !message.contains(address)) {
                error.message = format!("{address}: {message}");
            }
            error.details.clear();
        }
        several => {
            // The first of them is not told twice.
            if let Some(first) = several.first()
                && error.message.starts_with(first.message.as_str())
            {
                error.message = format!("{} errors", several.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::render::diagnostic::to_text;

    fn told(error: &serde_json::Value) -> String {
        let operation: Operation = serde_json::from_value(json!({
            "name": "0191f3a8-7c2e-7abc-8def-0123456789ab", "status": "Failed", "error": error}))
        .unwrap();
        match run(&operation, "cannot deploy recipe `net`", "deploy again", None).unwrap() {
            Failure::Answered { reports, .. } => {
                anstream::adapter::strip_str(&to_text(&reports, None)).to_string()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_error_is_told_once_with_its_address() {
        let code = "RecipeDeploymentFailed";
        let detail = |address: &str, message: &str| json!({"code": code, "message": message, "target": address});
        let one = json!({"code": code, "message": "no such zone",
            "details": [detail("module.recipe.aws_subnet.a", "no such zone")]});
        insta::assert_snapshot!(told(&one), @"
        error[API0015]: cannot deploy recipe `net`: aws_subnet.a: no such zone (RecipeDeploymentFailed)
        hint: fix the error and deploy again; resources in the state are kept
        ");
        let two = json!({"code": code, "message": "no such zone (and 1 more)",
            "details": [detail("module.recipe.a.b", "no such zone"), detail("", "no such role")]});
        insta::assert_snapshot!(told(&two), @"
        error[API0015]: cannot deploy recipe `net`: 2 errors (RecipeDeploymentFailed)
        hint: fix the error and deploy again; resources in the state are kept

        error[API0006]: no such zone
         |
         = at: a.b

        error[API0006]: no such role
        ");
    }
}
