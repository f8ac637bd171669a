//! The messages of handlers that fail: those that AWS was seen to return, and common ones for all
//! other types.

use super::refusal::HandlerErrorCode;

const TABLE: &str = include_str!("../../data/words.tsv");

/// The message of a handler that finds nothing to read, update or delete.
pub(super) fn not_found_words(type_name: &str, identifier: &str) -> String {
    seen(type_name, HandlerErrorCode::NotFound).map_or_else(
        || format!("Resource of type '{type_name}' with identifier '{identifier}' was not found."),
        str::to_owned,
    )
}

/// The message of a handler that finds what it is to create.
pub(super) fn already_exists_words(type_name: &str, identifier: &str) -> String {
    seen(type_name, HandlerErrorCode::AlreadyExists).map_or_else(
        || format!("Resource of type '{type_name}' with identifier '{identifier}' already exists."),
        str::to_owned,
    )
}

fn seen(type_name: &str, code: HandlerErrorCode) -> Option<&'static str> {
    rows().find(|row| row[0] == type_name && row[1] == code.as_str()).map(|row| row[2])
}

/// Type, code, message and source.
fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_schema::Catalog;

    #[test]
    fn every_row_names_a_type_a_code_a_message_and_a_source() {
        assert_eq!(rows().count(), TABLE.lines().filter(|line| !line.starts_with('#')).count());
        for [type_name, code, message, source] in rows() {
            assert!(Catalog::bundled().get(type_name).is_ok(), "{type_name}");
            let code: HandlerErrorCode = code.parse().unwrap();
            let is_used = [HandlerErrorCode::NotFound, HandlerErrorCode::AlreadyExists];
            assert!(is_used.contains(&code), "{type_name} {}", code.as_str());
            assert!(!message.is_empty() && !source.is_empty(), "{type_name}");
        }
    }

    #[test]
    fn a_type_whose_words_are_known_has_them_and_another_the_common_ones() {
        assert_eq!(not_found_words("AWS::S3::Bucket", "b"), "Bucket not found");
        assert_eq!(already_exists_words("AWS::S3::Bucket", "b"), "The bucket Already Exists");
        let words = "Resource of type 'AWS::SQS::Queue' with identifier 'q' was not found.";
        assert_eq!(not_found_words("AWS::SQS::Queue", "q"), words);
    }
}
