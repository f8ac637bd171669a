//! One line of Terraform's machine-readable output, as something that can be shown.
//!
//! Values are never kept: of outputs the names, of diagnostics no values of what they point at. A
//! diagnostic's text is the provider's own, and may quote what is not marked sensitive.

use serde_json::Value;

/// What one line tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Which program runs.
    Version {
        /// `terraform` or `tofu`.
        program: String,
        /// Its version.
        version: String,
        /// The version of these lines.
        ui: String,
    },
    /// What will be done to a resource.
    PlannedChange {
        /// Its address.
        address: String,
        /// `create`, `update`, `replace`, `delete`, `read`, `move`, `import`, `noop`, …
        action: String,
        /// Why, where that is told.
        reason: Option<String>,
    },
    /// A resource is not as it was left.
    Drift {
        /// Its address.
        address: String,
        /// What became of it.
        action: String,
    },
    /// How many resources a plan, an apply or a destroy is about.
    ChangeSummary {
        /// Those to make.
        add: u64,
        /// Those to change.
        change: u64,
        /// Those to import.
        import: u64,
        /// Those to remove.
        remove: u64,
        /// `plan`, `apply` or `destroy`; `apply -destroy` calls itself `apply`.
        operation: String,
    },
    /// Work on a resource.
    Apply(Stage, Work),
    /// A resource is read.
    Refresh(Stage, Work),
    /// A provisioner of a resource runs. What it prints is not kept.
    Provision(Stage, Work),
    /// An error or a warning.
    Diagnostic(Diagnostic),
    /// The outputs of the run, by name.
    Outputs(Vec<String>),
    /// Any other line; its kind, where it has one.
    Other(Option<String>),
}

/// How far some work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It begins.
    Start,
    /// It goes on.
    Progress,
    /// It is done.
    Complete,
    /// It failed.
    Errored,
}

/// Work on one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The resource's address.
    pub address: String,
    /// What is done to it: `create`, `update`, `delete`, `read`; or the provisioner.
    pub action: String,
    /// Since when, in seconds.
    pub elapsed: Option<u64>,
}

/// An error or a warning of Terraform's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it is an error.
    pub severity: Severity,
    /// What happened, in a few words.
    pub summary: String,
    /// The whole story.
    pub detail: String,
    /// The resource that it is about.
    pub address: Option<String>,
    /// Where in the configuration.
    pub place: Option<Place>,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The run failed.
    Error,
    /// Something is odd.
    Warning,
}

/// A place in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to the run's directory.
    pub file: String,
    /// The line, counted from one.
    pub line: u64,
    /// The column, counted from one.
    pub column: u64,
    /// The block around it as its first line names it.
    pub block: Option<String>,
}

/// What a line tells; `None` for one that is no JSON object, which programs print when they crash.
pub fn read(line: &str) -> Option<Progress> {
    let line: Value = serde_json::from_str(line.trim()).ok()?;
    line.as_object()?;
    let Some(kind) = text(&line, "/type") else { return Some(Progress::Other(None)) };
    Some(known(&kind, &line).unwrap_or(Progress::Other(Some(kind))))
}

fn known(kind: &str, line: &Value) -> Option<Progress> {
    Some(match kind {
        "version" => {
            let (program, version) = ["terraform", "tofu"]
                .into_iter()
                .find_map(|program| Some((program, line.get(program)?.as_str()?)))?;
            Progress::Version {
                program: program.to_owned(),
                version: version.to_owned(),
                ui: text(line, "/ui").unwrap_or_default(),
            }
        }
        "planned_change" => Progress::PlannedChange {
            address: text(line, "/change/resource/addr")?,
            action: text(line, "/change/action")?,
            reason: text(line, "/change/reason"),
        },
        "resource_drift" => Progress::Drift {
            address: text(line, "/change/resource/addr")?,
            action: text(line, "/change/action")?,
        },
        "change_summary" => {
            let count = |name| line.pointer(name).and_then(Value::as_u64).unwrap_or(0);
            line.get("changes")?.as_object()?;
            Progress::ChangeSummary {
                add: count("/changes/add"),
                change: count("/changes/change"),
                import: count("/changes/import"),
                remove: count("/changes/remove"),
                operation: text(line, "/changes/operation")?,
            }
        }
        "outputs" => Progress::Outputs(line.get("outputs")?.as_object()?.keys().cloned().collect()),
        "diagnostic" => Progress::Diagnostic(diagnostic(line.get("diagnostic")?)?),
        _ => {
            let (what, stage) = kind.split_once('_')?;
            let stage = match stage {
                "start" => Stage::Start,
                "progress" => Stage::Progress,
                "complete" => Stage::Complete,
                "errored" => Stage::Errored,
                _ => return None,
            };
            match what {
                "apply" => Progress::Apply(stage, work(line, "/hook/action")?),
                // Data sources and ephemeral resources are read by lines of their own shape.
                "refresh" => Progress::Refresh(stage, work(line, "/hook/action")?),
                "provision" => Progress::Provision(stage, work(line, "/hook/provisioner")?),
                _ => return None,
            }
        }
    })
}

fn work(line: &Value, action: &str) -> Option<Work> {
    Some(Work {
        address: text(line, "/hook/resource/addr")?,
        action: text(line, action).unwrap_or_else(|| "read".to_owned()),
        elapsed: line.pointer("/hook/elapsed_seconds").and_then(Value::as_u64),
    })
}

fn diagnostic(told: &Value) -> Option<Diagnostic> {
    Some(Diagnostic {
        severity: match told.get("severity")?.as_str()? {
            "warning" => Severity::Warning,
            _ => Severity::Error,
        },
        summary: text(told, "/summary")?,
        detail: text(told, "/detail").unwrap_or_default(),
        address: text(told, "/address").filter(|address| !address.is_empty()),
        place: place(told),
    })
}

fn place(told: &Value) -> Option<Place> {
    let number = |pointer| told.pointer(pointer).and_then(Value::as_u64);
    Some(Place {
        file: text(told, "/range/filename")?,
        line: number("/range/start/line")?,
        column: number("/range/start/column")?,
        block: text(told, "/snippet/context"),
    })
}

fn text(from: &Value, pointer: &str) -> Option<String> {
    from.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}
