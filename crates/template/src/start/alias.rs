//! Aliases: what can be one, and that no two resources of a type have the same.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use hangar_diag::Diagnostic;

use super::Start;
use crate::codes;
use crate::deployment::{Node, Target};
use crate::evaluate::{Evaluator, Frame, Scope};
use crate::ir::{Expression, ResourceDeclaration, What};
use crate::source::{Place, Problem, Sources};
use crate::types::describe;
use crate::value::{Data, Value};

/// The longest alias, as ARM has it for names.
const LONGEST: usize = 260;

/// One who has an alias.
struct Owner<'a> {
    frame: usize,
    resource: usize,
    word: Word,
    address: &'a str,
    is_managed: bool,
    place: Place,
}

/// What a kind of resource calls the name that its user gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Alias,
    Name,
}

impl Word {
    pub(super) const fn of(declared: &ResourceDeclaration) -> Self {
        match declared.what {
            What::Recipe => Self::Name,
            What::Aws { .. } | What::Foreign { .. } | What::Faulty => Self::Alias,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Name => "name",
        }
    }

    const fn with_article(self) -> &'static str {
        match self {
            Self::Alias => "an alias",
            Self::Name => "a name",
        }
    }
}

impl Start<'_> {
    /// The alias of one instance, or the name of a recipe.
    pub(super) fn alias(
        &self,
        word: Word,
        expression: &Expression,
        scope: Scope<'_>,
    ) -> Result<Value, Vec<Problem>> {
        let value = self.known_at_start(expression, scope, codes::NOT_KNOWN_AT_START)?;
        let fail =
            |message: String| self.evaluator.fail(codes::BAD_ALIAS, expression.span, message);
        match &value.data {
            _ if value.secret => {
                let (one, word) = (word.with_article(), word.as_str());
                let plural = if word == "alias" { "aliases" } else { "names" };
                fail(format!("a secret cannot be {one}, because {plural} are shown"))
            }
            Data::Unknown(_) => Ok(value),
            Data::String(text) => match flaw(text) {
                None => Ok(value),
                Some(flaw) => {
                    let one = word.with_article();
                    fail(format!("`{}` cannot be {one}: {flaw}", text.escape_debug()))
                }
            },
            _ => {
                fail(format!("`{}`: expected `string`, found {}", word.as_str(), describe(&value)))
            }
        }
    }
}

/// Aliases that two resources of one type have.
pub(super) fn duplicates(
    root: Evaluator<'_>,
    frames: &[Arc<Frame>],
    nodes: &[Node],
) -> Vec<Problem> {
    let mut owners: BTreeMap<(String, String), Vec<Owner<'_>>> = BTreeMap::new();
    for frame in frames {
        let unit = &root.shared.units.list[frame.unit];
        for (resource, declared) in unit.resources.iter().enumerate() {
            for instance in frame.instances_of(resource).iter().flatten() {
                let (Some(node), Some(alias)) = (nodes.get(instance.node()), &instance.alias)
                else {
                    continue;
                };
                let Data::String(text) = &alias.data else { continue };
                let kind = node.type_text().to_ascii_lowercase();
                let span = declared.alias.as_ref().map_or(declared.name.span, |it| it.span);
                owners.entry((kind, text.to_ascii_lowercase())).or_default().push(Owner {
                    frame: frame.id,
                    resource,
                    word: Word::of(declared),
                    address: &instance.address,
                    is_managed: matches!(node.target, Target::Managed { .. }),
                    place: unit.place(span),
                });
            }
        }
    }
    let mut told = HashSet::new();
    let mut problems = Vec::new();
    for ((_, alias), owners) in owners {
        let Some(first) = owners.iter().find(|it| it.is_managed) else { continue };
        for other in &owners {
            // Two loops, or one, collide once, however often they do.
            let pair = (first.frame, first.resource, other.frame, other.resource);
            if !std::ptr::eq(first, other) && told.insert(pair) {
                problems.push(duplicate(&alias, first, other, &root.unit.sources));
            }
        }
    }
    problems
}

fn duplicate(alias: &str, first: &Owner<'_>, other: &Owner<'_>, sources: &Sources) -> Problem {
    let is_before =
        (&*first.place.file, first.place.span) <= (&*other.place.file, other.place.span);
    let (one, two) = if is_before { (first, other) } else { (other, first) };
    let word = first.word.as_str();
    let message = format!(
        "`{}` and `{}` have the same type and the same {word} `{alias}`",
        one.address, two.address
    );
    let hint = if one.frame != two.frame && one.place == two.place {
        format!("use a parameter of the module in the {word}")
    } else if one.resource == two.resource && one.frame == two.frame {
        format!("use the loop variable in the {word}")
    } else if other.is_managed {
        format!("change the {word} of one of them")
    } else {
        "use the symbolic name of the resource instead of an `existing` declaration".to_owned()
    };
    let mut diagnostic = Diagnostic::error(codes::DUPLICATE_ALIAS, message).at(two.place.span, "");
    if one.place.file != two.place.file {
        let place = where_in(sources, &one.place);
        diagnostic = diagnostic.hint(format!("`{}` has this {word} in {place}", one.address));
    } else if one.place != two.place {
        diagnostic =
            diagnostic.at(one.place.span, format!("`{}` has this {word} here", one.address));
    }
    Problem { file: two.place.file.clone(), diagnostic: diagnostic.hint(hint) }
}

/// `net.bicep:3:10`.
fn where_in(sources: &Sources, place: &Place) -> String {
    let text = sources.text(&place.file).unwrap_or_default();
    let before = text.get(..place.span.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{line}:{column}", place.file)
}

/// Why a text cannot be an alias: the rules of ARM for names, which the API keeps too.
fn flaw(text: &str) -> Option<&'static str> {
    let refused = |c: char| c.is_control() || "<>%&:\\?/#".contains(c);
    match text {
        "" => Some("it is empty"),
        _ if text.chars().count() > LONGEST => Some("it has more than 260 characters"),
        _ if text.contains(refused) => {
            Some("it contains a control character or one of `<>%&:\\?/#`")
        }
        _ if text.starts_with(' ') || text.ends_with(' ') => Some("it starts or ends with a space"),
        _ if text.ends_with('.') => Some("it ends with a dot"),
        _ => None,
    }
}
