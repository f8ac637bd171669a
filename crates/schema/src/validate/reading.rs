//! Whether something of a resource can be read: the names along the way, and whether AWS returns it.

use super::Purpose;
use super::patterns::Patterns;
use super::structure::{Described, Unknown, Walker};
use crate::kind::{Kind, Kinds};
use crate::type_schema::TypeSchema;

/// What a schema says of reading a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<'a> {
    /// Nothing is known against it.
    Fine,
    /// AWS never returns it.
    WriteOnly {
        /// Which step of the path is the one.
        step: usize,
    },
    /// The schema knows no such property there.
    Unknown {
        /// Which step of the path is the one.
        step: usize,
        /// Those that it knows and that can be read, sorted.
        names: Vec<&'a str>,
        /// Whether there can be no other ones.
        is_closed: bool,
    },
    /// What the step would look into is no object.
    NoObject {
        /// Which step of the path is the one.
        step: usize,
        /// What it is instead.
        kinds: Kinds,
    },
}

/// What the schema says of reading what is at the end of `path`, a list of names of members.
///
/// ```
/// use hangar_schema::{Catalog, Reading, reading};
///
/// let schema = Catalog::bundled().get("AWS::EC2::VPC")?;
/// assert_eq!(reading(&schema, &["VpcId"]), Reading::Fine);
/// assert!(matches!(reading(&schema, &["VpcIdd"]), Reading::Unknown { step: 0, is_closed: true, .. }));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn reading<'a>(schema: &'a TypeSchema, path: &[impl AsRef<str>]) -> Reading<'a> {
    let patterns = Patterns(&schema.patterns);
    let walker = Walker::new(schema, Purpose::Merged, &patterns);
    let mut described = Described::root(schema);
    let mut spot = schema.root();
    for (step, name) in path.iter().map(AsRef::as_ref).enumerate() {
        let kinds = schema.shape(spot).kinds;
        if !kinds.is_unstated() && !kinds.has(Kind::Object) {
            return Reading::NoObject { step, kinds };
        }
        if let Some(unknown) = walker.unknown(&described, name) {
            let is_closed = matches!(unknown, Unknown::Closed);
            let is_readable = |name: &&str| !schema.at(schema.member(spot, name)).is_hidden();
            let names = described.names(schema).into_iter().filter(is_readable).collect();
            return Reading::Unknown { step, names, is_closed };
        }
        spot = schema.member(spot, name);
        if schema.at(spot).is_hidden() {
            return Reading::WriteOnly { step };
        }
        described = described.member(schema, &patterns, name);
    }
    Reading::Fine
}
