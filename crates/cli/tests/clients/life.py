"""Twelve types through their whole life: create, read, update, list, delete, and gone."""

import json

from endpoint import Claims, Cloud, main, stored

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "lambda.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


class Life(Claims):
    def setUp(self):
        self.cloud = Cloud()

    def create(self, type_name, desired):
        """Creates, waits as boto3 does, and sees what was asked for; gives identifier and all."""
        client = self.cloud.client
        answer = client.create_resource(TypeName=type_name, DesiredState=json.dumps(desired))
        begun = answer["ProgressEvent"]
        self.assertEqual((begun["TypeName"], begun["Operation"]), (type_name, "CREATE"))
        self.assertIn(begun["OperationStatus"], {"PENDING", "IN_PROGRESS"})
        client.get_waiter("resource_request_success").wait(
            RequestToken=begun["RequestToken"], WaiterConfig={"Delay": 0.05, "MaxAttempts": 200}
        )
        identifier = self.succeeds(self.cloud.ended(begun))
        properties = self.cloud.get(type_name, identifier)
        self.shows(properties, desired)
        return identifier, properties

    def shows(self, properties, expected):
        self.assertEqual({name: properties.get(name) for name in expected}, expected)

    def update(self, type_name, identifier, patch, **expected):
        """Updates and sees the new values, and all else as it was."""
        before = self.cloud.get(type_name, identifier)
        event = self.cloud.update(type_name, identifier, patch)
        self.assertEqual(self.succeeds(event), identifier)
        self.assertEqual(event["Operation"], "UPDATE")
        after = self.cloud.get(type_name, identifier)
        self.assertEqual(in_order(after), in_order(before | expected))

    def end(self, type_name, identifier, **listing):
        """Lists, deletes, and neither reads nor lists it any more."""
        self.assertIn(identifier, self.cloud.list(type_name, **listing))
        self.remove(type_name, identifier)
        self.assertNotIn(identifier, self.cloud.list(type_name, **listing))

    def remove(self, type_name, identifier):
        event = self.cloud.delete(type_name, identifier)
        self.assertEqual(self.succeeds(event), identifier)
        self.assertEqual(event["Operation"], "DELETE")
        gone = self.refuses("ResourceNotFoundException", self.cloud.get, type_name, identifier)
        self.assertIn("not found", gone)
        self.assertIn("HandlerErrorCode: NotFound", gone)

    def arn(self, rest, service, region=None, account=None):
        region = self.cloud.region if region is None else region
        account = self.cloud.account if account is None else account
        return f"arn:aws:{service}:{region}:{account}:{rest}"

    def test_ec2_vpc(self):
        name = "AWS::EC2::VPC"
        tags = [{"Key": "stage", "Value": "test"}]
        vpc, properties = self.create(name, {"CidrBlock": "10.0.0.0/16", "Tags": tags})
        self.matches("vpc-[0-9a-f]{17}", vpc)
        self.assertEqual(properties["VpcId"], vpc)
        self.matches("sg-[0-9a-f]{17}", properties["DefaultSecurityGroup"])
        self.matches("acl-[0-9a-f]{17}", properties["DefaultNetworkAcl"])
        patch = [
            {"op": "add", "path": "/EnableDnsHostnames", "value": True},
            {"op": "add", "path": "/Tags/-", "value": {"Key": "owner", "Value": "us"}},
        ]
        tags = [*tags, {"Key": "owner", "Value": "us"}]
        self.update(name, vpc, patch, EnableDnsHostnames=True, Tags=tags)
        self.end(name, vpc)

    def test_ec2_subnet(self):
        name = "AWS::EC2::Subnet"
        vpc, _ = self.create("AWS::EC2::VPC", {"CidrBlock": "10.1.0.0/16"})
        subnet, properties = self.create(name, {"VpcId": vpc, "CidrBlock": "10.1.1.0/24"})
        self.matches("subnet-[0-9a-f]{17}", subnet)
        self.assertEqual(properties["SubnetId"], subnet)
        patch = [{"op": "add", "path": "/MapPublicIpOnLaunch", "value": True}]
        self.update(name, subnet, patch, MapPublicIpOnLaunch=True)
        self.end(name, subnet)

    def test_s3_bucket(self):
        name = "AWS::S3::Bucket"
        bucket, properties = self.create(name, {"BucketName": "hangar-life"})
        self.assertEqual(bucket, "hangar-life")
        self.assertEqual(properties["Arn"], "arn:aws:s3:::hangar-life")
        versioning = {"Status": "Enabled"}
        patch = [{"op": "add", "path": "/VersioningConfiguration", "value": versioning}]
        self.update(name, bucket, patch, VersioningConfiguration=versioning)
        self.end(name, bucket)

    def test_sqs_queue(self):
        name = "AWS::SQS::Queue"
        queue, properties = self.create(name, {"QueueName": "orders", "DelaySeconds": 5})
        account, region = self.cloud.account, self.cloud.region
        self.assertEqual(queue, f"https://sqs.{region}.amazonaws.com/{account}/orders")
        self.assertEqual(properties["QueueUrl"], queue)
        self.assertEqual(properties["Arn"], self.arn("orders", "sqs"))
        patch = [{"op": "replace", "path": "/DelaySeconds", "value": 10}]
        self.update(name, queue, patch, DelaySeconds=10)
        self.end(name, queue)

    def test_sqs_queue_without_a_name(self):
        queue, properties = self.create("AWS::SQS::Queue", {})
        account, region = self.cloud.account, self.cloud.region
        self.matches(rf"https://sqs\.{region}\.amazonaws\.com/{account}/[\w-]{{1,80}}", queue)
        self.assertEqual(properties["QueueName"], queue.rsplit("/", 1)[1])
        self.end("AWS::SQS::Queue", queue)

    def test_logs_log_group(self):
        name = "AWS::Logs::LogGroup"
        desired = {"LogGroupName": "/hangar/life", "RetentionInDays": 90}
        group, properties = self.create(name, desired)
        self.assertEqual(group, "/hangar/life")
        self.matches(self.arn("log-group:/hangar/life", "logs") + r"(:\*)?", properties["Arn"])
        patch = [
            {"op": "test", "path": "/RetentionInDays", "value": 90},
            {"op": "replace", "path": "/RetentionInDays", "value": 180},
        ]
        self.update(name, group, patch, RetentionInDays=180)
        self.end(name, group)

    def test_kinesis_stream(self):
        name = "AWS::Kinesis::Stream"
        desired = {"Name": "clicks", "ShardCount": 1, "RetentionPeriodHours": 24}
        stream, properties = self.create(name, desired)
        self.assertEqual(stream, "clicks")
        self.assertEqual(properties["Arn"], self.arn("stream/clicks", "kinesis"))
        patch = [{"op": "replace", "path": "/RetentionPeriodHours", "value": 48}]
        self.update(name, stream, patch, RetentionPeriodHours=48)
        self.end(name, stream)

    def test_memorydb_cluster(self):
        name = "AWS::MemoryDB::Cluster"
        desired = {"ClusterName": "cache", "ACLName": "open-access", "NodeType": "db.t4g.small"}
        cluster, properties = self.create(name, desired | {"NumShards": 1})
        self.assertEqual(cluster, "cache")
        self.assertEqual(properties["ARN"], self.arn("cluster/cache", "memorydb"))
        patch = [{"op": "add", "path": "/Description", "value": "sessions"}]
        self.update(name, cluster, patch, Description="sessions")
        self.end(name, cluster)

    def test_apigateway_stage(self):
        name = "AWS::ApiGateway::Stage"
        desired = {"RestApiId": "a1b2c3d4e5", "StageName": "prod", "Description": "first"}
        stage, _ = self.create(name, desired)
        self.assertEqual(stage, "a1b2c3d4e5|prod")
        patch = [{"op": "replace", "path": "/Description", "value": "second"}]
        self.update(name, stage, patch, Description="second")

        as_json = json.dumps({"RestApiId": "a1b2c3d4e5", "StageName": "prod"})
        self.assertEqual(self.cloud.get(name, as_json), self.cloud.get(name, stage))
        short = self.refuses("ValidationException", self.cloud.get, name, "prod")
        self.assertEqual(
            short,
            "Identifier prod is not valid for identifier "
            "[/properties/RestApiId, /properties/StageName]",
        )
        alone = self.refuses("InvalidRequestException", self.cloud.list, name)
        self.assertIn("required key [RestApiId] not found", alone)
        other = json.dumps({"RestApiId": "zzzzzzzzzz"})
        self.assertEqual(self.cloud.list(name, ResourceModel=other), [])
        self.end(name, stage, ResourceModel=json.dumps({"RestApiId": "a1b2c3d4e5"}))

    def test_rds_db_instance(self):
        name = "AWS::RDS::DBInstance"
        secret = {"MasterUserPassword": "correct-horse"}
        shown = {
            "DBInstanceIdentifier": "ledger",
            "DBInstanceClass": "db.t4g.micro",
            "Engine": "postgres",
            "MasterUsername": "ledger",
            "AllocatedStorage": "20",
        }
        database = self.succeeds(self.cloud.create(name, shown | secret))
        self.assertEqual(database, "ledger")
        properties = self.cloud.get(name, database)
        self.shows(properties, shown)
        self.assertEqual(properties["DBInstanceArn"], self.arn("db:ledger", "rds"))

        self.assertNotIn("MasterUserPassword", properties)
        self.assertEqual(stored(name)[database]["MasterUserPassword"], "correct-horse")
        grow = {"op": "replace", "path": "/AllocatedStorage", "value": "30"}
        self.update(name, database, [grow], AllocatedStorage="30")
        # The update began from what a read shows, and the password is not among it.
        self.assertNotIn("MasterUserPassword", stored(name)[database])
        again = {"op": "add", "path": "/MasterUserPassword", "value": "battery-staple"}
        self.update(name, database, [again])
        self.assertEqual(stored(name)[database]["MasterUserPassword"], "battery-staple")
        self.end(name, database)

    def test_iam_role(self):
        name = "AWS::IAM::Role"
        role, properties = self.create(
            name, {"RoleName": "runner", "AssumeRolePolicyDocument": TRUST}
        )
        self.assertEqual(role, "runner")
        self.assertEqual(properties["Arn"], self.arn("role/runner", "iam", region=""))
        self.matches("AROA[A-Z0-9]{17}", properties["RoleId"])
        patch = [{"op": "add", "path": "/Description", "value": "runs"}]
        self.update(name, role, patch, Description="runs")
        self.end(name, role)

    def test_lambda_function(self):
        name = "AWS::Lambda::Function"
        code = {"ZipFile": "def handler(event, context): return event"}
        shown = {
            "FunctionName": "echo",
            "Runtime": "python3.13",
            "Handler": "index.handler",
            "Role": self.arn("role/runner", "iam", region=""),
            "MemorySize": 128,
        }
        function = self.succeeds(self.cloud.create(name, shown | {"Code": code}))
        self.assertEqual(function, "echo")
        properties = self.cloud.get(name, function)
        self.shows(properties, shown)
        self.assertEqual(properties["Arn"], self.arn("function:echo", "lambda"))
        self.assertNotIn("ZipFile", properties.get("Code", {}))
        patch = [
            {"op": "add", "path": "/Code", "value": code},
            {"op": "replace", "path": "/MemorySize", "value": 256},
        ]
        self.update(name, function, patch, MemorySize=256)
        self.end(name, function)

    def test_ecs_task_set(self):
        name = "AWS::ECS::TaskSet"
        desired = {"Cluster": "blue", "Service": "web", "TaskDefinition": "web:1"}
        task_set, properties = self.create(name, desired)
        self.matches(r"blue\|web\|[\w/-]+", task_set)
        self.assertEqual(task_set, f"blue|web|{properties['Id']}")
        scale = {"Unit": "PERCENT", "Value": 50}
        patch = [{"op": "add", "path": "/Scale", "value": scale}]
        self.update(name, task_set, patch, Scale=scale)
        unlisted = self.refuses("UnsupportedActionException", self.cloud.list, name)
        self.assertEqual(unlisted, f"Resource type {name} does not support LIST action")
        self.remove(name, task_set)


def in_order(properties):
    """Tags come back in any order."""
    tags = sorted(properties.get("Tags", []), key=lambda tag: tag["Key"])
    return properties | {"Tags": tags}


if __name__ == "__main__":
    main()
