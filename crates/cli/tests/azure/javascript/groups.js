// Resource groups through the SDK's own operations for them, and lists in pages.
"use strict";

const { getContinuationToken } = require("@azure/arm-resources");
const {
  ASYNC,
  Client,
  URL,
  assert,
  awsWrites,
  byLocation,
  fault,
  groupBody,
  groupId,
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

/** A group with these references. */
async function made(name, ...aliases) {
  await new Client().groups.createOrUpdate(name, groupBody());
  for (const alias of aliases) await new Client().put(referenceId(alias, name), vpc());
  return name;
}

/** The names on each page. Each page but the last says where the next one is. */
async function pages(client, pager) {
  const before = client.sent.length;
  const found = [];
  for await (const page of pager.byPage()) found.push(page.map(({ name }) => name));
  const sent = client.sent.slice(before);
  assert.equal(sent.length, found.length);
  for (const one of sent.slice(0, -1)) assert.ok(one.json().nextLink.startsWith(`${URL}/`));
  assert.ok(!sent.at(-1).json().nextLink);
  return found;
}

run({
  async "a group is made, shown and changed"() {
    const client = new Client();
    const first = await client.groups.createOrUpdate("life", groupBody());
    assert.deepEqual([first.id, first.name], [groupId("life"), "life"]);
    assert.equal(first.type, "System.Resources/resourceGroups");
    assert.equal(first.location, "here");
    assert.equal(first.properties.provisioningState, "Succeeded");
    const shown = await client.groups.get("life");
    assert.deepEqual([shown.etag, shown.tags], [first.etag, undefined]);
    const tagged = groupBody({ tags: { team: "net" } });
    const changed = await client.groups.createOrUpdate("life", tagged);
    assert.deepEqual(changed.tags, { team: "net" });
    assert.notEqual(changed.etag, first.etag);
    const again = await client.groups.createOrUpdate("life", tagged);
    assert.equal(again.etag, changed.etag);
    assert.deepEqual(statuses(client), [201, 200, 200, 200]);
  },

  async "a group is there or not"() {
    const client = new Client();
    await made("There");
    assert.equal((await client.groups.checkExistence("there")).body, true);
    assert.equal((await client.groups.get("tHERE")).id, groupId("There"));
    assert.equal((await client.groups.checkExistence("gone")).body, false);
    await refused(404, "ResourceGroupNotFound", () => client.groups.get("gone"));
    const list = () => client.resources.listByResourceGroup("gone").next();
    await refused(404, "ResourceGroupNotFound", list);
  },

  async "conditions on a group hold"() {
    const client = new Client();
    const put = (headers, more) => client.groups.createOrUpdate("if", groupBody(more), says(headers));
    const failed = (headers) => refused(412, "PreconditionFailed", () => put(headers));
    await failed({ "If-Match": "*" });
    const { etag } = await put({ "If-None-Match": "*" });
    await failed({ "If-None-Match": "*" });
    await failed({ "If-Match": '"x"' });
    await put({ "If-Match": etag }, { location: "there" });
  },

  async "all pages of groups hold each group once"() {
    const client = new Client();
    const names = [];
    for (const number of [0, 1, 2, 3, 4]) names.push(await made(`page-${number}`));
    const found = await pages(client, client.groups.list({ top: 2 }));
    assert.ok(found.slice(0, -1).every(({ length }) => length === 2));
    const listed = found.flat();
    assert.equal(new Set(listed).size, listed.length);
    assert.ok(names.every((name) => listed.includes(name)));
    assert.deepEqual(await pages(client, client.groups.list()), [listed]);
  },

  async "all pages of references hold each reference once"() {
    const client = new Client();
    const aliases = [0, 1, 2, 3, 4].map((number) => `net-${number}`);
    await made("pages", ...aliases);
    const list = (options) => client.resources.listByResourceGroup("pages", options);
    const found = await pages(client, list({ top: 2 }));
    assert.deepEqual(found, [aliases.slice(0, 2), aliases.slice(2, 4), aliases.slice(4)]);
    for await (const one of list()) {
      const got = await client.get(one.id);
      assert.deepEqual([one.id, one.properties], [got.id, got.properties]);
    }
  },

  async "a list of nothing is one empty page"() {
    const client = new Client();
    await made("empty");
    assert.deepEqual(await pages(client, client.resources.listByResourceGroup("empty")), [[]]);
  },

  async "a page goes on in another client"() {
    await made("resumed", "a", "b", "c");
    const first = new Client().resources.listByResourceGroup("resumed", { top: 2 }).byPage();
    const continuationToken = getContinuationToken((await first.next()).value);
    const other = new Client().resources.listByResourceGroup("resumed");
    const rest = [];
    for await (const page of other.byPage({ continuationToken })) {
      rest.push(...page.map(({ name }) => name));
    }
    assert.deepEqual(rest, ["c"]);
  },

  async "a group is patched"() {
    const client = new Client();
    await client.groups.createOrUpdate("patched", groupBody({ tags: { a: "1" } }));
    const patched = await client.groups.update("patched", { tags: { b: "2" } });
    assert.deepEqual(patched.tags, { b: "2" });
    assert.equal(patched.location, "here");
    const gone = () => client.groups.update("gone", { tags: {} });
    await refused(404, "ResourceGroupNotFound", gone);
  },

  async "a group is deleted with all that it owns"() {
    const client = new Client();
    await made("deleted", "a", "b");
    await slow("1500ms");
    await awsWrites(2, () =>
      soon(async () => {
        const poller = await client.groups.beginDelete("deleted", says(ASYNC));
        isUnderWay(client.sent[0], [202]);
        const late = () => new Client().put(referenceId("late", "deleted"), vpc());
        await refused(409, "GroupDeleting", late);
        const other = byLocation();
        const again = await other.groups.beginDelete("deleted", says(ASYNC));
        isUnderWay(other.sent[0], [202]);
        assert.equal(other.sent[0].headers.location, client.sent[0].headers.location);
        await poller.pollUntilDone();
        await again.pollUntilDone();
      }, 20),
    );
    assert.equal((await client.groups.checkExistence("deleted")).body, false);
    // Other than a resource, a group that is not there is not found.
    const again = () => client.groups.beginDelete("deleted");
    await refused(404, "ResourceGroupNotFound", again);
  },

  async "a group that cannot be deleted says what is left"() {
    await made("kept", "a", "b");
    const left = referenceId("b", "kept");
    const { mapsTo } = await new Client().get(left);
    const denied = { effect: "fail", code: "AccessDenied", message: "not for you" };
    const which = { operation: "DeleteResource", identifier: mapsTo.primaryIdentifier };
    await fault({ ...which, ...denied, times: 100 });
    for (const client of [new Client(), byLocation()]) {
      const follow = async () =>
        (await client.groups.beginDelete("kept", says(ASYNC))).pollUntilDone();
      await soon(() => assert.rejects(follow()), 20);
      const { error } = client.sent.at(-1).json();
      assert.equal(error.code, "GroupNotEmpty");
      assert.deepEqual(error.details.map(({ target, code }) => [target, code]), [[left, "AccessDenied"]]);
    }
    const client = new Client();
    assert.equal((await client.groups.get("kept")).properties.provisioningState, "Succeeded");
    assert.deepEqual(await pages(client, client.resources.listByResourceGroup("kept")), [["b"]]);
  },
});
