// An app as `cdk8s init` would have it, for every way to run it.
import { App as AwsApp, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ApiObject, App, Chart } from 'cdk8s';

const bucket: Bucket = new Bucket(new Stack(new AwsApp({ outdir: 'cdk.out', analyticsReporting: false }), 'Storage'), 'Bucket');
const app: App = new App();
const chart: Chart = new Chart(app, 'Manifest');
new ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data: { bucket: bucket.bucketName } });
app.synth();
