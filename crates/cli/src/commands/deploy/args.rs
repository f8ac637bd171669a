//! A template as it was typed, and what is sent of it: for `deploy` and for `plan`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region};
use hangar_template::deployment::{
    Deployment, GroupFacts, Inputs as Given, MissingParameter, NodeKind, Target,
};
use hangar_template::program::Program;
use hangar_template::source::Problem;
use serde_json::{Map, Value, json};

use crate::client::deployment::{DeploymentProperties, Member};
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::deploy::lookup::find_deployment;
use crate::commands::place::{PlaceArgs, usual_place};
use crate::connection::Environment;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::pack::to_json;
use crate::printer::Printer;
use crate::session::aws_caller::no_region;
use crate::session::{CallError, Session};
use crate::template::check;
use crate::template::files::{Files, is_parameters_file};
use crate::template::folder;
use crate::template::identity::TemplateIdentity;
use crate::template::lint;
use crate::template::parameters::{self, ParameterArgs, Values, Written};
use crate::template::secure;

/// A template, and where it goes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct TemplateArgs {
    /// Bicep or ARM JSON template, `.bicepparam` file, or `-` for stdin
    ///
    /// A template is Bicep (`.bicep`) or ARM JSON (`.json`). A `.bicepparam` file names its
    /// template with `using`. Standard input needs --name.
    #[arg(value_name = "FILE", required_unless_present = "plan_file")]
    pub(super) file: Option<PathBuf>,
    /// Group of the resources [default: default]
    #[arg(short, long, value_name = "GROUP")]
    pub(super) group: Option<String>,
    /// Create the group if it does not exist
    ///
    /// Without this flag, deploy asks on a terminal whether to create a missing group, and fails
    /// without a terminal. The group `default` is always created, and plan creates no group.
    #[arg(long)]
    pub(super) create_group: bool,
    #[command(flatten)]
    pub(super) parameters: ParameterArgs,
    /// Name of the deployment
    ///
    /// [default: the template's path in the project, such as `network-main` for network/main.bicep]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    /// Adopt existing resources with the same name
    ///
    /// If AWS reports that a name is taken, Hangar imports the existing resource, owns it from then
    /// on, and applies the properties of the template. `hangar destroy` deletes it. Without this
    /// flag the deployment fails.
    #[arg(long)]
    pub(super) adopt: bool,
    /// Keep, detach or delete removed resources
    ///
    /// Removed resources were deployed earlier under the same name, and are no longer in the
    /// template.
    ///
    /// [default: keep]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(super) on_remove: Option<OnRemove>,
    /// Take over resources of other deployments
    ///
    /// Without this flag, it is an error if another deployment manages an alias of the template.
    /// With it, this deployment manages the alias from then on.
    #[arg(long)]
    pub(super) take_over: bool,
    /// Skip Azure and Kubernetes resources
    ///
    /// Hangar cannot deploy them. Without this flag they are errors.
    #[arg(long)]
    pub(super) skip_unsupported: bool,
    /// Recreate resources that cannot change in place
    ///
    /// AWS accepts some properties only when it creates a resource. To change one of them, Hangar
    /// creates a new resource and deletes the old one. Without this flag such a change is an error.
    #[arg(long)]
    pub(super) replace: bool,
    /// Evaluate `newGuid()` and `utcNow()` again
    ///
    /// A parameter default with one of these functions is evaluated by the first deployment. Later
    /// deployments use the stored value, unless this flag is set.
    #[arg(long)]
    pub(super) refresh_defaults: bool,
}

/// What becomes of what left the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnRemove {
    /// Leave the resource alone and list it
    Keep,
    /// Remove the alias and keep the AWS resource
    Detach,
    /// Delete the resource if it is owned, else detach it
    Delete,
}

impl OnRemove {
    /// The one that a word stands for.
    pub(super) fn of(word: &str) -> Option<Self> {
        [Self::Keep, Self::Detach, Self::Delete].into_iter().find(|it| it.as_str() == word)
    }

    /// The word that is sent.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Detach => "detach",
            Self::Delete => "delete",
        }
    }
}

