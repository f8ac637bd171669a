//! A plan in words: a line for each resource, and below it a line for each property that would change.

mod lines;
mod outputs;
mod property;
mod recipe;
mod value;

pub(in crate::commands) use property::tell as write_property;

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use console::measure_text_width;

use crate::client::deployment::{Action, Change, Plan, PlanProperties, PropertyNote, SourcePlace};
use crate::client::shape::AwsPlace;
use crate::render::line::ResourceLine;
use crate::render::printable;
use crate::render::wrap::wrap;

const DIM: Style = Style::new().dimmed();

/// How a plan is shown.
#[derive(Clone, Copy)]
pub(in crate::commands) struct View<'a> {
    /// How wide a line may be, where something limits it.
    pub(in crate::commands) width: Option<usize>,
    /// Whether what stays as it is is shown, too.
    pub(in crate::commands) all: bool,
    /// The name of a file of the template, as a person would write it.
    pub(in crate::commands) file: &'a dyn Fn(&str) -> String,
}

impl View<'_> {
    /// `main.bicep:8`.
    fn place(&self, source: Option<&SourcePlace>) -> Option<String> {
        let SourcePlace { file, line, .. } = source?;
        line.map(|line| printable(&format!("{}:{line}", (self.file)(file))).into_owned())
    }

    fn is_too_wide(&self, plain: &str) -> bool {
        self.width.is_some_and(|width| measure_text_width(plain) > width)
    }
}

/// All of it: where it goes, what would be done, and how much of it.
pub(super) fn whole(name: &str, plan: &Plan, view: View<'_>) -> String {
    let mut text = String::new();
    let scope = main_scope(plan);
    if let Some(place) = scope.and_then(AwsPlace::of) {
        let told = format!("{name}: account {}, region {}", place.account, place.region);
        let _ = writeln!(text, "{}", printable(&told));
    }
    text.push_str(&changes(&plan.properties.changes, scope, view));
    let _ = writeln!(text, "{}", summary(&plan.properties));
    text.push_str(&outputs::outputs(&plan.properties, view));
    text
}

/// Where the resources go: all to one place that the template names itself, else to the plan's if they name none.
fn main_scope(plan: &Plan) -> Option<&str> {
    let usual = plan.properties.scope.as_deref();
    let mut scopes = plan.properties.changes.iter().filter_map(|change| change.scope.as_deref());
    let Some(first) = scopes.next() else { return usual };
    if scopes.all(|scope| scope == first) { Some(first) } else { usual }
}

/// Those where something would be done.
///
/// Where one goes is told of those that do not go where the plan does.
pub(super) fn changes(changes: &[Change], scope: Option<&str>, view: View<'_>) -> String {
    let mut text = String::new();
    let is_shown =
        |change: &&Change| view.all || change.action != Action::NoOp || !change.notes.is_empty();
    for change in changes.iter().filter(is_shown) {
        headline(&mut text, change, scope, view);
        for changed in &change.changed {
            property::tell(&mut text, changed, change.action, view);
        }
        for note in &change.notes {
            write_note(&mut text, note, view);
        }
        recipe::write_resources(&mut text, change, view);
    }
    text
}

/// `note: /Type: AWS is known to accept this removal and to keep the value`.
fn write_note(text: &mut String, note: &PropertyNote, view: View<'_>) {
    const INDENT: &str = "        ";
    let line = format!("      note: {}: {}", printable(&note.path), printable(&note.message));
    let line = view.width.map_or_else(|| line.clone(), |width| wrap(&line, width, INDENT));
    let _ = writeln!(text, "{DIM}{line}{DIM:#}");
}

