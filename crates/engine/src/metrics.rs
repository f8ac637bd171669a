//! What is counted: operations by kind and end, and calls of the cloud by kind and answer.

use hangar_provider::ProviderError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
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

/// The engine's own figures.
#[derive(Debug, Clone, Default)]
pub(crate) struct Metrics {
    pub(crate) calls: Family<CallLabels, Counter>,
    pub(crate) operations: Family<OperationLabels, Counter>,
    pub(crate) driven: Gauge,
    pub(crate) leases_lost: Counter,
}

impl Metrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "hangar_aws_calls",
            "Calls of AWS by kind and answer",
            self.calls.clone(),
        );
        registry.register(
            "hangar_operations_ended",
            "Operations that ended, by kind and outcome",
            self.operations.clone(),
        );
        registry.register(
            "hangar_operations_driven",
            "Operations a worker holds now",
            self.driven.clone(),
        );
        registry.register(
            "hangar_leases_lost",
            "Leases lost to another worker",
            self.leases_lost.clone(),
        );
    }

    /// Counts a call by its answer.
    pub(crate) fn answered<T>(&self, call: &'static str, answer: &Result<T, ProviderError>) {
        let outcome =
            answer.as_ref().map_or_else(|error| translate::class_word(error.class), |_| "ok");
        self.calls.get_or_create(&CallLabels { call, outcome }).inc();
    }
}
