//! The table as a whole: what each function gives, and what is handled around them all.

mod bounds;
mod cases;
mod faults;
mod goldens;
mod lambdas;
mod laws;
mod secrets;
mod unknowns;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::*;
use crate::deployment::GroupFacts;
use crate::value::Because;

/// A context in which everything is known.
struct Fixed {
    inputs: Inputs,
    files: BTreeMap<&'static str, Vec<u8>>,
}

impl Context for Fixed {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn file(&self, path: &str) -> Result<Arc<[u8]>, Fault> {
        let file = self.files.get(path).ok_or_else(|| Fault::call(format!("no file {path}")))?;
        Ok(file.as_slice().into())
    }

    fn folder(&self, path: &str) -> Result<Vec<String>, Fault> {
        let is_in = |it: &&&str| path == "." && !it.contains('/');
        Ok(self.files.keys().filter(is_in).map(|it| (*it).to_owned()).collect())
    }

    fn next_guid(&self) -> Value {
        match self.inputs.seed {
            Some(_) => Value::string("b76a51fc-bd72-4a77-b9a2-3c29e7d2e551"),
            None => Value::unknown(Some(Kind::String), Because::Moment),
        }
    }
}

/// The 5th of March 2019, 17:53:18.5.
const NOW: i64 = 1_551_808_398_500_000;

fn context() -> Fixed {
    let group = GroupFacts {
        id: "/planes/radius/local/resourceGroups/shop".into(),
        name: "shop".into(),
        location: "eu-west-1".into(),
        tags: BTreeMap::from([("team".into(), "blue".into())]),
    };
    let inputs = Inputs {
        group,
        name: "app".into(),
        account: Some("123456789012".parse().unwrap()),
        region: Some("eu-west-1".parse().unwrap()),
        now: Some(NOW),
        seed: Some(1),
        ..Inputs::default()
    };
    let files = BTreeMap::from([
        ("a.txt", b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9fe\r\n".to_vec()),
        ("latin.txt", b"gr\xfc\xdfe".to_vec()),
        ("wide.txt", b"\xff\xfea\0\xfc\0".to_vec()),
        ("big.txt", b"\xfe\xff\0a\0\xfc".to_vec()),
        ("a.json", br#"{"a": [1, 2.50], /* c */ "b c": {"d": null}}"#.to_vec()),
        ("a.yaml", b"a: 1\na: 2\n".to_vec()),
        ("long.txt", vec![b'x'; 200_000]),
    ]);
    Fixed { inputs, files }
}

/// A function by its name, `aws.` in front of those of that namespace.
fn function(name: &str) -> &'static Function {
    match name.split_once('.') {
        Some((namespace, name)) => find(Some(namespace), name),
        None => find(None, name),
    }
    .unwrap_or_else(|| panic!("there is no {name}"))
}

fn call_in(
    context: &Fixed,
    name: &str,
    arguments: impl IntoIterator<Item = Value>,
) -> Result<Value, Fault> {
    let arguments = arguments.into_iter().map(Argument::Value).collect();
    function(name).call(Call { arguments, context })
}

fn call(name: &str, arguments: impl IntoIterator<Item = Value>) -> Result<Value, Fault> {
    call_in(&context(), name, arguments)
}

/// A call with arguments from a JSON list, and its result as JSON.
fn evaluated(name: &str, arguments: &Json) -> Result<Json, Fault> {
    let arguments: Vec<_> =
        arguments.as_array().unwrap().iter().map(|it| Value::from_json(it, false)).collect();
    call(name, arguments).map(|it| it.to_json().unwrap())
}

fn message(fault: &Fault) -> &str {
    match fault {
        Fault::Wrong { message, .. } => message,
        Fault::Inner(_) => "inside",
    }
}

#[test]
fn every_function_says_how_it_is_called() {
    for function in all() {
        assert!(function.description.ends_with('.'), "{}", function.name);
        assert!(function.signature().contains(&format!("{}(", function.name)));
        assert!(function.least <= function.parameters.len());
        assert!(function.most.is_none_or(|most| most == function.parameters.len()));
    }
    assert_eq!(function("split").signature(), "split(text string, delimiter string | array) array");
    assert_eq!(
        function("padLeft").signature(),
        "padLeft(value string | int, length int, [character string]) string"
    );
    assert_eq!(function("aws.region").signature(), "aws.region() string");
    assert_eq!(function("guid").signature(), "guid(...texts string) string");
}

#[test]
fn a_name_is_found_in_its_namespace() {
    assert!(find(Some("sys"), "split").is_some() && find(Some("az"), "split").is_none());
    assert!(find(Some("az"), "resourceGroup").is_some() && find(None, "resourceGroup").is_some());
    assert!(find(Some("aws"), "region").is_some() && find(None, "region").is_none());
    assert!(find(None, "Split").is_none() && find(Some("x"), "split").is_none());
    let mut seen = std::collections::BTreeSet::new();
    for function in all() {
        assert!(seen.insert((function.namespace.as_str(), function.name)), "{}", function.name);
    }
    assert!(names().any(|it| it == "split") && names().all(|it| it != "accountId"));
}

#[test]
fn all_of_the_two_waves_are_there() {
    for name in "uniqueString guid newGuid resourceGroup subscription deployment union concat empty \
        contains length split join replace toLower toUpper substring take skip first last indexOf \
        lastIndexOf startsWith endsWith trim padLeft format string int bool json array any range \
        items objectKeys base64 base64ToString utcNow loadTextContent loadJsonContent min max map \
        filter reduce sort toObject mapValues groupBy flatten intersection distinct shallowMerge \
        cidrSubnet cidrHost parseCidr loadYamlContent loadFileAsBase64 loadDirectoryFileInfo dataUri \
        dataUriToString uri uriComponent uriComponentToString buildUri parseUri dateTimeAdd \
        dateTimeFromEpoch dateTimeToEpoch fail like base64ToJson aws.accountId aws.region \
        aws.partition aws.availabilityZones aws.arn"
        .split_whitespace()
    {
        function(name);
    }
}
