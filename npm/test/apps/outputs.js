// Values that have no reference of their own, with outputs declared for them.
const cdk = require('aws-cdk-lib');
const tf = require('cdktf');
const k8s = require('cdk8s');
const sqs = require('aws-cdk-lib/aws-sqs');

const awsApp = new cdk.App({ outdir: 'cdk.out', analyticsReporting: false });
const stack = new cdk.Stack(awsApp, 'Settings', { env: { account: '111122223333', region: 'eu-west-1' } });
const queue = new sqs.Queue(stack, 'Queue');
const isProduction = new cdk.CfnCondition(stack, 'IsProduction', { expression: cdk.Fn.conditionEquals(cdk.Aws.REGION, 'eu-west-1') });
const size = cdk.Fn.conditionIf(isProduction.logicalId, queue.queueName, 'small').toString();
const undeclared = cdk.Fn.conditionIf(isProduction.logicalId, 'large', 'small').toString();
const zones = cdk.Fn.join(',', cdk.Fn.getAzs());
new cdk.CfnOutput(stack, 'Size', { value: size });
new cdk.CfnOutput(stack, 'Zones', { value: zones, exportName: 'the-zones' });
new cdk.CfnOutput(stack, 'QueueName', { value: queue.queueName });
const joined = cdk.Fn.join('-', [queue.queueName, 'dead']);
new cdk.CfnOutput(stack, 'Joined', { value: joined, condition: isProduction });
const chosen = cdk.Fn.conditionIf(isProduction.logicalId, 'a', 'b').toString();
new cdk.CfnOutput(stack, 'Chosen', { value: chosen, condition: isProduction });
const nested = new cdk.NestedStack(stack, 'Nested');
new sqs.Queue(nested, 'Queue');
const inner = cdk.Fn.conditionIf('Inner', 'a', 'b').toString();
new cdk.CfnOutput(nested, 'Inner', { value: inner });
const [one, other] = ['One', 'Other'].map((name) => new cdk.Stack(awsApp, name));
for (const it of [one, other]) new cdk.CfnOutput(it, 'Twice', { value: 'x', exportName: 'twice' });

const tfApp = new tf.App({ outdir: 'cdktf.out' });
const storage = new tf.TerraformStack(tfApp, 'storage');
const variable = new tf.TerraformVariable(storage, 'Zone', { type: 'string', default: 'a' }).stringValue;
const local = new tf.TerraformLocal(storage, 'Local', 'x').asString;
new tf.TerraformOutput(storage, 'ZoneName', { value: variable });
new tf.TerraformOutput(storage, 'LocalName', { value: local });

const data = {
  size,
  text: `size=${size}/`,
  zones,
  joined,
  chosen,
  queue: queue.queueName,
  inner,
  imported: cdk.Fn.importValue('the-zones'),
  foreign: cdk.Fn.importValue('of-another-program'),
  variable,
  local: `local=${local}`,
};
if (process.env.BAD !== undefined) Object.assign(data, { undeclared, zone: cdk.Fn.select(0, cdk.Fn.getAzs()), twice: cdk.Fn.importValue('twice') });
const k8sApp = new k8s.App();
new k8s.ApiObject(new k8s.Chart(k8sApp, 'Manifest'), 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data });
const synths = [() => awsApp.synth(), () => tfApp.synth(), () => k8sApp.synth()];
for (const synth of process.env.ORDER === 'k8s-first' ? synths.reverse() : synths) synth();
