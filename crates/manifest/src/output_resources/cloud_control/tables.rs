//! The tables that lead from Terraform's types to Cloud Control's.

use std::collections::HashMap;

use super::super::kubernetes::Kinds;
use super::names::{folded_awscc, folded_type};

/// All tables, read.
pub(in super::super) struct Tables {
    /// Types that Cloud Control reads, with the properties of their identifiers.
    readable: HashMap<&'static str, &'static str>,
    /// The same types by what their names in hashicorp/awscc come to.
    awscc: HashMap<String, &'static str>,
    /// Terraform's types with those of CloudFormation and where that is from.
    aws: HashMap<&'static str, (&'static str, &'static str)>,
    /// Terraform's types whose identifiers have a rule of their own.
    rules: HashMap<&'static str, (&'static str, &'static str)>,
    pub(in super::super) kubernetes: Kinds,
}

/// What the tables know of a type of hashicorp/aws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) cloud_formation: &'static str,
    /// The properties of the primary identifier, with commas between.
    pub(super) identifier: &'static str,
    pub(super) origin: Origin,
}

/// Where it is known from what a type stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A line with the rule of its identifier, written by hand.
    Rule(&'static str),
    /// A table that people made, or the same name in a provider that is made of Cloud Control.
    Known,
    /// Names that are alike.
    Alike,
}

impl Tables {
    pub(in super::super) fn read() -> Self {
        let readable: HashMap<_, _> = rows(include_str!("../../../data/cloud-control-types.tsv"))
            .map(|[name, identifier, _]| (name, identifier))
            .collect();
        Self {
            awscc: readable.keys().filter_map(|name| Some((folded_type(name)?, *name))).collect(),
            readable,
            aws: rows(include_str!("../../../data/aws-types.tsv"))
                .map(|[name, cloud_formation, source]| (name, (cloud_formation, source)))
                .collect(),
            rules: rows(include_str!("../../../data/identifier-rules.tsv"))
                .map(|[name, cloud_formation, rule]| (name, (cloud_formation, rule)))
                .collect(),
            kubernetes: Kinds::read(),
        }
    }

    /// What is known of a type of hashicorp/aws.
    pub(super) fn aws_type(&self, terraform: &str) -> Option<Row> {
        let (cloud_formation, origin) = if let Some((name, rule)) = self.rules.get(terraform) {
            (*name, Origin::Rule(rule))
        } else {
            let (name, source) = self.aws.get(terraform)?;
            (*name, if *source == "heuristic" { Origin::Alike } else { Origin::Known })
        };
        let identifier = self.readable.get(cloud_formation)?;
        Some(Row { cloud_formation, identifier, origin })
    }

    /// The type of CloudFormation that a type of hashicorp/awscc is.
    pub(super) fn awscc_type(&self, terraform: &str) -> Option<&'static str> {
        self.awscc.get(&folded_awscc(terraform)?).copied()
    }
}

/// The first three columns of a table's lines.
fn rows(table: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t');
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_awscc_lead_back_to_their_types() {
        let tables = Tables::read();
        let mut checked = 0;
        for (name, (cloud_formation, source)) in &tables.aws {
            if *source == "awscc-name" {
                let awscc = name.replacen("aws_", "awscc_", 1);
                assert_eq!(tables.awscc_type(&awscc), Some(*cloud_formation), "{awscc}");
                checked += 1;
            }
        }
        println!("counted: names of awscc that lead back: {checked}");
        assert!(checked > 500, "{checked}");
        assert_eq!(tables.awscc_type("awscc_nothing"), None);
    }

    #[test]
    fn no_two_types_have_one_name_in_awscc() {
        let tables = Tables::read();
        assert_eq!(tables.awscc.len(), tables.readable.len());
    }

    #[test]
    fn every_type_that_is_linked_can_be_read() {
        let tables = Tables::read();
        for name in tables.aws.keys().chain(tables.rules.keys()) {
            assert!(tables.aws_type(name).is_some(), "{name}");
        }
        for (name, (cloud_formation, _)) in &tables.rules {
            let stated = tables.aws.get(name).map(|(stated, _)| *stated);
            assert_eq!(stated, Some(*cloud_formation), "{name}");
        }
    }
}
