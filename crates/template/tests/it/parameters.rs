//! Parameters that are given, and files that give them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hangar_template::parameters_file::{environment_of, files_of, parameters_file};
use hangar_template::source::Sources;
use serde_json::{Value as Json, json};

use crate::corpus::FIXTURES;
use crate::language::{
    assert_told, compiled, deployed, inputs, outputs, outputs_of, problems_with, started, told,
};

#[test]
fn given_values_are_checked_and_named() {
    let text = "\
param s string
param i int
param b bool = true
param u ('a' | 'b')?
param l string[] = []
@secure()
@minLength(5)
param p string = 'long enough'
@maxValue(9)
param m int = 1
";
    let right = json!({"s": "x", "i": 3, "u": "a", "l": ["y"], "p": "secret", "m": 9});
    assert_eq!(problems_with(text, &right), [""; 0]);
    let wrong = json!({"s": 1, "i": "canary", "b": null, "u": "c", "l": ["y", 2], "p": "cana", "m": 10, "tt": 1, "ss": 1});
    let found = problems_with(text, &wrong);
    let expected = [
        "error[BCP259]: a value is set for `ss`, but the template has no parameter with that name @ ",
        "error[BCP259]: a value is set for `tt`, but the template has no parameter with that name @ ",
        "error[BCP260]: the value of `s` (`1`): expected `string`, found `int` @ s",
        "error[BCP260]: the value of `i` (`\"canary\"`): expected `int`, found `string` @ i",
        "error[BCP260]: the value of `b` (`null`): expected `bool`, found `null` @ b",
        "error[BCP260]: the value of `u` (`\"c\"`): expected `'a' | 'b'`, found `string` @ u",
        "error[BCP260]: the value of `l` (`[\"y\", 2]`): expected `string` at `[1]`, found `int` @ l",
        "error[BCP333]: the value of `p` has 4 characters, but the minimum is 5 @ p",
        "error[BCP327]: the value of `m` (`10`) is greater than 9 @ m",
    ];
    assert_told(&found, &expected, text);
    let near = problems_with("param name string = ''\n", &json!({"nmae": 1}));
    assert_eq!(
        near,
        [
            "error[BCP259]: a value is set for `nmae`, but the template has no parameter with that name @ name (did you mean `name`?)"
        ]
    );
    // A decimal is no int, and what is secret is not shown.
    let decimal: Json = serde_json::from_str("{\"i\": 1.5}").unwrap();
    assert_eq!(
        problems_with("param i int\n", &decimal),
        [
            "error[BCP260]: the value of `i` (`1.5`): expected `int`, found a decimal number @ i (write a whole number)"
        ]
    );
    let found = problems_with("@secure()\nparam p object\n", &json!({"p": "canary"}));
    assert_eq!(
        found,
        [
            "error[BCP260]: the value of `p`: expected `object`, found `string` @ p (write an object in braces: `{ name: value }`)"
        ]
    );
}

