//! Declared types: what fits them, and what is told of what does not.

use std::fmt::Write as _;

use serde_json::json;

use crate::language::{assert_told, outputs, problems, problems_with};
use crate::project::Project;

const TYPES: &str = "\
@sealed()
type Tag = {
  @minLength(1)
  key: string
  value: string?
}
type Kind = 'web' | 'worker'
type Tree = { name: string, children: Tree[]?, parent: Tree? }
@discriminator('type')
type Rule = { type: 'port', port: int } | { type: 'range', from: int, to: int }
type Pair = [string, int]
type Labels = { *: string }
type port = Rule
";

fn with_types(rest: &str) -> String {
    format!("{TYPES}{rest}")
}

#[test]
fn values_that_fit_are_taken_as_they_are() {
    let text = with_types(
        "\
param tags Tag[]
param kind Kind
param tree Tree
param rules Rule[]
param pair Pair
param labels Labels
param maybe { a: int, b: { c: string }? }?
param first Tag.key
param second Pair[1]
param label Labels.*
param one Pair[] = [['a', 1]]
output o array = [tags, kind, tree, rules, pair, labels, maybe, first, second, label, one]
",
    );
    let values = json!({
        "tags": [{"key": "a"}, {"key": "b", "value": null}],
        "kind": "web",
        "tree": {"name": "r", "children": [{"name": "c", "children": []}], "other": 1},
        "rules": [{"type": "port", "port": 1}, {"type": "range", "from": 1, "to": 2}],
        "pair": ["x", 1],
        "labels": {"a": "b"},
        "maybe": {"a": 1, "b": null},
        "first": "k",
        "second": 3,
        "label": "l",
    });
    assert_eq!(
        outputs(&text, &values),
        [concat!(
            r#"o=[[{key:"a"},{key:"b",value:null}],"web","#,
            r#"{children:[{children:[],name:"c"}],name:"r",other:1},"#,
            r#"[{port:1,type:"port"},{from:1,to:2,type:"range"}],["x",1],{a:"b"},{a:1,b:null},"k",3,"l",[["a",1]]]"#
        )]
    );
}

#[test]
fn values_that_do_not_fit_are_told_with_the_path_to_the_part() {
    let text = with_types(
        "\
param tags Tag[] = []
param kind Kind = 'web'
param tree Tree?
param rules Rule[] = []
param pair Pair = ['a', 1]
param labels Labels = {}
param first Tag.key = 'a'
",
    );
    for (name, value, told) in [
        (
            "tags",
            json!([{"key": "a"}, {"key": ""}]),
            "error[BCP333]: the value of `tags` (`[{\"key\": \"a\"}, {\"key\": \"\"}]`) at `[1].key` has 0 characters, but the minimum is 1 @ tags",
        ),
        (
            "tags",
            json!([{"value": "a"}]),
            "error[BCP035]: the value of `tags` (`[{\"value\": \"a\"}]`) lacks the required property `key` at `[0]` @ tags",
        ),
        (
            "tags",
            json!([{"key": "a", "valu": "b"}]),
            "error[BCP089]: the value of `tags` (`[{\"key\": \"a\", \"valu\": \"b\"}]`) has the property `valu` at `[0]`, which does not exist in its type @ tags (did you mean `value`?)",
        ),
        (
            "kind",
            json!("wob"),
            "error[BCP260]: the value of `kind` (`\"wob\"`): expected `'web' | 'worker'`, found `string` @ kind",
        ),
        (
            "tree",
            json!({"name": "a", "children": [{"name": "b", "parent": {"name": 1}}]}),
            "error[BCP260]: the value of `tree`: expected `string` at `children[0].parent.name`, found `int` @ tree",
        ),
        (
            "rules",
            json!([{"type": "port", "port": "x"}]),
            "error[BCP260]: the value of `rules` (`[{\"port\": \"x\", \"type\": \"port\"}]`): expected `int` at `[0].port`, found `string` @ rules",
        ),
        (
            "rules",
            json!([{"type": "prt"}]),
            "error[BCP260]: the value of `rules` (`[{\"type\": \"prt\"}]`): expected `'port' | 'range'` at `[0].type`, found `'prt'` @ rules",
        ),
        (
            "rules",
            json!([{"port": 1}]),
            "error[BCP035]: the value of `rules` (`[{\"port\": 1}]`) lacks the required property `type` at `[0]` @ rules",
        ),
        (
            "pair",
            json!(["a"]),
            "error[BCP260]: the value of `pair` (`[\"a\"]`): expected `[string, int]`, found an array of length 1 @ pair",
        ),
        (
            "labels",
            json!({"a": 1}),
            "error[BCP260]: the value of `labels` (`{\"a\": 1}`): expected `string` at `a`, found `int` @ labels",
        ),
        (
            "first",
            json!(""),
            "error[BCP333]: the value of `first` (`\"\"`) at `` has 0 characters, but the minimum is 1 @ first",
        ),
    ] {
        let found = problems_with(&text, &json!({ name: value }));
        let told = told.replace(" at ``", "");
        assert_told(&found, &[told], name);
    }
}

