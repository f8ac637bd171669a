use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A document with one statement: an allowed action with these members beside it.
fn with(members: &Value) -> Value {
    let mut statement = json!({"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"});
    for (name, member) in members.as_object().into_iter().flatten() {
        statement[name] = member.clone();
    }
    json!({"Version": "2012-10-17", "Statement": [statement]})
}

#[test]
fn documented_spellings_are_equal() {
    let root = "arn:aws:iam::123456789012:root";
    for (a, b) in [
        (json!({"Action": "s3:Get*"}), json!({"Action": ["S3:get*"]})),
        (json!({"Action": ["a:B", "c:D"]}), json!({"Action": ["C:d", "a:b", "A:B"]})),
        (json!({"NotAction": "iam:*"}), json!({"NotAction": ["IAM:*"]})),
        (json!({"Resource": ["x", "y"]}), json!({"Resource": ["y", "x"]})),
        (json!({"Principal": "*"}), json!({"Principal": {"AWS": "*"}})),
        (json!({"Principal": "*"}), json!({"Principal": {"AWS": ["*"]}})),
        (
            json!({"NotPrincipal": {"AWS": root}}),
            json!({"NotPrincipal": {"AWS": ["123456789012"]}}),
        ),
        (
            json!({"Principal": {"AWS": "arn:aws-cn:iam::123456789012:root"}}),
            json!({"Principal": {"AWS": "123456789012"}}),
        ),
        (
            json!({"Principal": {"Service": ["a.amazonaws.com", "b.amazonaws.com"]}}),
            json!({"Principal": {"Service": ["b.amazonaws.com", "a.amazonaws.com"]}}),
        ),
        (
            json!({"Condition": {"Bool": {"aws:SecureTransport": false}}}),
            json!({"Condition": {"Bool": {"AWS:securetransport": ["false"]}}}),
        ),
        (
            json!({"Condition": {"NumericLessThan": {"s3:max-keys": 10}}}),
            json!({"Condition": {"NumericLessThan": {"s3:max-keys": "10"}}}),
        ),
        (json!({"Sid": ""}), json!({})),
        (json!({"Future": {"a": [1, {"b": 2}]}}), json!({"Future": {"a": [1.0, {"b": 2}]}})),
    ] {
        assert!(equal(&with(&a), &with(&b)), "{a} = {b}");
    }
}

#[test]
fn what_may_mean_something_else_differs() {
    let root = "arn:aws:iam::123456789012:root";
    for (a, b) in [
        (json!({"Effect": "Allow"}), json!({"Effect": "Deny"})),
        (json!({"Action": "s3:GetObject"}), json!({"Action": "s3:PutObject"})),
        (json!({"Action": "a:B"}), json!({"Action": ["a:B", "a:C"]})),
        (json!({"Resource": "arn:aws:s3:::b/K"}), json!({"Resource": "arn:aws:s3:::b/k"})),
        (json!({"Principal": "*"}), json!({"Principal": {"AWS": ["*", "123456789012"]}})),
        (json!({"Principal": "*"}), json!({"Principal": {"Federated": "*"}})),
        (json!({"Principal": "*"}), json!({"NotPrincipal": "*"})),
        (json!({"Principal": "*"}), json!({})),
        (
            json!({"Principal": {"Service": root}}),
            json!({"Principal": {"Service": "123456789012"}}),
        ),
        (json!({"Principal": {"AWS": root}}), json!({"Principal": {"AWS": "210987654321"}})),
        (
            json!({"Principal": {"AWS": "arn:aws:iam::123456789012:role/root"}}),
            json!({"Principal": {"AWS": "123456789012"}}),
        ),
        (
            json!({"Condition": {"StringEquals": {"aws:x": "A"}}}),
            json!({"Condition": {"StringEquals": {"aws:x": "a"}}}),
        ),
        (
            json!({"Condition": {"StringEquals": {"aws:x": "A"}}}),
            json!({"Condition": {"stringequals": {"aws:x": "A"}}}),
        ),
        (
            json!({"Condition": {"StringEquals": {"aws:x": "A", "aws:X": "B"}}}),
            json!({"Condition": {"StringEquals": {"aws:x": ["A", "B"]}}}),
        ),
        (json!({"Condition": {}}), json!({})),
        (json!({"Sid": "x"}), json!({})),
        (json!({"Sid": "x"}), json!({"Sid": "X"})),
        (json!({"Future": [1, 2]}), json!({"Future": [2, 1]})),
        (json!({"Action": [1]}), json!({"Action": ["1"]})),
    ] {
        assert!(!equal(&with(&a), &with(&b)), "{a} ≠ {b}");
        assert!(!equal(&with(&b), &with(&a)), "{b} ≠ {a}");
    }
}

