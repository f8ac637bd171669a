//! A way to the server that can be cut at a chosen moment.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// When the way is cut, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The server never hears the commit.
    BeforeCommit,
    /// The server has committed, and its answer is lost.
    AfterCommit,
    /// The server hears the commit, and both ways are cut at once.
    WithCommit,
    /// As after the commit, and nobody gets through any more.
    AfterCommitAndStay,
}

#[derive(Default)]
struct Plan {
    cut: Mutex<Option<Cut>>,
    refuse: AtomicBool,
    /// How often the way was cut.
    cuts: AtomicUsize,
}

pub(super) struct Proxy {
    pub(super) port: u16,
    plan: Arc<Plan>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(super) async fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let plan = Arc::new(Plan::default());
        let own = Arc::clone(&plan);
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                if !own.refuse.load(Ordering::SeqCst) {
                    tokio::spawn(carry(client, server, Arc::clone(&own)));
                }
            }
        });
        Self { port, plan, task }
    }

    /// Cuts the way of the next commit.
    pub(super) fn cut_next(&self, cut: Cut) {
        *self.plan.cut.lock().unwrap() = Some(cut);
    }

    /// Lets everybody through again.
    pub(super) fn mend(&self) {
        self.plan.refuse.store(false, Ordering::SeqCst);
    }

    pub(super) fn cuts(&self) -> usize {
        self.plan.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(client: TcpStream, server: u16, plan: Arc<Plan>) {
    let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let mute = Arc::new(AtomicBool::new(false));
    let muted = Arc::clone(&mute);
    // Where it is muted, the client's way is closed when the server has nothing more to say.
    let back = tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
            let lost = muted.load(Ordering::SeqCst);
            if !lost && to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from_client.read(&mut buffer).await {
        let sent = &buffer[..read];
        let commits = sent.windows(6).any(|word| word == b"COMMIT");
        let cut = if commits { plan.cut.lock().unwrap().take() } else { None };
        if let Some(cut) = cut {
            mute.store(true, Ordering::SeqCst);
            plan.cuts.fetch_add(1, Ordering::SeqCst);
            plan.refuse.store(cut == Cut::AfterCommitAndStay, Ordering::SeqCst);
            if cut != Cut::BeforeCommit {
                to_server.write_all(sent).await.unwrap();
            }
            if matches!(cut, Cut::BeforeCommit | Cut::WithCommit) {
                back.abort();
                return;
            }
            break;
        }
        if to_server.write_all(sent).await.is_err() {
            break;
        }
    }
    // The server does what it was sent, and then sees that nobody is there.
    let _ = to_server.shutdown().await;
    let _ = back.await;
}
