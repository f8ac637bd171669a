//! The resolver of references: finds them in a text, and puts their values in their place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::evaluate::{Evaluation, Evaluator, Secrecy};
use super::link::Link;
use super::problem::{Problem, Reason, Stop};
use super::resolver::{Context, Resolution, Resolver};
use super::{Resolved, codes};
use crate::cloudformation::intrinsic::print;
use crate::reference::{
    Filter, Found, Occurrence, Otherwise, Reference, Source, find, noun, text_of,
};
use crate::yaml::{Place, Step, With};

/// Where the values of references come from.
pub trait Values {
    /// The value of a reference, which is written as `text`.
    fn value(&mut self, text: &str, reference: &Reference) -> Evaluation;
}

/// Evaluates each reference once, however often it stands in manifests.
pub struct Evaluated<'k> {
    evaluator: Evaluator<'k>,
    memo: BTreeMap<String, Evaluation>,
}

impl<'k> Evaluated<'k> {
    /// Values from what is known.
    pub fn new(evaluator: Evaluator<'k>) -> Self {
        Self { evaluator, memo: BTreeMap::new() }
    }
}

impl Values for Evaluated<'_> {
    fn value(&mut self, text: &str, reference: &Reference) -> Evaluation {
        if let Some(known) = self.memo.get(text) {
            return known.clone();
        }
        let evaluation = self.evaluator.evaluate(reference);
        self.memo.insert(text.to_owned(), evaluation.clone());
        evaluation
    }
}

/// Where secrets may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretPolicy {
    /// In objects of kind `Secret`.
    #[default]
    SecretsOnly,
    /// Anywhere.
    Anywhere,
}

/// The resolver of references.
pub struct References<'v> {
    values: &'v mut dyn Values,
    secrets: SecretPolicy,
    uses: Vec<Use>,
}

/// One reference at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The object, for people.
    pub object: String,
    /// The place in the object, an RFC 6901 pointer.
    pub pointer: String,
    /// The reference as it is written.
    pub reference: String,
    /// The expression, of a reference that holds one.
    pub expression: Option<String>,
    /// How the value was come by.
    pub links: Vec<Link>,
    /// The value that is written.
    pub value: Value,
    /// Whether it may be shown.
    pub secrecy: Secrecy,
}

impl<'v> References<'v> {
    /// A resolver with these values.
    pub fn new(values: &'v mut dyn Values, secrets: SecretPolicy) -> Self {
        Self { values, secrets, uses: Vec::new() }
    }

    /// The references that were resolved, in the order of the text.
    pub fn into_uses(self) -> Vec<Use> {
        self.uses
    }

    fn resolved(
        &mut self,
        context: &Context<'_>,
        text: &str,
        reference: &Reference,
        is_whole: bool,
    ) -> Result<Value, Stop> {
        let Evaluation { outcome, links } = self.values.value(text, reference);
        let expression = match &reference.source {
            Source::Expression { tree, .. } => Some(print(tree)),
            _ => None,
        };
        let Resolved { value, secrecy } =
            outcome.map_err(|stop| named(stop, text, expression.as_deref()))?;
        self.check_secret(context, text, &secrecy)?;
        check_secret_data(context, text, reference, is_whole)?;
        let pointer = context.key().pointer();
        let (object, reference) = (context.obj().to_string(), text.to_owned());
        self.uses.push(Use {
            object,
            pointer,
            reference,
            expression,
            links,
            value: value.clone(),
            secrecy,
        });
        Ok(value)
    }

    fn check_secret(
        &self,
        context: &Context<'_>,
        text: &str,
        secrecy: &Secrecy,
    ) -> Result<(), Stop> {
        let Secrecy::Secret(why) = secrecy else { return Ok(()) };
        if self.secrets == SecretPolicy::Anywhere {
            return Ok(());
        }
        if is_secret(context) {
            return check_repeated(context, text);
        }
        let kind = context.obj().kind.as_deref().unwrap_or("object");
        let message =
            format!("`{text}` is a secret ({why}), and every reader of the {kind} would see it");
        Err(Problem::new(codes::SECRET, message)
            .hint("put it into an object of kind Secret, or allow it with `--allow-secrets`")
            .into())
    }

    fn replacement(
        &mut self,
        context: &Context<'_>,
        text: &str,
        found: &[Occurrence],
    ) -> Result<With, Stop> {
        if let [Occurrence { range, found: Found::Reference(reference) }] = found
            && *range == (0..text.len())
        {
            return self.resolved(context, text, reference, true).map(With::Whole);
        }
        let (mut parts, mut needs) = (Vec::new(), BTreeSet::new());
        for occurrence in found {
            let range = occurrence.range.clone();
            let written = &text[range.clone()];
            match self.part(context, written, &occurrence.found) {
                Ok(part) => parts.push((range, part)),
                Err(Stop::Needs(open)) => needs.extend(open),
                Err(Stop::Problem(mut problem)) => {
                    problem.written = Some(written.to_owned());
                    return Err(Stop::Problem(problem));
                }
            }
        }
        if needs.is_empty() { Ok(With::Parts(parts)) } else { Err(Stop::Needs(needs)) }
    }

