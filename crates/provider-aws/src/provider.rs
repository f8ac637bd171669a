//! The contract, call by call, on the SDK's client of Cloud Control.

use std::sync::Arc;

use aws_sdk_cloudcontrol::Client;
use aws_sdk_cloudcontrol::types::ResourceRequestStatusFilter;
use hangar_provider::{
    Answer, CredentialSource, ErrorClass, Identity, ListPage, Observation, Place, Progress,
    Provider, ProviderError, RequestFilter, RequestPage, Target,
};
use serde_json::Value;

use crate::call::{Call, CallName};
use crate::caller::{Caller, Chain, Observer, Own, Preferred, RoleForAll};
use crate::clients::Clients;
use crate::clock::Clock;
use crate::delivery::Delivery;
use crate::endpoints::{AwsService, Endpoints};
use crate::failure::{of_sdk, without};
use crate::far_side::FarSide;
use crate::options::{Endpoint, EndpointUrl, Options, Signing};
use crate::progress;
use crate::query::{QueryClient, Signer};
use crate::resource::{listed, present};
use crate::transport::Transport;

/// The largest page that Cloud Control gives.
const MAX_RESULTS: i32 = 100;

/// What stands in an error for a document that we sent.
const DOCUMENT: &str = "«the document»";

/// Cloud Control, and what goes with it of CloudFormation and STS.
///
/// Making one is cheap and touches nothing: credentials, certificates and connections come with the
/// first call.
#[derive(Debug)]
pub struct AwsProvider {
    options: Options,
    query: QueryClient,
    endpoints: Endpoints,
    pub(crate) caller: Caller,
    clients: Clients,
    clock: Clock,
    transport: Transport,
}

impl AwsProvider {
    /// A provider that has yet to make its first call.
    pub fn new(options: Options) -> Self {
        let transport = Transport::new(&options);
        let endpoints = Endpoints::new(&options.endpoint, &options.service_urls);
        let within = options.timeouts.operation;
        let query = QueryClient::new(transport.clone(), endpoints.clone(), within);
        let chain = |transport: Transport| {
            let observer = Observer(options.on_call.clone());
            Chain::new(transport, options.timeouts, query.clone(), observer)
        };
        let own = match (&options.endpoint, options.signing) {
            (Endpoint::Real, _) => Own::Chain(Arc::new(chain(transport.clone()))),
            (Endpoint::Custom(_), Signing::ByAccount) => Own::Account,
            (Endpoint::Custom(_), Signing::ByCaller) => {
                // Credentials come from elsewhere, as from a login page.
                let chain = chain(Transport::internet(&options));
                Own::Preferred(Arc::new(Preferred::new(chain)))
            }
        };
        Self::assembled(options, transport, endpoints, query, own)
    }

    /// A provider whose AWS is in this process: nothing leaves it, and the time is the far side's.
    /// Calls are signed with the place's account as access key, unless a credential is chosen for it.
    pub fn over(
        far_side: Arc<dyn FarSide>,
        credentials: Option<Arc<dyn CredentialSource>>,
    ) -> Self {
        let endpoint = Endpoint::Custom(EndpointUrl::within());
        let options = Options { endpoint, credentials, ..Options::default() };
        let transport = Transport::within(far_side, &options.timeouts);
        let within = options.timeouts.operation;
        let endpoints = Endpoints::new(&options.endpoint, &options.service_urls);
        let query = QueryClient::new(transport.clone(), endpoints.clone(), within);
        Self::assembled(options, transport, endpoints, query, Own::Account)
    }

    pub(crate) fn assembled(
        options: Options,
        transport: Transport,
        endpoints: Endpoints,
        query: QueryClient,
        own: Own,
    ) -> Self {
        let timeouts = options.timeouts;
        let (source, observer) = (options.credentials.clone(), Observer(options.on_call.clone()));
        let caller = Caller::new(own, source, timeouts, query.clone(), observer);
        let clock = transport.clock().clone();
        let clients = Clients::new(timeouts, transport.clone());
        Self { options, query, endpoints, caller, clients, clock, transport }
    }

