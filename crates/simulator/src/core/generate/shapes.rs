//! The table of known shapes: what a type's made-up values look like.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Templates by type and pointer, and by the name of a property for any type.
#[derive(Debug)]
pub(super) struct Shapes {
    by_type: HashMap<(&'static str, &'static str), &'static str>,
    by_name: HashMap<&'static str, &'static str>,
}

const TABLE: &str = include_str!("../../../data/shapes.tsv");

impl Shapes {
    /// The table that is part of the program.
    pub(super) fn known() -> &'static Self {
        static KNOWN: OnceLock<Shapes> = OnceLock::new();
        KNOWN.get_or_init(|| Self::read(TABLE))
    }

    fn read(table: &'static str) -> Self {
        let mut shapes = Self { by_type: HashMap::new(), by_name: HashMap::new() };
        for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut columns = line.split('\t');
            let (Some(name), Some(pointer), Some(template)) =
                (columns.next(), columns.next(), columns.next())
            else {
                continue;
            };
            match name {
                "*" => shapes.by_name.insert(pointer, template),
                _ => shapes.by_type.insert((name, pointer), template),
            };
        }
        shapes
    }

    /// The template for a property of one type.
    pub(super) fn find(&self, type_name: &str, pointer: &str) -> Option<&'static str> {
        // The key borrows for 'static only in the table; a look-up by shorter lives is the same.
        self.by_type.get(&(type_name, pointer)).copied()
    }

    /// The template for a property of this name, whatever the type.
    pub(super) fn find_name(&self, name: &str) -> Option<&'static str> {
        self.by_name.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_schema::Catalog;

    #[test]
    fn every_row_names_a_property_of_its_type_and_a_source() {
        let catalog = Catalog::bundled();
        let mut last = None;
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [name, pointer, template, source] = columns.as_slice() else {
                panic!("{line}: four columns")
            };
            assert!(!template.is_empty() && !source.is_empty(), "{line}");
            if *name == "*" {
                continue;
            }
            let first = pointer.trim_start_matches('/').split('/').next().unwrap();
            if last.as_ref().is_none_or(|(known, _)| known != name) {
                last = Some((name.to_string(), catalog.get(name).expect(line)));
            }
            let (_, schema) = last.as_ref().unwrap();
            assert!(schema.property_names().any(|known| known == first), "{line}");
        }
    }
}
