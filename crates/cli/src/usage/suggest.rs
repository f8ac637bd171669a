//! Suggests commands for a misspelled one, nearest first, and for a verb of another tool.

use hangar_diag::nearest;

/// Commands that delete or overwrite something: suggested only when they are the nearest.
const DESTRUCTIVE: [&str; 5] = ["destroy", "delete", "undeploy", "restore", "abandon"];

/// So many are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// Verbs of Terraform, Pulumi, the AWS CDK and kubectl, and the command that does the same.
const SYNONYMS: [(&str, &str); 19] = [
    ("add", "put"),
    ("apply", "deploy"),
    ("create", "put"),
    ("delete", "destroy"),
    ("down", "destroy"),
    ("format", "fmt"),
    ("get", "show"),
    ("ls", "list"),
    ("new", "init"),
    ("outputs", "output"),
    ("preview", "plan"),
    ("remove", "delete"),
    ("rm", "delete"),
    ("server", "serve"),
    ("synth", "build"),
    ("undeploy", "destroy"),
    ("up", "deploy"),
    ("update", "put"),
    ("validate", "lint"),
];

/// Returns the hint for a flag that another command has.
pub(super) fn flag_hint(command: &str, flag: &str) -> Option<&'static str> {
    match (command, flag) {
        ("hangar plan", "--plan-file") => Some(
            "`hangar deploy --plan-file FILE` applies a plan; `hangar plan FILE --out PLAN` writes one",
        ),
        ("hangar deploy", "--out") => Some(
            "`hangar plan FILE --out PLAN` writes a plan; `hangar deploy --plan-file PLAN` applies it",
        ),
        _ => None,
    }
}

/// Returns the hint for a word that is no command, or nothing if no command is near.
pub(super) fn hint(typed: &str, commands: &[String]) -> Option<String> {
    let synonym = SYNONYMS
        .iter()
        .find(|(verb, command)| *verb == typed && commands.iter().any(|it| it == command));
    if let Some((_, command)) = synonym {
        return Some(format!("did you mean `{command}`?"));
    }
    let near: Vec<String> =
        similar(typed, commands).into_iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = near.split_last()?;
    Some(match others {
        [] => format!("did you mean {last}?"),
        others => format!("did you mean {} or {last}?", others.join(", ")),
    })
}

/// Returns the commands that are near to the word, ordered by edit distance.
fn similar<'a>(typed: &str, commands: &'a [String]) -> Vec<&'a str> {
    let mut left: Vec<&str> = commands.iter().map(String::as_str).collect();
    // Of two that are equally near the first is taken.
    left.sort_by_key(|name| is_destructive(name));
    let mut found = Vec::new();
    while found.len() < MAX_SUGGESTIONS
        && let Some(near) = nearest(typed, left.iter().copied())
    {
        left.retain(|name| *name != near);
        if found.is_empty() || !is_destructive(near) {
            found.push(near);
        }
    }
    found
}

fn is_destructive(name: &str) -> bool {
    DESTRUCTIVE.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_command_is_first_and_destroy_is_not_suggested_for_deploy() {
        let commands: Vec<String> =
            ["destroy", "deploy", "deployment", "plan", "plane"].map(str::to_owned).to_vec();
        for (typed, expected) in [
            ("deplooy", Some("did you mean `deploy`?")),
            ("desploy", Some("did you mean `deploy`?")),
            ("deproy", Some("did you mean `deploy`?")),
            ("destory", Some("did you mean `destroy`?")),
            ("pln", Some("did you mean `plan`?")),
            ("plann", Some("did you mean `plan` or `plane`?")),
            ("apply", Some("did you mean `deploy`?")),
            ("delete", Some("did you mean `destroy`?")),
            ("create", None),
        ] {
            assert_eq!(hint(typed, &commands).as_deref(), expected, "{typed}");
        }
    }
}
