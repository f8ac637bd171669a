//! Answers in the shapes that CloudFormation's API reference documents.

use super::*;

const STACKS: &str = r#"<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
  <DescribeStacksResult>
    <Stacks>
      <member>
        <StackId>arn:aws:cloudformation:eu-west-1:111122223333:stack/Storage/0b1c</StackId>
        <StackName>Storage</StackName>
        <Description>Where &lt;files&gt; are</Description>
        <CreationTime>2026-11-15T06:27:40.359Z</CreationTime>
        <LastUpdatedTime>2026-11-15T07:00:00.000Z</LastUpdatedTime>
        <StackStatus>UPDATE_ROLLBACK_COMPLETE</StackStatus>
        <StackStatusReason>it could not be changed</StackStatusReason>
        <DisableRollback>false</DisableRollback>
        <RoleARN>arn:aws:iam::111122223333:role/cfn</RoleARN>
        <ParentId>arn:aws:cloudformation:eu-west-1:111122223333:stack/Parent/1</ParentId>
        <RootId>arn:aws:cloudformation:eu-west-1:111122223333:stack/Root/2</RootId>
        <NotificationARNs><member>arn:aws:sns:eu-west-1:111122223333:news</member></NotificationARNs>
        <Capabilities><member>CAPABILITY_IAM</member></Capabilities>
        <Parameters>
          <member><ParameterKey>Image</ParameterKey><ParameterValue>/ami</ParameterValue>
            <ResolvedValue>ami-1</ResolvedValue></member>
          <member><ParameterKey>Password</ParameterKey><ParameterValue>****</ParameterValue></member>
          <member><ParameterKey>Empty</ParameterKey><ParameterValue/></member>
        </Parameters>
        <Outputs>
          <member><OutputKey>Name</OutputKey><OutputValue> logs &amp; more
</OutputValue><Description>d</Description></member>
          <member><OutputKey>Arn</OutputKey><OutputValue>arn:aws:s3:::logs</OutputValue>
            <ExportName>Storage:Arn</ExportName></member>
        </Outputs>
        <Tags><member><Key>team</Key><Value>a b</Value></member></Tags>
        <DriftInformation><StackDriftStatus>NOT_CHECKED</StackDriftStatus></DriftInformation>
      </member>
    </Stacks>
    <NextToken>more</NextToken>
  </DescribeStacksResult>
  <ResponseMetadata><RequestId>b9b4b068</RequestId></ResponseMetadata>
</DescribeStacksResponse>"#;

fn read<T>(call: &StackCall<T>, text: &str) -> Result<T, ProviderError> {
    (call.read)(&Element::parse(text).unwrap())
}

#[test]
fn a_stack_is_read_with_all_that_is_known_of_it() {
    let page = read(&describe_stacks(None), STACKS).unwrap();
    assert_eq!(page.next.as_deref(), Some("more"));
    let arn = |name: &str| format!("arn:aws:cloudformation:eu-west-1:111122223333:stack/{name}");
    let parameter = |key: &str, value: &str, resolved: Option<&str>| StackParameter {
        key: key.to_owned(),
        value: Some(value.to_owned()),
        resolved_value: resolved.map(str::to_owned),
    };
    let stack = Stack {
        id: arn("Storage/0b1c"),
        name: "Storage".to_owned(),
        status: "UPDATE_ROLLBACK_COMPLETE".to_owned(),
        status_reason: Some("it could not be changed".to_owned()),
        description: Some("Where <files> are".to_owned()),
        outputs: vec![
            StackOutput {
                key: "Name".to_owned(),
                // A value is what it is, blanks too.
                value: " logs & more\n".to_owned(),
                export_name: None,
                description: Some("d".to_owned()),
            },
            StackOutput {
                key: "Arn".to_owned(),
                value: "arn:aws:s3:::logs".to_owned(),
                export_name: Some("Storage:Arn".to_owned()),
                description: None,
            },
        ],
        parameters: vec![
            parameter("Image", "/ami", Some("ami-1")),
            parameter("Password", "****", None),
            parameter("Empty", "", None),
        ],
        tags: vec![("team".to_owned(), "a b".to_owned())],
        role_arn: Some("arn:aws:iam::111122223333:role/cfn".to_owned()),
        parent_id: Some(arn("Parent/1")),
        root_id: Some(arn("Root/2")),
        notification_arns: vec!["arn:aws:sns:eu-west-1:111122223333:news".to_owned()],
        created_at: Some("2026-11-15T06:27:40.359Z".to_owned()),
        updated_at: Some("2026-11-15T07:00:00.000Z".to_owned()),
        deleted_at: None,
    };
    assert_eq!(page.stacks, [stack]);
}

