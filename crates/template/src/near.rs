//! "Did you mean": the nearest name, where that says something.

/// The candidate nearest to what was typed. Of names of one or two letters every other one is near, so
/// only the case may differ in those.
pub(crate) fn near<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let found = hangar_diag::nearest(typed, candidates)?;
    let says_something = typed.chars().count() > 2 || found.eq_ignore_ascii_case(typed);
    says_something.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_near_only_in_another_case() {
        assert_eq!(near("a", ["b", "c"]), None);
        assert_eq!(near("Id", ["id", "ids"]), Some("id"));
        assert_eq!(near("nmae", ["name"]), Some("name"));
    }
}
