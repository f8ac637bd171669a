//! Many things that go on at once, on a terminal: a moving line for each, one for what waits, and a bar below them.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::render::printable;

/// What goes on right now.
#[derive(Debug, Default)]
pub(crate) struct Glance {
    /// How many things are over.
    pub(crate) done: usize,
    /// What is under way.
    pub(crate) running: Vec<Running>,
    /// What waits, in one line; it is cut to fit.
    pub(crate) waiting: String,
}

/// One thing that is under way.
#[derive(Debug)]
pub(crate) struct Running {
    /// Told apart from others by it.
    pub(crate) key: usize,
    /// What it is.
    pub(crate) text: String,
    /// For how long it has been under way.
    pub(crate) since: Duration,
}

/// More lines than these would push the rest off the terminal.
const MOST_LINES: usize = 12;

const TICK: Duration = Duration::from_millis(100);

/// The lines on the terminal.
#[derive(Debug)]
pub(super) struct Board {
    all: MultiProgress,
    lines: BTreeMap<usize, ProgressBar>,
    waiting: ProgressBar,
    total: ProgressBar,
}

impl Board {
    /// A board with nothing but the bar.
    pub(super) fn new(label: &str, total: usize) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let bar = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
        let bar = all.add(bar.with_prefix(printable(label).into_owned()));
        style(&bar, "{spinner} {prefix} {bar:24} {pos}/{len} {wide_msg} {elapsed}");
        bar.enable_steady_tick(TICK);
        let waiting = all.insert_before(&bar, ProgressBar::new_spinner());
        style(&waiting, "{wide_msg:.dim}");
        Self { all, lines: BTreeMap::new(), waiting, total: bar }
    }

    /// Shows what goes on now.
    pub(super) fn show(&mut self, glance: &Glance) {
        let shown = &glance.running[..glance.running.len().min(MOST_LINES)];
        let is_shown = |key: &usize| shown.iter().any(|running| running.key == *key);
        self.lines.retain(|key, line| {
            if !is_shown(key) {
                line.finish_and_clear();
                self.all.remove(line);
            }
            is_shown(key)
        });
        for running in shown {
            let line = self.lines.entry(running.key).or_insert_with(|| {
                let line = ProgressBar::new_spinner().with_elapsed(running.since);
                let line = self.all.insert_before(&self.waiting, line);
                style(&line, "{spinner} {wide_msg} {elapsed}");
                line.enable_steady_tick(TICK);
                line
            });
            line.set_message(printable(&running.text).into_owned());
        }
        let hidden = glance.running.len() - shown.len();
        let more = match (hidden, glance.waiting.is_empty()) {
            (0, _) => String::new(),
            (count, true) => format!("  … and {count} more"),
            (count, false) => format!("  … and {count} more; "),
        };
        self.waiting.set_message(format!("{more}{}", printable(&glance.waiting)));
        self.total.set_position(u64::try_from(glance.done).unwrap_or(u64::MAX));
    }

    /// Does something while the lines are away.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.all.suspend(print)
    }

    /// Takes all lines away.
    pub(super) fn clear(&self) {
        for line in self.lines.values().chain([&self.waiting, &self.total]) {
            line.finish_and_clear();
        }
    }
}

fn style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸ "));
    }
}
