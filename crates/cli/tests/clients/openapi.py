"""The document that a server gives out, and the server: schemathesis finds no difference.

Run as a program it starts schemathesis against the server at HANGAR_API_URL; schemathesis in turn loads
this file for its hooks, which give most of the generated requests names that mean something, so that
they reach what is behind the first refusal. Only loopback is called.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import zlib

BASE = os.environ["HANGAR_API_URL"]
TOKEN = os.environ["HANGAR_API_TOKEN"]
# How many cases are made for each route; the same seed makes the same ones.
EXAMPLES = os.environ.get("HANGAR_EXAMPLES", "8")
SEED = os.environ.get("HANGAR_SEED", "1")

VERSION = "api-version=2023-10-01-preview"
GROUPS = "/planes/radius/local/resourceGroups"
STATUSES = "/planes/radius/local/providers/System.Resources/operationStatuses"
SCOPE = "/planes/aws/aws/accounts/42/regions/eu-central-1"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)

# Types with properties that AWS takes.
TYPES = (
    ("AWS.EC2", "VPC", {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": True}),
    ("AWS.EC2", "VPC", {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": False}),
    ("AWS.EC2", "VPC", {"CidrBlock": "10.1.0.0/16"}),
    ("AWS.Logs", "LogGroup", {"RetentionInDays": 7}),
    ("AWS.S3", "Bucket", {}),
)


def call(method, path, body=None):
    """One request of our own."""
    request = urllib.request.Request(
        f"{BASE}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class Lot:
    """Choices that depend on a case and on nothing else: the same case is always changed alike."""

    def __init__(self, case):
        parts = (case.operation.label, case.path_parameters, case.query, case.body)
        self.state = zlib.crc32(repr(parts).encode("utf-8", "surrogatepass"))

    def of(self, pool):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return pool[(self.state >> 8) % len(pool)]


def meaningful(case, lot):
    """Names of things that there are, or could be."""
    names = case.path_parameters
    label = case.operation.label
    namespace, kind, properties = lot.of(TYPES)
    # What holds the others stays, or the rest would meet nothing but 404.
    is_delete = label.startswith("DELETE ")
    known = {
        "namespace": namespace,
        "type": kind,
        "account": "42",
        "region": "eu-central-1",
        "group": lot.of(("Team", "Team", "Brief")),
        "alias": lot.of("abc"),
        "recipe": lot.of("xy"),
        "identifier": lot.of(("one", "two", "vpc-none")),
        "operation": lot.of(operations()),
        "plane": "aws" if "/planes/aws/" in label else "local",
    }
    if "recipe" in names:
        # A group whose recipe is under way stays.
        known["group"] = "Team"
        meaningful_recipe(case, lot)
    if is_delete and label.endswith("{group}"):
        known["group"] = "Brief"
    if "kind" in names:
        usual = "aws" if names["kind"] == "aws" else "local"
        known["plane"] = "brief" if is_delete else lot.of(("brief", usual))
    for name in names:
        names[name] = known.get(name, names[name])
    for name in ("If-Match", "If-None-Match"):
        if lot.of(range(4)):
            case.headers.pop(name, None)
    has_properties = isinstance(case.body, dict) and "properties" in case.body
    if has_properties and "type" in names and lot.of(range(4)):
        case.body["properties"] = properties
        for name in ("mapsTo", "secretPaths", "dependsOn", "ownedResource", "alias", "trackedBy"):
            if lot.of(range(3)):
                case.body.pop(name, None)
        if label.endswith((":get", ":put", ":delete")) and lot.of(range(2)):
            group = f"{GROUPS}/Team/providers/{namespace}/{kind}:reference"
            case.body["trackedBy"] = f"{group}/{names.get('alias') or lot.of('abc')}"
            case.body.pop("alias", None)


def meaningful_recipe(case, lot):
    """A module that can be run, and a state that is one."""
    label = case.operation.label
    if label.startswith("PUT ") and lot.of(range(3)):
        case.body = {"properties": {"files": {"main.tf": 'output "x" {\n  value = 1\n}\n'}}}
    if label.startswith("POST ") and label.endswith("/state") and lot.of(range(3)):
        case.body = {"version": 4, "serial": 1, "lineage": "x", "outputs": {}, "resources": []}


def operations():
    """Operations that there are; asked for now and then."""
    operations.calls += 1
    if operations.calls % 50 == 1:
        found = call("GET", f"{STATUSES}?$top=50")["value"]
        operations.known = [it["name"] for it in found] or ["0191f3a8-7c2e-7abc-8def-0123456789ab"]
    return operations.known


operations.calls = 0
operations.known = []


def main():
    scope = {"properties": {"providers": {"aws": {"scope": SCOPE}}}}
    call("PUT", f"{GROUPS}/Team?{VERSION}", scope)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [
            os.path.join(os.path.dirname(sys.executable), "schemathesis"),
            "--no-color",
            "run",
            f"{BASE}/openapi.json",
            f"--header=Authorization: Bearer {TOKEN}",
            f"--seed={SEED}",
            f"--max-examples={EXAMPLES}",
            "--phases=examples,coverage,fuzzing",
            f"--checks={','.join(CHECKS)}",
            "--suppress-health-check=all",
            "--generation-database=none",
            "--continue-on-failure",
            "--warnings=off",
            "--request-timeout=60",
            "--report=json",
            f"--report-json-path={report}",
        ]
        here = os.path.dirname(os.path.abspath(__file__))
        environment = dict(os.environ, SCHEMATHESIS_HOOKS="openapi", PYTHONPATH=here)
        done = subprocess.run(command, env=environment, cwd=folder, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        with open(report, encoding="utf-8") as file:
            print(f"Ran {json.load(file)['test_cases']['generated']} tests", file=sys.stderr)


if __name__ == "__main__":
    main()
else:
    import schemathesis

    @schemathesis.hook
    def before_call(context, case, kwargs):
        """Four of five requests are about something; the others stay as they were made."""
        lot = Lot(case)
        if lot.of(range(5)):
            meaningful(case, lot)

    @schemathesis.hook
    def after_call(context, case, response):
        """OpenAPI has no place for Terraform's LOCK and UNLOCK: a path tells of them as `x-lock` and `x-unlock`, and what
        it tells so is documented."""
        told = case.operation.schema.raw_schema["paths"][case.operation.path]
        for index, value in enumerate(response.headers.get("allow", ())):
            methods = (word.strip() for word in value.split(","))
            kept = [word for word in methods if f"x-{word.lower()}" not in told]
            response.headers["allow"][index] = ", ".join(kept)
