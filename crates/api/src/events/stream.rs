//! A watch as the body of an answer: what is told next is found out when the caller can take it.
//!
//! It is no task of its own: it ends with its connection, and everything that it holds with it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame};

use super::watch::Watch;

/// The body of an answer that goes on.
pub(crate) struct EventBody(Option<Next>);

type Next = Pin<Box<dyn Future<Output = (Watch, Option<Bytes>)> + Send>>;

impl EventBody {
    pub(crate) fn new(watch: Watch) -> Self {
        Self(Some(next(watch)))
    }
}

fn next(mut watch: Watch) -> Next {
    Box::pin(async move {
        let told = watch.next().await;
        (watch, told)
    })
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(waiting) = &mut self.0 else { return Poll::Ready(None) };
        let (watch, told) = ready!(waiting.as_mut().poll(context));
        // What it holds is let go of as soon as nothing more is told.
        self.0 = told.is_some().then(|| next(watch));
        Poll::Ready(told.map(|bytes| Ok(Frame::data(bytes))))
    }
}
