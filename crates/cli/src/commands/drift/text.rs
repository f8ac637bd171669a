//! Drifted resources in words: a line for each, and below it a line for each value, applied → live.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use console::measure_text_width;

use crate::client::deployment::{Action, Changed};
use crate::client::shape::{Difference, DriftState, Reference};
use crate::commands::plan::text::{View, write_property};
use crate::render::line::ResourceLine;
use crate::render::printable;

/// The resources, under a line that says which value is which.
pub(super) fn resources(references: &[&Reference], width: Option<usize>) -> String {
    let view = View { width, all: true, file: &str::to_owned };
    let mut text = String::new();
    if references.iter().any(|reference| has_values(reference)) {
        text.push_str("changed outside Hangar (applied → live):\n");
    }
    for reference in references {
        headline(&mut text, reference, width);
        let Some(drift) = &reference.drift else { continue };
        for difference in &drift.differences {
            write_property(&mut text, &changed(difference), Action::Update, view);
        }
        if drift.differences.is_empty() {
            for path in &drift.paths {
                let _ = writeln!(text, "      ~ {}", printable(path));
            }
        }
    }
    text
}

fn has_values(reference: &Reference) -> bool {
    reference.drift.as_ref().is_some_and(|drift| !drift.differences.is_empty())
}

fn headline(text: &mut String, reference: &Reference, width: Option<usize>) {
    let drift = reference.drift.as_ref();
    let state = drift.map_or(DriftState::Unknown, |drift| drift.state);
    let (sign, style) = match state {
        DriftState::Missing => ("-", AnsiColor::Red.on_default()),
        DriftState::Drifted => ("~", AnsiColor::Yellow.on_default()),
        DriftState::InSync | DriftState::Unknown => ("?", Style::new().dimmed()),
    };
    let reason = drift.and_then(|drift| drift.reason.as_deref());
    let reason = reason.or((state == DriftState::Missing).then_some("deleted outside Hangar"));
    let reason = reason.map(|reason| format!(": {}", printable(reason))).unwrap_or_default();
    let resource = ResourceLine {
        name: &reference.name,
        type_name: reference.resource_type(),
        word: state.as_str(),
        identifier: Some(reference.identifier().unwrap_or("-")),
    };
    let room = width.map(|width| width.saturating_sub(4 + measure_text_width(&reason)));
    let _ = writeln!(text, "{style}{sign:<3}{style:#} {}{reason}", resource.text(room));
}

/// As a plan shows a property: the applied value first.
fn changed(difference: &Difference) -> Changed {
    let Difference { path, keyed, applied, live, secret } = difference.clone();
    Changed { path, keyed, before: applied, after: live, secret, ..Changed::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_values_of_each_path_are_shown_and_no_secret_is() {
        let reference = |name: &str, drift: serde_json::Value| -> Reference {
            serde_json::from_value(
                json!({"id": "/x", "name": name, "type": "AWS.SQS/Queue:reference",
                "mapsTo": {"primaryIdentifier": format!("https://sqs/{name}")}, "drift": drift}),
            )
            .unwrap()
        };
        let changed = reference(
            "q",
            json!({"state": "Drifted", "paths": ["/VisibilityTimeout"], "differences": [
                {"path": "/VisibilityTimeout", "applied": 120, "live": 5},
                {"path": "/Tags/0", "keyed": "/Tags/[Key=env]", "live": {"Key": "env", "Value": "x"}},
                {"path": "/DelaySeconds", "applied": 3},
                {"path": "/KmsMasterKeyId", "secret": true}]}),
        );
        let gone = reference("logs", json!({"state": "Missing", "paths": []}));
        let text = resources(&[&changed, &gone], None);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text), @r#"
        changed outside Hangar (applied → live):
        ~   q  AWS.SQS/Queue  drifted  https://sqs/q
              ~ /VisibilityTimeout: 120 → 5
              + /Tags/[Key=env]: {"Key":"env","Value":"x"}
              - /DelaySeconds: 3
              ~ /KmsMasterKeyId: «secret»
        -   logs  AWS.SQS/Queue  missing  https://sqs/logs: deleted outside Hangar
        "#);
    }
}
