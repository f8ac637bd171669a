//! Secrets that are not kept.

use hangar_diag::Span;

use super::{Found, Scene, below, called, is_decorated};
use crate::codes;
use crate::syntax::TokenKind;
use crate::syntax::ast::{Expression, Output, Param, Statement, TypeExpression};

pub(super) fn look(file: &Scene<'_>, found: &mut Found) {
    for statement in &file.statements {
        match statement {
            Statement::Param(param) if is_decorated(*statement, "secure") => default(*param, found),
            Statement::Param(param) => open_parameter(*param, found),
            Statement::Output(output) if !is_decorated(*statement, "secure") => {
                put_out(*output, found);
            }
            _ => {}
        }
    }
}

/// A default of a secure parameter is in the file for all to read, unless it is empty or another one each time.
fn default(param: Param<'_>, found: &mut Found) {
    let Some(value) = param.value() else { return };
    let is_empty = match value {
        Expression::String(text) => text.literal().is_some_and(|it| it.is_empty()),
        Expression::Object(object) => object.items().next().is_none(),
        _ => false,
    };
    let is_new = below(value.node()).any(|it| called(it) == Some("newGuid"));
    let is_null = value.node().text() == "null";
    if is_empty || is_new || is_null {
        return;
    }
    let start =
        param.node().token(TokenKind::Assign).map_or(value.span().start, |it| it.span().start);
    let name = param.name().map_or("", |it| it.text());
    let message =
        format!("the default of the secure parameter `{name}` is in plain text in the template");
    let hint = "remove the default, and pass the value when you deploy";
    found.tell(codes::SECURE_DEFAULT, Span::new(start, value.span().end), message, hint);
}

/// A parameter that is called as secrets are.
fn open_parameter(param: Param<'_>, found: &mut Found) {
    let Some(name) = param.name().filter(|it| is_secret_name(it.text())) else { return };
    let is_plain = matches!(
        param.type_expression(),
        Some(TypeExpression::TypeName(it)) if matches!(it.node().text(), "string" | "object")
    );
    if is_plain {
        let message = format!(
            "the parameter `{}` looks like a secret, but its value is shown and stored",
            name.text()
        );
        let hint = "write `@secure()` before it";
        found.tell(codes::SECURE_SECRETS_IN_PARAMS, name.span(), message, hint);
    }
}

/// An output that is called as secrets are, or reads keys.
fn put_out(output: Output<'_>, found: &mut Found) {
    let hint = "write `@secure()` before it, or remove it";
    let code = codes::OUTPUT_SECRETS;
    if let Some(name) = output.name().filter(|it| is_secret_name(it.text())) {
        let message = format!("the output `{}` looks like a secret", name.text());
        found.tell(code, name.span(), message, hint);
    }
    let Some(value) = output.value() else { return };
    for node in below(value.node()) {
        let is_keys =
            |it: &str| it.starts_with("list") && (it.ends_with("Keys") || it.ends_with("Secrets"));
        if called(node).is_some_and(is_keys) {
            found.tell(code, node.span(), "the output contains keys", hint);
        }
    }
}

/// Whether a name ends as names of secrets do. One of a secret's name, place or length does not.
pub(super) fn is_secret_name(name: &str) -> bool {
    const ENDS: [&str; 8] = [
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "secret",
        "secretvalue",
        "apikey",
        "privatekey",
    ];
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    ENDS.iter().any(|it| name.ends_with(it))
}
