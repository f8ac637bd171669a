//! Which provider an instance belongs to, in the many ways in which states write it.

use std::borrow::Cow;
use std::fmt;

/// A provider's address, and which configuration of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider<'a> {
    /// The registry's host: `registry.terraform.io`.
    pub host: Cow<'a, str>,
    /// The publisher: `hashicorp`, or `-` where an old state does not tell it.
    pub namespace: Cow<'a, str>,
    /// The provider: `aws`.
    pub kind: Cow<'a, str>,
    /// Which configuration, where it is not the default one; with the key of an instance of it.
    pub alias: Option<Cow<'a, str>>,
}

const REGISTRY: &str = "registry.terraform.io";
const LEGACY: &str = "-";

impl<'a> Provider<'a> {
    /// Reads what a raw state has: `module.m.provider["host/namespace/kind"].alias`, `provider.aws.alias`.
    /// What is none of these is taken for the name of a legacy provider.
    pub fn of_configuration(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::read(text),
            Cow::Owned(text) => Provider::read(&text).into_owned(),
        }
    }

    /// Reads what `show -json` has: `host/namespace/kind`, or a name before Terraform 0.13.
    pub fn of_name(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::source(text, None),
            Cow::Owned(text) => Provider::source(&text, None).into_owned(),
        }
    }

    /// The provider that a type's name begins with, where a state names none.
    pub fn of_type(type_name: &str) -> Self {
        let kind = type_name.split('_').next().unwrap_or_default();
        Provider::source(kind, None).into_owned()
    }

    fn read(text: &'a str) -> Self {
        let configuration = after_modules(text);
        if let Some(quoted) = configuration.strip_prefix("[\"") {
            let (source, rest) = quoted.split_once("\"]").unwrap_or((quoted, ""));
            return Self::source(source, rest.strip_prefix('.'));
        }
        let name = configuration.trim_start_matches('.').trim();
        match name.split_once('.') {
            Some((kind, alias)) => Self::source(kind.trim(), Some(alias)),
            None => Self::source(name, None),
        }
    }

    fn source(text: &'a str, alias: Option<&'a str>) -> Self {
        let parts: Vec<&str> = text.split('/').collect();
        let (host, namespace, kind) = match parts[..] {
            [host, namespace, kind] => (host, namespace, kind),
            [namespace, kind] => (REGISTRY, namespace, kind),
            // The only one that never had a publisher is built in.
            ["terraform"] => ("terraform.io", "builtin", "terraform"),
            _ => (REGISTRY, LEGACY, text),
        };
        let alias = alias.filter(|alias| !alias.is_empty()).map(Cow::Borrowed);
        Self { host: host.into(), namespace: namespace.into(), kind: kind.into(), alias }
    }

    fn into_owned(self) -> Provider<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Provider {
            host: owned(self.host),
            namespace: owned(self.namespace),
            kind: owned(self.kind),
            alias: self.alias.map(owned),
        }
    }

    /// Whether it is this provider as HashiCorp publishes it, whatever registry it came from.
    pub fn is_hashicorps(&self, kind: &str) -> bool {
        let is = |text: &str, other: &str| text.eq_ignore_ascii_case(other);
        is(&self.kind, kind) && (is(&self.namespace, "hashicorp") || self.namespace == LEGACY)
    }
}

/// Prints the provider's address without its configuration.
impl fmt::Display for Provider<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.namespace, self.kind)
    }
}

/// What follows the word `provider`; keys of modules may hold that word, too, and any bracket.
fn after_modules(text: &str) -> &str {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix("module.") {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        rest = after_key(&after[end..]);
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    rest.strip_prefix("provider").filter(|rest| rest.starts_with(['.', '['])).unwrap_or(rest)
}

/// What follows the key of a module, if it has one.
fn after_key(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('[') else { return text };
    if !inner.starts_with('"') {
        return inner.split_once(']').map_or("", |(_, rest)| rest);
    }
    let mut is_escaped = false;
    let end = inner.char_indices().skip(1).find(|&(_, c)| {
        let closes = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        closes
    });
    end.map_or("", |(at, _)| inner[at + 1..].strip_prefix(']').unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(provider: &Provider<'_>) -> String {
        let alias = provider.alias.as_deref().map(|alias| format!(" {alias}"));
        format!("{provider}{}", alias.unwrap_or_default())
    }

    #[test]
    fn every_way_of_writing_a_configuration_is_read() {
        for (text, wanted) in [
            (
                r#"provider["registry.terraform.io/hashicorp/aws"]"#,
                "registry.terraform.io/hashicorp/aws",
            ),
            (
                r#"provider["registry.terraform.io/hashicorp/aws"].west"#,
                "registry.terraform.io/hashicorp/aws west",
            ),
            (
                r#"module.m.provider["registry.terraform.io/hashicorp/aws"].x"#,
                "registry.terraform.io/hashicorp/aws x",
            ),
            (r#"module.m["provider[\"]"].module.n[0].provider["h/n/t"]"#, "h/n/t"),
            (
                r#"provider["registry.opentofu.org/hashicorp/aws"].by["eu-west-1"]"#,
                r#"registry.opentofu.org/hashicorp/aws by["eu-west-1"]"#,
            ),
            (r#"provider["terraform.io/builtin/terraform"]"#, "terraform.io/builtin/terraform"),
            ("provider.aws", "registry.terraform.io/-/aws"),
            ("provider.aws.west", "registry.terraform.io/-/aws west"),
            ("module.x.provider.aws", "registry.terraform.io/-/aws"),
            ("provider. null", "registry.terraform.io/-/null"),
            ("provider.terraform", "terraform.io/builtin/terraform"),
            ("aws", "registry.terraform.io/-/aws"),
            ("aws.west", "registry.terraform.io/-/aws west"),
        ] {
            assert_eq!(shown(&Provider::of_configuration(text.into())), wanted, "{text}");
            assert_eq!(shown(&Provider::of_configuration(text.to_owned().into())), wanted);
        }
        assert_eq!(shown(&Provider::of_type("aws_vpc")), "registry.terraform.io/-/aws");
        assert_eq!(shown(&Provider::of_name("aws".into())), "registry.terraform.io/-/aws");
        assert_eq!(shown(&Provider::of_name("h/n/t".into())), "h/n/t");
    }

    #[test]
    fn hashicorps_providers_are_known_from_any_registry_and_from_old_states() {
        let is_aws = |text: &str| Provider::of_name(text.to_owned().into()).is_hashicorps("aws");
        assert!(
            is_aws("registry.terraform.io/hashicorp/aws")
                && is_aws("registry.opentofu.org/hashicorp/aws")
        );
        assert!(is_aws("aws") && !is_aws("registry.terraform.io/someone/aws"));
    }

    #[test]
    fn no_text_panics() {
        for text in [
            "",
            "provider",
            "provider[\"",
            "module.",
            "module.a[",
            "module.a[\"",
            "module.a[\"\\",
            "provider.",
            "[\"\"]",
            "///",
        ] {
            let _ = Provider::of_configuration(text.into());
        }
    }
}
