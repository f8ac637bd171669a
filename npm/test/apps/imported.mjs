import * as cdk from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ApiObject, App, Chart } from 'cdk8s';

const awsApp = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const bucket = new Bucket(new cdk.Stack(awsApp, 'Storage'), 'Bucket');
const k8sApp = new App();
const chart = new Chart(k8sApp, 'Manifest');
new ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data: { bucket: bucket.bucketName } });
k8sApp.synth();
