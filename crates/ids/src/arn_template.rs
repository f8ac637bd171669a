//! The template of a type's ARNs, `arn:${Partition}:events:${Region}:${Account}:rule/${RuleName}`: ARNs made by it, and taken
//! apart.

/// A template with `${Name}` where ARNs differ.
///
/// ```
/// use hangar_ids::ArnTemplate;
///
/// let template = ArnTemplate::new("arn:${Partition}:events:${Region}:${Account}:rule/${RuleName}");
/// let parts = template.taken_apart("arn:aws:events:eu-west-1:1:rule/nightly").unwrap();
/// assert_eq!(parts.last(), Some(&("RuleName", "nightly")));
/// assert_eq!(template.own_names(), ["RuleName"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArnTemplate<'t>(&'t str);

impl<'t> ArnTemplate<'t> {
    /// A template; any text is one.
    pub const fn new(text: &'t str) -> Self {
        Self(text)
    }

    /// What stands in a text at each name of the template; none where the text is not of that form, or nothing
    /// tells where one part ends and the next begins.
    pub fn taken_apart<'a>(self, text: &'a str) -> Option<Vec<(&'t str, &'a str)>> {
        let mut found = Vec::new();
        let (first, mut template) = self.0.split_once("${").unwrap_or((self.0, ""));
        let mut text = text.strip_prefix(first)?;
        while let Some((name, after)) = template.split_once('}') {
            let (literal, next) = after.split_once("${").unwrap_or((after, ""));
            let end = match (literal, next) {
                ("", "") => text.len(),
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

    /// The ARN in which every name has the value that is told; none where one has none.
    pub fn filled(self, mut value: impl FnMut(&str) -> Option<String>) -> Option<String> {
        let (first, mut rest) = self.0.split_once("${").unwrap_or((self.0, ""));
        let mut text = first.to_owned();
        while let Some((name, after)) = rest.split_once('}') {
            text.push_str(&value(name)?);
            let (literal, next) = after.split_once("${").unwrap_or((after, ""));
            text.push_str(literal);
            rest = next;
        }
        Some(text)
    }

    /// The names that no partition, account or region stands for.
    pub fn own_names(self) -> Vec<&'t str> {
        let names = self.0.split("${").skip(1).filter_map(|part| Some(part.split_once('}')?.0));
        names.filter(|name| !Self::is_place(name)).collect()
    }

    /// Whether a name is for where something is.
    pub fn is_place(name: &str) -> bool {
        matches!(name, "Partition" | "Region" | "Account" | "AccountId")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ArnTemplate<'_> =
        ArnTemplate::new("arn:${Partition}:events:${Region}:${Account}:rule/${RuleName}");

    #[test]
    fn an_arn_is_taken_apart_and_made_by_its_template() {
        let arn = "arn:aws:events:eu-west-1:1:rule/nightly";
        let parts = RULE.taken_apart(arn).unwrap();
        let value = |name: &str| {
            parts.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(RULE.filled(value).unwrap(), arn);
        assert_eq!(RULE.filled(|_| None), None);
    }

    #[test]
    fn an_arn_of_another_form_is_not_taken_apart() {
        assert_eq!(RULE.taken_apart("arn:aws:sqs:eu-west-1:1:q"), None);
        assert_eq!(ArnTemplate::new("a${X}${Y}").taken_apart("abc"), None);
        let two = ArnTemplate::new("a${X}-${Y}z").taken_apart("ab-cz");
        assert_eq!(two, Some(vec![("X", "b"), ("Y", "c")]));
        assert_eq!(ArnTemplate::new("plain").taken_apart("plain"), Some(vec![]));
    }
}
