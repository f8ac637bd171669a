//! How a write is performed and answered: submit it, wait a little, tell how it ended or where to ask.

mod deployment;
mod recipe;

use hangar_engine::{Accepted, GroupAsk, Submission};
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Ending, FailureKind, Kind, Success, SuccessKind, Verb};
use hangar_plan::recipe::RecipeTask;
use hangar_plan::record::{
    OperationRecord, Reference, ReferenceName, Repeatability, ResourceWork, Work,
};
use hangar_store::REPEATABLE_FOR;
use http::StatusCode;
use http::header::{HeaderName, LOCATION, RETRY_AFTER};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_ending, of_refusal, of_store};
use crate::head::{Deed, View};
use crate::prefer;
use crate::render::{self, Detail, Seen};
use crate::route::Shape;
pub(crate) use deployment::perform as perform_deployment;
pub(crate) use recipe::perform as perform_recipe;

/// Which call a write came in by: it decides what an unfinished one answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Surface {
    /// `PUT` on an alias, and `:repair`.
    Reference,
    /// `PUT` on an identifier, and what was asked for, without what the schema says is secret.
    Resource { identifier: String, echo: Value, is_new: bool },
    /// `PUT` on a deployment.
    Deployment,
    /// `PUT` on a recipe.
    Recipe,
    /// `PATCH`, `:put`, `whatIf`, and what is done with a group: nothing is shown before the end, and then this.
    Later(Shape),
    /// `DELETE` and `:delete`.
    Delete,
}

impl Surface {
    const fn shape(&self) -> Shape {
        match self {
            Self::Reference => Shape::Reference,
            Self::Later(shape) => *shape,
            Self::Resource { .. } | Self::Deployment | Self::Recipe | Self::Delete => {
                Shape::Resource
            }
        }
    }
}

/// A write that is about to be submitted.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    submission: Submission,
    surface: Surface,
    warning: Option<String>,
}

impl Write {
    pub(crate) const fn new(submission: Submission, surface: Surface) -> Self {
        Self { submission, surface, warning: None }
    }

    /// Adds what the caller should know besides.
    #[must_use]
    pub(crate) fn with_warning(mut self, warning: Option<String>) -> Self {
        self.warning = warning;
        self
    }
}

/// Submits a write, waits as long as the caller wants, and answers.
pub(crate) async fn perform(deed: &Deed<'_>, write: Write) -> Result<Answer, ApiError> {
    let is_delete = write.surface == Surface::Delete;
    let accepted = match deed.writes.submit(write.submission).await {
        Ok(accepted) => accepted,
        // What is not there is deleted already.
        Err(failure) if is_delete && failure.kind == FailureKind::NotFound => {
            return Ok(Answer::empty(StatusCode::NO_CONTENT));
        }
        Err(failure) => return Err(of_refusal(&failure)),
    };
    let answer = follow(deed, accepted, &write.surface).await?;
    Ok(write.warning.iter().fold(answer, |answer, text| answer.with_warning(text)))
}

/// Submits an operation on a group, waits as long as the caller wants, and answers.
pub(crate) async fn perform_group(deed: &Deed<'_>, ask: GroupAsk) -> Result<Answer, ApiError> {
    let accepted = deed.writes.group_submit(ask).await;
    let accepted = accepted.map_err(|failure| of_refusal(&failure))?;
    follow(deed, accepted, &Surface::Later(Shape::Resource)).await
}

/// What a delete of something that is not there answers: that it is gone, or, where the caller has
/// named the request, what the request of that name did.
pub(crate) async fn repeated_or_gone(
    deed: &Deed<'_>,
    repeatability: Option<&Repeatability>,
) -> Result<Answer, ApiError> {
    let repeated = repeated(deed, repeatability).await?;
    Ok(repeated.unwrap_or_else(|| Answer::empty(StatusCode::NO_CONTENT)))
}

/// What the delete of this name did, if there was one: it has removed what it was about.
pub(crate) async fn repeated(
    deed: &Deed<'_>,
    repeatability: Option<&Repeatability>,
) -> Result<Option<Answer>, ApiError> {
    let Some(asked) = repeatability else { return Ok(None) };
    let store = deed.view.reads.store();
    let found = store.operation_find_repeated(&asked.request_id, REPEATABLE_FOR).await;
    match found.map_err(|error| of_store(&error))? {
        Some(record) if record.repeatability.as_ref() == Some(asked) => {
            let accepted = Accepted { record, existed: true, reference: None };
            follow(deed, accepted, &Surface::Delete).await.map(Some)
        }
        _ => Ok(None),
    }
}