    /// The same AWS with the same connections, called as a role: for every place it is assumed with
    /// what the machine has, or on another endpoint with the place's account. A place of another account
    /// than the role's is refused before any call.
    pub fn as_role(&self, role_arn: &str) -> Result<Self, ProviderError> {
        let role = RoleForAll::new(role_arn)?;
        let options = Options { credentials: Some(Arc::new(role)), ..self.options.clone() };
        let (transport, query) = (self.transport.clone(), self.query.clone());
        let endpoints = self.endpoints.clone();
        Ok(Self::assembled(options, transport, endpoints, query, self.caller.own().clone()))
    }

    pub(crate) fn query(&self) -> &QueryClient {
        &self.query
    }

    pub(crate) fn stated_region(&self) -> Option<&str> {
        self.options.region.as_deref()
    }

    /// The client for a place. It signs with just the credential that was checked for the place.
    async fn client(&self, place: &Place) -> Result<Client, ProviderError> {
        let signature = self.caller.signature(place).await?;
        let url = self.endpoints.url(AwsService::CloudControl).await;
        Ok(self.clients.get(place, signature, url))
    }

    /// Makes a call, and lets those know who keep track.
    pub(crate) async fn made<T>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let result = call.observed(self.options.on_call.as_ref(), work).await;
        if let Err(failed) = &result {
            self.caller.hear(call.place, failed);
        }
        result
    }
}

