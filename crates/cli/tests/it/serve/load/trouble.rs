//! An AWS that misbehaves now and then: a fault at a time, each for the next call that it fits.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Shared, roll};
use crate::http::Connection;

pub(super) fn make(shared: &Shared) {
    let mut connection = Connection::open(shared.simulator).unwrap();
    let mut dice = 0x51ed_270b_9f4d_3a21_u64;
    while !shared.is_over() {
        std::thread::sleep(Duration::from_millis(100 + roll(&mut dice) % 300));
        let fault = fault(&mut dice);
        assert_eq!(connection.control("POST", "faults", &fault).unwrap().status, 201, "{fault}");
    }
}

fn fault(dice: &mut u64) -> Value {
    let writes = ["CreateResource", "UpdateResource", "DeleteResource"];
    let write = writes[usize::try_from(roll(dice) % 3).unwrap()];
    match roll(dice) % 8 {
        0 | 1 => json!({"operation": write, "effect": "drop-reply"}),
        2 => json!({"operation": write, "effect": "drop-reply", "when": "before"}),
        3 => json!({"effect": "exception", "exception": "ThrottlingException", "times": 2}),
        4 => json!({"operation": write, "effect": "exception",
                    "exception": "ServiceInternalErrorException", "when": "after"}),
        5 => json!({"operation": "CreateResource", "effect": "fail", "code": "NotStabilized",
                    "withIdentifier": true}),
        // Not of deletes: where one fails whose answer was lost before, the alias is held for twenty minutes,
        // until that call cannot arrive any more.
        6 => {
            json!({"operation": writes[usize::try_from(roll(dice) % 2).unwrap()], "effect": "fail",
                    "code": "ServiceInternalError"})
        }
        _ => json!({"effect": "drop-reply"}),
    }
}
