// CDKTF, CDK Terrain and the AWS CDK in one program, as while one is left for the other. FIRST says which is loaded first.
const cdk = require('aws-cdk-lib');
const s3 = require('aws-cdk-lib/aws-s3');
const k8s = require('cdk8s');

const names = process.env.FIRST === 'cdktn' ? ['cdktn', 'cdktf'] : ['cdktf', 'cdktn'];
const data = {};
const spec = {};
for (const name of names) {
  const tf = require(name);
  const bucket = new tf.DataResource(new tf.TerraformStack(new tf.App({ outdir: '.' }), name), 'Bucket', {});
  const at = (way) => tf.propertyAccess(bucket.output, [way]);
  data[name] = bucket.id;
  data[`${name}-upper`] = tf.Fn.upper(bucket.id);
  spec[name] = [tf.Token.asNumber(at('port')), tf.Token.asList(at('zones')), tf.Token.asNumberList(at('ports')), tf.Token.asStringMap(bucket.output), at('raw')];
}
const bucket = new s3.Bucket(new cdk.Stack(new cdk.App({ outdir: 'cdk.out', analyticsReporting: false }), 'Storage'), 'Bucket');
data.all = `${bucket.bucketName} ${data.cdktf} ${data.cdktn}`;
spec.aws = [cdk.Token.asNumber(bucket.node.defaultChild.getAtt('Port')), bucket.node.defaultChild.getAtt('Arn')];

const app = new k8s.App();
const chart = new k8s.Chart(app, 'Manifest');
new k8s.ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data });
new k8s.ApiObject(chart, 'Typed', { apiVersion: 'example.com/v1', kind: 'Typed', spec });
app.synth();