fn headline(text: &mut String, change: &Change, scope: Option<&str>, view: View<'_>) {
    let (sign, style, word) = mark(change.action);
    let elsewhere = change.scope.as_deref().filter(|it| Some(*it) != scope);
    let elsewhere = elsewhere.and_then(AwsPlace::of);
    let elsewhere = elsewhere
        .map(|place| format!("  (account {}, region {})", place.account, place.region))
        .unwrap_or_default();
    let resource = ResourceLine {
        name: &change.address,
        type_name: &change.type_name,
        word: &if change.may_replace { format!("{word}, may replace") } else { word.to_owned() },
        identifier: change.identifier.as_deref(),
    };
    let room = view.width.map(|width| width.saturating_sub(4 + measure_text_width(&elsewhere)));
    let line = format!("{}{}", resource.text(room), printable(&elsewhere));
    let _ = write!(text, "{style}{sign:<3}{style:#} {line}");
    let reason = change.reason.as_ref().filter(|_| needs_reason(change));
    let reason = reason.map(|reason| printable(reason).into_owned()).unwrap_or_default();
    let is_refused = change.action == Action::Refused;
    let place = view.place(change.source.as_ref()).filter(|_| is_refused).unwrap_or_default();
    if reason.is_empty() && place.is_empty() {
        text.push('\n');
        return;
    }
    let gap = if place.is_empty() { "" } else { "  " };
    if view.is_too_wide(&format!("    {line}: {reason}{gap}{place}")) {
        let _ = writeln!(text, ":\n      {reason}{gap}{DIM}{place}{DIM:#}");
    } else {
        let _ = writeln!(text, ": {reason}{gap}{DIM}{place}{DIM:#}");
    }
}

/// Whether the properties that follow do not say it already.
fn needs_reason(change: &Change) -> bool {
    match change.action {
        Action::Replace => !change.changed.iter().any(|changed| changed.requires_replacement),
        Action::Unknown => !change.changed.iter().any(|changed| changed.unknown.is_some()),
        _ => true,
    }
}

fn mark(action: Action) -> (&'static str, Style, &'static str) {
    match action {
        Action::Create => ("+", AnsiColor::Green.on_default(), "create"),
        Action::Adopt => ("+", AnsiColor::Green.on_default(), "adopt"),
        Action::Update => ("~", AnsiColor::Yellow.on_default(), "update"),
        Action::Replace => ("-/+", AnsiColor::Magenta.on_default(), "replace"),
        Action::Read => ("<=", AnsiColor::Cyan.on_default(), "read"),
        Action::Run => (">", AnsiColor::Cyan.on_default(), "run"),
        Action::NoOp => ("=", Style::new().dimmed(), "unchanged"),
        Action::Unknown => ("?", AnsiColor::Cyan.on_default(), "not known yet"),
        Action::Refused => ("!", AnsiColor::Red.on_default().bold(), "would fail"),
        Action::Delete => ("-", AnsiColor::Red.on_default(), "delete (no longer in the template)"),
        Action::Detach => {
            ("-", AnsiColor::Yellow.on_default(), "detach (no longer in the template)")
        }
        Action::Keep => (".", Style::new().dimmed(), "keep (no longer in the template)"),
        Action::TakenOver => (".", Style::new().dimmed(), "taken over"),
    }
}

