//! Operations as streams of server-sent events: in order, from any event on, at any server, and never in the way.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use hangar_api::{DEFAULT_BASE_PATH, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::server::{GROUP, Server, TOKEN, VERSION, alias, vpc};

const ASYNC: (&str, &str) = ("prefer", "respond-async");
const SOON: Duration = Duration::from_secs(20);

/// One event, as a browser would be told it.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    id: Option<u64>,
    event: String,
    data: Value,
}

/// A stream that is open.
struct Listener {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Listener {
    async fn open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let more: String = headers
            .iter()
            .fold(String::new(), |all, (name, value)| all + name + ": " + value + "\r\n");
        let head = format!(
            "GET {DEFAULT_BASE_PATH}{path} HTTP/1.1\r\nhost: {address}\r\n\
             authorization: Bearer {TOKEN}\r\naccept: text/event-stream\r\n{more}\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(stream.read_line(&mut head).await.unwrap(), 0, "{head}");
        }
        Self { stream, head: head.to_ascii_lowercase() }
    }

    /// The next event; nothing where the stream has ended as it should. Waits are no events: they come and go
    /// between them, as the workers have time.
    async fn next(&mut self) -> Option<Told> {
        loop {
            match self.next_frame().await {
                Some(told) if told.event == "waiting" => {}
                next => return next,
            }
        }
    }

    async fn next_frame(&mut self) -> Option<Told> {
        let mut told = Told { id: None, event: String::new(), data: Value::Null };
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("id", id)) => told.id = Some(id.parse().unwrap()),
                Some(("event", event)) => event.clone_into(&mut told.event),
                Some(("data", data)) => told.data = serde_json::from_str(data).unwrap(),
                _ if line.is_empty() && !told.event.is_empty() => return Some(told),
                _ => {}
            }
        }
    }

    /// The next line within the chunks of the answer. A frame is never cut by a chunk here.
    async fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(SOON, self.stream.read_line(&mut line));
            let read = read.await.expect("nothing was said for long").unwrap();
            if read == 0 || line == "0\r\n" {
                return None;
            }
            // The size of a chunk, and the end of one.
            if !line.ends_with("\r\n") {
                return Some(line.trim_end().to_owned());
            }
        }
    }

    async fn rest(&mut self) -> Vec<Told> {
        let mut all = Vec::new();
        while let Some(told) = self.next().await {
            all.push(told);
        }
        all
    }
}

/// Begins a put that does not end, and gives the path of its status.
async fn begin(server: &Server, name: &str) -> String {
    let begun = server.call_with("PUT", &alias(name), vpc(true), &[ASYNC]).await;
    begun.ok(201);
    let url = begun.header("azure-asyncoperation").to_owned();
    url.strip_prefix(&server.url()).unwrap().split('?').next().unwrap().to_owned()
}

/// Lets AWS finish what it has been asked for.
async fn finish(server: &Server, status: &str) {
    while server.get(status).await.ok(200)["attempts"][0]["requestToken"].is_null() {
        tokio::task::yield_now().await;
    }
    server.pass_hours(2).await;
}

#[tokio::test]
async fn a_stream_tells_every_event_in_order_and_ends_with_the_status() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events?{VERSION}");
    let mut listener = Listener::open(server.serving.address, &events, &[]).await;
    assert!(listener.head.starts_with("http/1.1 200"), "{}", listener.head);
    assert!(listener.head.contains("content-type: text/event-stream"), "{}", listener.head);
    assert!(listener.head.contains("cache-control: no-store"), "{}", listener.head);
    let first = listener.next().await.unwrap();
    assert_eq!((first.id, first.event.as_str()), (Some(1), "progress"));
    assert_eq!(first.data["message"], "accepted");
    finish(&server, &status).await;
    let mut told = vec![first];
    told.extend(listener.rest().await);
    let end = told.pop().unwrap();
    assert_eq!((end.event.as_str(), end.id), ("end", None));
    let shown = server.get(&status).await.ok(200);
    assert_eq!(end.data, shown, "the end is the status");
    assert_eq!(shown["status"], "Succeeded");
    assert_eq!(shown["calls"]["writes"], 1, "{shown:#}");
    let progress: Vec<Value> = told.iter().map(|told| told.data.clone()).collect();
    assert_eq!(&json!(progress), &shown["events"]);
    assert!(told.iter().enumerate().all(|(at, told)| told.id == Some(at as u64 + 1)), "{told:#?}");

    // Afterwards it is all told at once, and from any event on.
    let address = server.serving.address;
    let again = Listener::open(address, &events, &[]).await.rest().await;
    assert_eq!(again[..told.len()], told[..]);
    let later = Listener::open(address, &events, &[("Last-Event-ID", "2")]).await.rest().await;
    assert_eq!(later[..], again[2..]);
    let by_query = format!("{status}/events?after=1");
    let later = Listener::open(address, &by_query, &[]).await.rest().await;
    assert_eq!(later[..], again[1..]);
    let later = Listener::open(address, &by_query, &[("Last-Event-ID", "9999")]).await.rest().await;
    assert_eq!(later[..], again[again.len() - 1..]);
}

