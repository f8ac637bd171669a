//! HTTP/1.1 over one kept connection, as far as the simulator's answers need it: quick, and with
//! no retry of its own. Calls are unsigned, so that they are those of account 000000000000 in
//! us-east-1.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An answer that takes longer than this will not come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// Where to ask after the operation that was begun.
    pub(crate) operation_url: Option<String>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        Self::open_for(address, PATIENCE)
    }

    /// Whose answers take no longer than this.
    pub(crate) fn open_for(address: SocketAddr, patience: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(Self { stream: BufReader::new(stream), request: Vec::new() })
    }

    /// A call of Cloud Control.
    pub(crate) fn call(&mut self, operation: &str, input: &Value) -> io::Result<Answer> {
        let target = format!("CloudApiService.{operation}");
        let headers =
            [("content-type", "application/x-amz-json-1.0"), ("x-amz-target", target.as_str())];
        self.send("POST", "/", &headers, input)
    }

    /// A call of the control API; the path is what follows `/_simulator/`.
    pub(crate) fn control(
        &mut self,
        method: &str,
        path: &str,
        input: &Value,
    ) -> io::Result<Answer> {
        let path = format!("/_simulator/{path}");
        self.send(method, &path, &[("content-type", "application/json")], input)
    }

    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        input: &Value,
    ) -> io::Result<Answer> {
        let body = if input.is_null() { String::new() } else { input.to_string() };
        self.request.clear();
        // One write for all of it, so that it goes out in one piece where it can.
        write!(self.request, "{method} {path} HTTP/1.1\r\nhost: localhost\r\n")?;
        for (name, value) in headers {
            write!(self.request, "{name}: {value}\r\n")?;
        }
        write!(self.request, "content-length: {}\r\n\r\n{body}", body.len())?;
        self.stream.get_mut().write_all(&self.request)?;
        self.receive()
    }

    fn receive(&mut self) -> io::Result<Answer> {
        let status = self.line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (mut length, mut operation_url) = (0, None);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
            }
            if name.eq_ignore_ascii_case("azure-asyncoperation") {
                operation_url = Some(value.trim().to_owned());
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Answer { status, body, operation_url })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        // A line without its end is an answer that was cut off.
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
