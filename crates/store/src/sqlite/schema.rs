//! Schemas that were fetched, one row for a type in a region.

use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::Table;
use crate::{CachedSchema, StoreError};

const SCHEMA: Table = Table { name: "cached_schema", key: &["region_key", "type_key"] };

pub(super) const FIND: &str = "SELECT * FROM cached_schema WHERE region_key = ?1 AND type_key = ?2";
const PUT: &str = "INSERT INTO cached_schema
    (region_key, type_key, region, type_name, hash, document, fetched_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (region_key, type_key) DO UPDATE SET
        hash = excluded.hash, document = excluded.document, fetched_at = excluded.fetched_at";

pub(super) fn find(
    database: &Database<'_>,
    region_key: &str,
    type_key: &str,
) -> Result<Option<CachedSchema>, StoreError> {
    database.find(&SCHEMA, FIND, [region_key, type_key], |row| {
        Ok(CachedSchema {
            region: row.get("region")?,
            type_name: row.get("type_name")?,
            hash: row.get("hash")?,
            document: row.get("document")?,
            fetched_at: row.instant("fetched_at")?,
        })
    })
}

pub(super) fn put(writing: &Writing<'_>, schema: &CachedSchema) -> Result<(), StoreError> {
    let row = params![
        schema.region.to_ascii_lowercase(),
        schema.type_name.to_ascii_lowercase(),
        schema.region,
        schema.type_name,
        schema.hash,
        schema.document,
        schema.fetched_at.as_micros(),
    ];
    writing.database.change(PUT, row).map(drop)
}
