//! Which properties the physical id of a resource is made of: what `Ref` gives for its type.

use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    include_str!("../../data/physical-ids.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut columns = line.split('\t');
            Some((columns.next()?, columns.next()?.split('|').collect()))
        })
        .collect()
});

/// The properties whose values, with `|` between, are the physical id; nothing where they are those of
/// the primary identifier, in its order. A property that the resource does not have is left out.
pub fn parts(type_name: &str) -> Option<&'static [&'static str]> {
    TABLE.get(type_name).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_the_table_has_its_parts_and_another_has_none() {
        assert_eq!(parts("AWS::ApiGateway::Stage"), Some(&["StageName"][..]));
        assert_eq!(parts("AWS::Cassandra::Table"), Some(&["KeyspaceName", "TableName"][..]));
        assert_eq!(parts("AWS::ECS::TaskSet"), Some(&["Id"][..]));
        assert_eq!(parts("AWS::SNS::Topic"), Some(&["TopicArn"][..]));
        assert_eq!(parts("AWS::S3::Bucket"), None);
    }

    #[test]
    fn every_row_has_a_type_its_parts_and_a_source() {
        let table = include_str!("../../data/physical-ids.tsv");
        let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
        for row in &rows {
            let columns: Vec<&str> = row.split('\t').collect();
            assert_eq!(columns.len(), 3, "{row}");
            assert!(columns[0].matches("::").count() == 2 && !columns[1].is_empty(), "{row}");
            assert!(matches!(columns[2], "service-spec" | "cdk8s-1216"), "{row}");
        }
        assert_eq!(rows.len(), TABLE.len());
        println!("counted: types whose physical id is not their identifier: {}", rows.len());
        assert!(rows.len() > 70);
    }
}
