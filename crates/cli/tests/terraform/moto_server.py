"""An AWS on a loopback port of its own, for recipes: moto, for as long as somebody holds our stdin.

It says its port on the first line. Each line it reads asks what is there, and is answered with one line
of JSON, gathered by AWS's own client. When there is nothing more to read (whoever started it closed the
pipe or died, however) it ends.
"""

import json
import sys
import threading

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


def contents(url, region):
    session = boto3.Session("any", "any", region_name=region)

    def client(service):
        return session.client(service, endpoint_url=url)

    def every(service, operation, key):
        pages = client(service).get_paginator(operation).paginate()
        return [item for page in pages for item in page.get(key, [])]

    return {
        "vpcs": [vpc["VpcId"] for vpc in every("ec2", "describe_vpcs", "Vpcs")],
        "subnets": [subnet["SubnetId"] for subnet in every("ec2", "describe_subnets", "Subnets")],
        "buckets": [bucket["Name"] for bucket in every("s3", "list_buckets", "Buckets")],
        "roles": [role["RoleName"] for role in every("iam", "list_roles", "Roles")],
        "queues": [url.rsplit("/", 1)[1] for url in every("sqs", "list_queues", "QueueUrls")],
    }


def main():
    [region] = sys.argv[1:]
    application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, application, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    for _ in sys.stdin:
        print(json.dumps(contents(f"http://127.0.0.1:{server.server_port}", region)), flush=True)


main()
