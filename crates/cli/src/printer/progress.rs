//! Work that goes on: moving lines on a terminal, one line an event elsewhere, nothing for programs.

use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::board::Board;
use super::screen;
use crate::follow::vigil::rounded;

/// How progress is shown.
#[derive(Debug, Default)]
pub(super) enum Progress {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A line that moves.
    Moving(ProgressBar),
    /// A moving line for each of many things.
    Board(Box<Board>),
    /// Lines, each with what is under way.
    Lines { label: String },
    /// Lines, one for each tenth of what there is to do.
    Counting { label: String, total: u64, tenth: u64 },
}

impl Progress {
    /// A moving line that says what is under way.
    pub(super) fn moving(label: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_prefix(label.to_owned());
        Self::on_terminal(bar, "{spinner} {prefix}: {wide_msg} {elapsed}")
    }

    /// A bar that says how much of what is under way is done.
    pub(super) fn bar(label: &str, total: u64) -> Self {
        let bar = ProgressBar::new(total).with_prefix(label.to_owned());
        Self::on_terminal(bar, "{spinner} {prefix} {bar:24} {pos}/{len} {wide_msg} {elapsed}")
    }

    fn on_terminal(bar: ProgressBar, template: &str) -> Self {
        bar.set_draw_target(screen::draw_target());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ ").with_key("elapsed", write_elapsed));
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self::Moving(bar)
    }

    /// The line that tells of so much, where another tenth is done with it.
    pub(super) fn passed(&mut self, done: u64, note: &str) -> Option<String> {
        let Self::Counting { label, total, tenth } = self else { return None };
        let now = done.saturating_mul(10) / (*total).max(1);
        if now <= *tenth {
            return None;
        }
        *tenth = now;
        let note = if note.is_empty() { String::new() } else { format!(", {note}") };
        Some(format!("{label}: {done} of {total}{note}"))
    }

    /// Does something while the moving line is away, so that both are readable.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match self {
            Self::Moving(bar) => bar.suspend(print),
            Self::Board(board) => board.suspend(print),
            _ => print(),
        }
    }
}

/// The elapsed time as all other durations are written.
pub(super) fn write_elapsed(state: &ProgressState, text: &mut dyn fmt::Write) {
    // It is only a picture of what goes on.
    let _ = text.write_str(&rounded(state.elapsed()));
}

impl Drop for Progress {
    fn drop(&mut self) {
        match self {
            Self::Moving(bar) => bar.finish_and_clear(),
            Self::Board(board) => board.clear(),
            Self::Idle | Self::Lines { .. } | Self::Counting { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_told_once_a_tenth() {
        let mut counting = Progress::Counting { label: "types".to_owned(), total: 25, tenth: 0 };
        let told: Vec<String> =
            (0..=25).filter_map(|done| counting.passed(done, "1 found")).collect();
        assert_eq!(told.len(), 10);
        assert_eq!(told[0], "types: 3 of 25, 1 found");
        assert_eq!(told[9], "types: 25 of 25, 1 found");
    }
}
