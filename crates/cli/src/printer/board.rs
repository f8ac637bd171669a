//! Many things that go on at once, on a terminal: a moving line for each, one for what waits, and a bar below them.
//!
//! All of it is one moving text, drawn at once: lines that come and go by themselves leave some behind.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::truncate_str;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::progress::write_elapsed;
use super::screen;
use crate::client::instant::felt;
use crate::render::printable;

/// What goes on right now.
#[derive(Debug, Default)]
pub(crate) struct Glance {
    /// How many things are over.
    pub(crate) done: usize,
    /// How many there are, where that was not known at first.
    pub(crate) total: Option<usize>,
    /// What is under way.
    pub(crate) running: Vec<Running>,
    /// What waits, in one line; it is cut to fit.
    pub(crate) waiting: String,
}

/// One thing that is under way.
#[derive(Debug)]
pub(crate) struct Running {
    /// What it is.
    pub(crate) text: String,
    /// For how long it has been under way.
    pub(crate) since: Duration,
}

/// More lines than these would push the rest off the terminal.
const MOST_LINES: usize = 12;

const TICK: Duration = Duration::from_millis(100);

/// What turns beside each line.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The lines on the terminal.
#[derive(Debug)]
pub(super) struct Board {
    bar: ProgressBar,
    shown: Arc<Mutex<Shown>>,
    total: usize,
}

/// What the lines are made from at each tick.
#[derive(Debug, Default)]
struct Shown {
    running: Vec<(String, Instant)>,
    waiting: String,
}

impl Board {
    /// A board with nothing but the bar.
    pub(super) fn new(label: &str, total: usize) -> Self {
        let bar = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
        let bar = bar.with_prefix(printable(label).into_owned());
        bar.set_draw_target(screen::draw_target());
        let shown = Arc::new(Mutex::new(Shown::default()));
        let board = Self { bar, shown, total };
        board.set_style();
        board.bar.enable_steady_tick(TICK);
        board
    }

    /// The lines, and below them how far it is as soon as it is known how much there is.
    fn set_style(&self) {
        let template = match self.total {
            0 => "{lines}{spinner} {prefix} {elapsed}",
            _ => "{lines}{spinner} {prefix} {bar:24} {pos}/{len} {elapsed}",
        };
        let Ok(style) = ProgressStyle::with_template(template) else { return };
        let shown = Arc::clone(&self.shown);
        let lines = move |_: &ProgressState, text: &mut dyn fmt::Write| {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            // It is only a picture of what goes on.
            let _ = text.write_str(&shown.lines(Instant::now(), screen::width().into()));
        };
        let style = style.with_key("lines", lines).with_key("elapsed", write_elapsed);
        self.bar.set_style(style.progress_chars("━╸ "));
    }

    /// Shows what goes on now.
    pub(super) fn show(&mut self, glance: &Glance) {
        let now = Instant::now();
        let began = |since: Duration| now.checked_sub(since).unwrap_or(now);
        let running = glance.running.iter();
        let running =
            running.map(|it| (printable(&it.text).into_owned(), began(it.since))).collect();
        let waiting = printable(&glance.waiting).into_owned();
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Shown { running, waiting };
        if let Some(total) = glance.total.filter(|total| *total != self.total) {
            self.total = total;
            self.bar.set_length(u64::try_from(total).unwrap_or(u64::MAX));
            self.set_style();
        }
        self.bar.set_position(u64::try_from(glance.done).unwrap_or(u64::MAX));
    }

    /// Does something while the lines are away.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes all lines away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Shown {
    /// Each line with its end.
    fn lines(&self, now: Instant, width: usize) -> String {
        let mut text = String::new();
        for (what, began) in self.running.iter().take(MOST_LINES) {
            let since = now.saturating_duration_since(*began);
            let turn = usize::try_from(since.as_millis() / TICK.as_millis()).unwrap_or(0);
            let spinner = SPINNER[turn % SPINNER.len()];
            let line = format!("{spinner} {what} {}", felt(since));
            let _ = writeln!(text, "{}", truncate_str(&line, width, "…"));
        }
        if let Some(more @ 1..) = self.running.len().checked_sub(MOST_LINES) {
            let _ = writeln!(text, "  … and {more} more");
        }
        if !self.waiting.is_empty() {
            let line = format!("  waiting: {}", self.waiting);
            let _ = writeln!(text, "{}", truncate_str(&line, width, "…"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_fit_and_are_not_too_many() {
        let now = Instant::now();
        let shown = Shown {
            running: (0..14).map(|at| (format!("subnets[{at}] AWS.EC2/Subnet"), now)).collect(),
            waiting: "routes on gateway, associations on subnets".to_owned(),
        };
        let text = shown.lines(now + Duration::from_millis(1_250), 36);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOST_LINES + 2);
        assert_eq!(lines[0], "⠹ subnets[0] AWS.EC2/Subnet 1.2s");
        assert_eq!(lines[12], "  … and 2 more");
        assert_eq!(lines[13], "  waiting: routes on gateway, assoc…");
        assert!(text.ends_with('\n') && Shown::default().lines(now, 36).is_empty());
    }
}
