//! Stacks, read over real sockets.

mod simulated;

use hangar_provider::ErrorClass;
use hangar_provider_aws::{CallName, StackUpdate, StackWrite, TemplateSource};

use crate::cloud::{nobody, place, provider};
use crate::wire::answering;

/// An answer of that status and body.
async fn saying(status: u16, body: &str) -> String {
    answering(format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len())).await
}

/// A refusal as CloudFormation words it.
async fn refusing(code: &str, message: &str) -> String {
    let body = format!(
        "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message>\
         </Error><RequestId>1</RequestId></ErrorResponse>"
    );
    saying(400, &body).await
}

fn write() -> StackWrite {
    StackWrite {
        name: "Storage".to_owned(),
        template: TemplateSource::Body("{\"Resources\": {}}".to_owned()),
        parameters: Vec::new(),
        tags: Vec::new(),
        capabilities: Vec::new(),
        token: None,
    }
}

#[tokio::test]
async fn a_missing_stack_is_none_and_its_parts_are_not_found() {
    let url = refusing("ValidationError", "Stack with id Storage does not exist").await;
    let (provider, calls) = provider(&url);
    let place = place();
    assert_eq!(provider.stack(&place, "Storage").await, Ok(None));
    for error in [
        provider.stack_resources(&place, "Storage", None).await.unwrap_err(),
        provider.stack_template(&place, "Storage").await.unwrap_err(),
        provider.update_stack(&place, &write()).await.unwrap_err(),
    ] {
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::NotFound, "ValidationError"));
    }
    // Each was one call.
    let made: Vec<CallName> = calls.lock().unwrap().iter().map(|(name, _)| *name).collect();
    let (resources, template) = (CallName::ListStackResources, CallName::GetTemplate);
    assert_eq!(made, [CallName::DescribeStacks, resources, template, CallName::UpdateStack]);
}

#[tokio::test]
async fn a_denial_is_no_absence_and_names_the_action() {
    let said = "User: arn:aws:iam::42:user/me is not authorized to perform: \
                cloudformation:DescribeStacks on resource: arn:aws:cloudformation:x";
    let (provider, _) = provider(&refusing("AccessDenied", said).await);
    let error = provider.stack(&place(), "Storage").await.unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Forbidden, "AccessDenied"));
    assert_eq!(error.message, said);
}

#[tokio::test]
async fn an_update_without_a_change_is_no_failure() {
    let url = refusing("ValidationError", "No updates are to be performed.").await;
    let (provider, _) = provider(&url);
    assert_eq!(provider.update_stack(&place(), &write()).await, Ok(StackUpdate::NothingToDo));
    // For a new stack it would be none of AWS's words.
    assert!(provider.create_stack(&place(), &write()).await.is_err());
}

#[tokio::test]
async fn an_answer_about_another_stack_is_not_believed() {
    let stacks = |members: &str| {
        format!(
            "<DescribeStacksResponse><DescribeStacksResult><Stacks>{members}</Stacks>\
             </DescribeStacksResult></DescribeStacksResponse>"
        )
    };
    let one = "<member><StackId>arn:a</StackId><StackName>Other</StackName>\
               <StackStatus>CREATE_COMPLETE</StackStatus></member>";
    let (provider_of_one, _) = provider(&saying(200, &stacks(one)).await);
    let error = provider_of_one.stack(&place(), "Storage").await.unwrap_err();
    assert_eq!(error.code, "UnreadableAnswer");
    for name in ["Other", "arn:a"] {
        let stack = provider_of_one.stack(&place(), name).await.unwrap().unwrap();
        assert_eq!((stack.name.as_str(), stack.status.as_str()), ("Other", "CREATE_COMPLETE"));
    }
    let (provider_of_none, _) = provider(&saying(200, &stacks("")).await);
    assert_eq!(provider_of_none.stack(&place(), "Storage").await, Ok(None));
    assert!(provider_of_none.stacks(&place(), None).await.unwrap().stacks.is_empty());
}

#[tokio::test]
async fn a_stack_that_cannot_be_asked_for_is_no_absence() {
    for (url, class) in [
        (nobody(), ErrorClass::Unreachable),
        (answering("").await, ErrorClass::Unanswered),
        (saying(502, "<p>no</p>").await, ErrorClass::Unanswered),
        (saying(200, "<html/>").await, ErrorClass::Unanswered),
        (refusing("Throttling", "Rate exceeded").await, ErrorClass::Throttled),
    ] {
        let (provider, calls) = provider(&url);
        assert_eq!(provider.stack(&place(), "Storage").await.unwrap_err().class, class, "{url}");
        assert_eq!(*calls.lock().unwrap(), [(CallName::DescribeStacks, Err(class))]);
    }
}
