// How a write that goes on is followed: by its status, by its result, by the resource itself, with
// the pollers of core-lro 2, which the SDK has, and of core-lro 3.
"use strict";

const {
  ASYNC,
  Client,
  RESULTS,
  RUNNING,
  SECONDS,
  STATUSES,
  STATUS_URL,
  URL,
  assert,
  awsWrites,
  byBody,
  byLocation,
  control,
  follows,
  groupBody,
  isUnderWay,
  referenceId,
  refused,
  run,
  says,
  slow,
  soon,
  statuses,
  vpc,
} = require("./arm.js");

const often = says(ASYNC, { updateIntervalInMs: 200 });

/** The two puts that make a reference and change it, each followed by a client of its own. */
async function makesAndChanges(alias, clientOf, options, path, last) {
  const id = referenceId(alias);
  const clients = [];
  for (const put of [vpc(), vpc({ EnableDnsSupport: true })]) {
    const client = clientOf();
    const begin = (it) => it.put(id, put, options);
    const made = await follows(client, begin, path ?? id, last ?? id);
    assert.equal(made.properties.provisioningState, "Succeeded");
    assert.equal(made.properties.EnableDnsSupport, put.properties.EnableDnsSupport);
    assert.deepEqual(made, await new Client().get(id));
    clients.push(client);
  }
  return [id, clients];
}

run({
  async "a status URL is enough"() {
    await slow();
    const clientOf = () => new Client();
    const [, clients] = await makesAndChanges("status", clientOf, says(ASYNC), STATUSES);
    for (const { sent } of clients) {
      for (const poll of sent.slice(1)) assert.equal(poll.status, 200);
      for (const poll of sent.slice(1, -2)) assert.match(poll.headers["retry-after"], SECONDS);
    }
  },

  async "a result URL is enough"() {
    await slow();
    const options = says(ASYNC);
    const [id, clients] = await makesAndChanges("result", byLocation, options, RESULTS, RESULTS);
    for (const { sent } of clients) {
      for (const poll of sent.slice(1, -1)) {
        assert.deepEqual([poll.status, poll.text], [202, ""]);
        assert.match(poll.headers["retry-after"], SECONDS);
        assert.ok(poll.headers.location.startsWith(URL + RESULTS));
      }
    }
    const client = byLocation();
    await follows(client, (it) => it.delete(id, says(ASYNC)), RESULTS, RESULTS);
    assert.ok([200, 204].includes(statuses(client).at(-1)));
    assert.equal(await client.exists(id), false);
  },

  async "the resource is enough"() {
    await slow();
    await makesAndChanges("body", byBody, often);
  },

  async "core-lro 3 follows as core-lro 2 does"() {
    await slow();
    for (const [way, client, path] of [
      ["status", new Client(), STATUSES],
      ["result", byLocation(), RESULTS],
      ["body", byBody(), undefined],
    ]) {
      const id = referenceId(`three-${way}`);
      const last = path === RESULTS ? RESULTS : id;
      const begin = (it) => it.beginWithThree("PUT", id, { body: vpc(), headers: ASYNC });
      const made = await follows(client, begin, path ?? id, last);
      assert.deepEqual(made, JSON.parse(JSON.stringify(await client.get(id))));
    }
  },

  async "a poller goes on in another client"() {
    await slow("1500ms");
    const id = referenceId("restored");
    const other = new Client();
    const [made, state] = await awsWrites(1, async () => {
      const first = await new Client().put(id, vpc(), says(ASYNC));
      assert.ok(!first.isDone());
      const state = first.toString();
      const restored = await other.put(id, vpc(), { resumeFrom: state });
      return [await restored.pollUntilDone(), state];
    });
    assert.ok(other.sent.length > 1 && other.sent.every(({ method }) => method === "GET"));
    assert.deepEqual(made, await other.get(id));
    // And long after the end.
    const late = await new Client().put(id, vpc(), { resumeFrom: state });
    assert.ok(late.isDone());
    assert.deepEqual(late.getResult(), made);
  },

  async "a status moves only forward and its end stays"() {
    await slow();
    const client = new Client();
    await client.put(referenceId("forward"), vpc(), says(ASYNC));
    const url = client.sent[0].headers[STATUS_URL];
    const seen = [];
    while (!seen.length || RUNNING.includes(seen.at(-1).status)) {
      const answer = await client.send("GET", url, { query: "" });
      assert.equal(answer.status, 200);
      seen.push(answer.json());
    }
    const forward = (numbers) => assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
    const order = ["Accepted", "Creating", "Succeeded"];
    assert.ok(seen.every(({ status }) => order.includes(status)));
    forward(seen.map(({ status }) => order.indexOf(status)));
    forward(seen.map(({ percentComplete }) => percentComplete));
    forward(seen.map(({ events }) => events.length));
    const end = seen.at(-1);
    assert.ok(seen.every(({ id, startTime }) => id === end.id && startTime === end.startTime));
    assert.ok(seen.slice(0, -1).every(({ endTime }) => endTime === undefined));
    for (const _ of [1, 2, 3]) {
      assert.deepEqual((await client.send("GET", url, { query: "" })).json(), end);
    }
  },

  async "a cancelled write ends a poller with an error"() {
    const id = referenceId("cancelled");
    await new Client().put(id, vpc());
    await slow("60s");
    const client = new Client();
    const poller = await client.put(id, vpc({ EnableDnsSupport: true }), says(ASYNC));
    const operation = client.sent[0].headers[STATUS_URL].split("?")[0];
    assert.equal((await new Client().send("POST", `${operation}/cancel`)).status, 202);
    await soon(() => assert.rejects(poller.pollUntilDone(), /cancel/));
    assert.equal(poller.getOperationState().status, "canceled");
    assert.equal(client.sent.at(-1).json().status, "Canceled");
    await control("settings", { latency: "0..0" });
  },

  async "a forged host is refused and other names of it are not believed"() {
    await slow();
    await new Client().groups.createOrUpdate("forged", groupBody());
    const forged = {
      Referer: "https://evil.example/x",
      Forwarded: "host=evil.example;proto=https",
      "X-Forwarded-Host": "evil.example",
      "X-Original-Host": "evil.example",
    };
    const begun = [];
    for (const [name, value] of Object.entries(forged)) {
      const client = new Client();
      const headers = { [name]: value };
      const id = referenceId(`net-${name}`, "forged");
      begun.push(await client.put(id, vpc(), says({ ...headers, ...ASYNC })));
      isUnderWay(client.sent[0], [201]);
      const pages = client.groups.list({ top: 1, ...says(headers) }).byPage();
      await pages.next();
      assert.ok(client.sent.at(-1).json().nextLink.startsWith(URL));
    }
    for (const poller of begun) await poller.pollUntilDone();
    const client = new Client();
    const evil = () => client.put(referenceId("evil"), vpc(), says({ Host: "evil.example" }));
    await awsWrites(0, () => refused(421, "MisdirectedRequest", evil));
    assert.equal(await new Client().exists(referenceId("evil")), false);
  },
});
