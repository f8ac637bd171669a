//! How much a server takes on at once; what is more is turned away, so that what is taken is answered soon.

use std::time::Duration;

/// How much a server takes on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections. A few more are taken only to be told to come back.
    pub connections: usize,
    /// Reads of the store; fewer while it is slow.
    pub reads: usize,
    /// Reads of the cloud.
    pub looks: usize,
    /// Writes, until they are accepted or refused; fewer while the store is slow.
    pub writes: usize,
    /// Accepted writes whose callers wait for the end; the others are answered at once.
    pub waits: usize,
    /// Streams of events.
    pub streams: usize,
    /// Bodies that are being received or worked on, in bytes together.
    pub body_bytes: usize,
    /// How long a request may wait for its turn.
    pub turn_within: Duration,
}

impl Default for Limits {
    /// For a process that may open as many files as it likes.
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

impl Limits {
    /// As much as this process may open files for.
    pub fn of_process() -> Self {
        let told = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        Self::within(open_files(&told).unwrap_or(FEWEST_FILES))
    }

    /// As much as fits with so many open files: each connection is one, and the rest of the process needs some.
    fn within(files: usize) -> Self {
        let connections = (files.saturating_sub(OTHER_FILES) / 4 * 3).clamp(32, MOST_CONNECTIONS);
        // Who waits and who listens keeps a connection for long: there must be some for others.
        let long = (connections / 3).min(1024);
        Self {
            connections,
            reads: 256,
            looks: 256,
            writes: 128,
            waits: long,
            streams: long,
            body_bytes: 64 << 20,
            turn_within: Duration::from_millis(250),
        }
    }
}

const MOST_CONNECTIONS: usize = 4096;

/// What the store, the calls of the cloud and the process itself open.
const OTHER_FILES: usize = 128;

/// What systems that do not say let a process open at least.
const FEWEST_FILES: usize = 256;

/// The soft limit in what Linux says of a process.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_fit_into_what_a_process_may_open_and_leave_room() {
        let told = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max processes             94205                94205                processes \n\
                    Max open files            1024                 524288               files     \n";
        assert_eq!(open_files(told), Some(1024));
        assert_eq!(open_files(&told.replace("1024", "unlimited")), Some(usize::MAX));
        assert_eq!(open_files(""), None);
        for files in [0, 256, 1024, 4096, 20_000, usize::MAX] {
            let limits = Limits::within(files);
            assert!(limits.connections <= files.max(32) && limits.connections <= MOST_CONNECTIONS);
            assert!(limits.waits + limits.streams < limits.connections, "{limits:?}");
        }
        assert_eq!(Limits::within(1024).connections, 672);
        assert_eq!(Limits::default().streams, 1024);
    }
}
