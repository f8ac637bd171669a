//! More than a server can do at once: some are told to come back, at once and in our words; none hangs, none is cut
//! off, and whoever looks after the server gets in.

use std::time::{Duration, Instant};

use hangar_api::Limits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::{GROUP, Reply, Server, alias, collection, vpc};

const CLIENTS: usize = 200;

async fn outside(server: &Server, path: &str) -> Reply {
    let mut request = server.request("GET", "", &Value::Null);
    *request.uri_mut() = path.parse().unwrap();
    server.send(request).await
}

async fn shed(server: &Server, kind: &str) -> u64 {
    let text = outside(server, "/metrics").await.text;
    let begins = format!("hangar_requests_shed_total{{kind=\"{kind}\"}} ");
    text.lines()
        .find_map(|line| line.strip_prefix(&begins))
        .map_or(0, |count| count.parse().unwrap())
}

/// What all of them answer, and how long the slowest took; none is cut off, or this fails.
async fn at_once<F: Future<Output = Reply>>(
    calls: impl Iterator<Item = F>,
) -> Vec<(Reply, Duration)> {
    let mut waiting: Vec<_> = calls
        .map(|call| {
            Box::pin(async {
                let since = Instant::now();
                (call.await, since.elapsed())
            })
        })
        .collect();
    let mut ended = Vec::new();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|call| match call.as_mut().poll(context) {
            std::task::Poll::Ready(answer) => {
                ended.push(answer);
                false
            }
            std::task::Poll::Pending => true,
        });
        if waiting.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    ended
}

fn check_busy(reply: &Reply) {
    assert_eq!(reply.refused(503), "ServerBusy");
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(reply.header("x-ms-request-id").len(), 36);
}