#[test]
fn what_is_written_out_is_told_at_the_part_that_is_wrong_before_anything_is_given() {
    for (rest, told) in [
        (
            "param t Tag[] = [{ key: 'a' }, { key: 2 }]\n",
            "error[BCP033]: the default of `t`: expected `string` at `[1].key`, found `int` @ 2",
        ),
        (
            "var v Tag = { key: 'a', valu: 'b' }\n",
            "error[BCP089]: the variable `v` has the property `valu`, which does not exist in its type @ valu (did you mean `value`?)",
        ),
        (
            "param n int\noutput o Labels = { a: n }\n",
            "error[BCP033]: the output `o`: expected `string` at `a`, found `int` @ n",
        ),
        (
            "output o Rule = { type: 'range', from: 1 }\n",
            "error[BCP035]: the output `o` lacks the required property `to` @ { type: 'range', from: 1 }",
        ),
        (
            "var x = {}\noutput o string = x.a\n",
            "error[BCP052]: the property `a` does not exist on the object @ a",
        ),
    ] {
        assert_told(&problems(&with_types(rest)), &[told], rest);
    }
}

#[test]
fn what_is_known_only_later_is_checked_as_far_as_it_is_known() {
    let text = with_types(
        "\
extension aws
resource r 'AWS.S3/Bucket@default' = { alias: 'r' }
output o Tag = { key: r.properties.Key, value: r.properties.Value }
output p Rule = { type: 'port', port: '${r.id}' }
",
    );
    assert_eq!(
        problems(&text),
        [
            "error[BCP033]: the output `p`: expected `int` at `port`, found `string` @ '${r.id}' (write `int('${r.id}')`)"
        ]
    );
}

