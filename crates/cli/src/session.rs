//! A command's talk with a control plane: found or started, asked, and left.
//!
//! Where the data directory's control plane is another command's, it may end at any moment; then it
//! is looked for again, or run here, and the same request is sent once more.

pub(crate) mod aws_caller;
pub(crate) mod caller;
mod crew;
pub(crate) mod explain;
pub(crate) mod interrupt;
pub(crate) mod listen;
mod outlook;
mod patience;
pub(crate) mod wakes;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_engine::{AwsOutage, Drives, Recipes};
use hangar_plan::operation::OperationId;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;
use uuid::Uuid;

use crate::aws::Aws;
use crate::aws::client::AwsClient;
use crate::client::Client;
use crate::client::arm_error::Refusal;
use crate::client::ids;
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::client::shape::Page;
use crate::connection::{Chosen, Connection};
use crate::control_plane::{self, Running, Settings};
use crate::embedded::data_dir::DataDir;
use crate::embedded::discard::discard_if_empty;
use crate::embedded::find::{Found, PATIENCE, find};
use crate::embedded::server_file::ServerFile;
use crate::embedded::snapshot::{Reader, Snapshot, find_or_copy, link_providers};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::printer::{Printer, Said};
use crate::store_at::StoreAt;
use crate::terraform_host::TerraformHost;
use aws_caller::AwsCaller;
use interrupt::{Departure, Heed, Interrupts, Wish};
use outlook::Outlook;
use patience::Patience;

/// How many commands in turn may end while one waits for an answer.
const MAX_MOVES: usize = 20;

/// As many as one page holds.
const PAGE: &str = "1000";

/// A command's talk with a control plane.
#[derive(Debug)]
pub(crate) struct Session<'p> {
    pub(crate) printer: &'p mut Printer,
    connection: Connection,
    link: Link,
    /// The AWS behind it; not known of a server that was named.
    aws: Option<Aws>,
    aws_caller: AwsCaller,
    stage: Stage,
    presence: Presence,
    /// Whether open operations were reported.
    has_reported_open: bool,
    /// The data directory, if this command created it.
    created: Option<DataDir>,
    /// What a person should know of it, until that was printed.
    created_note: Option<String>,
    wish: Arc<Wish>,
    outlook: Arc<Outlook>,
}

/// Who answers.
#[derive(Debug)]
enum Link {
    /// Nobody yet.
    None,
    /// The server that was named.
    Server {
        client: Client,
        was_reached: bool,
        /// The directory whose token it gets, once it is known to be that directory's server.
        token_of: Option<DataDir>,
    },
    /// Another process of this machine, which runs the data directory's control plane.
    Neighbour { client: Client },
    /// This process.
    Own {
        client: Client,
        running: Box<Running>,
        /// The copy of the data directory that it runs on; it is removed with this.
        _copy: Option<TempDir>,
    },
}

/// What a command does with a control plane, and how long it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It only reads. Without a server it works on a copy of the data directory: open operations stay as
    /// they are, and nothing is written in AWS or in the directory.
    Reading,
    /// It only reads, and AWS answers it: the caller's credentials have to work.
    ReadingAws,
    /// Until what it asked for is done: meanwhile whatever is open goes on too.
    ToTheEnd,
    /// Until it is answered.
    Briefly,
}

impl Presence {
    const fn is_read_only(self) -> bool {
        matches!(self, Self::Reading | Self::ReadingAws)
    }
}

/// What an interruption would leave behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing.
    Reading,
    /// A write whose operation is not known.
    Writing,
    /// An operation that goes on.
    Following(OperationId),
    /// Nothing: it goes on until somebody has seen enough, and ends like this then.
    Watching(Exit),
}

/// Why a call gave nothing.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The control plane said no.
    Refused(Refusal),
    /// There is no answer to be had.
    Stopped(Failure),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => refusal.explain(""),
            CallError::Stopped(failure) => failure,
        }
    }
}

