//! A template as it was typed, and what is sent of it: for `deploy` and for `plan`.

use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region};
use hangar_template::deployment::{Deployment, GroupFacts, Inputs as Given, MissingParameter};
use hangar_template::program::Program;
use hangar_template::source::Problem;
use serde_json::{Map, Value, json};

use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::place::{PlaceArgs, usual_place};
use crate::connection::Environment;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::pack::to_json;
use crate::printer::Printer;
use crate::session::{CallError, Session};
use crate::template::check;
use crate::template::files::{Files, is_parameters_file};
use crate::template::folder;
use crate::template::lint;
use crate::template::parameters::{self, ParameterArgs, Values, Written};

/// A template, and where it goes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct TemplateArgs {
    /// The template (`.bicep`), or a `.bicepparam` file that names one
    #[arg(value_name = "FILE", required_unless_present = "plan_file")]
    pub(super) file: Option<PathBuf>,
    /// The group that the resources are in [default: default]
    #[arg(short, long, value_name = "GROUP")]
    pub(super) group: Option<String>,
    #[command(flatten)]
    pub(super) parameters: ParameterArgs,
    /// The name of the deployment [default: the file's, without what follows the last dot]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    /// Where a name is taken in AWS, take in what has it and apply the properties
    #[arg(long)]
    pub(super) adopt: bool,
    /// What becomes of resources that the template does not name any more [default: keep]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(super) on_remove: Option<OnRemove>,
    /// Take aliases that another deployment manages: from then on this one does
    #[arg(long)]
    pub(super) take_over: bool,
    /// Leave out resources that cannot be deployed yet, such as those of Azure and Kubernetes
    #[arg(long)]
    pub(super) skip_unsupported: bool,
    /// Where only a new resource can have what is wanted, make one and delete the old one
    #[arg(long)]
    pub(super) replace: bool,
}

/// What becomes of what left the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnRemove {
    /// It stays, and is listed
    Keep,
    /// Its alias goes, and the resource is left alone
    Detach,
    /// It is deleted, if it is owned; else it is detached
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

/// A template that was read and found right.
pub(crate) struct Prepared {
    pub(crate) files: Files,
    /// What the deployment is called.
    pub(crate) name: String,
    /// The id of the deployment.
    pub(crate) id: String,
    pub(crate) program: Program,
    /// What it comes to, as far as that is known here.
    pub(crate) deployment: Deployment,
    values: Values,
}

impl TemplateArgs {
    /// Whether what has the names is taken in.
    pub(crate) const fn adopts(&self) -> bool {
        self.adopt
    }

    /// The group that the resources are in.
    pub(crate) fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(DEFAULT_GROUP)
    }

    /// The file that was named.
    pub(crate) fn file(&self) -> Result<&Path, Failure> {
        let file = self.file.as_deref().ok_or_else(|| {
            Diagnostic::error(codes::USAGE, "no template is named")
                .hint("name one: `hangar deploy main.bicep`")
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
        environment: &Environment,
        data_dir: Option<&Path>,
        printer: &mut Printer,
        inputs: &mut Inputs,
    ) -> Result<Prepared, Failure> {
        self.place.check()?;
        let (template, values, written) = self.template(environment, printer, inputs)?;
        let name = self.name(&template)?;
        let id = ids::deployment(self.group(), &name)?;
        let mut files = Files::read(&template, inputs)?;
        let (program, mut problems) = check::compile(&files, &files.entry);
        problems.extend(lint::errors(&files)?);
        let Some(program) = program else {
            return Err(Failure::Reported(files.reports(problems)));
        };
        let names = parameters::Names::of(&files.entry);
        written.check_names(program.parameters(), names)?;
        let values = self.parameters.over(values, program.parameters(), names)?;
        let given = self.given(&name, &values, self.place.whole().as_ref())?;
        let checked = check::start(&program, &given);
        problems.extend(checked.problems);
        problems.extend(check::missing(&program, &given));
        if let Some(deployment) = &checked.deployment {
            problems.extend(check::recipes(&mut files, deployment, data_dir)?);
        }
        let deployment = match checked.deployment {
            Some(deployment) if !problems.iter().any(Problem::is_error) => deployment,
            _ => return Err(Failure::Reported(files.reports(problems))),
        };
        if !problems.is_empty() {
            printer.warn(&files.reports(problems));
        }
        if !files.left_out.is_empty() {
            let names = files.left_out.join(", ");
            printer.note(&format!("not sent along: {names}; state values as `parameters`"));
        }
        Ok(Prepared { files, name, id, program, deployment, values })
    }

    /// The template itself, and the values that a file gives.
    fn template(
        &self,
        environment: &Environment,
        printer: &mut Printer,
        inputs: &mut Inputs,
    ) -> Result<(PathBuf, Values, Written), Failure> {
        let variables = &environment.variables;
        let file = self.parameters.file();
        let named = self.file()?;
        if !is_parameters_file(named) {
            let (values, written) = match file {
                Some(file) => parameters::read(file, named, variables, printer, inputs)?,
                None => (Values::new(), Written::default()),
            };
            return Ok((named.to_owned(), values, written));
        }
        if file.is_some() {
            let message = "FILE gives parameters already, so that --params would be a second file";
            let hint = "name the template as FILE, and one of the two with --params";
            return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
        }
        let read = parameters::read_bicep(named, variables, printer, inputs)?;
        let Some(using) = read.using else {
            let message = format!("`{}` names no template", named.display());
            let hint = "write `using 'main.bicep'` in it, or name the template: `hangar deploy \
                        main.bicep --params FILE`";
            return Err(Diagnostic::error(codes::OTHER_TEMPLATE, message).hint(hint).into());
        };
        Ok((using, read.values, read.written))
    }

    /// The name of the deployment.
    fn name(&self, template: &Path) -> Result<String, Failure> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        if template == Path::new("-") {
            let diagnostic =
                Diagnostic::error(codes::USAGE, "what is read from standard input has no name");
            return Err(diagnostic.hint("give one: --name app").into());
        }
        let stem = template.file_stem().and_then(|stem| stem.to_str());
        stem.map(str::to_owned).ok_or_else(|| {
            let message = format!("`{}` is no name of a file", template.display());
            Diagnostic::error(codes::USAGE, message)
                .hint("name a template: `hangar deploy main.bicep`")
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
            missing: MissingParameter::Unknown,
            skip_unsupported: self.skip_unsupported,
            group,
            name: name.to_owned(),
            account: place.and_then(|place| AccountId::parse(&place.account).ok()),
            region: place.and_then(|place| Region::parse(&place.region).ok()),
            now: None,
            seed: None,
        })
    }

    /// Where the resources go, if that was said.
    pub(crate) async fn place(
        &self,
        session: &mut Session<'_>,
    ) -> Result<Option<AwsPlace>, Failure> {
        let otherwise = if self.place.is_half() {
            let place = usual_place(session, self.group()).await;
            place.map_err(|error: CallError| error.while_doing("cannot find the place"))?
        } else {
            None
        };
        self.place.place(otherwise)
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
        properties
    }
}

impl Prepared {
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }
}
