//! `hangar completion`: prints a completion script for a shell.

use clap_complete::Shell;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::help;
use crate::printer::Printer;

pub(crate) const EXAMPLES: &str = "Examples:
  # bash: for this session; add the line to ~/.bashrc to keep it
  source <(hangar completion bash)

  # zsh: the same, after compinit in ~/.zshrc
  source <(hangar completion zsh)

  # fish: the same, in ~/.config/fish/config.fish
  hangar completion fish | source";

pub(crate) fn run(shell: Shell, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command_line(), "hangar", &mut script);
    let script = String::from_utf8(script).map_err(anyhow::Error::from)?;
    printer.text(script)?;
    Ok(Exit::Success)
}
