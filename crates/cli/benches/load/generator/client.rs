//! The least of an HTTP client, so that the generator takes little of the machine: bytes out, an answer
//! in, over one connection that stays open.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer<'c> {
    pub(crate) status: u16,
    pub(crate) body: &'c [u8],
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; 16 << 10] })
    }

    /// Sends a request and waits for all of its answer.
    pub(crate) async fn send(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let head_ends = loop {
            filled += self.fill(filled).await?;
            if let Some(end) = end_of_head(&self.buffer[..filled]) {
                break end;
            }
        };
        let wrong = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        let text = std::str::from_utf8(&self.buffer[..head_ends])
            .map_err(|_| wrong("the head of an answer is not text"))?;
        let status = text.get(9..12).and_then(|it| it.parse().ok());
        let status = status.ok_or_else(|| wrong("the head of an answer has no status"))?;
        let length: usize =
            header(text, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        while filled < head_ends + length {
            filled += self.fill(filled).await?;
        }
        Ok(Answer { status, body: &self.buffer[head_ends..head_ends + length] })
    }

    async fn fill(&mut self, filled: usize) -> io::Result<usize> {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// A header's value; servers of ours write names in lower case.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim()).next()
}
