//! What happens to an operation, heard as it happens on a connection of its own.
//!
//! It only listens: where there is no such stream, or it breaks, its caller asks for the status.

use std::time::Duration;

use bytes::Bytes;
use hangar_plan::operation::OperationId;
use http_body_util::{BodyExt, Full};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Client;
use super::exchange::{self, ExchangeError};
use super::ids;
use super::reply::read_as;
use super::request::Request;
use super::shape::{Counts, Event, Operation};
use super::sse::Events;
use super::waiting::Waiting;

/// A server that lives says so every 15 seconds.
const QUIET_FOR: Duration = Duration::from_secs(45);

/// How long a server may take to begin.
const BEGIN_WITHIN: Duration = Duration::from_secs(10);

/// What is told on the way.
pub(crate) enum News {
    /// Something happened.
    Event(Event),
    /// So far is an operation on a group.
    Counts(Counts),
    /// It waits, for a reason.
    Waiting(Waiting),
}

/// How listening ended.
pub(crate) enum Heard {
    /// With the operation: its status, whole and in its shape.
    End(Value, Box<Operation>),
    /// With the connection: the same server, or another, goes on where it broke off.
    Broken,
    /// Before it began: this server has no such streams, or no place for one more.
    Nothing,
}

/// Listens to an operation from an event on, for as long as the connection lasts.
pub(crate) async fn listen(
    client: &Client,
    id: OperationId,
    after: u64,
    mut told: impl FnMut(News),
) -> Heard {
    let request = Request::events(ids::operation(id), after);
    let Ok(Ok(opened)) = timeout(BEGIN_WITHIN, Stream::open(client, &request)).await else {
        return Heard::Broken;
    };
    let Some(mut stream) = opened else { return Heard::Nothing };
    while let Some(bytes) = stream.next().await {
        if stream.events.push(&bytes).is_err() {
            return Heard::Nothing;
        }
        while let Some(event) = stream.events.next() {
            let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
                return Heard::Nothing;
            };
            let is_read = match event.event.as_str() {
                "progress" => read_as(&data).map(|event| told(News::Event(event))),
                // `null` says that it goes on.
                "waiting" if data.is_null() => Ok(()),
                "waiting" => read_as(&data).map(|waiting| told(News::Waiting(waiting))),
                "counts" => read_as(&data).map(|counts| told(News::Counts(counts))),
                "end" => match read_as(&data) {
                    Ok(operation) => return Heard::End(data, Box::new(operation)),
                    Err(error) => Err(error),
                },
                // A newer server may tell more.
                _ => Ok(()),
            };
            if is_read.is_err() {
                return Heard::Nothing;
            }
        }
    }
    Heard::Broken
}

/// A stream that is open.
struct Stream {
    body: Incoming,
    events: Events,
    /// Moves the bytes; ends with the stream.
    _connection: JoinSet<()>,
}

impl Stream {
    /// Opens a stream; nothing where the answer is none.
    async fn open(client: &Client, request: &Request) -> Result<Option<Self>, ExchangeError> {
        let http: hyper::Request<Full<Bytes>> =
            request.to_http(client.endpoint(), client.token.as_ref())?;
        let stream = exchange::connect(client.endpoint(), BEGIN_WITHIN).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| ExchangeError::Broken(error.to_string()))?;
        let mut moving = JoinSet::new();
        moving.spawn(async move {
            // How it ended is seen by whoever reads.
            let _ = connection.await;
        });
        let answer = sender.send_request(http).await;
        let answer = answer.map_err(|error| ExchangeError::Broken(error.to_string()))?;
        let media = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_stream = media.is_some_and(|media| media.starts_with("text/event-stream"));
        if answer.status() != StatusCode::OK || !is_stream {
            return Ok(None);
        }
        let body = answer.into_body();
        Ok(Some(Self { body, events: Events::default(), _connection: moving }))
    }

    /// The next bytes; nothing where there are no more, or none for too long.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let frame = timeout(QUIET_FOR, self.body.frame()).await.ok()??.ok()?;
            if let Ok(bytes) = frame.into_data() {
                return Some(bytes);
            }
        }
    }
}
