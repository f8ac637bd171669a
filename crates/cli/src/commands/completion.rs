//! `hangar completion`: prints a completion script for a shell.

use clap_complete::Shell;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::help;
use crate::printer::Printer;

pub(crate) const EXAMPLES: &str = "Examples:
  hangar completion bash > /etc/bash_completion.d/hangar
  hangar completion zsh > \"${fpath[1]}/_hangar\"
  hangar completion fish > ~/.config/fish/completions/hangar.fish";

pub(crate) fn run(shell: Shell, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command_line(), "hangar", &mut script);
    let script = String::from_utf8(script).map_err(anyhow::Error::from)?;
    printer.text(script)?;
    Ok(Exit::Success)
}
