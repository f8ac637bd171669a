//! One HTTP exchange on a connection of its own, within a deadline.
//!
//! A connection is not kept: servers come and go while commands run, and a loopback connection
//! costs less than finding out that a kept one has died.

use std::future::pending;
use std::io;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::endpoint::Endpoint;

/// A server on the same network answers a connection in a moment, or not at all.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    /// No connection: nobody listens there, or not any more, or not yet.
    Connect(io::Error),
    /// The connection ended before the answer did.
    Broken(String),
    /// There was a connection, and no answer in time.
    TimedOut(Duration),
    /// Whatever answered is not what we speak.
    Foreign(String),
    /// The request cannot be put into HTTP.
    Unsendable(&'static str),
}

impl ExchangeError {
    /// Whether the server may be starting or ending, so that asking again helps.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Connect(_) | Self::Broken(_))
    }
}

impl std::fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "no connection: {error}"),
            Self::Broken(why) => write!(f, "the connection was lost: {why}"),
            Self::TimedOut(within) => write!(f, "no response within {}s", within.as_secs()),
            Self::Foreign(why) => write!(f, "invalid response: {why}"),
            Self::Unsendable(what) => write!(f, "{what} cannot be sent"),
        }
    }
}

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Connects, asks, reads the whole answer, of at most so many bytes, and closes.
pub(crate) async fn perform(
    endpoint: &Endpoint,
    request: Request<Full<Bytes>>,
    within: Duration,
    most: usize,
) -> Result<Answer, ExchangeError> {
    let stream = connect(endpoint, within).await?;
    match timeout(within, converse(stream, request, most)).await {
        Ok(answer) => answer,
        Err(_) => Err(ExchangeError::TimedOut(within)),
    }
}

/// Connects.
pub(super) async fn connect(
    endpoint: &Endpoint,
    within: Duration,
) -> Result<TcpStream, ExchangeError> {
    let connect = timeout(CONNECT_WITHIN.min(within), TcpStream::connect(endpoint.address()));
    let stream = match connect.await {
        Ok(connected) => connected.map_err(ExchangeError::Connect)?,
        Err(_) => return Err(ExchangeError::Connect(io::ErrorKind::TimedOut.into())),
    };
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

async fn converse(
    stream: TcpStream,
    request: Request<Full<Bytes>>,
    most: usize,
) -> Result<Answer, ExchangeError> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| told(&error))?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(|error| told(&error))?;
        let (head, body) = response.into_parts();
        match Limited::new(body, most).collect().await {
            Ok(body) => {
                Ok(Answer { status: head.status, headers: head.headers, body: body.to_bytes() })
            }
            Err(error) if error.is::<LengthLimitError>() => {
                Err(ExchangeError::Foreign(format!("it is larger than {} MiB", most >> 20)))
            }
            Err(error) => Err(ExchangeError::Broken(error.to_string())),
        }
    };
    // The connection may end before the last part of the answer is taken from it.
    let driven = async {
        let _ = connection.await;
        pending::<()>().await;
    };
    tokio::select! {
        answer = exchange => answer,
        () = driven => Err(ExchangeError::Broken("the server closed it".to_owned())),
    }
}

fn told(error: &hyper::Error) -> ExchangeError {
    if error.is_parse() {
        return ExchangeError::Foreign("it is not HTTP".to_owned());
    }
    ExchangeError::Broken(error.to_string())
}