/// Waits for an accepted write as long as the caller wants, and answers.
async fn follow(
    deed: &Deed<'_>,
    accepted: Accepted,
    surface: &Surface,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    let Accepted { record, existed, reference } = accepted;
    let id = record.id();
    tracing::Span::current().record("operation.id", tracing::field::display(id));
    let wait = prefer::wait(&view.head.headers);
    let is_over = record.is_ended() || wait.is_zero();
    // Where too many wait already nobody is turned away: it is accepted, and told where to ask.
    let (record, reference) = match (!is_over).then(|| deed.wait()).flatten() {
        None => (record, reference),
        Some(_place) => {
            // The write is accepted: a store that cannot be read just now must not make it look refused.
            let waited = deed.writes.wait(id, wait).await;
            (waited.ok().flatten().unwrap_or(record), None)
        }
    };
    let answer = if record.is_ended() {
        match ended(view, &record, surface.shape()).await {
            // A client repeats such an answer by itself, and what has no name would be made again: the
            // result URL tells it.
            Err(error) if is_repeated(&error) && makes_each_time(surface, &record) => {
                let answer = Answer::empty(StatusCode::ACCEPTED);
                with_poll_headers(view, answer, &record, surface.shape())
            }
            Err(error) if is_again_worth_it(&error) => return Err(error.with_retry_after(5)),
            other => other?,
        }
    } else {
        under_way(view, &record, surface, existed, reference).await?
    };
    Ok(record.warnings.iter().fold(answer, |answer, text| answer.with_warning(text)))
}

/// Whether every call of this kind makes another resource.
fn makes_each_time(surface: &Surface, record: &OperationRecord) -> bool {
    let creates = record.attempts().iter().any(|attempt| attempt.verb == Verb::Create);
    matches!(surface, Surface::Later(_)) && record.reference().is_none() && creates
}

