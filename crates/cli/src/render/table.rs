//! Rows in columns, without borders: for the eye, and for `awk`.

use std::fmt;

use comfy_table::presets::NOTHING;

use super::printable;

/// A table with a heading; every row has as many cells as the heading.
#[derive(Debug)]
pub(crate) struct Table {
    inner: comfy_table::Table,
}

impl Table {
    pub(crate) fn new<const N: usize>(heading: [&str; N]) -> Self {
        let mut inner = comfy_table::Table::new();
        inner.load_style(NOTHING).set_header(heading);
        for column in inner.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Self { inner }
    }

    /// Adds a row; a line break in a cell is shown escaped, so that a row stays a line.
    pub(crate) fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.inner.add_row(cells.into_iter().map(printable));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.trim_fmt())
    }
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
}
