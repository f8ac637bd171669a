//! Files that go with stacks: which of them are templates, and under which bucket and key templates
//! look for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hangar_manifest::cloudformation::intrinsic::{Lookup, StackOutput, evaluate};
use serde::Deserialize;
use serde_json::Value;

/// A file of an assembly, and where CDK would put it. Names hold `${AWS::AccountId}` and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Asset {
    pub(in super::super) bucket: String,
    pub(in super::super) key: String,
    pub(in super::super) path: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Manifest {
    #[serde(default)]
    files: BTreeMap<String, File>,
}

#[derive(Debug, Deserialize)]
struct File {
    source: Source,
    #[serde(default)]
    destinations: BTreeMap<String, Destination>,
}

#[derive(Debug, Deserialize)]
struct Source {
    path: Option<PathBuf>,
    packaging: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Destination {
    bucket_name: String,
    object_key: String,
}

/// The files of an asset manifest that may be templates.
pub(super) fn of_manifest(folder: &Path, text: &str) -> Result<Vec<Asset>, String> {
    let manifest: Manifest = super::object(text).map_err(|error| error.to_string())?;
    let mut assets = Vec::new();
    for File { source, destinations } in manifest.files.into_values() {
        let Some(path) = source.path.filter(|path| may_be_template(path)) else { continue };
        if source.packaging.is_some_and(|packaging| packaging != "file") {
            continue;
        }
        assets.extend(destinations.into_values().map(|to| Asset {
            bucket: to.bucket_name,
            key: to.object_key,
            path: folder.join(&path),
        }));
    }
    Ok(assets)
}

fn may_be_template(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["json", "yaml", "yml", "template"].contains(&extension)
}

/// A bucket and a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Object {
    pub(in super::super) bucket: String,
    pub(in super::super) key: String,
}

/// An account and a region, as they stand in names.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Env<'a> {
    /// Twelve digits.
    pub(in super::super) account: &'a str,
    pub(in super::super) region: &'a str,
}

impl Env<'_> {
    /// What a pseudo parameter is there.
    fn pseudo(&self, name: &str) -> Option<&str> {
        let is_in = |prefix| self.region.starts_with(prefix);
        Some(match name {
            "AWS::AccountId" => self.account,
            "AWS::Region" => self.region,
            "AWS::Partition" if is_in("cn-") => "aws-cn",
            "AWS::Partition" if is_in("us-gov-") => "aws-us-gov",
            "AWS::Partition" => "aws",
            "AWS::URLSuffix" if is_in("cn-") => "amazonaws.com.cn",
            "AWS::URLSuffix" => "amazonaws.com",
            _ => return None,
        })
    }

    /// A text of an assembly with its places filled in.
    fn fill(&self, text: &str) -> String {
        ["AWS::AccountId", "AWS::Region", "AWS::Partition", "AWS::URLSuffix"]
            .into_iter()
            .filter_map(|name| Some((format!("${{{name}}}"), self.pseudo(name)?)))
            .fold(text.to_owned(), |text, (hole, value)| text.replace(&hole, value))
    }
}

impl Asset {
    /// Where it is for a stack of that account and region.
    pub(in super::super) fn object(&self, env: Env<'_>) -> Object {
        Object { bucket: env.fill(&self.bucket), key: env.fill(&self.key) }
    }
}

/// A template that a nested stack names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Nested {
    pub(in super::super) logical_id: String,
    pub(in super::super) object: Object,
    /// The file that the template itself says it is.
    pub(in super::super) path: Option<PathBuf>,
}

/// The templates of the nested stacks of a template, as far as the account and the region tell where
/// they are.
pub(in super::super) fn nested(template: &Value, env: Env<'_>) -> Vec<Nested> {
    let resources = template.get("Resources").and_then(Value::as_object).into_iter().flatten();
    let stacks = resources.filter(|(_, it)| it["Type"] == "AWS::CloudFormation::Stack");
    let nested = stacks.filter_map(|(logical_id, resource)| {
        let url = evaluate(&resource["Properties"]["TemplateURL"], &mut Pseudo(env)).ok()??;
        Some(Nested {
            logical_id: logical_id.clone(),
            object: object_of(url.as_str()?)?,
            path: resource["Metadata"]["aws:asset:path"].as_str().map(PathBuf::from),
        })
    });
    nested.collect()
}

