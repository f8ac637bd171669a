//! What is hardly ever meant of resources of AWS.

use super::{
    Found, Scene, below, body, called, is_secret_property, key_of, literal, properties, property,
};
use crate::codes;
use crate::syntax::Node;
use crate::syntax::ast::{
    Array, Expression, Item, LiteralValue, Object, Property, Resource, String as Text, StringPart,
};

pub(super) fn look(file: &Scene<'_>, found: &mut Found) {
    let is_aws = file.aws_resources().next().is_some();
    for node in below(file.root) {
        if is_aws && let Some(text) = Text::cast(node) {
            arn(text, found);
        }
    }
    for (name, resource) in file.aws_resources() {
        alias(file, resource, found);
        let Some(properties) = body(resource.value()).and_then(|it| property(it, "properties"))
        else {
            continue;
        };
        let Some(Expression::Object(stated)) = properties.value() else { continue };
        if name == "S3/Bucket" {
            bucket(stated, found);
        }
        if name == "EC2/SecurityGroupIngress" {
            ingress(stated, found);
        }
        for object in below(stated.node()).filter_map(Object::cast) {
            secrets(file, object, found);
            statement(object, found);
        }
        for property in below(stated.node()).filter_map(Property::cast) {
            let is_ingress = key_of(property).as_deref() == Some("SecurityGroupIngress");
            if is_ingress && let Some(Expression::Array(rules)) = property.value() {
                objects(rules).for_each(|it| ingress(it, found));
            }
        }
    }
}

