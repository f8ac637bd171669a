//! Files in every encoding are loaded as the compiler loaded them; skipped in a clone without fixtures.

use std::fs;
use std::sync::Arc;

use hangar_template::deployment::Inputs;
use hangar_template::functions::{Argument, Call, Context, Fault, find};
use hangar_template::value::Value;

use super::corpus::FIXTURES;

/// A folder of the fixtures, and nothing known beside.
struct Folder {
    path: String,
    inputs: Inputs,
}

impl Context for Folder {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn file(&self, path: &str) -> Result<Arc<[u8]>, Fault> {
        let read = fs::read(format!("{}/{path}", self.path));
        read.map(Into::into).map_err(|error| Fault::call(error.to_string()))
    }

    fn next_guid(&self) -> Value {
        Value::NULL
    }
}

#[test]
fn what_is_loaded_is_what_the_compiler_wrote() {
    let path = format!("{FIXTURES}/compile-baseline/LoadFunctions_CRLF");
    let Ok(golden) = fs::read_to_string(format!("{path}/main.json")) else { return };
    let golden: serde_json::Value = serde_json::from_str(&golden).unwrap();
    let loaded: Vec<_> = golden["variables"].as_object().unwrap().values().collect();
    let context = Folder { path, inputs: Inputs::default() };
    for (name, arguments) in [
        ("loadTextContent", &["Assets/TextFile.CRLF.txt"][..]),
        ("loadTextContent", &["Assets/TextFile.LF.txt"]),
        ("loadTextContent", &["Assets/encoding-ascii.txt", "us-ascii"]),
        ("loadTextContent", &["Assets/encoding-iso.txt", "iso-8859-1"]),
        ("loadTextContent", &["Assets/encoding-utf8.txt", "utf-8"]),
        ("loadTextContent", &["Assets/encoding-utf8-bom.txt", "utf-8"]),
        ("loadTextContent", &["Assets/encoding-utf16.txt", "utf-16"]),
        ("loadTextContent", &["Assets/encoding-utf16be.txt", "utf-16BE"]),
        ("loadTextContent", &["./Assets/test.json.txt"]),
        ("loadFileAsBase64", &["Assets/binary"]),
        ("loadJsonContent", &["./Assets/test.json.txt"]),
        ("loadJsonContent", &["./Assets/test.json.txt", ".object.nestedString"]),
        ("loadJsonContent", &["./Assets/test.json.txt", ".array[0]"]),
    ] {
        let values = arguments.iter().map(|it| Argument::Value(Value::string(*it))).collect();
        let function = find(None, name).unwrap();
        let value = function.call(Call { arguments: values, context: &context }).unwrap();
        let value = value.to_json().unwrap();
        assert!(loaded.contains(&&value), "{name}{arguments:?} is {value}");
    }
}
