//! From a request to a handler: health, the guard, the base path, the route.

use std::sync::OnceLock;

use axum::body::Body;
use http::{Method, Request};

use crate::admission::{Class, Full};
use crate::answer::Answer;
use crate::api_version::ApiVersion;
use crate::body::{self, Limit, Sent};
use crate::error::{ApiError, Code};
use crate::events::Terms;
use crate::handle::{
    action, credential, deployment, group, health, lookup, operation, plane, recipe, reference,
    resource, state,
};
use crate::head::{Deed, Head, View};
use crate::landing;
use crate::query::Query;
use crate::route::{Route, RouteName, route, state_of};
use crate::shared::Shared;
use crate::state_door;

/// What is learned of a request on its way, for the log and the metrics.
#[derive(Debug, Default)]
pub(crate) struct Trail(OnceLock<&'static str>);

impl Trail {
    /// The name of the route, or a word for those that have none.
    pub(crate) fn route(&self) -> &'static str {
        self.0.get().copied().unwrap_or("none")
    }

    /// Whether the request was answered before its route was known, such as one without the token.
    pub(crate) fn is_unrouted(&self) -> bool {
        self.0.get().is_none()
    }

    fn took(&self, route: RouteName) {
        let route = route.as_str();
        // A request takes one route; a second would be told as the first.
        let _ = self.0.set(route);
        tracing::Span::current().record("route", route);
    }
}

/// Said of a request on a connection that there is no place for: only what must get in is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowded;

/// Answers one request.
pub(crate) async fn dispatch(
    shared: &Shared,
    request: Request<Body>,
    correlation_id: String,
    trail: &Trail,
) -> Result<Answer, ApiError> {
    let (parts, body) = request.into_parts();
    shared.guard.check_place(&parts.uri, &parts.headers)?;
    let path = parts.uri.path();
    match path {
        "/healthz" => {
            trail.took(RouteName::Alive);
            only_get(&parts.method)?;
            return Ok(health::alive(shared));
        }
        "/readyz" => {
            trail.took(RouteName::Ready);
            only_get(&parts.method)?;
            return Ok(health::ready(shared).await);
        }
        path if landing::is_wanted(&parts.method, path, &parts.headers) => {
            return Ok(landing::page(&shared.base_path, &shared.version));
        }
        _ => {}
    }
    let below = below_base(path, &shared.base_path);
    let run = if let Some(recipe) = below.and_then(state_of) {
        state_door::enter(shared, &recipe, &parts.headers).await?
    } else {
        shared.guard.check_token(&parts.headers)?;
        None
    };
    if path == "/metrics" {
        trail.took(RouteName::Metrics);
        only_get(&parts.method)?;
        return health::metrics(shared).await;
    }
    let Some(below) = below else {
        return Err(ApiError::new(
            Code::RouteNotFound,
            format!("there is no route `{path}`; paths start with `{}/planes`", shared.base_path),
        ));
    };
    let query = Query::parse(parts.uri.query())?;
    let taken = route(&parts.method, below, &query)?;
    trail.took(taken.name());
    tracing::Span::current().record("resource.id", below);
    let version = ApiVersion::of(&query)?;
    let class = Class::of(&taken);
    if parts.extensions.get::<Crowded>().is_some() && class != Class::Free {
        body::discard(body, Limit::of(&taken).bytes()).await;
        return Err(turned_away(shared, Full::Connections));
    }
    let head = Head::new(parts, version, correlation_id, run);
    answer(shared, taken, head, body).await
}

/// The path below the base path. Clients that append an id to `{base}/` write two slashes.
fn below_base<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(rest.strip_prefix('/').filter(|id| id.starts_with('/')).unwrap_or(rest))
}

/// Whether a request has no body that could be waited for.
fn is_read(method: &Method) -> bool {
    method == Method::GET || method == Method::HEAD
}

fn only_get(method: &Method) -> Result<(), ApiError> {
    if method == Method::GET {
        return Ok(());
    }
    Err(ApiError::method_not_allowed(method, &[Method::GET]))
}

