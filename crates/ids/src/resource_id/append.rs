//! Makes longer ids out of shorter ones; what would make a wrong id is refused.
//!
//! The texts given here are plain, not percent-encoded, and the places of a diagnostic are bytes
//! of the text that was given.

use hangar_diag::{Diagnostic, Span};

use super::rules::Rule;
use super::{Family, Kind, ResourceId, Segment, parse};
use crate::{codes, place};

impl ResourceId {
    /// The UCP root `/planes`, which every plane is appended to.
    pub fn planes() -> Self {
        Self::new(Family::Ucp)
    }

    /// The Azure root `/`, which subscriptions and tenant-level resources are appended to.
    pub fn tenant() -> Self {
        Self::new(Family::Arm)
    }

    /// The scope of this type and name in this scope, or the plane in `/planes`.
    ///
    /// ```
    /// use hangar_ids::ResourceId;
    ///
    /// let group = ResourceId::planes().append_scope("radius", "local")?.append_scope("resourceGroups", "rg")?;
    /// assert_eq!(group.to_string(), "/planes/radius/local/resourceGroups/rg");
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn append_scope(&self, scope_type: &str, name: &str) -> Result<Self, Diagnostic> {
        self.append_scope_collection(scope_type)?.append_name(name)
    }

    /// All scopes of this type in this scope, or all planes of this type in `/planes`.
    pub fn append_scope_collection(&self, scope_type: &str) -> Result<Self, Diagnostic> {
        let is_root = self.scopes.is_empty() && self.types.is_empty();
        if self.kind() != Kind::Scope && !is_root {
            return Err(self.wrong(scope_type, "a scope", "append scopes to a scope"));
        }
        checked(scope_type, Rule::Plain)?;
        let span = Span::new(0, scope_type.len());
        if is_root && self.family == Family::Arm && !is(scope_type, parse::SUBSCRIPTIONS) {
            return Err(parse::unknown_root(scope_type, span));
        }
        if is(scope_type, parse::PROVIDERS) {
            return Err(self.wrong(scope_type, "a scope", "append resources by their type"));
        }
        let mut id = self.clone();
        id.scopes.push(Segment::new(scope_type, None));
        Ok(id.keyed())
    }

    /// All resources of a type below this.
    ///
    /// Below a scope the type has its namespace (`AWS.EC2/VPC`). Below a resource a type without
    /// one is nested in it (`databases`), and a type with one extends it.
    ///
    /// ```
    /// use hangar_ids::ResourceId;
    ///
    /// let server = ResourceId::parse("/subscriptions/s/providers/Microsoft.Sql/servers/a")?;
    /// let databases = server.append_type("databases")?;
    /// assert_eq!(databases.resource_type().as_deref(), Some("Microsoft.Sql/servers/databases"));
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn append_type(&self, type_text: &str) -> Result<Self, Diagnostic> {
        if self.kind().is_collection() {
            return Err(self.wrong(type_text, "a type", "append the name of a resource first"));
        }
        // Read again, `providers` before a type would begin an extension of nothing.
        if let Some(last) =
            self.last().filter(|last| last.name().is_some_and(|n| is(n, parse::PROVIDERS)))
        {
            return Err(parse::missing_name(last.type_text(), Span::new(0, type_text.len())));
        }
        match type_text.split_once('/') {
            Some((namespace, first)) => self.below_providers(type_text, namespace, first),
            None => self.nested(type_text),
        }
    }

    /// The member of this collection that has this name.
    ///
    /// ```
    /// use hangar_ids::ResourceId;
    ///
    /// let groups = ResourceId::parse("/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.Logs/LogGroup")?;
    /// let id = groups.append_name("/aws/lambda/f")?;
    /// assert!(id.to_string().ends_with("/AWS.Logs/LogGroup/%2Faws%2Flambda%2Ff"));
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn append_name(&self, name: &str) -> Result<Self, Diagnostic> {
        let in_scopes = self.types.is_empty();
        let rule = self.provider().map_or(Rule::Plain, |namespace| self.rule_below(namespace));
        let mut id = self.clone();
        match id.last_mut() {
            Some(last) if last.name().is_none() => {
                checked(name, rule)?;
                if in_scopes && is(name, parse::PROVIDERS) {
                    return Err(self.wrong(
                        name,
                        "the name of a scope",
                        "a scope cannot be named `providers`",
                    ));
                }
                last.set_name(name.to_owned());
            }
            _ => return Err(self.wrong(name, "a name", "append a type first")),
        }
        Ok(id.keyed())
    }

    /// A resource of this scope, or an extension of this resource.
    fn below_providers(
        &self,
        type_text: &str,
        namespace: &str,
        first: &str,
    ) -> Result<Self, Diagnostic> {
        checked(namespace, Rule::Plain)?;
        checked(first, Rule::Plain).map_err(|found| place::moved(found, namespace.len() + 1))?;
        if is(namespace, parse::PROVIDERS) {
            return Err(self.wrong(type_text, "a type", "write the namespace of the type"));
        }
        let mut id = self.clone();
        let segments = if id.types.is_empty() { &mut id.types } else { &mut id.extensions };
        segments.push(Segment::new(type_text, None));
        Ok(id.keyed())
    }

    fn nested(&self, type_text: &str) -> Result<Self, Diagnostic> {
        checked(type_text, Rule::Plain)?;
        if is(type_text, parse::PROVIDERS) {
            return Err(self.wrong(type_text, "a type", "write the type of the resource"));
        }
        if self.types.is_empty() {
            let hint = "write it with its namespace, as in `AWS.EC2/VPC`";
            return Err(self.wrong(type_text, "a nested type", hint));
        }
        let mut id = self.clone();
        let segments = if id.extensions.is_empty() { &mut id.types } else { &mut id.extensions };
        segments.push(Segment::new(type_text, None));
        Ok(id.keyed())
    }

    fn wrong(&self, appended: &str, what: &str, hint: &str) -> Diagnostic {
        Diagnostic::error(
            codes::WRONG_APPEND,
            format!("`{appended}` cannot be appended to `{self}` as {what}"),
        )
        .at(Span::new(0, appended.len()), "not allowed here")
        .hint(hint)
    }
}

fn checked(text: &str, rule: Rule) -> Result<(), Diagnostic> {
    rule.check(text).map_err(|flaw| flaw.in_word(text))
}

fn is(text: &str, keyword: &str) -> bool {
    text.eq_ignore_ascii_case(keyword)
}
