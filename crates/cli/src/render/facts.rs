//! One thing and what is known of it: a name and a value a line.

use std::fmt;

use super::printable;

/// Names and values, aligned. What is not known is not added.
#[derive(Debug, Default)]
pub(crate) struct Facts(Vec<(&'static str, String)>);

impl Facts {
    /// Adds a fact.
    pub(crate) fn add(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// Adds a fact that may not be known.
    pub(crate) fn add_known(&mut self, name: &'static str, value: Option<impl Into<String>>) {
        self.0.extend(value.map(|value| (name, value.into())));
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &self.0 {
            writeln!(f, "{name:width$}  {}", printable(value))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_below_each_other() {
        let mut facts = Facts::default();
        facts.add("state", "ready");
        facts.add_known("identifier", Some("vpc-1"));
        facts.add_known("observed", None::<String>);
        assert_eq!(facts.to_string(), "state       ready\nidentifier  vpc-1\n");
    }
}
