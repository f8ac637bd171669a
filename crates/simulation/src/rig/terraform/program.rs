//! One program: what Terraform does, in the order in which it does it.

use std::time::Duration;

use hangar_engine::{Command, Engine, StateContent, StateRefused};
use hangar_plan::record::{RecipeName, StateLock};
use hangar_store::StateError;
use serde_json::{Value, json};

use super::{Port, Started};
use crate::rig::process::Process;
use crate::rig::stage::group;

/// How long one thing takes.
const ONE: Duration = Duration::from_millis(300);
/// How long a program waits before it asks a server again that is away, and how often it asks.
const AGAIN: Duration = Duration::from_secs(4);
const TRIES: usize = 7;
/// How often and how long it waits for a lock.
const LOCK_AGAIN: Duration = Duration::from_secs(5);
const LOCK_TRIES: usize = 5;

/// The one recipe of all scenarios.
pub fn recipe() -> RecipeName {
    RecipeName { group: group(), name: "things".to_owned() }
}

/// A server that cannot be reached any more.
struct Away;

/// What a program asks its server.
enum Question {
    Lock,
    Unlock,
    Read,
    Write(Vec<u8>),
}

/// What it is answered.
enum Answered {
    Done,
    Held,
    State(Option<Vec<u8>>),
    No,
}

/// Why a program ends badly.
enum Fault {
    Away,
    Locked,
    Refused(String),
}

impl From<Away> for Fault {
    fn from(_: Away) -> Self {
        Self::Away
    }
}

/// The state as the program has it.
struct State {
    serial: u64,
    /// Address and name of every thing.
    things: Vec<(String, String)>,
}

/// Runs a program to its end.
pub(super) async fn run(started: Started) {
    tokio::time::sleep(ONE).await;
    let code = match started.command {
        Command::Get => {
            let modules =
                json!({"Modules": [{"Key": "recipe", "Source": "./module", "Dir": "module"}]});
            started.leave(".terraform/modules/modules.json", modules.to_string().into_bytes());
            0
        }
        Command::Init | Command::Plan => 0,
        Command::Show => {
            started.print(&json!({"format_version": "1.2", "resource_changes": []}));
            0
        }
        Command::Apply | Command::Destroy => match started.change().await {
            Ok(()) => 0,
            Err(fault) => {
                let summary = match fault {
                    Fault::Away => "Failed to save state".to_owned(),
                    Fault::Locked => "Error acquiring the state lock".to_owned(),
                    Fault::Refused(why) => why,
                };
                started.print(&json!({"type": "diagnostic", "diagnostic": {
                    "severity": "error", "summary": summary, "detail": ""}}));
                1
            }
        },
    };
    started.machine.run(started.run, |kept| (kept.running, kept.exit) = (false, Some(code)));
}

impl Started {
    fn leave(&self, path: &str, content: Vec<u8>) {
        self.machine.run(self.run, |kept| kept.files.insert(path.to_owned(), content));
    }

    fn print(&self, line: &Value) {
        let name = self.command.as_str();
        let line = format!("{line}\n");
        self.machine.run(self.run, |kept| {
            kept.printed.entry(name).or_default().extend_from_slice(line.as_bytes());
        });
    }

    fn is_interrupted(&self) -> bool {
        self.machine.run(self.run, |kept| kept.interrupted)
    }

    /// How many things there are to be.
    fn wanted(&self) -> usize {
        let content = self.machine.run(self.run, |kept| {
            kept.files.get("hangar.auto.tfvars.json").cloned().unwrap_or_default()
        });
        let values: Value = serde_json::from_slice(&content).unwrap_or_default();
        match self.command {
            Command::Destroy => 0,
            _ => values["size"].as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(0),
        }
    }

    /// Takes the lock, makes and destroys, hands in the state, and gives the lock back.
    async fn change(&self) -> Result<(), Fault> {
        self.lock().await?;
        let mut state = self.read().await?;
        let before = state.things.clone();
        let wanted: Vec<String> =
            (0..self.wanted()).map(|it| format!("made.thing[{it}]")).collect();
        let gone: Vec<(String, String)> =
            before.iter().filter(|(address, _)| !wanted.contains(address)).cloned().collect();
        let new: Vec<String> = wanted
            .into_iter()
            .filter(|address| !before.iter().any(|(present, _)| present == address))
            .collect();
        self.print(&json!({"type": "change_summary", "changes": {
            "add": new.len(), "change": 0, "remove": gone.len(), "operation": "apply"}}));
        let mut stopped = false;
        for address in new {
            stopped |= self.is_interrupted();
            if stopped {
                break;
            }
            self.tell("apply_start", &address, "create");
            tokio::time::sleep(ONE).await;
            let name = self.machine.make(&address);
            self.tell("apply_complete", &address, "create");
            state.things.push((address, name));
        }
        for (address, name) in gone {
            stopped |= self.is_interrupted();
            if stopped {
                break;
            }
            tokio::time::sleep(ONE).await;
            self.machine.destroy(&name);
            self.tell("apply_complete", &address, "delete");
            state.things.retain(|(present, _)| *present != address);
        }
        if state.things != before || state.serial == 0 {
            state.serial += 1;
            self.hand_in(&state).await?;
        }
        self.unlock().await;
        if stopped { Err(Fault::Refused("interrupted".to_owned())) } else { Ok(()) }
    }

