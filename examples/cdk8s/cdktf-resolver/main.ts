// The example of RFC 002 of cdk8s for CDKTF: `CdkTfTokenResolver` writes the name of a bucket from the state of its stack.
import * as tf from 'cdktf';
import * as aws from '@cdktf/provider-aws';
import * as k8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';

import { CdkTfTokenResolver } from 'hangar-cdk8s';

const awsApp = new tf.App();
const stack = new tf.TerraformStack(awsApp, 'Stack');
// CDKTF rejects a stack with resources whose provider is missing.
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
      // passing the bucket name via an env variable
      BUCKET_NAME: kplus.EnvValue.fromValue(bucket.bucket),
    },
  }],
});

awsApp.synth();
k8sApp.synth();
