import aws_cdk as cdk
import cdk8s
from aws_cdk import aws_s3 as s3, aws_sqs as sqs

aws_app = cdk.App(outdir='cdk.out', analytics_reporting=False)
storage = cdk.Stack(aws_app, 'Storage')
bucket = s3.Bucket(storage, 'Bucket')
queue = sqs.Queue(storage, 'Queue')

k8s_app = cdk8s.App(outdir='dist')
chart = cdk8s.Chart(k8s_app, 'Manifest')
patched = cdk8s.ApiObject(chart, 'Map', api_version='v1', kind='ConfigMap')
patched.add_json_patch(cdk8s.JsonPatch.add('/data', {
    'bucket': bucket.bucket_name,
    'text': f'https://{bucket.bucket_domain_name}/x',
    'queue': queue.queue_arn,
    'joined': cdk.Fn.join('-', ['a', bucket.bucket_name]),
}))
annotations = {'bucket': bucket.bucket_name}
cdk8s.ApiObject(chart, 'Other', api_version='v1', kind='ConfigMap', metadata=cdk8s.ApiObjectMetadata(annotations=annotations))
aws_app.synth()
k8s_app.synth()
