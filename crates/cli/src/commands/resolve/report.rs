//! What is told of a resolution: for people, and as one JSON document for programs.

use std::fmt::Write as _;
use std::path::PathBuf;

use hangar_manifest::resolve::{self, Draft, Known, Link, Secrecy, Use};
use serde::Serialize;
use serde_json::Value;

use crate::render::counted;
use crate::resolve::manifests::Manifests;
use crate::resolve::types::CatalogTypes;
use crate::resolve::whole::Whole;

/// What is shown in the place of a secret.
const HIDDEN: &str = "«secret»";

/// The whole of what was done.
#[derive(Debug, Serialize)]
pub(crate) struct Resolution<'a> {
    manifests: Vec<Written<'a>>,
    references: Vec<Told<'a>>,
    moved: Vec<MovedValue<'a>>,
}

#[derive(Debug, Serialize)]
struct Written<'a> {
    file: Option<&'a str>,
    text: &'a str,
    changes: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    object: &'a str,
    pointer: &'a str,
    reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
    is_secret: bool,
    steps: Vec<ToldLink<'a>>,
}

#[derive(Debug, Serialize)]
struct ToldLink<'a> {
    step: &'a str,
    found: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct MovedValue<'a> {
    reference: &'a str,
    from: &'a Value,
    to: &'a Value,
}

impl<'a> Resolution<'a> {
    pub(crate) fn of(manifests: &'a Manifests, whole: &'a Whole<'_>) -> Self {
        let Whole { drafts, texts, uses, moved } = whole;
        let all = manifests.all().iter().zip(texts).zip(drafts);
        let manifests = all.map(|((manifest, text), draft)| Written {
            file: manifest.source.name.as_deref(),
            text,
            changes: draft.changes(),
        });
        let moved = moved.iter().map(|it| MovedValue {
            reference: &it.reference,
            from: &it.from,
            to: &it.to,
        });
        Self {
            manifests: manifests.collect(),
            references: uses.iter().map(Told::of).collect(),
            moved: moved.collect(),
        }
    }
}

impl<'a> Told<'a> {
    fn of(used: &'a Use) -> Self {
        let is_secret = used.secrecy != Secrecy::Open;
        let step = |link: &'a Link| ToldLink {
            step: link.step,
            found: &link.found,
            permission: link.permission.as_deref(),
        };
        Self {
            object: &used.object,
            pointer: &used.pointer,
            reference: &used.reference,
            expression: used.expression.as_deref(),
            value: (!is_secret).then_some(&used.value),
            is_secret,
            steps: used.links.iter().map(step).collect(),
        }
    }
}

/// Every reference with the steps to its value.
pub(super) fn explained(uses: &[Use]) -> String {
    if uses.is_empty() {
        return "no references".to_owned();
    }
    let mut text = String::new();
    for used in uses {
        let _ = writeln!(text, "{}, {}", used.object, used.pointer);
        let _ = writeln!(text, "  {}", used.reference);
        if let Some(expression) = &used.expression {
            let _ = writeln!(text, "  = {expression}");
        }
        for link in &used.links {
            let permission = match &link.permission {
                Some(permission) => format!("  [{permission}]"),
                None => String::new(),
            };
            let _ = writeln!(text, "    {:<10} {}{permission}", link.step, link.found);
        }
        let value = match &used.secrecy {
            Secrecy::Open => used.value.to_string(),
            Secrecy::Secret(why) => format!("{HIDDEN} ({why})"),
        };
        let _ = writeln!(text, "    {:<10} {value}\n", "value");
    }
    text.truncate(text.trim_end().len());
    text
}

/// What was written where.
pub(crate) fn written(paths: &[PathBuf], drafts: &[Draft<'_>], references: usize) -> String {
    let mut text = String::new();
    for (path, draft) in paths.iter().zip(drafts) {
        let _ = writeln!(text, "{} ({})", path.display(), counted(draft.changes(), "value"));
    }
    let (files, references) = (counted(paths.len(), "file"), counted(references, "reference"));
    let _ = write!(text, "{files}, {references}");
    text
}

/// The policy for what was asked.
pub(super) fn policy(known: &Known) -> Value {
    resolve::policy(known, &CatalogTypes::bundled())
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
