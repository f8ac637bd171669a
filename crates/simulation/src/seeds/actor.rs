//! Those who ask: each does one thing after the other, through whichever replica, and asks again under the same
//! name when it heard nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hangar_engine::{Ask, Condition, DeploymentAsk, GroupAsk, Leave, Submission};
use hangar_plan::deployment::DeploymentTask;
use hangar_plan::group::GroupTask;
use hangar_plan::record::{DeploymentName, Repeatability};
use hangar_simulator::core::place::Place;
use hangar_store::StoreError;
use hangar_template::source::Sources;

use super::deeds::{Deed, template};
use super::plan::{Alias, Plan};
use crate::history::{Deed as HandDeed, Hand};
use crate::rig::dice::Dice;
use crate::rig::process::lock;
use crate::rig::stage::{Stage, group, name, scope, subject};

/// How long somebody who heard nothing waits before asking again.
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Lets everybody act to the end; gives what hands did.
pub(super) async fn act(stage: &Arc<Stage>, plan: &mut Plan) -> Result<Vec<Hand>, StoreError> {
    let hands = Arc::new(Mutex::new(Vec::new()));
    let reviving = tokio::spawn(revive(stage.clone(), plan.dice.fork()));
    let mut acting = tokio::task::JoinSet::new();
    for number in 0..plan.actors {
        let actor = Actor {
            number,
            stage: stage.clone(),
            aliases: plan.aliases.clone(),
            pace: plan.pace,
            hands: hands.clone(),
            dice: plan.dice.fork(),
            asked: 0,
        };
        let deeds = plan.deeds.div_ceil(plan.actors);
        acting.spawn(actor.act(deeds));
    }
    while acting.join_next().await.is_some() {}
    reviving.abort();
    let hands = lock(&hands).clone();
    Ok(hands)
}

/// Starts whoever has died, a little later.
async fn revive(stage: Arc<Stage>, mut dice: Dice) {
    loop {
        let died = stage.run().died.notified();
        died.await;
        tokio::time::sleep(dice.span(Duration::ZERO, Duration::from_secs(12))).await;
        // A store that cannot be read now can be at the end.
        let _ = stage.revive().await;
    }
}

struct Actor {
    number: usize,
    stage: Arc<Stage>,
    aliases: Vec<Alias>,
    pace: Duration,
    hands: Arc<Mutex<Vec<Hand>>>,
    dice: Dice,
    asked: usize,
}

impl Actor {
    async fn act(mut self, deeds: usize) {
        for _ in 0..deeds {
            let pause = self.dice.span(Duration::ZERO, self.pace);
            tokio::time::sleep(pause).await;
            let Some(alias) = self.dice.pick(&self.aliases).cloned() else { return };
            let deed = Deed::of(&mut self.dice, &alias);
            self.perform(&alias, deed).await;
        }
    }

    async fn perform(&mut self, alias: &Alias, deed: Deed) {
        match deed {
            Deed::Ask(ask) => self.ask(alias, ask).await,
            Deed::Import { make, owned, apply } => self.import(alias, make, owned, apply).await,
            Deed::Cancel => self.cancel().await,
            Deed::Drift { repair } => {
                self.ask_group(GroupTask::Drift { repair, prune: false }).await;
            }
            Deed::Deploy { body, version, chained, leave, stop } => {
                // Now and then one is left out, so that it leaves the deployment.
                let mut named = self.aliases.clone();
                if named.len() > 1 && self.dice.chance(5000) {
                    named.remove(self.dice.below(named.len()));
                }
                let text = template(&named, body, version, chained);
                self.deploy(&text, leave, stop).await;
            }
            Deed::Destroy(on_remove) => {
                let ask = DeploymentAsk {
                    repeatability: Some(self.named()),
                    ..DeploymentAsk::destroy(self.deployment(), on_remove)
                };
                let replica = self.dice.below(3);
                self.stage.submit_deployment(replica, ask).await;
            }
            Deed::DeleteGroup => {
                self.ask_group(GroupTask::Delete).await;
                // Without it nothing more could be asked.
                for _ in 0..20 {
                    tokio::time::sleep(AGAIN_AFTER).await;
                    let _ = self.stage.make_group().await;
                }
            }
            Deed::HandDeletes => self.touch(alias, HandDeed::Deleted).await,
            Deed::HandChanges => self.touch(alias, HandDeed::Changed).await,
            Deed::Sleep(minutes) => {
                self.stage.run().tell(&format!("the clock advances by {minutes} minutes"));
                self.stage.run().clock.jump(Duration::from_mins(minutes));
            }
        }
    }

    fn named(&mut self) -> Repeatability {
        self.asked += 1;
        let request_id = format!("request-{}-{}", self.number, self.asked);
        Repeatability { request_id, body_hash: self.asked.to_string() }
    }

