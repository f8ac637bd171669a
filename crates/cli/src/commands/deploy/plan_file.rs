//! A plan as a file: all that is needed to apply it, and no secret.
//!
//! What is secret of a plan is in its seal, which only the control plane can make: a secure parameter is written down by its
//! name, and given again when the plan is applied.

use std::path::{Component, Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_store::hex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::args::{OnRemove, Prepared, TemplateArgs};
use crate::client::deployment::Plan;
use crate::client::ids::{DEFAULT_GROUP, quoted};
use crate::client::instant::Instant;
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::place::PlaceArgs;
use crate::commands::plan::PlannedGroup;
use crate::commands::resource::list::is_default;
use crate::embedded::private;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::template::files::{Files, is_parameters_file, is_same_file};
use crate::template::parameters::Values;
use crate::template::secure;

const KIND: &str = "HangarPlan";
const VERSION: u64 = 1;

/// No plan is larger.
const MOST_BYTES: usize = 16 << 20;

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanFile {
    kind: String,
    version: u64,
    /// The version of the program that wrote it.
    hangar: String,
    pub(crate) created_at: String,
    pub(crate) template: Template,
    parameters: Parameters,
    pub(crate) group: String,
    pub(crate) name: String,
    /// Where resources go, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    options: Options,
    /// What the control plane knows the plan by; nothing where there was no group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seal: Option<String>,
    /// The control plane's keyed hash of the secrets, for a group that did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fresh_seal: Option<String>,
    /// The plan as `-o json` prints it.
    pub(crate) plan: Value,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Template {
    /// Its path, from the folder of the plan where it can be said so.
    pub(crate) file: String,
    digest: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Parameters {
    files: Vec<String>,
    /// What was typed of parameters that are not secure.
    values: Values,
    /// What was typed of secure ones: to be given again.
    secure: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
struct Options {
    adopt: bool,
    replace: bool,
    take_over: bool,
    skip_unsupported: bool,
    create_group: bool,
    refresh_defaults: bool,
    on_remove: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            adopt: false,
            replace: false,
            take_over: false,
            skip_unsupported: false,
            create_group: false,
            refresh_defaults: false,
            on_remove: OnRemove::Keep.as_str().to_owned(),
        }
    }
}

impl PlanFile {
    /// The plan that was made of a template, for a file at `out`.
    pub(crate) fn new(
        args: &TemplateArgs,
        prepared: &Prepared,
        place: Option<&AwsPlace>,
        out: &Path,
        document: &Value,
        plan: &Plan,
    ) -> Result<Self, Failure> {
        let mut parameters =
            Parameters { files: Vec::new(), values: Values::new(), secure: Vec::new() };
        for name in args.parameters.typed() {
            let declared = prepared.program.parameters().iter().find(|it| *it.name == *name);
            if declared.is_none_or(|parameter| parameter.secure) {
                parameters.secure.push(name.to_owned());
            } else if let Some(value) = prepared.values().get(name) {
                parameters.values.insert(name.to_owned(), value.clone());
            }
        }
        parameters.secure.extend(prepared.prompted().map(str::to_owned));
        parameters.secure.sort();
        parameters.secure.dedup();
        parameters.files.extend(args.parameters.file().map(|file| from_folder_of(out, file)));
        Ok(Self {
            kind: KIND.to_owned(),
            version: VERSION,
            hangar: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: Instant::now().to_string(),
            template: Template {
                file: from_folder_of(out, args.file()?),
                digest: digest(&prepared.files),
            },
            parameters,
            group: args.group().to_owned(),
            name: prepared.name.clone(),
            scope: place.map(AwsPlace::to_scope),
            options: Options {
                adopt: args.adopt,
                replace: args.replace,
                take_over: args.take_over,
                skip_unsupported: args.skip_unsupported,
                create_group: args.create_group,
                refresh_defaults: args.refresh_defaults,
                on_remove: args.on_remove().as_str().to_owned(),
            },
            seal: plan.properties.seal.clone(),
            fresh_seal: None,
            plan: document.clone(),
        })
    }

    /// The same for a plan whose group may not exist.
    pub(crate) fn with_group(self, group: &PlannedGroup) -> Self {
        match group {
            PlannedGroup::Exists => self,
            PlannedGroup::Missing { fresh_seal } => Self { fresh_seal: fresh_seal.clone(), ..self },
        }
    }

    /// Writes it, whole or not at all.
    pub(crate) fn write(&self, out: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_vec_pretty(self)
            .expect("text for keys, and no number that cannot be printed");
        text.push(b'\n');
        // Through a link to what it leads to: the link stays.
        let real = match out.symlink_metadata() {
            Ok(found) if found.is_symlink() => out.canonicalize(),
            _ => Ok(out.to_owned()),
        };
        real.and_then(|real| private::write(&real, &text))
            .map_err(|error| unwritable(out, &error.to_string()))
    }

    /// Reads one.
    pub(crate) fn read(file: &Path, inputs: &mut Inputs) -> Result<Self, Failure> {
        let (name, bytes) = inputs.read_bytes(file)?;
        if bytes.len() > MOST_BYTES {
            return Err(no_plan(&name, "it is larger than 16 MiB"));
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let document: Value = serde_json::from_slice(text)
            .map_err(|_| no_plan(&name, "it is not valid JSON, or it is truncated"))?;
        if document.get("kind").and_then(Value::as_str) != Some(KIND) {
            return Err(no_plan(&name, &format!("its `kind` is not `{KIND}`")));
        }
        match document.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            version => {
                let version = version.map_or_else(|| "none".to_owned(), |it| it.to_string());
                let message = format!(
                    "`{name}` has plan version {version}, but this version of Hangar reads plan version {VERSION}"
                );
                return Err(Diagnostic::error(codes::OTHER_PLAN, message)
                    .hint("plan again with this version of Hangar, or apply the plan with the version that wrote it")
                    .into());
            }
        }
        serde_json::from_value(document)
            .map_err(|error| no_plan(&name, &format!("it is incomplete: {error}")))
    }

    /// The plan in it.
    pub(crate) fn plan(&self, file: &Path) -> Result<Plan, Failure> {
        let name = file.display().to_string();
        serde_json::from_value(self.plan.clone())
            .map_err(|error| no_plan(&name, &format!("its plan is incomplete: {error}")))
    }

    /// The plan as it is sent back: its seal, and all of it that was shown.
    pub(crate) fn held(&self) -> Value {
        let properties = self.plan.get("properties");
        let told = |name: &str| properties.and_then(|it| it.get(name)).filter(|it| !it.is_null());
        let mut changes = told("changes").cloned().unwrap_or_else(|| json!([]));
        // Where it is written is for people.
        for change in changes.as_array_mut().into_iter().flatten() {
            if let Value::Object(members) = change {
                members.remove("source");
            }
        }
        let mut held = json!({ "changes": changes });
        for name in ["scope", "outputs", "keptDefaults"] {
            if let Some(told) = told(name) {
                held[name] = told.clone();
            }
        }
        if let Some(seal) = &self.seal {
            held["seal"] = seal.as_str().into();
        }
        if let Some(seal) = &self.fresh_seal {
            held["freshSeal"] = seal.as_str().into();
        }
        held
    }

    /// The command that plans the same again, for a plan that was read from `file`.
    pub(crate) fn command(&self, file: &Path) -> String {
        let template = in_folder_of(file, &self.template.file);
        let stem = template.file_stem().map(|it| it.to_string_lossy().into_owned());
        let mut words = vec!["hangar".to_owned(), "plan".to_owned()];
        words.push(template.display().to_string());
        let mut option =
            |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        if self.group != DEFAULT_GROUP {
            option("-g", &self.group);
        }
        if let Some(params) = self.parameters.files.first() {
            option("--params", &in_folder_of(file, params).display().to_string());
        }
        for (name, value) in &self.parameters.values {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            option("-p", &format!("{name}={text}"));
        }
        for name in &self.parameters.secure {
            option("-p", &format!("{name}=@FILE"));
        }
        if stem.as_deref() != Some(&*self.name) {
            option("--name", &self.name);
        }
        if let Some(AwsPlace { account, region }) = self.place() {
            option("--aws-account", &account);
            option("--aws-region", &region);
        }
        let Options {
            adopt,
            replace,
            take_over,
            skip_unsupported,
            create_group,
            refresh_defaults,
            on_remove,
        } = &self.options;
        if on_remove != OnRemove::Keep.as_str() {
            option("--on-remove", on_remove);
        }
        let flags = [
            ("--adopt", adopt),
            ("--replace", replace),
            ("--take-over", take_over),
            ("--skip-unsupported", skip_unsupported),
            ("--create-group", create_group),
            ("--refresh-defaults", refresh_defaults),
        ];
        words.extend(flags.iter().filter(|(_, is_on)| **is_on).map(|(name, _)| (*name).to_owned()));
        words.extend(["--out".to_owned(), file.display().to_string()]);
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Whether resources may be replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.options.replace
    }

    /// Whether a template is another text than the one that was planned.
    pub(crate) fn is_changed(&self, files: &Files) -> bool {
        digest(files) != self.template.digest
    }

    /// The template with all that was said of it when it was planned, and what is typed now of secure parameters.
    pub(super) fn template(
        &self,
        typed: &TemplateArgs,
        file: &Path,
    ) -> Result<TemplateArgs, Failure> {
        self.agree(typed, file)?;
        let params = self.parameters.files.first().map(|path| in_folder_of(file, path));
        let Some(on_remove) = OnRemove::of(&self.options.on_remove) else {
            return Err(no_plan(&file.display().to_string(), "its `onRemove` is unknown"));
        };
        Ok(TemplateArgs {
            file: Some(in_folder_of(file, &self.template.file)),
            group: Some(self.group.clone()),
            parameters: typed.parameters.planned(
                params,
                self.parameters.values.clone(),
                self.parameters.secure.clone(),
            ),
            name: Some(self.name.clone()),
            place: PlaceArgs::of(self.place()),
            adopt: self.options.adopt,
            on_remove: Some(on_remove),
            take_over: self.options.take_over,
            skip_unsupported: self.options.skip_unsupported,
            create_group: self.options.create_group || typed.create_group,
            replace: self.options.replace,
            refresh_defaults: self.options.refresh_defaults,
        })
    }

    fn place(&self) -> Option<AwsPlace> {
        self.scope.as_deref().and_then(AwsPlace::of)
    }

    /// Refuses what is typed and not as it was planned.
    fn agree(&self, typed: &TemplateArgs, file: &Path) -> Result<(), Failure> {
        let is_other = |typed: Option<&Path>, planned: Option<&String>| {
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let planned = planned.map(|path| real(&in_folder_of(file, path)));
            typed.is_some_and(|path| Some(real(path)) != planned)
        };
        let Options {
            adopt,
            replace,
            take_over,
            skip_unsupported,
            on_remove,
            refresh_defaults,
            ..
        } = &self.options;
        let others = [
            ("FILE", is_other(typed.file.as_deref(), Some(&self.template.file))),
            ("--params", is_other(typed.parameters.file(), self.parameters.files.first())),
            ("--group", typed.group.as_ref().is_some_and(|it| *it != self.group)),
            ("--name", typed.name.as_ref().is_some_and(|it| *it != self.name)),
            ("--on-remove", typed.on_remove.is_some_and(|it| it.as_str() != on_remove)),
            ("--adopt", typed.adopt && !adopt),
            ("--replace", typed.replace && !replace),
            ("--take-over", typed.take_over && !take_over),
            ("--skip-unsupported", typed.skip_unsupported && !skip_unsupported),
            ("--refresh-defaults", typed.refresh_defaults && !refresh_defaults),
        ];
        let other = others.into_iter().find(|(_, is_other)| *is_other).map(|(name, _)| name);
        let name = file.display();
        if let Some(option) = other.or_else(|| typed.place.contradicts(self.place().as_ref())) {
            let message = format!("{option} differs from the plan `{name}`");
            return Err(Diagnostic::error(codes::PLAN_CONTRADICTED, message)
                .hint(format!("omit {option}, or plan again with it"))
                .into());
        }
        let secure = &self.parameters.secure;
        if let Some(odd) = typed.parameters.typed().find(|it| !secure.iter().any(|one| one == it)) {
            let message = format!("-p {odd} was passed, but the plan `{name}` does not need it");
            let hint = match secure.as_slice() {
                [] => "omit it, because the plan contains the values; or plan again with it"
                    .to_owned(),
                names => format!("pass only secure parameters again: {}", names.join(", ")),
            };
            return Err(Diagnostic::error(codes::PLAN_CONTRADICTED, message).hint(hint).into());
        }
        Ok(())
    }

    /// Refuses to apply it without a secure parameter that was given when it was made.
    pub(super) fn check_secure(&self, typed: &TemplateArgs, file: &Path) -> Result<(), Failure> {
        let given: Vec<&str> = typed.parameters.typed().collect();
        let secure = self.parameters.secure.iter().map(String::as_str);
        let missing: Vec<&str> = secure.filter(|it| !given.contains(it)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "the plan `{}` contains no secrets; these secure parameters have no value: {}",
            file.display(),
            missing.join(", ")
        );
        let hint = format!(
            "pass the same values again: {} (or env:VARIABLE); on a terminal Hangar prompts for them",
            secure::as_options(missing)
        );
        Err(Diagnostic::error(codes::PLAN_UNFIT, message).hint(hint).into())
    }
}

/// Refuses what no plan can be written to, or of, before anything is asked.
pub(crate) fn check_out(out: &Path, template: &Path) -> Result<(), Failure> {
    if template == Path::new("-") {
        let message = "a plan of input from standard input cannot be applied later";
        return Err(Diagnostic::error(codes::USAGE, message)
            .hint("write the input to a file, and pass that file")
            .into());
    }
    match (out.metadata(), out.symlink_metadata()) {
        (Ok(found), _) if found.is_dir() => return Err(unwritable(out, "it is a directory")),
        (Ok(found), _) if !found.is_file() => {
            return Err(unwritable(out, "it is not a regular file"));
        }
        (Err(_), Ok(_)) => return Err(unwritable(out, "it is a broken link")),
        _ => {}
    }
    if folder_of(out).is_dir() { Ok(()) } else { Err(unwritable(out, "the folder does not exist")) }
}

/// Refuses to write over what the plan is made of.
pub(crate) fn check_no_input(
    out: &Path,
    args: &TemplateArgs,
    prepared: &Prepared,
    inputs: &mut Inputs,
) -> Result<(), Failure> {
    let named = [args.file.as_deref(), args.parameters.file()].into_iter().flatten();
    let mut is_input = prepared.files.holds(out);
    for file in named {
        is_input |= is_same_file(file, out)
            || (is_parameters_file(file) && Files::read(file, inputs)?.holds(out));
    }
    if !is_input {
        return Ok(());
    }
    let message = format!("`{}` is one of the input files of the plan", out.display());
    Err(Diagnostic::error(codes::USAGE, message).hint("choose another file with `--out`").into())
}

/// What a person is told who has written one.
pub(crate) fn how_to_apply(
    out: &Path,
    args: &TemplateArgs,
    prepared: &Prepared,
    group: &PlannedGroup,
) -> String {
    let is_secure = |name: &&str| {
        let declared = prepared.program.parameters().iter().find(|it| *it.name == **name);
        declared.is_some_and(|parameter| parameter.secure)
    };
    let mut command = format!("hangar deploy --plan-file {}", out.display());
    let secure = args.parameters.typed().filter(is_secure).chain(prepared.prompted());
    let options = secure::as_options(secure);
    if !options.is_empty() {
        command = format!("{command} {options}");
    }
    let is_missing = matches!(group, PlannedGroup::Missing { .. });
    if is_missing && !args.create_group && !is_default(args.group()) {
        command.push_str(" --create-group");
    }
    format!("written to {}; `{command}` applies exactly this plan, or nothing", out.display())
}

fn no_plan(name: &str, why: &str) -> Failure {
    Diagnostic::error(codes::NOT_A_PLAN, format!("`{name}` is not a plan file: {why}"))
        .hint("`hangar plan main.bicep --out plan.json` writes one")
        .into()
}

fn unwritable(out: &Path, why: &str) -> Failure {
    let message = format!("cannot write `{}`: {why}", out.display());
    Diagnostic::error(codes::FILE_UNWRITABLE, message).hint("choose another file").into()
}

/// What tells the text of a template from any other.
fn digest(files: &Files) -> String {
    let mut hasher = Sha256::new();
    let all = files.sources.iter().map(|(path, content)| (path, &**content));
    let mut all: Vec<(&str, &[u8])> = all.collect();
    all.sort_unstable();
    for (path, content) in all {
        // Each part with its length, so that no two can be cut differently. Where it is counts by its name only: the
        // root is another from another folder.
        let name = path.rsplit('/').next().unwrap_or(path);
        for part in [name.as_bytes(), content] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
    }
    format!("sha256:{}", hex::encode(&hasher.finalize()))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A path as it is written into a plan at `out`: from its folder, or whole where they share nothing.
fn from_folder_of(out: &Path, file: &Path) -> String {
    let whole = |path: &Path| path.canonicalize().ok();
    let (Some(folder), Some(real)) = (whole(&folder_of(out)), whole(file)) else {
        return file.display().to_string();
    };
    let shared =
        folder.components().zip(real.components()).take_while(|(one, other)| one == other).count();
    // Only the root is shared.
    if shared <= 1 {
        return real.display().to_string();
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(real.components().skip(shared)).collect();
    path.display().to_string()
}

/// A path of a plan at `file`, as it can be opened from here.
fn in_folder_of(file: &Path, path: &str) -> PathBuf {
    let joined =
        if file == Path::new("-") { PathBuf::from(path) } else { folder_of(file).join(path) };
    // What is below the current directory has that as its root.
    match (joined.canonicalize(), Path::new(".").canonicalize()) {
        (Ok(real), Ok(here)) => match real.strip_prefix(&here) {
            Ok(below) => below.to_owned(),
            Err(_) => joined,
        },
        _ => joined,
    }
}