    /// What takes the place of one reference in a longer text.
    fn part(
        &mut self,
        context: &Context<'_>,
        written: &str,
        found: &Found,
    ) -> Result<String, Stop> {
        let reference = match found {
            Found::Escaped => return Ok(written[1..].to_owned()),
            Found::Wrong(error) => {
                let message = format!("`{written}`: {error}");
                return Err(Problem::new(codes::MALFORMED, message)
                    .hint(error.hint.clone())
                    .into());
            }
            Found::Reference(reference) => reference,
        };
        let value = self.resolved(context, written, reference, false)?;
        if value.is_null() && reference.otherwise != Otherwise::Nothing {
            let message = format!("`{written}` is null, but it is part of a longer string");
            return Err(Problem::new(codes::MISPLACED, message)
                .hint("make the reference the whole value, or add `?optional` to write an empty string")
                .into());
        }
        if matches!(value, Value::Array(_) | Value::Object(_)) {
            let message =
                format!("`{written}` is {}, but it is part of a longer string", noun(&value));
            return Err(Problem::new(codes::MISPLACED, message)
                .hint("make the reference the whole value, or write its JSON with `|json`")
                .into());
        }
        Ok(text_of(&value).unwrap_or_default())
    }
}

impl Resolver for References<'_> {
    fn resolve(&mut self, context: &Context<'_>, value: &Value) -> Resolution {
        let Value::String(text) = value else { return Resolution::Keep };
        let found = find(text);
        if found.is_empty() {
            return Resolution::Keep;
        }
        let before = self.uses.len();
        match self.replacement(context, text, &found) {
            Ok(with) => Resolution::Replace(with),
            Err(stop) => {
                // What is offered again is told again.
                self.uses.truncate(before);
                match stop {
                    Stop::Needs(needs) => Resolution::Wait(needs),
                    Stop::Problem(problem) => Resolution::Refuse(problem),
                }
            }
        }
    }
}

/// A problem that names the reference, or the expression in the place of its base64.
fn named(stop: Stop, text: &str, expression: Option<&str>) -> Stop {
    match stop {
        Stop::Problem(mut problem) => {
            if problem.reason.is_none() {
                problem.reason = Some(Box::new(Reason::of(&problem.message)));
            }
            let shown = format!("`{}`", expression.unwrap_or(text));
            if !problem.message.starts_with(&shown) {
                problem.message = format!("{shown}: {}", problem.message);
            }
            Stop::Problem(problem)
        }
        stop @ Stop::Needs(_) => stop,
    }
}

/// An alias could carry a secret to where everybody reads it.
fn check_repeated(context: &Context<'_>, text: &str) -> Result<(), Stop> {
    if !context.may_be_repeated() {
        return Ok(());
    }
    let message = format!(
        "`{text}` is a secret in a document with aliases (`*name`), which could repeat the secret"
    );
    Err(Problem::new(codes::SECRET, message)
        .hint("move the Secret into a separate document without anchors and aliases")
        .into())
}

fn is_secret(context: &Context<'_>) -> bool {
    context.obj().kind.as_deref() == Some("Secret")
}

/// What stands in `data` of a Secret is base64 by the API's rules; a plain value there is a defect that the cluster
/// finds late, or never.
fn check_secret_data(
    context: &Context<'_>,
    text: &str,
    reference: &Reference,
    is_whole: bool,
) -> Result<(), Stop> {
    let is_data = || match context.key().steps() {
        [Step::Name(first), _, ..] => first == "data",
        _ => false,
    };
    if context.place() == Place::Key {
        return Ok(());
    }
    let is_base64 = is_whole
        && match (&reference.source, reference.filters.iter().rfind(|it| **it != Filter::Text)) {
            (Source::Expression { tree, .. }, None) => is_base64_function(tree),
            (_, filter) => filter == Some(&Filter::Base64),
        };
    if is_base64 || !is_secret(context) || !is_data() {
        return Ok(());
    }
    let message = format!("`{text}` is in `data` of a Secret, where values must be base64");
    Err(Problem::new(codes::MISPLACED, message)
        .hint(
            "make the reference the whole value and append `|base64`, or use `stringData`; in an app, use \
            `Fn.base64(value)` of the AWS CDK or `Fn.base64encode(value)` of CDKTF",
        )
        .into())
}

/// Whether the whole of an expression is `Fn::Base64`, or Terraform's `base64encode`.
fn is_base64_function(tree: &Value) -> bool {
    let Value::Object(members) = tree else { return false };
    let expression = members.get("$tf").and_then(|leaf| leaf.get("expression")?.as_str());
    members.len() == 1
        && (members.contains_key("Fn::Base64") || expression.is_some_and(is_base64encode))
}

/// Whether a template of Terraform is one call: its first parenthesis is closed by the last one.
fn is_base64encode(template: &str) -> bool {
    let call = template.strip_prefix("${base64encode(").and_then(|it| it.strip_suffix(")}"));
    call.is_some_and(|argument| {
        let mut open = 0_usize;
        argument.chars().all(|sign| {
            match sign {
                '(' => open += 1,
                ')' if open == 0 => return false,
                ')' => open -= 1,
                _ => {}
            }
            true
        })
    })
}
