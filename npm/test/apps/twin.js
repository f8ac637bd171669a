// app.py in JavaScript.
const cdk = require('aws-cdk-lib');
const s3 = require('aws-cdk-lib/aws-s3');
const sqs = require('aws-cdk-lib/aws-sqs');
const cdk8s = require('cdk8s');

const awsApp = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const storage = new cdk.Stack(awsApp, 'Storage');
const bucket = new s3.Bucket(storage, 'Bucket');
const queue = new sqs.Queue(storage, 'Queue');

const k8sApp = new cdk8s.App({ outdir: 'dist' });
const chart = new cdk8s.Chart(k8sApp, 'Manifest');
const patched = new cdk8s.ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap' });
patched.addJsonPatch(cdk8s.JsonPatch.add('/data', {
  bucket: bucket.bucketName,
  text: `https://${bucket.bucketDomainName}/x`,
  queue: queue.queueArn,
  joined: cdk.Fn.join('-', ['a', bucket.bucketName]),
}));
const annotations = { bucket: bucket.bucketName };
new cdk8s.ApiObject(chart, 'Other', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { annotations } });
awsApp.synth();
k8sApp.synth();
