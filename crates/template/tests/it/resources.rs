//! Resources: loops, conditions, edges, what is read of them, and where their properties are written.

use std::fs;
use std::path::Path;

use hangar_template::deployment::{Inputs, MissingParameter, NothingKnown, Target};
use serde_json::{Value as Json, json};

use crate::corpus::FIXTURES;
use crate::language::{World, body, deployed, inputs, nodes, outputs_of, started, told};

#[test]
fn edges_go_through_variables_and_to_the_instance_that_is_named() {
    let text = "\
extension aws
var ids = [one.id, ...indirect]
var indirect = map(many, m => m.id)
var two = 1 + 1
resource one 'AWS.S3/Bucket@default' = {
  alias: 'one'
}
resource many 'AWS.S3/Bucket@default' = [for i in range(0, 3): {
  alias: 'many${i}'
}]
resource all 'AWS.S3/Bucket@default' = {
  alias: 'all'
  properties: { A: ids }
}
resource last 'AWS.S3/Bucket@default' = {
  alias: 'last'
  properties: { A: many[two].id, B: [for x in [0, 1]: many[0].id] }
}
resource each 'AWS.S3/Bucket@default' = [for (x, i) in ['a', 'b']: {
  alias: 'each${x}'
  properties: { A: many[i + 1].id, B: map([0], j => many[j].alias) }
}]
resource third 'AWS.S3/Bucket@default' = {
  alias: 'third'
  properties: { A: true ? 1 : one.id }
  dependsOn: [many[^1], each]
}
resource left 'AWS.S3/Bucket@default' = if (false) {
  alias: 'left'
  properties: { A: 1 / 0 }
}
resource right 'AWS.S3/Bucket@default' = {
  alias: 'right'
  properties: { A: left.?id }
}
";
    assert_eq!(
        nodes(&deployed(text, &json!({}))),
        [
            "one AWS.S3/Bucket one <-",
            "many[0] AWS.S3/Bucket many0 <-",
            "many[1] AWS.S3/Bucket many1 <-",
            "many[2] AWS.S3/Bucket many2 <-",
            "all AWS.S3/Bucket all <- one many[0] many[1] many[2]",
            "last AWS.S3/Bucket last <- many[0] many[2]",
            "each[0] AWS.S3/Bucket eacha <- many[0] many[1] many[2]",
            "each[1] AWS.S3/Bucket eachb <- many[0] many[1] many[2]",
            "third AWS.S3/Bucket third <- one many[2] each[0] each[1]",
            "right AWS.S3/Bucket right <-",
        ]
    );
}

#[test]
fn a_filter_leaves_items_out_and_keeps_their_places() {
    let text = "\
extension aws
resource r 'AWS.S3/Bucket@default' = [for (x, i) in [5, 6, 7]: if (x != 6) {
  alias: 'r${x}'
  properties: { I: i }
}]
output second string? = r[?1].?id
output third string = r[2].id
output count int = length(r)
";
    let deployment = deployed(text, &json!({}));
    assert_eq!(nodes(&deployment), ["r[0] AWS.S3/Bucket r5 <-", "r[2] AWS.S3/Bucket r7 <-"]);
    assert_eq!(body(&deployment, 1, &NothingKnown), "{I:2}");
    assert_eq!(
        outputs_of(&deployment, &NothingKnown),
        ["second=null", "third=«r[2]/id»", "count=3"]
    );
}

#[test]
fn batches_wait_for_the_batch_before() {
    let text = "extension aws\n@batchSize(2)\nresource r 'AWS.S3/Bucket@default' = [for i in range(0, 5): {\n  alias: 'r${i}'\n}]\n";
    let lines = nodes(&deployed(text, &json!({})));
    let needs: Vec<_> = lines.iter().map(|it| it.split("<-").nth(1).unwrap().trim()).collect();
    assert_eq!(needs, ["", "", "r[0] r[1]", "r[0] r[1]", "r[2] r[3]"]);
}

