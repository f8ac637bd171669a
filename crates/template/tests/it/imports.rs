//! Functions that templates declare, and what files take from each other.

use std::collections::BTreeMap;

use hangar_template::deployment::NothingKnown;
use hangar_template::parameters_file::{files_of, parameters_file};
use serde_json::json;

use crate::language::{assert_told, outputs, outputs_of, problems, problems_with};
use crate::project::Project;

#[test]
fn functions_are_called_with_values_and_see_constants_and_each_other() {
    let text = "\
var scheme = 'https'
func url(host string, port int?) string => '${scheme}://${host}${port == null ? '' : ':${port}'}'
func urls(hosts string[], port int) string[] => map(hosts, host => url(host, port))
@description('Twice.')
func twice(x int) int => x * 2
output a array = urls(['a', 'b'], twice(40))
output b string = url('c', null)
output c array = map(range(1, 3), i => twice(i))
";
    assert_eq!(
        outputs(text, &json!({})),
        [r#"a=["https://a:80","https://b:80"]"#, r#"b="https://c""#, "c=[2,4,6]"]
    );
}

#[test]
fn secrets_and_unknowns_go_through_functions() {
    let text = "\
extension aws
@secure()
param s string
resource r 'AWS.S3/Bucket@default' = { alias: 'r' }
func f(a string, b string) object => { a: a, b: 'x-${b}' }
@secure()
output o object = f(s, r.id)
output p string = f('a', r.id).b
";
    assert_eq!(outputs(text, &json!({"s": "hush"})), [r#"o=*{a:*"hush",b:*«r/id»}"#, "p=«r/id»"]);
}

#[test]
fn what_is_wrong_with_a_function_or_a_call_is_told() {
    for (text, told) in [
        (
            "func f(a string) string => f(a)\n",
            "error[BCP079]: the declaration references itself @ f",
        ),
        (
            "func f() int => g()\nfunc g() int => f()\n",
            "error[BCP080]: the declarations form a cycle: `f -> g -> f` @ g (break the cycle: use a literal or a parameter in one of the declarations)",
        ),
        (
            "param p int\nfunc f() int => p\n",
            "error[BCP057]: a function cannot reference a parameter @ p (a function can use its parameters, other functions and constants; pass the value as another argument)",
        ),
        (
            "param p int\nvar v = p\nfunc f() int => v\n",
            "error[BCP057]: a function cannot reference a variable that is not constant @ v (a function can use its parameters, other functions and constants; pass the value as another argument)",
        ),
        (
            "func f(a int) string => a\n",
            "error[BCP033]: the result of `f`: expected `string`, found `int` @ a",
        ),
        (
            "func f(a int) int => a\noutput o int = f('x')\n",
            "error[BCP070]: the argument `a` of `f`: expected `int`, found `string` @ 'x'",
        ),
        (
            "func f(a int) int => a\noutput o int = f()\n",
            "error[BCP071]: `f` expects 1 argument, found 0 @ ()",
        ),
        (
            "func f(a int) int => a\noutput o int = f(x => x)\n",
            "error[BCP070]: `f` does not accept a lambda @ x => x",
        ),
        (
            "func f(a int) int => a\nvar v = f\n",
            "error[BCP063]: `f` is a function, not a value @ f",
        ),
        (
            "func f(a int) int => a\noutput o string = f(1)\n",
            "error[BCP033]: the output `o`: expected `string`, found `int` @ f(1)",
        ),
        ("func f(a int, a int) int => a\n", "error[BCP028]: `a` is declared twice @ a"),
        (
            "func f(a { x: int }) int => a.x\noutput o int = f({ x: 'y' })\n",
            "error[BCP070]: the argument `a` of `f`: expected `int` at `x`, found `string` @ 'y'",
        ),
    ] {
        let found = problems(text);
        assert_told(found.get(..1).unwrap_or_default(), &[told], text);
    }
    let text = "param p object\nfunc f(a { x: int }) int => a.x\noutput o int = f(p)\n";
    assert_eq!(
        problems_with(text, &json!({"p": {"x": "y"}})),
        [
            "error[BCP070]: the argument `a` of `f`: expected `int` at `x`, found `string` @ p (write a number, such as `1`)"
        ]
    );
}

const SHARED: &str = "\
@export()
type size = 'small' | 'large'
@export()
var sizes = { small: count, large: 10 * count }
var count = 1
@export()
@description('How many.')
func many(size size) int => sizes[size]
@export()
func tagged(name string) object => { Name: name, Text: loadTextContent('note.txt') }
func hidden() int => 1
";

#[test]
fn names_are_imported_one_by_one_or_all_at_once() {
    let main = "\
import { size, many as howMany, sizes } from './lib/shared.bicep'
import * as shared from './lib/shared.bicep'
param s size = 'large'
param t shared.size = 'small'
output a int = howMany(s)
output b int = shared.many(t) + shared.sizes.large
output c object = shared.tagged('x')
output d object = sizes
";
    let project = Project::of(&[
        ("main.bicep", main),
        ("lib/shared.bicep", SHARED),
        ("lib/note.txt", "from the library"),
    ]);
    assert_eq!(
        outputs_of(&project.deployed(&json!({})), &NothingKnown),
        ["a=10", "b=11", r#"c={Name:"x",Text:"from the library"}"#, "d={large:10,small:1}"]
    );
    assert_eq!(
        project.problems_with(&json!({"s": "medium"})),
        [
            "main.bicep: error[BCP260]: the value of `s` (`\"medium\"`): expected `'small' | 'large'`, found `string` @ s (write one of `'small'`, `'large'`)"
        ]
    );
}

#[test]
fn what_is_wrong_with_an_import_is_told() {
    for (main, told) in [
        (
            "import { size, hiden, hidden, manny } from 'shared.bicep'\n",
            &[
                "main.bicep: error[BCP360]: the export `hiden` does not exist in `shared.bicep` @ hiden",
                "main.bicep: error[BCP360]: `hidden` in `shared.bicep` is not exported @ hidden (write `@export()` before it in `shared.bicep`)",
                "main.bicep: error[BCP360]: the export `manny` does not exist in `shared.bicep` @ manny (did you mean `many`?)",
            ][..],
        ),
        (
            "import * as s from 'shared.bicep'\noutput o int = s.meny('small')\nparam p s.sizze\nvar v = s\nvar w = s.size\nvar x = s.sizes.small\n",
            &[
                "main.bicep: error[BCP360]: the export `meny` does not exist in `shared.bicep` @ meny (did you mean `many`?)",
                "main.bicep: error[BCP360]: the export `sizze` does not exist in `shared.bicep` @ sizze (did you mean `size`?)",
                "main.bicep: error[BCP063]: `s` is an imported file, not a value @ s",
                "main.bicep: error[BCP288]: `size` is a type, not a value @ size",
            ],
        ),
        (
            "import { size } from 'shared.bicep'\nvar size = 1\n",
            &[
                "main.bicep: error[BCP028]: `size` is declared 2 times @ size / size",
                "main.bicep: error[BCP028]: `size` is declared 2 times @ size / size",
            ],
        ),
        (
            "import { x } from 'main.bicep'\n",
            &["main.bicep: error[BCP094]: the file references itself @ 'main.bicep'"],
        ),
        (
            "import { x } from '${'shared.bicep'}'\n",
            &[
                "main.bicep: error[BCP092]: the path of a file cannot be computed @ '${'shared.bicep'}'",
            ],
        ),
        (
            "param p string\n@export()\nvar v = p\n",
            &[
                "main.bicep: error[BCP372]: `v` is exported, but depends on a parameter, a resource or a module @ v (export only constants, or export a function that computes the value from its arguments)",
            ],
        ),
    ] {
        let project =
            Project::of(&[("main.bicep", main), ("shared.bicep", SHARED), ("note.txt", "")]);
        assert_told(&project.problems(), told, main);
    }
}

#[test]
fn a_mistake_in_an_imported_file_is_told_there_and_only_once() {
    let main = "import { f } from 'lib.bicep'\noutput o int = f(1)\noutput p int = f(2)\n";
    let lib = "@export()\nfunc f(a int) int => a / zero\nvar zero = 0\n";
    let project = Project::of(&[("main.bicep", main), ("lib.bicep", lib)]);
    let divided = "lib.bicep: error[TMPL0005]: division by zero @ a / zero";
    assert_told(&project.problems(), &[divided], lib);
    let lib = "@export()\nfunc f(a int) int => a + missing\n";
    let project = Project::of(&[("main.bicep", main), ("lib.bicep", lib)]);
    let missing = "lib.bicep: error[BCP057]: the name `missing` is not declared @ missing";
    assert_told(&project.problems(), &[missing], lib);
}

#[test]
fn a_parameters_file_extends_another_and_imports_constants() {
    let base = "using none\nparam size = 1\nparam name = 'base'\nparam env = readEnvironmentVariable('E')\n";
    let file = "\
using 'main.bicep'
extends '../base.bicepparam'
import { sizes } from '../shared.bicep'
param size = sizes.large
";
    let project = Project::of(&[
        ("env/prod.bicepparam", file),
        ("base.bicepparam", base),
        ("shared.bicep", SHARED),
        ("note.txt", ""),
    ]);
    let environment = BTreeMap::from([("E".to_owned(), "x".to_owned())]);
    let read = parameters_file(&project.0, "env/prod.bicepparam", &environment);
    assert_eq!(project.told(&read.problems), Vec::<String>::new());
    assert_eq!(read.using.as_deref(), Some("env/main.bicep"));
    assert_eq!(json!(read.values), json!({"size": 10, "name": "base", "env": "x"}));
    assert_eq!(
        files_of(file, "env/prod.bicepparam"),
        ["base.bicepparam", "env/main.bicep", "shared.bicep"]
    );
}

#[test]
fn what_is_wrong_with_what_is_extended_is_told_with_its_file() {
    for (file, base, told) in [
        (
            "using none\nextends 'b.bicepparam'\n",
            "extends 'a.bicepparam'\n",
            "b.bicepparam: error[TMPL0043]: the files extend each other in a cycle: `a.bicepparam` → `b.bicepparam` → `a.bicepparam` @ 'a.bicepparam'",
        ),
        (
            "using none\nextends 'b.bicepparam'\nextends 'c.bicepparam'\n",
            "using none\n",
            "a.bicepparam: error[TMPL0043]: a parameter file can extend only one other file @ extends 'c.bicepparam'",
        ),
        (
            "using none\nextends '../b.bicepparam'\n",
            "using none\n",
            "a.bicepparam: error[TMPL0043]: the path must be a literal, relative and inside the project @ '../b.bicepparam'",
        ),
        (
            "using none\nextends 'b.bicepparam'\n",
            "using none\nparam x = 1 / 0\n",
            "b.bicepparam: error[TMPL0005]: division by zero @ 1 / 0",
        ),
    ] {
        let project = Project::of(&[("a.bicepparam", file), ("b.bicepparam", base)]);
        let read = parameters_file(&project.0, "a.bicepparam", &BTreeMap::new());
        assert_told(&project.told(&read.problems), &[told], file);
    }
}
