//! ARNs by the template of their type, `arn:${Partition}:events:${Region}:${Account}:rule/${RuleName}`: made, and taken apart.

/// What stands in a text at each placeholder of a template; none where the text is not of that form.
pub(super) fn taken_apart<'a>(template: &'a str, text: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut found = Vec::new();
    let (first, mut template) = template.split_once("${").unwrap_or((template, ""));
    let mut text = text.strip_prefix(first)?;
    while let Some((name, after)) = template.split_once('}') {
        let (literal, next) = after.split_once("${").unwrap_or((after, ""));
        let end = match (literal, next) {
            ("", "") => text.len(),
            // Nothing tells where the one ends and the other begins.
            ("", _) => return None,
            (literal, "") => text.strip_suffix(literal)?.len(),
            (literal, _) => text.find(literal)?,
        };
        found.push((name, &text[..end]));
        text = &text[end + literal.len()..];
        template = next;
    }
    text.is_empty().then_some(found)
}

/// The text of a template whose placeholders all have a value.
pub(super) fn filled(
    template: &str,
    mut value: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let (first, mut rest) = template.split_once("${").unwrap_or((template, ""));
    let mut text = first.to_owned();
    while let Some((name, after)) = rest.split_once('}') {
        text.push_str(&value(name)?);
        let (literal, next) = after.split_once("${").unwrap_or((after, ""));
        text.push_str(literal);
        rest = next;
    }
    Some(text)
}

/// The names in a template that no account, region or partition stands for.
pub(super) fn own_names(template: &str) -> Vec<&str> {
    let names = template.split("${").skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    names.filter(|name| !is_place(name)).collect()
}

/// Whether a placeholder is for where something is.
pub(super) fn is_place(name: &str) -> bool {
    matches!(name, "Partition" | "Region" | "Account" | "AccountId")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "arn:${Partition}:events:${Region}:${Account}:rule/${RuleName}";

    #[test]
    fn an_arn_is_taken_apart_and_made_by_its_template() {
        let arn = "arn:aws:events:eu-west-1:1:rule/nightly";
        let parts = taken_apart(RULE, arn).unwrap();
        assert_eq!(parts.last(), Some(&("RuleName", "nightly")));
        let value = |name: &str| {
            parts.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(filled(RULE, value).unwrap(), arn);
        assert_eq!(own_names(RULE), ["RuleName"]);
        assert_eq!(taken_apart(RULE, "arn:aws:sqs:eu-west-1:1:q"), None);
    }
}
