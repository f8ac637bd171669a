// The AWS CDK example of cdk8s RFC 002: `AwsCdkResolver` writes the name of a bucket that has no name in the code.
import * as aws from 'aws-cdk-lib';
import * as k8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';

import { AwsCdkResolver } from 'hangar-cdk8s';

const awsApp = new aws.App();
const stack = new aws.Stack(awsApp, 'aws');

const k8sApp = new k8s.App({ resolver: new AwsCdkResolver() });
const manifest = new k8s.Chart(k8sApp, 'Manifest');

const bucket = new aws.aws_s3.Bucket(stack, 'Bucket');
const bucketName = new aws.CfnOutput(stack, 'BucketName', {
  value: bucket.bucketName,
});

new kplus.CronJob(manifest, 'CronJob', {
  schedule: k8s.Cron.daily(),
  containers: [{
    image: 'job',
    envVariables: {
      BUCKET_NAME: kplus.EnvValue.fromValue(bucketName.value),
    },
  }],
});

awsApp.synth();
k8sApp.synth();
