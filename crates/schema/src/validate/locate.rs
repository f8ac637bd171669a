//! From pointers to places in the text that a document was read from.

use hangar_diag::{Diagnostic, Span};

use crate::codes;
use crate::json::Document;

/// Gives each diagnostic that has a pointer and no place yet its place in the text.
///
/// What is wrong with a name is shown at the key, what is wrong with a value at the value. A
/// pointer that leads nowhere in the document is left alone. Afterwards they stand in the order of
/// the text.
///
/// ```
/// # use hangar_schema::{Catalog, Purpose, json, locate, validate};
/// let schema = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let text = r#"{"CidrBlok": "10.0.0.0/16"}"#;
/// let document = json::read(text)?;
/// let mut diagnostics = validate(&schema, document.value(), Purpose::Desired);
/// locate(&mut diagnostics, &document);
/// let span = diagnostics[0].span().unwrap();
/// assert_eq!(&text[span.start..span.end], r#""CidrBlok""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locate(diagnostics: &mut [Diagnostic], document: &Document) {
    for diagnostic in diagnostics.iter_mut() {
        if !diagnostic.labels.is_empty() {
            continue;
        }
        let Some(pointer) = diagnostic.pointer.as_deref() else { continue };
        let Some(value) = document.span_of(pointer) else { continue };
        let key = document.key_span_of(pointer);
        let (span, text) = match Aspect::of(diagnostic) {
            Aspect::Name(text) => (key.unwrap_or(value), text),
            Aspect::Lack => (key.unwrap_or(Span::byte(value.start)), "in this object"),
            Aspect::Value => (value, ""),
        };
        *diagnostic = diagnostic.clone().at(span, text);
    }
    // As a reader meets them; what has no place speaks of the whole and comes first.
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
}

/// What a diagnostic finds fault with.
enum Aspect {
    /// That the member is there.
    Name(&'static str),
    /// That a member is not there: the object may be long, so its key or first byte is shown.
    Lack,
    Value,
}

impl Aspect {
    fn of(diagnostic: &Diagnostic) -> Self {
        let lacks = [
            codes::MISSING_PROPERTY,
            codes::MISSING_DEPENDENCY,
            codes::NO_ALTERNATIVE,
            codes::SEVERAL_ALTERNATIVES,
            codes::CHECKED_IN_PART,
        ];
        match diagnostic.code {
            codes::UNKNOWN_PROPERTY => Self::Name("unknown property"),
            codes::READ_ONLY_PROPERTY | codes::READ_ONLY_STATED => Self::Name("set by AWS"),
            codes::DEPRECATED_PROPERTY => Self::Name("deprecated"),
            codes::OTHER_ALTERNATIVE => Self::Name("belongs to another alternative"),
            code if lacks.contains(&code) => Self::Lack,
            _ => Self::Value,
        }
    }
}
