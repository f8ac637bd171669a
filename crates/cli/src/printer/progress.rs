//! Work that goes on: one moving line on a terminal, one line an event elsewhere, nothing for
//! programs.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How progress is shown.
#[derive(Debug, Default)]
pub(super) enum Progress {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A line that moves.
    Moving(ProgressBar),
    /// Lines, each with what is under way.
    Lines { label: String },
}

impl Progress {
    /// A moving line that says what is under way.
    pub(super) fn moving(label: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_prefix(label.to_owned());
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self::Moving(bar)
    }

    /// Does something while the moving line is away, so that both are readable.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match self {
            Self::Moving(bar) => bar.suspend(print),
            _ => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Self::Moving(bar) = self {
            bar.finish_and_clear();
        }
    }
}
