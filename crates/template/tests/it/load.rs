//! Files are loaded as the compiler loads them. The golden test is skipped in a clone without fixtures.

use std::fs;
use std::sync::Arc;

use hangar_template::arm::build;
use hangar_template::deployment::{Inputs, NothingKnown};
use hangar_template::functions::{Argument, Call, Context, Fault, find};
use hangar_template::parameters_file::folders_of;
use hangar_template::program::compile;
use hangar_template::source::Sources;
use hangar_template::value::Value;

use super::corpus::FIXTURES;
use super::language::outputs_of;

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

    fn folder(&self, path: &str) -> Result<Vec<String>, Fault> {
        Err(Fault::call(format!("`{path}` is not listed")))
    }

    fn next_guid(&self) -> Value {
        Value::NULL
    }
}

#[test]
fn files_of_a_folder_are_listed_in_builds_and_deployments() {
    let text = "var files = loadDirectoryFileInfo('./conf', '*.y?ml')\n\
                output first string = files[0].relativePath\n\
                output read object = loadYamlContent('conf/a.yaml')\n\
                output all array = map(files, it => '${it.baseName}${it.extension}')\n";
    let mut sources = Sources::of("deploy/main.bicep", text.as_bytes());
    sources.insert("deploy/conf/b.yaml", &b"x: 1"[..]);
    sources.insert("deploy/conf/a.yaml", &b"list: [yes, 012, 'a']"[..]);
    sources.insert("deploy/conf/c.json", &b"{}"[..]);
    sources.insert("deploy/conf/below/d.yaml", &b"x: 1"[..]);
    let compiled = compile(&sources, "deploy/main.bicep");
    assert_eq!(compiled.problems, []);
    let started = compiled.program.unwrap().start(&Inputs::default());
    assert_eq!(
        outputs_of(&started.deployment.unwrap(), &NothingKnown),
        [
            r#"first="conf/a.yaml""#,
            r#"read={list:["yes",12,"a"]}"#,
            r#"all=["a.yaml.yaml","b.yaml.yaml"]"#
        ]
    );
    let built = build(&sources, "deploy/main.bicep");
    assert_eq!(built.problems, []);
    let json: serde_json::Value = serde_json::from_str(&built.template.unwrap()).unwrap();
    let listed = &json["variables"]["$fxv#0"];
    assert_eq!(listed[1]["relativePath"], "conf/b.yaml");
    assert_eq!(listed[1]["extension"], ".yaml");
    let paths: Vec<String> =
        folders_of(text, "deploy/main.bicep").into_iter().map(|it| it.path).collect();
    assert_eq!(paths, ["deploy/conf"]);
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
