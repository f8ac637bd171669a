//! Which deployment a command means: it is named by its name, or by the template that it was deployed from.

use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_plan::record::is_same_template;

use crate::client::deployment::Deployment;
use crate::client::ids::quoted;
use crate::client::request::Request;
use crate::codes;
use crate::commands::deployment::find_all;
use crate::commands::group::missing::unknown_group;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::session::{CallError, Session};
use crate::template::files::is_parameters_file;
use crate::template::identity::TemplateIdentity;
use crate::template::parameters;

/// A deployment as it was typed.
#[derive(Debug)]
pub(crate) struct DeploymentLookup {
    typed: String,
    /// The template, if a file was typed.
    template: Option<PathBuf>,
}

/// Why a deployment is not found.
#[derive(Debug, PartialEq, Eq)]
enum LookupError {
    /// There is none: the name that was looked for.
    Absent(String),
    /// Several deployments have the template.
    Ambiguous(Vec<String>),
}

impl DeploymentLookup {
    /// Reads what was typed; a `.bicepparam` file is opened, because it names the template.
    pub(crate) fn parse(typed: &str, inputs: &mut Inputs) -> Result<Self, Failure> {
        let path = Path::new(typed);
        let template = if is_parameters_file(path) {
            Some(parameters::template_of(path, inputs)?)
        } else {
            let extension = path.extension().and_then(|it| it.to_str());
            matches!(extension, Some("bicep" | "json")).then(|| path.to_owned())
        };
        Ok(Self { typed: typed.to_owned(), template })
    }

    /// The template, if a file was typed.
    pub(crate) fn template(&self) -> Option<&Path> {
        self.template.as_deref()
    }

    /// The name that was typed, or the default name of the template that was typed.
    pub(crate) fn name(&self, session: &Session<'_>, working_directory: &Path) -> String {
        let identity = self.template.as_deref().and_then(|template| {
            TemplateIdentity::of(template, session.directory(), working_directory)
        });
        identity.map_or_else(|| self.typed.clone(), |identity| identity.name)
    }

    /// The name of the deployment; nothing if it does not exist.
    pub(crate) async fn find(
        &self,
        session: &mut Session<'_>,
        group: &str,
        working_directory: &Path,
    ) -> Result<Option<String>, Failure> {
        let there = match find_all(session, group).await {
            Err(Failure::Answered { cause, .. }) if cause.code == "ResourceGroupNotFound" => {
                return Err(unknown_group(session, group).await);
            }
            found => found?,
        };
        let identity = self.template.as_deref().and_then(|template| {
            TemplateIdentity::of(template, session.directory(), working_directory)
        });
        match choose(&self.typed, identity.as_ref(), &there) {
            Ok(name) => Ok(Some(name)),
            Err(LookupError::Absent(_)) => Ok(None),
            Err(LookupError::Ambiguous(names)) => Err(ambiguous(&self.typed, &names)),
        }
    }

    /// The error for a deployment that does not exist, with those that do.
    pub(crate) async fn absent(
        &self,
        session: &mut Session<'_>,
        group: &str,
        working_directory: &Path,
    ) -> Failure {
        let there = find_all(session, group).await.unwrap_or_default();
        let identity = self.template.as_deref().and_then(|template| {
            TemplateIdentity::of(template, session.directory(), working_directory)
        });
        let name = identity.as_ref().map_or(&self.typed, |identity| &identity.name);
        let other = other_template(name, &there);
        let message = match (&self.template, other) {
            (Some(template), Some(other)) => format!(
                "`{}` has no deployment in group `{group}`: `{name}` belongs to the template `{other}`",
                template.display()
            ),
            (Some(template), None) => format!(
                "`{}` has no deployment in group `{group}`: `{name}` does not exist",
                template.display()
            ),
            (None, _) => format!("deployment `{name}` does not exist in group `{group}`"),
        };
        let error = Diagnostic::error(codes::NO_DEPLOYMENT, message);
        if there.is_empty() {
            let hint = match session.directory() {
                Some(directory) => format!(
                    "the group has no deployments in the data directory {}; for a template in another folder, \
                     pass the path of the template",
                    directory.display()
                ),
                None => "the group has no deployments; `hangar deployment list -g GROUP` lists the deployments \
                         of another group"
                    .to_owned(),
            };
            return error.hint(hint).into();
        }
        let names: Vec<String> = there.iter().map(|it| format!("`{}`", it.name)).collect();
        let error = error.hint(format!("deployments of the group: {}", names.join(", ")));
        let old = identity.filter(|identity| {
            let is_old = |it: &Deployment| {
                it.name.eq_ignore_ascii_case(&identity.old_name)
                    && it.properties.template_path.is_none()
            };
            identity.old_name != identity.name && there.iter().any(is_old)
        });
        match old {
            Some(identity) => error
                .hint(format!(
                    "`{0}` does not record its template; if it is the right deployment, pass its name: `{0}`",
                    identity.old_name
                ))
                .into(),
            None => error.into(),
        }
    }
}

