"""The endpoint under test: AWS's own clients for it, and the simulator's controls beside them.

Every claim is made through boto3 alone; nothing here knows how the simulator is written. Only
loopback is called: the address comes from HANGAR_SIMULATOR_URL and no client has another.
"""

import faulthandler
import json
import os
import re
import time
import unittest
import urllib.parse
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

URL = os.environ["HANGAR_SIMULATOR_URL"]
ENDED = {"SUCCESS", "FAILED", "CANCEL_COMPLETE"}

# A claim that hangs fails with the place where it hangs.
faulthandler.dump_traceback_later(300, exit=True)

# One session reads the service models once for all clients.
SESSION = boto3.session.Session()


def client(service, account="123456789012", region="eu-west-1", secret="secret", **config):
    """AWS's client; the access key id names the account."""
    return SESSION.client(
        service,
        endpoint_url=URL,
        region_name=region,
        aws_access_key_id=account,
        aws_secret_access_key=secret,
        config=Config(
            # A refusal is seen at once, and a failure of the endpoint is not repaired by a retry.
            retries={"total_max_attempts": 1},
            connect_timeout=5,
            read_timeout=30,
            **config,
        ),
    )


def control(path, body):
    """Turns one of the simulator's own knobs."""
    request = urllib.request.Request(
        f"{URL}/_simulator/{path}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def stored(type_name):
    """What the simulator holds of a type, by identifier, with what AWS would never show."""
    query = urllib.parse.urlencode({"type": type_name})
    with urllib.request.urlopen(f"{URL}/_simulator/resources?{query}", timeout=30) as answer:
        found = json.load(answer)["resources"]
    return {resource["identifier"]: resource["properties"] for resource in found}


class Cloud:
    """Cloud Control for one account and region."""

    def __init__(self, account="123456789012", region="eu-west-1"):
        self.account = account.rjust(12, "0")
        self.region = region
        self.client = client("cloudcontrol", account, region)

    def ended(self, event):
        """The last event of the request that the event belongs to."""
        until = time.monotonic() + 20
        while event["OperationStatus"] not in ENDED:
            if time.monotonic() > until:
                raise AssertionError(f"the request does not end: {event}")
            time.sleep(0.02)
            token = event["RequestToken"]
            answer = self.client.get_resource_request_status(RequestToken=token)
            event = answer["ProgressEvent"]
        return event

    def create(self, type_name, desired, **extra):
        """The last event of a create, whatever came of it."""
        answer = self.client.create_resource(
            TypeName=type_name, DesiredState=json.dumps(desired), **extra
        )
        return self.ended(answer["ProgressEvent"])

    def update(self, type_name, identifier, patch, **extra):
        answer = self.client.update_resource(
            TypeName=type_name, Identifier=identifier, PatchDocument=json.dumps(patch), **extra
        )
        return self.ended(answer["ProgressEvent"])

    def delete(self, type_name, identifier, **extra):
        answer = self.client.delete_resource(TypeName=type_name, Identifier=identifier, **extra)
        return self.ended(answer["ProgressEvent"])

    def get(self, type_name, identifier):
        """The properties that a read shows."""
        answer = self.client.get_resource(TypeName=type_name, Identifier=identifier)
        return json.loads(answer["ResourceDescription"]["Properties"])

    def list(self, type_name, **extra):
        """The identifiers of all pages, in the order of the answer."""
        pages = self.client.get_paginator("list_resources").paginate(TypeName=type_name, **extra)
        return [one["Identifier"] for page in pages for one in page["ResourceDescriptions"]]


class Claims(unittest.TestCase):
    """What the claims of every file are written with."""

    maxDiff = None

    def succeeds(self, event):
        """The identifier that a request which succeeded tells."""
        self.assertEqual(event["OperationStatus"], "SUCCESS", event)
        return event["Identifier"]

    def fails(self, code, event):
        """What a request which failed says."""
        self.assertEqual(event["OperationStatus"], "FAILED", event)
        self.assertEqual(event["ErrorCode"], code, event)
        return event.get("StatusMessage", "")

    def refuses(self, code, call, *arguments, **named):
        """What a call which is refused at once says."""
        with self.assertRaises(ClientError) as caught:
            call(*arguments, **named)
        error = caught.exception.response["Error"]
        self.assertEqual(error["Code"], code, error["Message"])
        return error["Message"]

    def matches(self, pattern, text):
        """The pattern is the whole text."""
        self.assertIsNotNone(re.fullmatch(pattern, text), f"{text!r} is not {pattern!r}")


def main():
    unittest.main(verbosity=2)
