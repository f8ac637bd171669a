"""References by id: what each write answers, and what it does to AWS."""

import uuid

from azure.mgmt.resource.resources.models import GenericResource

from arm import (
    ASYNC,
    RESULTS,
    RUNNING,
    STATUSES,
    VERSION,
    Claims,
    Client,
    by_body,
    by_location,
    main,
    reference_id,
    stored,
    vpc,
)


class Writes(Claims):
    def made(self, alias, **properties):
        """A reference that is there already, and its id."""
        id = reference_id(alias)
        return id, Client().put(id, vpc(**properties)).result()

    def test_a_create_that_ends_in_time_is_201_and_leaves_nothing_to_poll(self):
        id = reference_id("create")
        with self.aws_writes(1):
            poller = self.client.put(id, GenericResource(properties={"CidrBlock": "10.1.0.0/16"}))
            self.assertTrue(poller.done())
            made = poller.result()
        self.sends(self.client, ("PUT", "/create", 201))
        self.is_at_once(self.client.sent[0])
        self.assertEqual((made.id, made.name, made.type), (id, "create", "AWS.EC2/VPC:reference"))
        self.assertEqual(made.properties["CidrBlock"], "10.1.0.0/16")
        self.assertEqual(made.properties["provisioningState"], "Succeeded")
        self.assertEqual(made, self.client.get(id))
        self.assertIn(made["mapsTo"]["primaryIdentifier"], stored("AWS::EC2::VPC"))

    def test_a_create_that_goes_on_is_201_in_a_state_that_is_not_final(self):
        id = reference_id("long")
        self.slow("1500ms")
        with self.soon(), self.aws_writes(1):
            poller = self.client.put(id, vpc(), headers=ASYNC)
            first = self.client.sent[0]
            self.is_under_way(first, [201])
            self.assertIn(first.json()["properties"]["provisioningState"], RUNNING)
            seen = Client().get(id)
            self.assertIn(seen.properties["provisioningState"], RUNNING)
            self.assertFalse(poller.done())
            made = poller.result()
        self.assertEqual(poller.status(), "Succeeded")
        self.assertEqual(made.properties["provisioningState"], "Succeeded")
        self.assertEqual(made, self.client.get(id))

    def test_a_put_that_changes_nothing_is_200_without_a_write_of_aws(self):
        id, made = self.made("same")
        with self.aws_writes(0):
            poller = self.client.put(id, vpc())
            self.assertTrue(poller.done())
        self.sends(self.client, ("PUT", "/same", 200))
        self.is_at_once(self.client.sent[0])
        again = poller.result()
        self.assertEqual(again.properties, made.properties)
        self.assertEqual(again["etag"], made["etag"])

    def test_a_put_that_changes_nothing_is_none_for_a_poller_either(self):
        id, made = self.made("same-async")
        with self.aws_writes(0), self.soon():
            again = self.client.put(id, vpc(), headers=ASYNC).result()
        self.assertEqual(again.properties, made.properties)

    def test_an_update_is_200_and_changes_the_resource_that_is_there(self):
        id, made = self.made("update")
        with self.aws_writes(1):
            poller = self.client.put(id, vpc(EnableDnsHostnames=True))
            self.assertTrue(poller.done())
        self.sends(self.client, ("PUT", "/update", 200))
        self.is_at_once(self.client.sent[0])
        changed = poller.result()
        self.assertIs(changed.properties["EnableDnsHostnames"], True)
        self.assertEqual(changed["mapsTo"], made["mapsTo"])
        self.assertNotEqual(changed["etag"], made["etag"])
        there = stored("AWS::EC2::VPC")[made["mapsTo"]["primaryIdentifier"]]
        self.assertIs(there["EnableDnsHostnames"], True)

    def test_an_update_that_goes_on_is_200_in_a_state_that_is_not_final(self):
        id, _ = self.made("update-long")
        self.slow()
        with self.soon(), self.aws_writes(1):
            poller = self.client.put(id, vpc(EnableDnsHostnames=True), headers=ASYNC)
            self.is_under_way(self.client.sent[0], [200])
            state = self.client.sent[0].json()["properties"]["provisioningState"]
            self.assertIn(state, RUNNING)
            self.assertIs(poller.result().properties["EnableDnsHostnames"], True)

    def test_what_was_got_can_be_put_back_and_is_no_change(self):
        id, _ = self.made("back", EnableDnsSupport=True)
        got = self.client.get(id)
        with self.aws_writes(0):
            self.assertEqual(self.client.put(id, got).result()["etag"], got["etag"])
        got.properties["EnableDnsSupport"] = False
        with self.aws_writes(1):
            changed = self.client.put(id, got).result()
        self.assertIs(changed.properties["EnableDnsSupport"], False)

    def test_a_patch_merges_properties(self):
        id, made = self.made("patch", EnableDnsSupport=True)
        with self.aws_writes(1):
            poller = self.client.patch(id, {"properties": {"EnableDnsHostnames": True}})
            self.assertTrue(poller.done())
            patched = poller.result()
        self.sends(self.client, ("PATCH", "/patch", 200))
        self.is_at_once(self.client.sent[0])
        self.assertEqual(patched["mapsTo"], made["mapsTo"])
        for name, value in vpc(EnableDnsSupport=True, EnableDnsHostnames=True)["properties"].items():
            self.assertEqual(patched.properties[name], value)
        with self.aws_writes(0):
            again = self.client.patch(id, {"properties": {"EnableDnsHostnames": True}}).result()
        self.assertEqual(again["etag"], patched["etag"])

    def test_a_patch_that_goes_on_is_202_without_a_body(self):
        id, made = self.made("patch-long")
        self.slow()
        for number, (client, path, last) in enumerate(
            [(Client(), STATUSES, id), (by_location(), RESULTS, RESULTS), (by_body(), id, id)]
        ):
            change = {"properties": {"EnableDnsHostnames": number % 2 == 0}}
            with self.aws_writes(1):
                begin = lambda it: it.patch(id, change, headers=ASYNC)
                patched = self.follows(client, begin, path, last)
            self.is_under_way(client.sent[0], [202])
            self.assertEqual(client.sent[0].response.content, b"")
            self.assertEqual(patched.properties["EnableDnsHostnames"], number % 2 == 0)
            self.assertEqual((patched.id, patched["mapsTo"]), (id, made["mapsTo"]))

    def test_a_patch_of_nothing_is_404(self):
        with self.aws_writes(0):
            for headers in [{}, {"If-Match": "*"}]:
                with self.refused(404, "ResourceNotFound"):
                    self.client.patch(reference_id("nothing"), vpc(), headers=headers)

    def test_a_write_while_another_runs_is_409_and_sent_once(self):
        id = reference_id("busy")
        self.slow("1500ms")
        with self.aws_writes(1):
            running = Client().put(id, vpc(), headers=ASYNC)
            for write in [
                lambda client: client.put(id, vpc(EnableDnsSupport=True)),
                lambda client: client.put(id, vpc()),
                lambda client: client.patch(id, vpc(EnableDnsSupport=True)),
                lambda client: client.delete(id),
            ]:
                client = Client()
                with self.refused(409, "Conflict"):
                    write(client)
                self.assertEqual([one.status for one in client.sent], [409])
                self.assertNotIn("Retry-After", client.sent[0].headers)
            self.assertNotIn("EnableDnsSupport", running.result().properties)

    def test_a_delete_is_200_and_204_when_there_is_nothing_left(self):
        id, made = self.made("delete")
        with self.aws_writes(1):
            poller = self.client.delete(id)
            self.assertTrue(poller.done())
            self.assertIsNone(poller.result())
            self.assertTrue(self.client.delete(id).done())
        self.sends(self.client, ("DELETE", "/delete", 200), ("DELETE", "/delete", 204))
        self.assertEqual(self.client.sent[1].response.content, b"")
        self.assertNotIn(made["mapsTo"]["primaryIdentifier"], stored("AWS::EC2::VPC"))
        with self.refused(404, "ResourceNotFound"):
            self.client.get(id)

    def test_a_delete_that_goes_on_is_202_without_a_body(self):
        id, _ = self.made("delete-long")
        self.slow("1500ms")
        with self.soon(), self.aws_writes(1):
            poller = self.client.delete(id, headers=ASYNC)
            self.is_under_way(self.client.sent[0], [202])
            self.assertEqual(self.client.sent[0].response.content, b"")
            self.assertTrue(self.client.exists(id))
            poller.wait()
        self.assertEqual(poller.status(), "Succeeded")
        self.assertFalse(self.client.exists(id))

    def test_existence_is_204_or_404(self):
        id, _ = self.made("exists")
        self.assertIs(self.client.exists(id), True)
        self.assertIs(self.client.exists(reference_id("absent")), False)
        self.sends(self.client, ("HEAD", "/exists", 204), ("HEAD", "/absent", 404))

    def test_a_condition_that_is_not_met_is_412_and_writes_nothing(self):
        id, made = self.made("tagged")
        self.assertEqual(self.client.get(id)["etag"], made["etag"])
        self.assertEqual(self.client.sent[-1].headers["ETag"], made["etag"])
        absent = reference_id("never")
        with self.aws_writes(0):
            for target, condition in [
                (id, {"If-Match": '"another"'}),
                (id, {"If-None-Match": "*"}),
                (absent, {"If-Match": "*"}),
                (absent, {"If-Match": made["etag"]}),
            ]:
                with self.refused(412, "PreconditionFailed"):
                    self.client.put(target, vpc(EnableDnsSupport=True), headers=condition)
            another = {"If-Match": '"another"'}
            with self.refused(412, "PreconditionFailed"):
                self.client.patch(id, vpc(EnableDnsSupport=True), headers=another)
            with self.refused(412, "PreconditionFailed"):
                self.client.delete(id, headers=another)
            self.client.delete(absent, headers={"If-Match": made["etag"]}).wait()
            self.assertEqual(self.client.sent[-1].status, 204)
        self.assertFalse(self.client.exists(absent))

    def test_a_condition_that_is_met_changes_nothing(self):
        id = reference_id("met")
        made = self.client.put(id, vpc(), headers={"If-None-Match": "*"}).result()
        changed = self.client.put(
            id, vpc(EnableDnsSupport=True), headers={"If-Match": made["etag"]}
        ).result()
        self.assertNotEqual(changed["etag"], made["etag"])
        self.client.delete(id, headers={"If-Match": changed["etag"]}).wait()
        self.assertFalse(self.client.exists(id))

    def test_an_api_version_is_asked_for_and_read(self):
        id = reference_id("versions")
        for version in ["yesterday", "2023-13-99x", "2023-10-01-final", ""]:
            with self.refused(400, "InvalidApiVersionParameter"):
                self.client.put(id, vpc(), version=version)
        answer = self.client.send("PUT", id, vpc(), params={})
        self.assertEqual(answer.status_code, 400)
        self.assertEqual(answer.json()["error"]["code"], "MissingApiVersionParameter")
        for version in ["2023-10-01", "2031-01-31-preview"]:
            self.client.put(id, vpc(), version=version).wait()

    def test_ids_come_back_in_the_case_that_they_were_made_with(self):
        id, made = self.made("MyNet")
        other = id.replace("MyNet", "mYnET").replace("claims", "CLAIMS").replace("EC2", "ec2")
        self.assertEqual(self.client.get(other), made)
        with self.aws_writes(0):
            self.assertEqual(self.client.put(other, vpc()).result().id, id)
        self.client.delete(other).wait()
        self.assertFalse(self.client.exists(id))

    def test_a_mistake_is_told_with_its_place(self):
        with self.aws_writes(0), self.refused(400, "InvalidProperties") as caught:
            self.client.put(reference_id("wrong"), {"properties": {"CidrBlok": "10.0.0.0/16"}})
        details = caught.exception.error.details
        self.assertTrue(details and all(one.code and one.message for one in details), details)
        self.assertIn("/CidrBlok", [one.target for one in details])

    def test_a_group_that_is_not_there_is_404(self):
        with self.refused(404, "ResourceGroupNotFound"):
            self.client.put(reference_id("net", group="nowhere"), vpc())

    def test_requests_have_ids_of_their_own_and_keep_the_callers(self):
        id, _ = self.made("ids")
        correlation = str(uuid.uuid4())
        for _ in range(2):
            self.client.get(id, headers={"x-ms-correlation-request-id": correlation})
        first, second = (one.headers for one in self.client.sent)
        self.assertNotEqual(first["x-ms-request-id"], second["x-ms-request-id"])
        self.assertEqual(second["x-ms-correlation-request-id"], correlation)
        self.assertNotIn("x-ms-client-request-id", second)
        self.client.get(id, headers={"x-ms-return-client-request-id": "true"})
        third = self.client.sent[2]
        sent = third.response.request.headers["x-ms-client-request-id"]
        self.assertEqual(third.headers["x-ms-client-request-id"], sent)

    def test_the_version_of_a_call_is_the_version_of_its_polling_urls(self):
        self.slow("50ms")
        self.client.put(reference_id("kept"), vpc(), headers=ASYNC).wait()
        polls = self.client.sent[1:]
        self.assertTrue(polls and all(f"api-version={VERSION}" in one.url for one in polls))


if __name__ == "__main__":
    main()
