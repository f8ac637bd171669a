//! A recipe is deployed, changed, stopped and deleted: whatever dies, what Terraform made is what the state holds,
//! each once.

use std::collections::{BTreeMap, BTreeSet};

use hangar_engine::{Condition, RecipeAsk, RecipeSource, RecipeTerms};
use hangar_plan::group::GroupTask;
use hangar_store::StoreError;
use serde_json::json;

use super::{Ended, Scenario, ask_group, named, until_told};
use crate::rig::stage::Stage;
use crate::rig::terraform::{Port, recipe};

const MODULE: &str = "variable \"size\" {}\n";

pub(super) const DEPLOY: Scenario = Scenario {
    name: "recipe",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(deploy(stage, 2)),
    end: |ended| {
        ended.all_succeeded()?;
        holds(ended, 2)
    },
};

/// The server comes back where the running Terraform does not find it.
pub(super) const DEPLOY_ELSEWHERE: Scenario = Scenario {
    name: "recipe on another port",
    prepare: |stage| {
        stage.machine().set_port(Port::New);
        Box::pin(async { Ok(()) })
    },
    act: |stage| Box::pin(deploy(stage, 2)),
    end: |ended| {
        ended.all_succeeded()?;
        holds(ended, 2)
    },
};

pub(super) const CHANGE: Scenario = Scenario {
    name: "changed recipe",
    prepare: |stage| {
        stage.machine().set_port(Port::New);
        Box::pin(deploy(stage, 2))
    },
    act: |stage| Box::pin(deploy(stage, 1)),
    end: |ended| {
        ended.all_succeeded()?;
        holds(ended, 1)
    },
};

pub(super) const STOP: Scenario = Scenario {
    name: "canceled recipe",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(deploy_and_stop(stage)),
    end: |ended| {
        let running = ended.history.operations.iter().find(|it| !it.is_ended());
        if let Some(running) = running {
            return Err(format!("{} has not ended", running.id()));
        }
        consistent(ended)
    },
};

pub(super) const DELETE: Scenario = Scenario {
    name: "deleted recipe",
    prepare: |stage| Box::pin(deploy(stage, 2)),
    act: |stage| Box::pin(asked(stage, None)),
    end: |ended| {
        ended.all_succeeded()?;
        gone(ended)
    },
};

pub(super) const GROUP_DELETE: Scenario = Scenario {
    name: "recipe deleted with its group",
    prepare: |stage| Box::pin(deploy(stage, 1)),
    act: |stage| Box::pin(ask_group(stage, GroupTask::Delete)),
    end: |ended| {
        ended.all_succeeded()?;
        gone(ended)
    },
};

async fn deploy(stage: &Stage, size: u64) -> Result<(), StoreError> {
    asked(stage, Some(terms(size))).await
}

fn terms(size: u64) -> RecipeTerms {
    let files = BTreeMap::from([("main.tf".to_owned(), MODULE.as_bytes().to_vec())]);
    RecipeTerms {
        source: RecipeSource::Files { label: "./module".to_owned(), files },
        parameters: BTreeMap::from([("size".to_owned(), json!(size))]),
        secret_parameters: BTreeSet::new(),
    }
}

fn ask_of(stage: &Stage, terms: Option<RecipeTerms>) -> RecipeAsk {
    RecipeAsk {
        name: recipe(),
        terms,
        parent: None,
        hold: None,
        id: None,
        condition: Condition::None,
        repeatability: Some(named(stage)),
        correlation_id: None,
    }
}

async fn asked(stage: &Stage, terms: Option<RecipeTerms>) -> Result<(), StoreError> {
    let ask = ask_of(stage, terms);
    let mut replica = 0;
    until_told(stage, async || {
        replica += 1;
        stage.submit_recipe(replica, ask.clone()).await
    })
    .await
}

/// Stops it as soon as it is accepted.
async fn deploy_and_stop(stage: &Stage) -> Result<(), StoreError> {
    let ask = ask_of(stage, Some(terms(3)));
    let mut replica = 0;
    until_told(stage, async || {
        replica += 1;
        let answer = stage.submit_recipe(replica, ask.clone()).await?;
        if let Ok(accepted) = &answer {
            tokio::time::sleep(std::time::Duration::from_millis(1700)).await;
            stage.cancel(replica, accepted.record.id()).await?;
        }
        Some(answer)
    })
    .await
}

/// What Terraform made is what the state holds, each once; nobody holds the lock, and no run is left.
fn consistent(ended: &Ended<'_>) -> Result<(), String> {
    let made = &ended.history.terraform;
    if made.things != made.in_state {
        return Err(format!("{:?} exist, but the state contains {:?}", made.things, made.in_state));
    }
    let addresses: BTreeSet<&String> = made.things.values().collect();
    if addresses.len() != made.things.len() {
        return Err(format!("a resource was created twice: {:?}", made.things));
    }
    match (&made.lock, made.runs.as_slice()) {
        (Some(lock), _) => Err(format!("the lock {lock} is held")),
        (None, [run, ..]) => Err(format!("{run} was left behind")),
        (None, []) => Ok(()),
    }
}

fn holds(ended: &Ended<'_>, size: usize) -> Result<(), String> {
    consistent(ended)?;
    let made = &ended.history.terraform;
    if made.things.len() != size {
        return Err(format!("unexpected resources: {:?}", made.things));
    }
    if made.output_resources != size {
        return Err(format!("{} output resources are reported", made.output_resources));
    }
    Ok(())
}

fn gone(ended: &Ended<'_>) -> Result<(), String> {
    consistent(ended)?;
    let made = &ended.history.terraform;
    if made.things.is_empty() && !made.known {
        Ok(())
    } else {
        Err(format!("not deleted: {made:?}"))
    }
}
