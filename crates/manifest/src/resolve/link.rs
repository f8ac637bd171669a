//! How a value was come by, step by step, for who asks to have it explained.

/// One step from a reference to its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What was looked at: `stack`, `resource`, `identifier`, `attribute`…
    pub step: &'static str,
    /// What was found there.
    pub found: String,
    /// What the caller had to be allowed to do.
    pub permission: Option<String>,
}

impl Link {
    /// A step that needs no permission of its own.
    pub fn new(step: &'static str, found: impl Into<String>) -> Self {
        Self { step, found: found.into(), permission: None }
    }

    /// With what the caller had to be allowed to do.
    #[must_use]
    pub fn by(mut self, permission: impl Into<String>) -> Self {
        self.permission = Some(permission.into());
        self
    }
}
