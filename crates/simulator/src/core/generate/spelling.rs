//! Small facts on how AWS spells what it builds from other values.

/// A value in another spelling, as `data/shapes.tsv` asks for.
pub(super) fn spelled(value: &str, spelling: &str) -> String {
    match spelling {
        // The name at the end of an ARN, or the name itself.
        "last" => value.rsplit(['/', ':']).next().unwrap_or(value).to_owned(),
        // An event bus in the ARNs of its rules, where the default one is not named.
        "bus" => match value.split_once(":event-bus/").map_or(value, |(_, name)| name) {
            "default" => String::new(),
            name => format!("{name}/"),
        },
        "bare" => value.trim_start_matches('/').to_owned(),
        "host" => value.split_once("://").map_or(value, |(_, rest)| rest).to_owned(),
        "lower" => value.to_ascii_lowercase(),
        // Nothing: for a condition that is only asked.
        "none" => String::new(),
        // The word for a type of load balancer in its ARN.
        "lb" => match value {
            "network" => "net",
            "gateway" => "gwy",
            _ => "app",
        }
        .to_owned(),
        "listener" => value.replacen(":loadbalancer/", ":listener/", 1),
        "rule" => value.replacen(":listener/", ":listener-rule/", 1),
        _ => value.to_owned(),
    }
}

/// The port of a database or cache where nobody chose one.
pub(super) fn default_port(type_name: &str, engine: Option<&str>) -> &'static str {
    let engine = engine.unwrap_or_default();
    let knows = |word: &str| engine.contains(word);
    match type_name.split("::").nth(1).unwrap_or_default() {
        "RDS" if knows("postgres") => "5432",
        "RDS" if knows("oracle") => "1521",
        "RDS" if knows("sqlserver") => "1433",
        "RDS" if knows("db2") => "50000",
        "RDS" => "3306",
        "ElastiCache" if knows("memcached") => "11211",
        "ElastiCache" | "MemoryDB" => "6379",
        "Neptune" => "8182",
        "DocDB" => "27017",
        "Redshift" | "RedshiftServerless" => "5439",
        _ => "443",
    }
}

/// The service in an ARN, where it is not the one in the type's name.
pub(super) fn service_in_arns(service: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("apigatewayv2", "apigateway"),
        ("applicationautoscaling", "application-autoscaling"),
        ("applicationinsights", "applicationinsights"),
        ("aps", "aps"),
        ("certificatemanager", "acm"),
        ("acmpca", "acm-pca"),
        ("dms", "dms"),
        ("docdb", "rds"),
        ("efs", "elasticfilesystem"),
        ("elasticloadbalancingv2", "elasticloadbalancing"),
        ("elasticsearch", "es"),
        ("emr", "elasticmapreduce"),
        ("emrserverless", "emr-serverless"),
        ("emrcontainers", "emr-containers"),
        ("eventschemas", "schemas"),
        ("inspectorv2", "inspector2"),
        ("kinesisfirehose", "firehose"),
        ("kinesisanalyticsv2", "kinesisanalytics"),
        ("msk", "kafka"),
        ("mwaa", "airflow"),
        ("neptune", "rds"),
        ("networkfirewall", "network-firewall"),
        ("opensearchserverless", "aoss"),
        ("opensearchservice", "es"),
        ("resourcegroups", "resource-groups"),
        ("stepfunctions", "states"),
        ("timestream", "timestream"),
        ("vpclattice", "vpc-lattice"),
        ("wafregional", "waf-regional"),
    ];
    NAMES.iter().find(|(known, _)| *known == service).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_as_arns_want_them() {
        for (value, spelling, expected) in [
            ("arn:aws:ecs:us-east-1:1:cluster/prod", "last", "prod"),
            ("prod", "last", "prod"),
            ("orders", "bus", "orders/"),
            ("arn:aws:events:us-east-1:1:event-bus/a/b", "bus", "a/b/"),
            ("arn:aws:events:us-east-1:1:event-bus/default", "bus", ""),
            ("/a/b", "bare", "a/b"),
            ("https://token.example.com/x", "host", "token.example.com/x"),
            ("network", "lb", "net"),
            ("application", "lb", "app"),
            ("arn:x:1:loadbalancer/net/web/1", "listener", "arn:x:1:listener/net/web/1"),
            ("x", "", "x"),
            ("x", "none", ""),
        ] {
            assert_eq!(spelled(value, spelling), expected);
        }
        assert_eq!(default_port("AWS::RDS::DBInstance", Some("aurora-postgresql")), "5432");
        assert_eq!(default_port("AWS::MemoryDB::Cluster", None), "6379");
    }
}
