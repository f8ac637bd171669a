"""A client token names one request for 36 hours, and nothing but that request."""

from endpoint import Claims, Cloud, control, main

VPC = "AWS::EC2::VPC"


class ClientTokens(Claims):
    def setUp(self):
        # A region for each claim: what is listed is what the claim made.
        number = type(self).region = getattr(type(self), "region", 0) + 1
        self.cloud = Cloud(region=f"eu-west-{number}")

    def create(self, token, block="10.0.0.0/16"):
        return self.cloud.create(VPC, {"CidrBlock": block}, ClientToken=token)

    def test_a_repeated_create_is_one_request_and_one_resource(self):
        first, second = self.create("once"), self.create("once")
        self.assertEqual(first["RequestToken"], second["RequestToken"])
        vpc = self.succeeds(first)
        self.assertEqual(self.succeeds(second), vpc)
        self.assertEqual(self.cloud.list(VPC), [vpc])

    def test_without_a_token_of_its_own_each_create_is_another_resource(self):
        first, second = (self.cloud.create(VPC, {"CidrBlock": "10.0.0.0/16"}) for _ in range(2))
        self.assertNotEqual(first["RequestToken"], second["RequestToken"])
        made = {self.succeeds(first), self.succeeds(second)}
        self.assertEqual(set(self.cloud.list(VPC)), made)
        self.assertEqual(len(made), 2)

    def test_another_body_under_the_same_token_is_refused(self):
        first = self.create("taken")
        vpc = self.succeeds(first)
        message = self.refuses(
            "ClientTokenConflictException", self.create, "taken", "10.9.0.0/16"
        )
        self.assertEqual(
            message,
            "ClientToken taken is already associated with an existing operation "
            f"with RequestToken {first['RequestToken']}",
        )
        self.assertEqual(self.cloud.list(VPC), [vpc])

    def test_another_operation_under_the_same_token_is_refused(self):
        vpc = self.succeeds(self.create("for-create"))
        self.refuses(
            "ClientTokenConflictException", self.cloud.delete, VPC, vpc, ClientToken="for-create"
        )
        self.assertEqual(self.cloud.list(VPC), [vpc])

    def test_a_repeated_delete_is_one_request(self):
        vpc = self.succeeds(self.create("made"))
        first = self.cloud.delete(VPC, vpc, ClientToken="gone")
        second = self.cloud.delete(VPC, vpc, ClientToken="gone")
        self.assertEqual(first["RequestToken"], second["RequestToken"])
        self.assertEqual(self.succeeds(second), vpc)

    def test_a_repeated_update_is_one_request(self):
        vpc = self.succeeds(self.create("tagged"))
        patch = [{"op": "add", "path": "/Tags", "value": [{"Key": "a", "Value": "1"}]}]
        first = self.cloud.update(VPC, vpc, patch, ClientToken="tag")
        second = self.cloud.update(VPC, vpc, patch, ClientToken="tag")
        self.assertEqual(first["RequestToken"], second["RequestToken"])

    def test_a_token_is_new_again_after_36_hours(self):
        first = self.create("old")
        control("clock", {"advance": "35h"})
        self.assertEqual(self.create("old")["RequestToken"], first["RequestToken"])
        control("clock", {"advance": "2h"})
        second = self.create("old")
        self.assertNotEqual(second["RequestToken"], first["RequestToken"])
        made = {self.succeeds(first), self.succeeds(second)}
        self.assertEqual(set(self.cloud.list(VPC)), made)
        self.assertEqual(len(made), 2)


if __name__ == "__main__":
    main()
