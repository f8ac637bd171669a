"""The API under test as Azure's own SDK sees it, and the simulator's controls beside it.

Every claim is made through the SDK's clients, pagers and pollers, unchanged; nothing here knows how
the server is written. Two things differ from a client of Azure: bearer tokens go over plain HTTP,
which the SDK allows per call, and resource groups are not below a subscription.
"""

import contextlib
import faulthandler
import json
import os
import re
import time
import unittest
import urllib.request

from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline import PipelineResponse
from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.core.polling import LROPoller
from azure.core.rest import HttpRequest
from azure.mgmt.core.polling.arm_polling import ARMPolling
from azure.mgmt.resource.resources import ResourceManagementClient

URL = os.environ["HANGAR_API_URL"]
TOKEN = os.environ["HANGAR_API_TOKEN"]
SIMULATOR = os.environ["HANGAR_SIMULATOR_URL"]

VERSION = "2023-10-01-preview"
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
ACCOUNT = "/planes/aws/aws/accounts/123456789012/regions/us-east-1"
GROUPS = "/planes/radius/local/resourceGroups"
STATUSES = "/planes/radius/local/providers/System.Resources/operationStatuses/"
RESULTS = "/planes/radius/local/providers/System.Resources/operationResults/"
ASYNC = {"Prefer": "respond-async"}
RUNNING = {"Accepted", "Creating", "Updating", "Deleting"}
STATUS_URL = "Azure-AsyncOperation"
POLLING = (STATUS_URL, "Location")

# A claim that hangs fails with the place where it hangs.
faulthandler.dump_traceback_later(120, exit=True)


class Token:
    """A credential as the SDK wants one; the server's token never ends."""

    def get_token(self, *_scopes, **_options):
        return AccessToken(TOKEN, int(time.time()) + 86_400)


class OnLoopback(SansIOHTTPPolicy):
    """Lets the token go over plain HTTP, and puts resource groups where this server has them.

    On a busy machine what takes no time takes long: writes are waited for, unless a claim says not.
    """

    SCOPE = re.compile(rf"/subscriptions/{SUBSCRIPTION}/resourcegroups", re.IGNORECASE)

    def on_request(self, request):
        request.context.options.setdefault("enforce_https", False)
        request.http_request.headers.setdefault("Prefer", "wait=20")
        request.http_request.url = self.SCOPE.sub(GROUPS, request.http_request.url)


class Exchange:
    """One request that went over the wire, and its answer as it came."""

    def __init__(self, request, response):
        self.method = request.method
        self.path = request.url.removeprefix(URL).partition("?")[0]
        self.url = request.url
        self.status = response.status_code
        self.headers = response.headers.copy()
        self.response = response

    def json(self):
        return json.loads(self.response.text())

    def __repr__(self):
        return f"{self.method} {self.path} {self.status}"


class Wire(SansIOHTTPPolicy):
    """Keeps what is sent, repetitions too, and hides headers of answers from the SDK."""

    def __init__(self, hidden):
        self.hidden = hidden
        self.sent = []

    def on_response(self, request, response):
        self.sent.append(Exchange(request.http_request, response.http_response))
        for name in self.hidden:
            response.http_response.headers.pop(name, None)


class Client:
    """Azure's client for this server, and what it sent."""

    def __init__(self, hidden=(), **options):
        self.wire = Wire(hidden)
        self.sdk = ResourceManagementClient(
            Token(),
            SUBSCRIPTION,
            base_url=URL,
            credential_scopes=["hangar"],
            per_call_policies=[OnLoopback()],
            per_retry_policies=[self.wire],
            **options,
        )
        self.resources = self.sdk.resources
        self.groups = self.sdk.resource_groups

    @property
    def sent(self):
        return self.wire.sent

    def put(self, id, body, version=VERSION, **options):
        return self.resources.begin_create_or_update_by_id(
            id, body, api_version=version, **options
        )

    def patch(self, id, body, **options):
        return self.resources.begin_update_by_id(id, body, api_version=VERSION, **options)

    def delete(self, id, **options):
        return self.resources.begin_delete_by_id(id, api_version=VERSION, **options)

    def get(self, id, **options):
        return self.resources.get_by_id(id, api_version=VERSION, **options)

    def exists(self, id):
        return self.resources.check_existence_by_id(id, api_version=VERSION)

    def send(self, method, path, body=None, params=None, headers=None):
        """A request of the caller's own through the SDK's pipeline."""
        url = path if path.startswith("http") else URL + path
        params = {"api-version": VERSION} if params is None else params
        request = HttpRequest(method, url, params=params, headers=headers, json=body)
        return self.sdk.send_request(request)

    def begin(self, method, path, body=None, headers=None):
        """The SDK's poller over a request of the caller's own."""
        response = self.send(method, path, body, headers=headers)
        response.raise_for_status()
        first = PipelineResponse(response.request, response, {})
        return LROPoller(self.sdk._client, first, lambda last: last.http_response.json(), ARMPolling())


