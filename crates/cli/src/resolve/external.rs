//! A resolver of the user's own: a program that is offered every scalar, a line of JSON each, and answers with one.
//!
//! It gets `{"obj": {"apiVersion", "kind", "metadata": {"name", "namespace"}}, "key": ["spec", "type"], "value": …}` and
//! answers `{}` to keep the value, `{"value": …}` to replace it, or `{"error": "…"}` to refuse it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use hangar_manifest::resolve::{Context, Problem, Resolution, Resolver, codes};
use hangar_manifest::yaml::With;
use serde::Deserialize;
use serde_json::{Value, json};

/// One program, which runs until it has been offered everything.
#[derive(Debug)]
pub(crate) struct External {
    command: String,
    child: Child,
    /// To the thread that talks with the program: neither what it does not read nor what it does not answer
    /// can hold us.
    offers: Option<Sender<String>>,
    answers: Receiver<Result<String, String>>,
    patience: Duration,
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

/// So long each answer may take, and the end: a program may ask others.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long to wait between two looks whether it has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

impl External {
    /// Starts a program, as a shell would.
    pub(crate) fn start(command: &str) -> Result<Self, String> {
        Self::start_with(command, PATIENCE)
    }

    fn start_with(command: &str, patience: Duration) -> Result<Self, String> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start resolver `{command}`: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or_else(|| format!("resolver `{command}` has no pipes"))?;
        let (offers, offered) = channel();
        let (answered, answers) = channel();
        // It ends with the program's pipes, or with us.
        std::thread::spawn(move || converse(stdin, stdout, &offered, &answered));
        let (command, offers) = (command.to_owned(), Some(offers));
        Ok(Self { command, child, offers, answers, patience, broken: None, was_told: false })
    }

    /// Lets it end, and tells whether it ended well.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        drop(self.offers.take());
        if self.was_told {
            return Ok(());
        }
        match self.answers.recv_timeout(self.patience) {
            Ok(_) => {
                let command = &self.command;
                return Err(format!(
                    "resolver `{command}` returned more answers than it received values"
                ));
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        match self.ended() {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(format!("resolver `{}` exited with {status}", self.command)),
            Ok(None) => Err(format!("resolver `{}` does not exit", self.command)),
            Err(error) => Err(format!("resolver `{}`: {error}", self.command)),
        }
    }

    fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.ended_within(self.patience)
    }

    fn ended_within(&mut self, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || started.elapsed() > patience {
                return Ok(status);
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    fn exchange(&self, offer: &Value) -> Result<Answer, String> {
        let offers = self.offers.as_ref().ok_or("it no longer accepts input")?;
        offers.send(format!("{offer}\n")).map_err(|_| "it no longer accepts input")?;
        let answer = self.answers.recv_timeout(self.patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                format!(
                    "it did not answer within {:?}; it must answer each line with one line, and flush it",
                    self.patience
                )
            }
            RecvTimeoutError::Disconnected => "it exited without an answer".to_owned(),
        })?;
        serde_json::from_str(&answer?).map_err(|error| {
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

/// Hands on offers and answers, until there are no more.
fn converse(
    mut stdin: ChildStdin,
    stdout: ChildStdout,
    offers: &Receiver<String>,
    answers: &Sender<Result<String, String>>,
) {
    let mut stdout = BufReader::new(stdout);
    for offer in offers {
        let answer = line_for(&offer, &mut stdin, &mut stdout);
        let is_over = answer.is_err();
        if answers.send(answer).is_err() || is_over {
            return;
        }
    }
    drop(stdin);
    // What it says unasked means that lines before it were taken for answers to other values.
    let mut unasked = String::new();
    if !matches!(stdout.take(LONGEST_ANSWER as u64).read_line(&mut unasked), Ok(0)) {
        let _ = answers.send(Ok(unasked));
    }
}

fn line_for(
    offer: &str,
    stdin: &mut ChildStdin,
    stdout: &mut BufReader<ChildStdout>,
) -> Result<String, String> {
    stdin
        .write_all(offer.as_bytes())
        .map_err(|error| format!("it does not accept input: {error}"))?;
    let mut answer = String::new();
    match stdout.take(LONGEST_ANSWER as u64).read_line(&mut answer) {
        Ok(0) => Err("it exited without an answer".to_owned()),
        Ok(_) => Ok(answer),
        Err(error) => Err(format!("its answer cannot be read: {error}")),
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
                let why = match self.ended_within(Duration::from_secs(1)) {
                    Ok(Some(status)) if !status.success() => format!("it exited with {status}"),
                    _ => why,
                };
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
        // One that ended is not killed: its number may be another's by now, which `Child` knows.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str, patience: Duration) -> (String, Result<(), String>) {
        let external = External::start_with(command, patience).unwrap();
        let told = external.exchange(&json!({"value": 1})).map(|answer| format!("{answer:?}"));
        (told.unwrap_or_else(|why| why), external.finish())
    }

    #[test]
    fn a_program_that_never_answers_or_never_ends_is_given_up() {
        let soon = Duration::from_millis(50);
        let (why, _) = told("cat >/dev/null", soon);
        assert!(why.starts_with("it did not answer within 50ms"), "{why}");
        // `exec`, so that what is killed is what would not end.
        let (why, _) = told("exec sleep 600", soon);
        assert!(why.starts_with("it did not answer within 50ms"), "{why}");
        let long = Duration::from_secs(2);
        let (answer, end) = told("read line; echo '{}'; exec sleep 600", long);
        assert!(answer.starts_with("Answer"), "{answer}");
        assert!(end.unwrap_err().ends_with("does not exit"));
    }

    #[test]
    fn a_program_that_ends_too_soon_says_so() {
        let (why, end) = told("exit 3", PATIENCE);
        assert!(
            why.contains("it does not accept input") || why.contains("without an answer"),
            "{why}"
        );
        assert!(end.unwrap_err().contains("exited with exit status: 3"));
    }
}