/// The template that is meant, and the values of its parameters in a file.
pub(crate) struct ChosenTemplate {
    pub(crate) template: PathBuf,
    values: Values,
    /// Where the values are written.
    written: Written,
}

/// A template that was read and found right.
pub(crate) struct Prepared {
    pub(crate) files: Files,
    /// What the deployment is called.
    pub(crate) name: String,
    /// The id of the deployment.
    pub(crate) id: String,
    /// Where the template is in its project; nothing for standard input.
    identity: Option<TemplateIdentity>,
    pub(crate) program: Program,
    /// What it comes to, as far as that is known here.
    pub(crate) deployment: Deployment,
    values: Values,
    /// The secure parameters that were typed at a prompt.
    prompted: Vec<String>,
}

impl TemplateArgs {
    /// Whether what has the names is taken in.
    pub(crate) const fn adopts(&self) -> bool {
        self.adopt
    }

    /// Whether a missing group is created without a question.
    pub(crate) const fn creates_group(&self) -> bool {
        self.create_group
    }

    /// The group that the resources are in.
    pub(crate) fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(DEFAULT_GROUP)
    }

    /// The file that was named.
    pub(crate) fn file(&self) -> Result<&Path, Failure> {
        let file = self.file.as_deref().ok_or_else(|| {
            Diagnostic::error(codes::USAGE, "no template was passed")
                .hint("pass one: `hangar deploy main.bicep`")
        })?;
        folder::refuse(file)?;
        Ok(file)
    }

    /// Whether a resource may be replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.replace
    }

    /// What becomes of what left the template.
    pub(super) fn on_remove(&self) -> OnRemove {
        self.on_remove.unwrap_or(OnRemove::Keep)
    }

    /// Whether what left the template is to be deleted.
    pub(crate) fn deletes(&self) -> bool {
        self.on_remove() == OnRemove::Delete
    }

    /// Reads the template and its parameters, and looks for mistakes; nothing is sent yet.
    pub(crate) fn prepare(
        &self,
        chosen: ChosenTemplate,
        environment: &Environment,
        data_dir: Option<&Path>,
        printer: &mut Printer,
        inputs: &mut Inputs,
    ) -> Result<Prepared, Failure> {
        self.place.check()?;
        let ChosenTemplate { template, mut values, written } = chosen;
        let identity = TemplateIdentity::of(&template, data_dir, &environment.working_directory);
        let name = self.name(&template, identity.as_ref())?;
        let id = ids::deployment(self.group(), &name)?;
        let mut files = Files::read(&template, inputs)?;
        let (program, mut problems) = check::compile(&files, &files.entry);
        problems.extend(lint::errors(&files)?);
        let Some(program) = program else {
            return Err(Failure::Reported(files.reports(problems)));
        };
        let names = parameters::Names::of(&files.entry);
        problems.extend(written.take_undeclared(&mut values, program.parameters(), names));
        let sources = (&environment.variables, &mut *inputs);
        let mut values = self.parameters.over(values, program.parameters(), names, sources)?;
        let places = written.value_places(program.parameters(), names, &self.parameters);
        let mut given = Given {
            parameter_places: places.clone(),
            ..self.given(&name, &values, self.place.whole().as_ref())?
        };
        let mut checked = check::start(&program, &given);
        let unanswered = self.parameters.unanswered(program.parameters(), &values);
        // A template with mistakes is not worth the typing.
        let is_wrong = problems.iter().chain(&checked.problems).any(Problem::is_error);
        let mut prompted = Vec::new();
        if !unanswered.is_empty() && !is_wrong && printer.can_ask() {
            prompted = secure::prompt(&unanswered, &mut values, printer)?;
            given = Given {
                parameter_places: places,
                ..self.given(&name, &values, self.place.whole().as_ref())?
            };
            checked = check::start(&program, &given);
        }
        problems.extend(checked.problems);
        problems.extend(check::missing(&program, &given));
        if let Some(deployment) = &checked.deployment {
            problems.extend(check::recipes(&mut files, deployment, data_dir)?);
        }
        let deployment = match checked.deployment {
            Some(deployment) if !problems.iter().any(Problem::is_error) => deployment,
            _ => return Err(Failure::Reported(written.reports(&files, problems))),
        };
        if !problems.is_empty() {
            printer.warn(&files.reports(problems));
        }
        if !files.left_out.is_empty() {
            let names = files.left_out.join(", ");
            printer.note(&format!("not sent: {names}; set their values with `parameters`"));
        }
        Ok(Prepared { files, name, id, identity, program, deployment, values, prompted })
    }

    /// Finds the template itself, which a `.bicepparam` file names, and reads the values that a file gives.
    pub(crate) fn choose(
        &self,
        environment: &Environment,
        printer: &mut Printer,
        inputs: &mut Inputs,
    ) -> Result<ChosenTemplate, Failure> {
        let variables = &environment.variables;
        let file = self.parameters.file();
        let named = self.file()?;
        if !is_parameters_file(named) {
            let (values, written) = match file {
                Some(file) => parameters::read(file, named, variables, printer, inputs)?,
                None => (Values::new(), Written::default()),
            };
            return Ok(ChosenTemplate { template: named.to_owned(), values, written });
        }
        if file.is_some() {
            let message = "FILE is already a parameter file, and --params is a second one";
            let hint = "pass the template as FILE, and one parameter file with --params";
            return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
        }
        let read = parameters::read_bicep(named, variables, printer, inputs)?;
        let Some(using) = read.using else {
            return Err(parameters::names_no_template(named));
        };
        Ok(ChosenTemplate { template: using, values: read.values, written: read.written })
    }

    /// The name of the deployment.
    fn name(
        &self,
        template: &Path,
        identity: Option<&TemplateIdentity>,
    ) -> Result<String, Failure> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        if template == Path::new("-") {
            let diagnostic =
                Diagnostic::error(codes::USAGE, "a template from standard input has no name");
            return Err(diagnostic.hint("pass one: --name app").into());
        }
        identity.map(|identity| identity.name.clone()).ok_or_else(|| {
            let message = format!("`{}` is not a file name", template.display());
            Diagnostic::error(codes::USAGE, message)
                .hint("pass a template: `hangar deploy main.bicep`")
                .into()
        })
    }

    /// What the template is told from outside, as far as it is known here: what only the control plane knows, such as
    /// the tags of the group, is not known yet, and the control plane checks it.
    pub(crate) fn given(
        &self,
        name: &str,
        values: &Values,
        place: Option<&AwsPlace>,
    ) -> Result<Given, Failure> {
        let group = GroupFacts {
            id: ids::group(self.group())?,
            name: self.group().to_owned(),
            ..GroupFacts::default()
        };
        Ok(Given {
            parameters: values.clone(),
            parameter_places: BTreeMap::new(),
            missing: MissingParameter::Unknown,
            skip_unsupported: self.skip_unsupported,
            group,
            name: name.to_owned(),
            account: place.and_then(|place| AccountId::parse(&place.account).ok()),
            region: place.and_then(|place| Region::parse(&place.region).ok()),
            now: None,
            seed: None,
            moments: BTreeMap::new(),
        })
    }

    /// The account and region of the resources, unless the control plane knows them.
    pub(crate) async fn place(
        &self,
        session: &mut Session<'_>,
        prepared: &Prepared,
    ) -> Result<Option<AwsPlace>, Failure> {
        if let Some(place) = self.place.whole() {
            return Ok(Some(place));
        }
        if !self.place.is_half() && !session.is_caller_decisive() {
            return Ok(None);
        }
        let usual = usual_place(session, self.group()).await;
        let usual = usual.map_err(|error: CallError| {
            error.while_doing("cannot determine the account and region")
        })?;
        let usual = usual.with_region_of(&prepared.deployment);
        match self.place.place_or_usual(usual)? {
            None if has_aws_node(&prepared.deployment) => Err(no_region()),
            place => Ok(place),
        }
    }

    /// What is sent.
    pub(crate) fn body(&self, prepared: &Prepared, place: Option<&AwsPlace>) -> Map<String, Value> {
        let sources: Map<String, Value> = prepared
            .files
            .sources
            .iter()
            .map(|(path, content)| (path.to_owned(), to_json(content)))
            .collect();
        let values = prepared.values.iter();
        let parameters: Map<String, Value> =
            values.map(|(name, value)| (name.clone(), json!({"value": value}))).collect();
        let mut properties = Map::new();
        properties.insert("sources".to_owned(), sources.into());
        properties.insert("entry".to_owned(), prepared.files.entry.as_str().into());
        // A chosen name is meant for every machine, and a path of this one would refuse it on the others.
        let is_lasting = |it: &&TemplateIdentity| self.name.is_none() || !it.is_of_this_machine();
        if let Some(identity) = prepared.identity.as_ref().filter(is_lasting) {
            properties.insert("templatePath".to_owned(), identity.path.as_str().into());
        }
        properties.insert("parameters".to_owned(), parameters.into());
        if let Some(place) = place {
            let scope = place.to_scope();
            let config = json!({"aws": {"value": {"scope": scope}}});
            properties.insert("providerConfig".to_owned(), config);
        }
        if self.adopt {
            properties.insert("adopt".to_owned(), true.into());
        }
        if self.on_remove() != OnRemove::Keep {
            properties.insert("onRemove".to_owned(), self.on_remove().as_str().into());
        }
        if self.replace {
            properties.insert("replace".to_owned(), "allow".into());
        }
        if self.take_over {
            properties.insert("takeOver".to_owned(), true.into());
        }
        if self.skip_unsupported {
            properties.insert("skipUnsupported".to_owned(), true.into());
        }
        if self.refresh_defaults {
            properties.insert("refreshDefaults".to_owned(), true.into());
        }
        properties
    }
}