/// Whether clients of ARM send the call again when they get this answer.
fn is_repeated(error: &ApiError) -> bool {
    let status = error.status();
    status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// Whether the same call may well succeed a little later.
fn is_again_worth_it(error: &ApiError) -> bool {
    matches!(error.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

/// What a finished write answers: the same at once and on its result URL.
pub(crate) async fn ended(
    view: View<'_>,
    record: &OperationRecord,
    shape: Shape,
) -> Result<Answer, ApiError> {
    let Some(Ending::Succeeded(success)) = record.ending() else {
        let unended = || ApiError::new(Code::InternalError, "the operation has not ended");
        return Err(of_ending(record).unwrap_or_else(unended));
    };
    if let Work::Deployment(work) = &record.work {
        return deployment::ended(view, record, work).await;
    }
    if let Work::Recipe(work) = &record.work
        && work.task == RecipeTask::Deploy
    {
        return recipe::ended(view, record, work).await;
    }
    match status(record, success) {
        StatusCode::NO_CONTENT => Ok(Answer::empty(StatusCode::NO_CONTENT)),
        status if is_removal(record) => Ok(Answer::json(status, json!({}))),
        status => body(view, record, status, shape).await,
    }
}

fn is_removal(record: &OperationRecord) -> bool {
    match &record.work {
        Work::Resource(work) => matches!(work.operation.kind, Kind::Delete | Kind::Unlink),
        Work::Group(work) => work.task == GroupTask::Delete,
        Work::Deployment(_) => false,
        Work::Recipe(work) => work.task == RecipeTask::Delete,
    }
}

fn status(record: &OperationRecord, success: &Success) -> StatusCode {
    match success.kind {
        SuccessKind::Created => StatusCode::CREATED,
        SuccessKind::Noop if is_removal(record) => StatusCode::NO_CONTENT,
        _ => StatusCode::OK,
    }
}

/// The thing that a finished put is about, as it is now.
async fn body(
    view: View<'_>,
    record: &OperationRecord,
    status: StatusCode,
    shape: Shape,
) -> Result<Answer, ApiError> {
    let Some(work) = record.resource() else {
        return Ok(Answer::json(status, render::operation(record, Detail::Listed)));
    };
    let Some(reference) = find_reference(view, record).await? else {
        return match &work.subject.reference {
            None => Ok(untracked_body(view, work, status).await),
            Some(name) => Ok(Answer::json(status, forgotten_body(work, name, shape))),
        };
    };
    let answer = match shape {
        Shape::Reference => {
            let etag = ETag::of_reference(&reference);
            let body = render::reference(reference, &etag, None, Seen::Stored);
            Answer::json(status, body).with_etag(&etag)
        }
        Shape::Resource => {
            let identifier = reference.entry.identifier.as_deref();
            let observed = reference.documents.observed.clone().unwrap_or(Value::Null);
            let state = render::operation_word(&work.operation);
            let mapped_by = Some(&reference);
            let body = render::resource(&work.subject, identifier, observed, state, mapped_by);
            Answer::json(status, body)
        }
    };
    Ok(answer)
}

/// What a put made whose reference was deleted or renamed since: it succeeded, so it is told as a
/// success, with the names that the operation remembers.
fn forgotten_body(work: &ResourceWork, name: &ReferenceName, shape: Shape) -> Value {
    let identifier = work.operation.identifier.as_deref();
    match shape {
        Shape::Reference => render::forgotten_reference(name, &work.subject, identifier),
        Shape::Resource => {
            render::resource(&work.subject, identifier, Value::Null, render::SUCCEEDED, None)
        }
    }
}

/// What an untracked put made: nothing of it is stored, so the cloud is asked. A type that cannot
/// be read, or a cloud that does not answer, leaves the name, which is what matters.
async fn untracked_body(view: View<'_>, work: &ResourceWork, status: StatusCode) -> Answer {
    let mut identifier = work.operation.identifier.clone();
    let mut properties = Value::Null;
    if let Some(known) = &identifier
        && let Ok(Some(live)) = view.reads.live(&work.subject, known).await
    {
        identifier = Some(live.identifier);
        properties = live.properties;
    }
    let state = render::SUCCEEDED;
    let identifier = identifier.as_deref();
    let body = render::resource(&work.subject, identifier, properties, state, None);
    Answer::json(status, body)
}

/// What an unfinished write answers: `PUT` the thing in a state that is not final, others nothing.
async fn under_way(
    view: View<'_>,
    record: &OperationRecord,
    surface: &Surface,
    existed: bool,
    reserved: Option<Box<Reference>>,
) -> Result<Answer, ApiError> {
    // Nobody has waited: as it was reserved is as it is.
    let find = async || match reserved {
        Some(reference) => Ok(Some(*reference)),
        None => find_reference(view, record).await,
    };
    let is_new = !existed || matches!(surface, Surface::Resource { is_new: true, .. });
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let answer = match (surface, &record.work) {
        (Surface::Deployment, Work::Deployment(work)) => {
            deployment::under_way(view, status, record, work).await?
        }
        (Surface::Recipe, Work::Recipe(work)) => {
            recipe::under_way(view, status, record, work).await?
        }
        (Surface::Reference, Work::Resource(work)) => match find().await? {
            None => Answer::empty(StatusCode::ACCEPTED),
            Some(reference) => {
                let (running, etag) = (Some(&work.operation), ETag::of_reference(&reference));
                let body = render::reference(reference, &etag, running, Seen::Stored);
                Answer::json(status, body).with_etag(&etag)
            }
        },
        (Surface::Resource { identifier, echo, .. }, Work::Resource(work)) => {
            let mapped_by = find().await?;
            let word = render::operation_word(&work.operation);
            let body = render::resource(
                &work.subject,
                Some(identifier),
                echo.clone(),
                word,
                mapped_by.as_ref(),
            );
            Answer::json(status, body)
        }
        _ => Answer::empty(StatusCode::ACCEPTED),
    };
    Ok(with_poll_headers(view, answer, record, surface.shape()))
}

async fn find_reference(
    view: View<'_>,
    record: &OperationRecord,
) -> Result<Option<Reference>, ApiError> {
    match record.reference() {
        None => Ok(None),
        Some(name) => {
            view.reads.store().reference_find(name).await.map_err(|error| of_store(&error))
        }
    }
}

/// Says where to ask how it is doing, where its result will be, and when to ask.
pub(crate) fn with_poll_headers(
    view: View<'_>,
    answer: Answer,
    record: &OperationRecord,
    shape: Shape,
) -> Answer {
    let id = record.id();
    answer
        .with_text(AZURE_ASYNC_OPERATION, &view.urls.status(id, view.version()))
        .with_text(LOCATION, &view.urls.result(id, view.version(), shape))
        .with_header(RETRY_AFTER, poll_after(record).into())
}

const AZURE_ASYNC_OPERATION: HeaderName = HeaderName::from_static("azure-asyncoperation");

/// When to ask again, in whole seconds: the longer nothing has moved, the later.
pub(crate) fn poll_after(record: &OperationRecord) -> u16 {
    let tries = record.resource().map_or(0, |work| work.operation.tries);
    u16::try_from(1 + tries / 4).unwrap_or(u16::MAX).clamp(1, 10)
}
