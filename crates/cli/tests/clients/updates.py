"""What a patch may do: all of it happens or none, and only to what the schema lets change."""

from endpoint import Claims, Cloud, main, stored

VPC = "AWS::EC2::VPC"
LOG_GROUP = "AWS::Logs::LogGroup"


class Updates(Claims):
    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud()

    def setUp(self):
        desired = {"LogGroupName": self.id().rsplit(".", 1)[1], "RetentionInDays": 30}
        self.group = self.succeeds(self.cloud.create(LOG_GROUP, desired))

    def patch(self, *operations):
        return self.cloud.update(LOG_GROUP, self.group, list(operations))

    def retention(self):
        return self.cloud.get(LOG_GROUP, self.group)["RetentionInDays"]

    def test_a_create_only_property_is_not_updatable(self):
        vpc = self.succeeds(self.cloud.create(VPC, {"CidrBlock": "10.0.0.0/16"}))
        patch = [{"op": "replace", "path": "/CidrBlock", "value": "10.1.0.0/16"}]
        with self.assertRaises(self.cloud.client.exceptions.NotUpdatableException) as caught:
            self.cloud.update(VPC, vpc, patch)
        self.assertEqual(
            caught.exception.response["Error"]["Message"],
            "Invalid patch update: createOnlyProperties [/properties/CidrBlock] cannot be updated",
        )
        self.assertEqual(self.cloud.get(VPC, vpc)["CidrBlock"], "10.0.0.0/16")

    def test_a_create_only_property_may_be_repeated_as_it_is(self):
        event = self.patch(
            {"op": "replace", "path": "/LogGroupName", "value": self.group},
            {"op": "replace", "path": "/RetentionInDays", "value": 60},
        )
        self.succeeds(event)
        self.assertEqual(self.retention(), 60)

    def test_a_create_only_property_cannot_be_left_out(self):
        message = self.refuses(
            "NotUpdatableException", self.patch, {"op": "remove", "path": "/LogGroupName"}
        )
        self.assertIn("createOnlyProperties [/properties/LogGroupName]", message)

    def test_a_read_only_property_is_not_updatable(self):
        before = self.cloud.get(LOG_GROUP, self.group)
        message = self.refuses(
            "NotUpdatableException",
            self.patch,
            {"op": "replace", "path": "/Arn", "value": "arn:aws:logs:eu-west-1:1:log-group:x"},
        )
        self.assertEqual(
            message,
            "Invalid patch update: readOnlyProperties [/properties/Arn] cannot be updated",
        )
        self.assertEqual(self.cloud.get(LOG_GROUP, self.group), before)

    def test_a_path_that_is_not_there_is_refused_and_nothing_changes(self):
        message = self.refuses(
            "ValidationException",
            self.patch,
            {"op": "replace", "path": "/RetentionInDays", "value": 60},
            {"op": "replace", "path": "/KmsKeyId", "value": "alias/none"},
        )
        self.assertEqual(
            message, "[REPLACE Operation] noSuchPath in source, path provided : //KmsKeyId"
        )
        self.assertEqual(self.retention(), 30)

    def test_a_test_that_does_not_hold_is_refused_and_nothing_changes(self):
        self.refuses(
            "ValidationException",
            self.patch,
            {"op": "replace", "path": "/RetentionInDays", "value": 60},
            {"op": "test", "path": "/LogGroupName", "value": "another"},
        )
        self.assertEqual(self.retention(), 30)

    def test_operations_apply_in_their_order(self):
        event = self.patch(
            {"op": "replace", "path": "/RetentionInDays", "value": 60},
            {"op": "test", "path": "/RetentionInDays", "value": 60},
            {"op": "add", "path": "/Tags", "value": [{"Key": "a", "Value": "1"}]},
            {"op": "add", "path": "/Tags/0", "value": {"Key": "b", "Value": "2"}},
            {"op": "copy", "from": "/Tags/0/Value", "path": "/Tags/1/Value"},
            {"op": "remove", "path": "/Tags/0"},
        )
        self.succeeds(event)
        self.assertEqual(self.retention(), 60)
        tags = self.cloud.get(LOG_GROUP, self.group)["Tags"]
        self.assertEqual(tags, [{"Key": "a", "Value": "2"}])

    def test_a_patched_model_is_held_to_the_schema(self):
        message = self.refuses(
            "ValidationException",
            self.patch,
            {"op": "replace", "path": "/RetentionInDays", "value": "long"},
        )
        self.assertEqual(
            message,
            "Model validation failed (#/RetentionInDays: expected type: Integer, found: String)",
        )
        self.refuses(
            "ValidationException", self.patch, {"op": "add", "path": "/Colour", "value": "red"}
        )
        self.assertEqual(self.retention(), 30)

    def test_a_required_write_only_property_must_be_repeated(self):
        name = "AWS::Lambda::Function"
        code = {"ZipFile": "def handler(event, context): return 1"}
        desired = {
            "FunctionName": "needs-code",
            "Role": "arn:aws:iam::123456789012:role/runner",
            "Runtime": "python3.13",
            "Handler": "index.handler",
            "Code": code,
        }
        function = self.succeeds(self.cloud.create(name, desired))
        grow = {"op": "add", "path": "/MemorySize", "value": 256}
        message = self.refuses(
            "ValidationException", self.cloud.update, name, function, [grow]
        )
        self.assertEqual(message, "Model validation failed (#: required key [Code] not found)")
        again = {"op": "add", "path": "/Code", "value": code}
        self.succeeds(self.cloud.update(name, function, [again, grow]))
        self.assertEqual(stored(name)[function]["Code"], code)

    def test_a_write_only_property_cannot_be_replaced_only_added(self):
        name = "AWS::RDS::DBInstance"
        desired = {
            "DBInstanceIdentifier": "written",
            "DBInstanceClass": "db.t4g.micro",
            "Engine": "postgres",
            "AllocatedStorage": "20",
            "MasterUsername": "ledger",
            "MasterUserPassword": "correct-horse",
        }
        database = self.succeeds(self.cloud.create(name, desired))
        patch = [{"op": "replace", "path": "/MasterUserPassword", "value": "battery-staple"}]
        message = self.refuses("ValidationException", self.cloud.update, name, database, patch)
        self.assertEqual(
            message,
            "Invalid patch update: writeOnlyProperties [/MasterUserPassword] "
            "can only be updated using 'add' operation",
        )
        self.assertEqual(stored(name)[database]["MasterUserPassword"], "correct-horse")

    def test_an_update_of_what_is_not_there_is_refused(self):
        patch = [{"op": "add", "path": "/RetentionInDays", "value": 60}]
        message = self.refuses(
            "ResourceNotFoundException", self.cloud.update, LOG_GROUP, "never-made", patch
        )
        self.assertIn("was not found", message)

    def test_a_type_without_an_update_handler_refuses_all_updates(self):
        name = "AWS::EC2::EIPAssociation"
        made = self.cloud.create(name, {"AllocationId": "eipalloc-0123456789abcdef0"})
        identifier = self.succeeds(made)
        patch = [{"op": "replace", "path": "/AllocationId", "value": "eipalloc-1"}]
        message = self.refuses(
            "UnsupportedActionException", self.cloud.update, name, identifier, patch
        )
        self.assertEqual(message, f"Resource type {name} does not support UPDATE action")


if __name__ == "__main__":
    main()
