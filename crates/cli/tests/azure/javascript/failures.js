// Writes that fail at AWS, as each way of polling sees them, and what clients repeat by themselves.
"use strict";

const {
  ACCOUNT,
  ASYNC,
  Client,
  SECONDS,
  assert,
  awsWrites,
  byBody,
  byLocation,
  fault,
  logGroup,
  referenceId,
  refused,
  resourceId,
  run,
  says,
  show,
  slow,
  soon,
  statuses,
  stored,
  vpc,
} = require("./arm.js");

const VPC = "AWS::EC2::VPC";
const ACTION = `${ACCOUNT}/providers/AWS.EC2/VPC/:put`;
const DENIED = { effect: "fail", code: "AccessDenied", message: "not for you" };
const CLIENTS = { status: () => new Client(), result: () => byLocation(), body: () => byBody() };
const begun = says(ASYNC, { updateIntervalInMs: 200 });

/** Begins one write for each way of polling; gives what comes of it: way, client, error. */
async function fails(wrong, begin, ways = Object.keys(CLIENTS)) {
  await slow("300ms");
  await fault({ times: ways.length, ...wrong });
  const each = ways.map(async (way) => {
    const client = CLIENTS[way]();
    const follow = async () => (await begin(client, way)).pollUntilDone();
    const failed = await soon(() => follow().then(() => undefined, (error) => error));
    assert.ok(failed, `${way}: it does not fail`);
    return [way, client, failed];
  });
  return Promise.all(each);
}

/** A poller tells the error of a status in its message, and the error of a result as it is. */
function isDenied(way, error) {
  assert.match(error.message, /not for you/);
  if (way === "status") return assert.match(error.message, /AccessDenied/);
  return assert.deepEqual([error.statusCode, error.code], [403, "AccessDenied"]);
}

