//! Generated configurations, as documents.

use std::collections::{BTreeMap, BTreeSet};

use hangar_manifest::recipe::configuration::{
    Aws, AwsCredential, AwsEndpoint, Azure, Configuration, ConfigurationError, Facts, Kubernetes,
    Parts, ProviderBlock, S3PathStyle, configuration, skeleton,
};
use hangar_manifest::recipe::context::{self, Context};
use hangar_manifest::recipe::module::{Outline, outline};
use hangar_manifest::recipe::secret::Secret;
use hangar_manifest::recipe::source::{Source, parse};
use serde_json::{Map, Value, json};

/// The parts of a configuration that tests change one of.
pub(crate) struct Case {
    pub(crate) source: Source,
    pub(crate) module: Outline,
    pub(crate) nested: Vec<Outline>,
    pub(crate) parameters: Vec<Map<String, Value>>,
    pub(crate) secret_parameters: BTreeSet<String>,
    pub(crate) context: Context,
    pub(crate) providers: BTreeMap<String, Vec<ProviderBlock>>,
    pub(crate) facts: Facts,
}

impl Case {
    pub(crate) fn of(module: &str) -> Self {
        let module = outline(&[("main.tf", module.as_bytes())]);
        assert_eq!(module.problems, []);
        Self {
            source: parse("../module", None).expect("a directory"),
            module,
            nested: Vec::new(),
            parameters: Vec::new(),
            secret_parameters: BTreeSet::new(),
            context: context(),
            providers: BTreeMap::new(),
            facts: Facts::default(),
        }
    }

    pub(crate) fn with(mut self, parameters: Value) -> Self {
        let Value::Object(parameters) = parameters else { panic!("parameters are an object") };
        self.parameters.push(parameters);
        self
    }

    pub(crate) fn configured(mut self, name: &str, settings: Value, secrets: &[&str]) -> Self {
        let Value::Object(settings) = settings else { panic!("settings are an object") };
        let secrets = secrets.iter().map(|it| (*it).to_owned()).collect();
        let block = ProviderBlock { settings, secrets };
        self.providers.entry(name.to_owned()).or_default().push(block);
        self
    }

    pub(crate) fn result(&self) -> Result<Configuration, ConfigurationError> {
        configuration(&Parts {
            source: &self.source,
            module: &self.module,
            nested: &self.nested,
            parameters: &self.parameters.iter().collect::<Vec<_>>(),
            secret_parameters: &self.secret_parameters,
            context: &self.context,
            providers: &self.providers,
            facts: &self.facts,
        })
    }

    pub(crate) fn built(&self) -> Configuration {
        self.result().expect("the parts are good")
    }