/// The deployment that is meant: one of the typed name, else the one that records the template, else the one
/// with the default name of the template.
fn choose(
    typed: &str,
    identity: Option<&TemplateIdentity>,
    there: &[Deployment],
) -> Result<String, LookupError> {
    let named = |name: &str| {
        there.iter().find(|it| it.name.eq_ignore_ascii_case(name)).map(|it| it.name.clone())
    };
    if let Some(name) = named(typed) {
        return Ok(name);
    }
    let Some(identity) = identity else { return Err(LookupError::Absent(typed.to_owned())) };
    let recorded = there
        .iter()
        .filter(|it| {
            let recorded = it.properties.template_path.as_deref();
            recorded.is_some_and(|path| is_same_template(path, &identity.path))
        })
        .map(|it| it.name.clone())
        .collect::<Vec<_>>();
    match recorded.as_slice() {
        [one] => return Ok(one.clone()),
        [] => {}
        // The default name is what the template alone means.
        several => {
            let default = several.iter().find(|it| it.eq_ignore_ascii_case(&identity.name));
            return default.cloned().ok_or(LookupError::Ambiguous(recorded));
        }
    }
    let default = there.iter().find(|it| it.name.eq_ignore_ascii_case(&identity.name));
    // One that records another template is that template's.
    default
        .filter(|it| it.properties.template_path.is_none())
        .map(|it| it.name.clone())
        .ok_or_else(|| LookupError::Absent(identity.name.clone()))
}

/// Returns the template that a deployment of this name records.
fn other_template<'a>(name: &str, deployments: &'a [Deployment]) -> Option<&'a str> {
    let named = deployments.iter().find(|deployment| deployment.name.eq_ignore_ascii_case(name))?;
    named.properties.template_path.as_deref()
}

/// Reads a deployment; nothing if it, or its group, does not exist.
pub(crate) async fn find_deployment(
    session: &mut Session<'_>,
    id: &str,
) -> Result<Option<Deployment>, Failure> {
    match session.read::<Deployment>(&Request::get(id)).await {
        Ok((_, deployment)) => Ok(Some(deployment)),
        Err(CallError::Refused(refusal)) if refusal.status == 404 => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn ambiguous(typed: &str, names: &[String]) -> Failure {
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("`{typed}` has several deployments: {}", listed.join(", "));
    let first = names.first().map(|name| quoted(name)).unwrap_or_default();
    Diagnostic::error(codes::AMBIGUOUS_DEPLOYMENT, message)
        .hint(format!("pass one of these names, for example `{first}`"))
        .into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn there(all: &[(&str, Option<&str>)]) -> Vec<Deployment> {
        let deployment = |(name, path): &(&str, Option<&str>)| {
            let properties = json!({"provisioningState": "Succeeded", "templatePath": path});
            serde_json::from_value(json!({"id": "/x", "name": name, "properties": properties}))
                .unwrap()
        };
        all.iter().map(deployment).collect()
    }

    fn identity() -> TemplateIdentity {
        TemplateIdentity {
            path: "net/main.bicep".to_owned(),
            name: "net-main".to_owned(),
            old_name: "main".to_owned(),
        }
    }

    fn chosen(typed: &str, all: &[(&str, Option<&str>)]) -> Result<String, LookupError> {
        let identity = identity();
        let identity = typed.contains('/').then_some(&identity);
        choose(typed, identity, &there(all))
    }

    #[test]
    fn a_template_means_the_deployment_that_records_it() {
        let own = Some("net/main.bicep");
        let found = |all: &[(&str, Option<&str>)]| chosen("net/main.bicep", all).unwrap();
        assert_eq!(found(&[("net-main", own), ("main", None)]), "net-main");
        assert_eq!(found(&[("prod", own), ("main", None)]), "prod");
        assert_eq!(found(&[("net-main", None)]), "net-main");
        assert_eq!(found(&[("prod", own), ("net-main", own)]), "net-main");
    }

    #[test]
    fn a_template_never_means_the_deployment_of_another_one() {
        let other = Some("service/main.bicep");
        for all in [&[("net-main", other)][..], &[("main", None)], &[("main", other)], &[]] {
            let absent = Err(LookupError::Absent("net-main".to_owned()));
            assert_eq!(chosen("net/main.bicep", all), absent, "{all:?}");
        }
        let both = [("one", Some("net/main.bicep")), ("two", Some("net/main.bicep"))];
        assert!(matches!(chosen("net/main.bicep", &both), Err(LookupError::Ambiguous(_))));
    }

    #[test]
    fn a_name_means_the_deployment_of_that_name() {
        assert_eq!(chosen("Main", &[("main", Some("x.bicep"))]).unwrap(), "main");
        assert!(chosen("dev", &[("main", None)]).is_err());
    }
}
