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
                "Returns the discovery document for a Kubernetes API server.",
                &[shows(200, "Discovery", &[])],
            )
        },
        RouteName::OpenApi => Entry {
            errors: ANY,
            ..get("/openapi.json", "Returns this document.", &[shows(200, "OpenApi", &[])])
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
            ..get(PLANE, "Returns a plane.", &[shows(200, "Plane", TAG)])
        },
        RouteName::PlaneHead => head(PLANE, "Checks whether a plane exists."),
        RouteName::PlanePut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                PLANE,
                "Creates or updates a plane.",
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
                "Updates a part of a plane.",
                Body::Optional("PlaneChange"),
                &[shows(200, "Plane", TAG)],
            )
        },
        RouteName::PlaneDelete => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(Method::DELETE, PLANE, "Deletes an empty plane.", Body::None, &[DELETED, GONE])
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
                "Returns a credential, without its secrets.",
                &[shows(200, "Credential", TAG)],
            )
        },
        RouteName::CredentialHead => head(CREDENTIAL, "Checks whether a credential exists."),
        RouteName::CredentialPut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                CREDENTIAL,
                "Stores a credential, encrypted.",
                Body::Required("CredentialWrite"),
                &[shows(200, "Credential", TAG), shows(201, "Credential", TAG)],
            )
        },
        RouteName::CredentialDelete => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(Method::DELETE, CREDENTIAL, "Deletes a credential.", Body::None, &[DELETED, GONE])
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
                "Returns a group with the first resources in it.",
                &[shows(200, "GroupShown", TAG)],
            )
        },
        RouteName::GroupHead => head(GROUP, "Checks whether a group exists."),
        RouteName::GroupPut => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::PUT,
                GROUP,
                "Creates or updates a group.",
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
                "Updates a part of a group.",
                Body::Optional("GroupChange"),
                &[shows(200, "Group", TAG)],
            )
        },
        RouteName::GroupDelete => act(
            Method::DELETE,
            GROUP,
            "Deletes the owned resources of a group, detaches the others, and deletes the group.",
            Body::None,
            &[DELETED, LATER],
        ),
        RouteName::GroupDrift => act(
            Method::POST,
            "/planes/radius/{plane}/resourceGroups/{group}/:drift",
            "Checks every resource of a group for drift.",
            Body::Optional("DriftAsk"),
            &[shows(200, "Operation", &[]), LATER],
        ),
        RouteName::ReferenceListAll => Entry {
            query: &[Query::Version, Query::Top, Query::SkipToken, Query::State, Query::Drift],
            ..get(
                "/planes/radius/{plane}/resourceGroups/{group}/resources",
                "Lists references, ordered by type and alias, then recipes with their output \
                 resources.",
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
            ..get(REFERENCE, "Returns a reference.", &[shows(200, "Reference", TAG)])
        },
        RouteName::ReferenceHead => head(REFERENCE, "Checks whether a reference exists."),
        RouteName::ReferencePut => act(
            Method::PUT,
            REFERENCE,
            "Creates, updates or imports a resource by its alias.",
            Body::Required("ReferenceWrite"),
            &[shows(200, "Reference", TAG_AND_POLL), shows(201, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferencePatch => act(
            Method::PATCH,
            REFERENCE,
            "Updates some of the desired properties.",
            Body::Optional("ReferenceChange"),
            &[shows(200, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferenceDelete => Entry {
            query: &[Query::NeededVersion, Query::Mode],
            ..act(
                Method::DELETE,
                REFERENCE,
                "Deletes a reference and, if it is owned, its resource.",
                Body::None,
                &[DELETED, LATER, GONE],
            )
        },
        RouteName::ReferenceDrift => Entry {
            headers: CONDITIONS,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:drift",
                "Checks a resource for drift, and stores and returns the result.",
                Body::Optional("Nothing"),
                &[shows(200, "Reference", TAG)],
            )
        },
        RouteName::ReferenceRepair => act(
            Method::POST,
            "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:repair",
            "Repairs drift by applying the last applied properties again.",
            Body::Optional("Nothing"),
            &[shows(200, "Reference", TAG_AND_POLL), shows(201, "Reference", TAG_AND_POLL), LATER],
        ),
        RouteName::ReferenceRename => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:rename",
                "Renames the alias of a reference.",
                Body::Required("RenameAsk"),
                &[shows(200, "Reference", TAG)],
            )
        },
        RouteName::ReferenceUnlearn => Entry {
            headers: CONDITIONS,
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}/:unlearn",
                "Forgets AWS's forms of values that were learned for a reference.",
                Body::Optional("UnlearnAsk"),
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
                "Returns a deployment: its last run with resources and outputs.",
                &[shows(200, "Deployment", TAG)],
            )
        },
        RouteName::DeploymentHead => head(DEPLOYMENT, "Checks whether a deployment exists."),
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
                "Deletes a deployment and, depending on `onRemove`, detaches or deletes its \
                 resources.",
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
                "Cancels the current run.",
                Body::Optional("Nothing"),
                &[GONE],
            )
        },
        RouteName::DeploymentWhatIf => Entry {
            headers: WRITTEN_BY_ID,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Microsoft.Resources/deployments/{deployment}/whatIf",
                "Returns the changes that a `PUT` of the same body would make.",
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
                "Returns a recipe: its last run, its output resources and the status of its state.",
                &[shows(200, "Recipe", TAG)],
            )
        },
        RouteName::RecipeHead => head(RECIPE, "Checks whether a recipe exists."),
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
            "Destroys the resources of a recipe, and deletes the recipe.",
            Body::None,
            &[DELETED, LATER, GONE],
        ),
        RouteName::RecipeCancel => Entry {
            headers: &[],
            errors: KEEP,
            ..act(
                Method::POST,
                "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/cancel",
                "Cancels the current run.",
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
                "Returns the secrets of a recipe's result.",
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
                "Removes the lock of a recipe's state.",
                Body::Optional("UnlockAsk"),
                &[shows(200, "Unlocked", &[])],
            )
        },
        RouteName::StateShow => backend(
            "GET",
            "Returns the Terraform state, byte for byte: the current one, or one version.",
            &[Query::Version, Query::StateVersion],
            Body::None,
            &[shows(200, "TerraformState", &[]), empty(204, &[])],
        ),
        RouteName::StateWrite => backend(
            "POST",
            "Stores a Terraform state as the current one.",
            &[Query::Version, Query::LockId],
            Body::Required("TerraformState"),
            &[shows(200, "StateVersion", &[]), shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateLock => backend(
            "LOCK",
            "Locks the state.",
            VERSION,
            Body::Required("TerraformLock"),
            &[shows(200, "TerraformLock", &[]), shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateUnlock => backend(
            "UNLOCK",
            "Unlocks the state.",
            VERSION,
            Body::Required("TerraformLock"),
            &[DELETED, shows(423, "TerraformLock", &[])],
        ),
        RouteName::StateVersions => get(
            "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/stateVersions",
            "Lists the stored versions of the state, newest first.",
            &[shows(200, "StateVersions", &[])],
        ),
        RouteName::ResourceList => Entry {
            query: PAGE,
            errors: LOOK,
            ..get(
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}",
                "Lists AWS resources, under a parent with `parent.Key=value`.",
                &[shows(200, "ResourceList", &[])],
            )
        },
        RouteName::ResourceShow => Entry {
            errors: LOOK,
            ..get(RESOURCE, "Reads an AWS resource.", &[shows(200, "Resource", &[])])
        },
        RouteName::ResourceHead => {
            Entry { errors: LOOK, ..head(RESOURCE, "Checks whether an AWS resource exists.") }
        }
        RouteName::ResourcePut => Entry {
            query: VERSION,
            headers: WRITTEN_BY_ID,
            ..act(
                Method::PUT,
                RESOURCE,
                "Creates or updates an AWS resource by its identifier.",
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
                "Updates some properties of an AWS resource.",
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
                "Reads an AWS resource by its properties or its alias.",
                Body::Required("ActionGet"),
                &[shows(200, "Resource", &["Warning"])],
            )
        },
        RouteName::ActionPut => Entry {
            query: VERSION,
            ..act(
                Method::POST,
                "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}/:put",
                "Creates or updates an AWS resource by its properties or its alias.",
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
                "Deletes an AWS resource by its properties or its alias.",
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
            "Returns the status of an operation.",
            &[shows(200, "Operation", &["Retry-After"])],
        ),
        RouteName::OperationEvents => Entry {
            query: &[Query::Version, Query::After],
            headers: &[Header::LastEventId],
            ..get(
                "/planes/radius/{plane}/providers/System.Resources/operationStatuses/{operation}/events",
                "Streams the events of an operation as server-sent events until it ends.",
                &[Reply { status: 200, shown: Shown::Events(crate::events::MEDIA), headers: &[] }],
            )
        },
        RouteName::OperationResult => Entry {
            query: &[Query::Version, Query::Shape],
            errors: WRITE,
            ..get(
                "/planes/radius/{plane}/providers/System.Resources/operationResults/{operation}",
                "Returns the result of an operation: the response that its request would have had.",
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
                "Cancels an operation.",
                Body::None,
                &[shows(202, "Operation", POLL)],
            )
        },
        RouteName::Alive => {
            outside("/healthz", "Checks that the process is running.", &[shows(200, "Health", &[])])
        }
        RouteName::Ready => outside(
            "/readyz",
            "Checks that the store can be read and written.",
            &[shows(200, "Health", &[]), shows(503, "Health", &[])],
        ),
        RouteName::Metrics => Entry {
            errors: &[401, 403, 421, 503],
            access: Access::Token,
            ..outside(
                "/metrics",
                "Returns the metrics.",
                &[Reply { status: 200, shown: Shown::Text(crate::metrics::MEDIA), headers: &[] }],
            )
        },
    }
}
