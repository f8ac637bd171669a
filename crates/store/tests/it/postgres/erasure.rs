//! When an operation has ended, no row of any table holds its envelope any more.

use hangar_store::Reader as _;
use hangar_store::keys::Keys;

use super::{connect, database, stranger};
use crate::sample;

/// The tables in whose rows the bytes are, as they are or in part.
async fn tables_with(client: &tokio_postgres::Client, bytes: &[u8]) -> Vec<String> {
    let tables =
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let hex = hangar_store::hex::encode(&bytes[..16]);
    let mut found = Vec::new();
    for row in client.query(tables, &[]).await.unwrap() {
        let table: String = row.get(0);
        let sql = format!("SELECT count(*) FROM {table} AS it WHERE it::text LIKE '%{hex}%'");
        let count: i64 = client.query_one(&sql, &[]).await.unwrap().get(0);
        if count > 0 {
            found.push(table);
        }
    }
    found
}

#[tokio::test]
async fn an_envelope_is_in_no_row_when_its_operation_has_ended() {
    let Some((_, url)) = database("erasure::an_envelope_is_in_no_row") else { return };
    let (store, client) = (connect(&url).await, stranger(&url).await);
    let sealed = Keys::generate().seal(sample::ID.to_string().as_bytes(), &vec![b'x'; 20_000]);
    sample::fill(&store, sealed.clone()).await;
    assert_eq!(tables_with(&client, &sealed).await, ["envelope"], "it looks in the right place");
    sample::find_and_end(&store, &sealed).await;
    assert_eq!(tables_with(&client, &sealed).await, [""; 0]);
    let envelopes = client.query("SELECT * FROM envelope", &[]).await.unwrap();
    assert!(envelopes.is_empty());
    assert!(store.operation_find(sample::ID).await.unwrap().is_some());
}
