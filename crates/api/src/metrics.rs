//! What is counted, and how it is told: all of the server's own metrics are declared here.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hangar_store::Counts;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Both labels are of bounded size: the routes are a list, and statuses are few.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Taken {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Shed {
    kind: &'static str,
}

/// Everything that `/metrics` tells.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<Taken, Histogram>,
    shed: Family<Shed, Counter>,
    streams: Gauge,
    rows: Rows,
}

/// What the store holds, as it was when it was last asked.
#[derive(Debug, Default)]
struct Rows {
    groups: Gauge,
    references: Gauge,
    unknown: Gauge,
    running: Gauge,
    leased: Gauge,
    overdue: Gauge<f64, AtomicU64>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// Adds the server's own to what others have registered.
    pub(crate) fn new(mut registry: Registry) -> Self {
        let requests = Family::default();
        let durations = Family::new_with_constructor(histogram as fn() -> Histogram);
        let rows = Rows::default();
        registry.register("hangar_requests", "Answered requests", requests.clone());
        registry.register_with_unit(
            "hangar_request_duration",
            "Time from the head of a request to its response",
            Unit::Seconds,
            durations.clone(),
        );
        let shed = Family::default();
        registry.register(
            "hangar_requests_shed",
            "Requests rejected because the server was busy",
            shed.clone(),
        );
        let streams = Gauge::default();
        registry.register("hangar_event_streams", "Open event streams", streams.clone());
        let gauges = [
            ("hangar_groups", "Resource groups", &rows.groups),
            ("hangar_references", "References", &rows.references),
            ("hangar_references_unknown", "References in state unknown", &rows.unknown),
            ("hangar_operations_running", "Operations that have not ended", &rows.running),
            ("hangar_leases", "Held leases", &rows.leased),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        registry.register_with_unit(
            "hangar_operations_overdue",
            "Time that the most overdue operation has waited for a worker",
            Unit::Seconds,
            rows.overdue.clone(),
        );
        Self { registry, requests, durations, shed, streams, rows }
    }

    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Answered { route, status }).inc();
        self.durations.get_or_create(&Taken { route }).observe(took.as_secs_f64());
    }

    /// Counts a request that was turned away.
    pub(crate) fn shed(&self, kind: &'static str) {
        self.shed.get_or_create(&Shed { kind }).inc();
    }

    /// Notes how many streams of events there are.
    pub(crate) fn streaming(&self, streams: usize) {
        self.streams.set(i64::try_from(streams).unwrap_or(i64::MAX));
    }

    /// Notes what the store holds.
    pub(crate) fn counted(&self, counts: &Counts) {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.rows.groups.set(whole(counts.groups));
        self.rows.references.set(whole(counts.references));
        self.rows.unknown.set(whole(counts.unknown));
        self.rows.running.set(whole(counts.running));
        self.rows.leased.set(whole(counts.leased));
        self.rows.overdue.set(counts.overdue_for.as_secs_f64());
    }

    /// All of it as `OpenMetrics` text.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn histogram() -> Histogram {
    // From a millisecond to half a minute, the longest that a write waits.
    Histogram::new(exponential_buckets(0.001, 2.0, 16))
}

/// The media type of [`Metrics::text`].
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_rows_are_told() {
        let metrics = Metrics::new(Registry::default());
        metrics.answered("group.show", 200, Duration::from_millis(3));
        metrics.counted(&Counts {
            groups: 2,
            overdue_for: Duration::from_millis(1500),
            ..Counts::default()
        });
        metrics.shed("read");
        metrics.streaming(3);
        let text = metrics.text().unwrap();
        for line in [
            "hangar_requests_total{route=\"group.show\",status=\"200\"} 1",
            "hangar_request_duration_seconds_count{route=\"group.show\"} 1",
            "hangar_groups 2",
            "hangar_requests_shed_total{kind=\"read\"} 1",
            "hangar_event_streams 3",
            "hangar_operations_overdue_seconds 1.5",
        ] {
            assert!(text.contains(line), "{line} is not in:\n{text}");
        }
    }
}
