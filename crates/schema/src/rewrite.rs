//! How a service spells what it was given, where the schema's property transforms say so.
//!
//! Only a change between upper and lower case is made: it is what nearly half of the transforms
//! say, and the one that leaves no doubt of the result.

use serde_json::Value;

use crate::spot::{Rewriting, Spot};
use crate::type_schema::TypeSchema;

/// The document with its values in the case that the service returns.
///
/// ```
/// # use hangar_schema::{Catalog, as_returned};
/// # use serde_json::json;
/// let instance = Catalog::bundled().get("AWS::RDS::DBInstance")?;
/// let stated = json!({"DBInstanceIdentifier": "Ledger", "DBInstanceClass": "db.t3.micro"});
/// assert_eq!(as_returned(&instance, &stated)["DBInstanceIdentifier"], "ledger");
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn as_returned(schema: &TypeSchema, document: &Value) -> Value {
    if schema.transform_count() == 0 {
        return document.clone();
    }
    let mut returned = document.clone();
    rewrite(schema, schema.root(), document, document, &mut returned, 0);
    returned
}

/// Deeper than any document is looked into.
const MAX_DEPTH: usize = 128;

fn rewrite(
    schema: &TypeSchema,
    spot: Spot,
    root: &Value,
    holder: &Value,
    value: &mut Value,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(members) => {
            let holder = Value::Object(members.clone());
            for (name, member) in members {
                rewrite(schema, schema.member(spot, name), root, &holder, member, depth + 1);
            }
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            for item in items {
                rewrite(schema, element, root, holder, item, depth + 1);
            }
        }
        Value::String(text) => {
            let Rewriting::Known(transform) = schema.rewriting(spot) else { return };
            let foretold = transform.candidates(holder, root).into_iter().find_map(|outcome| {
                let other = outcome.value.as_str()?.to_owned();
                let is_case_only = other != *text && other.eq_ignore_ascii_case(text);
                is_case_only.then_some(other)
            });
            if let Some(foretold) = foretold {
                *text = foretold;
            }
        }
        _ => {}
    }
}
