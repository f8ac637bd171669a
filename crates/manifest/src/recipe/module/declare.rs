//! From blocks to declarations: what an outline says of each block, and how override files change it.

use std::collections::BTreeMap;

use super::tree::{Block, Body, Term};
use super::{Outline, Output, Problem, ProviderRequirement, Variable};

/// Names that a module block needs for itself, so that Terraform refuses variables of these names.
const RESERVED: &[&str] =
    &["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

/// Whether a file says something new or changes what the others said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Base,
    Override,
}

/// Adds what one file declares.
pub(super) fn add(outline: &mut Outline, file: &str, body: &Body, role: Role) {
    for block in &body.blocks {
        let mut place = Place { file, role, problems: &mut outline.problems };
        match (block.kind.as_str(), block.labels.as_slice()) {
            ("variable", [name]) => place.variable(&mut outline.variables, name, block),
            ("output", [name]) => place.output(&mut outline.outputs, name, block),
            ("variable" | "output", labels) => place.problem(
                block.line,
                format!("a `{}` block has one label, this one has {}", block.kind, labels.len()),
            ),
            ("terraform", []) => {
                for inner in block.body.blocks.iter().filter(|it| it.kind == "required_providers") {
                    place.required_providers(&mut outline.required_providers, inner);
                }
            }
            ("resource" | "data" | "ephemeral", [kind, _]) => {
                outline.used_providers.extend(provider_of(kind, block));
            }
            ("provider", [name]) => {
                outline.used_providers.insert(name.clone());
            }
            _ => {}
        }
    }
}

/// The local name of the provider that a resource is of; none for Terraform's own.
fn provider_of(kind: &str, block: &Block) -> Option<String> {
    let named = block.body.find("provider").and_then(|it| it.term.as_reference());
    let name = match named {
        Some(reference) => reference.split('.').next()?,
        None => kind.split('_').next()?,
    };
    (!name.is_empty() && name != "terraform").then(|| name.to_owned())
}

struct Place<'a> {
    file: &'a str,
    role: Role,
    problems: &'a mut Vec<Problem>,
}

impl Place<'_> {
    fn variable(&mut self, all: &mut BTreeMap<String, Variable>, name: &str, block: &Block) {
        if RESERVED.contains(&name) {
            return self.problem(block.line, format!("a variable cannot be named `{name}`"));
        }
        let known = all.contains_key(name);
        if !self.may_declare(known, "variable", name, block) {
            return;
        }
        let variable = all.entry(name.to_owned()).or_insert_with(|| Variable {
            name: name.to_owned(),
            type_text: None,
            description: None,
            default: None,
            default_text: None,
            required: true,
            sensitive: false,
            nullable: true,
        });
        if let Some(declared) = block.body.find("type") {
            variable.type_text = Some(declared.text.clone());
        }
        if let Some(default) = block.body.find("default") {
            variable.required = false;
            variable.default = default.term.to_value();
            variable.default_text = Some(default.text.clone());
        }
        self.text(block, "description", &mut variable.description);
        self.flag(block, "sensitive", &mut variable.sensitive);
        self.flag(block, "nullable", &mut variable.nullable);
    }

    fn output(&mut self, all: &mut BTreeMap<String, Output>, name: &str, block: &Block) {
        let known = all.contains_key(name);
        if !self.may_declare(known, "output", name, block) {
            return;
        }
        let output = all.entry(name.to_owned()).or_insert_with(|| Output {
            name: name.to_owned(),
            description: None,
            sensitive: false,
            ephemeral: false,
        });
        self.text(block, "description", &mut output.description);
        self.flag(block, "sensitive", &mut output.sensitive);
        self.flag(block, "ephemeral", &mut output.ephemeral);
    }

    /// A name is declared once in the files proper, and only what they declare can be overridden.
    fn may_declare(&mut self, known: bool, kind: &str, name: &str, block: &Block) -> bool {
        if !is_identifier(name) {
            self.problem(block.line, format!("`{name}` is not a valid name of a {kind}"));
            return false;
        }
        match (self.role, known) {
            (Role::Base, true) => {
                self.problem(block.line, format!("the {kind} `{name}` is declared twice"));
            }
            (Role::Override, false) => {
                let message = format!("the {kind} `{name}` that this overrides is not declared");
                self.problem(block.line, message);
                return false;
            }
            _ => {}
        }
        true
    }

    fn required_providers(
        &mut self,
        all: &mut BTreeMap<String, ProviderRequirement>,
        block: &Block,
    ) {
        for attribute in &block.body.attributes {
            let Some(requirement) = requirement(&attribute.term) else {
                let message = format!(
                    "the requirements for the provider `{}` cannot be read",
                    attribute.name
                );
                self.problem(attribute.line, message);
                continue;
            };
            // An override replaces the requirement of a provider as a whole.
            if all.insert(attribute.name.clone(), requirement).is_some() && self.role == Role::Base
            {
                let message = format!("the provider `{}` is required twice", attribute.name);
                self.problem(attribute.line, message);
            }
        }
    }

    fn text(&mut self, block: &Block, name: &str, into: &mut Option<String>) {
        let Some(attribute) = block.body.find(name) else { return };
        match attribute.term.as_str() {
            Some(text) => *into = Some(text.to_owned()),
            None => self.problem(attribute.line, format!("`{name}` is not a plain string")),
        }
    }

    fn flag(&mut self, block: &Block, name: &str, into: &mut bool) {
        let Some(attribute) = block.body.find(name) else { return };
        // Terraform takes the strings too.
        let is_set = match attribute.term.to_value() {
            Some(serde_json::Value::Bool(is_set)) => Some(is_set),
            Some(serde_json::Value::String(text)) => text.parse().ok(),
            _ => None,
        };
        match is_set {
            Some(is_set) => *into = is_set,
            None => self.problem(attribute.line, format!("`{name}` is neither true nor false")),
        }
    }

    fn problem(&mut self, line: usize, message: String) {
        self.problems.push(Problem { file: self.file.to_owned(), line, message });
    }
}

/// `{ source, version, configuration_aliases }`, or the version alone as it was written before.
fn requirement(term: &Term) -> Option<ProviderRequirement> {
    if let Some(version) = term.as_str() {
        let versions = vec![version.to_owned()];
        return Some(ProviderRequirement { versions, ..ProviderRequirement::default() });
    }
    let Term::Object(members) = term else { return None };
    let mut requirement = ProviderRequirement::default();
    for (name, member) in members {
        match name.as_str() {
            "source" => requirement.source = Some(member.as_str()?.to_owned()),
            "version" => requirement.versions = vec![member.as_str()?.to_owned()],
            "configuration_aliases" => {
                let Term::List(aliases) = member else { return None };
                for alias in aliases {
                    match alias.as_reference()?.split_once('.') {
                        Some((_, alias)) => {
                            requirement.configuration_aliases.push(alias.to_owned());
                        }
                        None => requirement.wants_default = true,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(requirement)
}

/// Whether Terraform takes this as a name.
pub(in crate::recipe) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
