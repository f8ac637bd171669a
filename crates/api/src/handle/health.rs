//! Whether the process is there, whether it can work, and what it counts.

use http::StatusCode;
use serde_json::json;

use crate::answer::Answer;
use crate::error::{ApiError, Code};
use crate::failure::of_store;
use crate::metrics::MEDIA;
use crate::openapi;
use crate::shared::Shared;

/// The process is there.
pub(crate) fn alive(shared: &Shared) -> Answer {
    Answer::json(StatusCode::OK, status(shared, "ok"))
}

/// The store can be read and written.
pub(crate) async fn ready(shared: &Shared) -> Answer {
    match shared.reads.store().health().await {
        Ok(()) => Answer::json(StatusCode::OK, status(shared, "ok")),
        Err(error) => {
            // Told in the log with its reason; here only that it is so.
            let refused = of_store(&error);
            let mut body = status(shared, "unavailable");
            body["error"] = refused.value();
            Answer::json(StatusCode::SERVICE_UNAVAILABLE, body)
        }
    }
}

fn status(shared: &Shared, status: &str) -> serde_json::Value {
    json!({ "status": status, "instance": shared.instance, "version": shared.version })
}

/// What is counted.
pub(crate) async fn metrics(shared: &Shared) -> Result<Answer, ApiError> {
    let counts = shared.reads.store().counts().await.map_err(|error| of_store(&error))?;
    shared.metrics.counted(&counts);
    shared.metrics.streaming(shared.admission.open_streams());
    let text = shared.metrics.text();
    let text =
        text.map_err(|_| ApiError::new(Code::InternalError, "the metrics cannot be written"))?;
    Ok(Answer::text(MEDIA, text))
}

/// What a Kubernetes API server asks an aggregated API for: that it is there, and holds no kinds.
pub(crate) fn discovery() -> Answer {
    Answer::json(
        StatusCode::OK,
        json!({
            "kind": "APIResourceList",
            "apiVersion": "v1alpha3",
            "groupVersion": "api.ucp.dev/v1alpha3",
            "resources": [],
        }),
    )
}

/// What the API is, as a document.
pub(crate) fn openapi(shared: &Shared) -> Answer {
    let document = openapi::document(shared.urls.public(), &shared.base_path, &shared.version);
    Answer::json(StatusCode::OK, document)
}