    fn tell(&self, kind: &str, address: &str, action: &str) {
        let resource = json!({"addr": address});
        self.print(&json!({"type": kind, "hook": {"resource": resource, "action": action}}));
    }

    /// The server that answers now, if any does.
    fn server(&self) -> Option<(Process, Engine)> {
        let (process, engine) = self.machine.server(self.process.number)?;
        let same = *crate::rig::process::lock(&self.machine.port) == Port::Kept;
        let found = !process.is_dead() && (same || !self.process.is_dead());
        found.then_some((process, engine))
    }

    /// Asks the server until it answers, as often as Terraform does.
    async fn ask(&self, question: &Question) -> Result<Answered, Away> {
        for _ in 0..TRIES {
            if let Some((process, engine)) = self.server() {
                let answer = tokio::select! {
                    biased;
                    answer = self.once(&engine, question) => answer,
                    () = process.death() => Err(Away),
                };
                if answer.is_ok() {
                    return answer;
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
        Err(Away)
    }

    /// Asks once, as the run that we are.
    async fn once(&self, engine: &Engine, question: &Question) -> Result<Answered, Away> {
        let name = recipe();
        let admitted = engine.state_admitted(&name, &self.user, &self.password).await;
        if admitted.map_err(|_| Away)?.is_none() {
            return Ok(Answered::No);
        }
        match question {
            Question::Read => {
                let read = engine.state_read(&name, None).await.map_err(|_| Away)?;
                Ok(Answered::State(read.map(|it| it.expose().clone())))
            }
            Question::Lock => {
                let lock = StateLock {
                    id: self.lock_id(),
                    info: json!({"Who": "simulated"}),
                    taken_at: engine.reader().now().await.map_err(|_| Away)?,
                    operation: Some(self.run.operation),
                };
                match engine.state_lock(&name, &lock).await {
                    Ok(()) => Ok(Answered::Done),
                    Err(StateError::Locked(_)) => Ok(Answered::Held),
                    Err(_) => Err(Away),
                }
            }
            Question::Unlock => {
                let freed = engine.state_unlock(&name, Some(&self.lock_id())).await;
                freed.map(|_| Answered::Done).map_err(|_| Away)
            }
            Question::Write(content) => {
                let given = StateContent {
                    content: content.clone(),
                    lock_id: Some(self.lock_id()),
                    operation: Some(self.run.operation),
                    stray: false,
                };
                match engine.state_write(&name, given).await {
                    Ok(_) => Ok(Answered::Done),
                    Err(StateRefused::Store(StateError::Store(_))) => Err(Away),
                    Err(_) => Ok(Answered::No),
                }
            }
        }
    }

    fn lock_id(&self) -> String {
        format!("lock-{}", self.run)
    }

    async fn lock(&self) -> Result<(), Fault> {
        for _ in 0..LOCK_TRIES {
            match self.ask(&Question::Lock).await? {
                Answered::Done => return Ok(()),
                Answered::Held => tokio::time::sleep(LOCK_AGAIN).await,
                Answered::No | Answered::State(_) => return Err(Fault::Refused("401".to_owned())),
            }
        }
        Err(Fault::Locked)
    }

    /// A lock that is not freed is told, and no more.
    async fn unlock(&self) {
        let _ = self.ask(&Question::Unlock).await;
    }

    async fn read(&self) -> Result<State, Fault> {
        let Answered::State(content) = self.ask(&Question::Read).await? else {
            return Err(Fault::Refused("401".to_owned()));
        };
        let content = content.unwrap_or_default();
        let document: Value = serde_json::from_slice(&content).unwrap_or_default();
        let things = document["resources"][0]["instances"].as_array().into_iter().flatten();
        let things = things.filter_map(|it| {
            let number = it["index_key"].as_u64()?;
            Some((format!("made.thing[{number}]"), it["attributes"]["id"].as_str()?.to_owned()))
        });
        Ok(State { serial: document["serial"].as_u64().unwrap_or(0), things: things.collect() })
    }

    /// Hands in the state; one that nobody takes stays behind.
    async fn hand_in(&self, state: &State) -> Result<(), Fault> {
        let content = state.to_document().to_string().into_bytes();
        if let Ok(Answered::Done) = self.ask(&Question::Write(content.clone())).await {
            return Ok(());
        }
        self.leave("errored.tfstate", content);
        Err(Fault::Away)
    }
}

impl State {
    fn to_document(&self) -> Value {
        let instances: Vec<Value> = self
            .things
            .iter()
            .map(|(address, name)| {
                let number = address.trim_start_matches("made.thing[").trim_end_matches(']');
                let arn = format!("arn:aws:sqs:eu-central-1:000000000042:{name}");
                let number = number.parse::<u64>().unwrap_or_default();
                json!({"index_key": number, "attributes": {"id": name, "arn": arn}})
            })
            .collect();
        json!({
            "version": 4, "serial": self.serial, "lineage": "one", "outputs": {},
            "resources": [{"mode": "managed", "type": "aws_sqs_queue", "name": "thing", "module": "module.recipe",
                "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": instances}],
        })
    }
}