#[test]
fn members_that_are_secure_are_secrets() {
    let text = "\
type login = {
  user: string
  @secure()
  password: string
}
param logins login[]
@secure()
output o object = logins[0]
output p array = map(logins, it => it.user)
";
    let values = json!({"logins": [{"user": "u", "password": "p"}]});
    assert_eq!(outputs(text, &values), [r#"o=*{password:*"p",user:*"u"}"#, r#"p=["u"]"#]);
    let leaking =
        text.replace("output p array = map(logins, it => it.user)", "output p array = logins");
    assert_eq!(
        problems_with(&leaking, &values),
        [
            "warning[outputs-should-not-contain-secrets]: the output `p` contains a secret @ p (write `@secure()` before it; Hangar shows its value as `«secret»` in both cases)"
        ]
    );
}

#[test]
fn what_is_wrong_with_a_type_is_told() {
    for (text, told) in [
        (
            "type a = a\n",
            "error[BCP298]: the type requires itself @ a (make the recursive property nullable (`?`) or an array (`[]`))",
        ),
        (
            "type a = { x: a }\n",
            "error[BCP298]: the type requires itself @ a (make the recursive property nullable (`?`) or an array (`[]`))",
        ),
        (
            "type a = { x: b }\ntype b = [a]\n",
            "error[BCP299]: the types require each other: `a`, `b` @ a (make the recursive property nullable (`?`) or an array (`[]`))",
        ),
        (
            "type a = { x: string }\ntype b = a.y\n",
            "error[BCP053]: the property `y` does not exist on the type `a` @ y",
        ),
        (
            "type a = { long: string }\ntype b = a.lon\n",
            "error[BCP083]: the property `lon` does not exist on the type `a` @ lon (did you mean `long`?)",
        ),
        (
            "type a = { x: string }\ntype b = a.*\n",
            "error[BCP389]: the type `a` does not declare `*:` for other properties @ a.*",
        ),
        (
            "type a = [string]\ntype b = a[1]\n",
            "error[BCP311]: the item 1 does not exist on the type `a` @ 1",
        ),
        ("type a = [string]\ntype b = a[*]\n", "error[BCP390]: `a` is not an array type @ a[*]"),
        (
            "type a = { '${'x'}': string }\n",
            "error[BCP296]: the name of a property in a type cannot be computed @ '${'x'}'",
        ),
        (
            "type a = { x: string, x: int }\n",
            "error[BCP025]: the property `x` is declared more than once @ x",
        ),
        ("var v = 1\nparam p v\n", "error[BCP287]: `v` is a value, not a type @ v"),
        ("type t = string\nvar v = t\n", "error[BCP288]: `t` is a type, not a value @ t"),
        (
            "type tag = string\nparam p tags\n",
            "error[BCP302]: the type `tags` does not exist @ tags (did you mean `tag`?)",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | string\n",
            "error[BCP363]: `@discriminator` requires object types, and `string` is not an object type @ string",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { u: 'y' }\n",
            "error[BCP364]: the object type lacks the discriminator `t` @ { u: 'y' } (write a string that no other object type has, as in `t: 'a'`)",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { t: 'x', u: 1 }\n",
            "error[BCP365]: two of the object types have the same `t`, \"x\" @ { t: 'x', u: 1 }",
        ),
        (
            "@discriminator('t')\ntype a = b | { t: 'y' }\ntype b = { t: 'x' | 'z' }\n",
            "error[BCP364]: the discriminator `t` must be a string literal, found `'x' | 'z'` @ b",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { t: 'y' }\n@discriminator('u')\ntype b = a | { t: 'z', u: 'z' }\n",
            "error[BCP366]: `a` has the discriminator `t`, but this union has `u` @ a (write `@discriminator('t')` here too)",
        ),
        (
            "@discriminator('t')\ntype a = string\n",
            "error[BCP363]: `@discriminator` can only be used on a union of object types @ @discriminator('t')",
        ),
        (
            "type a = 'x' | 1\n",
            "error[BCP294]: the members of a union must have the same type, found `string`, `int` @ 'x' | 1 (write `'x' | '1'`)",
        ),
        (
            "type a = 'x' | string\n",
            "error[BCP293]: a union must consist of literals, and `string` is not a literal @ string",
        ),
        (
            "param p 'x' | b\ntype b = int\n",
            "error[BCP293]: a union must consist of literals, and `b` is not a literal @ b",
        ),
        (
            "targetScope = 'resourceGroup'\ntargetScope = 'subscription'\n",
            "error[BCP112]: the target scope is declared more than once @ targetScope (keep one `targetScope` and remove the others)",
        ),
        (
            "@allowed([1])\ntype a = int\n",
            "error[BCP297]: `@allowed` cannot be used on a type @ allowed",
        ),
    ] {
        let found = problems(text);
        assert_told(found.get(..1).unwrap_or_default(), &[told], text);
    }
}

#[test]
fn unions_of_literals_are_taken_also_through_names_null_and_lists() {
    for text in [
        "type a = 'x' | 'y' | null\n",
        "type a = b | 'z'\ntype b = 'x' | 'y'\n",
        "type a = ('x' | 1 | true | { a: 'b' })[]\n",
        "type a = { a: 'x' } | { a: 'y' }\n",
        "type a = ['x'] | ['x', 'y']\n",
        "@discriminator('t')\ntype a = (b | c)?\ntype b = { t: 'x', *: int }\ntype c = { t: 'y', more: a? }\n",
        "param p { @discriminator('t')\n  of: { t: 'x', n: int } | { t: 'y' } }?\n",
    ] {
        assert_eq!(problems(text), [""; 0], "{text}");
    }
}

#[test]
fn a_declared_type_hides_the_simple_one_of_its_name_and_sys_leads_to_that() {
    let text = "type bool = string\nparam a bool = 'x'\nparam b sys.bool = true\noutput o array = [a, b]\n";
    assert_eq!(outputs(text, &json!({})), [r#"o=["x",true]"#]);
}

#[test]
fn types_of_azure_are_taken_for_anything() {
    let text = "\
type a = resourceInput<'Microsoft.Storage/storageAccounts@2023-01-01'>.properties
param p a = { x: 1 }
output o array = [p]
";
    assert_eq!(outputs(text, &json!({})), ["o=[{x:1}]"]);
}

#[test]
fn types_that_double_are_checked_within_bounds() {
    let mut text = "type t0 = { a: int } | { b: int }\n".to_owned();
    for at in 1..60 {
        writeln!(text, "type t{at} = {{ x: t{0} }} | {{ x: t{0} }}", at - 1).unwrap();
    }
    let mut value = "{ c: 1 }".to_owned();
    for _ in 1..60 {
        value = format!("{{ x: {value} }}");
    }
    writeln!(text, "param p t59 = {value}").unwrap();
    let found: Vec<String> =
        problems(&text).into_iter().filter(|it| !it.contains("BCP293")).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn long_chains_of_types_are_followed_or_refused_without_harm() {
    let mut text = "type t0 = string\n".to_owned();
    for at in 1..3_000 {
        writeln!(text, "type t{at} = t{}?", at - 1).unwrap();
    }
    text += "param p t2999 = 1\n";
    let found = problems(&text);
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_module_is_given_values_of_declared_types() {
    let main = "\
import { tag } from 'types.bicep'
param n int
module m 'm.bicep' = { params: { tags: [{ key: 'a' }, { key: n }], extra: null } }
";
    let types = "@export()\n@sealed()\ntype tag = { key: string, value: string? }\n";
    let inner = "import * as t from 'types.bicep'\nparam tags t.tag[]\nparam extra string = 'x'\noutput o array = [tags, extra]\n";
    let project = Project::of(&[("main.bicep", main), ("m.bicep", inner), ("types.bicep", types)]);
    assert_eq!(
        project.problems_with(&json!({"n": 1})),
        [
            "main.bicep: error[BCP036]: the parameter `tags` of the module `m`: expected `string` at `[1].key`, found `int` @ n (write `string(n)`)"
        ]
    );
}
