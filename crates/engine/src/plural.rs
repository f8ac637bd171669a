//! Numbers with their nouns, for messages.

use std::fmt::Display;

/// Returns `1 resource`, or the number with `resources`.
pub(crate) fn resources<T: Copy + Display + PartialEq + From<u8>>(count: T) -> String {
    let noun = if count == T::from(1) { "resource" } else { "resources" };
    format!("{count} {noun}")
}

#[cfg(test)]
mod tests {
    use super::resources;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(resources::<u64>), ["0 resources", "1 resource", "2 resources"]);
    }
}