#[tokio::test]
async fn a_status_tells_what_the_operation_cost() {
    // Alone: another server would write what it counts itself.
    let server = Server::start_small(Limits::default()).await;
    let status = begin(&server, "net").await;
    server.engine.stop().await;
    server.tamper(r#"UPDATE operation SET calls = '{"writes":1,"polls":2,"reads":3}'"#).await;
    let shown = server.get(&status).await.ok(200);
    assert_eq!(shown["calls"], json!({"writes": 1, "polls": 2, "reads": 3}));
}

#[tokio::test]
async fn what_cannot_be_listened_to_is_refused_in_our_words() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    for wrong in ["x", "-1", "1, 2"] {
        let headers = [("last-event-id", wrong)];
        let refused = server.call_with("GET", &events, Value::Null, &headers).await;
        assert_eq!(refused.refused(400), "InvalidHeader", "{wrong}");
    }
    let refused = server.get(&format!("{events}?after=x")).await;
    assert_eq!(refused.refused(400), "InvalidQueryParameter");
    let unknown = "/planes/radius/local/providers/System.Resources/operationStatuses/\
                   0191f3a8-7c2e-7abc-8def-0123456789ab/events";
    assert_eq!(server.get(unknown).await.refused(404), "OperationNotFound");
    assert_eq!(server.call("POST", &events, json!({})).await.refused(405), "MethodNotAllowed");
    assert_eq!(server.get(&format!("{status}/odd")).await.refused(404), "RouteNotFound");
}

#[tokio::test]
async fn a_listener_goes_on_at_another_server_and_after_a_restart() {
    let server = Server::start_slow().await;
    let (other, other_engine) = server.beside().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    let mut here = Listener::open(server.serving.address, &events, &[]).await;
    let mut there = Listener::open(other.address, &events, &[]).await;
    let first = here.next().await.unwrap();
    assert_eq!(there.next().await.unwrap(), first);
    // The workers of this one stop; those of the other one go on with it.
    while server.get(&status).await.ok(200)["attempts"][0]["requestToken"].is_null() {
        tokio::task::yield_now().await;
    }
    server.engine.stop().await;
    server.pass_hours(2).await;
    let seen = first.id.unwrap().to_string();
    let mut resumed = Listener::open(other.address, &events, &[("Last-Event-ID", &seen)]).await;
    let rest = resumed.rest().await;
    assert_eq!(rest.last().unwrap().event, "end");
    assert_eq!(rest.last().unwrap().data["status"], "Succeeded");
    assert_eq!(there.rest().await, rest);
    assert_eq!(here.rest().await, rest, "whoever drives it");
    other.stop().await;
    other_engine.stop().await;
}

#[tokio::test]
async fn an_end_is_heard_at_once() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let mut listener =
        Listener::open(server.serving.address, &format!("{status}/events"), &[]).await;
    listener.next().await.unwrap();
    finish(&server, &status).await;
    let rest = listener.rest().await;
    let now = jiff::Timestamp::now();
    let ended_at = rest.last().unwrap().data["endTime"].as_str().unwrap();
    let ended_at: jiff::Timestamp = ended_at.parse().unwrap();
    // The store's clock is two hours ahead. Without word of it the next look would be a second later.
    let late = now.duration_since(ended_at) + jiff::SignedDuration::from_hours(2);
    assert!(late < jiff::SignedDuration::from_millis(500), "{late:?}");
}

#[tokio::test]
async fn an_operation_on_a_group_tells_how_far_it_is() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.put(&alias(name), vpc(true)).await.ok(201);
    }
    let drift = format!("{GROUP}/:drift?{VERSION}");
    let begun = server.call_with("POST", &drift, json!({}), &[ASYNC]).await;
    let url = begun.header("azure-asyncoperation").to_owned();
    let status = url.strip_prefix(&server.url()).unwrap().split('?').next().unwrap().to_owned();
    let told =
        Listener::open(server.serving.address, &format!("{status}/events"), &[]).await.rest().await;
    let counts: Vec<&Value> =
        told.iter().filter(|told| told.event == "counts").map(|told| &told.data).collect();
    assert_eq!(counts.last().unwrap()["done"], 3, "{told:#?}");
    assert_eq!(told.last().unwrap().data["counts"], **counts.last().unwrap());
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_at_once() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    let mut listeners = Vec::new();
    for _ in 0..20 {
        let mut listener = Listener::open(server.serving.address, &events, &[]).await;
        listener.next().await.unwrap();
        listeners.push(listener);
    }
    let since = Instant::now();
    let Server { serving, engine, .. } = server;
    serving.stop().await;
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    for listener in &mut listeners {
        // A proper end of the answer, and no end of the operation.
        assert!(listener.rest().await.iter().all(|told| told.event != "end"));
    }
    engine.stop().await;
}

