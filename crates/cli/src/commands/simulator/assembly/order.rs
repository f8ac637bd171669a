//! The order of artifacts: each after those that it depends on, and by their names otherwise.

use std::collections::{BTreeMap, BTreeSet};

/// Puts names in order; an error is a name that depends on itself in the end. Names that nobody has are
/// passed over: an assembly may name what another one has.
pub(super) fn ordered<'a>(
    edges: impl IntoIterator<Item = (&'a str, &'a [String])>,
) -> Result<Vec<&'a str>, String> {
    let edges: BTreeMap<&str, &[String]> = edges.into_iter().collect();
    let mut waits: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, after) in &edges {
        let known = after.iter().map(String::as_str).filter(|it| edges.contains_key(it));
        waits.insert(name, known.collect());
    }
    let mut ordered = Vec::with_capacity(edges.len());
    while !waits.is_empty() {
        let ready: Vec<&str> =
            waits.iter().filter(|(_, after)| after.is_empty()).map(|(name, _)| *name).collect();
        if ready.is_empty() {
            let stuck = waits.into_keys().next().unwrap_or_default();
            return Err(stuck.to_owned());
        }
        for name in &ready {
            waits.remove(name);
        }
        for after in waits.values_mut() {
            for name in &ready {
                after.remove(name);
            }
        }
        ordered.extend(ready);
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(edges: &[(&'static str, &[&str])]) -> Result<Vec<String>, String> {
        let edges: Vec<(&str, Vec<String>)> = edges
            .iter()
            .map(|(name, after)| (*name, after.iter().map(|it| (*it).to_owned()).collect()))
            .collect();
        let ordered = ordered(edges.iter().map(|(name, after)| (*name, after.as_slice())))?;
        Ok(ordered.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn what_is_needed_comes_first_and_names_decide_the_rest() {
        let edges: &[(&str, &[&str])] =
            &[("a", &["z"]), ("b", &[]), ("m", &["a", "b"]), ("z", &["b", "elsewhere"])];
        assert_eq!(order(edges).unwrap(), ["b", "z", "a", "m"]);
        assert_eq!(order(&[]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_circle_is_an_error() {
        assert_eq!(order(&[("a", &["b"]), ("b", &["a"]), ("c", &[])]).unwrap_err(), "a");
        assert_eq!(order(&[("a", &["a"])]).unwrap_err(), "a");
    }
}