    fn mistakes(&self) -> Vec<String> {
        self.result()
            .expect_err("the parts are not good")
            .problems
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

pub(crate) fn context() -> Context {
    let named = |name: &str| context::Named { id: format!("/x/{name}"), name: name.to_owned() };
    let resource = |name: &str, properties: Value| context::Resource {
        id: format!("/x/{name}"),
        name: name.to_owned(),
        kind: "Hangar.Data/cache".to_owned(),
        properties: properties.as_object().cloned().unwrap_or_default(),
    };
    Context {
        resource: resource(
            "orders",
            json!({"size": "s", "port": 6379, "tls": true, "tags": ["a"]}),
        ),
        connections: BTreeMap::from([("db".to_owned(), resource("pg", json!({"host": "h"})))]),
        application: None,
        environment: named("dev"),
        kubernetes: context::Kubernetes {
            namespace: "dev-orders".to_owned(),
            environment_namespace: "dev".to_owned(),
        },
        azure: None,
        aws: Some(context::Aws {
            region: "eu-west-1".to_owned(),
            account: "123456789012".to_owned(),
        }),
    }
}

#[test]
fn a_value_is_a_root_variable_and_never_in_the_configuration() {
    let case = Case::of(
        "variable \"name\" {}\nvariable \"size\" { default = 1 }\noutput \"o\" { value = 1 }",
    )
    .with(json!({"name": "${file(\"/etc/passwd\")}"}));
    let built = case.built();
    assert_eq!(
        built.main_tf,
        json!({
            "terraform": {"backend": {"http": {}}},
            "module": {"recipe": {"source": "../module", "name": "${var.name}"}},
            "variable": {"name": {}},
            "output": {"o": {"value": "${module.recipe.o}"}},
        })
    );
    assert_eq!(built.variables, json!({"name": "${file(\"/etc/passwd\")}"}));
}

#[test]
fn later_parameters_win_and_null_leaves_the_default() {
    let case = Case::of("variable \"a\" { default = 0 }\nvariable \"b\" { default = 0 }\nvariable \"c\" { default = {} }")
        .with(json!({"a": 1, "b": 1, "c": {"x": 1}}))
        .with(json!({"b": null, "c": {"y": 2}, "undeclared": null}));
    assert_eq!(case.built().variables, json!({"a": 1, "c": {"y": 2}}));
}

#[test]
fn sensitive_is_what_the_module_or_the_caller_calls_so() {
    let mut case = Case::of(
        "variable \"a\" { sensitive = true }\nvariable \"b\" {}\nvariable \"c\" {}\n\
         output \"x\" {\n value = 1\n sensitive = true\n}\noutput \"y\" { value = 1 }",
    )
    .with(json!({"a": 1, "b": 2, "c": 3}));
    case.secret_parameters.insert("b".to_owned());
    let main = case.built().main_tf;
    assert_eq!(
        main["variable"],
        json!({"a": {"sensitive": true}, "b": {"sensitive": true}, "c": {}})
    );
    assert_eq!(main["output"]["x"]["sensitive"], json!(true));
    assert_eq!(main["output"]["y"], json!({"value": "${module.recipe.y}"}));
}

#[test]
fn a_result_is_the_one_output_and_sensitive() {
    let case = Case::of("output \"result\" { value = {} }\noutput \"other\" { value = 1 }");
    assert_eq!(
        case.built().main_tf["output"],
        json!({"result": {"value": "${module.recipe.result}", "sensitive": true}})
    );
}

#[test]
fn every_mistake_with_parameters_is_told_at_once() {
    let case = Case::of("variable \"region\" { type = string }\nvariable \"size\" {}\nvariable \"ok\" {}")
        .with(json!({"regoin": "x", "size": null, "ok": "{{context.resource.properties.nope}}", "zzzzzz": 1}));
    assert_eq!(
        case.mistakes(),
        [
            "parameter `ok`: `{{context.resource.properties.nope}}`: the context has no such value",
            "the module has no variable `regoin`; did you mean `region`?",
            "the module has no variable `zzzzzz`",
            "the module needs a value for `region` (string)",
            "the module needs a value for `size`",
        ]
    );
}

#[test]
fn the_context_goes_to_whoever_declares_it_and_to_nobody_else() {
    let with = Case::of("variable \"context\" {}\nvariable \"a\" {}")
        .with(json!({"a": "{{context.aws.region}}"}));
    let built = with.built();
    assert_eq!(built.variables["context"]["aws"]["region"], "eu-west-1");
    assert_eq!(built.variables["a"], "{{context.aws.region}}");
    assert_eq!(built.main_tf["module"]["recipe"]["context"], "${var.context}");

    let without =
        Case::of("variable \"a\" {}").with(json!({"a": "{{context.aws.region}}"})).built();
    assert_eq!(without.variables, json!({"a": "eu-west-1"}));

    let given = Case::of("variable \"context\" {}").with(json!({"context": {}}));
    assert_eq!(
        given.mistakes(),
        ["`context` is set by Hangar and cannot be passed as a parameter"]
    );
}

#[test]
fn a_context_has_null_for_no_application_and_nothing_for_no_cloud() {
    assert_eq!(
        context().to_value(),
        json!({
            "resource": {
                "id": "/x/orders", "name": "orders", "type": "Hangar.Data/cache",
                "properties": {"size": "s", "port": 6379, "tls": true, "tags": ["a"]},
                "connections": {"db": {
                    "id": "/x/pg", "name": "pg", "type": "Hangar.Data/cache", "properties": {"host": "h"},
                }},
            },
            "application": null,
            "environment": {"id": "/x/dev", "name": "dev"},
            "runtime": {"kubernetes": {"namespace": "dev-orders", "environmentNamespace": "dev"}},
            "aws": {"region": "eu-west-1", "account": "123456789012"},
        })
    );
    let mut with = context();
    with.azure = Some(context::Azure {
        resource_group: context::Named { id: "/rg".to_owned(), name: "rg".to_owned() },
        subscription: "s".to_owned(),
        resource_name_hash: "h".to_owned(),
    });
    assert_eq!(
        with.to_value()["azure"],
        json!({
            "resourceGroup": {"id": "/rg", "name": "rg"},
            "subscription": {"subscriptionId": "s", "id": "/subscriptions/s"},
            "resourceNameHash": "h",
        })
    );
}

fn aws(credential: AwsCredential, endpoint: Option<AwsEndpoint>) -> Facts {
    let account = Some("123456789012".to_owned());
    let aws = Aws { region: "eu-west-1".to_owned(), account, credential, endpoint };
    Facts { aws: Some(aws), ..Facts::default() }
}

#[test]
fn keys_go_by_sensitive_variables() {
    let mut case = Case::of(
        "resource \"aws_vpc\" \"a\" {}\nvariable \"hangar_provider_secret_0\" { default = 1 }",
    );
    case.facts = aws(
        AwsCredential::Keys {
            access: Secret::new("AKIA"),
            secret: Secret::new("hunter2"),
            session: Some(Secret::new("swordfish")),
        },
        None,
    );
    let built = case.built();
    assert_eq!(
        built.main_tf["provider"],
        json!({"aws": [{
            "region": "eu-west-1",
            "access_key": "${var.hangar_provider_secret_0_}",
            "secret_key": "${var.hangar_provider_secret_1}",
            "token": "${var.hangar_provider_secret_2}",
            "allowed_account_ids": ["123456789012"],
        }]})
    );
    assert_eq!(built.main_tf["variable"]["hangar_provider_secret_1"], json!({"sensitive": true}));
    assert_eq!(built.variables["hangar_provider_secret_1"], "hunter2");
    let shown = format!("{} {built:?} {:?}", built.main_tf, case.facts);
    for secret in ["AKIA", "hunter2", "swordfish"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_stand_in_for_aws_has_every_service_and_no_questions() {
    let mut case = Case::of("resource \"aws_vpc\" \"a\" {}");
    let url = "http://127.0.0.1:5000".to_owned();
    case.facts = aws(
        AwsCredential::None,
        Some(AwsEndpoint { url: url.clone(), path_style: S3PathStyle::Force }),
    );
    let block = case.built().main_tf["provider"]["aws"][0].clone();
    assert_eq!(block["endpoints"][0]["sqs"], json!(url));
    assert_eq!(block["s3_force_path_style"], json!(true));
    assert_eq!(block["skip_requesting_account_id"], json!(true));
    assert_eq!(block.get("allowed_account_ids"), None);
}

#[test]
fn roles_are_blocks_and_an_external_id_is_secret() {
    let mut case = Case::of("resource \"aws_vpc\" \"a\" {}");
    case.facts = aws(
        AwsCredential::AssumeRole { role: "arn:r".to_owned(), external_id: Some(Secret::new("e")) },
        None,
    );
    let built = case.built();
    assert_eq!(
        built.main_tf["provider"]["aws"][0]["assume_role"],
        json!([{"role_arn": "arn:r", "external_id": "${var.hangar_provider_secret_0}"}])
    );
    assert_eq!(built.variables, json!({"hangar_provider_secret_0": "e"}));
    let token_file = "/var/run/token".to_owned();
    case.facts = aws(AwsCredential::WebIdentity { role: "arn:r".to_owned(), token_file }, None);
    assert_eq!(
        case.built().main_tf["provider"]["aws"][0]["assume_role_with_web_identity"],
        json!([{"role_arn": "arn:r", "web_identity_token_file": "/var/run/token"}])
    );
}

#[test]
fn providers_are_built_by_address_and_the_environments_own_win() {
    let mut case = Case::of(
        r#"
terraform {
  required_providers {
    amazon  = { source = "registry.terraform.io/hashicorp/aws", version = "~> 5.0" }
    azurerm = { source = "corp/azurerm" }
  }
}
resource "kubernetes_pod" "p" {}
"#,
    );
    case.facts = aws(AwsCredential::None, None);
    case.facts.azure = Some(Azure { subscription: "s".to_owned() });
    case.facts.kubernetes = Some(Kubernetes { kubeconfig: Some("/kube/config".to_owned()) });
    let main = case.built().main_tf;
    assert_eq!(
        main["terraform"]["required_providers"],
        json!({
            "amazon": {"source": "registry.terraform.io/hashicorp/aws", "version": "~> 5.0"},
            "azurerm": {"source": "corp/azurerm"},
        })
    );
    assert_eq!(
        main["provider"],
        json!({
            "amazon": [{"region": "eu-west-1", "allowed_account_ids": ["123456789012"]}],
            "kubernetes": [{"config_path": "/kube/config"}],
        })
    );
    let case = case
        .configured("kubernetes", json!({"host": "https://k/${x}", "token": "t"}), &["/token"])
        .configured("unneeded", json!({"a": 1}), &[]);
    let built = case.built();
    assert_eq!(
        built.main_tf["provider"]["kubernetes"],
        json!([{"host": "https://k/$${x}", "token": "${var.hangar_provider_secret_0}"}])
    );
    assert_eq!(built.variables, json!({"hangar_provider_secret_0": "t"}));
    assert_eq!(built.main_tf["provider"].get("unneeded"), None);
}

#[test]
fn azure_has_its_empty_features() {
    let mut case = Case::of("data \"azurerm_client_config\" \"me\" {}");
    case.facts.azure = Some(Azure { subscription: "s".to_owned() });
    assert_eq!(
        case.built().main_tf["provider"],
        json!({"azurerm": [{"features": [{}], "subscription_id": "s"}]})
    );
}

#[test]
fn a_nested_module_inherits_its_provider_from_the_root() {
    let mut case = Case::of("module \"inner\" { source = \"./inner\" }");
    case.facts = aws(AwsCredential::None, None);
    assert_eq!(case.built().main_tf.get("provider"), None);
    let inner =
        "terraform {\n required_providers {\n amazon = { source = \"hashicorp/aws\" }\n }\n}";
    case.nested = vec![outline(&[("main.tf", inner.as_bytes())])];
    let main = case.built().main_tf;
    assert_eq!(
        main["terraform"]["required_providers"],
        json!({"aws": {"source": "hashicorp/aws"}})
    );
    assert_eq!(main["provider"]["aws"][0]["region"], "eu-west-1");
}

#[test]
fn aliases_are_handed_over_where_the_module_declares_them() {
    let declared = "terraform {\n required_providers {\n aws = {\n source = \"hashicorp/aws\"\n \
                    configuration_aliases = [aws.east]\n }\n }\n}";
    let case = Case::of(declared);
    assert_eq!(
        case.mistakes(),
        [
            "the module requires the provider configuration `aws.east`, but the environment has no configuration with that alias"
        ]
    );
    let case = case
        .configured("aws", json!({"region": "eu-west-1"}), &[])
        .configured("aws", json!({"region": "us-east-1", "alias": "east"}), &[])
        .configured("aws", json!({"region": "us-west-1", "alias": "west"}), &[]);
    let main = case.built().main_tf;
    assert_eq!(
        main["module"]["recipe"]["providers"],
        json!({"aws": "aws", "aws.east": "aws.east"})
    );
    assert_eq!(
        main["terraform"]["required_providers"],
        json!({"aws": {"source": "hashicorp/aws"}})
    );
    let undeclared =
        Case { module: outline(&[("a.tf", b"resource \"aws_vpc\" \"a\" {}")]), ..case };
    assert_eq!(undeclared.built().main_tf["module"]["recipe"].get("providers"), None);
}

#[test]
fn the_skeleton_has_source_and_version() {
    let source = parse("terraform-aws-modules/vpc/aws", Some("~> 5.0")).unwrap();
    assert_eq!(
        skeleton(&source),
        json!({
            "terraform": {"backend": {"http": {}}},
            "module": {"recipe": {"source": "terraform-aws-modules/vpc/aws", "version": "~> 5.0"}},
        })
    );
}