fn alias_of(target: &Target) -> Option<&str> {
    match target {
        Target::Managed { alias } => Some(alias),
        Target::Existing { .. } => None,
    }
}

fn has_aws_node(deployment: &Deployment) -> bool {
    deployment.nodes().iter().any(|node| matches!(node.kind, NodeKind::Aws(_)))
}

impl Prepared {
    /// Takes the name that the deployment had in release 0.1.0, if it has one: the name of the file alone. That
    /// deployment is this template's if no other template is known for it and it manages one of these aliases.
    pub(crate) async fn keep_old_name(
        &mut self,
        args: &TemplateArgs,
        session: &mut Session<'_>,
    ) -> Result<(), Failure> {
        let Some(identity) = self.identity.clone() else { return Ok(()) };
        if args.name.is_some() || identity.old_name == identity.name {
            return Ok(());
        }
        if find_deployment(session, &self.id).await?.is_some() {
            return Ok(());
        }
        let old_id = ids::deployment(args.group(), &identity.old_name)?;
        let Some(old) = find_deployment(session, &old_id).await? else { return Ok(()) };
        if old.properties.template_path.is_none() && self.shares_alias_with(&old.properties) {
            (self.name, self.id) = (identity.old_name, old_id);
        }
        Ok(())
    }

    /// Whether a deployment manages an alias of this template.
    fn shares_alias_with(&self, old: &DeploymentProperties) -> bool {
        let managed: Vec<&str> = old.managed_resources.iter().map(Member::key).collect();
        let aliases = self.deployment.nodes().iter().filter_map(|node| alias_of(&node.target));
        aliases.into_iter().any(|alias| managed.iter().any(|it| it.eq_ignore_ascii_case(alias)))
    }

    /// Whether a secure parameter has a value.
    pub(crate) fn has_secure_values(&self) -> bool {
        let declared = self.program.parameters().iter().filter(|parameter| parameter.secure);
        declared.into_iter().any(|parameter| self.values.contains_key(&*parameter.name))
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// The secure parameters that were typed at a prompt.
    pub(crate) fn prompted(&self) -> impl Iterator<Item = &str> {
        self.prompted.iter().map(String::as_str)
    }
}
