//! Checks the examples of the help: each command has some, and the parser accepts each of them.

use clap::{Command, FromArgMatches as _};

use super::{EXAMPLES, command_line};
use crate::args::Args;

/// Returns the lines of the examples of a command, continued lines joined.
fn example_lines(command: &Command) -> Vec<String> {
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|line| *line != EXAMPLES).skip(1);
    let mut joined: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines.take_while(|line| line.is_empty() || line.starts_with(' ')) {
        let line = line.trim();
        let text = line.strip_suffix('\\').unwrap_or(line);
        match joined.last_mut() {
            Some(last) if is_open => *last = format!("{last} {text}"),
            _ => joined.push(text.to_owned()),
        }
        is_open = line.ends_with(['\\', '|']);
    }
    joined.retain(|line| !line.is_empty() && !line.starts_with('#'));
    joined
}

/// Splits a line of a shell into commands, and each into its words.
fn shell_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(character);
            }
            // `$(…)` and `<(…)` hold a command, too.
            (None, '|' | '&' | ';' | '(' | ')') => {
                commands.last_mut().unwrap().extend(word.take());
                commands.push(Vec::new());
            }
            (None, ' ') => commands.last_mut().unwrap().extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    commands.last_mut().unwrap().extend(word);
    for words in &mut commands {
        if let Some(redirection) = words.iter().position(|word| word.starts_with(['<', '>'])) {
            words.truncate(redirection);
        }
    }
    commands
}

/// Returns the `hangar` commands of a line.
fn hangar_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = shell_commands(line);
    commands.retain(|words| words.first().is_some_and(|program| program == "hangar"));
    commands
}

fn for_each_command(command: &Command, path: &[&str], check: &mut impl FnMut(&Command, &[&str])) {
    check(command, path);
    for below in command.get_subcommands() {
        let path: Vec<&str> = path.iter().copied().chain([below.get_name()]).collect();
        for_each_command(below, &path, check);
    }
}

#[test]
fn the_commands_in_a_line_of_a_shell_are_found() {
    let found = |line: &str| -> Vec<String> {
        hangar_commands(line).iter().map(|words| words.join("·")).collect()
    };
    assert_eq!(found("jq . a | hangar put -p 'a=[1 | 2]' -"), ["hangar·put·-p·a=[1 | 2]·-"]);
    assert_eq!(found("A=$(hangar output main a)"), ["hangar·output·main·a"]);
    assert_eq!(found("source <(hangar completion bash)"), ["hangar·completion·bash"]);
    assert_eq!(found("hangar a > b.json; hangar c < d"), ["hangar·a", "hangar·c"]);
    assert_eq!(found("echo hangar"), Vec::<String>::new());
}

#[test]
fn every_command_has_an_example_of_itself() {
    for_each_command(&command_line(), &[], &mut |command, path| {
        let lines = example_lines(command);
        let is_own = |words: &Vec<String>| {
            words.iter().skip(1).zip(path).filter(|(word, name)| word == name).count() == path.len()
        };
        let own = lines.iter().flat_map(|line| hangar_commands(line)).filter(is_own).count();
        assert!(own > 0, "hangar {}: {lines:#?}", path.join(" "));
    });
}

#[test]
fn the_parser_accepts_every_example() {
    let all = command_line();
    let mut count = 0;
    for_each_command(&all, &[], &mut |command, path| {
        for words in example_lines(command).iter().flat_map(|line| hangar_commands(line)) {
            let parsed = all
                .clone()
                .try_get_matches_from(&words)
                .and_then(|matches| Args::from_arg_matches(&matches));
            if let Err(error) = parsed {
                panic!("help of `hangar {}`: {}\n{error}", path.join(" "), words.join(" "));
            }
            count += 1;
        }
    });
    assert!(count > 200, "{count}");
}

#[test]
fn no_line_of_the_examples_is_wider_than_a_terminal() {
    for_each_command(&command_line(), &[], &mut |command, path| {
        let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        for line in text.lines().filter(|line| line.starts_with(' ')) {
            assert!(line.chars().count() <= 80, "hangar {}: {line}", path.join(" "));
        }
    });
}
