//! How the simulator behaves where AWS leaves room, or where a person wants to see something else.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::habits::added::AddedHabits;
use super::time::{SpanRange, SpanRangeError, parse_span, print_span};

/// What becomes of an update whose patch is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyPatch {
    /// It stays PENDING for ever, as users of AWS report.
    Hangs,
    /// It ends like any other.
    Succeeds,
}

/// In which order arrays come back whose order means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrayOrder {
    /// In another one than they were sent.
    Shuffled,
    /// As they were sent.
    Kept,
}

/// How a read differs from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// As AWS's services change it: defaults, order, spelling, added elements.
    Aws,
    /// As written, with the defaults and the letter case that the schema states.
    Plain,
}

/// What a list says of each resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListDetail {
    /// The properties of the identifier: all that AWS promises.
    Identifiers,
    /// Everything that a read returns.
    Full,
}

/// How the simulator behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What all that looks random is made from.
    pub seed: u64,
    /// How long a write takes.
    pub latency: SpanRange,
    /// How long after its end a write is not seen by reads.
    pub read_delay: Duration,
    /// Calls per second of one account and region; none for no limit.
    pub rate: Option<u32>,
    /// How many resources a page of a list holds.
    pub page_size: u16,
    /// What becomes of an empty patch.
    pub empty_patch: EmptyPatch,
    /// In which order unordered arrays come back.
    pub array_order: ArrayOrder,
    /// How a read differs from what was written.
    pub fidelity: Fidelity,
    /// Habits beside those that are known of AWS's services.
    pub habits: AddedHabits,
    /// What a list says of each resource.
    pub list_detail: ListDetail,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            latency: SpanRange { least: Duration::from_millis(200), most: Duration::from_secs(1) },
            read_delay: Duration::ZERO,
            rate: None,
            page_size: 100,
            empty_patch: EmptyPatch::Hangs,
            array_order: ArrayOrder::Shuffled,
            fidelity: Fidelity::Aws,
            habits: AddedHabits::default(),
            list_detail: ListDetail::Identifiers,
        }
    }
}

/// The settings as the control API shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    seed: u64,
    latency: String,
    read_delay: String,
    rate: Option<u32>,
    page_size: u16,
    empty_patch: EmptyPatch,
    array_order: ArrayOrder,
    fidelity: Fidelity,
    list_detail: ListDetail,
}

impl From<&Settings> for SettingsView {
    fn from(settings: &Settings) -> Self {
        Self {
            seed: settings.seed,
            latency: settings.latency.to_string(),
            read_delay: print_span(settings.read_delay),
            rate: settings.rate,
            page_size: settings.page_size,
            empty_patch: settings.empty_patch,
            array_order: settings.array_order,
            fidelity: settings.fidelity,
            list_detail: settings.list_detail,
        }
    }
}

/// Settings to change; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsChange {
    seed: Option<u64>,
    latency: Option<String>,
    read_delay: Option<String>,
    /// Calls per second; 0 or null for no limit.
    #[serde(default, deserialize_with = "some_rate")]
    rate: Option<u32>,
    page_size: Option<u16>,
    empty_patch: Option<EmptyPatch>,
    array_order: Option<ArrayOrder>,
    fidelity: Option<Fidelity>,
    list_detail: Option<ListDetail>,
}

/// A rate that is given as null is given.
fn some_rate<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Ok(Some(Option::<u32>::deserialize(deserializer)?.unwrap_or(0)))
}

impl SettingsChange {
    /// The settings after the change, or what is wrong with it; then nothing changes.
    pub fn apply(&self, settings: &Settings) -> Result<Settings, String> {
        let span = |text: &String| parse_span(text).map_err(|error| error.to_string());
        let mut changed = settings.clone();
        changed.seed = self.seed.unwrap_or(settings.seed);
        if let Some(latency) = &self.latency {
            changed.latency = latency.parse().map_err(|error: SpanRangeError| error.to_string())?;
        }
        if let Some(delay) = &self.read_delay {
            changed.read_delay = span(delay)?;
        }
        if let Some(rate) = self.rate {
            changed.rate = Some(rate).filter(|rate| *rate > 0);
        }
        if let Some(size) = self.page_size {
            if !(1..=1000).contains(&size) {
                return Err(format!("{size} is not a page size: use 1 to 1000"));
            }
            changed.page_size = size;
        }
        changed.empty_patch = self.empty_patch.unwrap_or(settings.empty_patch);
        changed.array_order = self.array_order.unwrap_or(settings.array_order);
        changed.fidelity = self.fidelity.unwrap_or(settings.fidelity);
        changed.list_detail = self.list_detail.unwrap_or(settings.list_detail);
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_applied_whole_or_not_at_all() {
        let settings = Settings::default();
        let change: SettingsChange =
            serde_json::from_str(r#"{"latency": "0..0", "rate": 25, "emptyPatch": "succeeds"}"#)
                .unwrap();
        let changed = change.apply(&settings).unwrap();
        assert_eq!(changed.latency.to_string(), "0s..0s");
        assert_eq!((changed.rate, changed.empty_patch), (Some(25), EmptyPatch::Succeeds));
        assert_eq!(changed.page_size, settings.page_size);
        let unlimited: SettingsChange = serde_json::from_str(r#"{"rate": null}"#).unwrap();
        assert_eq!(unlimited.apply(&changed).unwrap().rate, None);
        for wrong in [r#"{"latency": "soon"}"#, r#"{"readDelay": "1"}"#, r#"{"pageSize": 0}"#] {
            let change: SettingsChange = serde_json::from_str(wrong).unwrap();
            assert!(change.apply(&settings).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<SettingsChange>(r#"{"latencies": "1s"}"#).is_err());
    }
}
