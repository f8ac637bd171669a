"""The access key id names the account, the signature's scope the region; neither sees another."""

from endpoint import Claims, Cloud, client, main

QUEUE = "AWS::SQS::Queue"
VPC = "AWS::EC2::VPC"


class Scopes(Claims):
    def test_digits_name_the_account_and_other_text_the_default_one(self):
        for key, account in [
            ("123", "000000000123"),
            ("123456789012", "123456789012"),
            ("AKIAIOSFODNN7EXAMPLE", "000000000000"),
            ("test", "000000000000"),
            ("1234567890123", "000000000000"),
        ]:
            with self.subTest(key=key):
                identity = client("sts", key).get_caller_identity()
                self.assertEqual(identity["Account"], account)
                self.matches(rf"arn:aws:(iam|sts)::{account}:.+", identity["Arn"])
                self.assertTrue(identity["UserId"])

    def test_arns_and_addresses_carry_account_and_region(self):
        cloud = Cloud("123", "ap-southeast-2")
        event = cloud.create(QUEUE, {"QueueName": "jobs"})
        queue = self.succeeds(event)
        self.assertEqual(queue, "https://sqs.ap-southeast-2.amazonaws.com/000000000123/jobs")
        arn = cloud.get(QUEUE, queue)["Arn"]
        self.assertEqual(arn, "arn:aws:sqs:ap-southeast-2:000000000123:jobs")

    def test_a_resource_is_of_one_account_and_one_region(self):
        home = Cloud("111", "us-east-1")
        vpc = self.succeeds(home.create(VPC, {"CidrBlock": "10.0.0.0/16"}))
        for account, region in [("111", "us-west-2"), ("222", "us-east-1")]:
            with self.subTest(account=account, region=region):
                abroad = Cloud(account, region)
                self.refuses("ResourceNotFoundException", abroad.get, VPC, vpc)
                self.assertEqual(abroad.list(VPC), [])
                self.fails("NotFound", abroad.delete(VPC, vpc))
        self.assertEqual(home.list(VPC), [vpc])

    def test_one_name_may_be_used_in_each_region(self):
        name = {"LogGroupName": "everywhere"}
        for region in ["us-east-1", "us-west-2"]:
            cloud = Cloud("333", region)
            group = self.succeeds(cloud.create("AWS::Logs::LogGroup", name))
            arn = cloud.get("AWS::Logs::LogGroup", group)["Arn"]
            self.assertIn(f":{region}:000000000333:", arn)

    def test_requests_are_of_one_account_and_one_region(self):
        home, abroad = Cloud("444", "us-east-1"), Cloud("444", "us-west-2")
        event = home.create(VPC, {"CidrBlock": "10.0.0.0/16"})
        self.assertEqual(len(requests(home)), 1)
        self.assertEqual(requests(abroad), [])
        self.refuses(
            "RequestTokenNotFoundException",
            abroad.client.get_resource_request_status,
            RequestToken=event["RequestToken"],
        )


def requests(cloud):
    return cloud.client.list_resource_requests()["ResourceRequestStatusSummaries"]


if __name__ == "__main__":
    main()
