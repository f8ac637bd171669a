//! Finds the property that a pointer names, however it is written: `/Tags/*/Key`, `Tags[0].Key`, `/Tags/Key`.

use hangar_diag::{Diagnostic, nearest};
use hangar_schema::TypeSchema;
use hangar_schema::outline::Outline;

use crate::commands::types;
use crate::failure::Failure;

/// A property that was found.
pub(super) struct Place<'s> {
    /// Its pointer in the one spelling that Hangar prints.
    pub(super) path: String,
    pub(super) is_required: bool,
    pub(super) outline: Outline<'s>,
}

/// The property that `written` names, or an error with the nearest name.
pub(super) fn find<'s>(schema: &'s TypeSchema, written: &str) -> Result<Place<'s>, Failure> {
    let mut place = Place { path: String::new(), is_required: true, outline: schema.outline() };
    let mut steps = steps(written);
    // As CloudFormation's schemas write pointers.
    if steps.first().is_some_and(|first| first == "properties")
        && place.outline.find_member("properties").is_none()
    {
        steps.remove(0);
    }
    for step in steps {
        place = place.enter(schema, &step)?;
    }
    Ok(place)
}

/// The names in a pointer, `*` for any item.
fn steps(written: &str) -> Vec<String> {
    if written.starts_with('/') {
        let unescape = |it: &str| it.replace("~1", "/").replace("~0", "~");
        return written.split('/').filter(|it| !it.is_empty()).map(unescape).collect();
    }
    let parts = written.split(['/', '.', '[']).map(|part| part.trim_end_matches(']'));
    let plain = |it: &str| if it.is_empty() { "*".to_owned() } else { it.to_owned() };
    if written.is_empty() { Vec::new() } else { parts.map(plain).collect() }
}

impl Place<'_> {
    fn enter(mut self, schema: &TypeSchema, step: &str) -> Result<Self, Failure> {
        let is_item = step == "*" || step.bytes().all(|byte| byte.is_ascii_digit());
        // Between an array and a member of its items nothing need be written.
        while self.outline.find_member(step).is_none()
            && let Some(element) = self.outline.element()
        {
            self = Self { path: format!("{}/*", self.path), is_required: false, outline: element };
            if is_item {
                return Ok(self);
            }
        }
        let named = self.outline.members().find(|member| member.name == step).or_else(|| {
            self.outline.members().find(|member| member.name.eq_ignore_ascii_case(step))
        });
        if let Some(member) = named {
            let name = member.name.replace('~', "~0").replace('/', "~1");
            let path = format!("{}/{name}", self.path);
            return Ok(Self { path, is_required: member.is_required, outline: member.outline });
        }
        if let Some(others) = self.outline.others() {
            let path = format!("{}/*", self.path);
            return Ok(Self { path, is_required: false, outline: others });
        }
        Err(self.unknown(schema, step))
    }

    fn unknown(&self, schema: &TypeSchema, step: &str) -> Failure {
        let type_name = types::our_spelling(schema.name());
        let holder = match self.path.as_str() {
            "" => type_name.clone(),
            path => format!("`{path}` of {type_name}"),
        };
        let names: Vec<&str> = self.outline.members().map(|member| member.name).collect();
        let message = format!("{holder} has no property `{step}`");
        let diagnostic =
            Diagnostic::error(hangar_schema::codes::UNKNOWN_PROPERTY, message).pointer(&*self.path);
        let hint = match nearest(step, names.iter().copied()) {
            Some(near) => format!("did you mean `{}/{near}`?", self.path),
            None if names.is_empty() => "it has no members".to_owned(),
            None => {
                let path =
                    if self.path.is_empty() { String::new() } else { format!(" {}", self.path) };
                format!("`hangar schema show {type_name}{path}` lists its properties")
            }
        };
        diagnostic.hint(hint).into()
    }
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;

    use super::*;

    #[test]
    fn a_pointer_may_be_written_in_any_way() {
        let schema = Catalog::bundled().get("AWS::EC2::SecurityGroup").unwrap();
        let path = |written: &str| find(&schema, written).map(|place| place.path).ok();
        for written in [
            "/SecurityGroupIngress/*/CidrIp",
            "/SecurityGroupIngress/0/CidrIp",
            "/SecurityGroupIngress/CidrIp",
            "SecurityGroupIngress[0].CidrIp",
            "SecurityGroupIngress[].cidrip",
            "/properties/SecurityGroupIngress/CidrIp",
        ] {
            assert_eq!(
                path(written).as_deref(),
                Some("/SecurityGroupIngress/*/CidrIp"),
                "{written}"
            );
        }
        assert_eq!(path("/Tags").as_deref(), Some("/Tags"));
        assert_eq!(path("").as_deref(), Some(""));
        assert_eq!(path("/Tagz"), None);
    }
}
