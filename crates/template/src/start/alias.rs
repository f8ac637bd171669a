//! Aliases: what can be one, and that no two resources of a type have the same.

use std::collections::{BTreeMap, HashSet};

use hangar_diag::{Diagnostic, Span};

use super::Start;
use crate::codes;
use crate::deployment::{Node, Target};
use crate::evaluate::Scope;
use crate::ir::{Expression, ResourceDeclaration, What};
use crate::source::Problem;
use crate::types::describe;
use crate::value::{Data, Value};

/// The longest alias, as ARM has it for names.
const LONGEST: usize = 260;

/// One who has an alias.
struct Owner<'a> {
    resource: usize,
    word: Word,
    address: &'a str,
    is_managed: bool,
    span: Span,
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
                fail(format!("a secret cannot be {one}: {plural} are shown"))
            }
            Data::Unknown(_) => Ok(value),
            Data::String(text) => match flaw(text) {
                None => Ok(value),
                Some(flaw) => {
                    let one = word.with_article();
                    fail(format!("`{}` cannot be {one}: {flaw}", text.escape_debug()))
                }
            },
            _ => fail(format!("{} is text, and this is {}", word.with_article(), describe(&value))),
        }
    }

    /// Reports aliases that two resources of one type have.
    pub(super) fn check_aliases(&mut self, nodes: &[Node]) {
        let mut owners: BTreeMap<(String, String), Vec<Owner<'_>>> = BTreeMap::new();
        for (resource, declared) in self.unit.resources.iter().enumerate() {
            for instance in self.evaluator.facts.instances_of(resource).iter().flatten() {
                let (Some(node), Some(alias)) = (nodes.get(instance.node()), &instance.alias)
                else {
                    continue;
                };
                let Data::String(text) = &alias.data else { continue };
                let kind = node.type_text().to_ascii_lowercase();
                owners.entry((kind, text.to_ascii_lowercase())).or_default().push(Owner {
                    resource,
                    word: Word::of(declared),
                    address: &instance.address,
                    is_managed: matches!(node.target, Target::Managed { .. }),
                    span: declared.alias.as_ref().map_or(declared.name.span, |it| it.span),
                });
            }
        }
        let mut told: HashSet<(usize, usize)> = HashSet::new();
        for ((_, alias), owners) in owners {
            let Some(first) = owners.iter().find(|it| it.is_managed) else { continue };
            for other in &owners {
                // Two loops, or one, collide once, however often they do.
                if !std::ptr::eq(first, other) && told.insert((first.resource, other.resource)) {
                    self.duplicate(&alias, first, other);
                }
            }
        }
    }

    fn duplicate(&mut self, alias: &str, first: &Owner<'_>, other: &Owner<'_>) {
        let (one, two) = if first.span <= other.span { (first, other) } else { (other, first) };
        let word = first.word.as_str();
        let message = format!(
            "`{}` and `{}` have the {word} `{alias}` and are of one type",
            one.address, two.address
        );
        let hint = if one.resource == two.resource {
            format!("let the {word} hold the variable of the loop")
        } else if other.is_managed {
            format!("give one of them another {word}")
        } else {
            "a resource that this template manages is read by its name, not as `existing`"
                .to_owned()
        };
        let mut diagnostic = Diagnostic::error(codes::DUPLICATE_ALIAS, message).at(two.span, "");
        if one.span != two.span {
            diagnostic = diagnostic.at(one.span, format!("`{}` has it here", one.address));
        }
        let problem = self.evaluator.problem(diagnostic.hint(hint));
        self.problems.push(problem);
    }
}

/// Why a text cannot be an alias: the rules of ARM for names, which the API keeps too.
fn flaw(text: &str) -> Option<&'static str> {
    let refused = |c: char| c.is_control() || "<>%&:\\?/#".contains(c);
    match text {
        "" => Some("it is empty"),
        _ if text.chars().count() > LONGEST => Some("it has more than 260 characters"),
        _ if text.contains(refused) => Some("it holds a control character or one of `<>%&:\\?/#`"),
        _ if text.starts_with(' ') || text.ends_with(' ') => Some("a space is around it"),
        _ if text.ends_with('.') => Some("it ends with a dot"),
        _ => None,
    }
}
