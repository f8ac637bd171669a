//! Where mistakes are shown: the most exact place that there is, once, unless the text silences them.

use hangar_template::deployment::{Known, Resource, Sight};
use serde_json::{Value as Json, json};

use super::fixture::{NOTHING, deployment, said, schema_of, thing};
use crate::template_check::{check, check_body, without_silenced};

fn places(text: &str) -> Vec<String> {
    said(text).into_iter().filter(|line| !line.starts_with("  ")).collect()
}

#[test]
fn what_lies_in_a_computed_value_is_shown_at_what_is_written_around_it() {
    let text = "var deep = { In: 1, Nope: true, Out: [] }\nresource it 'AWS.Test/Thing@default' = {\n\
                alias: 'it', properties: {\nDeep: deep\nList: [for n in [1]: n]\n} }\n";
    assert_eq!(
        places(text),
        [
            "error BCP036 4:7 «deep» `Deep.In` of AWS.Test/Thing is an int, but its schema expects \
             a string",
            "error BCP037 4:7 «deep» `Deep.Nope` is not a property of AWS.Test/Thing",
            "error BCP034 5:22 «n» `List[0]` of AWS.Test/Thing is an int, but its schema expects a \
             string",
        ]
    );
}

#[test]
fn a_mistake_in_a_loop_is_said_once() {
    let text = "resource it 'AWS.Test/Thing@default' = [for n in range(0, 9): {\n\
                alias: 'it-${n}', properties: { Cuont: n }\n}]\noutput o string = it[1].properties.Idd\n";
    assert_eq!(
        places(text),
        [
            "error BCP089 2:33 «Cuont» `Cuont` is not a property of AWS.Test/Thing",
            "error BCP083 4:36 «Idd» `Idd` is not a property of AWS.Test/Thing",
        ]
    );
}

#[test]
fn what_a_schema_says_can_be_silenced_where_it_is_written() {
    let silenced =
        thing("Thing", "#disable-next-line BCP089 TMPL0205\nCuont: 4, Old: 'x'\nFlga: true");
    assert_eq!(
        places(&silenced),
        ["error BCP089 5:1 «Flga» `Flga` is not a property of AWS.Test/Thing"]
    );
    let unknown =
        "#disable-next-line BCP081\nresource it 'AWS.Test/No@default' = { alias: 'it' }\n";
    assert_eq!(places(unknown), ["error BCP081 2:10 «it» there is no resource type AWS.Test/No"]);
}

/// The one resource before the last that a template names is there.
struct There(Resource);

impl Known for There {
    fn resource(&self, node: usize) -> Sight<'_> {
        if node == 0 { Sight::Known(&self.0) } else { Sight::Unknown }
    }
}

#[test]
fn a_body_is_checked_again_with_what_has_become_known() {
    let text = "resource one 'AWS.Test/Thing@default' = { alias: 'one' }\n\
                resource it 'AWS.Test/Thing@default' = { alias: 'it', properties: {\n\
                Name: one.properties.Id\n#disable-next-line TMPL0205\nOld: one.properties.Id\n} }\n";
    let deployment = deployment(text, &Json::Null);
    assert!(check(&deployment, &schema_of).is_empty());
    let node = &deployment.nodes()[1];
    let schema = schema_of(&node.aws().unwrap().type_name).unwrap();
    let codes = |id: &str| -> Vec<&'static str> {
        let properties = json!({ "Id": id });
        let (id, name, secrets) = (id.into(), id.into(), None);
        let known = There(Resource { id, name, properties, changing: false, secrets });
        let body = deployment.body(1, &known).unwrap();
        let problems = without_silenced(&deployment, check_body(node, &body, &schema));
        problems.iter().map(|problem| problem.diagnostic.code.as_str()).collect()
    };
    assert_eq!(codes("ok"), NOTHING);
    assert_eq!(codes("too-long"), ["BCP332"]);
}
