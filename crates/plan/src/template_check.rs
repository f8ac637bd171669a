//! A template's resources held against the schemas of their types, each mistake with its place in the text.
//!
//! What is not known yet is taken as fine: nothing is said at, in or because of it. Secrets are never
//! quoted. The schema crate finds what is wrong; here it gets a place, a code and a template's words.

pub mod codes;
mod document;
mod existing;
mod id;
mod instead;
mod kind;
mod missing;
mod naming;
mod read;
mod subject;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use hangar_diag::{Diagnostic, Severity};
use hangar_ids::TypeName;
use hangar_schema::finding::Basis;
use hangar_schema::{Purpose, TypeSchema, findings};
use hangar_template::deployment::{Body, Deployment, Node, NothingKnown, Target};
use hangar_template::source::Problem;

use document::Document;
use subject::Subject;
use words::Words;

/// Finds the schema of a type.
pub type SchemaOf<'a> = dyn Fn(&TypeName) -> Option<Arc<TypeSchema>> + 'a;

/// What the schemas have against a deployment before anything is known: its types, bodies and reads, in
/// the order of the text.
///
/// What a schema says can be silenced in the text (`#disable-next-line`), errors too: it may be wrong, or
/// older than what AWS takes. That there is no such type cannot.
pub fn check(deployment: &Deployment, schema_of: &SchemaOf<'_>) -> Vec<Problem> {
    let nodes = deployment.nodes();
    let mut types = Types { schema_of, known: HashMap::new() };
    let mut problems = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        // What a recipe's module takes is in its files, and no schema.
        let Some(aws) = node.aws() else { continue };
        match types.get(&aws.type_name) {
            Known::No { hints } => problems.push(kind::unknown(node, hints)),
            Known::Yes(schema) => {
                problems.extend(kind::unsupported(node, schema));
                match deployment.body(index, &NothingKnown) {
                    Ok(body) => problems.extend(check_body(node, &body, schema)),
                    Err(refused) => problems.extend(refused),
                }
            }
        }
    }
    for read in deployment.reads() {
        let Some(aws) = nodes.get(read.node).and_then(Node::aws) else { continue };
        if let Known::Yes(schema) = types.get(&aws.type_name) {
            problems.extend(read::check(&aws.type_name, read, schema));
        }
    }
    for found in deployment.id_uses() {
        let schema = found.of.as_ref().and_then(schema_of);
        problems.push(id::problem(&found, schema.as_deref()));
    }
    in_order_of_text(&mut problems);
    without_silenced(deployment, problems)
}

/// Problems without those that the text asks not to be told: for those of [`check_body`].
pub fn without_silenced(deployment: &Deployment, mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.retain(|it| {
        !codes::FROM_SCHEMAS.contains(&it.diagnostic.code) || !deployment.is_silenced(it)
    });
    problems
}

/// The types that were asked for: what is told of one that there is not costs a look through the catalog.
struct Types<'n, 's> {
    schema_of: &'s SchemaOf<'s>,
    known: HashMap<&'n TypeName, Known>,
}

enum Known {
    Yes(Arc<TypeSchema>),
    No { hints: Vec<String> },
}

impl<'n> Types<'n, '_> {
    fn get(&mut self, type_name: &'n TypeName) -> &Known {
        self.known.entry(type_name).or_insert_with(|| match (self.schema_of)(type_name) {
            Some(schema) => Known::Yes(schema),
            None => Known::No { hints: kind::hints_for(type_name) },
        })
    }
}

/// What the schema of its type has against the body of a node, in the order of the text.
///
/// To be asked with all that is known before anything runs, and again before the body is sent.
pub fn check_body(node: &Node, body: &Body, schema: &TypeSchema) -> Vec<Problem> {
    let type_name = node.type_text();
    let mut problems = match node.target {
        Target::Existing { .. } => existing::check(&type_name, schema, &body.properties)
            .into_iter()
            .map(|(pointer, words)| {
                let subject = Subject::of(&body.properties, &pointer);
                problem(node, body, schema, &pointer, subject, Severity::Error, words)
            })
            .collect(),
        Target::Managed { .. } => {
            let mut found = against_schema(&type_name, node, body, schema);
            found.extend(naming::check(node, body, schema));
            found
        }
    };
    in_order_of_text(&mut problems);
    problems
}

fn against_schema(type_name: &str, node: &Node, body: &Body, schema: &TypeSchema) -> Vec<Problem> {
    let document = Document::of(&body.properties);
    let found = findings(schema, &document.json, Purpose::Desired, document.holes());
    let mut problems = Vec::with_capacity(found.len());
    for missing in missing::gathered(&found) {
        let subject = Subject::of(&body.properties, missing.pointer);
        let words = missing.words(type_name, &subject, schema);
        problems.push(problem(
            node,
            body,
            schema,
            missing.pointer,
            subject,
            missing.severity,
            words,
        ));
    }
    for finding in found.iter().filter(|finding| !missing::is_missing(finding)) {
        let subject = Subject::of(&body.properties, finding.pointer());
        let mut words = words::words(type_name, &subject, &finding.problem, schema);
        words.basis = finding.basis;
        problems.push(problem(
            node,
            body,
            schema,
            finding.pointer(),
            subject,
            finding.severity,
            words,
        ));
    }
    problems
}

fn problem(
    node: &Node,
    body: &Body,
    schema: &TypeSchema,
    pointer: &str,
    subject: Subject,
    severity: Severity,
    words: Words,
) -> Problem {
    let Words { code, aspect, message, label, hints, basis } = words;
    let place = subject::place(node, body, pointer, aspect);
    let diagnostic = match severity {
        Severity::Error => Diagnostic::error(code, message),
        Severity::Warning => Diagnostic::warning(code, message),
    };
    let diagnostic = diagnostic.at(place.span, label).pointer(subject.pointer);
    let diagnostic =
        hints.into_iter().fold(diagnostic, Diagnostic::hint).hint(stated_by(schema, basis));
    Problem { file: place.file.clone(), diagnostic }
}

/// Who states the rule that is broken.
fn stated_by(schema: &TypeSchema, basis: Basis) -> String {
    match basis {
        Basis::Schema => origin(schema),
        Basis::CfnLint => {
            let (edition, name) = (Basis::CFN_LINT_EDITION, schema.name());
            format!("according to {edition}; the AWS schema of {name} does not have this rule")
        }
    }
}

/// Which schema says so: it may be wrong, or older than what AWS takes today.
fn origin(schema: &TypeSchema) -> String {
    match schema.source().edition() {
        Some(edition) => format!("according to the bundled schema of {}, {edition}", schema.name()),
        None => format!("according to the schema file of {}", schema.name()),
    }
}

/// As a reader meets them; what is said twice of one place, as of every turn of a loop, is said once.
fn in_order_of_text(problems: &mut Vec<Problem>) {
    let place = |problem: &Problem| problem.diagnostic.span();
    problems.sort_by(|a, b| (&a.file, place(a)).cmp(&(&b.file, place(b))));
    let mut kept: Vec<Problem> = Vec::with_capacity(problems.len());
    for problem in problems.drain(..) {
        let mut here = kept
            .iter()
            .rev()
            .take_while(|it| it.file == problem.file && place(it) == place(&problem));
        if !here.any(|it| *it == problem) {
            kept.push(problem);
        }
    }
    *problems = kept;
}

#[cfg(test)]
mod tests;
