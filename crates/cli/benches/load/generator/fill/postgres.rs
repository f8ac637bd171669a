//! The rows of a PostgreSQL database, multiplied.

use anyhow::{Context as _, Result};
use tokio_postgres::Client;

use super::super::baseline::connect;
use super::super::names::{KINDS, Names, SEED, SEED_GROUP};
use super::{Sizes, Template};

/// Writes the references and operations of all numbers, and removes those that they were made from.
pub(super) async fn multiply(url: &str, names: Names, templates: &[Template]) -> Result<Sizes> {
    let client = connect(url).await?;
    client
        .batch_execute("SET synchronous_commit = off; SET maintenance_work_mem = '256MB'")
        .await?;
    let at_first = bytes(&client).await?;
    for template in templates {
        let from = format!("alias_key = '{}'", template.alias);
        copy(&client, names, template, "reference", "true", &from).await?;
    }
    let with_references = bytes(&client).await?;
    let kept = Names::has_operation_sql(NUMBER);
    for template in templates {
        let operation = &template.operation;
        copy(&client, names, template, "operation", &kept, &format!("id = '{operation}'")).await?;
        for table in ["attempt", "event"] {
            let from = format!("operation = '{operation}'");
            copy(&client, names, template, table, &kept, &from).await?;
        }
    }
    let with_operations = bytes(&client).await?;
    for Template { alias, operation, .. } in templates {
        let sql = format!(
            "DELETE FROM operation WHERE id = '{operation}';
            DELETE FROM reference WHERE alias_key = '{alias}'"
        );
        client.batch_execute(&sql).await?;
    }
    let group = format!("DELETE FROM resource_group WHERE group_key LIKE '%{SEED_GROUP}'");
    client.batch_execute(&group).await?;
    // Each measurement has an AWS of its own on a copy of this.
    client.batch_execute("DELETE FROM note WHERE name = 'aws'").await?;
    // As the autovacuum of a database that lives leaves it.
    client.batch_execute("VACUUM ANALYZE").await?;
    client.batch_execute("CHECKPOINT").await?;
    Ok(Sizes {
        references: with_references - at_first,
        operations: with_operations - with_references,
    })
}

async fn bytes(client: &Client) -> Result<u64> {
    let row = client.query_one("SELECT pg_database_size(current_database())", &[]).await?;
    Ok(u64::try_from(row.get::<_, i64>(0)).unwrap_or(0))
}

/// The number of a copy; some tables have a `number` of their own.
const NUMBER: &str = "numbered.number";

/// Copies the rows that `from` finds once for every number of which `condition` is true.
async fn copy(
    client: &Client,
    names: Names,
    template: &Template,
    table: &str,
    condition: &str,
    from: &str,
) -> Result<()> {
    let sql = "SELECT column_name::text, data_type::text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position";
    let replaced = replaced(names, template);
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in client.query(sql, &[&table]).await? {
        let (name, kind): (String, String) = (row.get(0), row.get(1));
        let column = format!("seed.{name}");
        values.push(match kind.as_str() {
            "text" => replaced
                .iter()
                .fold(column, |text, (from, to)| format!("replace({text}, '{from}', {to})")),
            _ => column,
        });
        columns.push(name);
    }
    let (columns, values) = (columns.join(", "), values.join(", "));
    let (first, step, end) = (template.kind, KINDS.len(), names.references - 1);
    let sql = format!(
        "INSERT INTO {table} ({columns}) SELECT {values}
        FROM generate_series({first}::bigint, {end}::bigint, {step}::bigint) AS numbered(number),
            (SELECT * FROM {table} WHERE {from}) AS seed
        WHERE {condition}"
    );
    client.batch_execute(&sql).await.with_context(|| format!("cannot multiply {table}"))
}

/// What is replaced in every text of a row, and by what.
fn replaced(names: Names, template: &Template) -> Vec<(String, String)> {
    let padded = |number: &str, digits: usize| format!("lpad(({number})::text, {digits}, '0')");
    let hex = |number: &str, digits: usize| format!("lpad(to_hex({number}), {digits}, '0')");
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
    replaced
}