#[test]
fn an_answer_without_what_every_stack_has_is_none() {
    for (part, without) in [
        ("<StackName>Storage</StackName>", ""),
        ("<StackStatus>UPDATE_ROLLBACK_COMPLETE</StackStatus>", "<StackStatus/>"),
        ("<StackId>arn", "<Other>arn"),
        ("DescribeStacksResult>", "Result>"),
    ] {
        let text = STACKS.replace(part, without).replace(
            "0b1c</StackId>",
            match part {
                "<StackId>arn" => "0b1c</Other>",
                _ => "0b1c</StackId>",
            },
        );
        let failed = read(&describe_stacks(None), &text).unwrap_err();
        assert_eq!(failed.code, "UnreadableAnswer", "{part}");
    }
}

#[test]
fn resources_are_read_before_they_have_a_physical_id_too() {
    let text = "<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>\
        <member><ResourceStatus>CREATE_COMPLETE</ResourceStatus>\
        <LogicalResourceId>Bucket83908E77</LogicalResourceId>\
        <LastUpdatedTimestamp>2026-11-15T06:27:40Z</LastUpdatedTimestamp>\
        <PhysicalResourceId>storage-bucket</PhysicalResourceId>\
        <ResourceType>AWS::S3::Bucket</ResourceType>\
        <DriftInformation><StackResourceDriftStatus>NOT_CHECKED</StackResourceDriftStatus>\
        </DriftInformation></member>\
        <member><ResourceStatus>CREATE_FAILED</ResourceStatus>\
        <ResourceStatusReason>no</ResourceStatusReason><LogicalResourceId>Q</LogicalResourceId>\
        <PhysicalResourceId/><ResourceType>AWS::SQS::Queue</ResourceType></member>\
        </StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>";
    let page = read(&list_stack_resources("s", None), text).unwrap();
    assert_eq!(page.next, None);
    let told: Vec<_> = page
        .resources
        .iter()
        .map(|it| (it.logical_id.as_str(), it.physical_id.as_deref(), it.type_name.as_str()))
        .collect();
    let bucket = ("Bucket83908E77", Some("storage-bucket"), "AWS::S3::Bucket");
    assert_eq!(told, [bucket, ("Q", None, "AWS::SQS::Queue")]);
    assert_eq!(page.resources[1].status_reason.as_deref(), Some("no"));
    let wrong = text.replace("<LogicalResourceId>Q</LogicalResourceId>", "");
    assert!(read(&list_stack_resources("s", None), &wrong).is_err());
}

#[test]
fn events_are_read_with_what_they_happened_to() {
    let text = "<DescribeStackEventsResponse><DescribeStackEventsResult><StackEvents>\
        <member><EventId>e</EventId><StackId>arn:a</StackId><StackName>s</StackName>\
        <LogicalResourceId>Q</LogicalResourceId><PhysicalResourceId/>\
        <ResourceType>AWS::SQS::Queue</ResourceType>\
        <Timestamp>2026-11-15T06:27:40Z</Timestamp><ResourceStatus>CREATE_FAILED</ResourceStatus>\
        <ResourceStatusReason>it is there</ResourceStatusReason></member></StackEvents>\
        <NextToken>n</NextToken></DescribeStackEventsResult></DescribeStackEventsResponse>";
    let page = read(&describe_stack_events("s", None), text).unwrap();
    let event = StackEvent {
        logical_id: "Q".to_owned(),
        physical_id: None,
        type_name: "AWS::SQS::Queue".to_owned(),
        status: "CREATE_FAILED".to_owned(),
        status_reason: Some("it is there".to_owned()),
        at: Some("2026-11-15T06:27:40Z".to_owned()),
    };
    assert_eq!(page, StackEvents { events: vec![event], next: Some("n".to_owned()) });
    let wrong = text.replace("<ResourceStatus>CREATE_FAILED</ResourceStatus>", "");
    assert!(read(&describe_stack_events("s", None), &wrong).is_err());
}

