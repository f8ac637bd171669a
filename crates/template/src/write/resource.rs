//! A resource of AWS as a statement.

use serde_json::Value;

use super::{Replacements, text, value_with};

/// What a statement that declares a resource is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceText {
    /// What the template calls it; see [`symbol_for`](super::symbol_for).
    pub symbol: String,
    /// Its type as ids spell it (`AWS.EC2/VPC`).
    pub type_name: String,
    /// What Hangar calls it.
    pub alias: String,
    /// What is stated of it.
    pub properties: Value,
    /// Expressions in the place of some properties, by pointer into them (`/VpcId`).
    pub replacements: Replacements,
    /// Symbols that it must come after although it reads nothing of them.
    pub depends_on: Vec<String>,
    /// What stands above it as a comment; nothing where it is empty.
    pub comment: String,
}

/// The statement, with a line break at its end.
///
/// ```
/// use hangar_template::write::{ResourceText, resource};
/// use serde_json::json;
///
/// let subnet = ResourceText {
///     symbol: "subnet".into(),
///     type_name: "AWS.EC2/Subnet".into(),
///     alias: "subnet".into(),
///     properties: json!({"CidrBlock": "10.0.1.0/24", "VpcId": "vpc-1"}),
///     replacements: [("/VpcId".into(), "vpc.properties.VpcId".into())].into(),
///     ..ResourceText::default()
/// };
/// assert_eq!(resource(&subnet), "resource subnet 'AWS.EC2/Subnet@default' = {
///   alias: 'subnet'
///   properties: {
///     CidrBlock: '10.0.1.0/24'
///     VpcId: vpc.properties.VpcId
///   }
/// }
/// ");
/// ```
pub fn resource(wanted: &ResourceText) -> String {
    let ResourceText { symbol, type_name, alias, properties, replacements, .. } = wanted;
    let mut out = text::comment(&wanted.comment);
    out.push_str("resource ");
    out.push_str(symbol);
    out.push(' ');
    out.push_str(&text::quoted(&format!("{type_name}@default")));
    out.push_str(" = {\n  alias: ");
    out.push_str(&text::quoted(alias));
    out.push('\n');
    let is_empty = properties.as_object().is_none_or(serde_json::Map::is_empty);
    if !is_empty {
        out.push_str("  properties: ");
        out.push_str(&value_with(properties, 1, replacements));
        out.push('\n');
    }
    if !wanted.depends_on.is_empty() {
        out.push_str("  dependsOn: [\n");
        for symbol in &wanted.depends_on {
            out.push_str("    ");
            out.push_str(symbol);
            out.push('\n');
        }
        out.push_str("  ]\n");
    }
    out.push_str("}\n");
    out
}

/// The statement of a resource that is only read, by its alias.
///
/// ```
/// use hangar_template::write::existing;
///
/// let text = "resource net 'AWS.EC2/VPC@default' existing = {\n  alias: 'net'\n}\n";
/// assert_eq!(existing("net", "AWS.EC2/VPC", "net"), text);
/// ```
pub fn existing(symbol: &str, type_name: &str, alias: &str) -> String {
    let type_name = text::quoted(&format!("{type_name}@default"));
    format!("resource {symbol} {type_name} existing = {{\n  alias: {}\n}}\n", text::quoted(alias))
}
