//! Lines of real runs of Terraform 1.11.4, and lines that no run printed.

use hangar_manifest::recipe::progress::{Progress, Severity, Stage, read};
use proptest::prelude::*;

macro_rules! log {
    ($name:literal) => {
        include_str!(concat!("../../fixtures/progress/", $name, ".jsonl"))
    };
}

fn lines(log: &str) -> Vec<Progress> {
    log.lines().map(|line| read(line).expect("a line of a run is an object")).collect()
}

/// A run in few words.
fn told(log: &str) -> Vec<String> {
    lines(log)
        .into_iter()
        .filter_map(|line| match line {
            Progress::PlannedChange { address, action, .. } => {
                Some(format!("plan {action} {address}"))
            }
            Progress::ChangeSummary { add, change, import, remove, operation } => {
                Some(format!("{operation} +{add} ~{change} i{import} -{remove}"))
            }
            Progress::Apply(stage, work) => {
                Some(format!("{stage:?} {} {}", work.action, work.address))
            }
            Progress::Outputs(names) => Some(format!("outputs {}", names.join(" "))),
            _ => None,
        })
        .collect()
}

#[test]
fn a_create_is_told_from_plan_to_outputs() {
    let told = told(log!("create"));
    assert_eq!(told[5], "plan +5 ~0 i0 -0");
    assert_eq!(told.last().unwrap(), "outputs hidden shown");
    assert!(told.contains(&"plan create terraform_data.each[\"c\\\"d\"]".to_owned()), "{told:?}");
    assert!(told.contains(&"Complete create terraform_data.counted[1]".to_owned()));
    assert!(told.contains(&"apply +5 ~0 i0 -0".to_owned()));
    assert!(matches!(
        &lines(log!("create"))[0],
        Progress::Version { program, version, ui } if program == "terraform" && version == "1.11.4" && ui == "1.2"
    ));
}

#[test]
fn a_replacement_and_a_destroy_are_told() {
    let replaced = told(log!("replace"));
    assert!(replaced.contains(&"plan replace terraform_data.slow".to_owned()));
    assert!(replaced.contains(&"apply +3 ~0 i0 -3".to_owned()), "{replaced:?}");
    assert!(lines(log!("replace")).iter().any(|line| matches!(
        line,
        Progress::PlannedChange { reason: Some(reason), .. } if reason == "cannot_update"
    )));
    let destroyed = told(log!("destroy"));
    assert!(destroyed.contains(&"Complete delete terraform_data.each[\"a/b\"]".to_owned()));
    assert!(destroyed.contains(&"apply +0 ~0 i0 -6".to_owned()), "{destroyed:?}");
    assert!(
        lines(log!("destroy"))
            .iter()
            .any(|line| matches!(line, Progress::Refresh(Stage::Complete, _)))
    );
}

#[test]
fn a_failure_has_its_address_and_its_place() {
    let lines = lines(log!("failure"));
    assert!(lines.iter().any(|line| matches!(
        line,
        Progress::Apply(Stage::Errored, work) if work.address == "terraform_data.broken[0]" && work.elapsed == Some(0)
    )));
    assert!(lines.iter().any(|line| matches!(line, Progress::Provision(Stage::Errored, _))));
    let Some(Progress::Diagnostic(diagnostic)) = lines.last() else { panic!("{:?}", lines.last()) };
    assert_eq!(diagnostic.severity, Severity::Error);
    assert_eq!(diagnostic.summary, "local-exec provisioner error");
    assert_eq!(diagnostic.address.as_deref(), Some("terraform_data.broken[0]"));
    let place = diagnostic.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("main.tf", 20, 30));
    assert_eq!(place.block.as_deref(), Some("resource \"terraform_data\" \"broken\""));
}

#[test]
fn a_mistake_without_a_place_is_told() {
    let [_, Progress::Diagnostic(diagnostic)] = &lines(log!("refused"))[..] else {
        panic!("two lines")
    };
    assert_eq!(diagnostic.summary, "Value for undeclared variable");
    assert_eq!((&diagnostic.place, &diagnostic.address), (&None, &None));
}

#[test]
fn long_work_tells_that_it_goes_on() {
    assert!(lines(log!("slow")).iter().any(|line| matches!(
        line,
        Progress::Apply(Stage::Progress, work) if work.elapsed == Some(10)
    )));
}

#[test]
fn warnings_and_errors_come_without_the_values_that_they_point_at() {
    let lines = lines(log!("precondition"));
    let severities: Vec<Severity> = lines
        .iter()
        .filter_map(|line| match line {
            Progress::Diagnostic(diagnostic) => Some(diagnostic.severity),
            _ => None,
        })
        .collect();
    assert_eq!(severities, [Severity::Warning, Severity::Error]);
    assert!(log!("precondition").contains("swordfish"), "the log has the value");
    assert!(!format!("{lines:?}").contains("swordfish"));
}

#[test]
fn no_value_of_an_output_and_nothing_that_a_provisioner_prints_is_kept() {
    let log = log!("create");
    let id = "d13aff96-189f-7bdf-badb-acd1d0b32e38";
    assert!(log.contains(id) && log.contains("hello"));
    let kept = format!("{:?}", lines(log));
    assert!(!kept.contains(id) && !kept.contains("hello"));
}

#[test]
fn every_line_of_the_logs_is_understood() {
    let all = [
        log!("create"),
        log!("replace"),
        log!("destroy"),
        log!("failure"),
        log!("refused"),
        log!("slow"),
        log!("precondition"),
    ];
    for log in all {
        for line in log.lines() {
            assert!(!matches!(read(line), Some(Progress::Other(_)) | None), "{line}");
        }
    }
}

#[test]
fn unknown_lines_are_other_and_no_json_is_none() {
    assert_eq!(read(r#"{"type":"test_run"}"#), Some(Progress::Other(Some("test_run".to_owned()))));
    assert_eq!(
        read(r#"{"type":"apply_start"}"#),
        Some(Progress::Other(Some("apply_start".to_owned())))
    );
    assert_eq!(read("{}"), Some(Progress::Other(None)));
    for line in ["", "panic: runtime error", "[1]", "{", "1"] {
        assert_eq!(read(line), None, "{line}");
    }
    let tofu = read(r#"{"type":"version","tofu":"1.9.0","ui":"1.2"}"#);
    assert!(matches!(tofu, Some(Progress::Version { program, .. }) if program == "tofu"));
}

proptest! {
    #[test]
    fn any_line_is_read(line in "\\PC{0,60}", kind in "[a-z_]{0,20}") {
        let _ = read(&line);
        let _ = read(&format!(r#"{{"type":"{kind}","hook":[],"diagnostic":{{"severity":1}},"changes":1}}"#));
    }
}