#[test]
fn nested_resources_go_with_their_parent() {
    let text = |on: &str| {
        format!(
            "extension aws\nresource p 'AWS.EC2/VPC@default' = if ({on}) {{\n  alias: 'p'\n  \
             resource c 'AWS.EC2/Subnet@default' = [for i in range(0, 2): {{\n    alias: '${{p.alias}}${{i}}'\n    properties: {{ V: p.properties.VpcId }}\n  }}]\n  \
             resource d 'AWS.EC2/Subnet@default' = {{\n    alias: 'd'\n    properties: {{ C: c[1].id }}\n  }}\n}}\n\
             output o string? = p::d.?id\n"
        )
    };
    assert_eq!(
        nodes(&deployed(&text("true"), &json!({}))),
        [
            "p AWS.EC2/VPC p <-",
            "p::c[0] AWS.EC2/Subnet p0 <- p",
            "p::c[1] AWS.EC2/Subnet p1 <- p",
            "p::d AWS.EC2/Subnet d <- p p::c[1]",
        ]
    );
    let left_out = deployed(&text("false"), &json!({}));
    assert_eq!(nodes(&left_out), [""; 0]);
    assert_eq!(outputs_of(&left_out, &NothingKnown), ["o=null"]);
}

const READING: &str = "\
extension aws
@secure()
param password string = 'canary'
resource a 'AWS.RDS/DBInstance@default' = {
  alias: 'a'
  properties: { Stated: 'body', Password: password, Deep: { One: 1 }, Gone: null, List: [{ K: 'k' }] }
}
resource e 'AWS.S3/Bucket@default' existing = {
  alias: 'e'
  properties: { BucketName: 'b' }
}
";

/// What `expression` comes to as an output, with nothing known, and with `a` known: unchanged, and changing.
fn read(expression: &str) -> [String; 3] {
    let text = format!("{READING}@secure()\noutput o object = {{ v: {expression} }}\n");
    let deployment = deployed(&text, &json!({}));
    let document =
        json!({"Stated": "read", "Read": "r", "Deep": {"One": 2, "Two": 2}, "List": [{"K": "l"}]});
    let worlds = [
        World::default(),
        World::default().with(0, document.clone(), false),
        World::default().with(0, document, true),
    ];
    worlds.map(|world| match deployment.outputs(&world) {
        Ok(outputs) => {
            let shown = crate::language::shown(&outputs[0].value).replace('*', "");
            shown.strip_prefix("{v:").unwrap().strip_suffix('}').unwrap().to_owned()
        }
        Err(problems) => told(&text, &problems).join("\n"),
    })
}

