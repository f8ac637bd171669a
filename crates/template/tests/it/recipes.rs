//! Recipes: what they state, what can be read of them before and after they ran, and what is wrong with them.

use hangar_template::deployment::{Inputs, MissingParameter, NothingKnown, Resource, Secrets};
use hangar_template::recipe::Module;
use serde_json::json;

use crate::language::{
    World, assert_told, body, deployed, inputs, nodes, outputs_of, problems, shown, started,
};

const TEMPLATE: &str = "\
extension aws
param size int = 2
@secure()
param password string
resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'net'
  properties: {
    source: './recipes/network'
    parameters: { cidr: '10.0.0.0/16', size: size, password: password }
  }
}
resource bucket 'AWS.S3/Bucket@default' = {
  alias: 'b'
  properties: { BucketName: net.properties.status.values.bucket_name }
}
output vpc string = net.properties.status.values.vpc_id
output ids array = net.properties.status.outputResources
output name string = net.name
output type string = net.type
output source string = net.properties.source
output state string = net.properties.provisioningState
output id string = net.id
@secure()
output key string = net.listSecrets().key
";

fn ran() -> World {
    let properties = json!({
        "provisioningState": "Succeeded",
        "source": "./recipes/network",
        "status": {
            "values": {"vpc_id": "vpc-1", "bucket_name": "logs"},
            "outputResources": [{"id": "/x"}],
        },
    });
    let (id, name) = ("/recipes/net".to_owned(), "net".to_owned());
    let secrets = Some(Secrets::new(json!({"key": "canary"})));
    let mut world = World::default();
    world.0.insert(0, Some(Resource { id, name, properties, changing: false, secrets }));
    world
}

#[test]
fn a_recipe_is_a_node_and_what_reads_it_waits_for_it() {
    let deployment = deployed(TEMPLATE, &json!({"password": "canary"}));
    assert_eq!(
        nodes(&deployment),
        ["net Hangar.Recipes/recipes net <-", "bucket AWS.S3/Bucket b <- net"]
    );
    assert_eq!(
        body(&deployment, 1, &NothingKnown),
        "{BucketName:«net/properties/status/values/bucket_name»}"
    );
    assert_eq!(body(&deployment, 1, &ran()), "{BucketName:\"logs\"}");
}

#[test]
fn its_name_type_and_source_are_known_at_once_and_the_rest_when_it_has_run() {
    let deployment = deployed(TEMPLATE, &json!({"password": "canary"}));
    assert_eq!(
        outputs_of(&deployment, &NothingKnown),
        [
            "vpc=«net/properties/status/values/vpc_id»",
            "ids=«net/properties/status/outputResources»",
            "name=\"net\"",
            "type=\"Hangar.Recipes/recipes\"",
            "source=\"./recipes/network\"",
            "state=«net/properties/provisioningState»",
            "id=«net/id»",
            "key=*«net/listSecrets()/key»",
        ]
    );
    assert_eq!(
        outputs_of(&deployment, &ran()),
        [
            "vpc=\"vpc-1\"",
            "ids=[{id:\"/x\"}]",
            "name=\"net\"",
            "type=\"Hangar.Recipes/recipes\"",
            "source=\"./recipes/network\"",
            "state=\"Succeeded\"",
            "id=\"/recipes/net\"",
            "key=*\"canary\"",
        ]
    );
}

#[test]
fn secrets_are_asked_for_only_where_they_are_read() {
    assert!(deployed(TEMPLATE, &json!({"password": "x"})).reads_secrets_of(0));
    let text = TEMPLATE.replace("net.listSecrets().key", "password");
    assert!(!deployed(&text, &json!({"password": "x"})).reads_secrets_of(0));
    let resource = ran().0.remove(&0).flatten().unwrap();
    assert!(!format!("{resource:?}").contains("canary"));
}

#[test]
fn a_recipe_states_its_module_and_its_parameters_with_their_places() {
    let deployment = deployed(TEMPLATE, &json!({"password": "canary"}));
    let recipe = deployment.recipe(0, &NothingKnown).unwrap().unwrap();
    let (written, path) = ("./recipes/network".into(), "recipes/network".to_owned());
    assert_eq!(recipe.module, Some(Module::Directory { written, path }));
    assert_eq!(shown(&recipe.parameters), "{cidr:\"10.0.0.0/16\",password:*\"canary\",size:2}");
    let at = |place: &hangar_template::source::Place| {
        TEMPLATE[place.span.start..place.span.end].to_owned()
    };
    assert_eq!(at(&recipe.source_place), "'./recipes/network'");
    assert_eq!(at(recipe.parameter_place("size")), "size");
    assert_eq!(at(recipe.parameter_place("lacking")), "parameters");
    assert!(deployment.recipe(1, &NothingKnown).unwrap().is_none(), "a bucket is no recipe");
}

