"""How a write that goes on is followed: by its status, by its result, by the resource itself."""

from azure.core.polling import NoPolling

from arm import (
    ASYNC,
    RESULTS,
    RUNNING,
    STATUSES,
    STATUS_URL,
    URL,
    Claims,
    Client,
    by_body,
    by_location,
    control,
    group_body,
    main,
    reference_id,
    vpc,
)


class Polling(Claims):
    def setUp(self):
        super().setUp()
        self.slow()

    def test_a_status_url_is_enough(self):
        id = reference_id("status")
        made = self.follows(self.client, lambda it: it.put(id, vpc(), headers=ASYNC), STATUSES, id)
        self.assertEqual(made, self.client.get(id))
        self.assertEqual({one.status for one in self.client.sent[1:]}, {200})
        for running in self.client.sent[1:-3]:
            self.assertRegex(running.headers["Retry-After"], "^([1-9]|10)$")

    def test_a_result_url_is_enough(self):
        id = reference_id("result")
        for put in [vpc(), vpc(EnableDnsSupport=True)]:
            client = by_location()
            begin = lambda it: it.put(id, put, headers=ASYNC)
            made = self.follows(client, begin, RESULTS, RESULTS)
            self.assertEqual(made, client.get(id))
            self.assertEqual({one.status for one in client.sent[1:-2]}, {202})
            for running in client.sent[1:-2]:
                self.assertEqual(running.response.content, b"")
                self.assertRegex(running.headers["Retry-After"], "^([1-9]|10)$")
                self.assertTrue(running.headers["Location"].startswith(URL + RESULTS))
        client = by_location()
        self.assertIsNone(
            self.follows(client, lambda it: it.delete(id, headers=ASYNC), RESULTS, RESULTS)
        )
        self.assertIn(client.sent[-1].status, [200, 204])
        self.assertFalse(client.exists(id))

    def test_the_resource_is_enough(self):
        id = reference_id("body")
        for put in [vpc(), vpc(EnableDnsSupport=True)]:
            client = by_body()
            made = self.follows(client, lambda it: it.put(id, put, headers=ASYNC), id, id)
            self.assertEqual(made.properties["provisioningState"], "Succeeded")
            for name, value in put["properties"].items():
                self.assertEqual(made.properties[name], value)

    def test_a_poller_goes_on_in_another_client(self):
        id = reference_id("token")
        with self.aws_writes(1):
            first = self.client.put(id, vpc(), headers=ASYNC, polling=True)
            token = first.continuation_token()
            other = Client()
            poller = other.put(None, None, continuation_token=token)
            made = poller.result()
            first.wait()
        self.assertEqual({one.method for one in other.sent}, {"GET"})
        self.assertEqual(made, other.get(id))
        # And long after the end.
        late = Client().put(None, None, continuation_token=token)
        self.assertEqual(late.result(), made)

    def test_a_status_moves_only_forward_and_its_end_stays(self):
        order = ["Accepted", "Creating", "Succeeded"]
        first = self.client.put(reference_id("forward"), vpc(), headers=ASYNC, polling=False)
        self.assertIsInstance(first.polling_method(), NoPolling)
        url = self.client.sent[0].headers[STATUS_URL]
        seen = []
        while not seen or seen[-1]["status"] in RUNNING:
            answer = self.client.send("GET", url, params={})
            self.assertEqual(answer.status_code, 200)
            seen.append(answer.json())
        ranks = [order.index(one["status"]) for one in seen]
        self.assertEqual(ranks, sorted(ranks))
        percents = [one["percentComplete"] for one in seen]
        self.assertEqual(percents, sorted(percents))
        events = [len(one["events"]) for one in seen]
        self.assertEqual(events, sorted(events))
        end = seen[-1]
        self.assertEqual({one["id"] for one in seen}, {end["id"]})
        self.assertTrue(end["id"].endswith(f"/{end['name']}"))
        self.assertEqual({one["startTime"] for one in seen}, {end["startTime"]})
        self.assertTrue(all("endTime" not in one for one in seen[:-1]))
        self.assertGreaterEqual(end["endTime"], end["startTime"])
        self.assertNotIn("error", end)
        for _ in range(3):
            self.assertEqual(self.client.send("GET", url, params={}).json(), end)

    def test_a_cancelled_write_ends_a_poller_with_an_error(self):
        id = reference_id("cancelled")
        control("settings", {"latency": "0..0"})
        self.client.put(id, vpc()).wait()
        control("settings", {"latency": "60s..60s"})
        client = Client()
        poller = client.put(id, vpc(EnableDnsSupport=True), headers=ASYNC)
        operation = client.sent[0].headers[STATUS_URL].partition("?")[0].removeprefix(URL)
        self.assertEqual(self.client.send("POST", f"{operation}/cancel").status_code, 202)
        # In any other spelling the poller would wait for ever.
        with self.refused(200, "OperationCanceled"):
            poller.wait(10)
        self.assertEqual(poller.status(), "Canceled")

    def test_a_forged_host_is_refused_and_other_names_of_it_are_not_believed(self):
        self.client.groups.create_or_update("forged", group_body())
        begun = []
        for number, (name, value) in enumerate(
            [
                ("Referer", "https://evil.example/x"),
                ("Forwarded", "host=evil.example;proto=https"),
                ("X-Forwarded-Host", "evil.example"),
                ("X-Original-Host", "evil.example"),
            ]
        ):
            client = Client()
            id = reference_id(f"net-{number}", group="forged")
            begun.append(client.put(id, vpc(), headers={name: value, **ASYNC}))
            self.is_under_way(client.sent[0], [201])
            client = Client()
            next(client.groups.list(top=1, headers={name: value}).by_page())
            self.assertTrue(client.sent[-1].json()["nextLink"].startswith(URL))
        for poller in begun:
            poller.wait()
        with self.aws_writes(0), self.refused(421, "MisdirectedRequest"):
            self.client.put(reference_id("evil"), vpc(), headers={"Host": "evil.example"})
        self.assertEqual(self.client.sent[-1].headers.get(STATUS_URL), None)
        self.assertFalse(Client().exists(reference_id("evil")))


if __name__ == "__main__":
    main()
