// An app of cdk8s over stacks of the AWS CDK: two stacks with the same logical id, a stage with an account and region of its own, and
// a nested stack. It declares no output, and writes three manifests, of which one needs nothing.
const cdk = require('aws-cdk-lib/core');
const s3 = require('aws-cdk-lib/aws-s3');
const sqs = require('aws-cdk-lib/aws-sqs');
const k8s = require('cdk8s');

const app = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const storage = new cdk.Stack(app, 'Storage');
const bucket = new s3.CfnBucket(storage, 'Bucket');
const replicas = new cdk.CfnParameter(storage, 'Replicas', { type: 'Number', default: 2 });
const compute = new cdk.Stack(app, 'Compute');
const other = new s3.CfnBucket(compute, 'Bucket');
const prod = new cdk.Stage(app, 'Prod', { env: { account: '111122223333', region: 'eu-west-1' } });
const service = new cdk.Stack(prod, 'App');
const staged = new s3.CfnBucket(service, 'Bucket');
const nested = new cdk.NestedStack(service, 'Nested');
const queue = new sqs.CfnQueue(nested, 'Queue');

const manifests = new k8s.App({ recordConstructMetadata: true });
const object = (chart, id, kind, more) => new k8s.ApiObject(chart, id, { apiVersion: 'v1', kind, ...more });
object(new k8s.Chart(manifests, 'names'), 'Map', 'ConfigMap', {
  data: {
    storage: bucket.ref,
    compute: other.ref,
    staged: staged.ref,
    nested: queue.attrQueueName,
    site: `https://${bucket.attrDomainName}/x`,
    joined: cdk.Fn.join('-', [bucket.ref, other.ref]),
    both: JSON.stringify({ bucket: bucket.ref, replicas: replicas.valueAsNumber }),
    shell: '${HOME} $(POD_NAME)',
    block: `first ${bucket.ref}\nsecond\n`,
  },
});
object(new k8s.Chart(manifests, 'plain'), 'Map', 'ConfigMap', { data: { name: 'plain' } });
object(new k8s.Chart(manifests, 'typed'), 'Typed', 'Typed', {
  spec: { replicas: replicas.valueAsNumber, keys: { [bucket.ref]: true }, arn: bucket.attrArn },
});

app.synth();
manifests.synth();