fn objects(list: Array<'_>) -> impl Iterator<Item = Object<'_>> {
    list.items().filter_map(|item| match item {
        Item::Value(Expression::Object(object)) => Some(object),
        _ => None,
    })
}

/// An ARN with a region or an account written out.
fn arn(text: Text<'_>, found: &mut Found) {
    let parts = text.parts();
    // Holes stand for what is computed, so that only what is written out is looked at.
    let whole: String = parts
        .iter()
        .map(|it| match it {
            StringPart::Text(text) => text.as_str(),
            StringPart::Hole(_) => "*",
        })
        .collect();
    let pieces: Vec<&str> = whole.splitn(6, ':').collect();
    let [first, _, service, region, account, rest] = pieces[..] else { return };
    // A layer of Lambda is published by somebody else, in each region.
    if first != "arn" || service == "lambda" && rest.starts_with("layer:") {
        return;
    }
    let is_account = account.len() == 12 && account.bytes().all(|it| it.is_ascii_digit());
    let is_region = region.split('-').count() >= 3
        && region.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let what = match (is_account, is_region) {
        (true, true) => "an account and a region",
        (true, false) => "an account",
        (false, true) => "a region",
        (false, false) => return,
    };
    let message = format!(
        "the ARN contains {what} as a literal, so it is wrong in other accounts or regions"
    );
    let hint = "use the ARN of the resource, or write `${aws.accountId()}` and `${aws.region()}`";
    found.tell(codes::AWS_HARDCODED_ARN, text.span(), message, hint);
}

/// An alias with a generated value names another resource as soon as the value is evaluated again.
fn alias(file: &Scene<'_>, resource: Resource<'_>, found: &mut Found) {
    let Some(alias) = body(resource.value()).and_then(|it| property(it, "alias")) else { return };
    let Some(value) = alias.value() else { return };
    let is_new =
        |node: Node<'_>| below(node).any(|it| matches!(called(it), Some("utcNow" | "newGuid")));
    let through = below(value.node()).filter_map(crate::syntax::ast::Variable::cast).find(|it| {
        let default = file.params.get(it.name()).and_then(|it| it.value());
        default.is_some_and(|it| is_new(it.node()))
    });
    let why = match through {
        Some(name) => format!("the default of `{}` is generated", name.name()),
        None if is_new(value.node()) => "it is generated".to_owned(),
        None => return,
    };
    let message = format!(
        "the alias is not stable: {why}, so `--refresh-defaults` or another deployment name creates another resource"
    );
    let hint = "use a value that does not change, such as the name of the application";
    found.tell(codes::AWS_UNSTABLE_ALIAS, value.span(), message, hint);
}

/// A password that is written out, or comes from a parameter that is shown.
fn secrets(file: &Scene<'_>, object: Object<'_>, found: &mut Found) {
    for (name, property) in properties(object) {
        let is_secret = is_secret_property(&name);
        let Some(value) = property.value().filter(|_| is_secret) else { continue };
        let (message, hint) = match value {
            Expression::String(text) if text.literal().is_some_and(|it| is_given_away(&it)) => (
                format!("`{name}` is written in plain text in the template"),
                "use a parameter with `@secure()`",
            ),
            Expression::Variable(variable) if file.is_open_parameter(variable.name()) => (
                format!(
                    "`{name}` comes from the parameter `{}`, which is not secure",
                    variable.name()
                ),
                "write `@secure()` before the parameter",
            ),
            _ => continue,
        };
        found.tell(codes::AWS_SECRET_LITERAL, value.span(), message, hint);
    }
}

/// Whether a text is a secret itself, and no name, ARN or reference of one.
fn is_given_away(text: &str) -> bool {
    !text.is_empty() && !text.starts_with("arn:") && !text.starts_with("{{resolve:")
}

/// A statement of a policy that lets everybody do everything.
fn statement(object: Object<'_>, found: &mut Found) {
    let value = |name: &str| property(object, name).and_then(Property::value);
    let is_allowed = literal(value("Effect")).is_some_and(|it| it == "Allow");
    if !is_allowed || value("Condition").is_some() {
        return;
    }
    let Some(principal) = value("Principal") else { return };
    let is_everybody = match principal {
        Expression::Object(object) => {
            property(object, "AWS").is_some_and(|it| it.value().is_some_and(is_star))
        }
        other => is_star(other),
    };
    let Some(action) = value("Action").filter(|it| is_everybody && is_star(*it)) else { return };
    let message =
        "the policy statement allows everyone to perform every action, without a condition";
    let hint = "restrict the principal or the actions, or add a condition";
    found.tell(codes::AWS_OPEN_POLICY, action.span(), message, hint);
}

/// `'*'`, or a list that has it.
fn is_star(value: Expression<'_>) -> bool {
    match value {
        Expression::String(_) => literal(Some(value)).is_some_and(|it| it == "*"),
        Expression::Array(list) => list.items().any(|item| match item {
            Item::Value(value @ Expression::String(_)) => is_star(value),
            _ => false,
        }),
        _ => false,
    }
}

/// A rule that lets the whole internet reach what administers a machine.
fn ingress(rule: Object<'_>, found: &mut Found) {
    const PORTS: [(u64, &str); 2] = [(22, "SSH"), (3389, "RDP")];
    /// Protocols by which nobody gets in at these ports, by name and number.
    const OTHERS: [&str; 6] = ["udp", "17", "icmp", "1", "icmpv6", "58"];
    let value = |name: &str| property(rule, name).and_then(Property::value);
    let open = ["CidrIp", "CidrIpv6"].into_iter().filter_map(value);
    let mut open = open.filter(|it| {
        literal(Some(*it)).is_some_and(|it| matches!(it.as_str(), "0.0.0.0/0" | "::/0"))
    });
    let Some(place) = open.next() else { return };
    let protocol = match value("IpProtocol") {
        Some(Expression::String(_)) => literal(value("IpProtocol")),
        Some(other) => Some(other.node().text().to_owned()),
        None => None,
    };
    let is_all = protocol.as_deref() == Some("-1");
    // What is computed may be TCP.
    let is_other = |it: &str| OTHERS.iter().any(|other| it.eq_ignore_ascii_case(other));
    let may_be_tcp = !protocol.as_deref().is_some_and(is_other);
    let what = match (number(value("FromPort")), number(value("ToPort"))) {
        _ if is_all => "every port".to_owned(),
        (Some(from), Some(to)) if from <= 1 && to >= 65535 => "every port".to_owned(),
        (Some(from), Some(to)) if may_be_tcp => {
            let inside = PORTS.iter().find(|(port, _)| (from..=to).contains(port));
            let Some((port, name)) = inside else { return };
            format!("port {port} ({name})")
        }
        _ => return,
    };
    let message = format!("the whole internet can reach {what}");
    let hint = "list the allowed addresses, or another security group";
    found.tell(codes::AWS_OPEN_INGRESS, place.span(), message, hint);
}

fn number(value: Option<Expression<'_>>) -> Option<u64> {
    let Some(Expression::Literal(literal)) = value else { return None };
    match literal.value()? {
        LiteralValue::Number(number) => Some(number),
        _ => None,
    }
}

/// A bucket that everybody may read.
fn bucket(stated: Object<'_>, found: &mut Found) {
    let access = property(stated, "AccessControl").and_then(Property::value);
    let hint = "remove it, and grant read access in a bucket policy";
    if let Some(text) = literal(access).filter(|it| it.starts_with("PublicRead"))
        && let Some(access) = access
    {
        let message = format!("`{text}` makes the whole bucket public");
        found.tell(codes::AWS_PUBLIC_BUCKET, access.span(), message, hint);
    }
    let block = property(stated, "PublicAccessBlockConfiguration").and_then(Property::value);
    let Some(Expression::Object(block)) = block else { return };
    for (name, property) in properties(block) {
        let Some(value) = property.value().filter(|it| it.node().text() == "false") else {
            continue;
        };
        let message = format!("`{name}: false` allows the bucket to become public");
        found.tell(codes::AWS_PUBLIC_BUCKET, value.span(), message, "write `true`, or remove it");
    }
}
