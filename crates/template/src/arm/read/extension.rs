//! Extensions, in both dialects: `imports` with `provider`, `extensions` with `name`.

use hangar_diag::Span;

use super::{Reader, name_of};
use crate::arm::json::Json;
use crate::codes;
use crate::ir::{Entry, Expression, ExpressionKind, Extension, ExtensionDeclaration, Key, Name};
use crate::near::near;

impl<'j> Reader<'j, '_, '_> {
    pub(super) fn declare_extensions(&mut self, json: &'j Json) {
        for (section, field) in [("imports", "provider"), ("extensions", "name")] {
            for member in self.section(json, section) {
                let Some(provider) = member.value.get(field).and_then(Json::as_text) else {
                    let message = format!("the extension lacks the required property `{field}`");
                    self.error(codes::UNKNOWN_EXTENSION, member.name_span, message);
                    continue;
                };
                let found = Extension::ALL
                    .into_iter()
                    .find(|it| it.as_str().eq_ignore_ascii_case(provider));
                let Some(extension) = found else {
                    let names = Extension::ALL.map(Extension::as_str);
                    let message = format!("the extension `{provider}` does not exist");
                    let near = near(&provider.to_ascii_lowercase(), names);
                    let hint = near.map_or_else(
                        || format!("available extensions: `{}`", names.join("`, `")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let span = member.value.get(field).map_or(member.name_span, |it| it.span);
                    self.error(codes::UNKNOWN_EXTENSION, span, message).hints.push(hint);
                    continue;
                };
                self.declare_extension(name_of(member), extension);
            }
        }
    }

    fn declare_extension(&mut self, name: Name, extension: Extension) -> usize {
        let at = self.unit.extensions.len();
        self.extensions.insert(name.text.to_ascii_lowercase(), at);
        self.unit.extensions.push(ExtensionDeclaration { name, extension, configuration: None });
        at
    }

    /// What the extensions are configured with, once all names are known.
    pub(super) fn read_extensions(&mut self, json: &'j Json) {
        for section in ["imports", "extensions"] {
            for member in self.section(json, section) {
                let at = self.extensions.get(&member.name.to_ascii_lowercase()).copied();
                if let (Some(at), Some(config)) = (at, member.value.get("config")) {
                    let config = self.configuration(config, section);
                    self.unit.extensions[at].configuration = Some(config);
                }
            }
        }
    }

    fn configuration(&mut self, config: &'j Json, section: &str) -> Expression {
        if section == "imports" {
            return self.value(config);
        }
        // The newer dialect says the value and where it may come from.
        let mut entries = Vec::new();
        for member in config.members() {
            let wrapped = member.value.get("value").or_else(|| member.value.get("defaultValue"));
            let value = self.value(wrapped.unwrap_or(&member.value));
            entries.push(Entry::Member { key: Key::Fixed(name_of(member)), value });
        }
        Expression::new(ExpressionKind::Object(entries), config.span)
    }

    /// The extension that a resource names; nothing where it names none.
    pub(super) fn extension_of(&mut self, json: &'j Json) -> Option<Result<usize, ()>> {
        let alias = json.get("import").or_else(|| json.get("extension"))?;
        let text = alias.as_text().unwrap_or_default();
        if let Some(at) = self.extensions.get(&text.to_ascii_lowercase()) {
            return Some(Ok(*at));
        }
        let names: Vec<String> =
            self.unit.extensions.iter().map(|it| it.name.text.to_string()).collect();
        let message = format!("no extension with the name `{text}` is declared");
        let hint = match names.as_slice() {
            [] => "declare it in `imports`, as in `\"imports\": {\"aws\": {\"provider\": \"AWS\", \
                   \"version\": \"latest\"}}`"
                .to_owned(),
            names => format!("declared extensions: `{}`", names.join("`, `")),
        };
        self.error(codes::NO_AWS_EXTENSION, alias.span, message).hints.push(hint);
        Some(Err(()))
    }

    /// The extension of AWS for a type that names none: the one that is called so, or one that is made.
    pub(super) fn aws_extension(&mut self, span: Span) -> usize {
        let is_aws = |it: &ExtensionDeclaration| it.extension == Extension::Aws;
        let named = self.extensions.get("aws").copied();
        let found = named.filter(|it| is_aws(&self.unit.extensions[*it]));
        found.or_else(|| self.unit.extensions.iter().position(is_aws)).unwrap_or_else(|| {
            self.declare_extension(Name { text: "aws".into(), span }, Extension::Aws)
        })
    }
}
