//! Reasons in the words of earlier versions: the plans that those versions wrote still match.

/// Phrases of earlier reasons, and what they are now; a phrase that contains another comes before it.
const REWORDED: [(&str, &str); 27] = [
    // Of resources.
    (" is gone: it was deleted by other hands", " no longer exists: it was deleted outside Hangar"),
    (" exists, and is taken in", " exists and is adopted"),
    ("it is not there, and may be missing", "it does not exist, which the template allows"),
    (
        "the type cannot be read, so what would change is not known",
        "the type cannot be read, so the changes are unknown",
    ),
    (
        "whether it changes is known once what it waits for is",
        "the changes are known once its dependencies are deployed",
    ),
    ("it is made from ", "it depends on "),
    (
        ", which will be another one, so only a new resource can follow",
        ", which will be a new resource, so it must be replaced",
    ),
    (" will be another one", " will be a new resource"),
    ("only a new resource can have these", "these changes require a new resource"),
    (
        "it is not owned, so that only its alias goes",
        "it is not owned, so only its alias is removed",
    ),
    (
        "a recipe cannot be detached: nothing else has its state",
        "a recipe cannot be detached: only Hangar has its Terraform state",
    ),
    (
        "it was deployed before aliases said who manages them: a run that names it says so",
        "it was deployed before Hangar recorded managers; the next run whose template has it records the manager",
    ),
    // Of properties.
    (
        "the write-only value is another than was applied",
        "the write-only value differs from the applied one",
    ),
    (
        "write-only, and nothing is on record of it: it is sent once",
        "write-only, and no record of it exists: it is sent once",
    ),
    ("unchanged, and sent again: AWS loses", "unchanged, but sent again: AWS loses"),
    (
        "the template does not state it any more: its default is written, because a removal is ignored",
        "no longer in the template: its default is written, because AWS ignores a removal",
    ),
    ("an element that comes or goes has", "an added or removed element has"),
    (
        "write-only, can be set at creation only, and differs from what was applied",
        "write-only, can be set at creation only, and differs from the applied value",
    ),
    ("nothing is on record as applied", "no applied value is recorded"),
    ("stated for the first time", "set for the first time"),
    ("given for the first time", "set for the first time"),
    (
        "it was added in AWS, and the template does not state it",
        "it was added in AWS and is not in the template",
    ),
    ("the template does not state it any more", "no longer in the template"),
    ("the template does not give it any more", "no longer in the template"),
    ("desired states another value than live has", "the desired value differs from the live value"),
    (
        "live has elements that desired does not state",
        "the live array has elements that the desired array does not have",
    ),
    (
        "the elements stand in another order, which counts here",
        "the elements are in another order, and the order matters here",
    ),
];

/// Returns a reason in the words of this version.
pub(super) fn current_reason(reason: &str) -> String {
    let reword = |text: String, (before, now): (&str, &str)| text.replace(before, now);
    REWORDED.into_iter().fold(reason.to_owned(), reword)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_reasons_become_current_ones_which_stay() {
        for (before, now) in [
            (
                "vpc-1 is gone: it was deleted by other hands",
                "vpc-1 no longer exists: it was deleted outside Hangar",
            ),
            (
                "it is made from net, which will be another one, so only a new resource can follow; deploy with --replace",
                "it depends on net, which will be a new resource, so it must be replaced; deploy with --replace",
            ),
            ("the template does not state it any more", "no longer in the template"),
            (
                "stated for the first time; drifted: it was added in AWS, and the template does not state it",
                "set for the first time; drifted: it was added in AWS and is not in the template",
            ),
        ] {
            assert_eq!(current_reason(before), now);
            assert_eq!(current_reason(now), now);
        }
        for (_, now) in REWORDED {
            assert_eq!(current_reason(now), now);
        }
    }
}
