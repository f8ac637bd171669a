# The example of RFC 002 of cdk8s for CDKTF: CdkTfTokenResolver writes the name of a bucket from the state of its stack.
import cdk8s as k8s
import cdk8s_plus_33 as kplus
import cdktf as tf
from cdktf_cdktf_provider_aws.provider import AwsProvider
from cdktf_cdktf_provider_aws.s3_bucket import S3Bucket
from hangar_cdk8s import CdkTfTokenResolver, Chart

aws_app = tf.App()
stack = tf.TerraformStack(aws_app, 'Stack')
# CDKTF rejects a stack with resources whose provider is missing.
AwsProvider(stack, 'aws', region='us-east-1')

resolver = CdkTfTokenResolver(stack)

k8s_app = k8s.App()
manifest = Chart(k8s_app, 'Manifest', resolver=resolver)

bucket = S3Bucket(stack, 'Bucket')

kplus.CronJob(
    manifest,
    'CronJob',
    schedule=k8s.Cron.daily(),
    containers=[
        kplus.ContainerProps(
            image='job',
            # passing the bucket name via an env variable
            env_variables={'BUCKET_NAME': kplus.EnvValue.from_value(bucket.bucket)},
        )
    ],
)

aws_app.synth()
k8s_app.synth()
