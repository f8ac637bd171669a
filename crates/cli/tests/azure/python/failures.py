"""Writes that fail at AWS, as each way of polling sees them, and what clients repeat by themselves."""

import unittest

from azure.core.exceptions import HttpResponseError

from arm import (
    ACCOUNT,
    ASYNC,
    Claims,
    Client,
    by_body,
    by_location,
    main,
    reference_id,
    resource_id,
    stored,
    vpc,
)

VPC = "AWS::EC2::VPC"
ACTION = f"{ACCOUNT}/providers/AWS.EC2/VPC/:put"
DENIED = {"effect": "fail", "code": "AccessDenied", "message": "not for you"}
# What each way of polling is told with, where it is told why.
WAYS = {"status": 200, "result": 403, "body": 200}


CLIENTS = {"status": Client, "result": by_location, "body": by_body}


class Failures(Claims):
    def setUp(self):
        super().setUp()
        self.slow("300ms")

    def fails(self, begin, ways=WAYS, **fault):
        """Begins one write for each way of polling; gives what comes of it: way, client, error."""
        self.fault(times=len(ways), **fault)
        clients = {way: CLIENTS[way]() for way in ways}
        begun = [(way, client, begin(client, way)) for way, client in clients.items()]
        for way, client, poller in begun:
            with self.soon(), self.assertRaises(HttpResponseError) as caught:
                poller.result()
            yield way, client, caught.exception

    def is_denied(self, way, error):
        self.assertEqual(error.status_code, WAYS[way])
        self.assertEqual(error.error.code, "AccessDenied")
        self.assertIn("not for you", error.error.message)

    def test_a_create_that_fails_is_an_error_of_every_poller(self):
        begin = lambda client, way: client.put(reference_id(f"c-{way}"), vpc(), headers=ASYNC)
        for way, client, error in self.fails(begin, operation="CreateResource", **DENIED):
            if way == "body":
                # The alias is free again: there is nothing left that could tell why.
                self.assertEqual((error.status_code, error.error.code), (404, "ResourceNotFound"))
            else:
                self.is_denied(way, error)
            self.assertEqual([one.method for one in client.sent].count("PUT"), 1)
            # It is not stuck.
            again = Client().put(reference_id(f"c-{way}"), vpc()).result()
            self.assertEqual(again.properties["provisioningState"], "Succeeded")

    def test_an_update_that_fails_is_an_error_of_every_poller(self):
        made = {way: Client().put(reference_id(f"u-{way}"), vpc()).result() for way in WAYS}
        change = vpc(EnableDnsSupport=True)
        begin = lambda client, way: client.put(reference_id(f"u-{way}"), change, headers=ASYNC)
        for way, client, error in self.fails(begin, operation="UpdateResource", **DENIED):
            if way == "body":
                last = client.sent[-1].json()
                self.assertEqual(last["properties"]["provisioningState"], "Failed")
                self.assertEqual(last["lastOperation"]["error"]["code"], "AccessDenied")
            else:
                self.is_denied(way, error)
            there = client.get(reference_id(f"u-{way}"))
            self.assertEqual(there["mapsTo"], made[way]["mapsTo"])
            self.assertNotIn("EnableDnsSupport", there.properties)

    def test_a_create_that_leaves_something_behind_is_an_error_of_every_poller(self):
        begin = lambda client, way: client.put(reference_id(f"l-{way}"), vpc(), headers=ASYNC)
        fault = {"operation": "CreateResource", "withIdentifier": True, **DENIED}
        for way, client, error in self.fails(begin, **fault):
            self.assertEqual(error.status_code, WAYS[way])
            there = client.get(reference_id(f"l-{way}"))
            self.assertEqual(there.properties["provisioningState"], "Failed")
            self.assertIn(there["mapsTo"]["primaryIdentifier"], stored(VPC))
            # What is there is taken, not made again.
            with self.aws_writes(0):
                again = Client().put(reference_id(f"l-{way}"), vpc()).result()
            self.assertEqual(again["mapsTo"], there["mapsTo"])

    def test_a_delete_that_fails_is_an_error_of_every_poller(self):
        ways = ["status", "result"]
        for way in ways:
            Client().put(reference_id(f"d-{way}"), vpc()).wait()
        begin = lambda client, way: client.delete(reference_id(f"d-{way}"), headers=ASYNC)
        for way, client, error in self.fails(begin, ways, operation="DeleteResource", **DENIED):
            self.is_denied(way, error)
            self.assertTrue(client.exists(reference_id(f"d-{way}")))

    def test_an_aws_resource_that_fails_is_an_error_of_every_poller(self):
        def begin(client, way):
            body = {"properties": {"LogGroupName": f"r-{way}"}}
            return client.put(resource_id(f"r-{way}"), body, headers=ASYNC)

        ways = ["status", "result"]
        for way, client, error in self.fails(begin, ways, operation="CreateResource", **DENIED):
            self.is_denied(way, error)
            self.assertFalse(client.exists(resource_id(f"r-{way}")))

    def test_an_action_that_fails_is_an_error_of_every_poller(self):
        begin = lambda client, way: client.begin("POST", ACTION, vpc(), headers=ASYNC)
        ways = ["status", "result"]
        for way, _, error in self.fails(begin, ways, operation="CreateResource", **DENIED):
            self.is_denied(way, error)

    def test_a_failure_is_the_same_at_once_by_status_and_by_result(self):
        id = reference_id("alike")
        self.fault(operation="CreateResource", **DENIED)
        with self.refused(403, "AccessDenied") as at_once:
            self.client.put(id, vpc())
        self.assertEqual(len(self.client.sent), 1)
        begin = lambda client, way: client.put(id, vpc(), headers=ASYNC)
        fails = self.fails(begin, ["status"], operation="CreateResource", **DENIED)
        [(_, client, _)] = list(fails)
        status = client.sent[-1].json()
        self.assertEqual(status["status"], "Failed")
        self.assertNotIn("properties", status)
        self.assertIn("endTime", status)
        result = client.send("GET", client.sent[0].headers["Location"], params={})
        self.assertEqual(result.status_code, 403)
        self.assertEqual(result.json()["error"], status["error"])
        told = at_once.exception.error
        self.assertEqual(
            (told.code, told.message), (status["error"]["code"], status["error"]["message"])
        )

    def test_a_failure_that_clients_take_for_a_hiccup_still_reaches_them(self):
        self.fault(operation="CreateResource", effect="fail", code="GeneralServiceException")
        client = by_location(retry_backoff_factor=0.01)
        poller = client.put(reference_id("hiccup"), vpc(), headers=ASYNC)
        with self.soon(), self.refused(502, "GeneralServiceException"):
            poller.result()
        self.assertEqual([one.method for one in client.sent].count("PUT"), 1)

    def test_a_read_that_aws_throttles_is_repeated_when_the_server_says(self):
        id = resource_id("throttled")
        Client().put(id, {"properties": {"LogGroupName": "throttled"}}).wait()
        self.fault(operation="GetResource", effect="exception", exception="ThrottlingException")
        with self.soon():
            self.assertEqual(self.client.get(id).name, "throttled")
        self.assertEqual([one.status for one in self.client.sent], [429, 200])
        self.assertRegex(self.client.sent[0].headers["Retry-After"], "^([1-9]|10)$")

    def test_a_put_that_the_client_repeats_by_itself_makes_one_resource(self):
        before = stored(VPC)
        self.fault(operation="CreateResource", effect="fail", code="GeneralServiceException")
        made = self.client.put(reference_id("repeated"), vpc()).result()
        self.assertEqual([one.status for one in self.client.sent], [502, 201])
        new = [identifier for identifier in stored(VPC) if identifier not in before]
        self.assertEqual(new, [made["mapsTo"]["primaryIdentifier"]])

    def test_an_action_that_fails_is_not_repeated_by_the_client(self):
        self.fault(
            operation="CreateResource", effect="fail", code="NotStabilized", withIdentifier=True
        )
        before = stored(VPC)
        answer = self.client.send("POST", ACTION, vpc())
        # The status would be one that the client repeats: the operation's own URL tells the failure.
        self.assertEqual(answer.status_code, 202)
        self.assertEqual(len(stored(VPC)) - len(before), 1)
        self.assertEqual(len(self.client.sent), 1)
        status = self.client.send("GET", answer.headers["Azure-AsyncOperation"], params={}).json()
        self.assertEqual((status["status"], status["error"]["code"]), ("Failed", "NotStabilized"))


if __name__ == "__main__":
    main()
