//! A group is looked through, and what has drifted is mended.

use hangar_plan::group::GroupTask;

use super::drift::drifted;
use super::{Scenario, ask_group};

pub(super) const GROUP_DRIFT: Scenario = Scenario {
    name: "group drift repair",
    prepare: |stage| Box::pin(drifted(stage)),
    act: |stage| Box::pin(ask_group(stage, GroupTask::Drift { repair: true, prune: false })),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        let updates = ended.history.calls.iter().filter(|it| it.name == "UpdateResource");
        if updates.count() == 0 { Err("nothing was repaired".to_owned()) } else { Ok(()) }
    },
};
