//! What the reference, the operation and the group of a number are called: the same rules in Rust, for
//! requests, as in SQL, for the fill.

use super::stock;

/// A type that references are of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// What aliases begin with.
    pub(crate) word: &'static str,
    /// As in paths.
    pub(crate) path: &'static str,
    /// As in AWS.
    pub(crate) type_name: &'static str,
}

pub(crate) const KINDS: [Kind; 5] = [
    Kind { word: "vpc", path: "AWS.EC2/VPC", type_name: stock::COMMON[0] },
    Kind { word: "bucket", path: "AWS.S3/Bucket", type_name: stock::COMMON[1] },
    Kind { word: "role", path: "AWS.IAM/Role", type_name: stock::COMMON[2] },
    Kind { word: "logs", path: "AWS.Logs/LogGroup", type_name: stock::COMMON[3] },
    Kind { word: "queue", path: "AWS.SQS/Queue", type_name: stock::COMMON[4] },
];

/// The number of the references that are made over HTTP and multiplied in SQL: its seven digits are in
/// every name that is made of it, and are replaced there.
pub(crate) const SEED: u64 = 9_999_999;

/// The group of those references.
pub(crate) const SEED_GROUP: &str = "load-seed";

/// The group that every eighth reference is in.
pub(crate) const LARGE_GROUP: &str = "load-large";

/// One of so many ended operations is kept, as a long life leaves them: five of every fifty references.
const REFERENCES_PER_OPERATION: u64 = 10;

/// How many things there are, and how their names come from numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) references: u64,
    /// What the ids of operations count from: milliseconds since 1970, as version 7 has them.
    pub(crate) born: u64,
}

impl Names {
    pub(crate) fn kind(number: u64) -> Kind {
        KINDS[usize::try_from(number % KINDS.len() as u64).unwrap_or(0)]
    }

    pub(crate) fn alias(number: u64) -> String {
        format!("{}-{number:07}", Self::kind(number).word)
    }

    /// How many groups there are besides the large one.
    pub(crate) fn groups(self) -> u64 {
        (self.references / 100).clamp(1, 999)
    }

    /// Small numbers are drawn more often, so that groups differ in size.
    pub(crate) fn group(self, number: u64) -> String {
        if number.is_multiple_of(8) {
            return LARGE_GROUP.to_owned();
        }
        let groups = self.groups();
        Self::group_of_index(
            (number * 7919 % groups) * (number / groups * 104_729 % groups) / groups,
        )
    }

    pub(crate) fn group_of_index(index: u64) -> String {
        format!("load-{index:03}")
    }

    /// The group, as SQL of a column or expression that holds the number.
    pub(crate) fn group_sql(self, number: &str, padded: impl Fn(&str, usize) -> String) -> String {
        let groups = self.groups();
        let index = format!(
            "(({number} * 7919 % {groups}) * ({number} / {groups} * 104729 % {groups}) / {groups})"
        );
        let small = padded(&index, 3);
        format!("CASE WHEN {number} % 8 = 0 THEN '{LARGE_GROUP}' ELSE 'load-' || {small} END")
    }

    /// How many operations there are.
    pub(crate) fn operations(self) -> u64 {
        self.references / (KINDS.len() as u64 * REFERENCES_PER_OPERATION) * KINDS.len() as u64
    }

    /// Whether the operation of a reference is kept, as SQL.
    pub(crate) fn has_operation_sql(number: &str) -> String {
        format!("{number} / {} % {REFERENCES_PER_OPERATION} = 0", KINDS.len())
    }

    /// The number of a reference whose operation is kept.
    pub(crate) fn with_operation(place: u64) -> u64 {
        let kinds = KINDS.len() as u64;
        place / kinds * kinds * REFERENCES_PER_OPERATION + place % kinds
    }

    /// The id of a reference's operation.
    pub(crate) fn operation(self, number: u64) -> String {
        let at = self.born + number;
        format!("{:08x}-{:04x}-7000-8000-{number:012x}", at >> 16, at & 0xffff)
    }

    /// The same as SQL; `hex` writes a number in so many hexadecimal digits.
    pub(crate) fn operation_sql(self, number: &str, hex: impl Fn(&str, usize) -> String) -> String {
        let at = format!("({} + {number})", self.born);
        let (high, low) = (hex(&format!("({at} >> 16)"), 8), hex(&format!("({at} & 65535)"), 4));
        format!("{high} || '-' || {low} || '-7000-8000-' || {}", hex(number, 12))
    }

    pub(crate) fn reference_path(self, number: u64) -> String {
        reference_path(&self.group(number), Self::kind(number), &Self::alias(number))
    }

    pub(crate) fn operation_path(self, number: u64) -> String {
        let id = self.operation(number);
        format!("/planes/radius/local/providers/System.Resources/operationStatuses/{id}")
    }
}

pub(crate) fn group_path(group: &str) -> String {
    format!("/planes/radius/local/resourceGroups/{group}")
}

pub(crate) fn reference_path(group: &str, kind: Kind, alias: &str) -> String {
    format!("{}/providers/{}:reference/{alias}", group_path(group), kind.path)
}

/// A number that looks drawn at random, the same for the same place (splitmix64).
pub(crate) fn scattered(place: u64) -> u64 {
    let mut number = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
