//! What a group holds, for people: references, recipes, and what recipes have made.

use hangar_ids::ResourceId;

use crate::client::instant::Instant;
use crate::client::shape::Reference;
use crate::commands::recipe::shown_address;
use crate::commands::resource::list::references_table;
use crate::render::table::Table;

/// The type of a recipe.
const RECIPE: &str = "Hangar.Recipes/recipes";

/// What a group holds, by kind.
#[derive(Debug, Default)]
pub(super) struct Members<'a> {
    pub(super) references: Vec<&'a Reference>,
    pub(super) recipes: Vec<&'a Reference>,
    pub(super) outputs: Vec<&'a Reference>,
}

impl<'a> Members<'a> {
    /// Sorts what a group holds.
    pub(super) fn of(all: &'a [Reference]) -> Self {
        let mut members = Self::default();
        for one in all {
            if one.recipe.is_some() {
                members.outputs.push(one);
            } else if one.type_name.eq_ignore_ascii_case(RECIPE) {
                members.recipes.push(one);
            } else {
                members.references.push(one);
            }
        }
        members
    }

    /// A table for each kind that there is.
    pub(super) fn text(&self, group: &str, now: Instant, width: Option<usize>) -> String {
        let mut parts = Vec::new();
        if !self.references.is_empty() || self.recipes.is_empty() {
            parts.push(references_table(&self.references, group, now, width));
        }
        if !self.recipes.is_empty() {
            let mut table = Table::new(["RECIPE", "STATE", "OUTPUT RESOURCES"]);
            table.fit(width);
            for recipe in &self.recipes {
                let outputs = self.outputs.iter();
                let made = outputs.filter(|it| it.recipe.as_deref() == Some(&*recipe.id)).count();
                table.row([&*recipe.name, &recipe.state_word(), &made.to_string()]);
            }
            parts.push(table.to_string());
        }
        if !self.outputs.is_empty() {
            let mut table = Table::new(["RECIPE", "ADDRESS", "OUTPUT RESOURCE"]);
            table.fit(width);
            for output in &self.outputs {
                let recipe = output.recipe.as_deref().and_then(|id| ResourceId::parse(id).ok());
                let recipe = recipe.as_ref().and_then(ResourceId::name).unwrap_or("-");
                let address = output.address.as_deref().map_or("(declared)", shown_address);
                table.row([recipe, address, &output.id]);
            }
            parts.push(table.to_string());
        }
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recipes_and_what_they_made_stand_beside_references() {
        let base = "/planes/radius/local/resourceGroups/g/providers";
        let recipe = format!("{base}/Hangar.Recipes/recipes/net");
        let all: Vec<Reference> = serde_json::from_value(json!([
            {"id": format!("{base}/AWS.EC2/VPC:reference/a"), "name": "a", "type": "AWS.EC2/VPC:reference",
             "state": "ready"},
            {"id": recipe, "name": "net", "type": "Hangar.Recipes/recipes",
             "properties": {"provisioningState": "Succeeded"}},
            {"id": "/planes/aws/aws/accounts/1/regions/r/providers/AWS.EC2/VPC/vpc-1", "name": "vpc-1",
             "type": "AWS.EC2/VPC", "recipe": recipe, "address": "module.recipe.aws_vpc.main"},
        ]))
        .unwrap();
        let now = Instant::try_from("2026-01-02T03:04:05Z".to_owned()).unwrap();
        insta::assert_snapshot!(Members::of(&all).text("g", now, None), @"
        TYPE         ALIAS  IDENTIFIER  STATE  AGE
        AWS.EC2/VPC  a      -           ready  -

        RECIPE  STATE      OUTPUT RESOURCES
        net     succeeded  1

        RECIPE  ADDRESS       OUTPUT RESOURCE
        net     aws_vpc.main  /planes/aws/aws/accounts/1/regions/r/providers/AWS.EC2/VPC/vpc-1
        ");
        assert_eq!(Members::of(&[]).text("g", now, None), "no resources in group g");
    }
}
