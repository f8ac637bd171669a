//! What is said of bodies, code by code.

use super::fixture::{said, thing};

/// What is said of these properties of a `AWS.Test/Thing`; they begin on the third line.
fn of(properties: &str) -> Vec<String> {
    said(&thing("Thing", properties))
}

#[test]
fn an_unknown_property_is_shown_at_its_key_with_the_near_name() {
    assert_eq!(
        of("Cuont: 4"),
        [
            "error BCP089 3:1 «Cuont» `Cuont` is not a property of AWS.Test/Thing",
            "  did you mean `Count`?"
        ]
    );
    assert_eq!(
        of("Deep: { In: 'a', Out: [], More: 1 }"),
        ["error BCP037 3:27 «More» `Deep.More` is not a property of AWS.Test/Thing", "  remove it"]
    );
    assert_eq!(
        of("In: 'a'"),
        [
            "error BCP037 3:1 «In» `In` is not a property of AWS.Test/Thing",
            "  the schema has `Deep.In`; move it there"
        ]
    );
    assert_eq!(
        of("Count: 4, Coun: 4"),
        [
            "error BCP089 3:11 «Coun» `Coun` is not a property of AWS.Test/Thing",
            "  did you mean `Count`? It is already set; keep one of the two"
        ]
    );
}

#[test]
fn a_name_in_a_map_must_match_its_pattern() {
    let text = "param r string\nresource it 'AWS.Lambda/Function@default' = {\n\
                alias: 'it', properties: {\nRole: r, Code: { ZipFile: 'x' }, Environment: { Variables: { N: 'x' } }\n}}\n";
    assert_eq!(
        said(text),
        [
            "error BCP037 4:62 «N» `Environment.Variables.N` is not a name that \
             AWS.Lambda/Function allows there",
            "  names here must match `[a-zA-Z][a-zA-Z0-9_]+`"
        ]
    );
}

#[test]
fn a_property_that_aws_sets_is_shown_at_its_key() {
    assert_eq!(
        of("Id: 'x'"),
        [
            "error BCP073 3:1 «Id» `Id` of AWS.Test/Thing is read-only: AWS sets it",
            "  remove it; its value can be read from the resource"
        ]
    );
}

#[test]
fn a_wrong_type_is_shown_at_the_value() {
    assert_eq!(
        of("Count: 'four'"),
        [
            "error BCP036 3:8 «'four'» `Count` of AWS.Test/Thing is a string, but its schema \
             expects an int",
            "  write an int"
        ]
    );
    assert_eq!(
        of("Count: '4'"),
        [
            "warning BCP036 3:8 «'4'» `Count` of AWS.Test/Thing is a string, but its schema \
             expects an int",
            "  write it without quotes"
        ]
    );
    assert_eq!(
        of("Name: 44"),
        [
            "error BCP036 3:7 «44» `Name` of AWS.Test/Thing is an int, but its schema expects a \
             string",
            "  write it in single quotes, or as `string(…)`"
        ]
    );
    assert_eq!(
        of("Deep: [1]"),
        [
            "error BCP036 3:7 «[1]» `Deep` of AWS.Test/Thing is an array, but its schema expects \
             an object",
            "  write an object: `{ In, Out }`"
        ]
    );
    assert_eq!(
        of("List: 'a'"),
        [
            "error BCP036 3:7 «'a'» `List` of AWS.Test/Thing is a string, but its schema expects \
             an array",
            "  write an array: put `[` and `]` around it"
        ]
    );
    assert_eq!(
        of("List: [\n'a'\ntrue\n]"),
        [
            "error BCP034 5:1 «true» `List[1]` of AWS.Test/Thing is a bool, but its schema expects \
             a string",
            "  write it in single quotes, or as `string(…)`"
        ]
    );
    assert_eq!(
        of("Either: 1"),
        [
            "error BCP036 3:9 «1» `Either` of AWS.Test/Thing is an int, but its schema expects an \
             object",
            "  write an object: `{ L, R }`"
        ]
    );
}

