"""Stacks of CloudFormation: made, looked at, changed, deleted, by AWS's own waiters and paginators."""

import json
import urllib.request

from endpoint import URL, Claims, Cloud, client, main

QUEUE = {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": {"Ref": "Delay"}}}
TEMPLATE = {
    "Parameters": {"Delay": {"Type": "Number", "Default": 5}},
    "Resources": {"Queue": QUEUE, "Bucket": {"Type": "AWS::S3::Bucket"}},
    "Outputs": {
        "Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}, "Export": {"Name": "queue-arn"}},
        "Bucket": {"Value": {"Ref": "Bucket"}},
    },
}


def put(bucket, key, template):
    """A file where S3 would have it."""
    request = urllib.request.Request(
        f"{URL}/_simulator/assets/{bucket}/{key}",
        data=json.dumps(template).encode(),
        method="PUT",
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status


class Stacks(Claims):
    @classmethod
    def setUpClass(cls):
        cls.client = client("cloudformation")
        cls.cloud = Cloud()

    def make(self, name, template, **extra):
        """The stack once it is complete."""
        body = json.dumps(template)
        self.client.create_stack(StackName=name, TemplateBody=body, **extra)
        waiter = self.client.get_waiter("stack_create_complete")
        waiter.wait(StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        return self.client.describe_stacks(StackName=name)["Stacks"][0]

    def physical_id(self, stack, logical_id):
        found = self.client.describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
        return found["StackResourceDetail"]["PhysicalResourceId"]

    def test_a_stack_lives_and_dies(self):
        delay = [{"ParameterKey": "Delay", "ParameterValue": "7"}]
        stack = self.make("Life", TEMPLATE, Parameters=delay, Tags=[{"Key": "a", "Value": "b"}])
        self.assertEqual(stack["StackStatus"], "CREATE_COMPLETE")
        self.assertEqual(stack["Parameters"], delay)
        self.assertEqual(stack["Tags"], [{"Key": "a", "Value": "b"}])
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
        queue = self.physical_id("Life", "Queue")
        live = self.cloud.get("AWS::SQS::Queue", queue)
        self.assertEqual((live["Arn"], live["DelaySeconds"]), (outputs["Arn"], 7))
        self.matches(r"life-bucket-[a-z0-9]{12}", outputs["Bucket"])
        exports = {one["Name"]: one["Value"] for one in self.client.list_exports()["Exports"]}
        self.assertEqual(exports["queue-arn"], live["Arn"])
        self.assertEqual(self.client.get_template(StackName="Life")["TemplateBody"], TEMPLATE)

        words = self.refuses(
            "ValidationError",
            self.client.update_stack,
            StackName="Life",
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "Delay", "UsePreviousValue": True}],
            Tags=[{"Key": "a", "Value": "b"}],
        )
        self.assertEqual(words, "No updates are to be performed.")
        self.client.update_stack(
            StackName="Life",
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "Delay", "ParameterValue": "9"}],
        )
        waiter = self.client.get_waiter("stack_update_complete")
        waiter.wait(StackName="Life", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        self.assertEqual(self.cloud.get("AWS::SQS::Queue", queue)["DelaySeconds"], 9)

        self.client.delete_stack(StackName="Life")
        waiter = self.client.get_waiter("stack_delete_complete")
        waiter.wait(StackName="Life", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        self.assertNotIn(queue, self.cloud.list("AWS::SQS::Queue"))
        gone = self.client.describe_stacks(StackName=stack["StackId"])["Stacks"][0]
        self.assertEqual(gone["StackStatus"], "DELETE_COMPLETE")
        self.assertEqual(
            self.refuses("ValidationError", self.client.describe_stacks, StackName="Life"),
            "Stack with id Life does not exist",
        )

    def test_pages_of_resources_come_whole(self):
        topics = {f"Topic{number:03}": {"Type": "AWS::SNS::Topic"} for number in range(120)}
        self.make("Pages", {"Resources": topics})
        pages = self.client.get_paginator("list_stack_resources").paginate(StackName="Pages")
        found = [[one["LogicalResourceId"] for one in page["StackResourceSummaries"]] for page in pages]
        self.assertEqual([len(page) for page in found], [100, 20])
        self.assertEqual(sum(found, []), sorted(topics))
        events = self.client.get_paginator("describe_stack_events").paginate(StackName="Pages")
        self.assertEqual(sum(len(page["StackEvents"]) for page in events), 242)

    def test_a_nested_stack_is_made_from_an_asset(self):
        outputs = {"Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}}}
        self.assertEqual(put("assets", "child.json", {**TEMPLATE, "Outputs": outputs}), 201)
        url = "https://s3.eu-west-1.amazonaws.com/assets/child.json"
        child = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
        parent = {
            "Resources": {"Child": child},
            "Outputs": {"Arn": {"Value": {"Fn::GetAtt": ["Child", "Outputs.Arn"]}}},
        }
        stack = self.make("Parent", parent)
        inner = self.physical_id("Parent", "Child")
        inner = self.client.describe_stacks(StackName=inner)["Stacks"][0]
        self.assertEqual((inner["ParentId"], inner["RootId"]), (stack["StackId"], stack["StackId"]))
        told = {one["OutputKey"]: one["OutputValue"] for one in inner["Outputs"]}
        self.assertEqual(stack["Outputs"][0]["OutputValue"], told["Arn"])

    def test_a_name_that_is_taken_is_refused(self):
        self.make("Taken", {"Resources": {"T": {"Type": "AWS::SNS::Topic"}}})
        words = self.refuses(
            "AlreadyExistsException",
            self.client.create_stack,
            StackName="Taken",
            TemplateBody=json.dumps(TEMPLATE),
        )
        self.assertEqual(words, "Stack [Taken] already exists")


if __name__ == "__main__":
    main()
