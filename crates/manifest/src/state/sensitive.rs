//! Which attributes of an instance must not be shown.

use super::Json;
use super::json::member;

/// Marks on attributes, as a state has them. Values are in the state in clear text all the same.
#[derive(Debug, Clone, Copy)]
pub enum Sensitive<'a> {
    /// Nothing is marked.
    Nothing,
    /// `sensitive_attributes` of a raw state: a list of paths.
    Paths(Json<'a>),
    /// `sensitive_values` of `show -json`: the shape of the attributes, true where something is marked.
    Mask(Json<'a>),
}

/// How a mark stands to a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    AtOrAbove,
    Anywhere,
}

impl Sensitive<'_> {
    /// Whether the value at the path is marked, or something that it is a part of. Marks that cannot be
    /// read cover everything.
    pub fn covers(&self, path: &[&str]) -> bool {
        self.marks(path, Reach::AtOrAbove)
    }

    /// The same, or whether something in the value is marked.
    pub fn touches(&self, path: &[&str]) -> bool {
        self.marks(path, Reach::Anywhere)
    }

    fn marks(&self, path: &[&str], reach: Reach) -> bool {
        match self {
            Self::Nothing => false,
            Self::Paths(paths) => match paths.elements() {
                Some(paths) => paths.into_iter().any(|marked| is_marked(marked, path, reach)),
                None => true,
            },
            Self::Mask(mask) => is_masked(*mask, path, reach),
        }
    }
}

/// Whether one marked path is at the path or above it.
fn is_marked(marked: Json<'_>, path: &[&str], reach: Reach) -> bool {
    let Some(steps) = marked.elements() else { return true };
    let is_in_reach = steps.len() <= path.len() || reach == Reach::Anywhere;
    is_in_reach && steps.into_iter().zip(path).all(|(step, name)| is_step(step, name))
}

/// Whether a step leads to this name. One that is neither a name nor a number (an element of a set)
/// may lead anywhere.
fn is_step(step: Json<'_>, name: &str) -> bool {
    let members = step.members().unwrap_or_default();
    let Some(mut value) = member(&members, "value") else { return true };
    if let Some(wrapped) = value.members() {
        match member(&wrapped, "value") {
            Some(inner) => value = inner,
            None => return true,
        }
    }
    match value.text() {
        Some(text) => text == name,
        None => value.number().is_none_or(|number| name.parse() == Ok(number)),
    }
}

fn is_masked(mask: Json<'_>, path: &[&str], reach: Reach) -> bool {
    if let Some(all) = mask.boolean() {
        return all;
    }
    let Some((first, rest)) = path.split_first() else {
        return reach == Reach::Anywhere && mask.as_str().contains("true");
    };
    if let Some(members) = mask.members() {
        return member(&members, first).is_some_and(|below| is_masked(below, rest, reach));
    }
    match mask.elements() {
        Some(elements) => {
            let element = first.parse().ok().and_then(|at: usize| elements.get(at).copied());
            element.is_some_and(|below| is_masked(below, rest, reach))
        }
        None => !mask.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_paths_cover_what_is_below_them() {
        let text = r#"[[{"type": "get_attr", "value": "metadata"}, {"type": "index", "value": {"value": 0, "type": "number"}},
            {"type": "get_attr", "value": "name"}], [{"type": "get_attr", "value": "data"}]]"#;
        let sensitive = Sensitive::Paths(Json::parse(text).unwrap());
        assert!(
            sensitive.covers(&["metadata", "0", "name"]) && sensitive.covers(&["data", "x", "y"])
        );
        assert!(
            !sensitive.covers(&["metadata", "0", "namespace"]) && !sensitive.covers(&["metadata"])
        );
        assert!(!sensitive.covers(&["metadata", "1", "name"]) && !sensitive.covers(&["id"]));
        assert!(sensitive.touches(&["metadata"]) && !sensitive.touches(&["metadata", "1"]));
    }

    #[test]
    fn a_mask_covers_what_is_below_its_truths() {
        let text = r#"{"arn": true, "metadata": [{"name": true}, {}], "tags": {}, "no": false, "nil": null}"#;
        let sensitive = Sensitive::Mask(Json::parse(text).unwrap());
        assert!(sensitive.covers(&["arn"]) && sensitive.covers(&["arn", "x"]));
        assert!(
            sensitive.covers(&["metadata", "0", "name"])
                && !sensitive.covers(&["metadata", "1", "name"])
        );
        assert!(
            !sensitive.covers(&["tags"])
                && !sensitive.covers(&["no"])
                && !sensitive.covers(&["nil"])
        );
        assert!(sensitive.touches(&["metadata"]) && !sensitive.touches(&["tags"]));
    }

    #[test]
    fn marks_that_cannot_be_read_cover_everything() {
        for text in ["{}", "[1]", "\"x\"", "[[{}]]", "[[]]"] {
            assert!(Sensitive::Paths(Json::parse(text).unwrap()).covers(&["a"]), "{text}");
        }
        for text in ["true", "\"x\"", "1"] {
            assert!(Sensitive::Mask(Json::parse(text).unwrap()).covers(&["a"]), "{text}");
        }
        assert!(!Sensitive::Nothing.covers(&["a"]));
    }
}
