//! What stands before replicas: a port whose connections go to them in turn, past those that do not answer.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A balancer, until it is dropped.
pub(crate) struct Balancer {
    address: SocketAddr,
    replicas: Arc<Mutex<Turn>>,
}

#[derive(Default)]
struct Turn {
    replicas: Vec<SocketAddr>,
    next: usize,
    over: bool,
}

impl Balancer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let replicas = Arc::new(Mutex::new(Turn::default()));
        let turn = replicas.clone();
        thread::spawn(move || {
            for arrived in listener.incoming() {
                if turn.lock().unwrap().over {
                    return;
                }
                if let Ok(arrived) = arrived {
                    let turn = turn.clone();
                    thread::spawn(move || pass_on(&arrived, &turn));
                }
            }
        });
        Self { address, replicas }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where a replica listens now.
    pub(crate) fn set(&self, number: usize, address: SocketAddr) {
        let mut turn = self.replicas.lock().unwrap();
        if turn.replicas.len() <= number {
            turn.replicas.resize(number + 1, address);
        }
        turn.replicas[number] = address;
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.replicas.lock().unwrap().over = true;
        // Who listens hears of it with the next connection.
        let _ = TcpStream::connect(self.address);
    }
}

/// Connects what arrived with the next replica that answers, until one of them has had enough.
fn pass_on(arrived: &TcpStream, turn: &Mutex<Turn>) {
    let Some(replica) = connect(turn) else { return };
    let (Ok(from), Ok(to)) = (arrived.try_clone(), replica.try_clone()) else { return };
    let back = thread::spawn(move || copy(&to, &from));
    copy(arrived, &replica);
    let _ = back.join();
}

fn connect(turn: &Mutex<Turn>) -> Option<TcpStream> {
    let count = turn.lock().unwrap().replicas.len();
    for _ in 0..count {
        let address = {
            let mut turn = turn.lock().unwrap();
            turn.next = (turn.next + 1) % count;
            turn.replicas[turn.next]
        };
        if let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
            return Some(stream);
        }
    }
    None
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    // However it ended, the other side hears that nothing more comes.
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
