//! Reads the text of an id: words between slashes, then scopes, then what each `providers` begins.

use std::iter::Peekable;
use std::vec::IntoIter;

use hangar_diag::{Diagnostic, Span, nearest};

use super::rules::{Flaw, Rule};
use super::{Family, ResourceId, Segment};
use crate::{codes, encoding, place};

pub(super) const PLANES: &str = "planes";
pub(super) const PROVIDERS: &str = "providers";
pub(super) const SUBSCRIPTIONS: &str = "subscriptions";

pub(super) fn parse(text: &str) -> Result<ResourceId, Diagnostic> {
    let mut words = words(text)?.into_iter().peekable();
    let mut id = ResourceId::new(root(&mut words)?);
    id.scopes = scopes(&mut words, id.family)?;
    // Where a list of segments ends and words are left, the next one is `providers`.
    if let Some(providers) = words.next() {
        id.types = types(&mut words, &providers, &id)?;
    }
    while let Some(providers) = words.next() {
        let extension = types(&mut words, &providers, &id)?;
        id.extensions.extend(extension);
    }
    Ok(id.keyed())
}

type Words<'a> = Peekable<IntoIter<Word<'a>>>;

/// What stands between two slashes.
struct Word<'a> {
    raw: &'a str,
    at: usize,
    /// The word decoded.
    text: String,
}

impl Word<'_> {
    fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }

    fn span(&self) -> Span {
        Span::new(self.at, self.at + self.raw.len())
    }

    /// The decoded word, if it may stand where `rule` holds.
    fn read(self, rule: Rule) -> Result<String, Diagnostic> {
        if let Err(flaw) = rule.check(&self.text) {
            return Err(flaw.diagnostic(&self.text, self.place_of(flaw)));
        }
        Ok(self.text)
    }

    fn place_of(&self, flaw: Flaw) -> Span {
        // A raw slash ends a word, so one inside it was written as a percent sequence.
        let encoded = self.raw.as_bytes().windows(3).position(|w| w.eq_ignore_ascii_case(b"%2f"));
        match (flaw, encoded) {
            (Flaw::Slash { .. }, Some(at)) => Span::new(self.at + at, self.at + at + 3),
            _ => self.span(),
        }
    }
}

/// Splits the text and decodes each word, once.
fn words(text: &str) -> Result<Vec<Word<'_>>, Diagnostic> {
    let Some(rest) = text.strip_prefix('/') else { return Err(no_leading_slash(text)) };
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let mut at = 1;
    let mut words = Vec::new();
    for raw in rest.strip_suffix('/').unwrap_or(rest).split('/') {
        let text = raw_word(raw).map_err(|diagnostic| place::moved(diagnostic, at))?;
        words.push(Word { raw, at, text });
        at += raw.len() + 1;
    }
    Ok(words)
}

/// Refuses what may not stand raw in any word, and decodes it.
fn raw_word(raw: &str) -> Result<String, Diagnostic> {
    match raw {
        // The slash that ends it is what should not be there.
        "" => return Err(Flaw::Empty.diagnostic(raw, Span::byte(0))),
        "." | ".." => return Err(Flaw::Dots.in_word(raw)),
        _ if raw.starts_with(':') => return Err(Flaw::Action.in_word(raw)),
        _ => {}
    }
    for (at, c) in raw.char_indices() {
        if c.is_control() {
            return Err(control(at, c));
        }
        if matches!(c, '?' | '#') {
            return Err(query(at, c));
        }
    }
    encoding::decode(raw)
}

/// Takes `planes` where it stands; the words of an Azure root are a scope and `providers`.
fn root(words: &mut Words) -> Result<Family, Diagnostic> {
    let Some(first) = words.peek() else { return Ok(Family::Arm) };
    if first.is(PLANES) {
        words.next();
        return Ok(Family::Ucp);
    }
    if first.is(SUBSCRIPTIONS) || first.is(PROVIDERS) {
        return Ok(Family::Arm);
    }
    Err(unknown_root(&first.text, first.span()))
}

/// Reads pairs up to the first `providers`.
fn scopes(words: &mut Words, family: Family) -> Result<Vec<Segment>, Diagnostic> {
    let mut scopes: Vec<Segment> = Vec::new();
    while let Some(word) = words.next_if(|word| !word.is(PROVIDERS)) {
        let is_plane = scopes.is_empty() && family == Family::Ucp;
        let scope_type = word.read(Rule::Plain)?;
        let name = match words.next() {
            Some(next) if next.is(PROVIDERS) && is_plane => return Err(no_plane_name(&next)),
            Some(next) if next.is(PROVIDERS) => return Err(odd_scope(&scope_type, &next)),
            Some(next) => Some(next.read(Rule::Plain)?),
            None => None,
        };
        scopes.push(Segment::new(scope_type, name));
    }
    match words.peek() {
        Some(providers) if scopes.is_empty() && family == Family::Ucp => Err(no_plane(providers)),
        _ => Ok(scopes),
    }
}