/// The bucket and key of a URL: path style, virtual-hosted style, or `s3://`.
fn object_of(url: &str) -> Option<Object> {
    let object = |bucket: &str, key: &str| {
        let is_some = !bucket.is_empty() && !key.is_empty();
        is_some.then(|| Object { bucket: bucket.to_owned(), key: key.to_owned() })
    };
    if let Some(rest) = url.strip_prefix("s3://") {
        let (bucket, key) = rest.split_once('/')?;
        return object(bucket, key);
    }
    let (host, path) = url.strip_prefix("https://")?.split_once('/')?;
    if host.starts_with("s3.") || host.starts_with("s3-") {
        let (bucket, key) = path.split_once('/')?;
        return object(bucket, key);
    }
    let end = host.find(".s3.").or_else(|| host.find(".s3-"))?;
    object(&host[..end], path)
}

/// Knows nothing but where it is.
struct Pseudo<'a>(Env<'a>);

impl Lookup for Pseudo<'_> {
    type Stop = ();

    fn reference(&mut self, name: &str) -> Result<Value, ()> {
        self.0.pseudo(name).map(Value::from).ok_or(())
    }

    fn attribute(&mut self, _: &str, _: &str) -> Result<Value, ()> {
        Err(())
    }

    fn import_value(&mut self, _: &str) -> Result<Value, ()> {
        Err(())
    }

    fn stack_output(&mut self, _: &StackOutput) -> Result<Value, ()> {
        Err(())
    }

    fn availability_zones(&mut self, _: &str) -> Result<Value, ()> {
        Err(())
    }

    fn mapping(&mut self, _: &str, _: &str, _: &str) -> Result<Option<Value>, ()> {
        Err(())
    }

    fn condition(&mut self, _: &str) -> Result<bool, ()> {
        Err(())
    }

    fn extension(&mut self, _: &str, _: &Value) -> Result<Option<Value>, ()> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ENV: Env<'static> = Env { account: "111122223333", region: "eu-west-1" };

    fn object(bucket: &str, key: &str) -> Object {
        Object { bucket: bucket.to_owned(), key: key.to_owned() }
    }

    #[test]
    fn an_asset_manifest_tells_where_its_templates_go_and_nothing_of_other_files() {
        let text = json!({"version": "55.0.0", "files": {
            "a": {
                "displayName": "Storage Template",
                "source": {"path": "Storage.template.json", "packaging": "file"},
                "destinations": {"current_account-current_region": {
                    "bucketName": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}",
                    "objectKey": "a.json",
                    "assumeRoleArn": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/r",
                }},
            },
            "b": {
                "source": {"path": "asset.b", "packaging": "zip"},
                "destinations": {"x": {"bucketName": "c", "objectKey": "b.zip"}},
            },
            "c": {"source": {"executable": ["make"]}, "destinations": {}},
        }, "dockerImages": {}});
        let assets = of_manifest(Path::new("out"), &text.to_string()).unwrap();
        assert_eq!(assets.len(), 1);
        assert_eq!(assets[0].path, Path::new("out/Storage.template.json"));
        let there = object("cdk-hnb659fds-assets-111122223333-eu-west-1", "a.json");
        assert_eq!(assets[0].object(ENV), there);
        assert!(of_manifest(Path::new("out"), "[]").is_err());
    }

    #[test]
    fn the_template_of_a_nested_stack_is_found_by_its_url() {
        let stack = |url: Value| {
            json!({"Resources": {
                "N": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url},
                      "Metadata": {"aws:asset:path": "N.nested.template.json"}},
                "B": {"Type": "AWS::S3::Bucket"},
            }})
        };
        let join = json!({"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, ".",
            {"Ref": "AWS::URLSuffix"}, "/b/k.json"]]});
        let sub =
            json!({"Fn::Sub": "https://b-${AWS::AccountId}.s3.${AWS::Region}.amazonaws.com/x/k"});
        for (url, there) in [
            (join, object("b", "k.json")),
            (sub, object("b-111122223333", "x/k")),
            (json!("https://s3.amazonaws.com/b/x/k"), object("b", "x/k")),
            (json!("https://b.s3-eu-west-1.amazonaws.com/k"), object("b", "k")),
            (json!("s3://b/k"), object("b", "k")),
        ] {
            let found = nested(&stack(url), ENV);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].logical_id.as_str(), &found[0].object), ("N", &there));
            assert_eq!(found[0].path.as_deref(), Some(Path::new("N.nested.template.json")));
        }
        for url in [json!({"Ref": "Parameter"}), json!(1), json!("ftp://a/b"), json!("s3://b")] {
            assert_eq!(nested(&stack(url), ENV), []);
        }
        assert_eq!(nested(&json!([]), ENV), []);
    }

    #[test]
    fn places_are_filled_in_by_the_partition_of_the_region() {
        let china = Env { account: "1", region: "cn-north-1" };
        let text = "${AWS::Partition} ${AWS::URLSuffix} ${AWS::Other}";
        assert_eq!(china.fill(text), "aws-cn amazonaws.com.cn ${AWS::Other}");
    }
}
