//! Azure: the id as it is, where it names a resource.

use serde_json::json;

use super::*;

const AZURE: &str = "hashicorp/azurerm";
const GROUP: &str = "/subscriptions/0b1f/resourceGroups/rg";

fn found(id: &str) -> Reported {
    one(AZURE, "azurerm_x", &json!({"id": id}))
}

#[test]
fn case_15_data_plane_ids_are_none() {
    for id in [
        "https://v.vault.azure.net/secrets/s/1",
        "https://a.blob.core.windows.net/c/b",
        "0b1f-guid",
    ] {
        assert_eq!(reason(&found(id)), "data-plane or non-ARM id");
    }
    let moved = format!(
        "{GROUP}/providers/Microsoft.Storage/storageAccounts/a/fileServices/default/shares/s"
    );
    assert_eq!(found(&moved).id, Some(moved));
}

#[test]
fn case_16_associations_are_none_and_one_with_its_parents_id_is_a_duplicate() {
    for id in [
        format!(
            "{GROUP}/providers/Microsoft.Network/networkInterfaces/n|{GROUP}/providers/Microsoft.Network/networkSecurityGroups/g"
        ),
        format!(
            "{GROUP}/providers/Microsoft.Network/networkInterfaces/n/ipConfigurations/x|{GROUP}"
        ),
        format!("{GROUP}/providers/Microsoft.Authorization/roleAssignments/r|tenant"),
    ] {
        assert!(reason(&found(&id)).starts_with("association id"));
    }
    let subnet =
        json!({"id": format!("{GROUP}/providers/Microsoft.Network/virtualNetworks/v/subnets/s")});
    let report = reported(&[
        resource(AZURE, "azurerm_subnet", &subnet),
        resource(AZURE, "azurerm_subnet_nat", &subnet),
    ]);
    assert_eq!(report.resources.len(), 1);
    assert_eq!(report.instances[1].duplicate_of.as_deref(), Some("azurerm_subnet.x"));
}

#[test]
fn case_17_resources_of_every_scope_and_extensions_keep_their_ids() {
    for id in [
        "/subscriptions/0b1f/providers/Microsoft.Authorization/policyDefinitions/p".to_owned(),
        "/providers/Microsoft.Management/managementGroups/m/providers/Microsoft.Authorization/policyAssignments/a".to_owned(),
        "/providers/Microsoft.Management/managementGroups/m".to_owned(),
        format!("{GROUP}/providers/Microsoft.Sql/servers/s/providers/Microsoft.Insights/diagnosticSettings/d"),
        format!("{GROUP}/providers/Microsoft.Sql/servers/s/databases/d"),
    ] {
        assert_eq!(found(&id).id.as_ref(), Some(&id));
    }
}

#[test]
fn case_18_scopes_are_none_and_odd_spellings_are_kept_or_told() {
    for id in [GROUP, "/subscriptions/0b1f", "/subscriptions/0b1f/resourcegroups/rg/"] {
        assert_eq!(reason(&found(id)), "ARM scope id (e.g. resource group), not a resource");
    }
    let odd = "/subscriptions/0b1f/resourcegroups/RG/providers/microsoft.web/Sites/s";
    assert_eq!(found(odd).id.as_deref(), Some(odd));
    assert_eq!(found(&format!("{odd}/")).id.as_deref(), Some(odd));
    assert!(reason(&found(&odd.replace("/Sites", "//Sites"))).contains("empty"));
}

#[test]
fn case_19_azuread_has_none_azapi_a_proposal_and_data_none() {
    let azuread =
        one("hashicorp/azuread", "azuread_application", &json!({"id": "/applications/0b1f"}));
    assert_eq!((azuread.id, azuread.beyond_id), (None, None));
    let id = format!("{GROUP}/providers/Microsoft.App/jobs/j");
    let azapi = one("azure/azapi", "azapi_resource", &json!({"id": id}));
    assert_eq!((azapi.id, azapi.beyond_id), (None, Some(id)));
    let mut data = resource(AZURE, "azurerm_client_config", &json!({"id": "Y2xpZW50"}));
    data["mode"] = "data".into();
    assert!(reason(&reported(&[data]).instances[0]).starts_with("data source"));
}
