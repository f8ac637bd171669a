//! One look after the other, and a line for each thing that has changed between them.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};

use super::look::{Look, look};
use super::{Cure, Scope};
use crate::client::instant::Instant;
use crate::client::shape::{DriftState, Reference};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::printable;
use crate::session::Session;

/// How something stood: in which state, where, and as what it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stand {
    state: DriftState,
    place: String,
    label: String,
}

/// What was off, by reference.
type Stands = BTreeMap<String, Stand>;

/// Looks until somebody has seen enough, and says so or reads no more.
pub(super) async fn until_interrupted(
    session: &mut Session<'_>,
    scope: &Scope,
    cure: Cure,
    every: Duration,
) -> Result<Exit, Failure> {
    session.watches(Exit::Success);
    let label = format!("watching {}", scope.label());
    let mut before: Option<Stands> = None;
    session.printer.begin_watching(&label);
    loop {
        let seen = look(session, scope, cure).await?;
        session.watches(seen.exit());
        seen.warn_of_refusals(session);
        let stands = stands(&seen);
        for line in lines(before.as_ref(), &stands, &seen, scope) {
            session.printer.line(&format!("{} {line}", Instant::now()))?;
        }
        if session.printer.is_unread() {
            return Ok(seen.exit());
        }
        before = Some(stands);
        session.printer.moved(0, &seen.counts.told());
        tokio::time::sleep(every).await;
        session.refresh().await?;
    }
}

fn stands(seen: &Look) -> Stands {
    let stand = |reference: &Reference| {
        let drift = reference.drift.as_ref()?;
        let label = format!("{} `{}`", reference.resource_type(), reference.name);
        Some(Stand { state: drift.state, place: drift.values(), label })
    };
    let off = seen.off.iter();
    off.filter_map(|(_, it)| Some((it.id.to_ascii_lowercase(), stand(it)?))).collect()
}

/// What has changed since the look before; at the first one, what is off.
fn lines(before: Option<&Stands>, now: &Stands, seen: &Look, scope: &Scope) -> Vec<String> {
    let mut lines = Vec::new();
    if before.is_none() && seen.exit() == Exit::Success {
        lines.push(seen.table(scope, None));
    }
    let known = before.cloned().unwrap_or_default();
    for (id, stand) in now {
        // What cannot be told from the start is no news.
        let is_news = before.is_some() || stand.state != DriftState::Unknown;
        if is_news && known.get(id) != Some(stand) {
            lines.push(line(stand.state, stand));
        }
    }
    for (id, stand) in &known {
        if !now.contains_key(id) {
            lines.push(line(DriftState::InSync, stand));
        }
    }
    if seen.counts.repaired + seen.counts.recreated + seen.counts.pruned > 0 {
        lines.push(seen.counts.told());
    }
    lines
}

fn line(state: DriftState, stand: &Stand) -> String {
    let style = match state {
        DriftState::InSync => AnsiColor::Green.on_default(),
        DriftState::Drifted => AnsiColor::Yellow.on_default(),
        DriftState::Missing => AnsiColor::Red.on_default(),
        DriftState::Unknown => Style::new().dimmed(),
    };
    let place = match state {
        DriftState::InSync => String::new(),
        _ if stand.place.is_empty() => String::new(),
        _ => format!(": {}", printable(&stand.place)),
    };
    format!("{style}{}{style:#} {}{place}", state.as_str(), printable(&stand.label))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    fn off(all: &[(&str, DriftState, &str)]) -> Stands {
        let stand = |(name, state, place): &(&str, DriftState, &str)| {
            let label = format!("AWS.EC2/VPC `{name}`");
            ((*name).to_owned(), Stand { state: *state, place: (*place).to_owned(), label })
        };
        all.iter().map(stand).collect()
    }

    #[test]
    fn only_what_has_changed_is_told() {
        let scope = Scope::Group { name: "g".to_owned(), id: String::new() };
        let told = |before: Option<&Stands>, now: &Stands| {
            let lines = lines(before, now, &Look::default(), &scope);
            strip_str(&lines.join("\n")).to_string()
        };
        let first = off(&[("a", DriftState::Drifted, "/X"), ("b", DriftState::Missing, "")]);
        let unknown = off(&[("c", DriftState::Unknown, "not applied")]);
        assert_eq!(told(None, &unknown), "no resources in group `g`");
        assert_eq!(told(Some(&off(&[])), &unknown), "unknown AWS.EC2/VPC `c`: not applied");
        assert_eq!(
            told(Some(&off(&[])), &first),
            "drifted AWS.EC2/VPC `a`: /X\nmissing AWS.EC2/VPC `b`"
        );
        assert_eq!(told(Some(&first), &first), "");
        let next = off(&[("a", DriftState::Drifted, "/X, /Y")]);
        assert_eq!(
            told(Some(&first), &next),
            "drifted AWS.EC2/VPC `a`: /X, /Y\nin sync AWS.EC2/VPC `b`"
        );
    }
}
