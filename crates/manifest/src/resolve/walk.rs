//! The way to a value in a document by a dotted path, as `Fn::GetAtt` writes it.

use serde_json::Value;

/// The value at a path. A key may hold dots itself: the longest one that is there is taken first.
pub(super) fn walk<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    descend(document, path, 0)
}

/// Deeper than any attribute, and safe to recurse.
const MAX_STEPS: usize = 64;

fn descend<'v>(value: &'v Value, path: &str, depth: usize) -> Option<&'v Value> {
    if depth > MAX_STEPS {
        return None;
    }
    match value {
        Value::Object(members) => {
            let ends = path.match_indices('.').map(|(at, _)| at).collect::<Vec<_>>();
            let ends = std::iter::once(path.len()).chain(ends.into_iter().rev());
            for end in ends {
                let Some(member) = members.get(&path[..end]) else { continue };
                let found = match path.get(end + 1..) {
                    None => Some(member),
                    Some(rest) => descend(member, rest, depth + 1),
                };
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        Value::Array(items) => {
            let (index, rest) = match path.split_once('.') {
                Some((index, rest)) => (index, Some(rest)),
                None => (path, None),
            };
            let item = items.get(index.parse::<usize>().ok()?)?;
            match rest {
                None => Some(item),
                Some(rest) => descend(item, rest, depth + 1),
            }
        }
        _ => None,
    }
}

/// The paths of a document that lead to something plain, for people who mistyped one; a bounded number.
pub(super) fn paths(document: &Value) -> Vec<String> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    collect(document, &mut String::new(), 0, &mut found, MOST);
    found
}

fn collect(value: &Value, path: &mut String, depth: usize, found: &mut Vec<String>, most: usize) {
    let Value::Object(members) = value else {
        if !path.is_empty() {
            found.push(path.clone());
        }
        return;
    };
    for (name, member) in members {
        if found.len() >= most || depth > 4 {
            return;
        }
        let before = path.len();
        if before > 0 {
            path.push('.');
        }
        path.push_str(name);
        collect(member, path, depth + 1, found, most);
        path.truncate(before);
    }
}
