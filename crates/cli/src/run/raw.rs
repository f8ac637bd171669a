//! Raw tokens in manifests that a command printed or wrote past the hook, each with its place.

use hangar_diag::{Diagnostic, Span};
use hangar_manifest::resolve::{Draft, codes};
use hangar_manifest::token;

/// The raw tokens of a text. Without any that a reader of YAML would see, there is none.
pub(crate) fn tokens_in(text: &str) -> Vec<Diagnostic> {
    match Draft::read(text) {
        Ok(draft) => draft.raw_tokens(),
        // A log behind the manifest, for example.
        Err(_) => token::find(text).iter().map(|raw| in_lines(text, raw)).collect(),
    }
}

/// A token in a text that is not YAML as a whole.
fn in_lines(text: &str, raw: &token::RawToken) -> Diagnostic {
    let shown: String = text[raw.range.clone()].chars().take(60).collect();
    let span = Span::new(raw.range.start, raw.range.end);
    Diagnostic::error(codes::RAW_TOKEN, format!("`{shown}` is an unresolved token"))
        .at(span, "")
        .hint(raw.explanation())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_places_also_where_a_log_follows() {
        let manifest = "apiVersion: v1\nkind: Secret\ndata:\n  a: x${Token[TOKEN.3]}\n";
        let [of_yaml] = &tokens_in(manifest)[..] else { panic!() };
        assert_eq!(of_yaml.pointer.as_deref(), Some("/data/a"));
        let [of_lines] = &tokens_in(&format!("{manifest}done: [\n"))[..] else { panic!() };
        assert_eq!(of_lines.span().map(|span| span.start), manifest.find("${"));
        assert!(of_lines.hints[0].contains("TOKEN.3"));
        assert!(tokens_in("apiVersion: v1 # ${Token[TOKEN.3]}\n").is_empty());
    }
}
