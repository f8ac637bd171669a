//! `ref+tfstate://…`, the spelling of vals, which its users have in their manifests.

use super::ReferenceError;
use super::source::{Source, Terraform, TerraformPart};

pub(super) const PREFIX: &str = "ref+tfstate://";

/// How long the reference is that a text begins with: to a blank, a quote or a `+`, as vals reads it.
pub(super) fn length(text: &str) -> usize {
    let body = &text[PREFIX.len()..];
    let mut depth = 0_usize;
    for (at, c) in body.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '+' if depth == 0 => return PREFIX.len() + at + 1,
            // A key in brackets may hold quotes.
            c if c.is_whitespace() || (depth == 0 && matches!(c, '"' | '\'' | ',' | ';')) => {
                return PREFIX.len() + at;
            }
            _ => {}
        }
    }
    text.len()
}

/// Reads one: a file, then what is wanted of it in Terraform's words.
pub(super) fn read(text: &str) -> Result<Source, ReferenceError> {
    let body = text[PREFIX.len()..].trim_end_matches('+');
    let (body, _) = body.split_once('?').unwrap_or((body, ""));
    let (file, wanted) = cut(body).ok_or_else(|| {
        ReferenceError::new(
            "it names no state, or nothing in the state",
            "write it like `ref+tfstate://infra/terraform.tfstate/aws_vpc.main.id`",
        )
    })?;
    let part = match wanted.strip_prefix("output.") {
        Some(output) => {
            let (name, path) = output.split_once('.').unwrap_or((output, ""));
            let path = (!path.is_empty()).then(|| path.to_owned());
            TerraformPart::Output { name: name.to_owned(), path }
        }
        None => TerraformPart::Expression(format!("${{{wanted}}}")),
    };
    Ok(Source::Terraform(Terraform { state: file.to_owned(), part }))
}

/// The file ends with its extension; without one, at the last slash.
fn cut(body: &str) -> Option<(&str, &str)> {
    let named = [".tfstate/", ".json/"]
        .into_iter()
        .find_map(|end| body.find(end).map(|at| at + end.len() - 1));
    let bracket = body.find('[').unwrap_or(body.len());
    let at = named.or_else(|| body[..bracket].rfind('/'))?;
    let (file, wanted) = (&body[..at], &body[at + 1..]);
    (!file.is_empty() && !wanted.is_empty()).then_some((file, wanted))
}
