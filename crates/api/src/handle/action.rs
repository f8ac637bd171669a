//! `:get`, `:put` and `:delete` on a collection: for callers that know properties or an alias, and
//! no identifier.

use hangar_engine::{Ask, Condition, DeleteMode, Submission};
use hangar_plan::record::{ReferenceName, Subject};
use hangar_schema::{IdentifierChoice, TypeSchema, identifier_of};
use http::StatusCode;
use serde_json::Value;

use super::{lookup, reference, resource};
use crate::answer::Answer;
use crate::body::{ActionBody, Permits, Tracking, Wanted};
use crate::error::{ApiError, Code};
use crate::failure::of_refusal;
use crate::head::{Deed, View};
use crate::names::{self, Collection};
use crate::render;
use crate::route::Shape;
use crate::write::{self, Surface, Write};

pub(crate) async fn get(
    view: View<'_>,
    collection: &Collection,
    body: Option<Value>,
) -> Result<Answer, ApiError> {
    let body = ActionBody::of(body, &collection.type_name)?;
    let (subject, identifier, warning) = if let Some(tracking) = body.tracking {
        let Tracking { name, warning, .. } = tracking;
        let reference = lookup::reference(view.reads, &name).await?;
        check_scope(collection, &reference.scope)?;
        let Some(identifier) = reference.entry.identifier.clone() else {
            let message = format!("the alias `{}` does not map to a resource yet", name.alias);
            let error = ApiError::new(Code::ResourceNotFound, message);
            return Err(error.with_target(name.id()));
        };
        (reference::subject(&reference), identifier, warning)
    } else {
        let identifier = required_identifier(view, collection, body.wanted.as_ref()).await?;
        (collection.subject(), identifier, None)
    };
    let live = resource::live(view, &subject, &identifier).await?;
    let answer = Answer::json(StatusCode::OK, resource::shown(view, &subject, live).await?);
    Ok(warning.iter().fold(answer, |answer, text| answer.with_warning(text)))
}

pub(crate) async fn put(deed: &Deed<'_>, collection: &Collection) -> Result<Answer, ApiError> {
    let view = deed.view;
    let body = ActionBody::of(deed.body(), &collection.type_name)?;
    let Some(wanted) = body.wanted else {
        let message = "the body has no `properties`; send `\"properties\": {}` for no properties";
        return Err(ApiError::new(Code::InvalidRequestContent, message).with_target("/properties"));
    };
    let (mut permits, mut depends_on) = (Permits::default(), None);
    let (subject, identifier, condition, warning) = if let Some(tracking) = body.tracking {
        let condition = view.conditions()?.for_engine()?;
        let (subject, state) = tracked(view, collection, tracking.name).await?;
        wanted.check_state(state)?;
        (permits, depends_on) = (tracking.permits, tracking.depends_on);
        (subject, None, condition, tracking.warning)
    } else {
        view.conditions()?.refuse()?;
        let schema = schema(view, collection).await?;
        let value = Value::Object(wanted.properties.clone());
        let identifier = identifier_of(&schema, &value).ok().map(|it| it.as_str().to_owned());
        wanted.check_state(identifier.as_ref().map(|_| render::SUCCEEDED))?;
        let warning = identifier.is_none().then(|| proposal(&schema, collection)).flatten();
        (collection.subject(), identifier, Condition::None, warning)
    };
    let ask = Ask::Put {
        identifier,
        properties: wanted.value(),
        secret_paths: body.secret_paths,
        replace: permits.replace,
        adopt: permits.adopt.then_some(false),
    };
    let submission = Submission {
        depends_on,
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, ask)
    };
    let write = Write::new(submission, Surface::Later(Shape::Resource)).with_warning(warning);
    write::perform(deed, write).await
}

pub(crate) async fn delete(deed: &Deed<'_>, collection: &Collection) -> Result<Answer, ApiError> {
    let view = deed.view;
    let body = ActionBody::of(deed.body(), &collection.type_name)?;
    if let Some(tracking) = body.tracking {
        let existing = lookup::find_reference(view.reads, &tracking.name).await?;
        if let Some(existing) = existing {
            check_scope(collection, &existing.scope)?;
        }
        return reference::delete(deed, &tracking.name, DeleteMode::ByOwnership).await;
    }
    let identifier = required_identifier(view, collection, body.wanted.as_ref()).await?;
    resource::delete(deed, collection, &identifier).await
}

/// What a tracked put is about, and the state that the reference is in. The group must be there.
async fn tracked(
    view: View<'_>,
    collection: &Collection,
    name: ReferenceName,
) -> Result<(Subject, Option<&'static str>), ApiError> {
    match lookup::find_reference(view.reads, &name).await? {
        None => {
            let group = lookup::group(view.reads, &name.group).await?;
            let name = ReferenceName { group: group.name, ..name };
            Ok((collection.subject_of(name), None))
        }
        Some(reference) => {
            check_scope(collection, &reference.scope)?;
            let running = lookup::running(view.reads, &reference).await?;
            let state = render::reference_state(&reference, running.as_ref());
            Ok((reference::subject(&reference), Some(state)))
        }
    }
}

fn check_scope(
    collection: &Collection,
    scope: &hangar_plan::record::AwsScope,
) -> Result<(), ApiError> {
    if names::is_same_scope(&collection.scope, scope) {
        return Ok(());
    }
    let message = format!(
        "`trackedBy` names a reference in `{scope}`, and the request is for `{}`",
        collection.scope
    );
    Err(ApiError::new(Code::ScopeMismatch, message).with_target("/trackedBy"))
}

async fn schema(
    view: View<'_>,
    collection: &Collection,
) -> Result<std::sync::Arc<TypeSchema>, ApiError> {
    let found = view.reads.schema(&collection.scope, &collection.type_name).await;
    found.map_err(|failure| of_refusal(&failure))
}

/// The identifier that the properties make; an error names the parts that they lack.
async fn required_identifier(
    view: View<'_>,
    collection: &Collection,
    wanted: Option<&Wanted>,
) -> Result<String, ApiError> {
    let Some(wanted) = wanted else {
        let message = "the body has neither `properties` with the identifier nor `trackedBy`";
        return Err(ApiError::new(Code::IdentifierRequired, message));
    };
    let schema = schema(view, collection).await?;
    let properties = Value::Object(wanted.properties.clone());
    identifier_of(&schema, &properties).map(|identifier| identifier.as_str().to_owned()).map_err(
        |found| ApiError::diagnosed(Code::IdentifierRequired, &found).with_target("/properties"),
    )
}

/// What to tell a caller whose put creates one more resource each time.
fn proposal(schema: &TypeSchema, collection: &Collection) -> Option<String> {
    let is_generated = schema.identifier_choice() != Some(IdentifierChoice::CallerChosen);
    is_generated.then(|| {
        format!(
            "AWS generates the identifier of {0}, so the same request creates another resource; \
             add trackedBy: \
             /planes/radius/local/resourceGroups/<group>/providers/{0}:reference/<alias>",
            collection.type_name
        )
    })
}