#[test]
fn loops_conditions_existing_and_nested_ones_are_as_for_other_resources() {
    let text = "\
extension aws
extension hangar
resource each 'Hangar.Recipes/recipes@2023-10-01-preview' = [for (zone, i) in ['a', 'b']: {
  name: 'net-${zone}'
  properties: { source: 'acme/network/aws', version: '~> 1.0', parameters: { zone: zone } }
}]
resource never 'Hangar.Recipes/recipes@2023-10-01-preview' = if (false) {
  name: 'never'
  properties: { source: 'acme/network/aws' }
}
@nullIfNotFound()
resource old 'hangar:Hangar.Recipes/recipes@2023-10-01-preview' existing = {
  name: 'old'
}
resource outer 'AWS.S3/Bucket@default' = {
  alias: 'outer'
  resource inner 'hangar.recipes/RECIPES@2023-10-01-preview' = {
    name: 'inner'
    properties: { source: 'git::https://example.com/x.git' }
    dependsOn: [each[1]]
  }
}
output first string = each[0].properties.status.values.id
@secure()
output second string = each[1].listSecrets().key
output kept string? = old.?properties.status.values.id
";
    let deployment = deployed(text, &json!({}));
    assert_eq!(
        nodes(&deployment),
        [
            "each[0] Hangar.Recipes/recipes net-a <-",
            "each[1] Hangar.Recipes/recipes net-b <-",
            "old Hangar.Recipes/recipes existing? old <-",
            "outer AWS.S3/Bucket outer <-",
            "outer::inner Hangar.Recipes/recipes inner <- each[1] outer",
        ]
    );
    let world = World(std::iter::once((2, None)).collect());
    assert_eq!(outputs_of(&deployment, &world)[2], "kept=null");
    let remote = deployment.recipe(1, &NothingKnown).unwrap().unwrap();
    assert_eq!(remote.module, Some(Module::Remote("acme/network/aws".into())));
    assert_eq!(shown(&remote.version.unwrap()), "\"~> 1.0\"");
}

#[test]
fn a_source_that_hangs_on_a_parameter_is_fine_where_the_template_is_only_looked_at() {
    let text = "\
param where string
resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'net'
  properties: { source: where }
}
";
    let looked = Inputs { missing: MissingParameter::Unknown, ..inputs(&json!({})) };
    let deployment = started(text, &looked).deployment.unwrap();
    assert_eq!(deployment.recipe(0, &NothingKnown).unwrap().unwrap().module, None);
}

/// What is wrong with a recipe whose body, after its name, is this.
fn wrong(body: &str) -> Vec<String> {
    problems(&format!(
        "extension aws\n@secure()\nparam password string = ''\n\
         resource vpc 'AWS.EC2/VPC@default' = {{\n  alias: 'vpc'\n}}\n\
         resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {{\n  name: 'net'\n  {body}\n}}\n"
    ))
}

#[test]
fn what_is_wrong_with_a_body_is_told_at_its_place() {
    for (body, expected) in [
        (
            "",
            "error[TMPL0020]: the recipe lacks the required property `source` @ net (add \
             `source` to its `properties`: a directory next to the template such as `'./network'`, \
             `namespace/name/provider` or `git::…`)",
        ),
        (
            "properties: { source: './n', parameter: {} }",
            "error[BCP089]: the property `parameter` is not allowed on a recipe @ parameter (did you mean \
             `parameters`?)",
        ),
        (
            "properties: { source: './n', cidr: 1 }",
            "error[BCP037]: the property `cidr` is not allowed on a recipe @ cidr (allowed properties: `source`, `version`, \
             `parameters`; values for the module go into `parameters`)",
        ),
        (
            "alias: 'x'\n  properties: { source: './n' }",
            "error[BCP037]: the property `alias` is not allowed on a recipe @ alias (allowed properties: `name`, \
             `properties`, `dependsOn`; `source` and `parameters` go into `properties`)",
        ),
        (
            "properties: { source: vpc.properties.VpcId }",
            "error[BCP120]: this value must be known at the start of the deployment, but \
             `vpc.properties.VpcId` is not known until `vpc` is deployed @ vpc.properties.VpcId (use \
             parameters, variables or values that are written in the template)",
        ),
        (
            "properties: { source: '../n' }",
            "error[TMPL0020]: the directory of a recipe must be inside the project @ '../n' \
             (the project is the current directory, or the template's folder if the template is \
             elsewhere; move the module into the project)",
        ),
        (
            "properties: { source: '/srv/n' }",
            "error[TMPL0020]: the directory must be relative to the folder of the template @ \
             '/srv/n' (write the directory as in `./network`)",
        ),
        (
            "properties: { source: './n', version: '1' }",
            "error[TMPL0020]: `version` is not allowed for a directory, only for a module from a registry \
             @ '1'",
        ),
        (
            "properties: { source: password }",
            "error[TMPL0020]: a secret cannot be the source of a recipe, because sources are shown @ password",
        ),
        (
            "properties: { source: 5 }",
            "error[BCP033]: `source`: expected `string`, found `int` @ 5",
        ),
        (
            "properties: { source: './n', parameters: [] }",
            "error[BCP033]: `parameters`: expected `object`, found `array` @ []",
        ),
    ] {
        assert_eq!(wrong(body), [expected], "{body}");
    }
}

