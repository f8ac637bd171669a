//! How much each rule matters: Bicep's `bicepconfig.json`, and what a command line adds.

use std::collections::BTreeMap;

use super::RULES;
use crate::arm::{Json, parse_json};

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
}

/// Why a file is no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub at: hangar_diag::Span,
}

impl Config {
    /// Reads `analyzers.core` of a `bicepconfig.json`, which may have comments. What it does not know it passes over:
    /// the file has much that is for others.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let json = parse_json(text)
            .map_err(|fault| ConfigError { message: fault.message, at: fault.span })?;
        let mut config = Self::default();
        let Some(core) = json.get("analyzers").and_then(|it| it.get("core")) else {
            return Ok(config);
        };
        config.is_off = core.get("enabled").is_some_and(|it| it.as_bool() == Some(false));
        let rules = core.get("rules").map(Json::members).unwrap_or_default();
        for rule in rules {
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
                    "the level of the rule `{}` is none of `off`, `info`, `warning` and `error`",
                    rule.name
                );
                return Err(ConfigError { message, at: level.span });
            };
            config.levels.insert(rule.name.clone(), known);
        }
        Ok(config)
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