#[test]
fn a_value_that_is_not_listed_is_shown_with_the_near_one() {
    assert_eq!(
        of("Mode: 'fsat'"),
        [
            "error BCP088 3:7 «'fsat'» `Mode` of AWS.Test/Thing is `'fsat'`, which is not allowed",
            "  did you mean `'fast'`?",
            "  the allowed values are `'fast'`, `'slow'`, `'a'`, `'b'`, `'c'`, `'d'`, `'e'`, `'f'` \
             and 2 more"
        ]
    );
    assert_eq!(
        of("Mode: 'unlike'"),
        [
            "error BCP036 3:7 «'unlike'» `Mode` of AWS.Test/Thing is `'unlike'`, which is not allowed",
            "  the allowed values are `'fast'`, `'slow'`, `'a'`, `'b'`, `'c'`, `'d'`, `'e'`, `'f'` \
             and 2 more"
        ]
    );
    assert_eq!(
        of("Modes: ['fast', 'unlike']"),
        [
            "error BCP034 3:17 «'unlike'» `Modes[1]` of AWS.Test/Thing is `'unlike'`, which is not allowed",
            "  the allowed values are `'fast'` and `'slow'`"
        ]
    );
}

#[test]
fn all_that_an_object_lacks_is_one_problem_at_its_key() {
    assert_eq!(
        of("Deep: {}"),
        [
            "error BCP035 3:1 «Deep» `Deep` of AWS.Test/Thing lacks the required properties `In` and `Out`",
            "  add `In` (a string) and `Out` (an array)"
        ]
    );
    assert_eq!(
        of("Deep: { In: 'a' }"),
        [
            "error BCP035 3:1 «Deep» `Deep` of AWS.Test/Thing lacks the required property `Out`",
            "  add `Out` (an array)"
        ]
    );
    assert_eq!(
        said(&thing("Strict", "Flag: true")),
        [
            "error BCP035 1:10 «it» AWS.Test/Strict lacks the required properties `Name` and `Count`",
            "  add `Name` (a string) and `Count` (an int)"
        ]
    );
    assert_eq!(
        said("resource it 'AWS.Test/Strict@default' = {\nalias: 'it'\n}\n"),
        [
            "error BCP035 1:10 «it» AWS.Test/Strict lacks the required properties `Name` and `Count`",
            "  add `Name` (a string) and `Count` (an int)"
        ]
    );
    assert_eq!(
        of("Choice: {}"),
        [
            "error BCP035 3:1 «Choice» `Choice` of AWS.Test/Thing lacks one of `X`, `Y`",
            "  add exactly one of `X`, `Y`"
        ]
    );
}

