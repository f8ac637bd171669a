// A cdk8s app beside AWS CDK stacks, for the comparison with the published resolver: each value has an output, as that one wants.

const path = require('node:path');

const from = (name) => require(require.resolve(name, { paths: [process.env.BENCH_MODULES] }));
const cdk = from('aws-cdk-lib/core');
const sqs = from('aws-cdk-lib/aws-sqs');
const k8s = from('cdk8s');

const out = process.env.BENCH_OUT;
const [stacks, uses] = [Number(process.env.BENCH_STACKS), Number(process.env.BENCH_USES)];
const resolvers = [];
if (process.env.BENCH_RESOLVER === 'published') {
  const { AwsCdkResolver } = from('@cdk8s/awscdk-resolver');
  resolvers.push(new AwsCdkResolver());
}
const awsApp = new cdk.App({ outdir: path.join(out, 'cdk.out'), analyticsReporting: false });
const k8sApp = new k8s.App({ outdir: path.join(out, 'dist'), resolvers });
const chart = new k8s.Chart(k8sApp, 'manifest');
const data = {};
const use = (stack, name, value) => {
  new cdk.CfnOutput(stack, `Out${name}`, { value });
  for (let at = 0; at < uses; at += 1) data[`${stack.stackName}-${name}-${at}`] = value;
};
for (let at = 0; at < stacks; at += 1) {
  const stack = new cdk.Stack(awsApp, `bench-${stacks}-${at}`);
  for (let queue = 0; queue < (stacks === 1 ? 1 : 5); queue += 1) {
    const { queueName, queueArn } = new sqs.Queue(stack, `Queue${queue}`);
    use(stack, `Name${queue}`, queueName);
    if (stacks > 1) use(stack, `Arn${queue}`, queueArn);
  }
}
new k8s.ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', data });
awsApp.synth();
k8sApp.synth();