#[test]
fn parameters_tell_what_they_are() {
    let text = "@description('what')\n@allowed(['a'])\nparam a string = 'a'\n@secure()\nparam b object\nparam c int?\nparam d any = 1\n";
    let program = compiled(text).program.unwrap();
    let told: Vec<_> = program
        .parameters()
        .iter()
        .map(|it| {
            format!(
                "{} {:?} {} secure={} default={} {:?}",
                it.name,
                it.kind.map(hangar_template::value::Kind::as_str),
                it.type_text,
                it.secure,
                it.has_default,
                it.description
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            r#"a Some("string") string secure=false default=true Some("what")"#,
            r#"b Some("object") object secure=true default=false None"#,
            r#"c Some("int") int? secure=false default=true None"#,
            "d None any secure=false default=true None",
        ]
    );
}

#[test]
fn a_parameter_is_secure_where_its_type_holds_anything_that_is() {
    let text = "\
@secure()
type pw = string
type creds = { user: string, @secure() pass: string }
type tree = { left: tree?, right: tree?, leaf: string }
type vault = { door: vault?, in: creds[] }
param a pw
param b pw?
param c creds
param d creds[]
param e { *: pw }
param f [string, pw]
param g vault
param h creds.pass
param i creds.user
param j tree
param k string[]
param l vault.in[*]
";
    let program = compiled(text).program.unwrap();
    let secure = |secure: bool| {
        let all = program.parameters().iter().filter(|it| it.secure == secure);
        all.map(|it| &*it.name).collect::<String>()
    };
    assert_eq!((secure(true).as_str(), secure(false).as_str()), ("abcdefghl", "ijk"));
    // The same when it was built.
    let sources = Sources::of("main.bicep", text.as_bytes());
    let built = hangar_template::arm::build(&sources, "main.bicep").template.unwrap();
    let sources = Sources::of("main.json", built.into_bytes());
    let program = hangar_template::program::compile(&sources, "main.json").program.unwrap();
    let again: Vec<bool> = program.parameters().iter().map(|it| it.secure).collect();
    assert_eq!(again.iter().filter(|it| **it).count(), 9);
}

#[test]
fn defaults_use_parameters_variables_and_functions_and_are_evaluated_once() {
    let text = "\
param a string = '${b}-${v}'
param b string = toUpper('b')
var v = length(b)
param id string = newGuid()
param other string = newGuid()
param when string = utcNow('yyyy')
output o array = [a, when, id == id, id == other]
";
    assert_eq!(outputs(text, &json!({})), [r#"o=["B-1","2026",true,false]"#]);
    assert_eq!(outputs(text, &json!({"b": "x"})), [r#"o=["x-1","2026",true,false]"#]);
    // The same inputs, the same deployment.
    let ids = "param id string = newGuid()\noutput id string = id\n";
    assert_eq!(outputs(ids, &json!({})), outputs(ids, &json!({})));
    let look = hangar_template::deployment::Inputs::default();
    let deployment = started(ids, &look).deployment.unwrap();
    let known = &hangar_template::deployment::NothingKnown;
    assert_eq!(outputs_of(&deployment, known), ["id=«moment»"]);
}

#[test]
fn a_secure_parameter_is_secret_in_all_its_parts() {
    let text =
        "@secure()\nparam p object\n@secure()\noutput a object = p\noutput b int = length(['x'])\n";
    let deployment = deployed(text, &json!({"p": {"a": ["canary"]}}));
    let known = &hangar_template::deployment::NothingKnown;
    assert_eq!(outputs_of(&deployment, known)[0], r#"a=*{a:*[*"canary"]}"#);
    assert!(!format!("{deployment:?}").contains("canary"));
}

fn file(text: &str, environment: &[(&str, &str)]) -> (Option<String>, Json, Vec<String>) {
    let environment: BTreeMap<String, String> =
        environment.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned())).collect();
    let sources = Sources::of("env/dev.bicepparam", text.as_bytes());
    let file = parameters_file(&sources, "env/dev.bicepparam", &environment);
    let values = serde_json::to_value(&file.values).unwrap();
    (file.using, values, told(text, &file.problems))
}

#[test]
fn a_parameters_file_gives_values() {
    let text = "\
using '../main.bicep'
var base = { a: [1, true, null], b: readEnvironmentVariable('NAME', 'none') }
param one = base
param two = '${base.b}-${toUpper('x')}'
param three = one.a[0] + 1
param four = readEnvironmentVariable('HOME')
";
    let (using, values, problems) = file(text, &[("HOME", "/root")]);
    assert_eq!(problems, [""; 0]);
    assert_eq!(using.as_deref(), Some("main.bicep"));
    assert_eq!(
        values,
        json!({"one": {"a": [1, true, null], "b": "none"}, "two": "none-X", "three": 2, "four": "/root"})
    );
    assert_eq!(environment_of(text), ["HOME", "NAME"]);
    assert_eq!(files_of(text, "env/dev.bicepparam"), ["main.bicep"]);
}

#[test]
fn what_is_wrong_with_a_parameters_file_is_told() {
    for (text, wanted) in [
        (
            "param a = 1\n",
            "error[BCP261]: the parameter file has no `using` declaration @  (write `using 'main.bicep'` or `using none` at the top of the file)",
        ),
        (
            "using none\nusing 'a.bicep'\n",
            "error[BCP262]: the parameter file has more than one `using` declaration @ using 'a.bicep'",
        ),
        (
            "using '../../a.bicep'\n",
            "error[BCP091]: the path of the template must be a literal, relative and inside the project @ '../../a.bicep'",
        ),
        (
            "using none\nparam a = readEnvironmentVariable('NOPE')\n",
            "error[BCP427]: the environment variable `NOPE` is not set @ 'NOPE' (set it, or pass a default as the second argument)",
        ),
        (
            "using none\nextends 'a.bicepparam'\n",
            "error[TMPL0043]: the file `env/a.bicepparam` was not found @ 'a.bicepparam'",
        ),
        (
            "using none\nimport { a } from 'b.bicep'\nparam x = a\n",
            "error[BCP091]: the file `env/b.bicep` was not found @ 'b.bicep'",
        ),
        (
            "using none\nparam x = externalInput('a', 'b')\n",
            "error[TMPL0010]: the value of `externalInput` comes from the tool that deploys to Azure, not from Hangar @ externalInput \
             (write `readEnvironmentVariable('NAME')`, or pass the value with `-p NAME=VALUE`; \
             `hangar build-params` supports it for Azure)",
        ),
        (
            "using none\nparam x = az.getSecret('a', 'b', 'c', 'd')\n",
            "error[TMPL0010]: only Azure can read the secrets of a key vault @ getSecret \
             (write `readEnvironmentVariable('NAME')`, or pass the value with `-p NAME=env:VARIABLE`; \
             `hangar build-params` supports it for Azure)",
        ),
        (
            "using none\nparam x = newGuid()\n",
            "error[BCP065]: `newGuid` can only be used in the default of a parameter @ newGuid (its value changes on every call; declare a parameter with this default and use the parameter)",
        ),
        ("using none\nparam x = y\n", "error[BCP057]: the name `y` is not declared @ y"),
        ("using none\nparam x = 1 / 0\n", "error[TMPL0005]: division by zero @ 1 / 0"),
    ] {
        assert_told(&file(text, &[]).2, &[wanted], text);
    }
    assert_eq!(file("using none\n", &[]), (None, json!({}), Vec::new()));
}

#[test]
fn files_that_functions_read_are_named() {
    let text = "var a = loadTextContent('a.txt')\nvar b = sys.loadJsonContent('../b.json')\nvar c = loadFileAsBase64('${a}')\nvar d = loadTextContent('../../x')\n";
    assert_eq!(files_of(text, "deploy/main.bicep"), ["b.json", "deploy/a.txt"]);
    let mut sources = Sources::of("deploy/main.bicep", "output a string = loadTextContent('a.txt')\noutput b object = loadJsonContent('../b.json')\n".as_bytes());
    sources.insert("deploy/a.txt", "hello".as_bytes());
    sources.insert("b.json", r#"{"c": 1}"#.as_bytes());
    let compiled = hangar_template::program::compile(&sources, "deploy/main.bicep");
    let deployment = compiled.program.unwrap().start(&inputs(&json!({}))).deployment.unwrap();
    let known = &hangar_template::deployment::NothingKnown;
    assert_eq!(outputs_of(&deployment, known), [r#"a="hello""#, "b={c:1}"]);
}

/// Bicep's own parameters files, against what its compiler makes of them.
#[test]
fn the_fixtures_give_the_values_that_bicep_gives() {
    let folder = Path::new(FIXTURES).join("params");
    let Ok(cases) = fs::read_dir(folder) else {
        println!("skipped: the_fixtures_give_the_values_that_bicep_gives (no ../shared)");
        return;
    };
    let mut equal = 0;
    for case in cases {
        let folder = case.unwrap().path();
        let mut sources = Sources::default();
        for file in fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            sources.insert(name, fs::read(&path).unwrap());
        }
        // Secrets of a vault and inputs of the tool that deploys are not supported.
        let text = sources.text("parameters.bicepparam").unwrap();
        let lines = text
            .lines()
            .filter(|it| !it.starts_with("param kvSecret") && !it.starts_with("  externalInput"));
        let text = lines.collect::<Vec<_>>().join("\n");
        sources.insert("parameters.bicepparam", text.as_bytes());
        let environment = [
            ("stringEnvVariableName", "test"),
            ("intEnvVariableName", "100"),
            ("boolEnvironmentVariable", "true"),
        ];
        let environment =
            environment.map(|(name, it)| (name.to_owned(), it.to_owned())).into_iter().collect();
        let file = parameters_file(&sources, "parameters.bicepparam", &environment);
        assert_eq!(told(&text, &file.problems), [""; 0], "{}", folder.display());
        let golden: Json = serde_json::from_str(sources.text("parameters.json").unwrap()).unwrap();
        let golden = golden["parameters"].as_object().unwrap();
        for (name, wanted) in golden.iter().filter(|(name, _)| !name.starts_with("kvSecret")) {
            assert_eq!(file.values.get(name), wanted.get("value"), "{name}");
            equal += 1;
        }
    }
    assert!(equal >= 28, "only {equal} values");
}
