# An AWS CDK bucket without an explicit name, and a cdk8s CronJob that uses its name.
import aws_cdk as aws
import cdk8s as k8s
import cdk8s_plus_33 as kplus
from aws_cdk import aws_s3 as s3

aws_app = aws.App(outdir='cdk.out')
stack = aws.Stack(aws_app, 'aws')

k8s_app = k8s.App()
manifest = k8s.Chart(k8s_app, 'Manifest')

bucket = s3.Bucket(stack, 'Bucket')
output = aws.CfnOutput(stack, 'BucketName', value=bucket.bucket_name)

kplus.CronJob(
    manifest,
    'CronJob',
    schedule=k8s.Cron.daily(),
    containers=[
        kplus.ContainerProps(
            image='job',
            env_variables={
                'BUCKET_NAME': kplus.EnvValue.from_value(bucket.bucket_name),
                # An output works too, but is not required.
                'OUTPUT_VALUE': kplus.EnvValue.from_value(output.value),
            },
        )
    ],
)

aws_app.synth()
k8s_app.synth()
