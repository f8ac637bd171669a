//! How parsed names are stored: as the text that they print, parsed again when read.

/// `#[serde(with = …)]` for a name that prints and parses.
macro_rules! stored_as_text {
    ($module:ident, $name:ty) => {
        pub(crate) mod $module {
            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            pub(crate) fn serialize<S: Serializer>(
                name: &$name,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.collect_str(name)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$name, D::Error> {
                let text = String::deserialize(deserializer)?;
                <$name>::parse(&text).map_err(|problem| D::Error::custom(problem.message))
            }
        }
    };
}

stored_as_text!(account, hangar_ids::AccountId);
stored_as_text!(region, hangar_ids::Region);
stored_as_text!(type_name, hangar_ids::TypeName);