impl Provider for AwsProvider {
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation> {
        let call = Call::for_target(CallName::GetResource, target);
        Box::pin(async move {
            let client = self.client(&target.place).await?;
            let delivery = Delivery::default();
            let asked = client
                .get_resource()
                .type_name(target.type_name.cloud_formation())
                .identifier(identifier)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                match asked.send().await {
                    Ok(output) => present(output.resource_description(), identifier),
                    Err(failed) => match of_sdk(call.name, &failed, &delivery) {
                        failed if failed.class == ErrorClass::NotFound => Ok(Observation::Absent),
                        failed => Err(failed),
                    },
                }
            };
            self.made(call, work).await
        })
    }

    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = Call::for_target(CallName::CreateResource, target).with_token(token);
        Box::pin(async move {
            let client = self.client(&target.place).await?;
            let (document, delivery) = (desired.to_string(), Delivery::default());
            let asked = client
                .create_resource()
                .type_name(target.type_name.cloud_formation())
                .desired_state(&document)
                .client_token(token)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| {
                    without(&document, DOCUMENT, of_sdk(call.name, &failed, &delivery))
                })?;
                progress::read(output.progress_event(), &[], self.clock.now())
            };
            self.made(call, work).await
        })
    }

    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = Call::for_target(CallName::UpdateResource, target).with_token(token);
        Box::pin(async move {
            let client = self.client(&target.place).await?;
            let (document, delivery) = (patch.to_string(), Delivery::default());
            let asked = client
                .update_resource()
                .type_name(target.type_name.cloud_formation())
                .identifier(identifier)
                .patch_document(&document)
                .client_token(token)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| {
                    without(&document, DOCUMENT, of_sdk(call.name, &failed, &delivery))
                })?;
                progress::read(output.progress_event(), &[], self.clock.now())
            };
            self.made(call, work).await
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = Call::for_target(CallName::DeleteResource, target).with_token(token);
        Box::pin(async move {
            let client = self.client(&target.place).await?;
            let delivery = Delivery::default();
            let asked = client
                .delete_resource()
                .type_name(target.type_name.cloud_formation())
                .identifier(identifier)
                .client_token(token)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| of_sdk(call.name, &failed, &delivery))?;
                progress::read(output.progress_event(), &[], self.clock.now())
            };
            self.made(call, work).await
        })
    }

    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        let name = CallName::GetResourceRequestStatus;
        let call = Call::for_place(name, place).with_token(request_token);
        Box::pin(async move {
            let client = self.client(place).await?;
            let delivery = Delivery::default();
            let asked = client
                .get_resource_request_status()
                .request_token(request_token)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| of_sdk(call.name, &failed, &delivery))?;
                progress::read(
                    output.progress_event(),
                    output.hooks_progress_event(),
                    self.clock.now(),
                )
            };
            self.made(call, work).await
        })
    }

    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage> {
        let call = Call::for_place(CallName::ListResourceRequests, place);
        Box::pin(async move {
            let client = self.client(place).await?;
            let delivery = Delivery::default();
            let asked = client
                .list_resource_requests()
                .resource_request_status_filter(wanted(filter))
                .max_results(MAX_RESULTS)
                .set_next_token(next.map(str::to_owned))
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| of_sdk(call.name, &failed, &delivery))?;
                let events = output.resource_request_status_summaries();
                let now = self.clock.now();
                let requests = events.iter().map(|event| progress::read(Some(event), &[], now));
                Ok(RequestPage {
                    requests: requests.collect::<Result<_, _>>()?,
                    next: output.next_token().map(str::to_owned),
                })
            };
            self.made(call, work).await
        })
    }

    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        let name = CallName::CancelResourceRequest;
        let call = Call::for_place(name, place).with_token(request_token);
        Box::pin(async move {
            let client = self.client(place).await?;
            let delivery = Delivery::default();
            let asked = client
                .cancel_resource_request()
                .request_token(request_token)
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| of_sdk(call.name, &failed, &delivery))?;
                progress::read(output.progress_event(), &[], self.clock.now())
            };
            self.made(call, work).await
        })
    }

    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage> {
        let call = Call::for_target(CallName::ListResources, target);
        Box::pin(async move {
            let client = self.client(&target.place).await?;
            let delivery = Delivery::default();
            let limit = i32::try_from(limit).unwrap_or(MAX_RESULTS).clamp(1, MAX_RESULTS);
            let asked = client
                .list_resources()
                .type_name(target.type_name.cloud_formation())
                .set_resource_model(parent.map(ToString::to_string))
                .max_results(limit)
                .set_next_token(next.map(str::to_owned))
                .customize()
                .mutate_request(delivery.marker());
            let work = async {
                let sent = asked.send().await;
                let output = sent.map_err(|failed| of_sdk(call.name, &failed, &delivery))?;
                let resources = output.resource_descriptions().iter().map(listed);
                Ok(ListPage {
                    resources: resources.collect::<Result<_, _>>()?,
                    next: output.next_token().map(str::to_owned),
                })
            };
            self.made(call, work).await
        })
    }

    fn describe_type<'a>(&'a self, target: &'a Target) -> Answer<'a, Value> {
        let call = Call::for_target(CallName::DescribeType, target);
        Box::pin(async move {
            let place = &target.place;
            let signature = self.caller.signature(place).await?;
            let signer = Signer { credentials: &signature.credentials, region: &place.region };
            self.made(call, self.query.describe_type(signer, &target.type_name)).await
        })
    }

    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity> {
        let call = Call::for_place(CallName::GetCallerIdentity, place);
        Box::pin(async move {
            let signature = self.caller.any_signature(place).await?;
            let signer = Signer { credentials: &signature.credentials, region: &place.region };
            self.made(call, self.query.caller_identity(signer)).await
        })
    }
}

fn wanted(filter: &RequestFilter) -> ResourceRequestStatusFilter {
    let operations = filter.verbs.iter().map(|verb| progress::operation(*verb)).collect();
    let statuses = filter.states.iter().map(|state| progress::status(*state)).collect();
    ResourceRequestStatusFilter::builder()
        .set_operations(Some(operations).filter(|it: &Vec<_>| !it.is_empty()))
        .set_operation_statuses(Some(statuses).filter(|it: &Vec<_>| !it.is_empty()))
        .build()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_filter_of_nothing_is_no_filter() {
        let filter = wanted(&RequestFilter::default());
        assert!(filter.operations.is_none() && filter.operation_statuses.is_none());
    }

    #[test]
    fn a_document_is_sent_with_its_members_in_one_order() {
        // The same token must come with the same bytes, or AWS calls it a conflict.
        let (a, b) =
            (json!({"B": 1, "A": {"D": 2, "C": 3}}), json!({"A": {"C": 3, "D": 2}, "B": 1}));
        assert_eq!(a.to_string(), b.to_string());
    }
}
