//! What extensions are configured with: known at the start, for it says where resources are.

use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};
use hangar_ids::{AccountId, Region};

use super::Start;
use crate::codes;
use crate::evaluate::{Scope, Settings};
use crate::ir::{Entry, Expression, ExpressionKind, Extension, Key};
use crate::near::near;
use crate::source::Problem;
use crate::value::{Because, Data, Value};

const MEMBERS: [&str; 2] = ["account", "region"];

impl Start<'_> {
    pub(super) fn settings(&mut self) {
        for (index, declared) in self.unit.extensions.iter().enumerate() {
            let mut settings = Settings::default();
            if let (Extension::Aws, Some(configuration)) =
                (declared.extension, &declared.configuration)
            {
                self.configure(&mut settings, configuration);
            }
            if settings.account.is_some() || settings.region.is_some() {
                let around = self.frame.inputs.as_ref();
                let mut inputs = around.unwrap_or(&self.evaluator.shared.facts.inputs).clone();
                inputs.account = settings.account.clone().or(inputs.account);
                inputs.region = settings.region.clone().or(inputs.region);
                settings.inputs = Some(Arc::new(inputs));
            }
            // Set once: a start has one run.
            let _ = self.frame.settings[index].set(settings);
        }
    }

    fn configure(&mut self, settings: &mut Settings, configuration: &Expression) {
        let ExpressionKind::Object(entries) = &configuration.kind else { return };
        for entry in entries {
            let (name, value) = match entry {
                Entry::Member { key: Key::Fixed(name), value } => (name, value),
                Entry::Member { key: Key::Computed(it), .. } | Entry::Spread(it) => {
                    self.bad_setting(
                        it.span,
                        "the names of the properties cannot be computed",
                        None,
                    );
                    continue;
                }
            };
            let result = match &*name.text {
                "account" => self.setting(value, &name.text, AccountId::parse).map(|it| {
                    settings.account = it;
                }),
                "region" => self.setting(value, &name.text, Region::parse).map(|it| {
                    settings.region = it;
                }),
                other => {
                    let near = near(other, MEMBERS);
                    let hint = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "allowed properties: `account`, `region`".to_owned(),
                    };
                    self.bad_setting(
                        name.span,
                        &format!("the property `{other}` is not allowed"),
                        Some(hint),
                    );
                    continue;
                }
            };
            self.note(result);
        }
    }

    fn bad_setting(&mut self, span: Span, what: &str, hint: Option<String>) {
        let message = format!("the configuration of the extension is not valid: {what}");
        let mut diagnostic =
            Diagnostic::error(codes::EXTENSION_CONFIGURATION, message).at(span, "");
        diagnostic.hints.extend(hint);
        let problem = self.evaluator.problem(diagnostic);
        self.problems.push(problem);
    }

    /// A member; nothing where it is null, or hangs on a parameter that only a deployment is given.
    fn setting<T>(
        &self,
        expression: &Expression,
        name: &str,
        parse: impl Fn(&str) -> Result<T, Diagnostic>,
    ) -> Result<Option<T>, Vec<Problem>> {
        let value: Value = self.evaluator.value(expression, Scope::EMPTY)?;
        let code = codes::EXTENSION_CONFIGURATION;
        match &value.data {
            _ if value.secret => self.evaluator.fail(
                code,
                expression.span,
                format!("a secret cannot be used as the `{name}`"),
            ),
            Data::Null => Ok(None),
            Data::String(text) => match parse(text) {
                Ok(parsed) => Ok(Some(parsed)),
                Err(found) => self.evaluator.fail(code, expression.span, found.message),
            },
            Data::Unknown(unknown) => match &unknown.because {
                Because::Resource { address, .. } => {
                    let message = format!(
                        "`{name}` must be known at the start of the deployment, but depends on `{address}`"
                    );
                    self.evaluator.fail(codes::NOT_KNOWN_AT_START, expression.span, message)
                }
                Because::Parameter(_) | Because::Moment => Ok(None),
            },
            _ => {
                let found = crate::types::describe(&value);
                let message = format!("`{name}`: expected `string`, found {found}");
                self.evaluator.fail(code, expression.span, message)
            }
        }
    }
}
