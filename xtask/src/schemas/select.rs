//! Which of the two published schemas of a type the catalog takes.

use std::collections::BTreeMap;

use serde_json::Value;

/// Where a catalog entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// As AWS publishes it.
    Raw,
    /// As cfn-lint carries it: newer and wider, but edited.
    CfnLint,
}

impl Source {
    /// The word that the catalog uses.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::CfnLint => "cfnlint",
        }
    }
}

/// The raw entry wins; where it is absent or has no handlers and cfn-lint's has, that one is taken
/// whole. Never a mixture: a schema of two halves describes neither.
pub(crate) fn select(
    raw: BTreeMap<String, Value>,
    cfn_lint: BTreeMap<String, Value>,
) -> BTreeMap<String, (Source, Value)> {
    let mut chosen: BTreeMap<String, (Source, Value)> =
        raw.into_iter().map(|(name, schema)| (name, (Source::Raw, schema))).collect();
    for (name, schema) in cfn_lint {
        let better =
            chosen.get(&name).is_none_or(|(_, raw)| !has_handlers(raw) && has_handlers(&schema));
        if better {
            chosen.insert(name, (Source::CfnLint, schema));
        }
    }
    chosen
}

/// Whether Cloud Control can do anything with the type.
pub(crate) fn has_handlers(schema: &Value) -> bool {
    schema["handlers"].as_object().is_some_and(|handlers| !handlers.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn raw_wins_unless_only_the_other_has_handlers() {
        let with = json!({"handlers": {"read": {}}});
        let without = json!({});
        let set = |pairs: &[(&str, &Value)]| {
            pairs.iter().map(|(name, schema)| ((*name).to_owned(), (*schema).clone())).collect()
        };
        let raw = set(&[("both", &with), ("raw-bare", &without), ("bare", &without)]);
        let cfn_lint = set(&[
            ("both", &with),
            ("raw-bare", &with),
            ("bare", &without),
            ("new", &with),
            ("new-bare", &without),
        ]);
        let words: Vec<_> = select(raw, cfn_lint)
            .into_iter()
            .map(|(name, (source, _))| format!("{name} {}", source.word()))
            .collect();
        assert_eq!(
            words,
            ["bare raw", "both raw", "new cfnlint", "new-bare cfnlint", "raw-bare cfnlint"]
        );
    }
}
