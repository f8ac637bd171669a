//! The table of routes: what each takes and answers. A route that is not in it does not compile.

use http::Method;

use super::entry::{
    ANY, ASK, Access, Body, CONDITIONS, CREDENTIAL, DELETED, DEPLOYMENT, Entry, GONE, GROUP, KEEP,
    LATER, LOOK, LOOK_BY_TAG, PAGE, PLANE, POLL, POLL_AND_WARN, RECIPE, REFERENCE, RESOURCE, Reply,
    Shown, TAG, TAG_AND_POLL, VERSION, WRITE, WRITTEN_BY_ID, act, backend, empty, get, head,
    outside, shows,
};
use super::parameter::{Header, Query};
use crate::route::RouteName;

/// What is told of a route.
pub(super) fn of(name: RouteName) -> Entry {
    match name {
        RouteName::Discovery => Entry {
            errors: ANY,
            ..get(
                "",
                "What a Kubernetes API server asks an aggregated API.",
                &[shows(200, "Discovery", &[])],
            )
        },
        RouteName::OpenApi => Entry {
            errors: ANY,
            ..get("/openapi.json", "This document.", &[shows(200, "OpenApi", &[])])
        },
        RouteName::PlaneListAll => Entry {
            errors: ANY,
            ..get("/planes", "Lists planes.", &[shows(200, "PlaneList", &[])])
        },
        RouteName::PlaneList => Entry {
            errors: ANY,
            ..get("/planes/{kind}", "Lists planes of a kind.", &[shows(200, "PlaneList", &[])])
        },
        RouteName::PlaneShow => Entry {
            headers: CONDITIONS,
            ..get(PLANE, "Shows a plane.", &[shows(200, "Plane", TAG)])
        },
        RouteName::PlaneHead => head(PLANE, "Tells whether there is such a plane."),
        RouteName::PlanePut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                PLANE,
                "Makes or changes a plane.",
                Body::Optional("PlaneWrite"),
                &[shows(200, "Plane", TAG), shows(201, "Plane", TAG)],
            )
        },
        RouteName::PlanePatch => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PATCH,
                PLANE,
                "Changes some of a plane.",
                Body::Optional("PlaneChange"),
                &[shows(200, "Plane", TAG)],
            )
        },
        RouteName::PlaneDelete => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::DELETE,
                PLANE,
                "Removes a plane that nothing is in.",
                Body::None,
                &[DELETED, GONE],
            )
        },
        RouteName::CredentialList => get(
            "/planes/aws/{plane}/providers/System.AWS/credentials",
            "Lists credentials, without their secrets.",
            &[shows(200, "CredentialList", &[])],
        ),
        RouteName::CredentialShow => Entry {
            headers: CONDITIONS,
            ..get(
                CREDENTIAL,
                "Shows a credential, without its secrets.",
                &[shows(200, "Credential", TAG)],
            )
        },
        RouteName::CredentialHead => head(CREDENTIAL, "Tells whether there is such a credential."),
        RouteName::CredentialPut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                CREDENTIAL,
                "Keeps a credential, sealed.",
                Body::Required("CredentialWrite"),
                &[shows(200, "Credential", TAG), shows(201, "Credential", TAG)],
            )
        },
        RouteName::CredentialDelete => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(Method::DELETE, CREDENTIAL, "Forgets a credential.", Body::None, &[DELETED, GONE])
        },
        RouteName::GroupList => Entry {
            query: PAGE,
            ..get(
                "/planes/radius/{plane}/resourceGroups",
                "Lists groups.",
                &[shows(200, "GroupList", &[])],
            )
        },
        RouteName::GroupShow => Entry {
            headers: CONDITIONS,
            ..get(
                GROUP,
                "Shows a group with the first of what is in it.",
                &[shows(200, "GroupShown", TAG)],
            )
        },
        RouteName::GroupHead => head(GROUP, "Tells whether there is such a group."),
        RouteName::GroupPut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                GROUP,
                "Makes or changes a group.",
                Body::Optional("GroupWrite"),
                &[shows(200, "Group", TAG), shows(201, "Group", TAG)],
            )
        },
        RouteName::GroupPatch => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PATCH,
                GROUP,
                "Changes some of a group.",
                Body::Optional("GroupChange"),
                &[shows(200, "Group", TAG)],
            )
        },
        RouteName::GroupDelete => act(
            Method::DELETE,
            GROUP,
            "Deletes what the group owns, unlinks the rest, removes the group.",
            Body::None,
            &[DELETED, LATER],
        ),
        RouteName::GroupDrift => act(
            Method::POST,
            "/planes/radius/{plane}/resourceGroups/{group}/:drift",
            "Looks at every resource of the group.",
            Body::Optional("DriftAsk"),
            &[shows(200, "Operation", &[]), LATER],
        ),
        RouteName::ReferenceListAll => Entry {
            query: &[Query::Version, Query::Top, Query::SkipToken, Query::State, Query::Drift],
            ..get(
                "/planes/radius/{plane}/resourceGroups/{group}/resources",
                "Lists references, ordered by type and alias, then recipes with what they made.",
                &[shows(200, "GroupResourceList", &[])],
            )
        },
        RouteName::ReferenceList => Entry {
            query: &[Query::Version, Query::Top, Query::SkipToken, Query::State, Query::Drift],
            ..get(
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference",
                "Lists the references of a type.",
                &[shows(200, "ReferenceList", &[])],
            )
        },
        RouteName::ReferenceShow => Entry {
            query: &[Query::Version, Query::Live],
            headers: CONDITIONS,
            errors: LOOK_BY_TAG,
            ..get(REFERENCE, "Shows a reference.", &[shows(200, "Reference", TAG)])
        },
        RouteName::ReferenceHead => head(REFERENCE, "Tells whether there is such a reference."),
        RouteName::ReferencePut => act(
            Method::PUT,
            REFERENCE,
            "Creates, updates or imports by alias.",
            Body::Required("ReferenceWrite"),
            &[shows(200, "Reference", TAG_AND_POLL), shows(201, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferencePatch => act(
            Method::PATCH,
            REFERENCE,
            "Changes some of what is wanted.",
            Body::Optional("ReferenceChange"),
            &[shows(200, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferenceDelete => Entry {
            query: &[Query::NeededVersion, Query::Mode],
            ..act(
                Method::DELETE,
                REFERENCE,
                "Deletes an owned resource, else only the mapping.",
                Body::None,
                &[DELETED, LATER, GONE],
            )
        },
        RouteName::ReferenceDrift => Entry {
            headers: CONDITIONS,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:drift",
                "Reads AWS, keeps and shows how the resource stands.",
                Body::Optional("Nothing"),
                &[shows(200, "Reference", TAG)],
            )
        },
        RouteName::ReferenceRepair => act(
            Method::POST,
            "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:repair",
            "Applies again what was applied.",
            Body::Optional("Nothing"),
            &[shows(200, "Reference", TAG_AND_POLL), shows(201, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferenceRename => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:rename",
                "Gives a reference another alias.",
                Body::Required("RenameAsk"),
                &[shows(200, "Reference", TAG)],
            )
        },
        RouteName::DeploymentList => Entry {
            query: PAGE,
            ..get(
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Microsoft.Resources/deployments",
                "Lists deployments, ordered by name.",
                &[shows(200, "DeploymentList", &[])],
            )
        },
        RouteName::DeploymentShow => Entry {
            headers: CONDITIONS,
            ..get(
                DEPLOYMENT,
                "Shows a deployment: its last run, the resources of it, its outputs.",
                &[shows(200, "Deployment", TAG)],
            )
        },
        RouteName::DeploymentHead => head(DEPLOYMENT, "Tells whether there is such a deployment."),
        RouteName::DeploymentPut => Entry {
            headers: WRITTEN_BY_ID,
            ..act(
                Method::PUT,
                DEPLOYMENT,
                "Deploys a template.",
                Body::Required("DeploymentWrite"),
                &[shows(200, "Deployment", TAG_AND_POLL), shows(201, "Deployment", TAG_AND_POLL)],
            )
        },
        RouteName::DeploymentDelete => Entry {
            query: &[Query::NeededVersion, Query::OnRemove],
            headers: WRITTEN_BY_ID,
            ..act(
                Method::DELETE,
                DEPLOYMENT,
                "Forgets a deployment, and takes away what it manages where `onRemove` says so.",
                Body::None,
                &[shows(200, "Deployment", POLL_AND_WARN), LATER, GONE],
            )
        },
        RouteName::DeploymentCancel => Entry {
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Microsoft.Resources/deployments/{deployment}/cancel",
                "Asks for a stop of the run that is under way.",
                Body::Optional("Nothing"),
                &[GONE],
            )
        },
        RouteName::DeploymentWhatIf => Entry {
            headers: WRITTEN_BY_ID,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Microsoft.Resources/deployments/{deployment}/whatIf",
                "Tells what a `PUT` of the same body would do.",
                Body::Required("DeploymentWrite"),
                &[shows(200, "WhatIf", POLL_AND_WARN), LATER],
            )
        },
        RouteName::RecipeList => Entry {
            query: PAGE,
            ..get(
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes",
                "Lists recipes, ordered by name.",
                &[shows(200, "RecipeList", &[])],
            )
        },
        RouteName::RecipeShow => Entry {
            headers: CONDITIONS,
            ..get(
                RECIPE,
                "Shows a recipe: its last run, what it made, how its state stands.",
                &[shows(200, "Recipe", TAG)],
            )
        },
        RouteName::RecipeHead => head(RECIPE, "Tells whether there is such a recipe."),
        RouteName::RecipePut => act(
            Method::PUT,
            RECIPE,
            "Deploys a recipe.",
            Body::Required("RecipeWrite"),
            &[shows(200, "Recipe", TAG_AND_POLL), shows(201, "Recipe", TAG_AND_POLL)],
        ),
        RouteName::RecipeDelete => act(
            Method::DELETE,
            RECIPE,
            "Destroys what a recipe made, and removes it.",
            Body::None,
            &[DELETED, LATER, GONE],
        ),
        RouteName::RecipeCancel => Entry {
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/cancel",
                "Asks for a stop of the run that is under way.",
                Body::Optional("Nothing"),
                &[GONE],
            )
        },
        RouteName::RecipeSecrets => Entry {
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/listSecrets",
                "Gives out the secrets of a recipe's result.",
                Body::Optional("Nothing"),
                &[shows(200, "RecipeSecrets", &[])],
            )
        },
        RouteName::RecipeUnlock => Entry {
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/unlock",
                "Frees the lock of a recipe's state.",
                Body::Optional("UnlockAsk"),
                &[shows(200, "Unlocked", &[])],
            )
        },
        RouteName::StateShow => backend(
            "GET",
            "The Terraform state, byte for byte; the current one, or one version.",
            &[Query::Version, Query::StateVersion],
            Body::None,
            &[shows(200, "TerraformState", &[]), empty(204, &[])],
        ),
        RouteName::StateWrite => backend(
            "POST",
            "Keeps a Terraform state as the current one.",
            &[Query::Version, Query::LockId],
            Body::Required("TerraformState"),
            &[shows(200, "StateVersion", &[]), shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateLock => backend(
            "LOCK",
            "Takes the lock of the state.",
            VERSION,
            Body::Required("TerraformLock"),
            &[shows(200, "TerraformLock", &[]), shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateUnlock => backend(
            "UNLOCK",
            "Frees the lock of the state.",
            VERSION,
            Body::Required("TerraformLock"),
            &[DELETED, shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateVersions => get(
            "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/stateVersions",
            "Lists the versions of the state that are kept, newest first.",
            &[shows(200, "StateVersions", &[])],
        ),
        RouteName::ResourceList => Entry {
            query: PAGE,
            errors: LOOK,
            ..get(
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}",
                "Lists AWS resources; below a parent with `parent.Key=value`.",
                &[shows(200, "ResourceList", &[])],
            )
        },
        RouteName::ResourceShow => Entry {
            errors: LOOK,
            ..get(RESOURCE, "Reads an AWS resource.", &[shows(200, "Resource", &[])])
        },
        RouteName::ResourceHead => {
            Entry { errors: LOOK, ..head(RESOURCE, "Tells whether there is such an AWS resource.") }
        }
        RouteName::ResourcePut => Entry {
            query: VERSION,
            headers: WRITTEN_BY_ID,
            ..act(
                Method::PUT,
                RESOURCE,
                "Creates or updates by identifier.",
                Body::Required("ResourceWrite"),
                &[
                    shows(200, "Resource", POLL_AND_WARN),
                    shows(201, "Resource", POLL_AND_WARN),
                    LATER,
                ],
            )
        },
        RouteName::ResourcePatch => Entry {
            query: VERSION,
            headers: WRITTEN_BY_ID,
            ..act(
                Method::PATCH,
                RESOURCE,
                "Changes some properties.",
                Body::Required("ResourceWrite"),
                &[shows(200, "Resource", POLL_AND_WARN), LATER],
            )
        },
        RouteName::ResourceDelete => Entry {
            query: VERSION,
            headers: WRITTEN_BY_ID,
            ..act(
                Method::DELETE,
                RESOURCE,
                "Deletes an AWS resource.",
                Body::None,
                &[DELETED, LATER, GONE],
            )
        },
        RouteName::ActionGet => Entry {
            query: VERSION,
            headers: &[],
            errors: ASK,
            ..act(
                Method::POST,
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}/:get",
                "Reads by properties or by alias.",
                Body::Required("ActionGet"),
                &[shows(200, "Resource", &["Warning"])],
            )
        },
        RouteName::ActionPut => Entry {
            query: VERSION,
            ..act(
                Method::POST,
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}/:put",
                "Creates or updates by properties or by alias.",
                Body::Required("ActionPut"),
                &[
                    shows(200, "Resource", POLL_AND_WARN),
                    shows(201, "Resource", POLL_AND_WARN),
                    LATER,
                ],
            )
        },
        RouteName::ActionDelete => Entry {
            query: VERSION,
            ..act(
                Method::POST,
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}/:delete",
                "Deletes by properties or by alias.",
                Body::Required("ActionGet"),
                &[DELETED, LATER, GONE],
            )
        },
        RouteName::OperationList => Entry {
            query: &[
                Query::Version,
                Query::Top,
                Query::SkipToken,
                Query::Running,
                Query::Group,
                Query::Reference,
                Query::Parent,
            ],
            ..get(
                "/planes/radius/{plane}/providers/System.Resources/operationStatuses",
                "Lists operations, newest first.",
                &[shows(200, "OperationList", &[])],
            )
        },
        RouteName::OperationStatus => get(
            "/planes/radius/{plane}/providers/System.Resources/operationStatuses/{operation}",
            "How an operation is doing.",
            &[shows(200, "Operation", &["Retry-After"])],
        ),
        RouteName::OperationEvents => Entry {
            query: &[Query::Version, Query::After],
            headers: &[Header::LastEventId],
            ..get(
                "/planes/radius/{plane}/providers/System.Resources/operationStatuses/{operation}/events",
                "What happens to an operation, as server-sent events, until it has ended.",
                &[Reply { status: 200, shown: Shown::Events(crate::events::MEDIA), headers: &[] }],
            )
        },
        RouteName::OperationResult => Entry {
            query: &[Query::Version, Query::Shape],
            errors: WRITE,
            ..get(
                "/planes/radius/{plane}/providers/System.Resources/operationResults/{operation}",
                "What the call would have answered.",
                &[shows(200, "Result", TAG), shows(201, "Result", TAG), LATER, GONE],
            )
        },
        RouteName::OperationCancel => Entry {
            query: VERSION,
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/providers/System.Resources/operationStatuses/{operation}/cancel",
                "Asks for a stop.",
                Body::None,
                &[shows(202, "Operation", POLL)],
            )
        },
        RouteName::Alive => {
            outside("/healthz", "The process is there.", &[shows(200, "Health", &[])])
        }
        RouteName::Ready => outside(
            "/readyz",
            "The store can be read and written.",
            &[shows(200, "Health", &[]), shows(503, "Health", &[])],
        ),
        RouteName::Metrics => Entry {
            errors: &[401, 403, 421, 503],
            access: Access::Token,
            ..outside(
                "/metrics",
                "What is counted.",
                &[Reply { status: 200, shown: Shown::Text(crate::metrics::MEDIA), headers: &[] }],
            )
        },
    }
}
