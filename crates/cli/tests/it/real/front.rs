//! A TLS endpoint on loopback that plays AWS: STS refuses some access keys, everything else is the
//! simulator's answer.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The access key of a session that is over.
pub(super) const EXPIRED: &str = "ASIAEXPIRED";
/// An access key that AWS does not know.
pub(super) const UNKNOWN: &str = "AKIAUNKNOWN";

/// Answers until the test process ends.
pub(super) struct Front {
    address: SocketAddr,
    /// The `Authorization` headers that it was shown.
    seen: Arc<Mutex<Vec<String>>>,
}

fn tls_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/real/tls").join(name)
}

/// The certificate authority that signed the endpoint's certificate.
pub(super) fn ca_bundle() -> String {
    tls_file("ca.pem").display().to_string()
}

impl Front {
    pub(super) fn start(simulator: SocketAddr) -> Self {
        let certificates = CertificateDer::pem_file_iter(tls_file("server.pem")).unwrap();
        let certificates = certificates.collect::<Result<Vec<_>, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_file(tls_file("server.key")).unwrap();
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .unwrap();
        let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
        let front = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&front.seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, seen) = (Arc::clone(&config), Arc::clone(&seen));
                std::thread::spawn(move || {
                    let session = ServerConnection::new(config).unwrap();
                    // A caller that goes away is no mistake.
                    let _ = converse(StreamOwned::new(session, stream), simulator, &seen);
                });
            }
        });
        front
    }

    pub(super) fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// Whether a call was signed with this access key.
    pub(super) fn was_signed_by(&self, access_key: &str) -> bool {
        let part = format!("Credential={access_key}/");
        self.seen.lock().unwrap().iter().any(|header| header.contains(&part))
    }
}

/// Answers the requests of one connection.
fn converse(
    stream: impl Read + Write,
    simulator: SocketAddr,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some((head, body)) = read_message(&mut stream)? {
        let header = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
            found.next().map_or_else(String::new, |(_, value)| value.trim().to_owned())
        };
        let authorization = header("authorization");
        seen.lock().unwrap().push(authorization.clone());
        let refused = [
            (EXPIRED, "ExpiredToken", "The security token included in the request is expired"),
            (
                UNKNOWN,
                "InvalidClientTokenId",
                "The security token included in the request is invalid.",
            ),
        ];
        let refused = refused.iter().find(|(key, ..)| authorization.contains(key));
        let answer = match refused {
            Some((_, code, message)) => refusal(code, message),
            None => forward(simulator, &head, &body)?,
        };
        stream.get_mut().write_all(&answer)?;
        stream.get_mut().flush()?;
    }
    Ok(())
}

/// A head with its blank line, and a body; `None` at the end of the connection.
fn read_message(stream: &mut impl std::io::BufRead) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    let lengths = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lengths.filter(|(key, _)| key.eq_ignore_ascii_case("content-length"));
    let length = lengths.next().and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Some((head, body)))
}

fn forward(simulator: SocketAddr, head: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(simulator)?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let answer = read_message(&mut BufReader::new(stream))?;
    let (head, body) = answer.unwrap_or_default();
    Ok([head.as_bytes(), &body].concat())
}

fn refusal(code: &str, message: &str) -> Vec<u8> {
    let body = format!(
        "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type>\
         <Code>{code}</Code><Message>{message}</Message></Error><RequestId>1</RequestId></ErrorResponse>"
    );
    let head = format!(
        "HTTP/1.1 403 Forbidden\r\ncontent-type: text/xml\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head, body].concat().into_bytes()
}
