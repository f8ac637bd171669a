//! Whether a document of properties is one that AWS would take, as far as its schema tells.
//!
//! Above all: never refuse a document that AWS accepts. An error is what the schema proves; all
//! that it only makes likely is a warning. `structure` looks at names, `check` at values. The proof
//! is no newer than the schema: AWS may since have added a property or a value.

mod access;
mod check;
mod format;
mod holes;
mod locate;
mod message;
mod patterns;
mod place;
mod reach;
mod reading;
mod structure;

use std::collections::HashSet;

use hangar_diag::{Diagnostic, Severity};
use serde_json::Value;

pub use holes::Holes;
pub use locate::locate;
use patterns::Patterns;
use place::Path;
pub(crate) use place::Place;
pub use reading::{Reading, reading};

use crate::finding::{Basis, Finding, Problem, Suggestion};
use crate::kind::{Kind, Kinds};
use crate::type_schema::TypeSchema;

/// What a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// What a caller asks for: a read-only value in it is a mistake.
    Desired,
    /// What a caller asks for with live values merged in: read-only values are allowed, and what
    /// a read never returns may be absent.
    Merged,
}

/// Checks a document against the schema of its type, in the order of the document.
///
/// A null member counts as not stated. Each diagnostic has the JSON pointer of the value it speaks
/// of, or of the object that lacks something. Total: no document and no schema makes it panic.
///
/// ```
/// use hangar_schema::{Catalog, Purpose, validate};
/// use serde_json::json;
///
/// let schema = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let document = json!({"CidrBlok": "10.0.0.0/16", "VpcId": "vpc-1"});
/// let found = validate(&schema, &document, Purpose::Desired);
/// let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
/// assert_eq!(lines, [
///     "error[SCHEMA0101]: the property `CidrBlok` does not exist in the schema",
///     "error[SCHEMA0102]: `VpcId` is read-only: AWS sets it",
/// ]);
/// assert_eq!(found[0].hints, ["did you mean `CidrBlock`?"]);
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn validate(schema: &TypeSchema, document: &Value, purpose: Purpose) -> Vec<Diagnostic> {
    let found = findings(schema, document, purpose, Holes::NONE);
    let mut diagnostics: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for finding in found {
        let diagnostic = message::diagnostic(&finding);
        let mut here =
            diagnostics.iter().rev().take_while(|last| last.pointer == diagnostic.pointer);
        if !here.any(|said| *said == diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// The same as data, for a document of which parts may not be known yet. Where alternatives overlap,
/// one thing may be found twice.
///
/// Nothing is found because of a part that is not known; its name is looked at.
pub fn findings<'a>(
    schema: &'a TypeSchema,
    document: &'a Value,
    purpose: Purpose,
    holes: Holes<'_>,
) -> Vec<Finding<'a>> {
    if holes.has(document) {
        return Vec::new();
    }
    if !document.is_object() {
        let expected = Kinds::UNSTATED.with(Kind::Object);
        let problem = Problem::WrongType { expected, found: document };
        let place = Path::ROOT.place();
        return vec![Finding { place, severity: Severity::Error, problem, basis: Basis::Schema }];
    }
    let patterns = Patterns(&schema.patterns);
    let mut found = structure::check(schema, purpose, &patterns, document);
    found.extend(check::check(schema, purpose, &patterns, holes, document));
    once_each(found)
}

/// As deep as a document is looked into.
const MAX_DEPTH: usize = 128;

/// One mistake, one finding: in the order of the document, without what follows from another.
fn once_each(mut found: Vec<Finding<'_>>) -> Vec<Finding<'_>> {
    drop_misspelled(&mut found);
    found.sort_by(|a, b| (&a.place, rank(&a.problem)).cmp(&(&b.place, rank(&b.problem))));
    let mut kept: Vec<Finding<'_>> = Vec::with_capacity(found.len());
    let mut hiding: Option<usize> = None;
    for finding in found {
        let is_hidden = hiding.is_some_and(|at| finding.place.is_at_or_below(&kept[at].place));
        if is_hidden {
            continue;
        }
        if rank(&finding.problem) == Rank::Hiding {
            hiding = Some(kept.len());
        }
        kept.push(finding);
    }
    kept
}

/// A required member that is there under a misspelled name is not also missing.
fn drop_misspelled(found: &mut Vec<Finding<'_>>) {
    let mut misspelled = HashSet::new();
    for finding in &*found {
        if let Problem::Unknown { suggestion: Suggestion::Near(meant), .. } = finding.problem {
            misspelled.insert((finding.place.order_of_holder().to_vec(), meant));
        }
    }
    found.retain(|finding| match finding.problem {
        Problem::Missing { name } => {
            misspelled.is_empty() || !misspelled.contains(&(finding.place.order().to_vec(), name))
        }
        _ => true,
    });
}

/// What is said first of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Says that the value should not be there at all, so that the rest does not matter.
    Hiding,
    Plain,
}

fn rank(problem: &Problem<'_>) -> Rank {
    match problem {
        Problem::Unknown { .. } | Problem::ReadOnly | Problem::WrongType { .. } => Rank::Hiding,
        _ => Rank::Plain,
    }
}
