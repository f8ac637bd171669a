# The AWS CDK example of cdk8s RFC 002: AwsCdkResolver writes the name of a bucket that has no name in the code.
import aws_cdk as aws
import cdk8s as k8s
import cdk8s_plus_33 as kplus
from aws_cdk import aws_s3 as s3
from hangar_cdk8s import App, AwsCdkResolver

aws_app = aws.App()
stack = aws.Stack(aws_app, 'aws')

k8s_app = App(resolver=AwsCdkResolver())
manifest = k8s.Chart(k8s_app, 'Manifest')

bucket = s3.Bucket(stack, 'Bucket')
bucket_name = aws.CfnOutput(stack, 'BucketName', value=bucket.bucket_name)

kplus.CronJob(
    manifest,
    'CronJob',
    schedule=k8s.Cron.daily(),
    containers=[
        kplus.ContainerProps(
            image='job',
            env_variables={'BUCKET_NAME': kplus.EnvValue.from_value(bucket_name.value)},
        )
    ],
)

aws_app.synth()
k8s_app.synth()