#[test]
fn what_is_read_comes_from_the_body_or_from_a_read() {
    for (expression, unknown, unchanged, changing) in [
        ("a.alias", r#""a""#, r#""a""#, r#""a""#),
        ("a.type", r#""AWS.RDS/DBInstance""#, r#""AWS.RDS/DBInstance""#, r#""AWS.RDS/DBInstance""#),
        ("a.id", "«a/id»", r#""/id/0""#, r#""/id/0""#),
        ("a.name", "«a/name»", r#""name-0""#, r#""name-0""#),
        ("a.properties.Stated", r#""body""#, r#""read""#, r#""body""#),
        ("a.properties['Stated']", r#""body""#, r#""read""#, r#""body""#),
        ("a.properties.Read", "«a/properties/Read»", r#""r""#, r#""r""#),
        ("a.properties.Password", r#""canary""#, r#""canary""#, r#""canary""#),
        ("a.properties.Deep.One", "1", "2", "1"),
        ("a.properties.Deep.Two", "«a/properties/Deep/Two»", "2", "2"),
        ("a.properties.Deep", "{One:1}", "{One:2,Two:2}", "{One:1,Two:2}"),
        ("a.properties.List[0].K", r#""k""#, r#""l""#, r#""k""#),
        ("a.properties.List[^1].K", r#""k""#, r#""l""#, r#""k""#),
        (
            "a.properties.Gone",
            "«a/properties/Gone»",
            "error[BCP053]: the property `Gone` does not exist on the object @ Gone (available properties: `Deep`, `List`, `Read`, `Stated`)",
            "«a/properties/Gone»",
        ),
        ("a.properties.?Gone", "«a/properties/Gone»", "null", "«a/properties/Gone»"),
        ("a.properties.?Gone.x.y", "«a/properties/Gone/x/y»", "null", "«a/properties/Gone/x/y»"),
        (
            "a.properties.read",
            "«a/properties/read»",
            "error[BCP083]: the property `read` does not exist on the object @ read (did you mean `Read`?)",
            "«a/properties/read»",
        ),
        ("a.properties.Stated == 'body' ? 1 : 2", "1", "2", "1"),
        ("e.properties.BucketName", r#""b""#, r#""b""#, r#""b""#),
        ("e.properties.Arn", "«e/properties/Arn»", "«e/properties/Arn»", "«e/properties/Arn»"),
    ] {
        assert_eq!(read(expression), [unknown, unchanged, changing], "{expression}");
    }
}

#[test]
fn a_secret_of_the_own_body_stays_one_when_it_is_read() {
    let text = format!(
        "{READING}@secure()\noutput o string = a.properties.Password\noutput p object = a.properties.Deep\n"
    );
    let deployment = deployed(&text, &json!({}));
    let world = World::default().with(0, json!({"Password": "canary", "Deep": {"One": 1}}), false);
    assert_eq!(outputs_of(&deployment, &world), [r#"o=*"canary""#, "p={One:1}"]);
    // Without `@secure()` there is a warning, and the value stays secret.
    let open = format!("{READING}output o string = a.properties.Password\n");
    let found = started(&open, &inputs(&json!({}))).problems;
    let code = "outputs-should-not-contain-secrets";
    assert!(found.len() == 1 && found[0].diagnostic.code.as_str() == code, "{found:?}");
    let silenced =
        open.replace("output o", "#disable-next-line outputs-should-not-contain-secrets\noutput o");
    assert_eq!(started(&silenced, &inputs(&json!({}))).problems, []);
    // Each written part is a place of its own, as Radius's recipes silence them.
    let disable = "    #disable-next-line outputs-should-not-contain-secrets\n";
    let parts = |first: &str, second: &str| {
        format!(
            "{READING}output o object = {{\n  host: 'h'\n  secrets: {{\n{first}    url: 'db://${{a.properties.Password}}'\n\
             {second}    keys: [a.properties.Password]\n  }}\n}}\n"
        )
    };
    for (first, second, count) in [("", "", 2), (disable, "", 1), (disable, disable, 0)] {
        let found = started(&parts(first, second), &inputs(&json!({}))).problems;
        assert_eq!(found.len(), count, "{found:?}");
    }
    let whole = format!("{READING}output o object = a.properties\n");
    let deployment = deployed(&whole, &json!({}));
    let outputs = deployment.outputs(&world).unwrap();
    assert!(outputs[0].value.holds_secret(), "{outputs:?}");
}

#[test]
fn depends_on_a_loop_waits_for_all_that_it_makes() {
    let text = "extension aws
resource all 'AWS.SQS/Queue@default' = [for i in range(0, 2): {
  alias: 'a${i}'
  properties: {}
}]
resource last 'AWS.SQS/Queue@default' = {
  alias: 'last'
  properties: {}
  dependsOn: all
}
";
    assert_eq!(deployed(text, &json!({})).nodes()[2].depends_on, [0, 1]);
}

#[test]
fn the_name_of_an_aws_resource_is_its_alias_unless_it_has_one() {
    let of = |members: &str| {
        let text = format!(
            "extension aws\nresource q 'AWS.SQS/Queue@default' = {{\n{members}\n  properties: {{}}\n}}\n"
        );
        deployed(&text, &json!({})).nodes()[0].target.clone()
    };
    let managed = |alias: &str| Target::Managed { alias: alias.into() };
    assert_eq!(of("  alias: 'a'\n  name: 'n'"), managed("a"));
    assert_eq!(of("  name: 'n'\n  alias: 'a'"), managed("a"));
    assert_eq!(of("  name: 'n'"), managed("n"));
}

#[test]
fn an_existing_resource_that_is_not_there_is_null_where_it_may_be() {
    let text = "extension aws\n@nullIfNotFound()\nresource e 'AWS.S3/Bucket@default' existing = {\n  name: 'n'\n}\n\
                output a string? = e.?properties.Arn\noutput b string = e.properties.Arn ?? 'no'\noutput c bool = e == null\noutput d string = e == null ? 'x' : e.properties.Arn\n";
    let deployment = deployed(text, &json!({}));
    assert_eq!(nodes(&deployment), ["e AWS.S3/Bucket existing? - <-"]);
    assert_eq!(
        deployment.body(0, &NothingKnown).unwrap().name.map(|it| crate::language::shown(&it)),
        Some(r#""n""#.to_owned())
    );
    let mut absent = World::default();
    absent.0.insert(0, None);
    assert_eq!(outputs_of(&deployment, &absent), ["a=null", r#"b="no""#, "c=true", r#"d="x""#]);
    let there = World::default().with(0, json!({"Arn": "arn"}), false);
    assert_eq!(
        outputs_of(&deployment, &there),
        [r#"a="arn""#, r#"b="arn""#, "c=false", r#"d="arn""#]
    );
}

#[test]
fn the_places_of_properties_are_those_of_the_text() {
    let text = "\
extension aws
param on bool = true
var name = 'n'
resource a 'AWS.S3/Bucket@default' = {
  alias: 'a'
  properties: {
    BucketName: name
    Tags: [
      { Key: 'k', 'a/b': 1 }
      ...[{ Key: 'l' }]
      { Key: 'm' }
    ]
    Chosen: on ? { A: 1 } : { B: 2 }
    Dropped: null
    Looped: [for i in [1, 2]: { I: i }]
    ...{ Spread: 1 }
  }
}
";
    let deployment = deployed(text, &json!({}));
    let body = deployment.body(0, &NothingKnown).unwrap();
    let places: Vec<String> = body
        .places
        .iter()
        .skip(1)
        .map(|(pointer, it)| {
            let at =
                |place: &hangar_template::source::Place| &text[place.span.start..place.span.end];
            format!("{pointer}: {} = {}", at(&it.key), at(&it.value))
        })
        .collect();
    assert_eq!(
        places,
        [
            "/BucketName: BucketName = name",
            "/Chosen: Chosen = on ? { A: 1 } : { B: 2 }",
            "/Chosen/A: A = 1",
            "/Looped: Looped = [for i in [1, 2]: { I: i }]",
            "/Looped/0: { I: i } = { I: i }",
            "/Looped/0/I: I = i",
            "/Looped/1: { I: i } = { I: i }",
            "/Looped/1/I: I = i",
            "/Spread: { Spread: 1 } = { Spread: 1 }",
            "/Tags: Tags = [\n      { Key: 'k', 'a/b': 1 }\n      ...[{ Key: 'l' }]\n      { Key: 'm' }\n    ]",
            "/Tags/0: { Key: 'k', 'a/b': 1 } = { Key: 'k', 'a/b': 1 }",
            "/Tags/0/Key: Key = 'k'",
            "/Tags/0/a~1b: 'a/b' = 1",
            "/Tags/2: { Key: 'm' } = { Key: 'm' }",
            "/Tags/2/Key: Key = 'm'",
        ]
    );
    assert!(text[body.places[""].value.span.start..].starts_with("{\n    BucketName"));
}

#[test]
fn reads_are_told_for_schemas() {
    let text = "\
extension aws
resource a 'AWS.S3/Bucket@default' = {
  alias: 'a'
}
resource many 'AWS.SQS/Queue@default' = [for i in range(0, 2): {
  alias: 'q${i}'
  properties: { A: a.properties.Deep.Er, B: a.properties.Tags[0].Key, C: a.?properties.Maybe }
}]
var v = '${many[1].properties.QueueUrl}${a.id}'
output o array = [for i in range(0, 2): many[i].properties.Arn]
";
    let deployment = deployed(text, &json!({}));
    let reads: Vec<String> = deployment
        .reads()
        .iter()
        .map(|it| {
            let at = &text[it.place.span.start..it.place.span.end];
            let node = &deployment.nodes()[it.node].address;
            format!("{node} {} {} @ {at}", it.path.join("."), it.is_safe)
        })
        .collect();
    assert_eq!(
        reads,
        [
            "a Deep.Er false @ Deep.Er",
            "a Tags false @ Tags",
            "a Maybe true @ Maybe",
            "many[1] QueueUrl false @ QueueUrl",
            "many[0] Arn false @ Arn",
        ]
    );
}

#[test]
fn extensions_say_where_their_resources_are() {
    let text = "\
extension aws
param region string = 'eu-west-1'
extension aws with { region: region, account: '12' } as ireland
resource here 'AWS.S3/Bucket@default' = {
  alias: 'here'
  properties: { R: aws.region(), A: aws.accountId() }
}
resource there 'ireland:AWS.S3/Bucket@default' = {
  alias: 'there'
  properties: { R: ireland.region(), A: ireland.accountId() }
}
";
    let deployment = deployed(text, &json!({}));
    let [here, there] = deployment.nodes() else { panic!("two nodes") };
    let (here, there) = (here.aws().unwrap(), there.aws().unwrap());
    assert_eq!((&here.region, &here.account), (&None, &None));
    assert_eq!(there.region.as_ref().map(hangar_ids::Region::as_str), Some("eu-west-1"));
    assert_eq!(there.account.as_ref().map(hangar_ids::AccountId::as_str), Some("12"));
    assert_eq!(body(&deployment, 0, &NothingKnown), r#"{A:"123456789012",R:"us-east-1"}"#);
    assert!(body(&deployment, 1, &NothingKnown).contains(r#"R:"eu-west-1""#));
}

#[test]
fn what_cannot_be_deployed_is_left_out_where_that_is_asked_for() {
    let text = "\
extension aws
extension radius
resource app 'Applications.Core/applications@2023-10-01-preview' = {
  name: 'app'
}
resource b 'AWS.S3/Bucket@default' = {
  alias: 'b'
  properties: { A: false ? app.id : 'x' }
  dependsOn: [app]
}
";
    let skip = Inputs { skip_unsupported: true, ..inputs(&json!({})) };
    let begun = started(text, &skip);
    assert_eq!(
        told(text, &begun.problems),
        [
            "warning[TMPL0011]: `app` is skipped: Hangar cannot deploy `Applications.Core/applications@2023-10-01-preview` yet @ 'Applications.Core/applications@2023-10-01-preview'"
        ]
    );
    assert_eq!(nodes(&begun.deployment.unwrap()), ["b AWS.S3/Bucket b <-"]);
    let reading = text.replace("false ?", "true ?");
    let begun = started(&reading, &skip);
    assert_eq!(
        told(&reading, &begun.problems)[1],
        "error[TMPL0012]: `app` is skipped: Hangar cannot deploy `Applications.Core/applications@2023-10-01-preview` yet @ app"
    );
    let refused = started(text, &inputs(&json!({})));
    assert!(refused.deployment.is_none());
}

#[test]
fn the_aws_templates_of_the_fixtures_start() {
    let folder = Path::new(FIXTURES).join("aws-input");
    let Ok(files) = fs::read_dir(folder) else {
        println!("skipped: the_aws_templates_of_the_fixtures_start (no ../shared)");
        return;
    };
    let context =
        json!({"resource": {"id": "/r"}, "environment": {"id": "/e"}, "application": {"id": "/a"}});
    let mut count = 0;
    for file in files {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let program = crate::language::compiled(&text).program.unwrap();
        let given = program.parameters().iter().filter(|it| !it.has_default).map(|it| {
            let value = match (&*it.name, it.kind.unwrap()) {
                ("context", _) => context.clone(),
                ("retentionInDays", _) => json!("7"),
                (name, _) => json!(name),
            };
            (it.name.to_string(), value)
        });
        let mut inputs = inputs(&Json::Object(given.collect()));
        inputs.skip_unsupported = true;
        // The Radius resources of one of them read the AWS ones, and are left out with it.
        let started = program.start(&inputs);
        let Some(deployment) = started.deployment else {
            panic!("{}: {:#?}", path.display(), told(&text, &started.problems));
        };
        assert!(!deployment.nodes().is_empty());
        for node in 0..deployment.nodes().len() {
            deployment.body(node, &NothingKnown).unwrap();
        }
        let look = Inputs {
            missing: MissingParameter::Unknown,
            skip_unsupported: true,
            ..Inputs::default()
        };
        assert!(program.start(&look).deployment.is_some(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 5);
}

#[test]
fn the_snapshots_parameters_come_to_what_bicep_says() {
    let folder = Path::new(FIXTURES).join("evaluate-snapshot/basic");
    let (Ok(text), Ok(golden)) = (
        fs::read_to_string(folder.join("main.bicep")),
        fs::read_to_string(folder.join("main.snapshot.json")),
    ) else {
        println!("skipped: the_snapshots_parameters_come_to_what_bicep_says (no ../shared)");
        return;
    };
    // Azure's resources are not deployed, so what they are given is looked at as an output.
    let text = format!(
        "{text}\noutput name string = storageAccountName\noutput location string = location\n"
    );
    let golden: Json = serde_json::from_str(&golden).unwrap();
    let resource = &golden["predictedResources"][0];
    let mut inputs = inputs(&json!({"location": "eastus"}));
    inputs.group.id =
        "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg".to_owned();
    inputs.skip_unsupported = true;
    let deployment = started(&text, &inputs).deployment.unwrap();
    assert_eq!(
        outputs_of(&deployment, &NothingKnown),
        [format!("name={}", resource["name"]), format!("location={}", resource["location"])]
    );
}

#[test]
fn a_loop_whose_name_is_the_same_in_each_round_is_warned_of_whatever_its_count_is() {
    let text = |alias: &str| {
        format!(
            "extension aws\nparam count int\nresource b 'AWS.S3/Bucket@default' = [for i in range(0, count): {{\n  \
             alias: {alias}\n}}]\n"
        )
    };
    let warned = "warning[BCP179]: every iteration of the loop gives `b` the same name @ b / 'logs' \
                  (use the loop variable: `'logs-${i}'`)";
    assert_eq!(compile_problems(&text("'logs'")), [warned]);
    assert_eq!(compile_problems(&text("'logs-${i}'")), [""; 0]);
    assert_eq!(compile_problems(&text("join(['logs', string(i)], '-')")), [""; 0]);
}

#[test]
fn any_names_no_resource() {
    let text = "extension aws\nresource b 'AWS.S3/Bucket@default' = {\n  alias: 'b'\n  dependsOn: [any('s')]\n}\n";
    let told = "error[BCP176]: `any()` cannot be used for a resource, a module or a scope @ any('s') (write the name of a \
                declared resource or module, without `any()`)";
    assert_eq!(compile_problems(text), [told]);
}

/// What is wrong with a text whatever it is given.
fn compile_problems(text: &str) -> Vec<String> {
    let sources = hangar_template::source::Sources::of("main.bicep", text.as_bytes());
    let problems = hangar_template::program::compile(&sources, "main.bicep").problems;
    crate::language::told(text, &problems)
}
