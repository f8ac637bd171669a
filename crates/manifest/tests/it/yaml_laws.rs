//! What holds for any text that is given as YAML: no panic, no byte changed without an edit, and an edit made or refused.

use hangar_manifest::cloudformation::text;
use hangar_manifest::token;
use hangar_manifest::yaml::{Edit, With, read, splice};
use serde_json::json;

/// Runs the laws on one text.
pub(crate) fn yaml_laws(whole: &str) {
    let _ = text::parse(whole);
    for token in token::find(whole) {
        assert!(whole.get(token.range.clone()).is_some());
    }
    let Ok(stream) = read(whole) else { return };
    assert_eq!(splice(&stream, &[]).expect("nothing is asked for"), whole);
    for (index, scalar) in stream.scalars().iter().enumerate() {
        assert!(whole.get(scalar.span.start..scalar.span.end).is_some());
        let _ = (stream.key(scalar).pointer(), stream.object(scalar).to_string(), scalar.value());
        if index > 4 {
            continue;
        }
        let part = With::Parts(vec![(0..scalar.text.len(), "12".to_owned())]);
        for with in [part, With::Whole(json!("a: b\n")), With::Whole(json!([1, {"c": null}]))] {
            let Ok(result) = splice(&stream, &[Edit { scalar: index, with }]) else { continue };
            let before = &whole[..scalar.span.start];
            assert!(result.starts_with(before), "{whole:?} became {result:?}");
            assert!(result.ends_with(&whole[scalar.span.end..]) || scalar.is_unwritten());
            assert!(read(&result).is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::yaml_laws;

    proptest! {
        #[test]
        fn any_text_keeps_the_laws(text in any::<String>()) {
            yaml_laws(&text);
        }

        #[test]
        fn any_text_that_looks_like_yaml_keeps_the_laws(
            text in "(a: |b: \\||c: >-|- |\\? |\n|\n  |\n    |x|\"|'|\\[|\\]|\\{|\\}|, |#c| |\\$\\{x\\}|&a |\\*a|!!str |!Ref |---\n|\r\n|1|: |é){0,30}",
        ) {
            yaml_laws(&text);
        }
    }
}
