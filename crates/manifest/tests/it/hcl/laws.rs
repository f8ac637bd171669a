//! What holds for any text taken as an expression, a template, an address or a path.

use hangar_manifest::deployed::{Deployed, codes};
use hangar_manifest::hcl::{Expression, HclError, parse_expression, parse_template};
use hangar_manifest::state;

/// A state of few resources under short names, with something sensitive.
const STATE: &str = r#"{"version": 4, "serial": 1, "lineage": "x", "outputs": {"o": {"value": [1, "a"], "type": "dynamic"}},
  "resources": [{"mode": "managed", "type": "t", "name": "n", "provider": "provider[\"x/y/z\"]", "instances": [
    {"attributes": {"id": "i", "n": 1.50, "l": ["a", {"b": null}], "m": {"a.b": {"c": 1}, "a": {"b.c": 2}}, "d": {"value": {"k": true}, "type": ["object", {"k": "bool"}]}},
     "sensitive_attributes": [[{"type": "get_attr", "value": "m"}, {"type": "get_attr", "value": "a"}]]}]},
  {"mode": "data", "type": "t", "name": "n", "module": "module.a[0]", "provider": "provider[\"x/y/z\"]", "instances": [
    {"index_key": 0, "attributes": {"id": "x"}}, {"index_key": 1, "attributes": {"id": "y"}, "status": "tainted"}]},
  {"mode": "managed", "type": "t", "name": "e", "provider": "provider[\"x/y/z\"]", "instances": [
    {"index_key": "a", "attributes": {"id": "x"}}, {"index_key": "b", "deposed": "1", "attributes": {"id": "y"}}]}]}"#;

/// Holds for any text.
#[allow(unreachable_pub, reason = "the fuzz target takes the file as its own")]
pub fn laws(text: &str) {
    let state = state::read(STATE.as_bytes()).expect("it is a state");
    let deployed = Deployed::new(&state);
    evaluated(&deployed, text, parse_expression(text));
    evaluated(&deployed, text, parse_template(text));
    let (address, path) = text.split_once('#').unwrap_or(("t.n", text));
    for error in [
        deployed.attribute(address, path).err(),
        deployed.attribute(text, "").err(),
        deployed.output(text).err(),
    ]
    .into_iter()
    .flatten()
    {
        assert!(is_listed(error.code().as_str()), "{error}");
        assert!(!error.to_string().is_empty() && !error.hint().is_empty());
    }
}

fn evaluated(deployed: &Deployed<'_>, text: &str, parsed: Result<Expression, HclError>) {
    let is_inside = |span: hangar_diag::Span| {
        span.start <= span.end
            && text.is_char_boundary(span.start)
            && text.is_char_boundary(span.end)
    };
    match parsed {
        Err(error) => {
            assert!(is_inside(error.span), "{text:?}: {error} {:?}", error.span);
            assert!(is_listed(error.code().as_str()));
        }
        Ok(tree) => {
            assert!(is_inside(tree.span), "{text:?} {:?}", tree.span);
            let found = deployed.evaluate(&tree);
            assert_eq!(found, deployed.evaluate(&tree), "the same text has the same value");
            if let Err(error) = found {
                assert!(is_inside(error.span()), "{text:?}: {error} {:?}", error.span());
                assert!(is_listed(error.code().as_str()), "{error}");
                assert!(!error.hint().is_empty());
            }
        }
    }
}

fn is_listed(code: &str) -> bool {
    codes::ALL.iter().any(|(listed, _)| listed.as_str() == code)
}
