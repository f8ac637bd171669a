// The fixture's app in Python, in TypeScript.
import * as cdk from 'aws-cdk-lib';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';

const awsApp: cdk.App = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const storage: cdk.Stack = new cdk.Stack(awsApp, 'Storage');
const bucket: s3.Bucket = new s3.Bucket(storage, 'Bucket');
const queue: sqs.Queue = new sqs.Queue(storage, 'Queue');

const app: App = new App({ outdir: 'dist' });
const chart: Chart = new Chart(app, 'Manifest');
const data: Record<string, string> = { B: bucket.bucketName, U: `https://${bucket.bucketDomainName}/x`, Q: queue.queueArn };
new ApiObject(chart, 'Cm', { apiVersion: 'v1', kind: 'ConfigMap' }).addJsonPatch(JsonPatch.add('/data', data));
new ApiObject(chart, 'Cm2', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { annotations: { bucket: bucket.bucketName }, labels: { q: queue.queueName } },
});
awsApp.synth();
app.synth();
