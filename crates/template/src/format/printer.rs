//! Prints a document: a group that fits its line stays on it.

use super::WIDTH;
use super::document::{Arguments, Break, Document, Sequence};

/// How far each level is moved to the right.
const STEP: usize = 2;

/// The text of a document; its lines end as `line_end` says.
pub(super) fn print(document: &Sequence<'_>, line_end: &'static str) -> String {
    let mut printer = Printer { printed: String::new(), column: 0, line_end, todo: Vec::new() };
    printer.push_all(&document.parts, 0, Mode::Broken);
    while let Some(task) = printer.todo.pop() {
        printer.step(task);
    }
    printer.trim();
    if !printer.printed.trim_start_matches('\u{feff}').is_empty() {
        printer.printed.push_str(line_end);
    }
    printer.printed
}

/// Whether the breaks of a group are line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Flat,
    Broken,
}

#[derive(Clone, Copy)]
struct Task<'d> {
    document: &'d Document<'d>,
    level: usize,
    mode: Mode,
}

struct Printer<'d> {
    printed: String,
    column: usize,
    line_end: &'static str,
    /// What is still to be printed, the next one last.
    todo: Vec<Task<'d>>,
}

impl<'d> Printer<'d> {
    fn push_all(&mut self, parts: &'d [Document<'d>], level: usize, mode: Mode) {
        self.todo.extend(parts.iter().rev().map(|document| Task { document, level, mode }));
    }

    fn step(&mut self, task: Task<'d>) {
        let Task { document, level, mode } = task;
        match document {
            Document::Text(text) => self.text(text),
            Document::Break(Break { flat: Some(flat), .. }) if mode == Mode::Flat => {
                self.text(flat);
            }
            Document::Break(it) => self.new_line(level, it.has_empty_line),
            Document::Sequence(it) => self.push_all(&it.parts, level, mode),
            Document::Indent(it) => self.push_all(&it.parts, level + 1, mode),
            Document::Group(it) => {
                let is_flat = mode == Mode::Flat || !it.must_break && self.fits(&it.parts);
                let mode = if is_flat { Mode::Flat } else { Mode::Broken };
                self.push_all(&it.parts, level, mode);
            }
            Document::Arguments(it) => self.arguments(it, level, mode),
        }
    }

    fn arguments(&mut self, it: &'d Arguments<'d>, level: usize, mode: Mode) {
        let parts = &it.inside.parts;
        let is_flat = mode == Mode::Flat || !document_breaks(it) && self.fits(parts);
        if is_flat {
            self.push_all(&it.end.parts, level, Mode::Flat);
            self.push_all(parts, level, Mode::Flat);
            return;
        }
        if let Some(last) = it.open_ended
            && !it.end.must_break
            && !parts[..last].iter().any(Document::must_break)
            && self.head_fits(parts, last)
        {
            self.push_all(&it.end.parts, level, Mode::Flat);
            self.push_all(&parts[last..], level, Mode::Broken);
            self.push_all(&parts[..last], level, Mode::Flat);
            return;
        }
        self.push_all(&it.end.parts, level, Mode::Broken);
        self.push_all(parts, level + 1, Mode::Broken);
    }

    /// Whether parts, and what follows them up to the next place where a line ends, are not too long.
    fn fits(&self, parts: &'d [Document<'d>]) -> bool {
        let tasks = parts.iter().rev();
        let tasks = tasks.map(|document| Task { document, level: 0, mode: Mode::Flat });
        self.has_room(tasks.collect())
    }

    /// Whether all up to the first line break of the last item is not too long.
    fn head_fits(&self, parts: &'d [Document<'d>], last: usize) -> bool {
        let modes = |at: usize| if at < last { Mode::Flat } else { Mode::Broken };
        let tasks = parts.iter().enumerate().rev();
        let tasks = tasks.map(|(at, document)| Task { document, level: 0, mode: modes(at) });
        self.has_room(tasks.collect())
    }

    fn has_room(&self, mut tasks: Vec<Task<'d>>) -> bool {
        let mut left = WIDTH.saturating_sub(self.column);
        let mut rest = self.todo.iter().rev();
        loop {
            let Some(Task { document, level, mode }) = tasks.pop() else {
                let Some(next) = rest.next() else { return true };
                tasks.push(*next);
                continue;
            };
            let mut push = |parts: &'d [Document<'d>], mode| {
                tasks.extend(parts.iter().rev().map(|document| Task { document, level, mode }));
            };
            let text = match document {
                Document::Text(text) => text,
                Document::Break(Break { flat: Some(flat), .. }) if mode == Mode::Flat => flat,
                Document::Break(_) => return true,
                Document::Sequence(it) | Document::Indent(it) => {
                    push(&it.parts, mode);
                    continue;
                }
                Document::Group(it) => {
                    let is_broken = mode == Mode::Broken && it.must_break;
                    push(&it.parts, if is_broken { Mode::Broken } else { Mode::Flat });
                    continue;
                }
                Document::Arguments(it) => {
                    let is_broken = mode == Mode::Broken && document_breaks(it);
                    if let (true, Some(last)) = (is_broken, it.open_ended) {
                        push(&it.end.parts, Mode::Flat);
                        push(&it.inside.parts[last..], Mode::Broken);
                        push(&it.inside.parts[..last], Mode::Flat);
                        continue;
                    }
                    let mode = if is_broken { Mode::Broken } else { Mode::Flat };
                    push(&it.end.parts, mode);
                    push(&it.inside.parts, mode);
                    continue;
                }
            };
            let line = text.lines().next().unwrap_or_default();
            let Some(less) = left.checked_sub(line.chars().count()) else { return false };
            if line.len() < text.len() {
                // The line ends in a string or a comment.
                return true;
            }
            left = less;
        }
    }

    fn text(&mut self, text: &str) {
        self.printed.push_str(text);
        self.column = match text.rsplit_once('\n') {
            Some((_, line)) => line.chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn new_line(&mut self, level: usize, has_empty_line: bool) {
        self.trim();
        self.printed.push_str(self.line_end);
        if has_empty_line {
            self.printed.push_str(self.line_end);
        }
        self.column = level * STEP;
        self.printed.extend(std::iter::repeat_n(' ', self.column));
    }

    /// Takes spaces off the end of a line. No token ends with one.
    fn trim(&mut self) {
        let length = self.printed.trim_end_matches([' ', '\t']).len();
        self.printed.truncate(length);
    }
}

const fn document_breaks(it: &Arguments<'_>) -> bool {
    it.inside.must_break || it.end.must_break
}
