//! Load in a closed loop: each connection sends its next request when the last one is answered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::server::Server;

/// How much of it there is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    /// As many requests as fit into so long.
    For(Duration),
    /// So many requests.
    Count(u64),
}

/// What a load met.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    count: u64,
    took: Duration,
    /// CPU time of the simulator meanwhile.
    cpu: Duration,
    /// One wall time a request, sorted.
    times: Vec<Duration>,
}

impl Load {
    /// Requests a second by the wall clock.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn rate(&self) -> f64 {
        self.count as f64 / self.took.as_secs_f64()
    }

    /// CPU time of the simulator for one request, in microseconds.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.count as f64
    }

    /// How much of one core the simulator had.
    pub(crate) fn cpu_share(&self) -> f64 {
        self.cpu.as_secs_f64() / self.took.as_secs_f64()
    }

    pub(crate) fn took(&self) -> Duration {
        self.took
    }

    /// The time within which so many of a hundred requests were answered, in microseconds.
    pub(crate) fn within(&self, percent: usize) -> f64 {
        let last = self.times.len().saturating_sub(1);
        self.times.get(last * percent / 100).map_or(f64::NAN, |it| it.as_secs_f64() * 1e6)
    }
}

/// Loads a server; `request` makes the bytes of the request of a number, or borrows them.
pub(crate) fn load<B: AsRef<[u8]>>(
    server: &Server,
    connections: usize,
    amount: Amount,
    request: &(impl Fn(u64) -> B + Sync),
) -> Load {
    let next = AtomicU64::new(0);
    let cpu = server.cpu();
    let started = Instant::now();
    let goes_on = |number: u64| match amount {
        Amount::For(span) => started.elapsed() < span,
        Amount::Count(count) => number < count,
    };
    let work = || {
        let mut client = Client::connect(server.address());
        let mut times = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if !goes_on(number) {
                return times;
            }
            let bytes = request(number);
            let sent = Instant::now();
            client.expect_ok(bytes.as_ref());
            times.push(sent.elapsed());
        }
    };
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|it| it.join().expect("a client ends")).collect()
    });
    let (took, cpu) = (started.elapsed(), server.cpu().saturating_sub(cpu));
    times.sort_unstable();
    Load { count: times.len() as u64, took, cpu, times }
}
