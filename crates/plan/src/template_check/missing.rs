//! All that an object lacks, as one problem.

use hangar_diag::Severity;
use hangar_schema::finding::{Basis, Choice, Finding, Problem};
use hangar_schema::{PropertyPointer, Step, TypeSchema};

use super::codes;
use super::subject::{Aspect, Subject};
use super::words::{Words, grouped, listed, named, wanted};

/// What one object lacks, and how surely.
pub(super) struct Missing<'a> {
    pub(super) pointer: &'a str,
    pub(super) severity: Severity,
    names: Vec<&'a str>,
    /// Of each of these some is wanted.
    choices: Vec<(Choice, String)>,
}

/// Takes out of what was found all that only says what is missing, gathered by object.
pub(super) fn gathered<'a>(found: &'a [Finding<'a>]) -> Vec<Missing<'a>> {
    let mut gathered: Vec<Missing<'a>> = Vec::new();
    for finding in found.iter().filter(|finding| is_missing(finding)) {
        let of_same =
            |it: &Missing<'_>| it.pointer == finding.pointer() && it.severity == finding.severity;
        let at = gathered.iter().position(of_same).unwrap_or_else(|| {
            let (pointer, severity) = (finding.pointer(), finding.severity);
            gathered.push(Missing { pointer, severity, names: Vec::new(), choices: Vec::new() });
            gathered.len() - 1
        });
        let missing = &mut gathered[at];
        match &finding.problem {
            Problem::Missing { name } if !missing.names.contains(name) => missing.names.push(name),
            Problem::NoAlternative { groups, choice, .. } => {
                let choice = (*choice, grouped(groups));
                if !missing.choices.contains(&choice) {
                    missing.choices.push(choice);
                }
            }
            _ => {}
        }
    }
    gathered
}

/// Whether a finding says only that something is missing.
pub(super) fn is_missing(finding: &Finding<'_>) -> bool {
    match &finding.problem {
        Problem::Missing { .. } => true,
        Problem::NoAlternative { stated, .. } => stated.is_empty(),
        _ => false,
    }
}

impl Missing<'_> {
    pub(super) fn words(&self, type_name: &str, subject: &Subject, schema: &TypeSchema) -> Words {
        let mut lacks = Vec::new();
        let mut hints = Vec::new();
        if !self.names.is_empty() {
            let word = if self.names.len() == 1 { "property" } else { "properties" };
            let names = listed(self.names.iter().map(|name| format!("`{name}`")), "and");
            lacks.push(format!("the required {word} {names}"));
            let typed = self.names.iter().map(|name| typed(schema, subject, name));
            hints.push(format!("add {}", listed(typed, "and")));
        }
        for (choice, groups) in &self.choices {
            lacks.push(format!("one of {groups}"));
            hints.push(match choice {
                Choice::ExactlyOne => format!("add exactly one of {groups}"),
                Choice::AtLeastOne => format!("add at least one of {groups}"),
            });
        }
        Words {
            code: codes::MISSING,
            aspect: Aspect::Lack,
            message: format!("{} lacks {}", named(type_name, subject), lacks.join(" and ")),
            label: "in this object",
            hints,
            basis: Basis::Schema,
        }
    }
}

/// A member with its type: `` `VpcId` (a string) ``.
fn typed(schema: &TypeSchema, holder: &Subject, name: &str) -> String {
    let own = Step::Member(name.into());
    let pointer: PropertyPointer = holder.property.steps().iter().cloned().chain([own]).collect();
    let kinds = schema.kinds_at(&pointer);
    if kinds.is_unstated() { format!("`{name}`") } else { format!("`{name}` ({})", wanted(kinds)) }
}
