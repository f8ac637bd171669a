//! The ids of AWS resources: what their ARNs say.

use hangar_ids::{Arn, codes as id_codes};

use super::Found;
use super::subject::{Reading, Subject, hidden};
use crate::state::codes;

/// Types without an `arn` whose `id` is the ARN, by the provider's documentation. That an id looks like an ARN is no
/// proof: an attachment to a target group has the group's with more behind it.
const ID_IS_ARN: &[&str] = &["aws_ecs_service"];

/// The id, and the ARN that it comes from.
pub(super) fn find(subject: &Subject<'_, '_>) -> (Found, Option<String>) {
    let is_in_id = ID_IS_ARN.contains(&subject.instance.type_name.as_ref());
    let paths: &[&[&str]] = if is_in_id { &[&["arn"], &["id"]] } else { &[&["arn"]] };
    match subject.first(paths) {
        Reading::Text(arn) => (of_arn(&arn, subject), Some(arn.into_owned())),
        Reading::Sensitive => (hidden("the ARN"), None),
        Reading::Absent if subject.has(&["arn"]) && !subject.is_text(&["arn"]) => {
            (Found::warned(codes::NO_ID, "the ARN is not a string"), None)
        }
        Reading::Absent => (Found::nothing("no arn attribute"), None),
    }
}

fn of_arn(text: &str, subject: &Subject<'_, '_>) -> Found {
    let account = subject.account();
    let id = Arn::parse(text).and_then(|arn| arn.to_resource_id(account.as_deref()));
    match id {
        Ok(id) => Found::Id(id.to_string()),
        Err(refused) if refused.code == id_codes::ARN_NO_ACCOUNT => Found::warned(
            codes::NO_ACCOUNT,
            format!("the ARN `{text}` contains no account, and its account is unknown"),
        ),
        Err(refused) => Found::warned(codes::NO_ID, refused.message),
    }
}
