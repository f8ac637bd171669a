// AWS resources by id, without a reference, and the actions on their collections.
"use strict";

const {
  ACCOUNT,
  ASYNC,
  Client,
  RESULTS,
  STATUSES,
  URL,
  assert,
  awsWrites,
  byBody,
  byLocation,
  follows,
  isAtOnce,
  isUnderWay,
  logGroup,
  referenceId,
  refused,
  resourceId,
  run,
  says,
  show,
  slow,
  statuses,
  stored,
} = require("./arm.js");

const LOG_GROUPS = `${ACCOUNT}/providers/AWS.Logs/LogGroup`;
const VPCS = `${ACCOUNT}/providers/AWS.EC2/VPC`;
const often = says(ASYNC, { updateIntervalInMs: 200 });

run({
  async "a resource lives as a reference does"() {
    const client = new Client();
    const id = resourceId("life");
    const put = async (days) => (await client.put(id, logGroup("life", days))).getResult();
    const made = await awsWrites(1, () => put(7));
    assert.deepEqual([made.id, made.name, made.type], [id, "life", "AWS.Logs/LogGroup"]);
    assert.equal(made.properties.RetentionInDays, 7);
    assert.equal(made.properties.provisioningState, "Succeeded");
    assert.deepEqual(await client.get(id), made);
    assert.deepEqual(await awsWrites(0, () => put(7)), made);
    const changed = await awsWrites(1, () => put(14));
    assert.equal(changed.properties.RetentionInDays, 14);
    assert.equal((await stored("AWS::Logs::LogGroup")).get("life").RetentionInDays, 14);
    assert.equal(await client.exists(id), true);
    await awsWrites(1, () => client.delete(id));
    await client.delete(id);
    assert.equal(await client.exists(id), false);
    await refused(404, "ResourceNotFound", () => client.get(id));
    assert.deepEqual(statuses(client), [201, 200, 200, 200, 204, 200, 204, 404, 404]);
    client.sent.forEach(isAtOnce);
  },

  async "a patch merges properties"() {
    const client = new Client();
    const id = resourceId("patched");
    await refused(404, "ResourceNotFound", () => client.patch(id, logGroup("patched")));
    const made = (await client.put(id, logGroup("patched"))).getResult();
    const change = { properties: { RetentionInDays: 14 } };
    const patched = (await awsWrites(1, () => client.patch(id, change))).getResult();
    assert.deepEqual(patched.properties, { ...made.properties, RetentionInDays: 14 });
    await slow();
    const later = new Client();
    const begin = (it) => it.patch(id, { properties: { RetentionInDays: 30 } }, says(ASYNC));
    const ended = await follows(later, begin, STATUSES, RESULTS);
    isUnderWay(later.sent[0], [202]);
    assert.deepEqual([ended.id, ended.properties.RetentionInDays], [id, 30]);
  },

  async "identifiers keep their case"() {
    const client = new Client();
    for (const name of ["Cased", "cased"]) await client.put(resourceId(name), logGroup(name));
    for (const name of ["Cased", "cased"]) {
      assert.equal((await client.get(resourceId(name))).name, name);
    }
    await client.delete(resourceId("Cased"));
    assert.equal(await client.exists(resourceId("cased")), true);
  },

  async "an identifier with slashes is one segment"() {
    const client = new Client();
    const id = resourceId("%2Faws%2Flambda%2Ff");
    const made = (await client.put(id, logGroup("/aws/lambda/f"))).getResult();
    assert.deepEqual([made.id, made.name], [id, "/aws/lambda/f"]);
    assert.deepEqual(await client.get(made.id), made);
    await client.delete(made.id);
    assert.equal(await client.exists(id), false);
  },

  async "a write while another runs is 409 and sent once"() {
    const id = resourceId("busy");
    await slow("1500ms");
    await awsWrites(1, async () => {
      const running = await new Client().put(id, logGroup("busy"), says(ASYNC));
      for (const write of [
        (client) => client.put(id, logGroup("busy", 14)),
        (client) => client.delete(id),
      ]) {
        const client = new Client();
        await refused(409, "Conflict", () => write(client));
        assert.deepEqual(statuses(client), [409], show(client.sent));
        assert.equal(client.sent[0].headers["retry-after"], undefined);
      }
      assert.equal((await running.pollUntilDone()).properties.RetentionInDays, 7);
    });
  },

  async "a write that goes on is followed by status and by result"() {
    await slow();
    for (const [name, client, path] of [
      ["s", new Client(), STATUSES],
      ["r", byLocation(), RESULTS],
    ]) {
      const id = resourceId(`followed-${name}`);
      const begin = (it) => it.put(id, logGroup(`followed-${name}`), says(ASYNC));
      const made = await follows(client, begin, path, path === STATUSES ? id : path);
      assert.equal(made.id, id);
      assert.deepEqual(made, await client.get(id));
    }
  },

  async "a resource that is being made can be asked for"() {
    await slow();
    const id = resourceId("made");
    const begin = (client) => client.put(id, logGroup("made"), often);
    const made = await follows(byBody(), begin, id, id);
    assert.deepEqual(made, await new Client().get(id));
  },

  async "a resource that is being changed says so"() {
    const id = resourceId("changed");
    await new Client().put(id, logGroup("changed"));
    await slow();
    const begin = (client) => client.put(id, logGroup("changed", 14), often);
    const made = await follows(byBody(), begin, id, id);
    assert.equal(made.properties.RetentionInDays, 14);
  },

  async "a create that goes on is 201"() {
    const client = new Client();
    await slow();
    await (await client.put(resourceId("new"), logGroup("new"), says(ASYNC))).pollUntilDone();
    isUnderWay(client.sent[0], [201]);
  },

  async "an action ends with the resource of its result URL"() {
    await slow();
    const reference = referenceId("action");
    for (const [more, kind] of [
      [{}, "begin"],
      [{ trackedBy: reference }, "begin"],
      [{}, "beginWithThree"],
    ]) {
      const client = new Client();
      const body = { properties: { CidrBlock: "10.9.0.0/16" }, ...more };
      const begin = (it) => it[kind]("POST", `${VPCS}/:put`, { body, headers: ASYNC });
      const made = await awsWrites(1, () => follows(client, begin, STATUSES, RESULTS));
      isUnderWay(client.sent[0], [202]);
      assert.equal(client.sent[0].text, "");
      assert.equal(made.id, `${VPCS}/${made.name}`);
      assert.equal(made.properties.CidrBlock, "10.9.0.0/16");
      assert.ok((await stored("AWS::EC2::VPC")).has(made.name));
      assert.equal(made.trackedBy, more.trackedBy);
    }
    const client = byLocation();
    const body = { trackedBy: reference };
    const begin = (it) => it.begin("POST", `${VPCS}/:delete`, { body, headers: ASYNC });
    await follows(client, begin, RESULTS, RESULTS);
    assert.equal(await client.exists(reference), false);
  },

  async "an action that ends in time leaves nothing to poll"() {
    const client = new Client();
    const body = logGroup("at-once");
    const poller = await client.begin("POST", `${LOG_GROUPS}/:put`, { body });
    assert.ok(poller.isDone());
    assert.equal(poller.getResult().name, "at-once");
    await awsWrites(0, () => client.begin("POST", `${LOG_GROUPS}/:put`, { body }));
    const got = await client.send("POST", `${LOG_GROUPS}/:get`, { body });
    assert.equal(got.json().id, resourceId("at-once"));
    for (const _ of [1, 2]) await client.begin("POST", `${LOG_GROUPS}/:delete`, { body });
    assert.deepEqual(statuses(client), [201, 200, 200, 200, 204]);
  },

  async "all pages of a collection hold each resource once"() {
    const client = new Client();
    const names = Array.from({ length: 7 }, (_, number) => `page-${number}`);
    for (const name of names) await client.put(resourceId(name), logGroup(name));
    const listed = [];
    const sizes = [];
    let link = `${URL}${LOG_GROUPS}?$top=3`;
    while (link) {
      assert.ok(link.startsWith(URL), link);
      const page = (await client.send("GET", link, { query: "" })).json();
      sizes.push(page.value.length);
      listed.push(...page.value.map(({ name }) => name));
      link = page.nextLink;
    }
    assert.equal(new Set(listed).size, listed.length);
    assert.deepEqual(listed.filter((name) => names.includes(name)), names);
    assert.ok(sizes.length > 2 && Math.max(...sizes) === 3, `${sizes}`);
  },
});
