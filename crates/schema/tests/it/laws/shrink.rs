//! Makes a case that breaks a law smaller while it still breaks that law.

use hangar_schema::TypeSchema;
use serde_json::Value;

use super::check::{Case, Violation, check};

/// The smallest case found, as text.
pub(crate) fn smallest(schema: &TypeSchema, case: &Case, violation: &Violation) -> String {
    let mut case = case.clone();
    let mut what = violation.what.clone();
    'again: loop {
        for smaller in smaller(&case) {
            let report = check(schema, &smaller);
            if let Some(found) = report.violations.into_iter().find(|v| v.law == violation.law) {
                case = smaller;
                what = found.what;
                continue 'again;
            }
        }
        break;
    }
    let changes: Vec<String> =
        case.changes.iter().map(|c| format!("{:?} {} {:?}", c.edit, c.path, c.reach)).collect();
    format!(
        "{}\n  live    {}\n  applied {}\n  desired {}\n  edits   {}\n  {what}",
        schema.name(),
        case.live,
        case.before,
        case.after,
        changes.join(", ")
    )
}

/// Cases with one member less: everywhere, or where live alone has it. Elements stay, as the
/// documents count them differently.
fn smaller(case: &Case) -> Vec<Case> {
    let mut paths = Vec::new();
    for document in [&case.live, &case.before, &case.after] {
        members(document, "", &mut paths);
    }
    paths.sort_by_key(|path| path.matches('/').count());
    paths.dedup();
    let mut cases = Vec::new();
    for path in paths {
        let mut smaller = case.clone();
        remove(&mut smaller.live, &path);
        remove(&mut smaller.before, &path);
        remove(&mut smaller.after, &path);
        cases.push(smaller);
    }
    cases
}

fn members(value: &Value, path: &str, paths: &mut Vec<String>) {
    let Value::Object(members_here) = value else { return };
    for (name, member) in members_here {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        members(member, &path, paths);
        paths.push(path);
    }
}

fn remove(document: &mut Value, path: &str) {
    let Some((parent, last)) = path.rsplit_once('/') else { return };
    if let Some(Value::Object(members)) = document.pointer_mut(parent) {
        members.remove(&last.replace("~1", "/").replace("~0", "~"));
    }
}
