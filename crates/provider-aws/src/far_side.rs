//! An AWS that is not reached by sockets: a simulation's, in this process and with its own time.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::SystemTime;

use aws_smithy_runtime_api::client::connection::{CaptureSmithyConnection, ConnectionMetadata};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;

/// What answers HTTP requests in place of AWS, without a wire in between.
pub trait FarSide: fmt::Debug + Send + Sync {
    /// What time it is: requests are signed with it.
    fn now(&self) -> SystemTime;

    /// Takes one request. Nothing happens before the answer is waited for.
    fn exchange(&self, request: http::Request<Vec<u8>>) -> Exchange;
}

/// An answer that is on its way.
pub type Exchange =
    Pin<Box<dyn Future<Output = Result<http::Response<Vec<u8>>, Lost>> + Send + 'static>>;

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// There was no connection: nothing of it was sent.
    #[error("the endpoint cannot be reached")]
    Unsent,
    /// The connection ended: the far side may have done what was asked.
    #[error("the connection ended before the response")]
    Unanswered,
}

/// A connector to the far side.
#[derive(Debug)]
pub(crate) struct Within(pub(crate) Arc<dyn FarSide>);

impl HttpConnector for Within {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let far_side = Arc::clone(&self.0);
        let connection = request.extension::<CaptureSmithyConnection>().cloned();
        HttpConnectorFuture::new(async move {
            let mut exchange = far_side.exchange(readable(request)?);
            let answered = poll_fn(|context| {
                let polled = exchange.as_mut().poll(context);
                // Whoever gives up from here on does not know what became of it.
                if !matches!(polled, Poll::Ready(Err(Lost::Unsent))) {
                    connection.iter().for_each(connected);
                }
                polled
            });
            let answered = answered.await.map_err(|lost| ConnectorError::io(lost.into()))?;
            HttpResponse::try_from(answered.map(SdkBody::from)).map_err(unusable)
        })
    }
}

/// Lets those know who ask whether there was a connection.
fn connected(connection: &CaptureSmithyConnection) {
    let metadata = ConnectionMetadata::builder().proxied(false).poison_fn(|| ()).build();
    connection.set_connection_retriever(move || Some(metadata.clone()));
}

/// The request as the far side takes it: all of its body is there, as no call of ours streams one.
fn readable(request: HttpRequest) -> Result<http::Request<Vec<u8>>, ConnectorError> {
    let request = request.try_into_http1x().map_err(unusable)?;
    let streams = || ConnectorError::user("the body of the request is a stream".into());
    let (head, body) = request.into_parts();
    let body = body.bytes().ok_or_else(streams)?.to_vec();
    Ok(http::Request::from_parts(head, body))
}

fn unusable(wrong: impl std::error::Error + Send + Sync + 'static) -> ConnectorError {
    ConnectorError::user(wrong.into())
}
