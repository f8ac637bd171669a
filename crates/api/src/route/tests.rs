use super::*;

const AWS: &str = "/planes/aws/aws/accounts/1/regions/us-east-1/providers";
const GROUP: &str = "/planes/radius/local/resourceGroups/rg";
const DEPLOYMENTS: &str =
    "/planes/radius/local/resourceGroups/rg/providers/Microsoft.Resources/deployments";
const STATUSES: &str = "/planes/radius/local/providers/System.Resources/operationStatuses";
const ID: &str = "0191f3a8-7c2e-7abc-8def-0123456789ab";

/// The route's name and what it speaks of, or the error's status and code.
fn taken(line: &str) -> String {
    let (method, target) = line.split_once(' ').unwrap();
    let target = target
        .replace("{aws}", AWS)
        .replace("{group}", GROUP)
        .replace("{deployments}", DEPLOYMENTS)
        .replace("{statuses}", STATUSES)
        .replace("{id}", ID);
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = Query::parse(Some(query)).unwrap();
    match route(&Method::from_bytes(method.as_bytes()).unwrap(), path, &query) {
        Err(error) => format!("{} {}", error.status().as_u16(), error.code()),
        Ok(route) => {
            let about = about(&route);
            format!("{} {about}", route.name().as_str())
        }
    }
}

