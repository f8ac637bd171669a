//! A resolver of the user's own: a program that is offered every scalar, a line of JSON each, and answers with one.
//!
//! It gets `{"obj": {"apiVersion", "kind", "metadata": {"name", "namespace"}}, "key": ["spec", "type"], "value": …}` and
//! answers `{}` to keep the value, `{"value": …}` to replace it, or `{"error": "…"}` to refuse it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use hangar_manifest::resolve::{Context, Problem, Resolution, Resolver, codes};
use hangar_manifest::yaml::With;
use serde::Deserialize;
use serde_json::{Value, json};

/// One program, which runs until it has been offered everything.
#[derive(Debug)]
pub(crate) struct External {
    command: String,
    child: Child,
    offers: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Why it is of no use any more; told once.
    broken: Option<String>,
    was_told: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default, deserialize_with = "stated")]
    value: Option<Value>,
    error: Option<String>,
}

/// A value that is there, null too.
fn stated<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// An answer longer than this is not read.
const LONGEST_ANSWER: usize = 16 << 20;

impl External {
    /// Starts a program, as a shell would.
    pub(crate) fn start(command: &str) -> Result<Self, String> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start resolver `{command}`: {error}"))?;
        let (offers, answers) = (child.stdin.take(), child.stdout.take());
        let answers = answers.ok_or_else(|| format!("resolver `{command}` has no output"))?;
        let (command, answers) = (command.to_owned(), BufReader::new(answers));
        Ok(Self { command, child, offers, answers, broken: None, was_told: false })
    }

    /// Lets it end, and tells whether it ended well.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        drop(self.offers.take());
        let ended = self.child.wait();
        match ended {
            _ if self.was_told => Ok(()),
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("resolver `{}` ended with {status}", self.command)),
            Err(error) => Err(format!("resolver `{}`: {error}", self.command)),
        }
    }

    fn exchange(&mut self, offer: &Value) -> Result<Answer, String> {
        let offers = self.offers.as_mut().ok_or("it takes nothing any more")?;
        let line = format!("{offer}\n");
        offers.write_all(line.as_bytes()).map_err(|error| format!("it takes nothing: {error}"))?;
        let mut answer = String::new();
        let mut limited = std::io::Read::take(&mut self.answers, LONGEST_ANSWER as u64);
        let read = limited.read_line(&mut answer);
        match read {
            Ok(0) => return Err("it ended without an answer".to_owned()),
            Ok(_) => {}
            Err(error) => return Err(format!("its answer cannot be read: {error}")),
        }
        serde_json::from_str(&answer).map_err(|error| {
            format!(
                "its answer is not `{{}}`, `{{\"value\": …}}` or `{{\"error\": \"…\"}}`: {error}"
            )
        })
    }

    fn refuse(&self, what: &str) -> Resolution {
        let message = format!("resolver `{}`: {what}", self.command);
        Resolution::Refuse(Box::new(Problem::new(codes::RESOLVER, message)))
    }
}

impl Resolver for External {
    fn resolve(&mut self, context: &Context<'_>, value: &Value) -> Resolution {
        if self.broken.is_some() {
            return Resolution::Keep;
        }
        let object = context.obj();
        let offer = json!({
            "obj": {
                "apiVersion": object.api_version,
                "kind": object.kind,
                "metadata": {"name": object.name, "namespace": object.namespace},
            },
            "key": context.key().names(),
            "value": value,
        });
        match self.exchange(&offer) {
            Ok(Answer { error: Some(error), .. }) => self.refuse(&error),
            Ok(Answer { value: Some(replacement), .. }) if replacement != *value => {
                Resolution::Replace(With::Whole(replacement))
            }
            Ok(_) => Resolution::Keep,
            Err(why) => {
                let told = self.refuse(&why);
                self.broken = Some(why);
                self.was_told = true;
                told
            }
        }
    }
}

impl Drop for External {
    fn drop(&mut self) {
        drop(self.offers.take());
        // One that was not finished has nothing more to say.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