#[tokio::test]
async fn writes_that_a_slow_store_cannot_take_are_shed_and_reads_go_on() {
    let limits = Limits { writes: 2, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let Some(blocked) = server.lock_store() else {
        return println!(
            "skipped: writes_that_a_slow_store_cannot_take_are_shed (PostgreSQL has no such lock)"
        );
    };
    let writes = async {
        at_once((0..CLIENTS).map(|at| {
            let path = alias(&format!("net-{at}"));
            let server = &server;
            async move {
                server.call_with("PUT", &path, vpc(true), &[("prefer", "respond-async")]).await
            }
        }))
        .await
    };
    let meanwhile = async {
        // Until the first are turned away, and then some more.
        let mut seen = 0;
        while seen < 20 {
            let since = Instant::now();
            server.get(GROUP).await.ok(200);
            outside(&server, "/healthz").await.ok(200);
            assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
            seen += usize::from(shed(&server, "write").await > 0);
        }
        // All but those that have a place are answered while the store is still locked.
        while shed(&server, "write").await < CLIENTS as u64 - 2 {
            tokio::task::yield_now().await;
        }
        drop(blocked);
    };
    let (answers, ()) = tokio::join!(writes, meanwhile);
    assert_eq!(answers.len(), CLIENTS);
    let (busy, taken): (Vec<_>, Vec<_>) =
        answers.iter().partition(|(reply, _)| reply.status == 503);
    assert_eq!((busy.len(), taken.len()), (CLIENTS - 2, 2));
    for (reply, took) in busy {
        check_busy(reply);
        assert!(*took < Duration::from_secs(3), "{took:?}");
    }
    for (reply, _) in taken {
        reply.ok(201);
    }
    // And at once it is as if nothing had been.
    let since = Instant::now();
    server
        .call_with("PUT", &alias("after"), vpc(true), &[("prefer", "respond-async")])
        .await
        .ok(201);
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
}

#[tokio::test]
async fn a_write_reads_nothing_of_the_store_before_its_turn() {
    let limits = Limits { writes: 1, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let Some(blocked) = server.lock_store() else {
        return println!(
            "skipped: a_write_reads_nothing_of_the_store_before_its_turn (PostgreSQL has no such lock)"
        );
    };
    let vpcs = collection("AWS.EC2/VPC").replace("/aws/aws/", "/aws/none/");
    let nowhere = &format!("{vpcs}/vpc-1");
    let path = alias("net");
    let first = server.call_with("PUT", &path, vpc(true), &[("prefer", "respond-async")]);
    let meanwhile = async {
        // Who has no turn is not told whether the plane is there.
        let since = Instant::now();
        loop {
            let reply = server.put(nowhere, vpc(true)).await;
            if reply.status == 503 {
                break check_busy(&reply);
            }
            assert_eq!(reply.refused(404), "PlaneNotFound");
            assert!(since.elapsed() < Duration::from_secs(10), "{reply:#?}");
        }
        drop(blocked);
    };
    let (first, ()) = tokio::join!(first, meanwhile);
    first.ok(201);
    assert_eq!(server.put(nowhere, vpc(true)).await.refused(404), "PlaneNotFound");
}

#[tokio::test]
async fn reads_of_a_slow_aws_are_shed_and_reads_of_the_store_go_on() {
    let limits = Limits { looks: 2, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let fault = json!({"operation": "GetResource", "effect": "delay", "millis": 2000, "times": 10});
    server.control("POST", "faults", fault).await;
    let path = format!("{}/vpc-1", collection("AWS.EC2/VPC"));
    let looks = async { at_once((0..CLIENTS).map(|_| server.get(&path))).await };
    let meanwhile = async {
        while shed(&server, "look").await == 0 {
            server.get(GROUP).await.ok(200);
        }
    };
    let (answers, ()) = tokio::join!(looks, meanwhile);
    let (busy, taken): (Vec<_>, Vec<_>) =
        answers.iter().partition(|(reply, _)| reply.status == 503);
    assert_eq!((busy.len(), taken.len()), (CLIENTS - 2, 2));
    for (reply, _) in busy {
        check_busy(reply);
    }
    for (reply, _) in taken {
        assert_eq!(reply.refused(404), "ResourceNotFound");
    }
}

#[tokio::test]
async fn who_waits_for_an_operation_is_in_nobodys_way() {
    let limits =
        Limits { writes: 1, waits: 4, turn_within: Duration::from_secs(20), ..Limits::default() };
    let server = Server::start_small(limits).await;
    let put = async |at: usize| {
        let path = alias(&format!("net-{at}"));
        server.call_with("PUT", &path, vpc(true), &[("prefer", "wait=3")]).await
    };
    let answers = at_once((0..20).map(put)).await;
    for (reply, _) in &answers {
        reply.ok(201);
        assert!(!reply.header("azure-asyncoperation").is_empty());
    }
    let waited = answers.iter().filter(|(_, took)| *took >= Duration::from_secs(3)).count();
    assert_eq!(waited, 4, "the others are answered at once");
}

#[tokio::test]
async fn one_connection_too_many_is_told_so_and_health_and_stops_still_get_in() {
    let limits = Limits { connections: 4, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let begun =
        server.call_with("PUT", &alias("net"), vpc(true), &[("prefer", "respond-async")]).await;
    let status = begun.header("azure-asyncoperation").to_owned();
    let status = status.strip_prefix(&server.url()).unwrap().split('?').next().unwrap().to_owned();
    let mut idle = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut bytes = [0; 15];
        stream.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"HTTP/1.1 200 OK");
        idle.push(stream);
    }
    let answers = at_once((0..CLIENTS).map(|_| server.get(GROUP))).await;
    for (reply, _) in &answers {
        check_busy(reply);
        assert_eq!(reply.header("connection"), "close");
    }
    // A body that nobody wants is taken, so that the answer is heard.
    let large =
        json!({"properties": {"AssumeRolePolicyDocument": {"Statement": "x".repeat(250_000)}}});
    let role = alias("role").replace("AWS.EC2/VPC", "AWS.IAM/Role");
    check_busy(&server.put(&role, large).await);
    assert_eq!(shed(&server, "connection").await, CLIENTS as u64 + 1);
    outside(&server, "/healthz").await.ok(200);
    outside(&server, "/readyz").await.ok(200);
    server.call("POST", &format!("{status}/cancel"), Value::Null).await.ok(202);
    drop(idle);
    let since = Instant::now();
    while server.get(GROUP).await.status != 200 {
        assert!(since.elapsed() < Duration::from_secs(5));
    }
}

/// A connection on which a PUT is begun, with the rest of its head and what follows as it is given.
async fn begin_put(server: &Server, path: &str, rest: &str) -> TcpStream {
    let begun = format!(
        "PUT {}{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\n{rest}",
        hangar_api::DEFAULT_BASE_PATH,
        crate::server::TOKEN
    );
    let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
    stream.write_all(begun.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn bodies_together_have_a_bound() {
    let limits = Limits { body_bytes: 16 << 10, ..Limits::default() };
    let server = Server::start_small(limits).await;
    let large = |at: usize| {
        (
            alias(&format!("r-{at}")).replace("AWS.EC2/VPC", "AWS.IAM/Role"),
            json!({"properties": {"AssumeRolePolicyDocument": {"Statement": "x".repeat(9 << 10)}}}),
        )
    };
    // One that says how much it will send and does not send it has the room.
    let slow = begin_put(&server, &large(0).0, "content-length: 10000\r\n\r\n").await;
    let since = Instant::now();
    loop {
        let (path, body) = large(1);
        let reply = server.call_with("PUT", &path, body, &[("prefer", "respond-async")]).await;
        if reply.status == 503 {
            check_busy(&reply);
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(10), "{reply:#?}");
    }
    // A small one finds room, and so does a large one when the slow one has gone.
    server.put(&alias("net"), json!({"properties": {"CidrBlock": "10.0.0.0/16"}})).await.ok(201);
    drop(slow);
    let (path, body) = large(2);
    server.call_with("PUT", &path, body, &[("prefer", "respond-async")]).await.ok(201);
}

#[tokio::test]
async fn who_waits_for_an_operation_leaves_the_room_of_its_body_to_others() {
    let limits =
        Limits { body_bytes: 512 << 10, turn_within: Duration::from_secs(5), ..Limits::default() };
    let server = Server::start_small(limits).await;
    // One that does not say how long it is has all of the room.
    let body = vpc(true).to_string();
    let rest = format!(
        "prefer: wait=30\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let waiting = begin_put(&server, &alias("first"), &rest).await;
    let since = Instant::now();
    while server.get(&alias("first")).await.status != 200 {
        assert!(since.elapsed() < Duration::from_secs(10));
    }
    let second = alias("second");
    server.call_with("PUT", &second, vpc(true), &[("prefer", "respond-async")]).await.ok(201);
    assert_eq!(
        waiting.try_read(&mut [0; 1]).unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock,
        "the first one waits still"
    );
}