/// Reads what follows one `providers` up to the next: a namespace, then types with their names.
fn types(
    words: &mut Words,
    providers: &Word,
    scope: &ResourceId,
) -> Result<Vec<Segment>, Diagnostic> {
    let Some(namespace) = words.next_if(|word| !word.is(PROVIDERS)) else {
        return Err(no_namespace(providers));
    };
    let namespace_span = namespace.span();
    let namespace = namespace.read(Rule::Plain)?;
    let rule = scope.rule_below(&namespace);
    // A first type may be called `providers`: `Microsoft.Features/providers` is.
    let Some(first) = words.next() else { return Err(no_type(&namespace, namespace_span)) };
    let mut type_text = format!("{namespace}/{}", first.read(Rule::Plain)?);
    let mut segments = Vec::new();
    loop {
        let Some(name) = words.next() else {
            segments.push(Segment::new(type_text, None));
            return Ok(segments);
        };
        if name.is(PROVIDERS) && words.peek().is_some() {
            return Err(missing_name(&type_text, name.span()));
        }
        segments.push(Segment::new(type_text, Some(name.read(rule)?)));
        let Some(nested) = words.next_if(|word| !word.is(PROVIDERS)) else { return Ok(segments) };
        type_text = nested.read(Rule::Plain)?;
    }
}

fn no_leading_slash(text: &str) -> Diagnostic {
    let first = text.chars().next();
    let span = first.map_or(Span::new(0, 0), |c| place::character(0, c));
    let hint = if text.is_empty() {
        "write an id such as `/planes/radius/local`".to_owned()
    } else if text.starts_with("arn:") {
        "this is an ARN; `hangar id from-arn` converts it to an id such as `/planes/aws/…`"
            .to_owned()
    } else if text.contains("://") {
        "remove the scheme and the host of the URL".to_owned()
    } else if ResourceId::parse(&format!("/{text}")).is_ok() {
        format!("write `/{text}`")
    } else {
        "an id starts with `/planes/…`, `/subscriptions/…` or `/providers/…`".to_owned()
    };
    Diagnostic::error(codes::NO_LEADING_SLASH, format!("the id `{text}` does not start with `/`"))
        .at(span, "a slash is missing before this")
        .hint(hint)
}

pub(super) fn unknown_root(word: &str, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_ROOT, format!("an id cannot start with `/{word}`"))
            .at(span, "not the start of an id");
    match nearest(word, [PLANES, SUBSCRIPTIONS, PROVIDERS]) {
        Some(near) => diagnostic.hint(format!("did you mean `/{near}`?")),
        None => diagnostic.hint("start the id with `/planes`, `/subscriptions` or `/providers`"),
    }
}

pub(super) fn missing_name(type_text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::MISSING_NAME,
        format!("the `{type_text}` has no name before `/providers`"),
    )
    .at(span, "a name is missing before this")
    .hint(format!("write the name of the `{type_text}` before `/providers`"))
}

fn control(at: usize, c: char) -> Diagnostic {
    let code = u32::from(c);
    Diagnostic::error(
        codes::CONTROL_CHARACTER,
        format!("the id contains the control character U+{code:04X}"),
    )
    .at(place::character(at, c), "a control character")
    .hint("remove it, or percent-encode it if it is part of a name")
}

fn query(at: usize, c: char) -> Diagnostic {
    let encoded = if c == '?' { "%3F" } else { "%23" };
    Diagnostic::error(codes::QUERY, format!("the id contains an unencoded `{c}`"))
        .at(place::character(at, c), "the query or fragment of a URL starts here")
        .hint(format!(
            "remove the query or fragment; write a `{c}` that is part of a name as `{encoded}`"
        ))
}

fn no_plane(providers: &Word) -> Diagnostic {
    Diagnostic::error(
        codes::MISSING_PLANE,
        "the plane's type and name are missing before `/providers`",
    )
    .at(providers.span(), "a plane is missing before this")
    .hint("write the plane, as in `/planes/radius/local/providers/…`")
}

fn no_plane_name(providers: &Word) -> Diagnostic {
    Diagnostic::error(codes::MISSING_PLANE, "the plane's name is missing before `/providers`")
        .at(providers.span(), "a plane's name is missing before this")
        .hint("write the plane's name, as in `/planes/radius/local/providers/…`")
}

fn odd_scope(scope_type: &str, providers: &Word) -> Diagnostic {
    Diagnostic::error(
        codes::ODD_SCOPE,
        format!("the scope `{scope_type}` has no name before `/providers`"),
    )
    .at(providers.span(), "a name is missing before this")
    .hint(format!(
        "write `/{scope_type}/<name>` before `/providers`; a scope cannot be named `providers`"
    ))
}

fn no_namespace(providers: &Word) -> Diagnostic {
    Diagnostic::error(
        codes::INCOMPLETE_PROVIDERS,
        "`providers` is not followed by a namespace and a type",
    )
    .at(providers.span(), "a namespace is missing after this")
    .hint("write the type after it, as in `/providers/AWS.EC2/VPC`, or remove `/providers`")
}

fn no_type(namespace: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::INCOMPLETE_PROVIDERS,
        format!("the namespace `{namespace}` is not followed by a type"),
    )
    .at(span, "a type is missing after this")
    .hint(format!("write a type after it, as in `/providers/{namespace}/<type>`"))
}