run({
  async "a create that fails is an error of every poller"() {
    const begin = (client, way) => client.put(referenceId(`c-${way}`), vpc(), begun);
    for (const [way, client, error] of await fails({ operation: "CreateResource", ...DENIED }, begin)) {
      if (way === "body") {
        // The alias is free again: there is nothing left that could tell why.
        assert.deepEqual([error.statusCode, error.code], [404, "ResourceNotFound"]);
      } else {
        isDenied(way, error);
      }
      assert.equal(client.sent.filter(({ method }) => method === "PUT").length, 1);
      // It is not stuck.
      const again = await new Client().put(referenceId(`c-${way}`), vpc());
      assert.equal((await again.pollUntilDone()).properties.provisioningState, "Succeeded");
    }
  },

  async "an update that fails is an error of every poller"() {
    const made = {};
    for (const way of Object.keys(CLIENTS)) {
      made[way] = (await new Client().put(referenceId(`u-${way}`), vpc())).getResult();
    }
    const change = vpc({ EnableDnsSupport: true });
    const begin = (client, way) => client.put(referenceId(`u-${way}`), change, begun);
    for (const [way, client, error] of await fails({ operation: "UpdateResource", ...DENIED }, begin)) {
      if (way === "body") {
        const last = client.sent.at(-1).json();
        assert.equal(last.properties.provisioningState, "Failed");
        assert.equal(last.lastOperation.error.code, "AccessDenied");
      } else {
        isDenied(way, error);
      }
      const there = await client.get(referenceId(`u-${way}`));
      assert.deepEqual(there.mapsTo, made[way].mapsTo);
      assert.equal(there.properties.EnableDnsSupport, undefined);
    }
  },

  async "a create that leaves something behind is an error of every poller"() {
    const begin = (client, way) => client.put(referenceId(`l-${way}`), vpc(), begun);
    const wrong = { operation: "CreateResource", withIdentifier: true, ...DENIED };
    for (const [way, client] of await fails(wrong, begin)) {
      const there = await client.get(referenceId(`l-${way}`));
      assert.equal(there.properties.provisioningState, "Failed");
      assert.ok((await stored(VPC)).has(there.mapsTo.primaryIdentifier));
      // What is there is taken, not made again.
      const again = await awsWrites(0, () => new Client().put(referenceId(`l-${way}`), vpc()));
      assert.deepEqual(again.getResult().mapsTo, there.mapsTo);
    }
  },

  async "a delete that fails is an error of every poller"() {
    const ways = ["status", "result"];
    for (const way of ways) await new Client().put(referenceId(`d-${way}`), vpc());
    const begin = (client, way) => client.delete(referenceId(`d-${way}`), begun);
    const ended = await fails({ operation: "DeleteResource", ...DENIED }, begin, ways);
    for (const [way, client, error] of ended) {
      isDenied(way, error);
      assert.equal(await client.exists(referenceId(`d-${way}`)), true);
    }
  },

  async "an AWS resource that fails is an error of every poller"() {
    const begin = (client, way) => client.put(resourceId(`r-${way}`), logGroup(`r-${way}`), begun);
    const wrong = { operation: "CreateResource", ...DENIED };
    for (const [way, client, error] of await fails(wrong, begin, ["status", "result"])) {
      isDenied(way, error);
      assert.equal(await client.exists(resourceId(`r-${way}`)), false);
    }
  },

  async "an action that fails is an error of every poller"() {
    const begin = (client) => client.begin("POST", ACTION, { body: vpc(), headers: ASYNC });
    const wrong = { operation: "CreateResource", ...DENIED };
    for (const [way, , error] of await fails(wrong, begin, ["status", "result"])) {
      isDenied(way, error);
    }
  },

  async "a failure is the same at once, by status and by result"() {
    const id = referenceId("alike");
    const client = new Client();
    await fault({ operation: "CreateResource", ...DENIED });
    const told = await refused(403, "AccessDenied", () => client.put(id, vpc()));
    assert.deepEqual(statuses(client), [403], show(client.sent));
    const begin = (it) => it.put(id, vpc(), begun);
    const wrong = { operation: "CreateResource", ...DENIED };
    const [[, later]] = await fails(wrong, begin, ["status"]);
    const status = later.sent.at(-1).json();
    assert.equal(status.status, "Failed");
    assert.equal(status.properties, undefined);
    const result = await later.send("GET", later.sent[0].headers.location, { query: "" });
    assert.equal(result.status, 403);
    assert.deepEqual(result.json().error, status.error);
    assert.deepEqual([told.code, told.details.error.message], [status.error.code, status.error.message]);
  },

  async "a read that AWS throttles is repeated when the server says"() {
    const id = resourceId("throttled");
    await new Client().put(id, logGroup("throttled"));
    await fault({
      operation: "GetResource",
      effect: "exception",
      exception: "ThrottlingException",
    });
    const client = new Client();
    assert.equal((await soon(() => client.get(id))).name, "throttled");
    assert.deepEqual(statuses(client), [429, 200]);
    assert.match(client.sent[0].headers["retry-after"], SECONDS);
  },

  async "a put that the client repeats by itself makes one resource"() {
    const before = await stored(VPC);
    await fault({ operation: "CreateResource", effect: "fail", code: "GeneralServiceException" });
    const client = new Client();
    const made = (await client.put(referenceId("repeated"), vpc())).getResult();
    assert.deepEqual(statuses(client), [502, 201]);
    const fresh = [...(await stored(VPC)).keys()].filter((identifier) => !before.has(identifier));
    assert.deepEqual(fresh, [made.mapsTo.primaryIdentifier]);
  },

  async "an action that fails is not repeated by the client"() {
    const code = "GeneralServiceException";
    await fault({ operation: "CreateResource", effect: "fail", code, withIdentifier: true });
    const before = await stored(VPC);
    const client = new Client();
    const answer = await client.send("POST", ACTION, { body: vpc() });
    // The status would be one that the client repeats: the operation's own URL tells the failure.
    assert.equal(answer.status, 202);
    assert.equal((await stored(VPC)).size - before.size, 1);
    assert.equal(client.sent.length, 1);
  },
});
