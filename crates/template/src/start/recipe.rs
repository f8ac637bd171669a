//! Recipes before anything runs: what they state, and what is read of them.

use hangar_diag::{Diagnostic, Span};

use super::Start;
use super::instances::waits_for;
use crate::codes;
use crate::deployment::{Body, Node, NodeKind, Read, Target};
use crate::near::near;
use crate::recipe::Recipe;
use crate::source::Problem;
use crate::value::Data;

/// What the properties of a recipe tell.
const PROPERTIES: [&str; 6] =
    ["source", "version", "parameters", "secretParameters", "provisioningState", "status"];

/// What its status tells.
const STATUS: [&str; 5] = ["values", "outputResources", "secrets", "warnings", "tool"];

impl Start<'_> {
    /// What is wrong with the body of a recipe; nothing of other nodes.
    pub(super) fn recipe(&self, node: &Node, body: &Body) -> Vec<Problem> {
        if node.kind != NodeKind::Recipe || !matches!(node.target, Target::Managed { .. }) {
            return Vec::new();
        }
        let source = match &body.properties.data {
            Data::Object(members) => members.get("source"),
            _ => Some(&body.properties),
        };
        if let Some((address, pointer)) = source.and_then(waits_for) {
            let pointer_of_source =
                if matches!(body.properties.data, Data::Object(_)) { "/source" } else { "" };
            let written = body.places.get(pointer_of_source);
            let span = written.map_or(node.place.span, |it| it.value.span);
            let told = self.not_known::<()>(codes::NOT_KNOWN_AT_START, span, address, pointer);
            return told.err().unwrap_or_default();
        }
        Recipe::of(body, &node.place).err().unwrap_or_default()
    }
}

/// Names that no recipe has, in what is read of recipes.
pub(super) fn wrong_reads(nodes: &[Node], reads: &[Read]) -> Vec<Problem> {
    let is_recipe =
        |read: &&Read| nodes.get(read.node).is_some_and(|node| node.kind == NodeKind::Recipe);
    reads.iter().filter(is_recipe).filter_map(wrong_read).collect()
}

fn wrong_read(read: &Read) -> Option<Problem> {
    let mut names = read.path.iter().map(|name| &**name);
    let (step, known): (usize, &[&str]) = match (names.next()?, names.next()) {
        ("status", Some(name)) if !STATUS.contains(&name) => (1, &STATUS),
        (name, _) if !PROPERTIES.contains(&name) => (0, &PROPERTIES),
        _ => return None,
    };
    let name = &read.path[step];
    let holder = if step == 0 { "a recipe" } else { "the status of a recipe" };
    let message = format!("the property `{name}` does not exist on {holder}");
    let (code, hint) = if let Some(near) = near(name, known.iter().copied()) {
        (codes::NO_SUCH_PROPERTY_NEAR, format!("did you mean `{near}`?"))
    } else {
        let known = known.join("`, `");
        let hint = format!(
            "available properties: `{known}`; the module's outputs are in `properties.status.values`"
        );
        (codes::NO_SUCH_PROPERTY, hint)
    };
    let mut diagnostic = Diagnostic::error(code, message).at(span_of(read, step), "").hint(hint);
    // Who writes `.?` has said that it may be missing.
    if read.is_safe {
        diagnostic.severity = hangar_diag::Severity::Warning;
    }
    Some(Problem { file: read.place.file.clone(), diagnostic })
}

/// Where a step of a read is written: all of it where it is not plainly written.
fn span_of(read: &Read, step: usize) -> Span {
    let whole = read.place.span;
    let before: usize = read.path[..step].iter().map(|name| name.len() + 1).sum();
    let length: usize = read.path.iter().map(|name| name.len() + 1).sum();
    if whole.end - whole.start + 1 != length {
        return whole;
    }
    Span::new(whole.start + before, whole.start + before + read.path[step].len())
}
