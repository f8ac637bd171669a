"""Writes each job to the bucket. The queue delivers failed jobs again."""

import os

import boto3

bucket = boto3.resource("s3").Bucket(os.environ["RESULTS"])


def handler(event, context):
    failed = []
    for record in event["Records"]:
        try:
            bucket.put_object(Key=record["messageId"], Body=record["body"].encode())
        except Exception as error:
            print(f"{record['messageId']}: {error}")
            failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}
