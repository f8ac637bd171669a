"""Sessions of roles from STS, where signatures are verified: what they are, what they may, their end."""

import base64
import json
import os
import tempfile
import time
from datetime import datetime, timedelta

import boto3
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError

from endpoint import SESSION, URL, Claims, client, control, main

KNOWN, SECRET = "123456789012", "secret"
ROLE = "arn:aws:iam::210987654321:role/team/deploy"


def with_keys(service, keys, **changed):
    """A client that signs with what STS gave."""
    return SESSION.client(
        service,
        endpoint_url=URL,
        region_name="eu-west-1",
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=changed.get("secret", keys["SecretAccessKey"]),
        aws_session_token=changed.get("token", keys["SessionToken"]),
        config=Config(retries={"total_max_attempts": 1}),
    )


def part(document):
    text = json.dumps(document).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def token(**claims):
    """What an identity provider gives; nobody checks its signature here."""
    in_a_year = int(time.time()) + 365 * 24 * 3600
    claims = {"iss": "https://oidc.example", "sub": "system:serviceaccount:a:b", **claims}
    return f"{part({'alg': 'RS256'})}.{part({'exp': in_a_year, **claims})}.c2lnbmF0dXJl"


class Sessions(Claims):
    @classmethod
    def setUpClass(cls):
        cls.sts = client("sts", KNOWN, secret=SECRET)
        cls.anybody = client("sts", signature_version=UNSIGNED)

    def assume(self, **asked):
        asked = {"RoleArn": ROLE, "RoleSessionName": "me@work", **asked}
        return self.sts.assume_role(**asked)

    def show(self, shown, **asked):
        asked = {"RoleArn": ROLE, "RoleSessionName": "me@work", **asked}
        return self.anybody.assume_role_with_web_identity(WebIdentityToken=shown, **asked)

    def acts_as(self, keys, arn, account="210987654321"):
        identity = with_keys("sts", keys).get_caller_identity()
        self.assertEqual((identity["Arn"], identity["Account"]), (arn, account))
        return identity["UserId"]

    def lasts(self, keys, seconds):
        # By the simulator's clock, which other claims move.
        now = datetime.fromisoformat(json.loads(control("clock", {"advance": "0s"}))["now"])
        error = keys["Expiration"] - now - timedelta(seconds=seconds)
        self.assertLess(abs(error), timedelta(seconds=30))

    def test_a_role_is_assumed_and_its_keys_act_in_its_account(self):
        answer = self.assume(ExternalId="their:id", Tags=[{"Key": "a", "Value": "b"}])
        keys, user = answer["Credentials"], answer["AssumedRoleUser"]
        arn = "arn:aws:sts::210987654321:assumed-role/deploy/me@work"
        self.assertEqual(user["Arn"], arn)
        self.matches("AROA[A-Z2-7]{17}:me@work", user["AssumedRoleId"])
        self.matches("ASIA[A-Z2-7]{16}", keys["AccessKeyId"])
        self.assertEqual(len(keys["SecretAccessKey"]), 40)
        self.lasts(keys, 3600)
        self.assertEqual(self.acts_as(keys, arn), user["AssumedRoleId"])
        group = {"LogGroupName": "made-by-a-session"}
        with_keys("cloudcontrol", keys).create_resource(
            TypeName="AWS::Logs::LogGroup", DesiredState=json.dumps(group)
        )
        named = {"TypeName": "AWS::Logs::LogGroup", "Identifier": "made-by-a-session"}
        self.assertTrue(with_keys("cloudcontrol", keys).get_resource(**named))
        other = client("cloudcontrol", KNOWN, secret=SECRET)
        self.refuses("ResourceNotFoundException", other.get_resource, **named)

    def test_a_token_of_an_identity_provider_is_enough(self):
        answer = self.show(token(aud=["sts.amazonaws.com"]), DurationSeconds=900)
        self.assertEqual(answer["SubjectFromWebIdentityToken"], "system:serviceaccount:a:b")
        self.assertEqual(answer["Audience"], "sts.amazonaws.com")
        self.assertEqual(answer["Provider"], "https://oidc.example")
        self.lasts(answer["Credentials"], 900)
        self.acts_as(
            answer["Credentials"], "arn:aws:sts::210987654321:assumed-role/deploy/me@work"
        )

    def test_boto3_finds_the_role_by_a_token_file_as_in_a_cluster(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(token())
            file.flush()
            found = {
                "AWS_ROLE_ARN": ROLE,
                "AWS_WEB_IDENTITY_TOKEN_FILE": file.name,
                "AWS_ROLE_SESSION_NAME": "pod",
                "AWS_ENDPOINT_URL": URL,
            }
            lasting = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
            kept = {name: os.environ.pop(name) for name in lasting}
            os.environ.update(found)
            try:
                sts = boto3.session.Session(region_name="eu-west-1").client("sts")
                arn = sts.get_caller_identity()["Arn"]
            finally:
                for name in found:
                    del os.environ[name]
                os.environ.update(kept)
        self.assertEqual(arn, "arn:aws:sts::210987654321:assumed-role/deploy/pod")

    def test_a_token_that_is_none_or_past_is_refused(self):
        message = self.refuses("ExpiredTokenException", self.show, token(exp=1))
        self.matches(r"Token expired: current date/time \d+ must be before .* 1", message)
        for shown in ["opaque", "a.b.c", f"{part([])}.{part({})}.AAAA", token(exp=None)]:
            with self.subTest(shown=shown):
                self.refuses("InvalidIdentityToken", self.show, shown)

    def test_what_is_asked_is_held_to_its_form(self):
        for asked, words in [
            ({"RoleArn": "arn:aws:iam::42:role/deploy"}, "is invalid"),
            ({"RoleSessionName": "Session1:2"}, "[\\w+=,.@-]*"),
            ({"DurationSeconds": 43201}, "less than or equal to 43200"),
            ({"ExternalId": "a b"}, "[\\w+=,.@:\\/-]*"),
        ]:
            with self.subTest(asked=asked):
                self.assertIn(words, self.refuses("ValidationError", self.assume, **asked))

    def test_keys_of_a_session_are_verified_with_their_token(self):
        keys = self.assume()["Credentials"]
        for changed, in_query, in_json in [
            ({"secret": "x" * 40}, "SignatureDoesNotMatch", "InvalidSignatureException"),
            ({"token": "x" * 40}, "InvalidClientTokenId", "UnrecognizedClientException"),
            ({"token": None}, "InvalidClientTokenId", "UnrecognizedClientException"),
        ]:
            with self.subTest(changed=list(changed)):
                self.refuses(in_query, with_keys("sts", keys, **changed).get_caller_identity)
                self.refuses(
                    in_json,
                    with_keys("cloudcontrol", keys, **changed).list_resources,
                    TypeName="AWS::EC2::VPC",
                )

    def test_a_session_ends(self):
        keys = self.assume(DurationSeconds=900)["Credentials"]
        control("clock", {"advance": "880s"})
        with_keys("sts", keys).get_caller_identity()
        control("clock", {"advance": "20s"})
        self.refuses("ExpiredToken", with_keys("sts", keys).get_caller_identity)
        self.refuses(
            "ExpiredTokenException",
            with_keys("cloudcontrol", keys).list_resources,
            TypeName="AWS::EC2::VPC",
        )

    def test_a_session_assumes_another_role_for_an_hour_at_most(self):
        sts = with_keys("sts", self.assume()["Credentials"])
        role = "arn:aws:iam::000000000042:role/other"
        asked = {"RoleArn": role, "RoleSessionName": "chained"}
        keys = sts.assume_role(**asked)["Credentials"]
        self.acts_as(
            keys, "arn:aws:sts::000000000042:assumed-role/other/chained", "000000000042"
        )
        message = self.refuses("ValidationError", sts.assume_role, DurationSeconds=3601, **asked)
        self.assertIn("role chaining", message)

    def test_a_role_can_be_refused(self):
        control(
            "faults",
            {
                "operation": "AssumeRole",
                "identifier": "arn:aws:iam::210987654321:role/closed",
                "effect": "exception",
                "exception": "AccessDeniedException",
                "message": "User is not authorized to perform: sts:AssumeRole",
            },
        )
        self.assume()
        with self.assertRaises(ClientError) as caught:
            self.assume(RoleArn="arn:aws:iam::210987654321:role/closed")
        answer = caught.exception.response
        self.assertEqual(answer["Error"]["Code"], "AccessDenied")
        self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 403)


if __name__ == "__main__":
    main()
