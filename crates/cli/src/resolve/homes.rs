//! Where the stacks of a CDK app are: account, region and lookup role, as its assembly says.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hangar_manifest::reference::Place;

use crate::commands::simulator::assembly::{AssemblyStack, stacks};
use crate::failure::Failure;
use crate::input::Inputs;

/// The places of the stacks of assemblies. Of a name that two assemblies have, the first counts.
pub(crate) fn of_assemblies(
    folders: &[PathBuf],
    inputs: &mut Inputs,
) -> Result<BTreeMap<String, Place>, Failure> {
    let mut homes = BTreeMap::new();
    for folder in folders {
        for stack in stacks(folder, &mut |path| Ok(inputs.read(path)?.text))? {
            let place = place(&stack);
            homes.entry(stack.name).or_insert(place);
        }
    }
    Ok(homes)
}

fn place(stack: &AssemblyStack) -> Place {
    let (account, region) = (stack.account.clone(), stack.region.clone());
    let role = stack.lookup_role.as_deref().map(|role| {
        let partition = match region.as_deref() {
            Some(region) if region.starts_with("cn-") => "aws-cn",
            Some(region) if region.starts_with("us-gov-") => "aws-us-gov",
            _ => "aws",
        };
        role.replace("${AWS::Partition}", partition)
    });
    // A role of whichever account it is deployed to is one of the caller's own, who needs none.
    let role = role.filter(|role| !role.contains("${") && account.is_some());
    Place { account, region, role }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The place of the one stack of an assembly.
    fn home(environment: &str, role: &str) -> Place {
        let manifest = serde_json::json!({"artifacts": {"App": {
            "type": "aws:cloudformation:stack",
            "environment": environment,
            "properties": {"templateFile": "App.template.json", "lookupRole": {"arn": role}},
        }}});
        let found = stacks(Path::new("cdk.out"), &mut |_| Ok(manifest.to_string()));
        place(&found.unwrap()[0])
    }

    #[test]
    fn a_stack_of_a_named_account_is_read_by_its_lookup_role() {
        let role = "arn:${AWS::Partition}:iam::111122223333:role/cdk-lookup-role";
        let place = home("aws://111122223333/eu-west-1", role);
        assert_eq!(place.region.as_deref(), Some("eu-west-1"));
        assert_eq!(place.role.as_deref(), Some("arn:aws:iam::111122223333:role/cdk-lookup-role"));
    }

    #[test]
    fn a_stack_of_no_account_is_the_callers_own() {
        let role = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/cdk-lookup-role";
        assert_eq!(home("aws://unknown-account/unknown-region", role), Place::default());
    }
}
