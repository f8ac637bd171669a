//! A control plane that answers what a test wants: for what a real one does too seldom, or never.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

pub(crate) const BASE_PATH: &str = "/apis/api.ucp.dev/v1alpha3";

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    /// Without the base path and the query.
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_str())
    }

    /// `PUT /planes/…`.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// What is answered.
pub(crate) enum Answer {
    Json {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Value,
    },
    /// A stream of events, as far as it goes; then the connection ends.
    Events(String),
    /// The connection ends without a word.
    Nothing,
}

pub(crate) fn json(status: u16, body: Value) -> Answer {
    Answer::Json { status, headers: Vec::new(), body }
}

/// An error as the API words it.
pub(crate) fn refused(status: u16, code: &str, message: &str) -> Answer {
    json(status, serde_json::json!({"error": {"code": code, "message": message}}))
}

/// A server on a port of its own until it is dropped.
pub(crate) struct FakeApi {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    is_over: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl FakeApi {
    /// Answers with what the function says; its second argument is how many such requests (method
    /// and path) came before.
    pub(crate) fn start(answer: impl Fn(&Received, usize) -> Answer + Send + 'static) -> Self {
        Self::start_on(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    pub(crate) fn start_on(
        listener: TcpListener,
        answer: impl Fn(&Received, usize) -> Answer + Send + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::<Received>::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (seen, over) = (Arc::clone(&received), Arc::clone(&is_over));
        let accepting = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                // A caller that goes away is no concern of ours.
                let _ = stream.and_then(|stream| serve(stream, &seen, &answer));
            }
        });
        Self { address, received, is_over, accepting: Some(accepting) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The lines of all requests.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.received().iter().map(Received::line).collect()
    }
}

impl Drop for FakeApi {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Received>>,
    answer: &impl Fn(&Received, usize) -> Answer,
) -> io::Result<()> {
    let received = read(&mut BufReader::new(&stream))?;
    let before = {
        let mut seen = seen.lock().unwrap();
        let before = seen.iter().filter(|other| other.line() == received.line()).count();
        seen.push(received.clone());
        before
    };
    let (status, headers, body) = match answer(&received, before) {
        Answer::Json { status, headers, body } => (status, headers, body),
        Answer::Events(text) => {
            let head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close";
            return write!(stream, "{head}\r\n\r\n{text}");
        }
        Answer::Nothing => return Ok(()),
    };
    let body = if body.is_null() { String::new() } else { body.to_string() };
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    )?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n{body}")
}

fn read(stream: &mut BufReader<&TcpStream>) -> io::Result<Received> {
    let mut line = || -> io::Result<String> {
        let mut text = String::new();
        stream.read_line(&mut text)?;
        Ok(text.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, query) = (path.strip_prefix(BASE_PATH).unwrap_or(path).to_owned(), query.to_owned());
    let mut headers = Vec::new();
    loop {
        let header = line()?;
        let Some((name, value)) = header.split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut received = Received { method, path, query, headers, body: Value::Null };
    let length = received.header("content-length").and_then(|text| text.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    received.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(received)
}
