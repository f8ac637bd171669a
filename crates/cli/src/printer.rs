//! The only place that prints: data to stdout, everything else to stderr.

mod board;
mod progress;
mod screen;

pub(crate) use board::{Glance, Running};

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::Style;
use hangar_diag::{Code, Diagnostic};
use serde::Serialize;

use crate::args::{Color, Output};
use crate::codes;
use crate::exit::Exit;
use crate::failure::{Cause, Failure, Report};
use crate::render::wrap::wrap_message;
use crate::render::{diagnostic, printable};
use board::Board;
use progress::Progress;

/// Decides what reaches stdout and stderr, in the format and color that were asked for.
///
/// Under `-o json` each stream gets at most one JSON document; only where a run is told while it goes on, stdout gets
/// one a line.
#[derive(Debug)]
pub(crate) struct Printer {
    output: Output,
    color: ColorChoice,
    progress: Progress,
    /// Those that programs have not been told of yet.
    warnings: Vec<Report>,
    line: Line,
    reader: Reader,
}

/// Whether anybody reads stdout.
///
/// Who has seen enough ends what is printed, and nothing else: the work goes on to its end, and the exit code tells
/// how it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

impl Reader {
    /// Writes to stdout as long as somebody reads it.
    fn offer(&mut self, write: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
        if *self == Self::Gone {
            return Ok(());
        }
        match write() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                *self = Self::Gone;
                Ok(())
            }
            written => Ok(written?),
        }
    }
}

/// So few things are not counted in lines.
const FEW: u64 = 20;

/// Where the next text on stderr would begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Fresh,
    /// Behind a question that has no answer yet.
    Asked,
}

/// What a person said to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Yes,
    No,
    /// There is nobody to ask.
    Nothing,
}

impl Said {
    /// Only `y` and `yes` are a yes.
    pub(crate) fn from_line(line: &str) -> Self {
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            _ => Self::No,
        }
    }
}

impl Printer {
    pub(crate) fn new(output: Output, color: Color) -> Self {
        let color = match color {
            // The stream itself is asked, and with it `NO_COLOR` and `TERM`.
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            output,
            color,
            progress: Progress::Idle,
            warnings: Vec::new(),
            line: Line::Fresh,
            reader: Reader::There,
        }
    }

    /// Prints a command's result: `text` for people, `json` for programs; only one is made.
    pub(crate) fn show<T: Display, J: Serialize>(
        &mut self,
        text: impl FnOnce() -> T,
        json: impl FnOnce() -> J,
    ) -> Result<(), Failure> {
        match self.output {
            Output::Table => self.text(text()),
            Output::Json => {
                let document =
                    serde_json::to_string_pretty(&json()).map_err(anyhow::Error::from)?;
                // As it is: what strips colors would take a control character out of a value.
                self.reader.offer(|| write_to(&mut io::stdout().lock(), &document))
            }
        }
    }

    /// Prints a result of any number of lines, which may be none.
    pub(crate) fn show_lines<J: Serialize>(
        &mut self,
        lines: &[String],
        json: impl FnOnce() -> J,
    ) -> Result<(), Failure> {
        if self.output == Output::Table && lines.is_empty() {
            return Ok(());
        }
        self.show(|| lines.join("\n"), json)
    }

    /// Prints text to stdout, whatever the format; it ends with one new line.
    pub(crate) fn text(&mut self, text: impl Display) -> Result<(), Failure> {
        let color = self.color;
        self.reader
            .offer(|| write_to(&mut AutoStream::new(io::stdout().lock(), color), &text.to_string()))
    }

    /// Prints help to stderr, for a command line without a command.
    pub(crate) fn help_without_command(&mut self, text: &impl Display) {
        self.explain(&text.to_string());
    }

