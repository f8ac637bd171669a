"""The AWS CLI, step by step as AWS's user guide of Cloud Control has it.

The steps depend on each other, so they are one claim; each is printed as it is taken.
"""

import json
import os
import subprocess
import sys
import unittest

from endpoint import URL, control

AWS = os.path.join(os.path.dirname(sys.executable), "aws")
LOG_GROUP = "AWS::Logs::LogGroup"
NAME = "CloudApiLogGroup"


def aws(*words):
    """What the CLI prints; it must exit 0 and print nothing else."""
    code, out, err = run(*words)
    if code != 0 or err:
        raise AssertionError(f"aws {' '.join(words)}: exit {code}\n{out}{err}")
    return json.loads(out) if out.strip() else None


def wait(event):
    token = ["--request-token", event["RequestToken"]]
    aws("cloudcontrol", "wait", "resource-request-success", *token)


def refused(*words):
    """What the CLI says of a call that is refused."""
    code, out, err = run(*words)
    if code == 0:
        raise AssertionError(f"aws {' '.join(words)}: not refused\n{out}")
    return err


def run(*words):
    print("  aws", *words[:2], flush=True)
    command = [AWS, "--endpoint-url", URL, *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout, ended.stderr


class Walk(unittest.TestCase):
    def test_the_life_of_a_log_group(self):
        of_group = ["--type-name", LOG_GROUP, "--identifier", NAME]
        desired = '{"LogGroupName": "CloudApiLogGroup", "RetentionInDays":90}'
        created = aws(
            *["cloudcontrol", "create-resource", "--type-name", LOG_GROUP],
            *["--desired-state", desired],
        )["ProgressEvent"]
        self.assertEqual(created["TypeName"], LOG_GROUP)
        self.assertEqual(created["Operation"], "CREATE")
        self.assertIn(created["OperationStatus"], {"PENDING", "IN_PROGRESS"})
        wait(created)
        status = aws(
            *["cloudcontrol", "get-resource-request-status"],
            *["--request-token", created["RequestToken"]],
        )["ProgressEvent"]
        self.assertEqual(status["OperationStatus"], "SUCCESS")
        self.assertEqual(status["Identifier"], NAME)

        described = aws("cloudcontrol", "get-resource", *of_group)
        self.assertEqual(described["TypeName"], LOG_GROUP)
        self.assertEqual(described["ResourceDescription"]["Identifier"], NAME)
        properties = json.loads(described["ResourceDescription"]["Properties"])
        self.assertEqual(properties["RetentionInDays"], 90)
        self.assertIn(f":log-group:{NAME}", properties["Arn"])

        # The guide writes the path without its first slash.
        patch = '[{"op":"replace","path":"RetentionInDays","value":180}]'
        updated = aws("cloudcontrol", "update-resource", *of_group, "--patch-document", patch)
        self.assertEqual(updated["ProgressEvent"]["Operation"], "UPDATE")
        wait(updated["ProgressEvent"])
        described = aws("cloudcontrol", "get-resource", *of_group)
        properties = json.loads(described["ResourceDescription"]["Properties"])
        self.assertEqual(properties["RetentionInDays"], 180)

        listed = aws("cloudcontrol", "list-resources", "--type-name", LOG_GROUP)
        self.assertEqual(listed["TypeName"], LOG_GROUP)
        self.assertEqual([one["Identifier"] for one in listed["ResourceDescriptions"]], [NAME])

        requests = aws(
            *["cloudcontrol", "list-resource-requests", "--resource-request-status-filter"],
            "Operations=CREATE,OperationStatuses=SUCCESS",
        )["ResourceRequestStatusSummaries"]
        self.assertEqual([one["RequestToken"] for one in requests], [created["RequestToken"]])

        deleted = aws("cloudcontrol", "delete-resource", *of_group)["ProgressEvent"]
        self.assertEqual(deleted["Operation"], "DELETE")
        wait(deleted)
        self.assertIn(
            "(ResourceNotFoundException)", refused("cloudcontrol", "get-resource", *of_group)
        )

    def test_a_request_is_cancelled(self):
        self.addCleanup(control, "settings", {"latency": "0..0"})
        control("settings", {"latency": "60s..60s"})
        begun = aws(
            *["cloudcontrol", "create-resource", "--type-name", LOG_GROUP],
            *["--desired-state", '{"LogGroupName": "Slow"}'],
        )["ProgressEvent"]
        token = ["--request-token", begun["RequestToken"]]
        cancelled = aws("cloudcontrol", "cancel-resource-request", *token)["ProgressEvent"]
        self.assertIn(cancelled["OperationStatus"], {"CANCEL_IN_PROGRESS", "CANCEL_COMPLETE"})
        # A cancel undoes nothing: the create had started, so its log group exists.
        control("clock", {"advance": "1m"})
        control("settings", {"latency": "0..0"})
        of_group = ["--type-name", LOG_GROUP, "--identifier", "Slow"]
        wait(aws("cloudcontrol", "delete-resource", *of_group)["ProgressEvent"])

    def test_a_type_is_described(self):
        name = "AWS::EC2::VPC"
        described = aws(
            *["cloudformation", "describe-type", "--type", "RESOURCE", "--type-name", name]
        )
        self.assertEqual(described["TypeName"], name)
        self.assertEqual(json.loads(described["Schema"])["typeName"], name)

    def test_the_caller_is_named(self):
        identity = aws("sts", "get-caller-identity")
        self.assertEqual(identity["Account"], "123456789012")
        self.assertIn("123456789012", identity["Arn"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
