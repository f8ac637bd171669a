// The API under test as Azure's own SDK sees it, the simulator's controls beside it, and the runner
// of the claims.
//
// Every claim is made through the SDK's client, pagers and pollers, unchanged. Two things differ from
// a client of Azure: the SDK's own bearer policy refuses plain HTTP, so another one adds the token,
// and resource groups are not below a subscription.
"use strict";

// The SDK takes it for granted; Node 18, which some distributions have, does not have it there.
globalThis.crypto ??= require("node:crypto").webcrypto;

const assert = require("node:assert/strict");
const { ResourceManagementClient } = require("@azure/arm-resources");
const { createHttpPoller } = require("@azure/core-lro");
const pipeline = require("@azure/core-rest-pipeline");
const three = require("core-lro-3");

const URL_OF_API = process.env.HANGAR_API_URL;
const TOKEN = process.env.HANGAR_API_TOKEN;
const SIMULATOR = process.env.HANGAR_SIMULATOR_URL;

const VERSION = "2023-10-01-preview";
const SUBSCRIPTION = "00000000-0000-0000-0000-000000000000";
const ACCOUNT = "/planes/aws/aws/accounts/123456789012/regions/us-east-1";
const GROUPS = "/planes/radius/local/resourceGroups";
const STATUSES = "/planes/radius/local/providers/System.Resources/operationStatuses/";
const RESULTS = "/planes/radius/local/providers/System.Resources/operationResults/";
const RUNNING = ["Accepted", "Creating", "Updating", "Deleting"];
const STATUS_URL = "azure-asyncoperation";
const POLLING = [STATUS_URL, "location"];
const SECONDS = /^([1-9]|10)$/;

/** What a call says besides its arguments. */
function says(headers, more = {}) {
  return { requestOptions: { customHeaders: headers }, ...more };
}

const ASYNC = { Prefer: "respond-async" };

