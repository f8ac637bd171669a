"""CloudFormation's registry: the schemas that Cloud Control works by."""

import json

from endpoint import Claims, client, main


class Registry(Claims):
    @classmethod
    def setUpClass(cls):
        cls.client = client("cloudformation", region="us-east-1")

    def describe(self, name):
        return self.client.describe_type(Type="RESOURCE", TypeName=name)

    def names(self, **wanted):
        pages = self.client.get_paginator("list_types").paginate(
            Visibility="PUBLIC", Type="RESOURCE", **wanted
        )
        return [one["TypeName"] for page in pages for one in page["TypeSummaries"]]

    def test_a_schema_is_json_and_names_its_type(self):
        for name in ["AWS::EC2::VPC", "AWS::S3::Bucket", "AWS::RDS::DBInstance"]:
            with self.subTest(name=name):
                described = self.describe(name)
                self.assertEqual((described["Type"], described["TypeName"]), ("RESOURCE", name))
                self.assertEqual(described["Visibility"], "PUBLIC")
                dashed = name.replace("::", "-")
                self.assertEqual(
                    described["Arn"],
                    f"arn:aws:cloudformation:us-east-1::type/resource/{dashed}",
                )
                schema = json.loads(described["Schema"])
                self.assertEqual(schema["typeName"], name)
                self.assertTrue(schema["properties"])
                self.assertTrue(schema["primaryIdentifier"][0].startswith("/properties/"))

    def test_the_handlers_give_the_provisioning_type(self):
        for name, provisioning in [
            ("AWS::EC2::VPC", "FULLY_MUTABLE"),
            ("AWS::EC2::EIPAssociation", "IMMUTABLE"),
            ("AWS::IAM::AccessKey", "NON_PROVISIONABLE"),
        ]:
            with self.subTest(name=name):
                self.assertEqual(self.describe(name)["ProvisioningType"], provisioning)

    def test_all_public_types_are_listed_once(self):
        names = self.names()
        self.assertGreater(len(names), 1_500)
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("AWS::S3::Bucket", names)

    def test_without_being_asked_only_own_and_fully_mutable_types_are_listed(self):
        self.assertNotIn("AWS::EC2::EIPAssociation", self.names())
        own = self.client.list_types(Type="RESOURCE")
        self.assertEqual(own["TypeSummaries"], [])

    def test_the_list_can_be_narrowed(self):
        logs = self.names(Filters={"TypeNamePrefix": "AWS::Logs::"})
        self.assertIn("AWS::Logs::LogGroup", logs)
        self.assertTrue(all(name.startswith("AWS::Logs::") for name in logs), logs)
        immutable = self.names(ProvisioningType="IMMUTABLE")
        self.assertIn("AWS::EC2::EIPAssociation", immutable)
        self.assertNotIn("AWS::EC2::VPC", immutable)
        mutable = self.names(
            ProvisioningType="FULLY_MUTABLE",
            DeprecatedStatus="LIVE",
            Filters={"Category": "AWS_TYPES"},
        )
        self.assertIn("AWS::EC2::VPC", mutable)

    def test_pages_are_as_long_as_asked_for(self):
        page = self.client.list_types(Visibility="PUBLIC", Type="RESOURCE", MaxResults=10)
        self.assertEqual(len(page["TypeSummaries"]), 10)
        self.assertTrue(page["NextToken"])

    def test_an_unknown_type_is_not_found(self):
        with self.assertRaises(self.client.exceptions.TypeNotFoundException) as caught:
            self.describe("AWS::Hangar::Nothing")
        answer = caught.exception.response
        self.assertEqual(answer["Error"]["Code"], "TypeNotFoundException")
        self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 404)


if __name__ == "__main__":
    main()
