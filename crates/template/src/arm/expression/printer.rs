//! Expressions as the compiler spells them: `, ` between arguments, quotes doubled, members after a dot.

use std::fmt;

use super::{Expression, Kind, is_identifier};

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Text(text) => quoted(f, text),
            Kind::Number(number) => f.write_str(number),
            Kind::Call { name, arguments } => {
                write!(f, "{name}(")?;
                for (at, argument) in arguments.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
            Kind::Member { base, name } if is_identifier(name) => write!(f, "{base}.{name}"),
            Kind::Member { base, name } => {
                write!(f, "{base}[")?;
                quoted(f, name)?;
                f.write_str("]")
            }
            Kind::Index { base, at } => write!(f, "{base}[{at}]"),
        }
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "'{}'", text.replace('\'', "''"))
}
