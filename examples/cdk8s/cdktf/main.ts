// A CDKTF resource, and a cdk8s CronJob that uses values that exist only after Terraform has created it. `terraform_data`
// replaces the bucket: it needs neither a provider nor a cloud.
import * as path from 'node:path';

import * as k8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-33';
import * as tf from 'cdktf';

const tfApp = new tf.App({ outdir: 'cdktf.out' });
const stack = new tf.TerraformStack(tfApp, 'infra');
new tf.LocalBackend(stack, { path: path.resolve('infra.tfstate') });

const k8sApp = new k8s.App();
const manifest = new k8s.Chart(k8sApp, 'Manifest');

const bucket = new tf.DataResource(stack, 'Bucket', { input: { name: 'reports', zones: ['a', 'b'] } });

new kplus.CronJob(manifest, 'CronJob', {
  schedule: k8s.Cron.daily(),
  containers: [{
    image: 'job',
    envVariables: {
      BUCKET_ID: kplus.EnvValue.fromValue(bucket.id),
      BUCKET_NAME: kplus.EnvValue.fromValue(tf.Fn.upper(tf.Fn.lookup(bucket.output, 'name', ''))),
    },
  }],
});

tfApp.synth();
k8sApp.synth();
