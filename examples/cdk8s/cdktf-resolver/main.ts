// The CDKTF example of cdk8s RFC 002: `CdkTfTokenResolver` writes the name of a bucket from its stack's state.
import * as tf from 'cdktf';
import * as aws from '@cdktf/provider-aws';
import * as k8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';

import { CdkTfTokenResolver } from 'hangar-cdk8s';

const awsApp = new tf.App();
const stack = new tf.TerraformStack(awsApp, 'Stack');
// CDKTF refuses a stack whose resources have no provider in it.
new aws.provider.AwsProvider(stack, 'aws', { region: 'us-east-1' });

const resolver = new CdkTfTokenResolver(stack);

const k8sApp = new k8s.App();
const manifest = new k8s.Chart(k8sApp, 'Manifest', { resolver });

const bucket = new aws.s3Bucket.S3Bucket(stack, 'Bucket');

new kplus.CronJob(manifest, 'CronJob', {
  schedule: k8s.Cron.daily(),
  containers: [{
    image: 'job',
    envVariables: {
      // pass the bucket's name in an environment variable
      BUCKET_NAME: kplus.EnvValue.fromValue(bucket.bucket),
    },
  }],
});

awsApp.synth();
k8sApp.synth();