impl CallError {
    /// The failure of what was being done.
    pub(crate) fn while_doing(self, doing: &str) -> Failure {
        match self {
            Self::Refused(refusal) => refusal.explain(doing),
            Self::Stopped(failure) => failure,
        }
    }
}

/// How the work of a command came to its end.
enum Work {
    Ended(Result<Exit, Failure>),
    Interrupted,
    /// The operation that it waits for cannot go on.
    Hopeless(AwsOutage),
}

/// Finds or starts the control plane, works with it, and leaves it; Ctrl-C ends the work, a second
/// one does not wait for the end.
pub(crate) fn run(
    connection: Connection,
    printer: &mut Printer,
    presence: Presence,
    work: impl AsyncFnOnce(&mut Session<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    let outcome = runtime.block_on(async {
        let mut interrupts = Interrupts::listen().map_err(anyhow::Error::from)?;
        let (wish, outlook) = (Arc::new(Wish::default()), Arc::new(Outlook::default()));
        let mut departure = Departure::default();
        let mut session = Session {
            printer,
            connection,
            link: Link::None,
            aws: None,
            aws_caller: AwsCaller::default(),
            stage: Stage::Reading,
            presence,
            has_reported_open: false,
            created: None,
            created_note: None,
            wish: Arc::clone(&wish),
            outlook: Arc::clone(&outlook),
        };
        let outcome = {
            let mut worked = std::pin::pin!(async {
                session.connect().await?;
                work(&mut session).await
            });
            loop {
                tokio::select! {
                    outcome = &mut worked => break Work::Ended(outcome),
                    interrupt = interrupts.next() => {
                        departure.note(interrupt);
                        if !wish.make() {
                            break Work::Interrupted;
                        }
                    }
                    () = departure.grace_is_over() => break Work::Interrupted,
                    outage = outlook.hopeless(|| wish.was_made()) => break Work::Hopeless(outage),
                }
            }
        };
        session.printer.done();
        let outcome = match outcome {
            Work::Ended(outcome) => outcome,
            Work::Interrupted => session.interrupted(),
            Work::Hopeless(outage) => Err(session.gives_up(&outage)),
        };
        let outcome = outcome
            .map_err(|failure| failure.with_hints(|hint| session.connection.addressed(hint)));
        tokio::select! {
            () = session.close() => {}
            _ = interrupts.next() => {}
            () = departure.is_due() => {}
        }
        // A refused command leaves no data directory behind.
        if let (Err(_), Some(dir)) = (&outcome, &session.created) {
            discard_if_empty(dir).await;
        }
        if session.created.as_ref().is_some_and(|dir| dir.path().exists()) {
            session.tell_created();
        }
        outcome
    });
    // A question that nobody answered must not keep the process.
    runtime.shutdown_background();
    outcome
}

impl Session<'_> {
    /// Finds who answers, or starts the control plane here.
    async fn connect(&mut self) -> Result<(), Failure> {
        let (dir, aws, store, terraform, aws_client) = match &self.connection.to {
            Chosen::Server { client, token_of } => {
                let (client, token_of) = (client.clone(), token_of.clone());
                self.link = Link::Server { client, was_reached: false, token_of };
                return Ok(());
            }
            Chosen::Directory { dir, aws, store, terraform, aws_client } => {
                (dir.clone(), aws.clone(), store.clone(), terraform.clone(), aws_client.clone())
            }
        };
        if self.presence.is_read_only() {
            return self.connect_to_read(&dir, aws, store, *terraform, *aws_client).await;
        }
        self.check_new_directory(&dir, aws.as_ref()).await?;
        let is_new = !dir.path().exists();
        // A store elsewhere is not this command's to judge.
        self.created = (is_new && store.is_none()).then(|| dir.clone()).or(self.created.take());
        match find(&dir, PATIENCE).await.map_err(|error| explain::not_found(&dir, &error))? {
            Found::Neighbour(file) => self.join(&dir, aws.as_ref(), &file)?,
            Found::Ours(lock) => {
                let settings = Settings {
                    store,
                    terraform: *terraform,
                    aws_client: *aws_client,
                    ..Settings::embedded(dir.clone(), lock, aws)
                };
                let running =
                    control_plane::start(settings).await.map_err(|error| error.explain())?;
                self.tell_aws(&dir, running.aws());
                if is_new && *running.aws() != Aws::Simulator {
                    self.created_note = Some(explain::created(&dir));
                }
                let client = running.client();
                let engine = running.engine();
                self.outlook.ask(move || engine.aws_outage());
                let running = Box::new(running);
                self.link = Link::Own { client: client.clone(), running, _copy: None };
                self.check_caller().await?;
                self.tell_open_operations(&client).await;
            }
        }
        Ok(())
    }

    /// Finds who answers, or starts a control plane on a copy of the data directory, which drives no write.
    async fn connect_to_read(
        &mut self,
        dir: &DataDir,
        aws: Option<Aws>,
        store: Option<StoreAt>,
        terraform: TerraformHost,
        aws_client: AwsClient,
    ) -> Result<(), Failure> {
        let found = find_or_copy(dir, store.as_ref(), PATIENCE).await;
        let copy = match found.map_err(|error| explain::not_found(dir, &error))? {
            Reader::Neighbour(file) => return self.join(dir, aws.as_ref(), &file),
            Reader::Copy(copy) => copy,
        };
        let Snapshot { dir: copied, key, lock, folder } = *copy;
        let copied_path = copied.path().display().to_string();
        let settings = Settings {
            store: store.filter(StoreAt::is_shared),
            key_file: key,
            drives: Drives::Reads,
            terraform,
            aws_client,
            ..Settings::embedded(copied, lock, aws)
        };
        let running = control_plane::start(settings).await.map_err(|error| {
            error.explain().with_other_words(&copied_path, &dir.path().display().to_string())
        })?;
        self.tell_aws(dir, running.aws());
        let client = running.client();
        let engine = running.engine();
        self.outlook.ask(move || engine.aws_outage());
        let running = Box::new(running);
        self.link = Link::Own { client: client.clone(), running, _copy: Some(folder) };
        self.check_caller().await?;
        self.tell_open_operations(&client).await;
        Ok(())
    }

    /// Looks at the data directory as it is now. A server shows that anyway.
    pub(crate) async fn refresh(&mut self) -> Result<(), Failure> {
        if !self.presence.is_read_only() || !matches!(self.link, Link::Own { .. }) {
            return Ok(());
        }
        self.close().await;
        self.connect().await
    }

    /// Uses the server of another process of this machine.
    fn join(&mut self, dir: &DataDir, aws: Option<&Aws>, file: &ServerFile) -> Result<(), Failure> {
        let used: Option<Aws> = file.aws.parse().ok();
        if let Some(aws) = aws
            && used.as_ref() != Some(aws)
        {
            return Err(explain::served_with_another_aws(dir, file, aws));
        }
        let token = dir.read_token().map_err(|error| explain::no_token(dir, &error))?;
        // It was asked how it is, so it has an endpoint.
        let endpoint = file.endpoint().ok_or_else(|| anyhow::anyhow!("no endpoint in {file:?}"))?;
        if let Some(used) = &used {
            self.tell_aws(dir, used);
        }
        self.link = Link::Neighbour { client: Client::new(endpoint, token) };
        Ok(())
    }

    /// Says which AWS it is, where it is none; once.
    fn tell_aws(&mut self, dir: &DataDir, aws: &Aws) {
        if self.aws.replace(aws.clone()).is_none()
            && let Some(note) = control_plane::note_of(dir, aws)
        {
            self.printer.note(&note);
        }
    }

    /// Reports open operations once, and whether this command continues them. A failure of this request is
    /// ignored: the command's own requests report it.
    async fn tell_open_operations(&mut self, client: &Client) {
        if std::mem::replace(&mut self.has_reported_open, true) {
            return;
        }
        let request = Request::get(ids::OPERATIONS).query("running", "true").query("$top", PAGE);
        let Ok(reply) = client.send(&request).await else { return };
        let Ok(page) = reply.read_as::<Page>() else { return };
        let more = if page.next_link.is_some() { " or more" } else { "" };
        let running = &page.value;
        if running.is_empty() {
            return;
        }
        let count = match running.len() {
            1 => "1 operation".to_owned(),
            count => format!("{count}{more} operations"),
        };
        let (is, was) = if running.len() == 1 { ("is", "was") } else { ("are", "were") };
        let note = match (self.presence, running.as_slice()) {
            (Presence::ToTheEnd, _) => format!("{count} {was} unfinished; continuing"),
            (_, [one]) => {
                let id = one.get("name").and_then(Value::as_str).unwrap_or("ID");
                format!("{count} {is} open; `hangar operation wait {id}` continues it")
            }
            (_, all) => {
                // The parts of a deployment end with it.
                let is_whole = |it: &&Value| it.get("parent").is_none_or(Value::is_null);
                let whole: Vec<&Value> = all.iter().filter(is_whole).collect();
                let id = match whole.as_slice() {
                    [one] => one.get("name").and_then(Value::as_str).unwrap_or("ID"),
                    _ => "ID",
                };
                format!(
                    "{count} {is} open; `hangar operation wait {id}` continues them, `hangar operation list \
                     --running` shows them"
                )
            }
        };
        self.note(&note);
    }

    /// Says in one line what a person should know, with commands that reach the same control plane.
    pub(crate) fn note(&mut self, text: &str) {
        let text = self.addressed(text);
        self.printer.note(&text);
    }

    /// A text in which every command that it names reaches the same control plane.
    pub(crate) fn addressed(&self, text: &str) -> String {
        self.connection.addressed(text)
    }

    /// Gives a server that was named the directory's token, if it is that directory's: the file that
    /// names it is its owner's, and whoever else has the port by now does not know its instance.
    async fn find_token(&mut self) {
        let Link::Server { client, token_of, .. } = &mut self.link else { return };
        let Some(dir) = token_of.as_ref() else { return };
        let Some(file) = ServerFile::find(&dir.server()) else { return };
        let Some(published) = file.endpoint() else { return };
        if !client.endpoint().means(&published) || !file.is_live().await {
            return;
        }
        if let Ok(Some(token)) = dir.read_token() {
            let endpoint = published.with_base_path(client.endpoint().base_path());
            *client = Client::new(endpoint, Some(token));
            *token_of = None;
        }
    }

    /// Sends a request until there is an answer, or no hope of one.
    pub(crate) async fn send(&mut self, request: &Request) -> Result<Reply, CallError> {
        let reply = self.exchange(request).await?;
        if !request.is_read() {
            self.tell_created();
        }
        Ok(reply)
    }

    /// Says once that the data directory is new: with the first write that was accepted, so that it is not said of
    /// one that a refused command removes again.
    fn tell_created(&mut self) {
        if let Some(note) = self.created_note.take() {
            self.printer.note(&note);
        }
    }

    async fn exchange(&mut self, request: &Request) -> Result<Reply, CallError> {
        let may_write = !self.presence.is_read_only() && !request.is_read();
        if may_write && self.stage == Stage::Reading {
            self.stage = Stage::Writing;
        }
        let mut moves = 0;
        let mut was_told = false;
        let was_reached = matches!(self.link, Link::Server { was_reached: true, .. });
        let mut patience = Patience::new(Instant::now(), was_reached);
        loop {
            self.find_token().await;
            let error = match self.link.client()?.send(request).await {
                Ok(reply) if is_pass(request, &reply) => {
                    patience.was_reached();
                    let Some(pause) = patience.pause(Instant::now(), chance()) else {
                        return reply.accepted().map_err(CallError::Refused);
                    };
                    if is_busy(&reply) && !was_told {
                        was_told = true;
                        self.printer.note("server busy, retrying");
                    }
                    tokio::time::sleep(pause_before_again(&reply, pause)).await;
                    continue;
                }
                Ok(reply) => {
                    if let Link::Server { was_reached, .. } = &mut self.link {
                        *was_reached = true;
                    }
                    return reply.accepted().map_err(CallError::Refused);
                }
                Err(error) => error,
            };
            let is_hopeless = !error.may_pass() || moves == MAX_MOVES;
            match &self.link {
                Link::Neighbour { .. } if !is_hopeless => {
                    moves += 1;
                    self.connect().await.map_err(CallError::Stopped)?;
                }
                Link::Server { client, .. } if !is_hopeless => {
                    let Some(pause) = patience.pause(Instant::now(), chance()) else {
                        return Err(CallError::Stopped(explain::unanswered(client, &error)));
                    };
                    tokio::time::sleep(pause).await;
                }
                link => {
                    let client = link.client()?;
                    return Err(CallError::Stopped(explain::unanswered(client, &error)));
                }
            }
        }
    }

    /// Sends a read and gives the document whole, for programs, and in its shape, for people.
    pub(crate) async fn read<T: DeserializeOwned>(
        &mut self,
        request: &Request,
    ) -> Result<(Value, T), CallError> {
        let reply = self.send(request).await?;
        let shape = self.shape(&reply.body)?;
        Ok((reply.body, shape))
    }

    /// A document of the control plane in its shape.
    pub(crate) fn shape<T: DeserializeOwned>(&self, document: &Value) -> Result<T, CallError> {
        let client = self.link.client()?;
        crate::client::reply::read_as(document)
            .map_err(|error| CallError::Stopped(explain::unanswered(client, &error)))
    }

    /// Every document of a list, over all its pages.
    pub(crate) async fn list(&mut self, request: Request) -> Result<Vec<Value>, CallError> {
        let mut all = Vec::new();
        let mut next = Some(request.query("$top", PAGE));
        while let Some(request) = next {
            let (_, page) = self.read::<Page>(&request).await?;
            all.extend(page.value);
            let endpoint = self.link.client()?.endpoint();
            next = page.next_link.and_then(|link| Request::follow_link(&link, endpoint));
        }
        Ok(all)
    }

    /// The data directory that commands of this machine use with it.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.connection.directory()
    }

    /// What runs Terraform on this machine with its files in a directory, where the control plane is on this machine, too.
    pub(crate) fn local_recipes(&self, directory: &Path) -> Option<Recipes> {
        let Chosen::Directory { terraform, dir, .. } = &self.connection.to else { return None };
        link_providers(&dir.recipes(), directory).ok()?;
        terraform.recipes(directory, String::new(), self.aws.as_ref()?).ok()
    }

    /// Whether the AWS behind it is known to have a place for resources that were given none.
    pub(crate) fn has_default_place(&self) -> bool {
        self.aws.as_ref().is_some_and(Aws::has_default_place)
    }

    /// Whether the answers come from this machine, so that asking often costs nobody anything.
    pub(crate) fn is_near(&self) -> bool {
        self.link.client().is_ok_and(|client| client.endpoint().is_loopback())
    }

    /// Whether the control plane ends with this command.
    pub(crate) fn ends_with_us(&self) -> bool {
        matches!(self.link, Link::Own { .. })
    }

    /// Notes the operation that is waited for: an interruption leaves it open.
    pub(crate) fn follows(&mut self, id: OperationId) {
        if !self.presence.is_read_only() && !matches!(self.stage, Stage::Watching(_)) {
            self.stage = Stage::Following(id);
        }
        self.outlook.follows();
    }

    /// Notes that nothing is waited for any more.
    pub(crate) fn followed(&mut self) {
        if !matches!(self.stage, Stage::Watching(_)) {
            self.stage = Stage::Reading;
        }
        self.outlook.followed();
    }

    /// The wish to stop, which the caller sees to from now on.
    pub(crate) fn heeds_the_wish_to_stop(&mut self) -> Arc<Wish> {
        self.wish.set(Heed::ByTheWork);
        Arc::clone(&self.wish)
    }

    /// Leaves it to the session again to end the work on a wish to stop.
    pub(crate) fn heeds_no_more(&mut self) {
        self.wish.set(Heed::BySession);
    }

    /// Asks a person; Ctrl-C ends the asking as it ends everything else.
    pub(crate) async fn ask(&mut self, question: &str) -> Said {
        if !self.printer.question(question) {
            return Said::Nothing;
        }
        let read = tokio::task::spawn_blocking(input::read_line).await;
        self.printer.answered();
        match read {
            Ok(Ok(line)) => Said::from_line(&line),
            _ => Said::No,
        }
    }

    /// Notes that from now on an interruption is the end that was meant.
    pub(crate) fn watches(&mut self, exit: Exit) {
        self.stage = Stage::Watching(exit);
    }

    fn interrupted(&self) -> Result<Exit, Failure> {
        let ends = match (&self.link, &self.connection.to) {
            (Link::Own { .. }, Chosen::Directory { dir, .. }) => Some(dir),
            _ => None,
        };
        match self.stage {
            Stage::Watching(exit) => Ok(exit),
            Stage::Reading => Err(explain::stopped()),
            Stage::Writing => Err(explain::stopped_while_writing()),
            Stage::Following(id) => Err(explain::stopped_waiting(id, ends)),
        }
    }

    /// AWS cannot be reached, and what is waited for stays open.
    fn gives_up(&self, outage: &AwsOutage) -> Failure {
        let id = match self.stage {
            Stage::Following(id) => Some(id),
            Stage::Reading | Stage::Writing | Stage::Watching(_) => None,
        };
        explain::aws_out_of_reach(outage, id)
    }

    /// Ends what was started here; what is open goes on with the next start.
    async fn close(&mut self) {
        self.outlook.ask_nothing();
        if let Link::Own { running, .. } = std::mem::replace(&mut self.link, Link::None) {
            running.stop().await;
        }
    }
}

