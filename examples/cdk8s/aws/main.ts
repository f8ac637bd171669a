// An AWS CDK bucket without an explicit name, and a cdk8s CronJob that uses its name.
import * as aws from 'aws-cdk-lib';
import * as k8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';

const awsApp = new aws.App({ outdir: 'cdk.out' });
const stack = new aws.Stack(awsApp, 'aws');

const k8sApp = new k8s.App();
const manifest = new k8s.Chart(k8sApp, 'Manifest');

const bucket = new aws.aws_s3.Bucket(stack, 'Bucket');
const output = new aws.CfnOutput(stack, 'BucketName', { value: bucket.bucketName });

new kplus.CronJob(manifest, 'CronJob', {
  schedule: k8s.Cron.daily(),
  containers: [{
    image: 'job',
    envVariables: {
      BUCKET_NAME: kplus.EnvValue.fromValue(bucket.bucketName),
      // An output works too, but is not required.
      OUTPUT_VALUE: kplus.EnvValue.fromValue(output.value as string),
    },
  }],
});

awsApp.synth();
k8sApp.synth();
