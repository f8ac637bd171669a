//! The rows of a SQLite file, multiplied.

use std::path::Path;

use anyhow::{Context as _, Result};
use rusqlite::Connection;

use super::super::names::{KINDS, Names, SEED, SEED_GROUP};
use super::{Sizes, Template};

/// Writes the references and operations of all numbers, and removes those that they were made from.
pub(super) fn multiply(path: &Path, names: Names, templates: &[Template]) -> Result<Sizes> {
    let connection = Connection::open(path).context("cannot open the store")?;
    // Nobody else has it open, and a fill that breaks is begun anew.
    connection.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000;
         PRAGMA foreign_keys = OFF; BEGIN",
    )?;
    let at_first = bytes(&connection)?;
    for template in templates {
        let texts = Texts::new(names, template);
        let numbers = numbered(names, template, "true");
        texts.copy(
            &connection,
            "reference",
            &numbers,
            &format!("alias_key = '{}'", template.alias),
        )?;
    }
    let with_references = bytes(&connection)?;
    for template in templates {
        let texts = Texts::new(names, template);
        let numbers = numbered(names, template, &Names::has_operation_sql("number"));
        let operation = &template.operation;
        texts.copy(&connection, "operation", &numbers, &format!("id = '{operation}'"))?;
        for table in ["attempt", "event"] {
            texts.copy(&connection, table, &numbers, &format!("operation = '{operation}'"))?;
        }
    }
    let with_operations = bytes(&connection)?;
    connection.execute_batch("COMMIT; BEGIN")?;
    for template in templates {
        let operation = &template.operation;
        connection.execute("DELETE FROM attempt WHERE operation = ?1", [operation])?;
        connection.execute("DELETE FROM event WHERE operation = ?1", [operation])?;
        connection.execute("DELETE FROM operation WHERE id = ?1", [operation])?;
        connection.execute("DELETE FROM reference WHERE alias_key = ?1", [&template.alias])?;
    }
    connection
        .execute("DELETE FROM resource_group WHERE body LIKE ?1", [format!("%{SEED_GROUP}%")])?;
    // Without ANALYZE, as a server leaves it. (With it SQLite scans an index for the list over all
    // groups, half a second for a million: statistics do not help here.)
    connection.execute_batch("COMMIT; PRAGMA journal_mode = WAL")?;
    Ok(Sizes {
        references: with_references - at_first,
        operations: with_operations - with_references,
    })
}

/// The numbers of a template's copies, of which a condition is true.
fn numbered(names: Names, template: &Template, condition: &str) -> String {
    let (first, step, end) = (template.kind, KINDS.len(), names.references);
    format!(
        "WITH RECURSIVE counted(number) AS (
            SELECT {first} UNION ALL SELECT number + {step} FROM counted WHERE number + {step} < {end}),
        numbered AS (SELECT number FROM counted WHERE {condition})"
    )
}

fn bytes(connection: &Connection) -> Result<u64> {
    let count = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(u64::try_from(count("page_count")? * count("page_size")?).unwrap_or(0))
}

/// The number of a copy; some tables have a `number` of their own.
const NUMBER: &str = "numbered.number";

/// What is replaced in every text of a row.
struct Texts(Vec<(String, String)>);

impl Texts {
    fn new(names: Names, template: &Template) -> Self {
        let padded = |number: &str, digits: usize| format!("printf('%0{digits}d', {number})");
        let hex = |number: &str, digits: usize| format!("printf('%0{digits}x', {number})");
        let mut replaced = vec![
            (format!("{SEED:07}"), padded(NUMBER, 7)),
            (SEED_GROUP.to_owned(), names.group_sql(NUMBER, padded)),
            (template.operation.clone(), names.operation_sql(NUMBER, hex)),
        ];
        if !template.identifier.contains(&format!("{SEED:07}")) {
            let (word, digits) = template.identifier.split_once('-').unwrap_or(("id", ""));
            let identifier = format!("'{word}-' || {}", hex(NUMBER, digits.len()));
            replaced.push((template.identifier.clone(), identifier));
        }
        Self(replaced)
    }

    /// Copies the row that `where_` finds once for every number.
    fn copy(
        &self,
        connection: &Connection,
        table: &str,
        numbers: &str,
        where_: &str,
    ) -> Result<()> {
        let mut columns = Vec::new();
        connection.pragma(None, "table_info", table, |row| {
            columns.push((row.get::<_, String>("name")?, row.get::<_, String>("type")?));
            Ok(())
        })?;
        let values: Vec<String> = columns
            .iter()
            .map(|(name, kind)| {
                let column = format!("seed.{name}");
                if kind == "TEXT" { self.replace(column) } else { column }
            })
            .collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        // Apart from the table, or SQLite would gather all new rows before it writes the first.
        let sql = format!(
            "CREATE TEMP TABLE seed AS SELECT * FROM {table} WHERE {where_};
            {numbers} INSERT INTO {table} ({names}) SELECT {values} FROM numbered, seed;
            DROP TABLE temp.seed"
        );
        connection.execute_batch(&sql).with_context(|| format!("cannot multiply {table}"))
    }

    fn replace(&self, column: String) -> String {
        self.0.iter().fold(column, |text, (from, to)| format!("replace({text}, '{from}', {to})"))
    }
}