#[test]
fn documents_compare_their_own_members() {
    let allow = json!({"Effect": "Allow", "Action": "*", "Resource": "*"});
    let deny = json!({"Effect": "Deny", "Action": "*", "Resource": "*"});
    for (a, b, expected) in [
        (json!({"Statement": allow}), json!({"Statement": [allow]}), true),
        (json!({"Statement": [allow, deny]}), json!({"Statement": [deny, allow]}), true),
        (json!({"Statement": [allow, allow]}), json!({"Statement": [allow]}), false),
        (json!({"Statement": allow}), json!({"Version": "2008-10-17", "Statement": allow}), true),
        (json!({"Statement": allow}), json!({"Version": "2012-10-17", "Statement": allow}), false),
        (json!({"Id": "a", "Statement": allow}), json!({"Id": "A", "Statement": allow}), false),
        (json!({"Id": "", "Statement": allow}), json!({"Statement": allow}), false),
        (json!({"Statement": allow}), json!({"Statement": "x"}), false),
        (json!([1]), json!([1.0]), true),
        (json!({"Statement": []}), json!({}), false),
    ] {
        assert_eq!(equal(&a, &b), expected, "{a} {b}");
    }
}

#[test]
fn shape_is_told_by_statements_with_an_effect() {
    for (value, expected) in [
        (json!({"Statement": [{"Effect": "Allow"}]}), true),
        (json!({"Statement": [{"Effect": "Allow"}, {}]}), false),
        (json!({"Statement": [{"Effect": 1}]}), false),
        (json!({"Statement": "Effect"}), false),
        (json!([{"Effect": "Allow"}]), false),
        (json!({}), false),
    ] {
        assert_eq!(looks_like_policy(&value), expected, "{value}");
    }
}

#[test]
fn deep_nesting_is_no_reason_to_panic() {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let policy = with(&json!({"Future": deep}));
    assert!(equal(&policy, &policy.clone()));
    assert!(!equal(&policy, &with(&json!({"Future": 1}))));
}

fn names(pattern: &'static str) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(pattern, 1..4)
}

fn document() -> impl Strategy<Value = Vec<Value>> {
    let statement = (
        prop::sample::select(vec!["Allow", "Deny"]),
        names("[ab]:[CD]"),
        names("[xyz]"),
        prop::option::of(names("[12]")),
    )
        .prop_map(|(effect, actions, resources, values)| {
            let mut statement = json!({"Effect": effect, "Action": actions, "Resource": resources});
            if let Some(values) = values {
                statement["Condition"] = json!({"StringLike": {"aws:Key": values}});
            }
            statement
        });
    prop::collection::vec(statement, 1..4)
}

/// The same document with every list of names turned round and its statements too.
fn turned(statements: &[Value]) -> Value {
    let turn = |list: &Value| {
        let mut items: Vec<Value> = list.as_array().into_iter().flatten().cloned().collect();
        items.reverse();
        json!(items)
    };
    let statements: Vec<Value> = statements
        .iter()
        .rev()
        .map(|statement| {
            let mut statement = statement.clone();
            statement["Action"] = turn(&statement["Action"]);
            statement["Resource"] = turn(&statement["Resource"]);
            statement
        })
        .collect();
    json!({"Statement": statements})
}

proptest! {
    #[test]
    fn equality_is_reflexive_and_symmetric(a in document(), b in document()) {
        let (a, b) = (json!({"Statement": a}), json!({"Statement": b}));
        prop_assert!(equal(&a, &a.clone()));
        prop_assert_eq!(equal(&a, &b), equal(&b, &a));
    }

    #[test]
    fn order_of_lists_and_statements_means_nothing(statements in document()) {
        let document = json!({"Statement": statements});
        prop_assert!(equal(&document, &turned(&statements)));
    }

    #[test]
    fn another_effect_is_another_policy(statements in document(), at in any::<prop::sample::Index>()) {
        let mut changed = statements.clone();
        let statement = &mut changed[at.index(statements.len())];
        statement["Effect"] = json!(if statement["Effect"] == json!("Allow") { "Deny" } else { "Allow" });
        let (document, changed) = (json!({"Statement": statements}), json!({"Statement": changed}));
        prop_assert!(!equal(&document, &changed));
    }
}