/// `plan: 3 to create, 1 to replace (1 needs --replace), 8 unchanged`.
fn summary(plan: &PlanProperties) -> String {
    const WORDS: [(Action, &str); 13] = [
        (Action::Create, "to create"),
        (Action::Adopt, "to adopt"),
        (Action::Update, "to update"),
        (Action::Replace, "to replace"),
        (Action::Run, "to run"),
        (Action::Delete, "to delete"),
        (Action::Detach, "to detach"),
        (Action::Unknown, "not known yet"),
        (Action::Refused, "would fail"),
        (Action::NoOp, "unchanged"),
        (Action::Read, "read"),
        (Action::Keep, "kept"),
        (Action::TakenOver, "taken over"),
    ];
    let changes = &plan.changes;
    let counts = WORDS.iter().filter_map(|(action, word)| {
        let count = changes.iter().filter(|change| change.action == *action).count();
        let condition = match (action, plan.needs_replace) {
            (Action::Replace, 1) => " (1 needs --replace)".to_owned(),
            (Action::Replace, needing @ 2..) => format!(" ({needing} need --replace)"),
            _ => String::new(),
        };
        (count > 0).then(|| format!("{count} {word}{condition}"))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    let is_quiet = changes.iter().all(|it| it.action.is_quiet());
    match (changes.len(), is_quiet) {
        (0, _) => "plan: no resources".to_owned(),
        (_, true) => format!("plan: no changes ({counts})"),
        (_, false) => format!("plan: {counts}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view() -> View<'static> {
        View { width: None, all: false, file: &|path| path.to_owned() }
    }

    fn shown(changes: &serde_json::Value, width: Option<usize>) -> String {
        let changes: Vec<Change> = serde_json::from_value(changes.clone()).unwrap();
        let text = super::changes(&changes, None, View { width, ..view() });
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_note_is_shown_also_of_a_resource_that_stays_as_it_is() {
        let changes = json!([
            {"address": "group", "type": "AWS.Batch/ComputeEnvironment", "action": "no-op", "identifier": "ce-1",
             "notes": [{"path": "/Type", "code": "create-only-respelled",
                        "message": "create-only, and different only in letter case: no reason to replace the resource"}]},
            {"address": "other", "type": "AWS.EC2/VPC", "action": "no-op", "identifier": "vpc-1"},
        ]);
        insta::assert_snapshot!(shown(&changes, Some(70)), @r"
        =   group  AWS.Batch/ComputeEnvironment  unchanged  ce-1
              note: /Type: create-only, and different only in letter case: no
                reason to replace the resource
        ");
    }

    #[test]
    fn a_plan_says_what_would_be_done_and_what_is_not_known() {
        let plan: Plan = serde_json::from_value(json!({"properties": {
            "scope": "/planes/aws/aws/accounts/1/regions/us-east-1",
            "changes": [
                {"address": "vpc", "type": "AWS.EC2/VPC", "action": "create", "changed": [
                    {"path": "/CidrBlock", "after": "10.0.0.0/16"}]},
                {"address": "subnets[0]", "type": "AWS.EC2/Subnet", "action": "create", "changed": [
                    {"path": "/VpcId", "unknown": "known after vpc"}]},
                {"address": "db", "type": "AWS.RDS/DBInstance", "action": "update", "identifier": "db-1", "changed": [
                    {"path": "/MasterUserPassword", "secret": true},
                    {"path": "/AllocatedStorage", "before": "20", "after": "40"},
                    {"path": "/Tags", "before": [{"Key": "a", "Value": "b"}]}]},
                {"address": "log", "type": "AWS.Logs/LogGroup", "action": "replace", "changed": [
                    {"path": "/LogGroupName", "before": "a", "after": "b", "requiresReplacement": true}]},
                {"address": "route", "type": "AWS.EC2/Route", "action": "unknown", "reason": "who knows", "changed": [
                    {"path": "/VpcId", "unknown": "known after vpc"}]},
                {"address": "q", "type": "AWS.SQS/Queue", "action": "no-op"},
                {"address": "zone", "type": "AWS.Route53/HostedZone", "action": "read"},
                {"address": "net", "type": "Hangar.Recipes/recipes", "action": "run",
                    "changed": [
                    {"path": "/parameters/cidr", "before": "10.0.0.0/16", "after": "10.1.0.0/16"},
                    {"path": "/parameters/size", "after": 2}],
                    "resourceChanges": [
                        {"address": "module.recipe.aws_vpc.v", "type": "aws_vpc", "action": "replace", "changed": [
                            {"path": "/cidr_block", "before": "10.0.0.0/16", "after": "10.1.0.0/16", "requiresReplacement": true},
                            {"path": "/id", "before": "vpc-1", "unknown": "known after apply"}]},
                        {"address": "module.recipe.aws_subnet.s[0]", "type": "aws_subnet", "action": "create", "changed": [
                            {"path": "/password", "secret": true}, {"path": "/size", "after": 2}]}]},
                {"address": "odd", "type": "AWS.EC2/VPC", "action": "refused", "reason": "it is not owned"},
                {"address": "old", "type": "AWS.EC2/VPC", "action": "delete", "identifier": "vpc-1"},
                {"address": "theirs", "type": "AWS.EC2/VPC", "action": "detach", "reason": "it is not owned"},
                {"address": "still", "type": "AWS.EC2/VPC", "action": "keep"},
                {"address": "gone", "type": "AWS.EC2/VPC", "action": "taken-over", "reason": "the deployment `web` manages it now"}],
            "outputs": {"id": {"type": "string", "unknown": "known after vpc"}},
        }}))
        .unwrap();
        let text = whole("app", &plan, view());
        insta::assert_snapshot!(anstream::adapter::strip_str(&text), @r#"
        app: account 1, region us-east-1
        +   vpc  AWS.EC2/VPC  create
                /CidrBlock: "10.0.0.0/16"
        +   subnets[0]  AWS.EC2/Subnet  create
                /VpcId: (known after vpc)
        ~   db  AWS.RDS/DBInstance  update  db-1
              ~ /MasterUserPassword: «secret»
              ~ /AllocatedStorage: "20" → "40"
              - /Tags: [{"Key":"a","Value":"b"}]
        -/+ log  AWS.Logs/LogGroup  replace
              ~ /LogGroupName: "a" → "b"  (requires a new resource)
        ?   route  AWS.EC2/Route  not known yet
              ? /VpcId: (known after vpc)
        <=  zone  AWS.Route53/HostedZone  read
        >   net  Hangar.Recipes/recipes  run
              ~ /parameters/cidr: "10.0.0.0/16" → "10.1.0.0/16"
                /parameters/size: 2
              -/+ module.recipe.aws_vpc.v  replace
                    ~ /cidr_block: "10.0.0.0/16" → "10.1.0.0/16"  (requires a new resource)
                    ~ /id: (known after apply)
              +   module.recipe.aws_subnet.s[0]  create
                      /password: «secret»
                      /size: 2
        !   odd  AWS.EC2/VPC  would fail: it is not owned
        -   old  AWS.EC2/VPC  delete (no longer in the template)  vpc-1
        -   theirs  AWS.EC2/VPC  detach (no longer in the template): it is not owned
        .   still  AWS.EC2/VPC  keep (no longer in the template)
        .   gone  AWS.EC2/VPC  taken over: the deployment `web` manages it now
        plan: 2 to create, 1 to update, 1 to replace, 1 to run, 1 to delete, 1 to detach, 1 not known yet, 1 would fail, 1 unchanged, 1 read, 1 kept, 1 taken over
        outputs:
            id  (known after vpc)
        "#);
    }

    fn telling(count: usize) -> serde_json::Value {
        let at = |line: usize| json!({"file": "main.bicep", "line": line, "start": 1, "end": 2});
        let role =
            |name: &str| format!("arn:aws:iam::123456789012:role/some/long/path/of/roles/{name}");
        let parts: Vec<_> = (0..count)
            .map(|index| json!({"path": format!("/Tags/{index}"), "keyed": format!("/Tags/[Key=k{index}]"),
                "after": {"Key": format!("k{index}"), "Value": "v"}, "cause": "first-stated", "reason": "r"}))
            .collect();
        json!([
            {"address": "web/box", "type": "AWS.EC2/Instance", "action": "update", "identifier": "i-1", "mayReplace": true,
             "source": at(3), "changed": [
                {"path": "/IamInstanceProfile", "before": role("one"), "after": role("two"), "cause": "stated",
                 "reason": "the template changed it", "source": at(5)},
                {"path": "/InstanceType", "before": "t3.micro", "after": "t3.large", "cause": "stated", "mayReplace": true,
                 "reason": "the template changed it", "source": at(6)},
                {"path": "/Monitoring", "before": true, "after": false, "cause": "drifted", "source": at(7),
                 "reason": "drifted: it was changed in AWS since it was applied"},
                {"path": "/SourceDestCheck", "before": true, "cause": "no-longer-stated",
                 "reason": "no longer in the template"},
                {"path": "/Tags", "cause": "first-stated", "parts": parts},
                {"path": "/UserData", "before": "#!/bin/sh\nset -e\necho a\n", "after": "#!/bin/sh\nset -e\necho b\n",
                 "cause": "stated", "source": at(9)}]},
            {"address": "net", "type": "AWS.EC2/VPC", "action": "replace", "reason": "these changes require a new resource",
             "changed": [
                {"path": "/CidrBlock", "before": "10.0.0.0/16", "after": "10.1.0.0/16", "requiresReplacement": true,
                 "reason": "can be set at creation only", "source": at(20)}]},
            {"address": "logs", "type": "AWS.Logs/LogGroup", "action": "refused", "source": at(30),
             "reason": "/RetentionInDays: `8` is not among the allowed values; use one of `1`, `3`, `5`", "changed": []},
        ])
    }

    #[test]
    fn behind_a_property_stands_what_its_values_do_not_say() {
        insta::assert_snapshot!(shown(&telling(22), None), @r#"
    ~   web/box  AWS.EC2/Instance  update, may replace  i-1
          ~ /IamInstanceProfile:
              - "arn:aws:iam::123456789012:role/some/long/path/of/roles/one"
              + "arn:aws:iam::123456789012:role/some/long/path/of/roles/two"
          ~ /InstanceType: "t3.micro" → "t3.large"  (may replace: AWS decides)  main.bicep:6
          ~ /Monitoring: true → false  (drifted: it was changed in AWS since it was applied)
          - /SourceDestCheck: true  (no longer in the template)
          + /Tags/[Key=k0]: {"Key":"k0","Value":"v"}
          + /Tags/[Key=k1]: {"Key":"k1","Value":"v"}
          + /Tags/[Key=k2]: {"Key":"k2","Value":"v"}
          + /Tags/[Key=k3]: {"Key":"k3","Value":"v"}
          + /Tags/[Key=k4]: {"Key":"k4","Value":"v"}
          + /Tags/[Key=k5]: {"Key":"k5","Value":"v"}
          + /Tags/[Key=k6]: {"Key":"k6","Value":"v"}
          + /Tags/[Key=k7]: {"Key":"k7","Value":"v"}
          + /Tags/[Key=k8]: {"Key":"k8","Value":"v"}
          + /Tags/[Key=k9]: {"Key":"k9","Value":"v"}
          + /Tags/[Key=k10]: {"Key":"k10","Value":"v"}
          + /Tags/[Key=k11]: {"Key":"k11","Value":"v"}
          + /Tags/[Key=k12]: {"Key":"k12","Value":"v"}
          + /Tags/[Key=k13]: {"Key":"k13","Value":"v"}
          + /Tags/[Key=k14]: {"Key":"k14","Value":"v"}
          + /Tags/[Key=k15]: {"Key":"k15","Value":"v"}
          + /Tags/[Key=k16]: {"Key":"k16","Value":"v"}
          + /Tags/[Key=k17]: {"Key":"k17","Value":"v"}
          + /Tags/[Key=k18]: {"Key":"k18","Value":"v"}
          + /Tags/[Key=k19]: {"Key":"k19","Value":"v"}
          + /Tags/[Key=k20]: {"Key":"k20","Value":"v"}
          + /Tags/[Key=k21]: {"Key":"k21","Value":"v"}
          ~ /UserData:
                #!/bin/sh
                set -e
              - echo a
              + echo b
    -/+ net  AWS.EC2/VPC  replace
          ~ /CidrBlock: "10.0.0.0/16" → "10.1.0.0/16"  (can be set at creation only)  main.bicep:20
    !   logs  AWS.Logs/LogGroup  would fail: /RetentionInDays: `8` is not among the allowed values; use one of `1`, `3`, `5`  main.bicep:30
    "#);
    }

    #[test]
    fn lines_keep_to_the_width_of_a_terminal() {
        let text = shown(&telling(2), Some(80));
        insta::assert_snapshot!(text, @r#"
    ~   web/box  AWS.EC2/Instance  update, may replace  i-1
          ~ /IamInstanceProfile:
              - "arn:aws:iam::123456789012:role/some/long/path/of/roles/one"
              + "arn:aws:iam::123456789012:role/some/long/path/of/roles/two"
          ~ /InstanceType: "t3.micro" → "t3.large"  (may replace: AWS decides)
              main.bicep:6
          ~ /Monitoring: true → false
              (drifted: it was changed in AWS since it was applied)
          - /SourceDestCheck: true  (no longer in the template)
          + /Tags/[Key=k0]: {"Key":"k0","Value":"v"}
          + /Tags/[Key=k1]: {"Key":"k1","Value":"v"}
          ~ /UserData:
                #!/bin/sh
                set -e
              - echo a
              + echo b
    -/+ net  AWS.EC2/VPC  replace
          ~ /CidrBlock: "10.0.0.0/16" → "10.1.0.0/16"  (can be set at creation only)
              main.bicep:20
    !   logs  AWS.Logs/LogGroup  would fail:
          /RetentionInDays: `8` is not among the allowed values; use one of `1`, `3`, `5`  main.bicep:30
    "#);
        let is_wide = |line: &&str| measure_text_width(line) > 80;
        // What would fail is told whole.
        let wide: Vec<&str> = text.lines().filter(is_wide).collect();
        assert!(wide.iter().all(|line| line.contains("RetentionInDays")), "{wide:?}");
    }

    #[test]
    fn outputs_that_stay_are_told_where_all_is_asked_for() {
        let plan: Plan = serde_json::from_value(json!({"properties": {"changes": [], "outputs": {
            "same": {"type": "string", "value": "a", "change": "no-op"},
            "other": {"type": "string", "value": "b", "before": "a", "change": "update"},
            "gone": {"type": "string", "before": "a", "change": "delete"},
            "later": {"type": "string", "unknown": "known after net", "before": "a", "change": "unknown"},
            "hidden": {"type": "string", "secret": true},
        }, "outputProblem": {"code": "X", "message": "it is too short",
            "source": {"file": "main.bicep", "line": 4, "start": 1, "end": 2}}}}))
        .unwrap();
        let of = |all| {
            anstream::adapter::strip_str(&whole("app", &plan, View { all, ..view() })).to_string()
        };
        insta::assert_snapshot!(of(false), @r#"
    plan: no resources
    !   outputs  would fail: it is too short  main.bicep:4
    outputs:
      - gone    "a"
        hidden  «secret»
      ? later   (known after net)
      ~ other   "a" → "b"
    "#);
        assert!(of(true).contains("\n    same    \"a\"\n"), "{}", of(true));
    }

    #[test]
    fn the_summary_says_how_many_replacements_a_plain_deploy_refuses() {
        let of = |count: usize, needing: usize| {
            let change = json!({"address": "q", "type": "AWS.SQS/Queue", "action": "replace"});
            let plan =
                json!({"properties": {"changes": vec![change; count], "needsReplace": needing}});
            let plan: Plan = serde_json::from_value(plan).unwrap();
            summary(&plan.properties)
        };
        assert_eq!(of(2, 2), "plan: 2 to replace (2 need --replace)");
        assert_eq!(of(1, 1), "plan: 1 to replace (1 needs --replace)");
        assert_eq!(of(2, 0), "plan: 2 to replace");
    }

    #[test]
    fn the_sign_of_a_secret_says_what_becomes_of_it() {
        let secret = |cause: &str| json!({"path": "/Key", "secret": true, "cause": cause});
        let causes = ["no-longer-stated", "first-stated", "stated"].map(secret);
        let text = shown(
            &json!([{"address": "f", "type": "AWS.Lambda/Function", "action": "update", "changed": causes}]),
            None,
        );
        let signs: Vec<&str> = text.lines().skip(1).map(|line| &line[6..7]).collect();
        assert_eq!(signs, ["-", "+", "~"], "{text}");
    }

    #[test]
    fn nothing_to_do_is_said() {
        let plan: Plan = serde_json::from_value(json!({"properties": {"changes": [
            {"address": "q", "type": "AWS.SQS/Queue", "action": "no-op"}]}}))
        .unwrap();
        assert_eq!(whole("app", &plan, view()), "plan: no changes (1 unchanged)\n");
        let all = whole("app", &plan, View { all: true, ..view() });
        let all = anstream::adapter::strip_str(&all).to_string();
        assert_eq!(all, "=   q  AWS.SQS/Queue  unchanged\nplan: no changes (1 unchanged)\n");
    }
}
