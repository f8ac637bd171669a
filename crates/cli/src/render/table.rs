//! Rows in columns, without borders: for the eye, and for `awk`.

use std::borrow::Cow;
use std::fmt;

use comfy_table::presets::NOTHING;
use console::{measure_text_width, truncate_str};

use super::printable;

/// What stands between two columns.
const GAP: usize = 2;

/// A column that is cut keeps so much, to be told from others.
const LEAST: usize = 8;

/// Columns are left out rather than cut to less than this.
const READABLE: usize = 20;

/// A table with a heading; every row has as many cells as the heading.
#[derive(Debug)]
pub(crate) struct Table {
    /// The heading first.
    rows: Vec<Vec<String>>,
    width: Option<usize>,
    /// How many columns, from the first on, are never cut.
    whole: usize,
    /// The headings of the columns that a narrow terminal does not show, the first to go first.
    optional: Vec<&'static str>,
}

impl Table {
    pub(crate) fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self {
            rows: vec![heading.map(str::to_owned).to_vec()],
            width: None,
            whole: 0,
            optional: Vec::new(),
        }
    }

    /// Cuts the longest columns to fit into so many places; without a number nothing is cut.
    pub(crate) fn fit(&mut self, width: Option<usize>) {
        self.width = width;
    }

    /// Never cuts the first column: an id that is cut is of no use to other commands.
    pub(crate) fn keep_first_whole(&mut self) {
        self.whole = 1;
    }

    /// Leaves these columns out, one after the other, when the terminal is too narrow for all of them.
    pub(crate) fn leave_out_first(&mut self, headings: &[&'static str]) {
        self.optional = headings.to_vec();
    }

    /// Adds a row; a line break in a cell is shown escaped, so that a row stays a line.
    pub(crate) fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.rows.push(cells.into_iter().map(|cell| printable(cell).into_owned()).collect());
    }

    /// The columns that are shown, by their places, and how wide each may be.
    fn columns(&self) -> Vec<(usize, usize)> {
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| measure_text_width(cell)).max().unwrap_or(0)
        };
        let heading = self.rows.first().map_or(&[][..], Vec::as_slice);
        let mut columns: Vec<(usize, usize)> =
            (0..heading.len()).map(|column| (column, width_of(column))).collect();
        let Some(limit) = self.width else { return columns };
        let room = |shown: usize| limit.saturating_sub(GAP * shown.saturating_sub(1));
        let readable = |&(column, width): &(usize, usize)| {
            if column < self.whole { width } else { width.min(READABLE) }
        };
        for optional in &self.optional {
            if columns.iter().map(readable).sum::<usize>() <= room(columns.len()) {
                break;
            }
            columns.retain(|(column, _)| heading[*column] != *optional);
        }
        let room = room(columns.len());
        while columns.iter().map(|(_, width)| width).sum::<usize>() > room {
            let cut = columns.iter_mut().filter(|(column, _)| *column >= self.whole);
            match cut.map(|(_, width)| width).max() {
                Some(longest) if *longest > LEAST => *longest -= 1,
                _ => break,
            }
        }
        columns
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns();
        let mut inner = comfy_table::Table::new();
        inner.load_style(NOTHING);
        for (at, row) in self.rows.iter().enumerate() {
            let cells = columns
                .iter()
                .map(|(column, width)| (row.get(*column).map_or("", String::as_str), *width));
            if at == 0 {
                inner.set_header(cells.map(|(cell, width)| truncate_str(cell, width, "…")))
            } else {
                inner.add_row(cells.map(|(cell, width)| shortened(cell, width)))
            };
        }
        for column in inner.column_iter_mut() {
            column.set_padding((0, 2));
        }
        f.write_str(&inner.trim_fmt())
    }
}

/// Cuts a cell to a width. An id, a type or a path is cut in the middle: ids of one kind begin alike and differ at
/// their end. A sentence is cut at its end.
pub(crate) fn shortened(cell: &str, width: usize) -> Cow<'_, str> {
    if cell.contains(' ') || measure_text_width(cell) <= width {
        return truncate_str(cell, width, "…");
    }
    let room = width.saturating_sub(1);
    let head = truncate_str(cell, room / 2, "").into_owned();
    let mut tail = String::new();
    for character in cell.chars().rev() {
        let longer = format!("{character}{tail}");
        if measure_text_width(&longer) > room - room / 2 {
            break;
        }
        tail = longer;
    }
    Cow::Owned(format!("{head}…{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_without_borders_or_trailing_blanks() {
        let mut table = Table::new(["TYPE", "SOURCE"]);
        table.row(["AWS::EC2::VPC", "raw"]);
        table.row(["A\nB", ""]);
        assert_eq!(table.to_string(), "TYPE           SOURCE\nAWS::EC2::VPC  raw\nA\\nB");
    }

    #[test]
    fn the_longest_column_is_cut_to_fit_and_only_where_asked() {
        let mut table = Table::new(["TYPE", "IDENTIFIER"]);
        table.row(["AWS.EC2/VPC", "arn:aws:sns:us-east-1:000000000000:topic"]);
        assert!(table.to_string().ends_with(":topic"));
        table.fit(Some(30));
        assert_eq!(table.to_string(), "TYPE         IDENTIFIER\nAWS.EC2/VPC  arn:aws:…00:topic");
        table.fit(Some(20));
        table.keep_first_whole();
        assert_eq!(table.to_string(), "TYPE         IDENTIF…\nAWS.EC2/VPC  arn…opic");
    }

    #[test]
    fn a_narrow_terminal_leaves_columns_out_before_it_cuts_the_others_short() {
        let table = |width: Option<usize>| {
            let mut table = Table::new(["NAME", "GROUP", "IDENTIFIER", "TOOK"]);
            table.row(["jobs", "default", "https://sqs.us-east-1.amazonaws.com/1/q-8MW", "1.0s"]);
            table.leave_out_first(&["GROUP", "TOOK"]);
            table.fit(width);
            table.to_string()
        };
        let row = |text: String| text.lines().last().unwrap().to_owned();
        let identifier = "https://sqs.us-east-1.amazonaws.com/1/q-8MW";
        assert_eq!(row(table(None)), format!("jobs  default  {identifier}  1.0s"));
        assert_eq!(row(table(Some(80))), format!("jobs  default  {identifier}  1.0s"));
        assert_eq!(row(table(Some(48))), "jobs  default  https://sqs.u…s.com/1/q-8MW  1.0s");
        assert_eq!(row(table(Some(40))), "jobs  https://sqs.u…ws.com/1/q-8MW  1.0s");
        assert_eq!(row(table(Some(30))), "jobs  https://sqs….com/1/q-8MW");
        assert_eq!(row(table(Some(12))), "jobs  htt…-8MW");
    }
}