/// What is told to a request that there is no place for.
fn turned_away(shared: &Shared, full: Full) -> ApiError {
    shared.metrics.shed(full.kind());
    full.error()
}

/// Takes a request on: its body, and then its turn.
async fn admit<'a>(
    shared: &'a Shared,
    view: View<'a>,
    route: &Route,
    body: Body,
) -> Result<Deed<'a>, ApiError> {
    let (class, headers) = (Class::of(route), &view.head.headers);
    let turn =
        async || shared.admission.turn(class).await.map_err(|full| turned_away(shared, full));
    if is_read(&view.head.method) {
        return Ok(Deed::new(view, &shared.writes, Sent::Nothing, turn().await?));
    }
    let limit = Limit::of(route);
    let announced = body::announced(headers).unwrap_or(u64::MAX);
    let length = usize::try_from(announced).unwrap_or(usize::MAX).min(limit.bytes());
    let room = match shared.admission.room(class, length).await {
        Ok(room) => room,
        Err(full) => {
            body::discard(body, limit.bytes()).await;
            return Err(turned_away(shared, full));
        }
    };
    // A caller that sends slowly holds no place that works.
    let body = body::read(headers, body, limit, shared.patience.body).await?;
    Ok(Deed::new(view, &shared.writes, body, turn().await?.with(room)))
}

