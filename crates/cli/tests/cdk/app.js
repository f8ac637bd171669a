// An app of the AWS CDK with what references must tell apart: a stack whose resources have no names, a second stack
// with the same logical id, a stage, a nested stack, an identifier of two parts. It declares no output.
const cdk = require('aws-cdk-lib');
const apigateway = require('aws-cdk-lib/aws-apigateway');
const s3 = require('aws-cdk-lib/aws-s3');
const sqs = require('aws-cdk-lib/aws-sqs');

const app = new cdk.App({ outdir: process.argv[2], analyticsReporting: false });

const storage = new cdk.Stack(app, 'Storage');
new s3.Bucket(storage, 'Bucket');
const queue = new sqs.Queue(storage, 'Queue');

const compute = new cdk.Stack(app, 'Compute');
new s3.Bucket(compute, 'Bucket');
new sqs.Queue(compute, 'Consumer', { queueName: `c-${queue.queueName}` });

const prod = new cdk.Stage(app, 'Prod', { env: { account: '111122223333', region: 'eu-west-1' } });
const service = new cdk.Stack(prod, 'App');
const nested = new cdk.NestedStack(service, 'Nested');
new sqs.Queue(nested, 'Queue');
const api = new apigateway.CfnRestApi(service, 'Api', { name: 'api' });
const deployment = new apigateway.CfnDeployment(service, 'Deployment', { restApiId: api.ref });
new apigateway.CfnStage(service, 'Stage', {
  restApiId: api.ref,
  deploymentId: deployment.ref,
  stageName: 'prod',
});
new cdk.CfnParameter(service, 'Replicas', { type: 'Number', default: 2 });

app.synth();