/// What a route speaks of.
fn about(route: &Route) -> String {
    match route {
        Route::PlaneShow(name)
        | Route::PlaneHead(name)
        | Route::PlanePut(name)
        | Route::PlanePatch(name)
        | Route::PlaneDelete(name) => name.id(),
        Route::PlaneList(kind) => kind.map_or(String::new(), |kind| kind.as_str().to_owned()),
        Route::CredentialShow(name)
        | Route::CredentialHead(name)
        | Route::CredentialPut(name)
        | Route::CredentialDelete(name) => name.id(),
        Route::CredentialList { plane } | Route::GroupList { plane, .. } => plane.clone(),
        Route::GroupShow(name)
        | Route::GroupHead(name)
        | Route::GroupPut(name)
        | Route::GroupPatch(name)
        | Route::GroupDelete(name)
        | Route::GroupDrift(name) => name.id(),
        Route::ReferenceList { group, type_name, only, .. } => {
            let name = type_name.as_ref().map_or(String::from("all"), ToString::to_string);
            let only = if *only == Only::default() { String::new() } else { format!(" {only:?}") };
            format!("{} {name}{only}", group.id())
        }
        Route::ReferenceShow { name, sight } => format!("{} {sight:?}", name.id()),
        Route::ReferenceHead(name)
        | Route::ReferencePut(name)
        | Route::ReferencePatch(name)
        | Route::ReferenceDrift(name)
        | Route::ReferenceRepair(name)
        | Route::ReferenceRename(name)
        | Route::ReferenceUnlearn(name) => name.id(),
        Route::DeploymentList { group, .. } | Route::RecipeList { group, .. } => group.id(),
        Route::DeploymentShow(name)
        | Route::DeploymentHead(name)
        | Route::DeploymentPut(name)
        | Route::DeploymentCancel(name)
        | Route::DeploymentWhatIf(name) => name.id(),
        Route::RecipeShow(name)
        | Route::RecipeHead(name)
        | Route::RecipePut(name)
        | Route::RecipeDelete(name)
        | Route::RecipeCancel(name)
        | Route::RecipeSecrets(name)
        | Route::RecipeUnlock(name)
        | Route::StateLock(name)
        | Route::StateUnlock(name)
        | Route::StateVersions(name) => name.id(),
        Route::StateShow { recipe, version } => format!("{} {version:?}", recipe.id()),
        Route::StateWrite { recipe, lock_id } => format!("{} {lock_id:?}", recipe.id()),
        Route::ReferenceDelete { name, mode } => format!("{} {mode:?}", name.id()),
        Route::DeploymentDelete { name, on_remove } => format!("{} {on_remove:?}", name.id()),
        Route::ResourceList { collection, parent, .. } => {
            let parent = parent.as_ref().map_or(String::new(), |it| format!(" {it}"));
            format!("{}{parent}", collection.subject().collection())
        }
        Route::ResourceShow { collection, identifier }
        | Route::ResourceHead { collection, identifier }
        | Route::ResourcePut { collection, identifier }
        | Route::ResourcePatch { collection, identifier }
        | Route::ResourceDelete { collection, identifier } => {
            format!("{} {identifier}", collection.subject().collection())
        }
        Route::ActionGet(it) | Route::ActionPut(it) | Route::ActionDelete(it) => {
            it.subject().collection()
        }
        Route::OperationStatus(name) | Route::OperationCancel(name) => name.id.to_string(),
        Route::OperationEvents { name, after } => format!("{} {after}", name.id),
        Route::OperationResult { name, shape } => format!("{} {shape:?}", name.id),
        Route::OperationList { filter, .. } => {
            let name = filter.reference.as_ref().map(ReferenceName::id);
            let group = filter.group.as_ref().map(GroupName::id);
            let parent = filter.parent.map(|id| id.to_string()).unwrap_or_default();
            format!("{group:?} {name:?} {} {parent}", filter.running)
        }
        Route::Discovery | Route::OpenApi => String::new(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let expected = expected.replace("{aws}", AWS).replace("{group}", GROUP).replace("{id}", ID);
        let expected = expected.replace("{deployments}", DEPLOYMENTS);
        assert_eq!(taken(line).trim_end(), expected, "{line}");
    }
}

#[test]
fn every_documented_route_is_found() {
    check(&[
        ("GET ", "discovery"),
        ("GET /", "discovery"),
        ("GET /openapi.json", "openapi"),
        ("GET /planes", "plane.list-all"),
        ("GET /planes/", "plane.list-all"),
        ("GET /planes/aws", "plane.list aws"),
        ("GET /Planes/Radius", "plane.list radius"),
        ("GET /planes/aws/aws", "plane.show /planes/aws/aws"),
        ("HEAD /planes/radius/Two", "plane.head /planes/radius/Two"),
        ("PUT /planes/aws/two?api-version=2023-10-01", "plane.put /planes/aws/two"),
        ("PATCH /planes/aws/two?api-version=2023-10-01", "plane.patch /planes/aws/two"),
        ("DELETE /planes/radius/two?api-version=2023-10-01", "plane.delete /planes/radius/two"),
        ("GET /planes/aws/aws/providers/System.AWS/credentials", "credential.list aws"),
        (
            "GET /planes/aws/aws/providers/system.aws/Credentials/DEFAULT",
            "credential.show /planes/aws/aws/providers/System.AWS/credentials/default",
        ),
        (
            "PUT /planes/aws/two/providers/System.AWS/credentials/42?api-version=2023-10-01",
            "credential.put /planes/aws/two/providers/System.AWS/credentials/000000000042",
        ),
        (
            "DELETE /planes/aws/aws/providers/System.AWS/credentials/default",
            "400 MissingApiVersionParameter",
        ),
        ("GET /planes/aws/aws/providers/System.AWS/credentials/mine", "400 InvalidResourceId"),
        ("PATCH /planes/aws/aws/providers/System.AWS/credentials/default", "405 MethodNotAllowed"),
        ("GET /planes/radius/local/resourceGroups", "group.list local"),
        ("GET /planes/radius/two/resourceGroups", "group.list two"),
        ("GET {group}", "group.show {group}"),
        ("HEAD {group}", "group.head {group}"),
        ("PUT {group}?api-version=2023-10-01-preview", "group.put {group}"),
        ("PATCH {group}?api-version=2023-10-01", "group.patch {group}"),
        ("DELETE {group}?api-version=2023-10-01", "group.delete {group}"),
        ("POST {group}/:drift?api-version=2023-10-01", "group.drift {group}"),
        ("GET {group}/resources", "reference.list-all {group} all"),
        (
            "GET {group}/resources?state=Unknown&drift=insync",
            "reference.list-all {group} all Only { state: Some(Unknown), drift: Some(InSync) }",
        ),
        ("GET {group}/providers/AWS.EC2/VPC:reference", "reference.list {group} AWS.EC2/VPC"),
        (
            "GET {group}/providers/AWS.EC2/VPC:reference/net",
            "reference.show {group}/providers/AWS.EC2/VPC:reference/net Stored",
        ),
        (
            "GET {group}/providers/AWS.EC2/VPC:reference/net?live=TRUE",
            "reference.show {group}/providers/AWS.EC2/VPC:reference/net Live",
        ),
        (
            "HEAD {group}/providers/AWS.EC2/VPC:reference/net",
            "reference.head {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "PUT {group}/providers/AWS.EC2/VPC:reference/net?api-version=2023-10-01",
            "reference.put {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "DELETE {group}/providers/AWS.EC2/VPC:reference/net?api-version=2023-10-01",
            "reference.delete {group}/providers/AWS.EC2/VPC:reference/net ByOwnership",
        ),
        (
            "DELETE {group}/providers/AWS.EC2/VPC:reference/net?api-version=2023-10-01&mode=detach",
            "reference.delete {group}/providers/AWS.EC2/VPC:reference/net Detach",
        ),
        (
            "PATCH {group}/providers/AWS.EC2/VPC:reference/net?api-version=2023-10-01",
            "reference.patch {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "POST {group}/providers/AWS.EC2/VPC:reference/net/:drift?api-version=2023-10-01",
            "reference.drift {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "POST {group}/providers/AWS.EC2/VPC:reference/net/:Repair?api-version=2023-10-01",
            "reference.repair {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "POST {group}/providers/AWS.EC2/VPC:reference/net/:rename?api-version=2023-10-01",
            "reference.rename {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        (
            "POST {group}/providers/AWS.EC2/VPC:reference/net/:unlearn?api-version=2023-10-01",
            "reference.unlearn {group}/providers/AWS.EC2/VPC:reference/net",
        ),
        ("GET {deployments}", "deployment.list {group}"),
        ("GET {deployments}/App", "deployment.show {deployments}/App"),
        ("HEAD {deployments}/App", "deployment.head {deployments}/App"),
        (
            "DELETE {deployments}/App?api-version=2023-10-01",
            "deployment.delete {deployments}/App Keep",
        ),
        (
            "DELETE {deployments}/App?api-version=2023-10-01&onRemove=Delete",
            "deployment.delete {deployments}/App Delete",
        ),
        (
            "DELETE {deployments}/App?api-version=2023-10-01&onRemove=detach",
            "deployment.delete {deployments}/App Detach",
        ),
        ("PUT {deployments}/App?api-version=2023-10-01", "deployment.put {deployments}/App"),
        (
            "POST {deployments}/App/cancel?api-version=2023-10-01",
            "deployment.cancel {deployments}/App",
        ),
        (
            "POST {group}/providers/microsoft.resources/Deployments/App/WHATIF?api-version=2023-10-01",
            "deployment.what-if {deployments}/App",
        ),
        ("GET {aws}/AWS.EC2/VPC", "resource.list {aws}/AWS.EC2/VPC"),
        (
            "GET {aws}/AWS.ApiGateway/Stage?parent.RestApiId=a1",
            "resource.list {aws}/AWS.ApiGateway/Stage {\"RestApiId\":\"a1\"}",
        ),
        ("GET {aws}/AWS.EC2/VPC/vpc-1", "resource.show {aws}/AWS.EC2/VPC vpc-1"),
        ("HEAD {aws}/AWS.EC2/VPC/vpc-1", "resource.head {aws}/AWS.EC2/VPC vpc-1"),
        ("PUT {aws}/AWS.EC2/VPC/vpc-1", "resource.put {aws}/AWS.EC2/VPC vpc-1"),
        ("PATCH {aws}/AWS.EC2/VPC/vpc-1", "resource.patch {aws}/AWS.EC2/VPC vpc-1"),
        ("DELETE {aws}/AWS.EC2/VPC/vpc-1", "resource.delete {aws}/AWS.EC2/VPC vpc-1"),
        ("POST {aws}/AWS.EC2/VPC/:get", "action.get {aws}/AWS.EC2/VPC"),
        ("POST {aws}/AWS.EC2/VPC/:put", "action.put {aws}/AWS.EC2/VPC"),
        ("POST {aws}/AWS.EC2/VPC/:delete", "action.delete {aws}/AWS.EC2/VPC"),
        ("GET {statuses}", "operation.list None None false"),
        ("GET {statuses}?running=true&group=rg", "operation.list Some(\"{group}\") None true"),
        ("GET {statuses}?parent={id}", "operation.list None None false {id}"),
        ("GET {statuses}?parent={statuses}/{id}", "operation.list None None false {id}"),
        (
            "GET /planes/radius/two/providers/System.Resources/operationStatuses?group=rg",
            "operation.list Some(\"/planes/radius/two/resourceGroups/rg\") None false",
        ),
        ("GET {statuses}/{id}", "operation.status {id}"),
        ("GET {statuses}/{id}/events", "operation.events {id} 0"),
        ("GET {statuses}/{id}/Events?after=7", "operation.events {id} 7"),
        ("POST {statuses}/{id}/cancel", "operation.cancel {id}"),
        (
            "GET /planes/radius/local/providers/System.Resources/operationResults/{id}",
            "operation.result {id} Resource",
        ),
        (
            "GET /planes/radius/local/providers/System.Resources/operationResults/{id}?shape=reference",
            "operation.result {id} Reference",
        ),
    ]);
}

#[test]
fn names_compare_without_case_but_for_identifiers() {
    check(&[
        (
            "GET /Planes/Radius/LOCAL/resourcegroups/rg",
            "group.show /planes/radius/LOCAL/resourceGroups/rg",
        ),
        ("GET /planes/radius/local/RESOURCEGROUPS", "group.list local"),
        (
            "GET {group}/Providers/aws.ec2/vpc:Reference/Net",
            "reference.show {group}/providers/AWS.EC2/VPC:reference/Net Stored",
        ),
        (
            "GET /planes/AWS/aws/Accounts/1/Regions/US-East-1/providers/aws.ec2/vpc/vpc-A",
            "resource.show {aws}/AWS.EC2/VPC vpc-A",
        ),
        (
            "GET /planes/radius/local/providers/system.resources/OPERATIONstatuses/{id}",
            "operation.status {id}",
        ),
    ]);
}

#[test]
fn identifiers_may_hold_anything_encoded_and_are_decoded_once() {
    check(&[
        ("GET {aws}/AWS.Logs/LogGroup/%2Faws%2Fa", "resource.show {aws}/AWS.Logs/LogGroup /aws/a"),
        ("GET {aws}/AWS.Logs/LogGroup/a%252Fb", "resource.show {aws}/AWS.Logs/LogGroup a%2Fb"),
        ("GET {aws}/AWS.S3/Bucket/%2E%2E", "resource.show {aws}/AWS.S3/Bucket .."),
        ("GET {aws}/AWS.S3/Bucket/%3Aput", "resource.show {aws}/AWS.S3/Bucket :put"),
        ("GET {aws}/AWS.ApiGateway/Stage/a|b", "resource.show {aws}/AWS.ApiGateway/Stage a|b"),
    ]);
}

#[test]
fn a_path_that_is_no_id_is_refused() {
    check(&[
        ("GET /planes/radius/../aws", "400 InvalidResourceId"),
        ("GET /planes/radius/local/%2e%2e", "400 InvalidResourceId"),
        ("GET /planes//local", "400 InvalidResourceId"),
        ("GET {group}//resources", "400 InvalidResourceId"),
        ("GET {group}/providers/AWS.EC2/VPC:reference/a%2Fb", "400 InvalidResourceId"),
        ("GET {group}/providers/AWS.EC2/VPC:reference/a%00", "400 InvalidResourceId"),
        ("GET {aws}/AWS.EC2/VPC/a%00b", "400 InvalidResourceId"),
        ("GET {aws}/AWS.EC2/VPC/a%zz", "400 InvalidResourceId"),
        ("GET {aws}/AWS.EC2/VPC/a%ff", "400 InvalidResourceId"),
        ("GET {aws}/AWS.EC2/VPC/..", "400 InvalidResourceId"),
        ("GET /elsewhere", "400 InvalidResourceId"),
        ("GET {aws}/AWS.EC2", "400 InvalidResourceId"),
        (
            "GET /planes/aws/aws/accounts/x/regions/us-east-1/providers/AWS.EC2/VPC",
            "400 InvalidResourceId",
        ),
        (
            "GET /planes/aws/aws/accounts/1/regions/us-east-1.evil.example/providers/AWS.EC2/VPC",
            "400 InvalidResourceId",
        ),
        ("GET /planes/aws/aws/accounts/1/providers/AWS.EC2/VPC", "400 InvalidResourceId"),
        ("GET /planes/aws/aws/providers/AWS.EC2/VPC", "400 InvalidResourceId"),
        // What a twice-encoded slash decodes to cannot be an alias, and no alias is found by it.
        (
            "PUT {group}/providers/AWS.EC2/VPC:reference/a%252Fb?api-version=2023-10-01",
            "400 InvalidAlias",
        ),
        (
            "PUT /planes/radius/local/resourceGroups/a.?api-version=2023-10-01",
            "400 InvalidResourceGroupName",
        ),
        ("PUT /planes/aws/a.b?api-version=2023-10-01", "400 InvalidPlaneName"),
        ("PUT /planes/radius/a%20b?api-version=2023-10-01", "400 InvalidPlaneName"),
    ]);
}

#[test]
fn a_wrong_method_is_405_and_says_which_are_right() {
    check(&[
        ("POST {group}", "405 MethodNotAllowed"),
        ("PATCH {deployments}/app", "405 MethodNotAllowed"),
        ("POST {deployments}", "405 MethodNotAllowed"),
        ("GET {deployments}/app/cancel", "405 MethodNotAllowed"),
        ("PUT {deployments}/app/whatIf", "405 MethodNotAllowed"),
        ("GET {group}/:drift", "405 MethodNotAllowed"),
        ("PUT /planes", "405 MethodNotAllowed"),
        ("HEAD /planes", "405 MethodNotAllowed"),
        ("POST /planes/aws/aws", "405 MethodNotAllowed"),
        ("PUT /openapi.json", "405 MethodNotAllowed"),
        ("POST {group}/providers/AWS.EC2/VPC:reference/net", "405 MethodNotAllowed"),
        ("GET {group}/providers/AWS.EC2/VPC:reference/net/:rename", "405 MethodNotAllowed"),
        ("POST {aws}/AWS.EC2/VPC", "405 MethodNotAllowed"),
        ("GET {aws}/AWS.EC2/VPC/:put", "405 MethodNotAllowed"),
        ("PUT {statuses}/{id}", "405 MethodNotAllowed"),
        ("GET {statuses}/{id}/cancel", "405 MethodNotAllowed"),
        ("HEAD {statuses}/{id}/events", "405 MethodNotAllowed"),
        ("GET {statuses}/{id}/events/1", "404 RouteNotFound"),
        ("GET {statuses}/{id}/events?after=-1", "400 InvalidQueryParameter"),
        ("POST /", "405 MethodNotAllowed"),
    ]);
    let error = route(&Method::POST, GROUP, &Query::default()).unwrap_err();
    assert_eq!(error.headers()[0].1, "GET, HEAD, PUT, PATCH, DELETE");
}

#[test]
fn planes_and_types_that_are_not_there_are_told_apart() {
    check(&[
        ("GET /planes/azure/azurecloud/subscriptions/s", "404 PlaneHasNoProvider"),
        ("PUT /planes/kubernetes/local/namespaces/n", "404 PlaneHasNoProvider"),
        ("GET /planes/gcp/gcp/projects/p", "400 InvalidPlaneType"),
        ("GET /planes/gcp", "400 InvalidPlaneType"),
        ("GET /planes/gcp/gcp", "400 InvalidPlaneType"),
        ("GET /planes/azure", "400 InvalidPlaneType"),
        ("PUT /planes/azure/azurecloud?api-version=2023-10-01", "400 InvalidPlaneType"),
        ("PUT /planes/kubernetes/local?api-version=2023-10-01", "400 InvalidPlaneType"),
        ("GET {aws}/AWS.EC2/VPCC", "404 InvalidResourceType"),
        ("GET {aws}/AWS.EC2/VPC/vpc-1/Nested", "404 InvalidResourceType"),
        ("GET {group}/providers/AWS.EC2/VPCC:reference/net", "404 InvalidResourceType"),
        ("GET {aws}/System.AWS/credentials/default", "404 RouteNotFound"),
        ("GET {group}/providers/AWS.EC2/VPC/net", "404 RouteNotFound"),
        ("POST /planes/:get", "404 RouteNotFound"),
        ("POST /planes/aws/aws/:drift", "404 RouteNotFound"),
        ("GET /planes/radius/local/odd", "404 RouteNotFound"),
        ("GET /subscriptions/s/resourceGroups/g", "404 RouteNotFound"),
        ("POST {aws}/AWS.EC2/VPC/:frob", "404 RouteNotFound"),
        ("POST {aws}/AWS.EC2/VPC/vpc-1/:put", "404 RouteNotFound"),
        ("POST {group}/:put", "404 RouteNotFound"),
        ("POST {deployments}/app/:cancel", "404 RouteNotFound"),
        ("POST {deployments}/app/frob", "404 RouteNotFound"),
        ("GET {deployments}/app/operations/1", "404 RouteNotFound"),
        ("GET {group}/providers/System.Resources/deployments/app", "404 RouteNotFound"),
        ("GET /planes/radius/local/providers/Microsoft.Resources/deployments", "404 RouteNotFound"),
        ("PUT {deployments}/a%20b?api-version=2023-10-01", "400 InvalidDeploymentName"),
        ("POST {deployments}/a%20b/whatIf?api-version=2023-10-01", "400 InvalidDeploymentName"),
        ("POST {group}/resources/:drift", "404 RouteNotFound"),
        ("POST {group}/providers/AWS.EC2/VPC:reference/net/:put", "404 RouteNotFound"),
        ("POST {group}/providers/AWS.EC2/VPC:reference/:drift", "404 RouteNotFound"),
        ("GET {statuses}/not-a-uuid", "404 OperationNotFound"),
        ("GET {statuses}/{id}/frob", "404 RouteNotFound"),
    ]);
}

#[test]
fn versions_are_asked_of_writes_on_planes_groups_and_references_only() {
    check(&[
        ("PUT {group}", "400 MissingApiVersionParameter"),
        ("PUT {deployments}/app", "400 MissingApiVersionParameter"),
        ("DELETE {deployments}/app", "400 MissingApiVersionParameter"),
        ("POST {deployments}/app/cancel", "400 MissingApiVersionParameter"),
        ("POST {deployments}/app/whatIf", "400 MissingApiVersionParameter"),
        ("PATCH {group}", "400 MissingApiVersionParameter"),
        ("DELETE {group}", "400 MissingApiVersionParameter"),
        ("POST {group}/:drift", "400 MissingApiVersionParameter"),
        ("PUT /planes/aws/two", "400 MissingApiVersionParameter"),
        ("DELETE /planes/aws/two", "400 MissingApiVersionParameter"),
        ("PATCH {group}/providers/AWS.EC2/VPC:reference/net", "400 MissingApiVersionParameter"),
        (
            "POST {group}/providers/AWS.EC2/VPC:reference/net/:rename",
            "400 MissingApiVersionParameter",
        ),
        ("PATCH {aws}/AWS.EC2/VPC/vpc-1", "resource.patch {aws}/AWS.EC2/VPC vpc-1"),
        ("PUT {group}/providers/AWS.EC2/VPC:reference/net", "400 MissingApiVersionParameter"),
        ("DELETE {group}/providers/AWS.EC2/VPC:reference/net", "400 MissingApiVersionParameter"),
        ("GET {group}?api-version=1", "400 InvalidApiVersionParameter"),
        ("POST {aws}/AWS.EC2/VPC/:put?api-version=", "400 InvalidApiVersionParameter"),
        ("POST {statuses}/{id}/cancel?api-version=x", "400 InvalidApiVersionParameter"),
    ]);
}

#[test]
fn what_a_query_says_wrongly_is_refused() {
    check(&[
        ("GET {group}/resources?$top=0", "400 InvalidQueryParameter"),
        ("GET {deployments}?$top=0", "400 InvalidQueryParameter"),
        (
            "DELETE {deployments}/app?api-version=2023-10-01&onRemove=burn",
            "400 InvalidQueryParameter",
        ),
        ("GET {group}/resources?$top=1001", "400 InvalidQueryParameter"),
        ("GET {group}/resources?$top=x", "400 InvalidQueryParameter"),
        ("GET {group}/resources?state=gone", "400 InvalidQueryParameter"),
        ("GET {group}/resources?drift=", "400 InvalidQueryParameter"),
        ("GET {statuses}?running=maybe", "400 InvalidQueryParameter"),
        ("GET {statuses}?parent=x", "400 InvalidQueryParameter"),
        ("GET {statuses}?reference=/planes/radius/local", "400 InvalidQueryParameter"),
        ("GET {group}/providers/AWS.EC2/VPC:reference/net?live=1", "400 InvalidQueryParameter"),
        (
            "DELETE {group}/providers/AWS.EC2/VPC:reference/net?api-version=2023-10-01&mode=x",
            "400 InvalidQueryParameter",
        ),
        ("GET {aws}/AWS.EC2/VPC?parent.=1", "400 InvalidQueryParameter"),
    ]);
}

#[test]
fn recipes_and_their_state_are_found() {
    let recipes = format!("{GROUP}/providers/Hangar.Recipes/recipes");
    let net = format!("{recipes}/net");
    let version = "api-version=2023-10-01";
    for (line, expected) in [
        (format!("GET {recipes}"), format!("recipe.list {GROUP}")),
        (format!("GET {net}"), format!("recipe.show {net}")),
        (format!("HEAD {net}"), format!("recipe.head {net}")),
        (format!("PUT {net}?{version}"), format!("recipe.put {net}")),
        (format!("PUT {net}"), String::from("400 MissingApiVersionParameter")),
        (format!("PUT {recipes}/a.?{version}"), String::from("400 InvalidRecipeName")),
        (format!("PATCH {net}?{version}"), String::from("405 MethodNotAllowed")),
        (format!("DELETE {net}?{version}"), format!("recipe.delete {net}")),
        (format!("POST {net}/Cancel?{version}"), format!("recipe.cancel {net}")),
        (format!("POST {net}/listSecrets?{version}"), format!("recipe.secrets {net}")),
        (format!("POST {net}/unlock?{version}"), format!("recipe.unlock {net}")),
        (format!("POST {net}/unlock"), String::from("400 MissingApiVersionParameter")),
        (format!("GET {net}/listSecrets"), String::from("405 MethodNotAllowed")),
        (format!("GET {net}/stateVersions"), format!("state.versions {net}")),
        (format!("GET {net}/state"), format!("state.show {net} None")),
        (format!("GET {net}/state?version=3"), format!("state.show {net} Some(3)")),
        (format!("GET {net}/state?version=0"), String::from("400 InvalidQueryParameter")),
        (format!("POST {net}/state"), format!("state.write {net} None")),
        (format!("POST {net}/state?ID=l"), format!("state.write {net} Some(\"l\")")),
        (format!("LOCK {net}/state"), format!("state.lock {net}")),
        (format!("UNLOCK {net}/state"), format!("state.unlock {net}")),
        (format!("lock {net}/state"), String::from("405 MethodNotAllowed")),
        (format!("DELETE {net}/state"), String::from("405 MethodNotAllowed")),
        (format!("LOCK {net}"), String::from("405 MethodNotAllowed")),
        (format!("GET {net}/state/x"), String::from("404 RouteNotFound")),
        (format!("GET {net}/other"), String::from("404 RouteNotFound")),
    ] {
        assert_eq!(taken(&line).trim_end(), expected, "{line}");
    }
    assert_eq!(state_of(&format!("{net}/State")).unwrap().id(), net);
    for path in [net.clone(), format!("{net}/stateVersions"), recipes, String::from("/metrics")] {
        assert!(state_of(&path).is_none(), "{path}");
    }
}
