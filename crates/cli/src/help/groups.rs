//! The commands of `hangar --help`, in groups: clap itself lists them in one block.

use std::fmt::Write as _;

use clap::Command;

/// A heading and its commands, in the order of the list.
type Group = (&'static str, &'static [&'static str]);

const GROUPS: [Group; 5] = [
    (
        "Templates",
        &[
            "init",
            "deploy",
            "plan",
            "destroy",
            "output",
            "deployment",
            "lint",
            "fmt",
            "build",
            "build-params",
            "explain",
        ],
    ),
    ("Resources", &["resource", "group", "drift", "operation", "schema", "id"]),
    ("Kubernetes and Terraform", &["resolve", "run", "recipe", "terraform"]),
    ("Server", &["serve", "credential", "key", "backup", "restore", "plane"]),
    ("Develop", &["simulator", "diff", "completion", "version"]),
];

/// The heading of commands that no group names. A test keeps it empty.
const REST: &str = "Other";

/// Sets the template of the help so that the commands are listed in their groups.
pub(super) fn with_groups(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let usage = "{about-with-newline}\n{usage-heading} {usage}\n";
    let template = format!(
        "{usage}{}\n{header}Options:{header:#}\n{{options}}{{after-help}}",
        list_groups(&command)
    );
    command.help_template(template)
}

/// Returns all groups as text, each with an empty line before it.
fn list_groups(command: &Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let width = command.get_subcommands().map(|it| it.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (heading, commands) in grouped(command) {
        let _ = writeln!(text, "\n{header}{heading}:{header:#}");
        for command in commands {
            let name = command.get_name();
            let summary = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {summary}");
        }
    }
    text
}

pub(super) fn grouped(command: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let rest = command.get_subcommands().filter(|it| !is_grouped(it.get_name())).collect();
    let mut groups: Vec<(&str, Vec<&Command>)> = GROUPS
        .iter()
        .map(|(heading, names)| {
            (*heading, names.iter().filter_map(|name| command.find_subcommand(name)).collect())
        })
        .collect();
    groups.push((REST, rest));
    groups.retain(|(_, commands)| !commands.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let command = Args::command();
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