impl Link {
    fn client(&self) -> Result<&Client, CallError> {
        match self {
            Self::Server { client, .. } | Self::Neighbour { client } | Self::Own { client, .. } => {
                Ok(client)
            }
            Self::None => {
                Err(CallError::Stopped(anyhow::anyhow!("a call before the connection").into()))
            }
        }
    }
}

/// Whether a request is answered by "not now", so that it is sent again. A write's answer is its operation's and
/// stays, but for one that was turned away before there was an operation.
fn is_pass(request: &Request, reply: &Reply) -> bool {
    reply.status == 503 && (request.is_read() || is_busy(reply))
}

/// Whether the server had no place for the request, and did nothing.
fn is_busy(reply: &Reply) -> bool {
    reply.status == 503 && reply.body["error"]["code"] == "ServerBusy"
}

/// No server that is well is away for longer.
const LONGEST_AWAY: Duration = Duration::from_secs(10);

/// How long to wait before a request is sent again: as long as the server says, and not all at the same moment.
fn pause_before_again(reply: &Reply, pause: Duration) -> Duration {
    reply.retry_after.map_or(pause, |after| after.min(LONGEST_AWAY) + pause)
}

/// Any number; a fresh id has random bits in it.
fn chance() -> u32 {
    let [.., a, b, c, d] = Uuid::now_v7().into_bytes();
    u32::from_be_bytes([a, b, c, d])
}
