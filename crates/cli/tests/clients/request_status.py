"""Requests as AWS's waiters and paginators follow them, and how a slow one is cancelled."""

import json

from botocore.exceptions import WaiterError

from endpoint import Claims, Cloud, control, main

VPC = "AWS::EC2::VPC"
LOG_GROUP = "AWS::Logs::LogGroup"
SOON = {"Delay": 0.05, "MaxAttempts": 200}
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class RequestStatus(Claims):
    def slow(self):
        """Every request begun until the end of the claim takes a minute."""
        self.addCleanup(control, "settings", {"latency": "0..0"})
        control("settings", {"latency": "60s..60s"})

    def begin(self, cloud, type_name=VPC, desired=None):
        desired = json.dumps(desired or {"CidrBlock": "10.0.0.0/16"})
        answer = cloud.client.create_resource(TypeName=type_name, DesiredState=desired)
        return answer["ProgressEvent"]

    def test_the_waiter_sees_a_success(self):
        cloud = Cloud("1")
        event = self.begin(cloud)
        token = event["RequestToken"]
        self.matches("[-A-Za-z0-9+/=]{1,128}", token)
        cloud.client.get_waiter("resource_request_success").wait(
            RequestToken=token, WaiterConfig=SOON
        )
        last = cloud.client.get_resource_request_status(RequestToken=token)["ProgressEvent"]
        self.assertEqual(last["OperationStatus"], "SUCCESS")
        self.assertEqual(last["EventTime"].utcoffset().total_seconds(), 0)
        self.assertNotIn("ErrorCode", last)
        self.assertNotIn("ResourceModel", last)

    def test_the_first_answer_has_the_identifier_that_the_caller_chose(self):
        cloud = Cloud("10")
        self.slow()
        group = self.begin(cloud, LOG_GROUP, {"LogGroupName": "chosen"})
        self.assertEqual(group["Identifier"], "chosen")
        self.assertNotIn("Identifier", self.begin(cloud))

    def test_the_waiter_sees_a_failure(self):
        cloud = Cloud("2")
        answer = cloud.client.delete_resource(TypeName=VPC, Identifier="vpc-0123456789abcdef0")
        waiter = cloud.client.get_waiter("resource_request_success")
        with self.assertRaises(WaiterError):
            waiter.wait(RequestToken=answer["ProgressEvent"]["RequestToken"], WaiterConfig=SOON)

    def test_all_pages_of_resources_hold_each_resource_once(self):
        cloud = Cloud("3")
        names = [f"group-{number:03}" for number in range(30)]
        for event in [self.begin(cloud, LOG_GROUP, {"LogGroupName": name}) for name in names]:
            self.succeeds(cloud.ended(event))
        listed = cloud.list(LOG_GROUP, PaginationConfig={"PageSize": 7})
        self.assertEqual(sorted(listed), names)

    def test_all_pages_of_requests_hold_each_request_once(self):
        cloud = Cloud("4")
        begun = [self.begin(cloud, LOG_GROUP, {"LogGroupName": f"g{n}"}) for n in range(9)]
        for event in begun:
            self.succeeds(cloud.ended(event))
        pages = list(pages_of_requests(cloud, PaginationConfig={"PageSize": 4}))
        self.assertEqual([len(page) for page in pages], [4, 4, 1])
        seen = sorted(event["RequestToken"] for page in pages for event in page)
        self.assertEqual(seen, sorted(event["RequestToken"] for event in begun))

    def test_requests_are_filtered_by_operation_and_status(self):
        cloud = Cloud("5")
        group = self.succeeds(cloud.create(LOG_GROUP, {"LogGroupName": "filtered"}))
        self.fails("AlreadyExists", cloud.create(LOG_GROUP, {"LogGroupName": "filtered"}))
        self.succeeds(cloud.delete(LOG_GROUP, group))

        def found(**wanted):
            pages = pages_of_requests(cloud, ResourceRequestStatusFilter=wanted)
            return sorted((e["Operation"], e["OperationStatus"]) for page in pages for e in page)

        created, refused, deleted = (
            ("CREATE", "SUCCESS"),
            ("CREATE", "FAILED"),
            ("DELETE", "SUCCESS"),
        )
        self.assertEqual(found(), [refused, created, deleted])
        self.assertEqual(found(Operations=["CREATE"]), [refused, created])
        self.assertEqual(found(OperationStatuses=["SUCCESS"]), [created, deleted])
        self.assertEqual(found(Operations=["CREATE"], OperationStatuses=["FAILED"]), [refused])
        self.assertEqual(found(Operations=["UPDATE"]), [])

    def test_a_slow_request_can_be_cancelled(self):
        cloud = Cloud("6")
        self.slow()
        event = self.begin(cloud)
        token = event["RequestToken"]
        running = cloud.client.get_resource_request_status(RequestToken=token)["ProgressEvent"]
        self.assertIn(running["OperationStatus"], {"PENDING", "IN_PROGRESS"})
        cancelled = cloud.client.cancel_resource_request(RequestToken=token)["ProgressEvent"]
        self.assertEqual(cancelled["RequestToken"], token)
        self.assertIn(cancelled["OperationStatus"], {"CANCEL_IN_PROGRESS", "CANCEL_COMPLETE"})
        self.assertEqual(cloud.ended(cancelled)["OperationStatus"], "CANCEL_COMPLETE")
        waiter = cloud.client.get_waiter("resource_request_success")
        with self.assertRaises(WaiterError):
            waiter.wait(RequestToken=token, WaiterConfig=SOON)

    def test_one_operation_at_a_time_on_one_resource(self):
        cloud = Cloud("7")
        vpc = self.succeeds(cloud.create(VPC, {"CidrBlock": "10.0.0.0/16"}))
        self.slow()
        answer = cloud.client.delete_resource(TypeName=VPC, Identifier=vpc)
        first = answer["ProgressEvent"]["RequestToken"]
        message = self.refuses(
            "ConcurrentOperationException",
            cloud.client.delete_resource,
            TypeName=VPC,
            Identifier=vpc,
        )
        self.assertEqual(
            message, f"Concurrent operation found for resource {vpc} with RequestToken {first}"
        )

    def test_a_slow_request_ends_when_its_time_has_come(self):
        cloud = Cloud("8")
        self.slow()
        event = self.begin(cloud)
        self.assertEqual(cloud.list(VPC), [])
        control("clock", {"advance": "61s"})
        vpc = self.succeeds(cloud.ended(event))
        self.assertEqual(cloud.list(VPC), [vpc])

    def test_an_unknown_request_token_is_not_found(self):
        control_client = Cloud("9").client
        for call in [
            control_client.get_resource_request_status,
            control_client.cancel_resource_request,
        ]:
            self.refuses("RequestTokenNotFoundException", call, RequestToken=UNKNOWN)


def pages_of_requests(cloud, **extra):
    pages = cloud.client.get_paginator("list_resource_requests").paginate(**extra)
    return (page["ResourceRequestStatusSummaries"] for page in pages)


if __name__ == "__main__":
    main()
