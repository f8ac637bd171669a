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
            "error[BCP333]: the value for `tags`, `[{\"key\": \"a\"}, {\"key\": \"\"}]`, at `[1].key` has 0 characters, and at least 1 are needed @ tags",
        ),
        (
            "tags",
            json!([{"value": "a"}]),
            "error[BCP035]: the value for `tags`, `[{\"value\": \"a\"}]`, lacks `key` at `[0]` @ tags",
        ),
        (
            "tags",
            json!([{"key": "a", "valu": "b"}]),
            "error[BCP089]: the value for `tags`, `[{\"key\": \"a\", \"valu\": \"b\"}]`, has the property `valu` at `[0]`, which its type has not @ tags (did you mean `value`?)",
        ),
        (
            "kind",
            json!("wob"),
            "error[BCP260]: the value for `kind`, `\"wob\"`, should be `'web' | 'worker'` and is `string` @ kind",
        ),
        (
            "tree",
            json!({"name": "a", "children": [{"name": "b", "parent": {"name": 1}}]}),
            "error[BCP260]: the value for `tree` should be `string` at `children[0].parent.name` and is `int` @ tree",
        ),
        (
            "rules",
            json!([{"type": "port", "port": "x"}]),
            "error[BCP260]: the value for `rules`, `[{\"port\": \"x\", \"type\": \"port\"}]`, should be `int` at `[0].port` and is `string` @ rules",
        ),
        (
            "rules",
            json!([{"type": "prt"}]),
            "error[BCP260]: the value for `rules`, `[{\"type\": \"prt\"}]`, should be `'port' | 'range'` at `[0].type` and is `'prt'` @ rules",
        ),
        (
            "rules",
            json!([{"port": 1}]),
            "error[BCP035]: the value for `rules`, `[{\"port\": 1}]`, lacks `type` at `[0]` @ rules",
        ),
        (
            "pair",
            json!(["a"]),
            "error[BCP260]: the value for `pair`, `[\"a\"]`, should be `[string, int]` and is a list of 1 items @ pair",
        ),
        (
            "labels",
            json!({"a": 1}),
            "error[BCP260]: the value for `labels`, `{\"a\": 1}`, should be `string` at `a` and is `int` @ labels",
        ),
        (
            "first",
            json!(""),
            "error[BCP333]: the value for `first`, `\"\"`, at `` has 0 characters, and at least 1 are needed @ first",
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
            "error[BCP033]: the default of `t` should be `string` at `[1].key` and is `int` @ 2",
        ),
        (
            "var v Tag = { key: 'a', valu: 'b' }\n",
            "error[BCP089]: the variable `v` has the property `valu`, which its type has not @ valu (did you mean `value`?)",
        ),
        (
            "param n int\noutput o Labels = { a: n }\n",
            "error[BCP033]: the output `o` should be `string` at `a` and is `int` @ n",
        ),
        (
            "output o Rule = { type: 'range', from: 1 }\n",
            "error[BCP035]: the output `o` lacks `to` @ { type: 'range', from: 1 }",
        ),
        (
            "var x = {}\noutput o string = x.a\n",
            "error[BCP052]: the object has no property `a` @ a",
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
            "error[BCP033]: the output `p` should be `int` at `port` and is `string` @ '${r.id}' (write `int('${r.id}')`)"
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
            "warning[outputs-should-not-contain-secrets]: the output `p` holds a secret @ p (write `@secure()` before it; its value is shown as `«secret»` either way)"
        ]
    );
}

#[test]
fn what_is_wrong_with_a_type_is_told() {
    for (text, told) in [
        (
            "type a = a\n",
            "error[BCP298]: the type holds itself for ever @ a (let the member that leads back be null (`?`) or a list (`[]`))",
        ),
        (
            "type a = { x: a }\n",
            "error[BCP298]: the type holds itself for ever @ a (let the member that leads back be null (`?`) or a list (`[]`))",
        ),
        (
            "type a = { x: b }\ntype b = [a]\n",
            "error[BCP299]: types hold each other for ever: `a`, `b` @ a (let the member that leads back be null (`?`) or a list (`[]`))",
        ),
        (
            "type a = { x: string }\ntype b = a.y\n",
            "error[BCP053]: the type `a` has no property `y` @ y",
        ),
        (
            "type a = { long: string }\ntype b = a.lon\n",
            "error[BCP083]: the type `a` has no property `lon` @ lon (did you mean `long`?)",
        ),
        ("type a = { x: string }\ntype b = a.*\n", "error[BCP389]: the type `a` has no `*:` @ a.*"),
        ("type a = [string]\ntype b = a[1]\n", "error[BCP311]: the type `a` has no item 1 @ 1"),
        (
            "type a = [string]\ntype b = a[*]\n",
            "error[BCP390]: `a` is no type of lists of one kind of items @ a[*]",
        ),
        (
            "type a = { '${'x'}': string }\n",
            "error[BCP296]: the name of a type's property is written out @ '${'x'}'",
        ),
        (
            "type a = { x: string, x: int }\n",
            "error[BCP025]: the property `x` is written more than once @ x",
        ),
        ("var v = 1\nparam p v\n", "error[BCP287]: `v` is a value and no type @ v"),
        ("type t = string\nvar v = t\n", "error[BCP288]: `t` is a type and has no value @ t"),
        (
            "type tag = string\nparam p tags\n",
            "error[BCP302]: `tags` is not a type @ tags (did you mean `tag`?)",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | string\n",
            "error[BCP363]: `@discriminator` tells objects apart, and `string` is none @ string",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { u: 'y' }\n",
            "error[BCP364]: the object does not say its `t` @ { u: 'y' } (give it a text that no other has, as in `t: 'a'`)",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { t: 'x', u: 1 }\n",
            "error[BCP365]: two of the objects have the same `t`, \"x\" @ { t: 'x', u: 1 }",
        ),
        (
            "@discriminator('t')\ntype a = b | { t: 'y' }\ntype b = { t: 'x' | 'z' }\n",
            "error[BCP364]: `t` of the object is `'x' | 'z'`, and tells no object apart @ b",
        ),
        (
            "@discriminator('t')\ntype a = { t: 'x' } | { t: 'y' }\n@discriminator('u')\ntype b = a | { t: 'z', u: 'z' }\n",
            "error[BCP366]: `a` is told apart by `t`, and this union by `u` @ a (write `@discriminator('t')` here, too)",
        ),
        (
            "@discriminator('t')\ntype a = string\n",
            "error[BCP363]: `@discriminator` goes before a union of objects @ @discriminator('t')",
        ),
        (
            "type a = 'x' | 1\n",
            "error[BCP294]: the members of a union are of one kind, and here are `string`, `int` @ 'x' | 1 (write `'x' | '1'`)",
        ),
        (
            "type a = 'x' | string\n",
            "error[BCP293]: a union is made of literals, and `string` is none @ string",
        ),
        (
            "param p 'x' | b\ntype b = int\n",
            "error[BCP293]: a union is made of literals, and `b` is none @ b",
        ),
        (
            "targetScope = 'resourceGroup'\ntargetScope = 'subscription'\n",
            "error[BCP112]: the target scope is stated more than once @ targetScope (keep one `targetScope`, and remove the others)",
        ),
        (
            "@allowed([1])\ntype a = int\n",
            "error[BCP297]: `@allowed` does not go before a type @ allowed",
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
            "main.bicep: error[BCP036]: `tags` of the module `m` should be `string` at `[1].key` and is `int` @ n (write `string(n)`)"
        ]
    );
}
