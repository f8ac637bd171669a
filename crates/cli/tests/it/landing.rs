//! The page of a server for browsers, and the log of those that it turns away.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::serve::Server;

fn get(server: &Server, path: &str, accept: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_browser_gets_a_page_without_a_token_and_programs_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), "simulator");
    let page = get(&server, "/", "text/html,application/xhtml+xml,*/*;q=0.8");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("content-type: text/html; charset=utf-8\r\n"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none';"), "{page}");
    assert!(page.contains(&format!("<h1>Hangar {}</h1>", env!("CARGO_PKG_VERSION"))), "{page}");
    assert!(!page.contains(server.token()) && !page.contains(folder.path().to_str().unwrap()));
    let program = get(&server, "/", "*/*");
    assert!(program.starts_with("HTTP/1.1 401 "), "{program}");
    assert!(program.contains("content-type: application/json\r\n"), "{program}");
    let elsewhere = get(&server, "/planes?secret=canary", "text/html");
    assert!(elsewhere.starts_with("HTTP/1.1 401 "), "{elsewhere}");
    let said = server.said();
    let line = said.lines().find(|line| line.contains("path=\"/planes\"")).unwrap_or(&said);
    assert!(line.contains("status=401"), "{line}");
    assert!(!said.contains("canary"), "{said}");
}