    async fn ask(&mut self, alias: &Alias, ask: Ask) {
        let Some(subject) = subject(alias.kind.type_name(), &alias.name) else { return };
        let submission =
            Submission { repeatability: Some(self.named()), ..Submission::new(subject, ask) };
        for _ in 0..4 {
            let replica = self.dice.below(3);
            let answer = self.stage.submit(replica, submission.clone()).await;
            let unheard = match &answer {
                None => true,
                Some(Err(failure)) => failure.code == "StoreUnavailable",
                Some(Ok(accepted)) => {
                    if self.dice.chance(5000) {
                        self.follow(replica, accepted.record.id()).await;
                    }
                    false
                }
            };
            if !unheard || self.dice.chance(3000) {
                return;
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }

    /// Waits for the end for a while.
    async fn follow(&mut self, replica: usize, id: hangar_plan::operation::OperationId) {
        let replica = self.stage.replica(replica);
        let patience = Duration::from_secs(30);
        tokio::select! {
            biased;
            _ = replica.engine.wait(id, patience) => {}
            () = replica.process.death() => {}
        }
    }

    async fn ask_group(&mut self, task: GroupTask) {
        let ask = GroupAsk {
            group: group(),
            task,
            condition: Condition::None,
            repeatability: Some(self.named()),
            correlation_id: None,
        };
        let replica = self.dice.below(3);
        self.stage.submit_group(replica, ask).await;
    }

    /// One of two, which name the same aliases.
    fn deployment(&mut self) -> DeploymentName {
        let name = if self.dice.chance(7000) { "app" } else { "web" };
        DeploymentName { group: group(), name: name.to_owned() }
    }

    async fn deploy(&mut self, text: &str, leave: Leave, stop: bool) {
        let ask = DeploymentAsk {
            name: self.deployment(),
            task: DeploymentTask::Deploy,
            sources: Sources::of("main.bicep", text.as_bytes()),
            entry: "main.bicep".to_owned(),
            template_path: None,
            parameters: BTreeMap::new(),
            scope: scope(),
            leave,
            plan: None,
            repeatability: Some(self.named()),
            correlation_id: None,
        };
        let replica = self.dice.below(3);
        let Some(Ok(accepted)) = self.stage.submit_deployment(replica, ask).await else { return };
        if stop {
            let pause = self.dice.span(Duration::ZERO, Duration::from_secs(3));
            tokio::time::sleep(pause).await;
            self.stage.cancel(replica, accepted.record.id()).await;
        } else if self.dice.chance(5000) {
            self.follow(replica, accepted.record.id()).await;
        }
    }

    async fn cancel(&mut self) {
        let Ok(running) = self.stage.running().await else { return };
        let Some(record) = self.dice.pick(&running) else { return };
        let replica = self.dice.below(3);
        self.stage.cancel(replica, record.id()).await;
    }

    async fn import(&mut self, alias: &Alias, make: bool, owned: bool, apply: bool) {
        let document = alias.kind.document(&alias.name, 7, self.dice.below(3));
        let made = if make {
            self.stage.aws().with(|world, wall| {
                let type_name = alias.kind.cloud_formation();
                world.create_out_of_band(&place(), type_name, &document, wall).ok()
            })
        } else {
            self.present(alias).await
        };
        let Some(identifier) = made else { return };
        if make {
            self.note(alias, &identifier, HandDeed::Made);
        }
        let properties = apply.then_some(document);
        let ask = Ask::Import { identifier, owned, properties, secret_paths: Vec::new() };
        self.ask(alias, ask).await;
    }

    /// The resource that an alias stands for.
    async fn present(&self, alias: &Alias) -> Option<String> {
        let name = name(alias.kind.type_name(), &alias.name)?;
        self.stage.store().reference_find(&name).await.ok()??.entry.identifier
    }

    async fn touch(&mut self, alias: &Alias, deed: HandDeed) {
        let Some(identifier) = self.present(alias).await else { return };
        let type_name = alias.kind.cloud_formation();
        let done = self.stage.aws().with(|world, wall| match deed {
            HandDeed::Deleted => world.delete_out_of_band(&place(), type_name, &identifier, wall),
            _ => alias.kind.tampering().is_some_and(|merge| {
                let changed =
                    world.change_out_of_band(&place(), type_name, &identifier, &merge, wall);
                changed == Ok(true)
            }),
        });
        if done {
            self.note(alias, &identifier, deed);
        }
    }

    fn note(&self, alias: &Alias, identifier: &str, deed: HandDeed) {
        self.stage.run().tell(&format!("outside change {deed:?} {identifier}"));
        lock(&self.hands).push(Hand {
            type_name: alias.kind.cloud_formation().to_owned(),
            identifier: identifier.to_owned(),
            deed,
            at: self.stage.run().clock.now(),
        });
    }
}

/// The account and region of every run, as AWS has it.
fn place() -> Place {
    Place::of_caller("42", "eu-central-1")
}
