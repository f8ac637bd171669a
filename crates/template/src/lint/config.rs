//! How much each rule matters: Bicep's `bicepconfig.json`, and what a command line adds.

use std::collections::BTreeMap;

use hangar_diag::{Diagnostic, Span};

use super::{RULES, is_rule};
use crate::arm::{Json, parse_loosely};
use crate::codes;
use crate::near::near;

/// Bicep's rules that are not looked at here, each for Azure or for what cannot be written here: a configuration that
/// is shared with Bicep may set them.
const OTHERS: &[&str] = &[
    "adminusername-should-not-be-literal",
    "artifacts-parameters",
    "decompiler-cleanup",
    "explicit-values-for-loc-params",
    "max-asserts",
    "max-outputs",
    "max-params",
    "max-resources",
    "max-variables",
    "nested-deployment-template-scoping",
    "no-conflicting-metadata",
    "no-deployments-resources",
    "no-explicit-any",
    "no-hardcoded-env-urls",
    "no-hardcoded-location",
    "no-loc-expr-outside-params",
    "no-module-name",
    "protect-commandtoexecute-secrets",
    "secure-params-in-nested-deploy",
    "simplify-json-null",
    "use-parent-property",
    "use-recent-api-versions",
    "use-recent-az-powershell-version",
    "use-recent-module-versions",
    "use-resource-id-functions",
    "use-resource-symbol-reference",
    "use-safe-access",
    "use-secure-value-for-secure-inputs",
    "use-stable-resource-identifiers",
    "use-stable-vm-image",
    "use-user-defined-types",
    "what-if-short-circuiting",
];

/// How much a rule matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is not looked at.
    Off,
    /// Shown as a warning: there is nothing less here.
    Info,
    /// It is told, and the work goes on.
    Warning,
    /// It stops the work.
    Error,
}

/// The levels of the rules; those that are not named are warnings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    levels: BTreeMap<String, Level>,
    is_off: bool,
    /// Names that are of no rule, and where they stand.
    unknown: Vec<(String, Span)>,
}

/// Why a file is no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub at: Span,
}

impl Config {
    /// Reads `analyzers.core` of a `bicepconfig.json`, which may have comments, and commas before a closing bracket. What it does
    /// not know it passes over: the file has much that is for others.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let json = parse_loosely(text)
            .map_err(|fault| ConfigError { message: fault.message, at: fault.span })?;
        let mut config = Self::default();
        let Some(core) = json.get("analyzers").and_then(|it| it.get("core")) else {
            return Ok(config);
        };
        config.is_off = core.get("enabled").is_some_and(|it| it.as_bool() == Some(false));
        let rules = core.get("rules").map(Json::members).unwrap_or_default();
        for rule in rules {
            let name = rule.name.as_str();
            if !is_rule(name) && !OTHERS.iter().any(|it| it.eq_ignore_ascii_case(name)) {
                config.unknown.push((name.to_owned(), rule.name_span));
            }
            let Some(level) = rule.value.get("level") else { continue };
            let known = level.as_text().and_then(|it| match it.to_ascii_lowercase().as_str() {
                "off" => Some(Level::Off),
                "info" => Some(Level::Info),
                "warning" => Some(Level::Warning),
                "error" => Some(Level::Error),
                _ => None,
            });
            let Some(known) = known else {
                let message = format!(
                    "the level of the rule `{}` must be `off`, `info`, `warning` or `error`",
                    rule.name
                );
                return Err(ConfigError { message, at: level.span });
            };
            config.levels.insert(rule.name.clone(), known);
        }
        Ok(config)
    }

    /// What is said of rules that there are not, at their places in the file.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let told = |(name, at): &(String, Span)| {
            let message = format!("the rule `{name}` does not exist, so its level is ignored");
            let warning = Diagnostic::warning(codes::UNKNOWN_RULE, message).at(*at, "");
            match near(name, RULES.iter().map(|it| it.as_str())) {
                Some(near) => warning.hint(format!("did you mean `{near}`?")),
                None => warning.hint("correct its name, or remove it"),
            }
        };
        self.unknown.iter().map(told).collect()
    }

    /// How much a rule matters.
    pub fn level(&self, rule: &str) -> Level {
        if self.is_off {
            return Level::Off;
        }
        self.levels.get(rule).copied().unwrap_or(Level::Warning)
    }

    /// Whether a rule of ours is an error.
    pub fn has_errors(&self) -> bool {
        RULES.iter().any(|it| self.level(it.as_str()) == Level::Error)
    }
}