async fn answer(
    shared: &Shared,
    mut route: Route,
    head: Head,
    body: Body,
) -> Result<Answer, ApiError> {
    let view = View { reads: &shared.reads, urls: &shared.urls, seal: &shared.seal, head: &head };
    let deed = admit(shared, view, &route, body).await?;
    if let Some((kind, name)) = route.plane_mut() {
        *name = lookup::plane_spelling(view.reads, kind, name).await?;
    }
    match route {
        Route::Discovery => Ok(health::discovery()),
        Route::OpenApi => Ok(health::openapi(shared)),
        Route::PlaneList(kind) => plane::list(view, kind).await,
        Route::PlaneShow(name) => plane::show(view, &name).await,
        Route::PlaneHead(name) => plane::head(view, &name).await,
        Route::PlanePut(name) => plane::put(&deed, &name).await,
        Route::PlanePatch(name) => plane::patch(&deed, &name).await,
        Route::PlaneDelete(name) => plane::delete(&deed, &name).await,
        Route::CredentialList { plane } => credential::list(view, &plane).await,
        Route::CredentialShow(name) => credential::show(view, &name).await,
        Route::CredentialHead(name) => credential::head(view, &name).await,
        Route::CredentialPut(name) => credential::put(&deed, &name).await,
        Route::CredentialDelete(name) => credential::delete(&deed, &name).await,
        Route::GroupList { plane, page } => group::list(view, &plane, &page).await,
        Route::GroupShow(name) => group::show(view, &name).await,
        Route::GroupHead(name) => group::head(view, &name).await,
        Route::GroupPut(name) => group::put(&deed, &name).await,
        Route::GroupPatch(name) => group::patch(&deed, &name).await,
        Route::GroupDelete(name) => group::delete(&deed, &name).await,
        Route::GroupDrift(name) => group::drift(&deed, &name).await,
        Route::ReferenceList { group, type_name, only, page } => {
            reference::list(view, &group, type_name.as_ref(), only, &page).await
        }
        Route::ReferenceShow { name, sight } => reference::show(view, &name, sight).await,
        Route::ReferenceHead(name) => reference::head(view, &name).await,
        Route::ReferencePut(name) => reference::put(&deed, &name).await,
        Route::ReferencePatch(name) => reference::patch(&deed, &name).await,
        Route::ReferenceDelete { name, mode } => reference::delete(&deed, &name, mode).await,
        Route::ReferenceDrift(name) => reference::drift(&deed, &name).await,
        Route::ReferenceRepair(name) => reference::repair(&deed, &name).await,
        Route::ReferenceRename(name) => reference::rename(&deed, &name).await,
        Route::ReferenceUnlearn(name) => reference::unlearn(&deed, &name).await,
        Route::DeploymentList { group, page } => deployment::list(view, &group, &page).await,
        Route::DeploymentShow(name) => deployment::show(view, &name).await,
        Route::DeploymentHead(name) => deployment::head(view, &name).await,
        Route::DeploymentPut(name) => deployment::put(&deed, &name).await,
        Route::DeploymentDelete { name, on_remove } => {
            deployment::delete(&deed, &name, on_remove).await
        }
        Route::DeploymentCancel(name) => deployment::cancel(&deed, &name).await,
        Route::DeploymentWhatIf(name) => deployment::what_if(&deed, &name).await,
        Route::RecipeList { group, page } => recipe::list(view, &group, &page).await,
        Route::RecipeShow(name) => recipe::show(view, &name).await,
        Route::RecipeHead(name) => recipe::head(view, &name).await,
        Route::RecipePut(name) => recipe::put(&deed, &name).await,
        Route::RecipeDelete(name) => recipe::delete(&deed, &name).await,
        Route::RecipeCancel(name) => recipe::cancel(&deed, &name).await,
        Route::RecipeSecrets(name) => recipe::secrets(view, &name, deed.body()).await,
        Route::RecipeUnlock(name) => state::free(&deed, &name).await,
        Route::StateShow { recipe, version } => state::show(view, &recipe, version).await,
        Route::StateWrite { recipe, lock_id } => state::write(&deed, &recipe, lock_id).await,
        Route::StateLock(recipe) => state::lock(&deed, &recipe).await,
        Route::StateUnlock(recipe) => state::unlock(&deed, &recipe).await,
        Route::StateVersions(recipe) => state::versions(view, &recipe).await,
        Route::ResourceList { collection, parent, page } => {
            resource::list(view, &collection, parent.as_ref(), &page).await
        }
        Route::ResourceShow { collection, identifier } => {
            resource::show(view, &collection, &identifier).await
        }
        Route::ResourceHead { collection, identifier } => {
            resource::head(view, &collection, &identifier).await
        }
        Route::ResourcePut { collection, identifier } => {
            resource::put(&deed, &collection, &identifier).await
        }
        Route::ResourcePatch { collection, identifier } => {
            resource::patch(&deed, &collection, &identifier).await
        }
        Route::ResourceDelete { collection, identifier } => {
            resource::delete(&deed, &collection, &identifier).await
        }
        Route::ActionGet(collection) => action::get(view, &collection, deed.body()).await,
        Route::ActionPut(collection) => action::put(&deed, &collection).await,
        Route::ActionDelete(collection) => action::delete(&deed, &collection).await,
        Route::OperationList { plane, filter, page } => {
            operation::list(view, &plane, &filter, &page).await
        }
        Route::OperationStatus(name) => operation::status(view, name.id).await,
        Route::OperationEvents { name, after } => {
            let place = shared.admission.stream().map_err(|full| turned_away(shared, full))?;
            let terms = Terms {
                store: shared.reads.shared_store(),
                ear: shared.reads.watch(name.id),
                stopping: shared.stopping.clone(),
                place,
            };
            operation::events(view, name.id, after, terms).await
        }
        Route::OperationResult { name, shape } => operation::result(view, name.id, shape).await,
        Route::OperationCancel(name) => operation::cancel(&deed, name.id).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_path_ends_at_a_slash() {
        for (path, base, below) in [
            ("/base/planes", "/base", Some("/planes")),
            ("/base", "/base", Some("")),
            ("/based/planes", "/base", None),
            ("/planes", "/base", None),
            ("/planes", "", Some("/planes")),
            ("/base//planes", "/base", Some("/planes")),
            ("/base///planes", "/base", Some("//planes")),
            ("/base/planes//x", "/base", Some("/planes//x")),
            ("//planes", "", Some("/planes")),
        ] {
            assert_eq!(below_base(path, base), below, "{path} {base}");
        }
    }
}
