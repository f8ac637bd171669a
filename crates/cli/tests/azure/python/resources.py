"""AWS resources by id, without a reference, and the actions on their collections."""

import unittest

from azure.core.paging import ItemPaged

from arm import (
    ACCOUNT,
    ASYNC,
    RESULTS,
    STATUSES,
    URL,
    Claims,
    Client,
    by_body,
    by_location,
    main,
    reference_id,
    resource_id,
    stored,
)

LOG_GROUPS = f"{ACCOUNT}/providers/AWS.Logs/LogGroup"
VPCS = f"{ACCOUNT}/providers/AWS.EC2/VPC"


def log_group(name, days=7):
    return {"properties": {"LogGroupName": name, "RetentionInDays": days}}


class Resources(Claims):
    def test_a_resource_lives_as_a_reference_does(self):
        id = resource_id("life")
        with self.aws_writes(1):
            made = self.client.put(id, log_group("life")).result()
        self.assertEqual((made.id, made.name, made.type), (id, "life", "AWS.Logs/LogGroup"))
        self.assertEqual(made.properties["RetentionInDays"], 7)
        self.assertEqual(made.properties["provisioningState"], "Succeeded")
        self.assertEqual(made, self.client.get(id))
        with self.aws_writes(0):
            self.assertEqual(self.client.put(id, log_group("life")).result(), made)
            self.assertEqual(self.client.put(id, self.client.get(id)).result(), made)
        with self.aws_writes(1):
            changed = self.client.put(id, log_group("life", 14)).result()
        self.assertEqual(changed.properties["RetentionInDays"], 14)
        self.assertEqual(stored("AWS::Logs::LogGroup")["life"]["RetentionInDays"], 14)
        self.assertIs(self.client.exists(id), True)
        with self.aws_writes(1):
            self.assertTrue(self.client.delete(id).done())
        self.assertTrue(self.client.delete(id).done())
        self.assertIs(self.client.exists(id), False)
        with self.refused(404, "ResourceNotFound"):
            self.client.get(id)
        answers = [201, 200, 200, 200, 200, 200, 204, 200, 204, 404, 404]
        self.assertEqual([one.status for one in self.client.sent], answers)
        for exchange in self.client.sent:
            self.is_at_once(exchange)

    def test_a_patch_merges_properties(self):
        id = resource_id("patched")
        with self.refused(404, "ResourceNotFound"):
            self.client.patch(id, log_group("patched"))
        made = self.client.put(id, log_group("patched")).result()
        with self.aws_writes(1):
            patched = self.client.patch(id, {"properties": {"RetentionInDays": 14}}).result()
        self.assertEqual(patched.properties, {**made.properties, "RetentionInDays": 14})
        self.slow()
        change = {"properties": {"RetentionInDays": 30}}
        begin = lambda client: client.patch(id, change, headers=ASYNC)
        client = Client()
        patched = self.follows(client, begin, STATUSES, id)
        self.is_under_way(client.sent[0], [202])
        self.assertEqual(patched.properties["RetentionInDays"], 30)

    def test_identifiers_keep_their_case(self):
        names = ["Cased", "cased"]
        for name in names:
            self.client.put(resource_id(name), log_group(name)).wait()
        for name in names:
            self.assertEqual(self.client.get(resource_id(name)).name, name)
        self.client.delete(resource_id("Cased")).wait()
        self.assertTrue(self.client.exists(resource_id("cased")))

    def test_an_identifier_with_slashes_is_one_segment(self):
        id = resource_id("%2Faws%2Flambda%2Ff")
        made = self.client.put(id, log_group("/aws/lambda/f")).result()
        self.assertEqual((made.id, made.name), (id, "/aws/lambda/f"))
        self.assertEqual(self.client.get(made.id), made)
        self.client.delete(made.id).wait()
        self.assertFalse(self.client.exists(id))

    def test_a_write_while_another_runs_is_409_and_sent_once(self):
        id = resource_id("busy")
        self.slow("1500ms")
        with self.aws_writes(1):
            running = Client().put(id, log_group("busy"), headers=ASYNC)
            for write in [
                lambda client: client.put(id, log_group("busy", 14)),
                lambda client: client.delete(id),
            ]:
                client = Client()
                with self.refused(409, "Conflict"):
                    write(client)
                self.assertEqual([one.status for one in client.sent], [409])
                self.assertNotIn("Retry-After", client.sent[0].headers)
            self.assertEqual(running.result().properties["RetentionInDays"], 7)

    def test_a_write_that_goes_on_is_followed_by_status_and_by_result(self):
        self.slow()
        for name, client, path in [("s", Client(), STATUSES), ("r", by_location(), RESULTS)]:
            id = resource_id(f"followed-{name}")
            body = log_group(f"followed-{name}")
            last = id if path == STATUSES else path
            made = self.follows(client, lambda it: it.put(id, body, headers=ASYNC), path, last)
            self.assertEqual(made.id, id)
            self.assertEqual(made, client.get(id))

    def test_a_resource_that_is_being_made_can_be_asked_for(self):
        self.slow()
        id = resource_id("made")
        begin = lambda client: client.put(id, log_group("made"), headers=ASYNC)
        made = self.follows(by_body(), begin, id, id)
        self.assertEqual(made, self.client.get(id))

    def test_a_resource_that_is_being_changed_says_so(self):
        id = resource_id("changed")
        self.client.put(id, log_group("changed")).wait()
        self.slow()
        begin = lambda client: client.put(id, log_group("changed", 14), headers=ASYNC)
        made = self.follows(by_body(), begin, id, id)
        self.assertEqual(made.properties["RetentionInDays"], 14)

    def test_a_create_that_goes_on_is_201(self):
        self.slow()
        self.client.put(resource_id("new"), log_group("new"), headers=ASYNC).wait()
        self.is_under_way(self.client.sent[0], [201])

    def test_an_action_ends_with_the_resource_of_its_result_url(self):
        self.slow()
        reference = reference_id("action")
        for more in [{}, {"trackedBy": reference}]:
            client = Client()
            put = {"properties": {"CidrBlock": "10.9.0.0/16"}, **more}
            begin = lambda it: it.begin("POST", f"{VPCS}/:put", put, headers=ASYNC)
            with self.aws_writes(1):
                made = self.follows(client, begin, STATUSES, RESULTS)
            self.is_under_way(client.sent[0], [202])
            self.assertEqual(client.sent[0].response.content, b"")
            self.assertEqual(made["id"], f"{VPCS}/{made['name']}")
            self.assertEqual(made["properties"]["CidrBlock"], "10.9.0.0/16")
            self.assertIn(made["name"], stored("AWS::EC2::VPC"))
            self.assertEqual(made.get("trackedBy"), more.get("trackedBy"))
        client = by_location()
        begin = lambda it: it.begin("POST", f"{VPCS}/:delete", {"trackedBy": reference}, ASYNC)
        self.follows(client, begin, RESULTS, RESULTS)
        self.assertFalse(client.exists(reference))

    def test_an_action_that_ends_in_time_leaves_nothing_to_poll(self):
        put = log_group("at-once")
        poller = self.client.begin("POST", f"{LOG_GROUPS}/:put", put)
        self.assertTrue(poller.done())
        self.assertEqual(poller.result()["name"], "at-once")
        with self.aws_writes(0):
            self.client.begin("POST", f"{LOG_GROUPS}/:put", put).wait()
        got = self.client.send("POST", f"{LOG_GROUPS}/:get", put)
        self.assertEqual(got.json()["id"], resource_id("at-once"))
        for _ in range(2):
            self.client.begin("POST", f"{LOG_GROUPS}/:delete", put).wait()
        answers = [201, 200, 200, 200, 204]
        self.assertEqual([one.status for one in self.client.sent], answers)

    def test_an_action_needs_no_api_version(self):
        for params in [{}, {"api-version": "2023-10-01"}]:
            answer = self.client.send("POST", f"{LOG_GROUPS}/:get", log_group("no"), params)
            self.assertEqual(answer.status_code, 404)
        answer = self.client.send("POST", f"{LOG_GROUPS}/:get", {}, {"api-version": "x"})
        self.assertEqual(answer.json()["error"]["code"], "InvalidApiVersionParameter")

    def test_all_pages_of_a_collection_hold_each_resource_once(self):
        names = [f"page-{number:02}" for number in range(7)]
        for name in names:
            self.client.put(resource_id(name), log_group(name)).wait()
        sizes = []

        def fetch(link):
            params = {"$top": "3"} if link is None else {}
            answer = self.client.send("GET", link or LOG_GROUPS, params=params)
            answer.raise_for_status()
            return answer.json()

        def read(page):
            sizes.append(len(page["value"]))
            link = page.get("nextLink")
            self.assertTrue(link is None or link.startswith(URL), link)
            return link, page["value"]

        listed = [one["name"] for one in ItemPaged(fetch, read)]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual([name for name in listed if name in names], names)
        self.assertTrue(len(sizes) > 2 and max(sizes) == 3, sizes)


if __name__ == "__main__":
    main()