#[test]
fn exports_are_read_and_none_is_an_answer() {
    let text = "<ListExportsResponse><ListExportsResult><Exports><member>\
        <ExportingStackId>arn:a</ExportingStackId><Name>Storage:Arn</Name><Value> v </Value>\
        </member></Exports><NextToken>n</NextToken></ListExportsResult></ListExportsResponse>";
    let page = read(&list_exports(None), text).unwrap();
    let export = Export {
        name: "Storage:Arn".to_owned(),
        value: " v ".to_owned(),
        stack_id: "arn:a".to_owned(),
    };
    assert_eq!(page, Exports { exports: vec![export], next: Some("n".to_owned()) });
    let none = "<ListExportsResponse><ListExportsResult><Exports/></ListExportsResult>\
                </ListExportsResponse>";
    assert_eq!(read(&list_exports(None), none), Ok(Exports::default()));
}

#[test]
fn a_write_is_sent_with_its_lists_numbered_from_one() {
    let pairs = |all: &[(&str, &str)]| all.iter().map(|(key, value)| pair(key, value)).collect();
    let write = StackWrite {
        name: "Storage".to_owned(),
        template: TemplateSource::Body("{}".to_owned()),
        parameters: pairs(&[("A", "1"), ("B", "")]),
        tags: pairs(&[("team", "a")]),
        capabilities: vec!["CAPABILITY_IAM".to_owned()],
        token: Some("t".to_owned()),
    };
    let sent: Parameters = pairs(&[
        ("StackName", "Storage"),
        ("TemplateBody", "{}"),
        ("Parameters.member.1.ParameterKey", "A"),
        ("Parameters.member.1.ParameterValue", "1"),
        ("Parameters.member.2.ParameterKey", "B"),
        ("Parameters.member.2.ParameterValue", ""),
        ("Tags.member.1.Key", "team"),
        ("Tags.member.1.Value", "a"),
        ("Capabilities.member.1", "CAPABILITY_IAM"),
        ("ClientRequestToken", "t"),
    ]);
    assert_eq!(written(&write), sent);
    let url = "https://b.s3.eu-west-1.amazonaws.com/k".to_owned();
    let write = StackWrite { template: TemplateSource::Url(url.clone()), ..write };
    assert_eq!(written(&write)[1], ("TemplateURL".to_owned(), url));
}

#[test]
fn a_template_is_the_text_that_aws_gave() {
    let answer = |body: &str| {
        format!(
            "<GetTemplateResponse><GetTemplateResult><TemplateBody>{body}</TemplateBody>\
             <StagesAvailable><member>Original</member><member>Processed</member></StagesAvailable>\
             </GetTemplateResult></GetTemplateResponse>"
        )
    };
    let yaml = "\nResources:\n  A: {Type: &quot;X&quot;} # &lt;&#xD;\n\n";
    let read = |text: &str| read(&get_template("s"), text);
    assert_eq!(read(&answer(yaml)).unwrap(), "\nResources:\n  A: {Type: \"X\"} # <\r\n\n");
    assert_eq!(read(&answer(" ")).unwrap_err().code, "UnreadableAnswer");
    let sent = get_template("s").parameters;
    assert_eq!(sent, [pair("StackName", "s"), pair("TemplateStage", "Processed")]);
}

#[test]
fn what_a_write_made_is_told_by_its_arn() {
    let answer = "<CreateStackResponse><CreateStackResult><StackId>arn:a</StackId>\
                  </CreateStackResult></CreateStackResponse>";
    let write = StackWrite {
        name: "s".to_owned(),
        template: TemplateSource::Body("{}".to_owned()),
        parameters: Vec::new(),
        tags: Vec::new(),
        capabilities: Vec::new(),
        token: None,
    };
    assert_eq!(read(&create_stack(&write), answer).unwrap(), "arn:a");
    assert!(read(&update_stack(&write), answer).is_err());
    let none = "<DeleteStackResponse><ResponseMetadata/></DeleteStackResponse>";
    assert_eq!(read(&delete_stack("s", Some("t")), none), Ok(()));
}

#[test]
fn a_page_is_asked_for_with_the_token_of_the_one_before() {
    let sent = list_stack_resources("s", Some("n+/=")).parameters;
    assert_eq!(sent, [pair("StackName", "s"), pair("NextToken", "n+/=")]);
    assert_eq!(list_exports(Some("n")).parameters, [pair("NextToken", "n")]);
    assert_eq!(describe_stacks(None).parameters, []);
    assert_eq!(describe_stack("").unwrap_err().class, ErrorClass::Refused);
}
