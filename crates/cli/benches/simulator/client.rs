//! The least of an HTTP client: bytes out, an answer in, over one connection that stays open.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
pub(crate) struct Answer<'c> {
    pub(crate) status: u16,
    pub(crate) body: &'c [u8],
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the simulator listens");
        stream.set_nodelay(true).expect("a TCP option");
        Self { stream, buffer: vec![0; 64 << 10] }
    }

    /// Sends a request and waits for all of its answer.
    pub(crate) fn send(&mut self, request: &[u8]) -> Answer<'_> {
        self.stream.write_all(request).expect("the simulator reads");
        let mut filled = 0;
        let (head, length) = loop {
            filled += self.fill(filled);
            if let Some(head) = end_of_head(&self.buffer[..filled]) {
                break (head, content_length(&self.buffer[..head]));
            }
        };
        while filled < head + length {
            filled += self.fill(filled);
        }
        let status = std::str::from_utf8(&self.buffer[9..12]).ok().and_then(|it| it.parse().ok());
        Answer { status: status.unwrap_or(0), body: &self.buffer[head..head + length] }
    }

    /// Sends a request that must be answered with 200.
    pub(crate) fn expect_ok(&mut self, request: &[u8]) -> &[u8] {
        let Answer { status, body } = self.send(request);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
        body
    }

    fn fill(&mut self, filled: usize) -> usize {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        let read = self.stream.read(&mut self.buffer[filled..]).expect("the simulator answers");
        assert!(read > 0, "the simulator closed the connection");
        read
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

fn content_length(head: &[u8]) -> usize {
    let text = std::str::from_utf8(head).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    lengths.next().and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
}