    /// Prints bytes to stdout as they are, whatever the format.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.done();
        self.reader.offer(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        })
    }

    /// Whether nobody reads stdout any more: what does nothing but print can end.
    pub(crate) fn is_unread(&self) -> bool {
        self.reader == Reader::Gone
    }

    /// Says in one line what a person should know; programs are not told.
    pub(crate) fn note(&mut self, text: &str) {
        if self.output == Output::Table {
            let style = Style::new().bold();
            let note = format!("{style}note{style:#}: {}", printable(text));
            self.explain(&wrap_message(&note, self.message_width()));
        }
    }

    /// Says that work goes on, until [`Printer::done`].
    pub(crate) fn begin(&mut self, label: &str) {
        self.progress = match self.output {
            Output::Json => Progress::Idle,
            Output::Table if is_lively() => Progress::moving(&printable(label)),
            Output::Table => Progress::Lines { label: label.to_owned() },
        };
    }

    /// Says that work goes on of which so much is to be done, until [`Printer::done`].
    pub(crate) fn begin_counting(&mut self, label: &str, total: usize) {
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        self.progress = match self.output {
            Output::Json => Progress::Idle,
            Output::Table if is_lively() => Progress::bar(&printable(label), total),
            // Over before it is worth a line.
            Output::Table if total < FEW => Progress::Idle,
            Output::Table => Progress::Counting { label: label.to_owned(), total, tenth: 0 },
        };
    }

    /// The same where every part is told in a line of its own, so that only a terminal has more to
    /// show.
    pub(crate) fn begin_bar(&mut self, label: &str, total: usize) {
        self.begin_counting(label, total);
        if let Progress::Counting { .. } = self.progress {
            self.progress = Progress::Idle;
        }
    }

    /// Says how much of it is done by now.
    pub(crate) fn counted(&mut self, done: u64, note: &str) {
        if let Progress::Moving(bar) = &self.progress {
            bar.set_position(done);
            bar.set_message(printable(note).into_owned());
        } else if let Some(line) = self.progress.passed(done, note) {
            self.explain(&printable(&line));
        }
    }

    /// Says that work goes on of which so much is to be done, and tells what happens a line an event
    /// where no bar can move.
    pub(crate) fn begin_of(&mut self, label: &str, total: usize) {
        self.begin(label);
        if let Progress::Moving(_) = self.progress {
            self.begin_counting(label, total);
        }
    }

    /// Says on a terminal how far it is; elsewhere that is told by what happens.
    pub(crate) fn moved(&mut self, done: u64, note: &str) {
        if let Progress::Moving(bar) = &self.progress {
            bar.set_position(done);
            if !note.is_empty() {
                bar.set_message(printable(note).into_owned());
            }
        }
    }

    /// Says on a terminal what goes on of so many things, until [`Printer::done`]; elsewhere that is told by lines.
    pub(crate) fn begin_board(&mut self, label: &str, total: usize) {
        self.progress = match self.output {
            Output::Table if is_lively() => Progress::Board(Box::new(Board::new(label, total))),
            _ => Progress::Idle,
        };
    }

    /// Shows what goes on now.
    pub(crate) fn glance(&mut self, glance: &Glance) {
        if let Progress::Board(board) = &mut self.progress {
            board.show(glance);
        }
    }

    /// Says on the way, in a line of its own, what a terminal shows by what moves.
    pub(crate) fn progress_line(&mut self, line: &str) {
        if self.output == Output::Table && !is_lively() {
            self.explain(line);
        }
    }

    /// Prints one line of JSON, of several that tell a run while it goes on; people get lines of text.
    pub(crate) fn event<J: Serialize>(&mut self, json: impl FnOnce() -> J) -> Result<(), Failure> {
        if self.output == Output::Table {
            return Ok(());
        }
        let document = serde_json::to_string(&json()).map_err(anyhow::Error::from)?;
        self.reader.offer(|| write_to(&mut io::stdout().lock(), &document))
    }

    /// Says on a terminal that somebody watches; elsewhere only what is seen is told.
    pub(crate) fn begin_watching(&mut self, label: &str) {
        self.progress = match self.output {
            Output::Table if is_lively() => Progress::moving(&printable(label)),
            _ => Progress::Idle,
        };
    }

    /// Prints one line of a result that comes in parts; programs get all of it at the end.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        if self.output == Output::Json {
            return Ok(());
        }
        let color = self.color;
        let progress = &self.progress;
        self.reader.offer(|| {
            progress.suspend(|| write_to(&mut AutoStream::new(io::stdout().lock(), color), line))
        })
    }

    /// Says one line of what happens beside a result that stdout is for; programs are not told.
    pub(crate) fn aside(&mut self, line: &str) {
        if self.output == Output::Table {
            self.explain(line);
        }
    }

    /// Prints a result for programs only: people have read it line by line.
    pub(crate) fn whole<J: Serialize>(&mut self, json: impl FnOnce() -> J) -> Result<(), Failure> {
        if self.output == Output::Table {
            return Ok(());
        }
        self.show(String::new, json)
    }

    /// Shows a person what a question is about.
    pub(crate) fn preview(&mut self, text: &str) {
        if self.output == Output::Table {
            self.explain(text);
        }
    }

    /// Whether rows move on a terminal, so that only finished ones need a line.
    pub(crate) fn is_lively(&self) -> bool {
        self.output == Output::Table && is_lively()
    }

    /// Whether programs read what is printed.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.output == Output::Json
    }

    /// Says what has happened meanwhile.
    pub(crate) fn happened(&mut self, event: &str) {
        match &self.progress {
            Progress::Idle | Progress::Counting { .. } | Progress::Board(_) => {}
            Progress::Moving(bar) => bar.set_message(printable(event).into_owned()),
            Progress::Lines { label } => {
                let line = format!("{}: {}", printable(label), printable(event));
                self.explain(&line);
            }
        }
    }

    /// Says no more of the work that went on.
    pub(crate) fn done(&mut self) {
        self.progress = Progress::Idle;
    }

    /// How wide lines of data may be: as the terminal that they go to, if it is one.
    pub(crate) fn width(&self) -> Option<usize> {
        if self.output != Output::Table || !io::stdout().is_terminal() {
            return None;
        }
        console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
    }

    /// The width of the terminal that shows notes and errors; nothing if stderr is not a terminal.
    fn message_width(&self) -> Option<usize> {
        if self.output != Output::Table || !io::stderr().is_terminal() {
            return None;
        }
        console::Term::stderr().size_checked().map(|(_, columns)| usize::from(columns))
    }

    /// Whether there is a person to ask.
    pub(crate) fn can_ask(&self) -> bool {
        self.output == Output::Table && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// The error for a change that needs a confirmation when there is nobody to ask.
    pub(crate) fn unconfirmed(&self, what: &str) -> Diagnostic {
        let message = format!("{what}; pass --yes to confirm ({})", self.no_prompt_reason());
        Diagnostic::error(codes::NOT_CONFIRMED, message)
    }

    /// Why [`Printer::can_ask`] returns false.
    pub(crate) fn no_prompt_reason(&self) -> &'static str {
        if self.output == Output::Json {
            "-o json does not prompt"
        } else if io::stdin().is_terminal() {
            "stderr is not a terminal"
        } else {
            "stdin is not a terminal"
        }
    }

    /// Asks a person, if there is one; the answer is read elsewhere.
    pub(crate) fn question(&mut self, question: &str) -> bool {
        if !self.can_ask() {
            return false;
        }
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        let asked = write!(stderr, "{} [y/N] ", printable(question)).and_then(|()| stderr.flush());
        self.line = Line::Asked;
        asked.is_ok()
    }

    /// Asks a person for a secret, which is not shown while it is typed; nothing where there is nobody to ask.
    pub(crate) fn ask_secret(&mut self, question: &str) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        let terminal = console::Term::stderr();
        terminal.write_str(&printable(question)).ok()?;
        terminal.read_secure_line().ok()
    }

    /// Notes that the question is answered, and the line with it.
    pub(crate) fn answered(&mut self) {
        self.line = Line::Fresh;
    }

    /// Warns of what does not stop the work. For programs it is kept until [`Printer::finish`]: what
    /// comes after may have more to say in the one document.
    pub(crate) fn warn(&mut self, reports: &[Report]) {
        match self.output {
            Output::Table => {
                self.explain(&diagnostic::to_text(reports, self.message_width()));
            }
            Output::Json => self.warnings.extend_from_slice(reports),
        }
    }

    /// Prints the warnings that were kept, as `{"warnings": […]}`.
    pub(crate) fn finish(&mut self) {
        let warnings = std::mem::take(&mut self.warnings);
        if !warnings.is_empty() {
            tell(&mut io::stderr().lock(), &diagnostic::warnings_to_json(&warnings));
        }
    }

    /// Prints why a command stopped, and gives the exit code for it.
    pub(crate) fn fail(&mut self, failure: &Failure) -> Exit {
        match failure {
            Failure::Output(error) => {
                let message = format!("cannot write to standard output: {error}");
                let hint = "free some disk space, or write the output elsewhere";
                let diagnostics = vec![Diagnostic::error(codes::OUTPUT_LOST, message).hint(hint)];
                self.report(&[Report { source: None, diagnostics }], None)
            }
            Failure::Reported(reports) => self.report(reports, None),
            Failure::Answered { cause, reports } => self.report(reports, Some(cause)),
        }
    }

    fn report(&mut self, reports: &[Report], cause: Option<&Cause>) -> Exit {
        self.done();
        match self.output {
            Output::Table => {
                self.explain(&diagnostic::to_text(reports, self.message_width()));
                if let Some(code) = worth_explaining(reports).filter(|_| is_lively()) {
                    self.note(&format!("`hangar explain {code}` explains this error"));
                }
            }
            Output::Json => {
                let mut all = std::mem::take(&mut self.warnings);
                all.extend_from_slice(reports);
                tell(&mut io::stderr().lock(), &diagnostic::error_to_json(&all, cause));
            }
        }
        Exit::Failure
    }

    fn explain(&mut self, text: &str) {
        let line = std::mem::replace(&mut self.line, Line::Fresh);
        self.progress.suspend(|| {
            let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
            if line == Line::Asked {
                tell(&mut stderr, "");
            }
            tell(&mut stderr, text);
        });
    }
}

/// The first error of which there is more to say than it said: of what was typed or answered there is not.
fn worth_explaining(reports: &[Report]) -> Option<Code> {
    const PLAIN: [Code; 3] = [codes::USAGE, codes::DECLINED, codes::INTERRUPTED];
    let all = reports.iter().flat_map(|it| &it.diagnostics);
    all.filter(|it| it.is_error()).map(|it| it.code).find(|it| !PLAIN.contains(it))
}

/// Whether a line can move on stderr.
fn is_lively() -> bool {
    io::stderr().is_terminal()
}

/// Writes text with one new line at its end.
fn write_to(stream: &mut dyn Write, text: &str) -> io::Result<()> {
    stream.write_all(text.trim_end_matches('\n').as_bytes())?;
    stream.write_all(b"\n")?;
    stream.flush()
}

/// The same for stderr: there is nobody left to tell when it cannot be written.
fn tell(stream: &mut dyn Write, text: &str) {
    let _ = writeln!(stream, "{}", text.trim_end_matches('\n'));
}
