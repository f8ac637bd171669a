// The seed's app and what else a token of the AWS CDK can stand in. ORDER=k8s-first swaps the two synth calls.
const cdk = require('aws-cdk-lib');
const s3 = require('aws-cdk-lib/aws-s3');
const sqs = require('aws-cdk-lib/aws-sqs');
const route53 = require('aws-cdk-lib/aws-route53');
const k8s = require('cdk8s');
const { IntOrString, KubeDeployment, KubeService } = require('cdk8s-plus-33/lib/imports/k8s');

const resolvers = process.env.RESOLVER ? [new (require(process.env.RESOLVER).AwsCdkResolver)()] : [];
const awsApp = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const k8sApp = new k8s.App({ resolvers });

const storage = new cdk.Stack(awsApp, 'Storage');
const bucket = new s3.Bucket(storage, 'Bucket');
const queue = new sqs.Queue(storage, 'Queue');
const zone = new route53.CfnHostedZone(storage, 'Zone', { name: 'example.com' });
const names = new cdk.CfnParameter(storage, 'Names', { type: 'CommaDelimitedList', default: 'a,b' });
const output = new cdk.CfnOutput(storage, 'BucketName', { value: bucket.bucketName });

const compute = new cdk.Stack(awsApp, 'Compute', { env: { account: '111122223333', region: 'eu-west-1' } });
const other = new s3.Bucket(compute, 'Bucket');
const nested = new cdk.NestedStack(compute, 'Nested');
const inner = new sqs.Queue(nested, 'Queue');

// Takes from Storage, so that the CDK itself adds an export there and an import here.
new sqs.Queue(new cdk.Stack(awsApp, 'Consumer'), 'Queue', { queueName: `c-${queue.queueName}` });

const stage = new cdk.Stage(awsApp, 'Prod');
const staged = new s3.Bucket(new cdk.Stack(stage, 'App'), 'Bucket');

const port = queue.node.defaultChild.getAtt('Port');
const data = {
  bucket: bucket.bucketName,
  output: output.value,
  text: `https://${bucket.bucketDomainName}/x`,
  other: other.bucketName,
  nested: inner.queueArn,
  staged: staged.bucketName,
  mixed: `${bucket.bucketName} in ${other.bucketName}`,
  join: cdk.Fn.join('-', ['a', bucket.bucketName]),
  two: cdk.Fn.join('-', [bucket.bucketName, other.bucketName, inner.queueName]),
  queueName: queue.queueName,
  arn: storage.formatArn({ service: 's3', resource: bucket.bucketName }),
  stackId: storage.stackId,
  region: storage.region,
  json: storage.toJsonString({ b: bucket.bucketName, l: zone.attrNameServers, n: 1 }),
  portText: `port=${cdk.Token.asNumber(port)}`,
  portString: cdk.Token.asString(port),
  paramJoin: cdk.Fn.join('+', names.valueAsList),
  paramItem: cdk.Fn.select(1, names.valueAsList),
  paramCount: cdk.Token.asString(cdk.Fn.len(names.valueAsList)),
  paramJson: storage.toJsonString({ l: names.valueAsList }),
  secret: cdk.SecretValue.secretsManager('my-secret').unsafeUnwrap(),
  ssm: `a-${new cdk.CfnDynamicReference(cdk.CfnDynamicReferenceService.SSM, '/a/b')}`,
  dynamic: '{{resolve:ssm:/by/hand}}',
  noValue: cdk.Aws.NO_VALUE,
  literal: '${cfn:By/Hand#Arn} ${HOME} $(VAR)',
  escaped: `\${cfn:A/B}: ${bucket.bucketName}`,
  dollar: `$${bucket.bucketName}`,
};
const bad = {
  LOWERCASED: () => bucket.bucketName.toLowerCase(),
  UPPERCASED: () => bucket.bucketName.toUpperCase(),
  BASE64: () => Buffer.from(bucket.bucketName).toString('base64'),
  BASE64_1: () => Buffer.from(`a${bucket.bucketName}`).toString('base64'),
  BASE64_2: () => Buffer.from(`ab${bucket.bucketName}`).toString('base64'),
  CUT: () => bucket.bucketName.slice(0, -2),
  URL: () => encodeURIComponent(bucket.bucketName),
  ITEM: () => zone.attrNameServers[0],
  ROUNDED: () => `port=${cdk.Token.asNumber(port).toExponential(3)}`,
  DOUBLED: () => cdk.Token.asNumber(port) * 2,
  ABSOLUTE: () => Math.abs(cdk.Token.asNumber(port)),
  LOCAL: () => cdk.Token.asNumber(port).toLocaleString(),
  HREF: () => new URL(`https://x/${bucket.bucketName}`).href,
  END: () => bucket.bucketName.slice(7),
  SLUG: () => bucket.bucketName.replace(/[^a-z0-9]/gi, '-').toLowerCase(),
  NO_STACK: () => cdk.Fn.ref('Somewhere'),
  CONDITION: () => cdk.Fn.conditionIf('C', bucket.bucketName, '').toString(),
  FOREIGN: () => '${Token[TOKEN.999999]}',
};
for (const name of (process.env.BAD ?? '').split(',').filter((it) => it !== '')) data[name] = bad[name]();

const chart = new k8s.Chart(k8sApp, 'Manifest');
const map = new k8s.ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data });
map.addJsonPatch(k8s.JsonPatch.add('/data/patched', queue.queueArn));
new k8s.ApiObject(chart, 'Typed', {
  apiVersion: 'example.com/v1',
  kind: 'Typed',
  spec: {
    list: zone.attrNameServers,
    parameter: names.valueAsList,
    number: cdk.Token.asNumber(port),
    // Without the hook cdk8s cannot write this one at all.
    raw: process.env.RAW === 'no' ? '' : queue.node.defaultChild.getAtt('Arn'),
    lazy: k8s.Lazy.any({ produce: () => bucket.bucketArn }),
    some: ['first', cdk.Aws.NO_VALUE, 'last'],
    key: { [`x-${bucket.bucketName}`]: true },
  },
});
new KubeDeployment(chart, 'Deployment', {
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { spec: { containers: [{ name: 'main', image: 'job', args: zone.attrNameServers }] } },
  },
});
new KubeService(chart, 'Service', { spec: { ports: [{ port: 80, targetPort: IntOrString.fromNumber(cdk.Token.asNumber(port)) }] } });
new k8s.ApiObject(new k8s.Chart(k8sApp, 'Plain'), 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } });

if (process.env.ORDER === 'k8s-first') {
  k8sApp.synth();
  awsApp.synth();
} else {
  awsApp.synth();
  k8sApp.synth();
}