#[test]
fn limits_are_shown_at_the_value() {
    assert_eq!(
        of("Count: 1"),
        [
            "error BCP328 3:8 «1» `Count` of AWS.Test/Thing is `1`, which is too small",
            "  write a number of at least 2",
            "error TMPL0210 3:8 «1» `Count` of AWS.Test/Thing is `1`, which is not a multiple of 2",
            "  write a multiple of 2"
        ]
    );
    assert_eq!(
        of("Count: 12"),
        [
            "error BCP327 3:8 «12» `Count` of AWS.Test/Thing is `12`, which is too large",
            "  write a number of at most 10"
        ]
    );
    assert_eq!(
        of("Count: 3"),
        [
            "error TMPL0210 3:8 «3» `Count` of AWS.Test/Thing is `3`, which is not a multiple of 2",
            "  write a multiple of 2"
        ]
    );
    assert_eq!(
        of("Name: 'a'"),
        [
            "error BCP333 3:7 «'a'» `Name` of AWS.Test/Thing is too short: it has 1 character",
            "  write at least 2 characters"
        ]
    );
    assert_eq!(
        of("Name: 'abcdef'"),
        [
            "error BCP332 3:7 «'abcdef'» `Name` of AWS.Test/Thing is too long: it has 6 characters",
            "  write at most 5 characters"
        ]
    );
    assert_eq!(
        of("Name: 'A_B'"),
        [
            "error TMPL0203 3:7 «'A_B'» `Name` of AWS.Test/Thing is `'A_B'`, which does not match its pattern",
            "  write a value that matches `^[a-z-]+$`"
        ]
    );
    assert_eq!(
        of("List: []"),
        [
            "error BCP333 3:7 «[]» `List` of AWS.Test/Thing is too short: it has 0 items",
            "  write at least 1 item"
        ]
    );
    assert_eq!(
        of("List: ['a', 'b', 'c']"),
        [
            "error BCP332 3:7 «['a', 'b', 'c']» `List` of AWS.Test/Thing is too long: it has 3 items",
            "  write at most 2 items"
        ]
    );
    assert_eq!(
        of("List: ['a', 'a']"),
        [
            "error TMPL0208 3:13 «'a'» `List[1]` of AWS.Test/Thing equals the item at index 0, but \
             all items must differ",
            "  remove one of the two"
        ]
    );
    assert_eq!(
        of("Map: {}"),
        [
            "error TMPL0209 3:6 «{}» `Map` of AWS.Test/Thing has too few properties: it has 0 properties",
            "  write at least 1 property"
        ]
    );
    assert_eq!(
        of("When: 'tomorrow'"),
        [
            "warning TMPL0204 3:7 «'tomorrow'» `When` of AWS.Test/Thing is `'tomorrow'`, which does not look like a `date-time`",
            "  check that the value is a `date-time`"
        ]
    );
}

#[test]
fn alternatives_and_dependencies_are_shown_at_the_key_of_the_object() {
    assert_eq!(
        of("Choice: { X: 'a', Y: 'b' }"),
        [
            "error TMPL0207 3:1 «Choice» `Choice` of AWS.Test/Thing sets all of `X`, `Y`, but its \
             schema allows exactly one",
            "  set exactly one of `X`, `Y`"
        ]
    );
    assert_eq!(
        of("Either: { L: 'a', R: 1 }"),
        [
            "error TMPL0207 3:1 «Either» `Either` of AWS.Test/Thing sets `L` and `R`, but its \
             schema expects exactly one of `L`, `R`",
            "  set exactly one of `L`, `R`"
        ]
    );
    assert_eq!(
        of("Pair: { A: 'a' }"),
        [
            "error TMPL0206 3:1 «Pair» `Pair` of AWS.Test/Thing sets `A` without `B`",
            "  add `B`, or remove `A`"
        ]
    );
}

#[test]
fn a_deprecated_property_is_a_warning() {
    assert_eq!(
        of("Old: 'x'"),
        [
            "warning TMPL0205 3:1 «Old» `Old` of AWS.Test/Thing is deprecated",
            "  it is still accepted; the AWS documentation of the type names its replacement"
        ]
    );
}

#[test]
fn problems_come_in_the_order_of_the_text() {
    assert_eq!(
        of("Zzz: 1\nName: 4\nCount: 'x'\nDeep: {}\nAaa: 1"),
        [
            "error BCP037 3:1 «Zzz» `Zzz` is not a property of AWS.Test/Thing",
            "  remove it; the properties here are `Choice`, `Either`, `Flag`, `List`, `Map`, `Mode`, `Modes`, `Old` and 3 more",
            "error BCP036 4:7 «4» `Name` of AWS.Test/Thing is an int, but its schema expects a \
             string",
            "  write it in single quotes, or as `string(…)`",
            "error BCP036 5:8 «'x'» `Count` of AWS.Test/Thing is a string, but its schema expects \
             an int",
            "  write an int",
            "error BCP035 6:1 «Deep» `Deep` of AWS.Test/Thing lacks the required properties `In` and `Out`",
            "  add `In` (a string) and `Out` (an array)",
            "error BCP037 7:1 «Aaa» `Aaa` is not a property of AWS.Test/Thing",
            "  remove it; the properties here are `Choice`, `Either`, `Flag`, `List`, `Map`, `Mode`, `Modes`, `Old` and 3 more"
        ]
    );
}

