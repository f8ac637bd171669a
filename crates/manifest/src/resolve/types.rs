//! What must be known of a resource type to read one of its resources.

/// The type's facts, from whoever has the schemas.
pub trait Types {
    /// The facts of a type, by its name as CloudFormation spells it; none for a type that nobody knows.
    fn facts(&self, type_name: &str) -> Option<TypeFacts>;
}

/// What a schema says of a type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeFacts {
    /// The parts of its identifier: names of properties, with `/` for deeper ones.
    pub identifier: Vec<String>,
    /// Properties that only the service sets.
    pub read_only: Vec<String>,
    /// Whether Cloud Control can read one.
    pub is_readable: bool,
    /// Whether Cloud Control can list them.
    pub is_listable: bool,
    /// The properties that a list needs.
    pub listed_under: Vec<String>,
    /// `arn:${Partition}:…`
    pub arn_template: Option<String>,
    /// What a caller must be allowed to do for a read.
    pub permissions: Vec<String>,
}
