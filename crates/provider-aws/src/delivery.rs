//! Whether a call has left: only what was given to a connection can have been accepted.

use std::sync::{Arc, OnceLock};

use aws_smithy_runtime_api::client::connection::CaptureSmithyConnection;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

/// The way of one request, to be asked once its call has failed.
///
/// It travels with the request as an extension, so that it is known even of a call that was given
/// up at its deadline.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery(Arc<OnceLock<Departure>>);

/// A request that was about to be sent.
#[derive(Debug)]
struct Departure {
    connection: CaptureSmithyConnection,
    endpoint: String,
}

impl Delivery {
    /// Goes with a request that the SDK makes.
    pub(crate) fn marker(&self) -> impl Fn(&mut HttpRequest) + Send + Sync + 'static {
        let delivery = self.clone();
        move |request| request.add_extension(delivery.clone())
    }

    /// Whether there was a connection for the request. From then on some of its bytes may have
    /// been sent; before, none can have been.
    pub(crate) fn is_begun(&self) -> bool {
        self.0.get().is_some_and(|departure| departure.connection.get().is_some())
    }

    /// Where it was to go: scheme, host and port; not known of a request that was never made.
    pub(crate) fn endpoint(&self) -> Option<&str> {
        self.0.get().map(|departure| departure.endpoint.as_str())
    }

    /// Watches a request that is about to be sent, if one goes with it.
    pub(crate) fn watch(request: &mut HttpRequest) {
        let Some(delivery) = request.extension::<Self>().cloned() else { return };
        // The SDK asks for the connection too, and there is room for one question.
        let known = request.extension::<CaptureSmithyConnection>().cloned();
        let connection = known.unwrap_or_else(|| {
            let connection = CaptureSmithyConnection::new();
            request.add_extension(connection.clone());
            connection
        });
        // A request is sent once: there are no retries.
        let _ = delivery.0.set(Departure { connection, endpoint: endpoint_of(request.uri()) });
    }
}

/// Scheme, host and port of a URI.
fn endpoint_of(uri: &str) -> String {
    let (scheme, rest) = uri.split_once("://").unwrap_or(("https", uri));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    format!("{scheme}://{}", &rest[..end])
}