def by_location(**options):
    """A client that is not told the status URL."""
    return Client([STATUS_URL], **options)


def by_body():
    """A client that is told no URL at all: it asks for the resource, as often as it likes."""
    return Client(POLLING, polling_interval=0.2)


def control(path, body=None, method=None):
    """Turns one of the simulator's own knobs, or reads it."""
    request = urllib.request.Request(
        f"{SIMULATOR}/_simulator/{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def stored(type_name):
    """What the simulator holds of a type, by identifier."""
    found = control(f"resources?type={type_name}")["resources"]
    return {resource["identifier"]: resource["properties"] for resource in found}


def group_id(name):
    return f"{GROUPS}/{name}"


def reference_id(alias, type_name="AWS.EC2/VPC", group="claims"):
    return f"{group_id(group)}/providers/{type_name}:reference/{alias}"


def resource_id(identifier, type_name="AWS.Logs/LogGroup"):
    return f"{ACCOUNT}/providers/{type_name}/{identifier}"


def vpc(**properties):
    return {"properties": {"CidrBlock": "10.0.0.0/16", **properties}}


def group_body(**members):
    return {"properties": {"providers": {"aws": {"scope": ACCOUNT}}}, **members}


class Claims(unittest.TestCase):
    """What the claims of every file are written with."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        Client().groups.create_or_update("claims", group_body())

    def setUp(self):
        self.client = Client()

    def slow(self, latency="800ms"):
        """Every write of AWS that begins until the end of the claim takes so long."""
        self.addCleanup(control, "settings", {"latency": "0..0"})
        control("settings", {"latency": f"{latency}..{latency}"})

    def fault(self, **fault):
        """AWS's next fitting call goes wrong."""
        self.addCleanup(control, "faults", method="DELETE")
        control("faults", fault)

    @contextlib.contextmanager
    def aws_writes(self, count):
        """What happens inside makes so many writing calls of AWS."""
        before = control("counters")["total"]["writes"]
        yield
        self.assertEqual(control("counters")["total"]["writes"] - before, count, "AWS writes")

    @contextlib.contextmanager
    def soon(self, seconds=10):
        """What happens inside waits for nothing but what the server says."""
        began = time.monotonic()
        yield
        self.assertLess(time.monotonic() - began, seconds, "it took too long")

    @contextlib.contextmanager
    def refused(self, status, code):
        """What happens inside is refused once, with an error that the SDK can read."""
        with self.assertRaises(HttpResponseError) as caught:
            yield caught
        error = caught.exception
        self.assertEqual((error.status_code, error.error.code), (status, code), error.message)
        self.assertTrue(error.error.message)

    def sends(self, client, *expected):
        """All that the client has sent: method, end of the path, status of the answer."""
        sent = [(one.method, one.path, one.status) for one in client.sent]
        self.assertEqual(len(sent), len(expected), sent)
        for (method, path, status), (wanted, end, answer) in zip(sent, expected):
            self.assertEqual((method, status), (wanted, answer), sent)
            self.assertTrue(path.endswith(end), f"{path} does not end in {end}")

    def is_under_way(self, exchange, statuses):
        """An answer that promises an end, and says where and when to ask for it."""
        self.assertIn(exchange.status, statuses)
        for name in POLLING:
            self.assertTrue(exchange.headers[name].startswith(f"{URL}/"), exchange.headers[name])
        self.assertRegex(exchange.headers["Retry-After"], "^([1-9]|10)$")

    def follows(self, client, begin, path, last):
        """The poller of what is begun asks at this path only, but for its last request."""
        with self.soon():
            poller = begin(client)
            result = poller.result()
        self.assertEqual(poller.status(), "Succeeded")
        polls = client.sent[1:]
        self.assertGreater(len(polls), 1, client.sent)
        self.assertEqual({one.method for one in polls}, {"GET"})
        for poll in polls[:-1]:
            self.assertTrue(poll.path.startswith(path), client.sent)
        self.assertTrue(polls[-1].path.startswith(last), client.sent)
        return result

    def is_at_once(self, exchange):
        """An answer with nothing to wait for."""
        for name in (*POLLING, "Retry-After"):
            self.assertNotIn(name, exchange.headers)


def main():
    unittest.main(verbosity=2)
