//! The `context` that a run passes to a module that declares it: what the resource is and where it goes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The facts of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// The resource that the recipe makes.
    pub resource: Resource,
    /// What that is connected to, by the connection's name.
    pub connections: BTreeMap<String, Resource>,
    /// The application that it belongs to.
    pub application: Option<Named>,
    /// The environment, which is its group.
    pub environment: Named,
    /// Where Kubernetes objects go.
    pub kubernetes: Kubernetes,
    /// Azure, where the environment has it.
    pub azure: Option<Azure>,
    /// AWS, where the environment has it.
    pub aws: Option<Aws>,
}

/// A resource as a module sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resource {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// What its author states of it.
    pub properties: Map<String, Value>,
}

/// Something with an id and a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Namespaces of Kubernetes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kubernetes {
    /// The resource's own.
    pub namespace: String,
    /// The environment's.
    pub environment_namespace: String,
}

/// The place in Azure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Azure {
    /// The resource group.
    pub resource_group: Named,
    /// The subscription, by its GUID.
    pub subscription: String,
    /// A short hash for names that must be unique.
    pub resource_name_hash: String,
}

/// The place in AWS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aws {
    /// The region.
    pub region: String,
    /// The account.
    pub account: String,
}

impl Context {
    /// The object that the variable `context` gets.
    ///
    /// Without an application that member is null, so that a module can ask for it; `azure` and `aws`
    /// are left out.
    pub fn to_value(&self) -> Value {
        let mut resource = self.resource.members();
        let connections =
            self.connections.iter().map(|(name, it)| (name.clone(), it.members().into())).collect();
        resource.insert("connections".to_owned(), Value::Object(connections));
        let mut context = json!({
            "resource": resource,
            "application": self.application.as_ref().map(Named::to_value),
            "environment": self.environment.to_value(),
            "runtime": {"kubernetes": {
                "namespace": self.kubernetes.namespace,
                "environmentNamespace": self.kubernetes.environment_namespace,
            }},
        });
        if let Some(azure) = &self.azure {
            context["azure"] = json!({
                "resourceGroup": azure.resource_group.to_value(),
                "subscription": {
                    "subscriptionId": azure.subscription,
                    "id": format!("/subscriptions/{}", azure.subscription),
                },
                "resourceNameHash": azure.resource_name_hash,
            });
        }
        if let Some(aws) = &self.aws {
            context["aws"] = json!({"region": aws.region, "account": aws.account});
        }
        context
    }
}

impl Resource {
    fn members(&self) -> Map<String, Value> {
        Map::from_iter([
            ("id".to_owned(), self.id.clone().into()),
            ("name".to_owned(), self.name.clone().into()),
            ("type".to_owned(), self.kind.clone().into()),
            ("properties".to_owned(), Value::Object(self.properties.clone())),
        ])
    }
}

impl Named {
    fn to_value(&self) -> Value {
        json!({"id": self.id, "name": self.name})
    }
}
