//! How long callers may keep the server waiting, and a stream that does not wait longer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long callers may keep the server waiting. Who takes longer is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request, from the first moment that one is waited for: a connection that is idle
    /// for so long is closed.
    pub head: Duration,
    /// For the whole body of a request, however steadily it comes.
    pub body: Duration,
    /// For taking the next part of an answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            body: Duration::from_secs(20),
            answer: Duration::from_secs(30),
        }
    }
}

/// A stream whose writes fail when the other side takes nothing for too long.
#[derive(Debug)]
pub(crate) struct Impatient<S> {
    stream: S,
    within: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    pub(crate) fn new(stream: S, within: Duration) -> Self {
        Self { stream, within, waiting: None }
    }

    /// The outcome of a write; one that waits for too long fails.
    fn timed<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let within = self.within;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(within)));
        match waiting.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.timed(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn who_takes_nothing_is_cut_off_and_who_takes_slowly_is_not() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut near = Impatient::new(near, Duration::from_millis(50));
        let reading = tokio::spawn(async move {
            let mut byte = [0];
            for _ in 0..40 {
                far.read_exact(&mut byte).await.unwrap();
                tokio::task::yield_now().await;
            }
            far
        });
        near.write_all(&[0; 48]).await.unwrap();
        let _far = reading.await.unwrap();
        let stuck = near.write_all(&[0; 48]).await.unwrap_err();
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
    }
}
