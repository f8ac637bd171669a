//! A caller that speaks Cloud Control's JSON to a world in this process.

use hangar_schema::Catalog;
use hangar_simulator::core::place::Place;
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::time::{SpanRange, Timestamp};
use hangar_simulator::core::world::{Outcome, World};
use hangar_simulator::wire::json;
use hangar_simulator::wire::query::{self, QueryCall};
use serde_json::{Value, json};

/// One account in one region of a world whose clock this caller moves.
pub(crate) struct Caller {
    pub(crate) world: World,
    pub(crate) place: Place,
    pub(crate) now: u64,
}

/// The name of an exception and its message.
pub(crate) type Refused = (String, String);

impl Caller {
    /// A world in which nothing takes time.
    pub(crate) fn new() -> Self {
        Self::with(Settings {
            latency: "0..0".parse::<SpanRange>().unwrap(),
            ..Settings::default()
        })
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let world = World::new(Catalog::bundled(), settings);
        let place = Place::of_caller("123456789012", "eu-west-1");
        Self { world, place, now: 1_800_000_000_000 }
    }

    pub(crate) fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.now)
    }

    /// One call; a dropped answer is an exception called `dropped`.
    pub(crate) fn call(&mut self, operation: &str, body: &Value) -> Result<Value, Refused> {
        let refused = |exception: &str, message: &str| (exception.to_owned(), message.to_owned());
        let target = format!("CloudApiService.{operation}");
        let name = json::read_target(&target)
            .map_err(|refusal| refused(refusal.exception.as_str(), &refusal.message))?;
        let call = json::read_call(name, body.to_string().as_bytes())
            .map_err(|refusal| refused(refusal.exception.as_str(), &refusal.message))?;
        match self.world.call(&self.place, &call, self.wall()).outcome {
            Outcome::Answered(Ok(reply)) => {
                Ok(serde_json::from_str(&json::write_reply(&reply)).unwrap())
            }
            Outcome::Answered(Err(refusal)) => {
                Err(refused(refusal.exception.as_str(), &refusal.message))
            }
            Outcome::Dropped => Err(refused("dropped", "")),
        }
    }

    /// The end of a write: its event, whatever the status.
    pub(crate) fn finish(&mut self, operation: &str, body: &Value) -> Result<Value, Refused> {
        let begun = self.call(operation, body)?;
        let token = begun["ProgressEvent"]["RequestToken"].clone();
        let ended = self.call("GetResourceRequestStatus", &json!({"RequestToken": token}))?;
        Ok(ended["ProgressEvent"].clone())
    }

    /// A write that succeeds; gives the identifier.
    pub(crate) fn succeed(&mut self, operation: &str, body: &Value) -> Result<String, Refused> {
        let event = self.finish(operation, body)?;
        if event["OperationStatus"] != "SUCCESS" {
            return Err((event["ErrorCode"].to_string(), event["StatusMessage"].to_string()));
        }
        Ok(event["Identifier"].as_str().unwrap_or_default().to_owned())
    }

    /// The properties of a resource.
    pub(crate) fn read(&mut self, type_name: &str, identifier: &str) -> Result<Value, Refused> {
        let body = json!({"TypeName": type_name, "Identifier": identifier});
        let answer = self.call("GetResource", &body)?;
        let text = answer["ResourceDescription"]["Properties"].as_str().unwrap_or_default();
        Ok(serde_json::from_str(text).unwrap())
    }

    /// One call about stacks over the Query protocol; gives the XML, or the code and the message.
    pub(crate) fn stacks(
        &mut self,
        action: &str,
        parameters: &[(&str, &str)],
    ) -> Result<String, Refused> {
        let form = form(action, parameters);
        let call = QueryCall::parse(form.as_bytes())
            .map_err(|error| (error.code().to_owned(), error.to_string()))?;
        let QueryCall::Stack(asked) = &call else { panic!("{action} is about stacks") };
        match self.world.call_stacks(&self.place, asked, self.wall()).outcome {
            Outcome::Answered(Ok(found)) => Ok(query::shown(&call, &found, "r-1").body),
            Outcome::Answered(Err(refusal)) => {
                Err((refusal.exception.as_str().to_owned(), refusal.message))
            }
            Outcome::Dropped => Err(("dropped".to_owned(), String::new())),
        }
    }
}

/// The body of a call about stacks.
pub(crate) fn form(action: &str, parameters: &[(&str, &str)]) -> String {
    let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", escape(value)));
    let head = [format!("Action={action}"), "Version=2010-05-15".to_owned()];
    head.into_iter().chain(pairs).collect::<Vec<_>>().join("&")
}

fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The texts of all elements of this name, in order.
pub(crate) fn texts(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    xml.split(&open)
        .skip(1)
        .filter_map(|rest| rest.split_once(&close))
        .map(|(text, _)| {
            text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
        })
        .collect()
}

/// The text of the first element of this name.
pub(crate) fn text(xml: &str, name: &str) -> String {
    texts(xml, name).into_iter().next().unwrap_or_else(|| panic!("no {name} in {xml}"))
}
