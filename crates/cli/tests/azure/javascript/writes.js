// References by id: what each write answers, and what it does to AWS.
"use strict";

const {
  ASYNC,
  Client,
  RESULTS,
  RUNNING,
  STATUSES,
  VERSION,
  assert,
  awsWrites,
  byLocation,
  follows,
  isAtOnce,
  isUnderWay,
  referenceId,
  refused,
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

/** A reference that is there already, and its id. */
async function made(alias, properties) {
  const id = referenceId(alias);
  const poller = await new Client().put(id, vpc(properties));
  return [id, await poller.pollUntilDone()];
}

run({
  async "a create that ends in time is 201 and leaves nothing to poll"() {
    const client = new Client();
    const id = referenceId("create");
    const poller = await awsWrites(1, () => client.put(id, vpc()));
    assert.ok(poller.isDone());
    assert.deepEqual(statuses(client), [201], show(client.sent));
    isAtOnce(client.sent[0]);
    const made = poller.getResult();
    assert.deepEqual([made.id, made.name, made.type], [id, "create", "AWS.EC2/VPC:reference"]);
    assert.equal(made.properties.CidrBlock, "10.0.0.0/16");
    assert.equal(made.properties.provisioningState, "Succeeded");
    assert.deepEqual(made, await client.get(id));
    assert.ok((await stored(VPC)).has(made.mapsTo.primaryIdentifier));
  },

  async "a create that goes on is 201 in a state that is not final"() {
    const client = new Client();
    const id = referenceId("long");
    await slow("1500ms");
    const made = await awsWrites(1, () =>
      soon(async () => {
        const poller = await client.put(id, vpc(), says(ASYNC));
        isUnderWay(client.sent[0], [201]);
        assert.ok(RUNNING.includes(client.sent[0].json().properties.provisioningState));
        const seen = await new Client().get(id);
        assert.ok(RUNNING.includes(seen.properties.provisioningState));
        assert.ok(!poller.isDone());
        return poller.pollUntilDone();
      }),
    );
    assert.equal(made.properties.provisioningState, "Succeeded");
    assert.deepEqual(made, await client.get(id));
  },

  async "a put that changes nothing is 200 without a write of AWS"() {
    const client = new Client();
    const [id, first] = await made("same");
    const poller = await awsWrites(0, () => client.put(id, vpc()));
    assert.ok(poller.isDone());
    assert.deepEqual(statuses(client), [200], show(client.sent));
    isAtOnce(client.sent[0]);
    assert.deepEqual(poller.getResult().properties, first.properties);
    assert.equal(poller.getResult().etag, first.etag);
  },

  async "an update is 200 and changes the resource that is there"() {
    const client = new Client();
    const [id, first] = await made("update");
    const poller = await awsWrites(1, () => client.put(id, vpc({ EnableDnsHostnames: true })));
    assert.deepEqual(statuses(client), [200], show(client.sent));
    isAtOnce(client.sent[0]);
    const changed = poller.getResult();
    assert.equal(changed.properties.EnableDnsHostnames, true);
    assert.deepEqual(changed.mapsTo, first.mapsTo);
    assert.notEqual(changed.etag, first.etag);
    const there = (await stored(VPC)).get(first.mapsTo.primaryIdentifier);
    assert.equal(there.EnableDnsHostnames, true);
  },

  async "an update that goes on is 200 in a state that is not final"() {
    const client = new Client();
    const [id] = await made("update-long");
    await slow();
    const changed = await awsWrites(1, () =>
      soon(async () => {
        const poller = await client.put(id, vpc({ EnableDnsHostnames: true }), says(ASYNC));
        isUnderWay(client.sent[0], [200]);
        assert.ok(RUNNING.includes(client.sent[0].json().properties.provisioningState));
        return poller.pollUntilDone();
      }),
    );
    assert.equal(changed.properties.EnableDnsHostnames, true);
  },

  async "what was got can be put back and is no change"() {
    const client = new Client();
    const [id] = await made("back", { EnableDnsSupport: true });
    const got = await client.get(id);
    const same = await awsWrites(0, () => client.put(id, got));
    assert.equal(same.getResult().etag, got.etag);
    got.properties.EnableDnsSupport = false;
    const changed = await awsWrites(1, () => client.put(id, got));
    assert.equal(changed.getResult().properties.EnableDnsSupport, false);
  },

  async "a patch merges properties"() {
    const client = new Client();
    const [id, first] = await made("patch", { EnableDnsSupport: true });
    const change = { properties: { EnableDnsHostnames: true } };
    const poller = await awsWrites(1, () => client.patch(id, change));
    assert.deepEqual(statuses(client), [200], show(client.sent));
    isAtOnce(client.sent[0]);
    const patched = poller.getResult();
    assert.deepEqual(patched.mapsTo, first.mapsTo);
    assert.equal(patched.properties.EnableDnsSupport, true);
    assert.equal(patched.properties.EnableDnsHostnames, true);
    const again = await awsWrites(0, () => client.patch(id, change));
    assert.equal(again.getResult().etag, patched.etag);
  },

  async "a patch that goes on is 202 without a body"() {
    const [id, first] = await made("patch-long");
    await slow();
    for (const [client, path, EnableDnsHostnames] of [
      [new Client(), STATUSES, true],
      [byLocation(), RESULTS, false],
    ]) {
      const begin = (it) => it.patch(id, { properties: { EnableDnsHostnames } }, says(ASYNC));
      const patched = await awsWrites(1, () => follows(client, begin, path, RESULTS));
      isUnderWay(client.sent[0], [202]);
      assert.equal(client.sent[0].text, "");
      assert.equal(patched.properties.EnableDnsHostnames, EnableDnsHostnames);
      assert.deepEqual([patched.id, patched.mapsTo], [id, first.mapsTo]);
    }
  },

  async "a patch of nothing is 404"() {
    const client = new Client();
    for (const headers of [{}, { "If-Match": "*" }]) {
      const nothing = () => client.patch(referenceId("nothing"), vpc(), says(headers));
      await awsWrites(0, () => refused(404, "ResourceNotFound", nothing));
    }
  },

  async "a write while another runs is 409 and sent once"() {
    const id = referenceId("busy");
    await slow("1500ms");
    await awsWrites(1, async () => {
      const running = await new Client().put(id, vpc(), says(ASYNC));
      for (const write of [
        (client) => client.put(id, vpc({ EnableDnsSupport: true })),
        (client) => client.put(id, vpc()),
        (client) => client.patch(id, vpc({ EnableDnsSupport: true })),
        (client) => client.delete(id),
      ]) {
        const client = new Client();
        await refused(409, "Conflict", () => write(client));
        assert.deepEqual(statuses(client), [409], show(client.sent));
        assert.equal(client.sent[0].headers["retry-after"], undefined);
      }
      const made = await running.pollUntilDone();
      assert.equal(made.properties.EnableDnsSupport, undefined);
    });
  },

  async "a delete is 200 and 204 when there is nothing left"() {
    const client = new Client();
    const [id, first] = await made("delete");
    await awsWrites(1, async () => {
      for (const _ of [1, 2]) assert.ok((await client.delete(id)).isDone());
    });
    assert.deepEqual(statuses(client), [200, 204], show(client.sent));
    assert.equal(client.sent[1].text, "");
    assert.ok(!(await stored(VPC)).has(first.mapsTo.primaryIdentifier));
    await refused(404, "ResourceNotFound", () => client.get(id));
  },

  async "a delete that goes on is 202 without a body"() {
    const client = new Client();
    const [id] = await made("delete-long");
    await slow("1500ms");
    await awsWrites(1, () =>
      soon(async () => {
        const poller = await client.delete(id, says(ASYNC));
        isUnderWay(client.sent[0], [202]);
        assert.equal(client.sent[0].text, "");
        assert.equal(await client.exists(id), true);
        await poller.pollUntilDone();
      }),
    );
    assert.equal(await client.exists(id), false);
  },

  async "existence is 204 or 404"() {
    const client = new Client();
    const [id] = await made("exists");
    assert.equal(await client.exists(id), true);
    assert.equal(await client.exists(referenceId("absent")), false);
    assert.deepEqual(statuses(client), [204, 404]);
  },

  async "a condition that is not met is 412 and writes nothing"() {
    const client = new Client();
    const [id, { etag }] = await made("tagged");
    assert.equal((await client.get(id)).etag, etag);
    assert.equal(client.sent[0].headers.etag, etag);
    const absent = referenceId("never");
    await awsWrites(0, async () => {
      for (const [target, condition] of [
        [id, { "If-Match": '"another"' }],
        [id, { "If-None-Match": "*" }],
        [absent, { "If-Match": "*" }],
        [absent, { "If-Match": etag }],
      ]) {
        const put = () => client.put(target, vpc({ EnableDnsSupport: true }), says(condition));
        await refused(412, "PreconditionFailed", put);
      }
      const other = says({ "If-Match": '"another"' });
      await refused(412, "PreconditionFailed", () => client.patch(id, vpc(), other));
      await refused(412, "PreconditionFailed", () => client.delete(id, other));
      await client.delete(absent, says({ "If-Match": etag }));
      assert.equal(statuses(client).at(-1), 204);
    });
    assert.equal(await client.exists(absent), false);
  },

  async "a condition that is met changes nothing"() {
    const client = new Client();
    const id = referenceId("met");
    const first = await client.put(id, vpc(), says({ "If-None-Match": "*" }));
    const same = says({ "If-Match": first.getResult().etag });
    const changed = await client.put(id, vpc({ EnableDnsSupport: true }), same);
    assert.notEqual(changed.getResult().etag, first.getResult().etag);
    await client.delete(id, says({ "If-Match": changed.getResult().etag }));
    assert.equal(await client.exists(id), false);
  },

  async "an api-version is asked for and read"() {
    const client = new Client();
    const id = referenceId("versions");
    for (const version of ["yesterday", "2023-13-99x", "2023-10-01-final"]) {
      const put = () => client.put(id, vpc(), undefined, version);
      await refused(400, "InvalidApiVersionParameter", put);
    }
    const answer = await client.send("PUT", id, { body: vpc(), query: "" });
    assert.equal(answer.status, 400);
    assert.equal(answer.json().error.code, "MissingApiVersionParameter");
    for (const version of ["2023-10-01", "2031-01-31-preview"]) {
      await client.put(id, vpc(), undefined, version);
    }
  },

  async "ids come back in the case that they were made with"() {
    const client = new Client();
    const [id, first] = await made("MyNet");
    const other = id.replace("MyNet", "mYnET").replace("claims", "CLAIMS").replace("EC2", "ec2");
    assert.deepEqual(await client.get(other), first);
    const again = await awsWrites(0, () => client.put(other, vpc()));
    assert.equal(again.getResult().id, id);
    await client.delete(other);
    assert.equal(await client.exists(id), false);
  },

  async "a mistake is told with its place"() {
    const client = new Client();
    const wrong = { properties: { CidrBlok: "10.0.0.0/16" } };
    const put = () => client.put(referenceId("wrong"), wrong);
    const error = await awsWrites(0, () => refused(400, "InvalidProperties", put));
    const { details } = error.details.error;
    assert.ok(details.every((one) => one.code && one.message));
    assert.ok(details.some((one) => one.target === "/CidrBlok"), JSON.stringify(details));
  },

  async "a group that is not there is 404"() {
    const put = () => new Client().put(referenceId("net", "nowhere"), vpc());
    await refused(404, "ResourceGroupNotFound", put);
  },

  async "requests have ids of their own and keep the caller's"() {
    const client = new Client();
    const [id] = await made("ids");
    const correlation = { "x-ms-correlation-request-id": "the-callers" };
    for (const _ of [1, 2]) await client.get(id, says(correlation));
    const [first, second] = client.sent.map(({ headers }) => headers);
    assert.notEqual(first["x-ms-request-id"], second["x-ms-request-id"]);
    assert.equal(second["x-ms-correlation-request-id"], "the-callers");
    assert.equal(second["x-ms-client-request-id"], undefined);
    await client.get(id, says({ "x-ms-return-client-request-id": "true" }));
    const { asked, headers } = client.sent[2];
    assert.equal(headers["x-ms-client-request-id"], asked["x-ms-client-request-id"]);
  },

  async "the version of a call is the version of its polling URLs"() {
    const client = new Client();
    await slow("50ms");
    await (await client.put(referenceId("kept"), vpc(), says(ASYNC))).pollUntilDone();
    for (const name of ["azure-asyncoperation", "location"]) {
      assert.match(client.sent[0].headers[name], new RegExp(`api-version=${VERSION}`));
    }
  },
});