async fn open_streams(server: &Server) -> u64 {
    let mut request = server.request("GET", "", &Value::Null);
    *request.uri_mut() = "/metrics".parse().unwrap();
    let text = server.send(request).await.text;
    let line = text.lines().find_map(|line| line.strip_prefix("hangar_event_streams ")).unwrap();
    line.parse().unwrap()
}

#[tokio::test]
async fn who_goes_away_frees_its_place_and_one_too_many_is_told_to_come_back() {
    let limits = Limits { streams: 2, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    let mut listeners = Vec::new();
    for _ in 0..2 {
        let mut listener = Listener::open(server.serving.address, &events, &[]).await;
        listener.next().await.unwrap();
        listeners.push(listener);
    }
    let refused = server.get(&events).await;
    assert_eq!(refused.refused(503), "ServerBusy");
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(open_streams(&server).await, 2);
    drop(listeners);
    let since = Instant::now();
    while open_streams(&server).await > 0 {
        assert!(since.elapsed() < Duration::from_secs(2));
        tokio::task::yield_now().await;
    }
    let mut listener = Listener::open(server.serving.address, &events, &[]).await;
    assert_eq!(listener.next().await.unwrap().id, Some(1));
}

#[tokio::test]
async fn a_listener_that_reads_nothing_is_not_in_the_way() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    let address = server.serving.address;
    // More than the sockets hold, for somebody who takes none of it.
    let (id, long) = (status.rsplit('/').next().unwrap(), "0".repeat(8000));
    server
        .tamper(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
         INSERT INTO event (operation, sequence, at, message)
         SELECT '{id}', i, 0, '{long}' FROM n;
         UPDATE operation SET version = version + 1 WHERE id = '{id}';"
        ))
        .await;
    let stuck = Listener::open(address, &events, &[]).await;
    let mut reader = Listener::open(address, &events, &[("Last-Event-ID", "3990")]).await;
    for expected in 3991..=4000 {
        let told = tokio::time::timeout(SOON, reader.next()).await.unwrap().unwrap();
        assert_eq!(told.id, Some(expected));
    }
    assert_eq!(open_streams(&server).await, 2);
    drop(stuck);
    let since = Instant::now();
    while open_streams(&server).await > 1 {
        assert!(since.elapsed() < Duration::from_secs(2));
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_listeners_hear_the_end_and_others_are_served_meanwhile() {
    let server = Server::start_slow().await;
    let status = begin(&server, "net").await;
    let events = format!("{status}/events");
    let address = server.serving.address;
    let mut listening = tokio::task::JoinSet::new();
    for _ in 0..500 {
        let mut listener = Listener::open(address, &events, &[]).await;
        listener.next().await.unwrap();
        listening.spawn(async move { listener.rest().await });
    }
    assert_eq!(open_streams(&server).await, 500);
    let since = Instant::now();
    for _ in 0..20 {
        server.get(&status).await.ok(200);
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    finish(&server, &status).await;
    while let Some(told) = listening.join_next().await {
        let told = told.unwrap();
        assert_eq!(told.last().unwrap().event, "end");
    }
    assert_eq!(open_streams(&server).await, 0);
}

#[tokio::test]
async fn a_stream_is_not_cut_off_for_being_quiet() {
    let short = Duration::from_millis(300);
    let patience = hangar_api::Patience { head: short, body: short, answer: short };
    let server = Server::start_impatient(patience).await;
    server.control("POST", "settings", json!({"latency": "1h..1h"})).await;
    let status = begin(&server, "net").await;
    let mut listener =
        Listener::open(server.serving.address, &format!("{status}/events"), &[]).await;
    let mut said = Vec::new();
    while let Ok(told) = tokio::time::timeout(short * 4, listener.next()).await {
        said.push(told.expect("the stream has ended"));
    }
    let mut byte = [0];
    let quiet = tokio::time::timeout(short, listener.stream.read(&mut byte)).await;
    assert!(quiet.is_err(), "{quiet:?}");
    finish(&server, &status).await;
    assert_eq!(listener.rest().await.last().unwrap().event, "end");
}
