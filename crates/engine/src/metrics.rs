//! What is counted: operations by kind and end, and calls of the cloud by kind and answer.

use std::time::Duration;

use hangar_plan::record::{CallClass, Calls};
use hangar_provider::ProviderError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::translate;

/// A call of the cloud.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct CallLabels {
    /// Which call.
    pub(crate) call: &'static str,
    /// `ok`, or the class of its error.
    pub(crate) outcome: &'static str,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct OperationLabels {
    /// What it was for.
    pub(crate) kind: &'static str,
    /// How it ended.
    pub(crate) outcome: &'static str,
}

/// What a call is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct ClassLabels {
    class: &'static str,
}

/// What an operation was for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct KindLabels {
    kind: &'static str,
}

/// Calls that an operation may cost, by the upper ends of the buckets.
const COSTS: [f64; 9] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 13.0, 21.0];

/// Seconds that a call may wait for its turn, by the upper ends of the buckets.
const WAITS: [f64; 8] = [0.01, 0.05, 0.2, 1.0, 5.0, 15.0, 60.0, 300.0];

/// The engine's own figures.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    pub(crate) calls: Family<CallLabels, Counter>,
    pub(crate) operations: Family<OperationLabels, Counter>,
    pub(crate) driven: Gauge,
    pub(crate) leases_lost: Counter,
    costs: Family<KindLabels, Histogram, fn() -> Histogram>,
    waiting: Family<ClassLabels, Gauge>,
    waits: Family<ClassLabels, Histogram, fn() -> Histogram>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            calls: Family::default(),
            operations: Family::default(),
            driven: Gauge::default(),
            leases_lost: Counter::default(),
            costs: Family::new_with_constructor(|| Histogram::new(COSTS)),
            waiting: Family::default(),
            waits: Family::new_with_constructor(|| Histogram::new(WAITS)),
        }
    }
}

/// A call that waits for its turn, while it does.
#[derive(Debug)]
pub(crate) struct CallWaits(Gauge);

impl Drop for CallWaits {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("hangar_aws_calls", "AWS calls by kind and result", self.calls.clone());
        registry.register(
            "hangar_operations_ended",
            "Ended operations by kind and outcome",
            self.operations.clone(),
        );
        registry.register(
            "hangar_operations_driven",
            "Operations that this server drives now",
            self.driven.clone(),
        );
        registry.register(
            "hangar_leases_lost",
            "Leases lost to another worker",
            self.leases_lost.clone(),
        );
        registry.register(
            "hangar_operation_aws_calls",
            "AWS calls per ended operation, by kind; shared list calls are not counted",
            self.costs.clone(),
        );
        registry.register(
            "hangar_aws_calls_waiting",
            "AWS calls that wait for the budget now, by class",
            self.waiting.clone(),
        );
        registry.register(
            "hangar_aws_call_wait_seconds",
            "Time that AWS calls waited for the budget, by class",
            self.waits.clone(),
        );
    }

    /// Counts what an operation cost.
    pub(crate) fn cost(&self, kind: &'static str, calls: Calls) {
        self.costs.get_or_create(&KindLabels { kind }).observe(f64::from(calls.total()));
    }

    /// Counts a call as waiting until what is given is dropped.
    pub(crate) fn waits(&self, class: CallClass) -> CallWaits {
        let gauge = self.waiting.get_or_create(&ClassLabels { class: class.as_str() }).clone();
        gauge.inc();
        CallWaits(gauge)
    }

    /// Counts how long a call waited.
    pub(crate) fn waited(&self, class: CallClass, span: Duration) {
        let labels = ClassLabels { class: class.as_str() };
        self.waits.get_or_create(&labels).observe(span.as_secs_f64());
    }

    /// Counts a call by its answer.
    pub(crate) fn answered<T>(&self, call: &'static str, answer: &Result<T, ProviderError>) {
        let outcome =
            answer.as_ref().map_or_else(|error| translate::class_word(error.class), |_| "ok");
        self.calls.get_or_create(&CallLabels { call, outcome }).inc();
    }
}
