//! `hangar resolve --lint`: tokens that were never resolved, and references that are none.

use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Draft, Rejecting, Which};

use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::printer::Printer;
use crate::render::counted;
use crate::resolve::manifests::Manifests;

/// Looks at all manifests; where one cannot be read, the others are looked at all the same.
pub(super) fn run(manifests: &Manifests, printer: &mut Printer) -> Result<Exit, Failure> {
    let (mut reports, mut references) = (Vec::new(), 0);
    for manifest in manifests.all() {
        let diagnostics: Vec<Diagnostic> = match Draft::read(&manifest.source.text) {
            Ok(mut draft) => {
                let mut rejecting = Rejecting::default();
                let mut found = draft.offer(&mut rejecting, Which::References).problems;
                references += rejecting.references();
                found.extend(draft.raw_tokens());
                found
            }
            Err(error) => vec![error.diagnostic()],
        };
        if !diagnostics.is_empty() {
            reports.push(Report { source: Some(manifest.source.clone()), diagnostics });
        }
    }
    if !reports.is_empty() {
        return Err(Failure::Reported(reports));
    }
    let files = manifests.all().len();
    let text = || {
        let (files, references) =
            (counted(files, "file"), counted(references, "well-formed reference"));
        format!("no raw tokens in {files}; {references}")
    };
    printer.show(
        text,
        || serde_json::json!({"files": files, "references": references, "problems": []}),
    )?;
    Ok(Exit::Success)
}
