//! The stacks of a CDKTF (or CDK Terrain) app: which there are, and where each keeps its state.

use std::path::{Component, Path, PathBuf};

use hangar_manifest::resolve::Trouble;
use serde_json::Value;

use super::{Look, Looked, STATE_FILE, json, pull};

/// What a stack is synthesized as.
pub(super) const CONFIGURATION: &str = "cdk.tf.json";

/// Where an app is synthesized, if its `cdktf.json` does not say otherwise.
const OUTPUT: &str = "cdktf.out";

impl Look<'_> {
    /// The state of the stack of this name, if there is one in the app here.
    pub(super) async fn of_stack(&mut self) -> Looked {
        let app = &self.ask.directory;
        let settings = json(&app.join("cdktf.json")).await;
        let output = settings.as_ref().and_then(|it| it.get("output")).and_then(Value::as_str);
        let output = app.join(output.unwrap_or(OUTPUT));
        let manifest = output.join("manifest.json");
        let Some(found) = json(&manifest).await else {
            self.tried(&output);
            return Ok(None);
        };
        let stacks = found.get("stacks").and_then(Value::as_object);
        let named = |(key, stack): &(&String, &Value)| {
            *key == self.name || stack.get("name").and_then(Value::as_str) == Some(self.name)
        };
        let Some((_, stack)) = stacks.into_iter().flatten().find(named) else {
            let names: Vec<&str> =
                stacks.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            let told = names.iter().take(10).copied().collect::<Vec<_>>().join(", ");
            self.places.push(format!("{} (stacks: {told})", manifest.display()));
            return Ok(None);
        };
        let part = |name: &str| stack.get(name).and_then(Value::as_str);
        let directory = self.inside(&output, part("workingDirectory").unwrap_or("."))?;
        let configuration = match part("synthesizedStackPath") {
            Some(path) => self.inside(&output, path)?,
            None => directory.join(CONFIGURATION),
        };
        let text = self.synthesized(&directory, &configuration).await?;
        // A stack that is there and has no state was never deployed: nothing else is taken for it.
        text.map(Some).ok_or_else(|| self.missing())
    }

    /// The state of a synthesized stack, by the backend that it has.
    pub(super) async fn synthesized(&mut self, directory: &Path, configuration: &Path) -> Looked {
        let Some(stack) = json(configuration).await else {
            self.tried(configuration);
            return Ok(None);
        };
        let terraform = stack.get("terraform");
        let backends = terraform.and_then(|it| it.get("backend")).and_then(Value::as_object);
        let is_elsewhere = terraform.is_some_and(|it| it.get("cloud").is_some())
            || backends.is_some_and(|it| it.keys().any(|kind| kind != "local"));
        if is_elsewhere {
            return pull::pull(self, directory).await;
        }
        let path = backends.and_then(|it| it.get("local")?.get("path")?.as_str());
        for place in self.places_of(directory, Path::new(path.unwrap_or(STATE_FILE))) {
            if let Some(text) = self.file(&place).await? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// As Terraform reads the path; and below this app, for one that was synthesized elsewhere.
    fn places_of(&self, directory: &Path, path: &Path) -> Vec<PathBuf> {
        let app = &self.ask.directory;
        let mut places = vec![directory.join(path)];
        if path.is_relative() {
            places.push(app.join(path));
        }
        places.extend(path.file_name().map(|name| app.join(name)));
        places.dedup();
        places
    }

    /// A path of the manifest, which leads nowhere but into the output.
    fn inside(&self, output: &Path, path: &str) -> Result<PathBuf, Trouble> {
        let leads_in =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if Path::new(path).components().all(leads_in) {
            return Ok(output.join(path));
        }
        Err(Trouble::Failed {
            message: format!(
                "the path of the stack `{}` is outside of `{}`",
                self.name,
                output.display()
            ),
            hint: Some("synthesize the app again: `cdktf synth`".to_owned()),
        })
    }
}