#[test]
fn a_name_that_is_no_identifier_is_written_as_an_index() {
    assert_eq!(
        of("Map: { 'a b': 1, 'x/y~z': 2 }"),
        [
            "error BCP036 3:15 «1» `Map['a b']` of AWS.Test/Thing is an int, but its schema \
             expects a string",
            "  write it in single quotes, or as `string(…)`",
            "error BCP036 3:27 «2» `Map['x/y~z']` of AWS.Test/Thing is an int, but its schema \
             expects a string",
            "  write it in single quotes, or as `string(…)`"
        ]
    );
}

#[test]
fn the_hint_for_a_value_of_the_wrong_kind_shows_what_the_schema_describes() {
    let hint = |kind: &str, properties: &str| {
        let text = format!(
            "resource it 'AWS.{kind}@default' = {{\nalias: 'it', properties: {{\n{properties}\n}}}}\n"
        );
        let found = said(&text).into_iter().find(|line| line.starts_with("  write"));
        found.unwrap_or_else(|| panic!("{:?}", said(&text)))
    };
    assert_eq!(
        hint("SQS/Queue", "Tags: { app: 'x', 'b c': 1 }"),
        "  write an array of objects: `[{ Key: 'app', Value: 'x' }, { Key: 'b c', Value: '1' }]`"
    );
    assert_eq!(hint("SQS/Queue", "Tags: ['app']"), "  write an object: `{ Key, Value }`");
    assert_eq!(
        hint(
            "EC2/SecurityGroup",
            "GroupDescription: 'd', SecurityGroupIngress: { IpProtocol: 'tcp' }"
        ),
        "  write an array of such objects: put `[` and `]` around it"
    );
    assert_eq!(
        hint("EC2/SecurityGroup", "GroupDescription: 'd', SecurityGroupIngress: 'tcp'"),
        "  write an array of objects: `[{ IpProtocol, CidrIp, CidrIpv6, Description, FromPort, \
         SourcePrefixListId, … }]`"
    );
    assert_eq!(
        hint("SSM/Parameter", "Type: 'String', Value: 'v', Tags: [{ Key: 'app', Value: 'x' }]"),
        "  write an object with a member for each name: `{ app: 'x' }`"
    );
}

#[test]
fn a_value_that_only_cfn_lint_knows_to_be_wrong_is_a_warning() {
    let text = "resource t 'AWS.DynamoDB/Table@default' = {\nalias: 't', properties: {\nBillingMode: 'ON_DEMAND'\n\
                KeySchema: [{ AttributeName: 'id', KeyType: 'hash' }]\n\
                AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'string' }]\n}}\n\
                resource b 'AWS.S3/Bucket@default' = { alias: 'b', properties: { BucketName: 'My_Bucket' } }\n";
    let said = said(text);
    let warnings: Vec<&String> = said.iter().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(
        warnings,
        [
            "warning BCP036 3:14 «'ON_DEMAND'» `BillingMode` of AWS.DynamoDB/Table is `'ON_DEMAND'`, which is not allowed",
            "warning BCP088 4:45 «'hash'» `KeySchema[0].KeyType` of AWS.DynamoDB/Table is `'hash'`, which is not allowed",
            "warning BCP036 5:62 «'string'» `AttributeDefinitions[0].AttributeType` of AWS.DynamoDB/Table is `'string'`, which is not allowed",
            "warning TMPL0203 7:78 «'My_Bucket'» `BucketName` of AWS.S3/Bucket is `'My_Bucket'`, which does not match its pattern",
        ],
        "{said:#?}"
    );
    assert!(
        said.contains(
            &"  the allowed values are `'PAY_PER_REQUEST'` and `'PROVISIONED'`".to_owned()
        ),
        "{said:#?}"
    );
    assert!(!said.iter().any(|line| line.starts_with("error")), "{said:#?}");
}
