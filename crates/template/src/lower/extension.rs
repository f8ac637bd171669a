//! Extensions: which there are, by which names, and their older spellings.

use hangar_diag::Diagnostic;

use super::Lowering;
use super::expression::Here;
use crate::codes;
use crate::ir::{Extension, ExtensionDeclaration, Name};
use crate::near::near;
use crate::syntax::ast::{self, Statement};

impl<'t> Lowering<'t> {
    /// Notes an extension; nothing where it is unknown.
    pub(super) fn extension(&mut self, view: ast::Extension<'t>) -> Option<usize> {
        self.no_decorators(Statement::Extension(view));
        let (written, span) = match (view.specification(), view.name()) {
            (Some(string), _) => (string.literal()?, string.span()),
            (None, Some(name)) => (name.text().to_owned(), name.span()),
            (None, None) => return None,
        };
        // `kubernetes@1.0.0` was how a version was asked for.
        let plain = written.split('@').next().unwrap_or_default();
        let found = Extension::ALL.into_iter().find(|it| it.as_str() == plain);
        let Some(extension) = found else {
            let names = Extension::ALL.map(Extension::as_str);
            let message = format!("the extension `{written}` does not exist");
            let hint = match near(plain, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("available extensions: `{}`", names.join("`, `")),
            };
            self.error(codes::UNKNOWN_EXTENSION, span, message).hints.push(hint);
            return None;
        };
        self.warn_old_spelling(view, extension);
        let name = view.alias().map_or_else(
            || Name { text: extension.as_str().into(), span },
            |alias| Name { text: alias.text().into(), span: alias.span() },
        );
        self.extensions.push(ExtensionDeclaration { name, extension, configuration: None });
        Some(self.extensions.len() - 1)
    }

    /// What it is configured with, once all names of the file are known.
    pub(super) fn extension_configuration(&mut self, index: usize, view: ast::Extension<'t>) {
        let configuration = view
            .configuration()
            .map(|object| self.expression(ast::Expression::Object(object), Here::Value));
        self.extensions[index].configuration = configuration;
    }

    fn warn_old_spelling(&mut self, view: ast::Extension<'t>, extension: Extension) {
        let tokens: Vec<_> = view.node().tokens().collect();
        let keyword = tokens.iter().find(|it| it.kind() == crate::syntax::TokenKind::Identifier);
        let Some(keyword) = keyword.filter(|it| it.text() != "extension") else { return };
        let name = extension.as_str();
        let alias = view.alias().map(ast::Name::text).filter(|alias| *alias != name);
        let with = if view.configuration().is_some() { " with { … }" } else { "" };
        let alias = alias.map(|alias| format!(" as {alias}")).unwrap_or_default();
        let message = format!("`{}` is the old keyword for an extension", keyword.text());
        let hint = format!("write `extension {name}{with}{alias}`");
        let diagnostic = Diagnostic::warning(codes::OLD_SPELLING, message);
        self.tell(diagnostic.at(keyword.span(), "").hint(hint));
    }
}