/** Azure's client for this server, and what it sent. */
class Client {
  constructor(hidden = [], options = {}) {
    this.sent = [];
    const credential = { getToken: async () => ({ token: TOKEN, expiresOnTimestamp: Infinity }) };
    this.sdk = new ResourceManagementClient(credential, SUBSCRIPTION, {
      endpoint: URL_OF_API,
      $host: URL_OF_API,
      allowInsecureConnection: true,
      ...options,
    });
    const name = pipeline.bearerTokenAuthenticationPolicyName;
    this.sdk.pipeline.removePolicy({ name });
    this.sdk.pipeline.addPolicy({ name, sendRequest: bearer }, { afterPhase: "Retry" });
    this.sdk.pipeline.addPolicy(
      { name: "wire", sendRequest: (request, next) => this.#exchange(request, next, hidden) },
      { afterPhase: "Sign" },
    );
    this.resources = this.sdk.resources;
    this.groups = this.sdk.resourceGroups;
  }

  /** Keeps what is sent, repetitions too, and hides headers of answers from the SDK. */
  async #exchange(request, next, hidden) {
    const response = await next(request);
    this.sent.push({
      method: request.method,
      url: request.url,
      // The SDK writes two slashes before an id.
      path: request.url.replace(URL_OF_API, "").split("?")[0].replace(/^\/\//, "/"),
      status: response.status,
      headers: response.headers.toJSON(),
      asked: request.headers.toJSON(),
      text: response.bodyAsText ?? "",
      json: () => JSON.parse(response.bodyAsText),
    });
    for (const header of hidden) response.headers.delete(header);
    return response;
  }

  put(id, body, options, version = VERSION) {
    return this.resources.beginCreateOrUpdateById(id, version, body, options);
  }

  patch(id, body, options) {
    return this.resources.beginUpdateById(id, VERSION, body, options);
  }

  delete(id, options) {
    return this.resources.beginDeleteById(id, VERSION, options);
  }

  get(id, options) {
    return this.resources.getById(id, VERSION, options);
  }

  async exists(id) {
    return (await this.resources.checkExistenceById(id, VERSION)).body;
  }

  /** A request of the caller's own through the SDK's pipeline. */
  async send(method, path, { body, query = `api-version=${VERSION}`, headers = {} } = {}) {
    const url = path.startsWith("http") ? path : URL_OF_API + path;
    const request = pipeline.createPipelineRequest({
      url: query ? `${url}?${query}` : url,
      method,
      body: body && JSON.stringify(body),
      headers: pipeline.createHttpHeaders({ "content-type": "application/json", ...headers }),
      allowInsecureConnection: true,
    });
    const { status, headers: answered, bodyAsText: text } = await this.sdk.sendRequest(request);
    return { status, headers: answered, text, request, json: () => JSON.parse(text) };
  }

  /** The poller of core-lro 2 over a request of the caller's own. */
  begin(method, path, asked = {}) {
    return createHttpPoller(this.#operation(method, path, asked));
  }

  /** The same of core-lro 3, whose poller is also the promise of its result. */
  async beginWithThree(method, path, asked = {}) {
    const poller = three.createHttpPoller(this.#operation(method, path, asked), { intervalInMs: 200 });
    await poller.submitted();
    return {
      pollUntilDone: () => poller.pollUntilDone(),
      getOperationState: () => poller.operationState,
    };
  }

  /** What a poller needs to know of an operation. */
  #operation(method, path, asked) {
    return {
      requestMethod: method,
      requestPath: `${URL_OF_API}${path}?api-version=${VERSION}`,
      sendInitialRequest: async () => forPoller(await this.send(method, path, asked)),
      sendPollRequest: async (url) => forPoller(await this.send("GET", url, { query: "" })),
    };
  }
}

/** An answer as pollers take it; an error is the SDK's. */
function forPoller({ status: statusCode, headers, text, request }) {
  const body = text ? JSON.parse(text) : undefined;
  if (statusCode >= 400) {
    throw new pipeline.RestError(body.error.message, { statusCode, request, code: body.error.code });
  }
  return { flatResponse: body, rawResponse: { statusCode, headers: headers.toJSON(), body, request } };
}

function bearer(request, next) {
  request.headers.set("Authorization", `Bearer ${TOKEN}`);
  // On a busy machine what takes no time takes long: writes are waited for, unless a claim says not.
  if (!request.headers.has("Prefer")) request.headers.set("Prefer", "wait=20");
  request.url = request.url.replace(
    new RegExp(`/subscriptions/${SUBSCRIPTION}/resourcegroups`, "i"),
    GROUPS,
  );
  return next(request);
}

/** A client that is not told the status URL. */
function byLocation(options) {
  return new Client([STATUS_URL], options);
}

/** A client that is told no URL at all: it asks for the resource, as often as it likes. */
function byBody() {
  return new Client(POLLING);
}

/** Turns one of the simulator's own knobs, or reads it. */
async function control(path, body, method = body ? "POST" : "GET") {
  const request = { method, body: body && JSON.stringify(body) };
  if (body) request.headers = { "content-type": "application/json" };
  const answer = await fetch(`${SIMULATOR}/_simulator/${path}`, request);
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

/** The identifiers of all that the simulator holds of a type. */
async function stored(type) {
  const found = await control(`resources?type=${type}`);
  return new Map(found.resources.map((one) => [one.identifier, one.properties]));
}

const groupId = (name) => `${GROUPS}/${name}`;
const referenceId = (alias, group = "claims", type = "AWS.EC2/VPC") =>
  `${groupId(group)}/providers/${type}:reference/${alias}`;
const resourceId = (identifier, type = "AWS.Logs/LogGroup") =>
  `${ACCOUNT}/providers/${type}/${identifier}`;
const vpc = (properties) => ({ properties: { CidrBlock: "10.0.0.0/16", ...properties } });
const logGroup = (LogGroupName, RetentionInDays = 7) => ({
  properties: { LogGroupName, RetentionInDays },
});
const groupBody = (members) => ({
  location: "here",
  properties: { providers: { aws: { scope: ACCOUNT } } },
  ...members,
});

/** The claims are made one after the other; what one sets it takes back at its end. */
const cleanups = [];

/** Every write of AWS that begins until the end of the claim takes so long. */
async function slow(latency = "800ms") {
  cleanups.push(() => control("settings", { latency: "0..0" }));
  await control("settings", { latency: `${latency}..${latency}` });
}

/** AWS's next fitting call goes wrong. */
async function fault(fault) {
  cleanups.push(() => control("faults", undefined, "DELETE"));
  await control("faults", fault);
}

/** What is done makes so many writing calls of AWS. */
async function awsWrites(count, act) {
  const before = (await control("counters")).total.writes;
  const result = await act();
  assert.equal((await control("counters")).total.writes - before, count, "AWS writes");
  return result;
}

/** What is done waits for nothing but what the server says. */
async function soon(act, seconds = 10) {
  const began = Date.now();
  const result = await act();
  assert.ok(Date.now() - began < seconds * 1000, "it took too long");
  return result;
}

/** What is done is refused with an error that the SDK can read. */
async function refused(status, code, act) {
  try {
    await act();
  } catch (error) {
    assert.deepEqual([error.statusCode, error.code], [status, code], error.stack);
    assert.ok(error.message);
    return error;
  }
  return assert.fail(`it is not refused with ${status} ${code}`);
}

/** An answer that promises an end, and says where and when to ask for it. */
function isUnderWay({ status, headers }, statuses) {
  assert.ok(statuses.includes(status), `${status} is none of ${statuses}`);
  for (const name of POLLING) assert.ok(headers[name].startsWith(`${URL_OF_API}/`), headers[name]);
  assert.match(headers["retry-after"], SECONDS);
}

/** An answer with nothing to wait for. */
function isAtOnce({ headers }) {
  for (const name of [...POLLING, "retry-after"]) assert.equal(headers[name], undefined);
}

/** The poller of what is begun asks at this path only, but for its last request. */
async function follows(client, begin, path, last) {
  const result = await soon(async () => {
    const poller = await begin(client);
    const result = await poller.pollUntilDone();
    assert.equal(poller.getOperationState().status, "succeeded");
    return result;
  });
  const polls = client.sent.slice(1);
  assert.ok(polls.length > 1, show(client.sent));
  for (const poll of polls) assert.equal(poll.method, "GET");
  for (const poll of polls.slice(0, -1)) assert.ok(poll.path.startsWith(path), show(client.sent));
  assert.ok(polls.at(-1).path.startsWith(last), show(client.sent));
  return result;
}

const show = (sent) => sent.map(({ method, path, status }) => `${method} ${path} ${status}`).join("\n");
const statuses = (client) => client.sent.map(({ status }) => status);

/** Makes the claims of a file, and tells of them as Python's unittest does. */
async function run(claims) {
  // A claim that hangs ends all.
  setTimeout(() => process.exit(3), 120_000).unref();
  await new Client().groups.createOrUpdate("claims", groupBody());
  const failures = [];
  const began = Date.now();
  for (const [name, claim] of Object.entries(claims)) {
    const told = await tell(claim).catch((error) => {
      failures.push(name);
      return `FAIL\n${error.stack}`;
    });
    console.error(`${name} ... ${told}`);
  }
  const seconds = ((Date.now() - began) / 1000).toFixed(3);
  console.error(`\nRan ${Object.keys(claims).length} tests in ${seconds}s\n`);
  console.error(failures.length ? `FAILED: ${failures.join(", ")}` : "OK");
  process.exitCode = failures.length ? 1 : 0;
}

async function tell(claim) {
  try {
    await claim();
    return "ok";
  } finally {
    for (const clean of cleanups.splice(0)) await clean();
  }
}

module.exports = {
  ACCOUNT,
  ASYNC,
  Client,
  RESULTS,
  RUNNING,
  SECONDS,
  STATUSES,
  STATUS_URL,
  URL: URL_OF_API,
  VERSION,
  assert,
  awsWrites,
  byBody,
  byLocation,
  control,
  fault,
  follows,
  groupBody,
  groupId,
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
  soon,
  statuses,
  stored,
  vpc,
};
