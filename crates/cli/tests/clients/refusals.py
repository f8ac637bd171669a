"""Creates and deletes that AWS does not carry out, each where AWS says so: at once or later."""

from endpoint import Claims, Cloud, main, stored

BUCKET = "AWS::S3::Bucket"
LOG_GROUP = "AWS::Logs::LogGroup"


class Refusals(Claims):
    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud()

    def test_an_unknown_property_is_refused_and_nothing_is_made(self):
        desired = {"LogGroupName": "odd", "Colour": "red"}
        message = self.refuses(
            "ValidationException", self.cloud.create, "AWS::Logs::LogGroup", desired
        )
        self.assertEqual(
            message, "Model validation failed (#: extraneous key [Colour] is not permitted)"
        )
        self.assertNotIn("odd", stored("AWS::Logs::LogGroup"))

    def test_a_missing_property_is_refused(self):
        desired = {"CidrBlock": "10.0.0.0/24"}
        message = self.refuses(
            "ValidationException", self.cloud.create, "AWS::EC2::Subnet", desired
        )
        self.assertEqual(message, "Model validation failed (#: required key [VpcId] not found)")

    def test_every_violation_has_its_line(self):
        message = self.refuses("ValidationException", self.cloud.create, "AWS::ECS::TaskSet", {})
        first, *others = message.removesuffix(")").split("\n")
        lines = [first.removeprefix("Model validation failed ("), *others]
        keys = ["Cluster", "Service", "TaskDefinition"]
        self.assertEqual(sorted(lines), [f"#: required key [{key}] not found" for key in keys])

    def test_a_value_of_the_wrong_type_is_refused(self):
        message = self.refuses(
            "ValidationException", self.cloud.create, "AWS::SQS::Queue", {"DelaySeconds": "five"}
        )
        self.assertEqual(
            message,
            "Model validation failed (#/DelaySeconds: expected type: Integer, found: String)",
        )

    def test_a_desired_state_that_is_no_json_is_refused(self):
        with self.assertRaises(self.cloud.client.exceptions.ClientError) as caught:
            self.cloud.client.create_resource(TypeName=BUCKET, DesiredState="{")
        self.assertEqual(caught.exception.response["ResponseMetadata"]["HTTPStatusCode"], 400)

    def test_an_unknown_type_is_refused(self):
        message = self.refuses(
            "TypeNotFoundException", self.cloud.create, "AWS::Hangar::Nothing", {}
        )
        self.assertEqual(message, "The type 'AWS::Hangar::Nothing' cannot be found.")
        self.refuses("TypeNotFoundException", self.cloud.get, "AWS::Hangar::Nothing", "x")
        self.refuses("TypeNotFoundException", self.cloud.list, "AWS::Hangar::Nothing")

    def test_a_type_without_handlers_is_not_supported(self):
        name = "AWS::IAM::AccessKey"
        message = self.refuses(
            "UnsupportedActionException", self.cloud.create, name, {"UserName": "ada"}
        )
        self.assertEqual(message, f"Resource type {name} does not support CREATE action")

    def test_a_second_resource_of_the_same_name_fails(self):
        stream = "AWS::Kinesis::Stream"
        for name, desired, words in [
            (BUCKET, {"BucketName": "hangar-twice"}, "The bucket Already Exists"),
            (
                stream,
                {"Name": "hangar-twice", "ShardCount": 1},
                f"Resource of type '{stream}' with identifier 'hangar-twice' already exists.",
            ),
        ]:
            with self.subTest(name=name):
                self.succeeds(self.cloud.create(name, desired))
                second = self.cloud.create(name, desired)
                self.assertEqual(self.fails("AlreadyExists", second), words)
                self.assertEqual(second["Identifier"], "hangar-twice")
                self.assertEqual(self.cloud.list(name).count("hangar-twice"), 1)

    def test_the_delete_of_what_is_not_there_fails(self):
        message = self.fails("NotFound", self.cloud.delete(BUCKET, "hangar-never-made"))
        self.assertEqual(message, "Bucket not found")
        message = self.fails("NotFound", self.cloud.delete(LOG_GROUP, "hangar-never-made"))
        self.assertEqual(
            message,
            f"Resource of type '{LOG_GROUP}' with identifier 'hangar-never-made' was not found.",
        )

    def test_a_read_of_what_is_not_there_names_it(self):
        message = self.refuses(
            "ResourceNotFoundException", self.cloud.get, "AWS::SQS::Queue", "https://no.queue"
        )
        self.assertRegex(
            message,
            "^AWS::SQS::Queue Handler returned status FAILED: Resource of type "
            "'AWS::SQS::Queue' with identifier 'https://no.queue' was not found. "
            r"\(HandlerErrorCode: NotFound, RequestToken: [0-9a-f-]{36}\)$",
        )


if __name__ == "__main__":
    main()