#[test]
fn what_no_recipe_has_cannot_be_read_of_one() {
    let read = |what: &str| {
        problems(&format!(
            "resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {{\n  name: 'net'\n  \
             properties: {{ source: './n' }}\n}}\nvar x = {what}\n"
        ))
    };
    for (what, expected) in [
        (
            "net.properties.status.value.id",
            "error[BCP083]: the property `value` does not exist on the status of a recipe @ value (did you mean \
             `values`?)",
        ),
        (
            "net.properties.vpc_id",
            "error[BCP053]: the property `vpc_id` does not exist on a recipe @ vpc_id (available properties: `source`, \
             `version`, `parameters`, `secretParameters`, `provisioningState`, `status`; the \
             module's outputs are in `properties.status.values`)",
        ),
        (
            "net.alias",
            "error[BCP053]: the property `alias` does not exist on a recipe @ alias (available properties: `id`, `name`, `type`, \
             `properties`; the recipe's outputs are in `properties.status.values`, as in `properties.status.values.alias`)",
        ),
        (
            "net.listSecrets('x').key",
            "error[BCP071]: `listSecrets` expects 0 arguments, found 1 @ ('x')",
        ),
    ] {
        let found = read(what);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_told(&found, &[expected], what);
    }
}

#[test]
fn names_are_there_unique_and_no_secrets_and_versions_are_right() {
    let recipe = |name: &str, body: &str| {
        format!("resource {name} 'Hangar.Recipes/recipes@2023-10-01-preview' = {{\n  {body}\n}}\n")
    };
    let named = "name: 'Net'\n  properties: { source: './n' }";
    let twice = recipe("a", named) + &recipe("b", &named.replace("Net", "net"));
    assert_eq!(
        problems(&twice),
        [
            "error[TMPL0014]: `a` and `b` have the same type and the same name `net` @ 'net' / 'Net' \
          (change the name of one of them)"
        ]
    );
    assert_eq!(
        problems(&recipe("myNet", "properties: { source: './n' }")),
        ["error[TMPL0008]: the recipe `myNet` has no `name` @ myNet (add `name: 'my-net'`; \
          Hangar finds the recipe by this name in the next deployment)"]
    );
    assert_eq!(
        problems(&recipe("n", "name: 'a/b'\n  properties: { source: './n' }")),
        ["error[TMPL0009]: `a/b` cannot be a name: it contains a control character or one of \
          `<>%&:\\?/#` @ 'a/b'"]
    );
    assert_eq!(
        problems("resource n 'Hangar.Recipes/recipes@2020-01-01' = {\n  name: 'n'\n}\n"),
        ["error[BCP029]: `Hangar.Recipes/recipes@2020-01-01` is not a valid resource type @ \
          'Hangar.Recipes/recipes@2020-01-01' (write `Hangar.Recipes/recipes@2023-10-01-preview`)"]
    );
    assert_eq!(
        problems("resource n 'x:Hangar.Recipes/recipes@2023-10-01-preview' = {\n  name: 'n'\n}\n"),
        ["error[TMPL0013]: no extension `hangar` with the name `x` is declared @ \
          'x:Hangar.Recipes/recipes@2023-10-01-preview' (remove `x:`)"]
    );
    assert_eq!(
        problems(
            "resource n 'Hangar.Recipes/recipes@2023-10-01-preview' existing = {\n  name: 'n'\n  \
             properties: {}\n}\n"
        ),
        [
            "error[BCP037]: `properties` is not allowed on an `existing` recipe, which is read and not run @ \
          properties (write only its `name`)"
        ]
    );
}
