"""Signatures, where the simulator was told to verify them: one credential is known to it."""

from botocore import UNSIGNED
from botocore.exceptions import ClientError

from endpoint import Claims, client, main

KNOWN, SECRET = "123456789012", "secret"


def calls(account, secret):
    """One harmless call to each service."""
    control = client("cloudcontrol", account, secret=secret)
    registry = client("cloudformation", account, secret=secret)
    identity = client("sts", account, secret=secret)
    return (
        lambda: control.list_resources(TypeName="AWS::EC2::VPC"),
        lambda: registry.describe_type(Type="RESOURCE", TypeName="AWS::EC2::VPC"),
        identity.get_caller_identity,
    )


class Signatures(Claims):
    def test_the_right_secret_is_let_in_everywhere(self):
        listed, described, identity = (call() for call in calls(KNOWN, SECRET))
        self.assertEqual(listed["ResourceDescriptions"], [])
        self.assertEqual(described["TypeName"], "AWS::EC2::VPC")
        self.assertEqual(identity["Account"], KNOWN)

    def test_a_wrong_secret_is_no_signature(self):
        control, registry, identity = calls(KNOWN, "another")
        self.refuses("InvalidSignatureException", control)
        self.refuses("SignatureDoesNotMatch", registry)
        self.refuses("SignatureDoesNotMatch", identity)

    def test_an_unknown_key_is_no_client(self):
        control, registry, identity = calls("210987654321", SECRET)
        self.refuses("UnrecognizedClientException", control)
        self.refuses("InvalidClientTokenId", registry)
        self.refuses("InvalidClientTokenId", identity)

    def test_a_body_changed_on_its_way_is_refused(self):
        control = client("cloudcontrol", KNOWN, secret=SECRET)

        def change(request, **_):
            body = request.body.encode() if isinstance(request.body, str) else request.body
            request.body = body.replace(b"AWS::EC2::VPC", b"AWS::SQS::Dog")

        control.meta.events.register("before-send.cloudcontrol.ListResources", change)
        self.refuses(
            "InvalidSignatureException", control.list_resources, TypeName="AWS::EC2::VPC"
        )

    def test_each_service_answers_with_its_own_status(self):
        for call, status in zip(calls(KNOWN, "another"), [400, 403, 403], strict=True):
            with self.assertRaises(ClientError) as caught:
                call()
            answer = caught.exception.response["ResponseMetadata"]
            self.assertEqual(answer["HTTPStatusCode"], status)

    def test_a_request_without_a_signature_is_refused(self):
        control = client("cloudcontrol", KNOWN, signature_version=UNSIGNED)
        self.refuses(
            "MissingAuthenticationTokenException",
            control.list_resources,
            TypeName="AWS::EC2::VPC",
        )


if __name__ == "__main__":
    main()
