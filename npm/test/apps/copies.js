// Two copies of each library in one program, as where two packages want other versions of them.
const { createRequire } = require('module');
const inner = createRequire(`${__dirname}/lib/index.js`);
const [one, two] = [require, inner].map((from) => ({ cdk: from('aws-cdk-lib'), s3: from('aws-cdk-lib/aws-s3'), tf: from('cdktf'), k8s: from('cdk8s') }));
for (const name of ['cdk', 'tf', 'k8s']) if (one[name] === two[name]) throw new Error(`one copy of ${name}`);

const values = [one, two].flatMap(({ cdk, s3, tf }, at) => {
  const bucket = new s3.Bucket(new cdk.Stack(new cdk.App({ outdir: `cdk.out-${at}`, analyticsReporting: false }), `Storage${at}`), 'Bucket');
  const data = new tf.DataResource(new tf.TerraformStack(new tf.App({ outdir: '.' }), `storage${at}`), 'Data', {});
  return [bucket.bucketName, `text ${bucket.bucketArn}`, data.id, tf.Token.asNumber(data.output)];
});
for (const [at, { k8s }] of [one, two].entries()) {
  const app = new k8s.App({ outdir: `dist/${at}` });
  const chart = new k8s.Chart(app, 'Manifest');
  new k8s.ApiObject(chart, 'Own', { apiVersion: 'example.com/v1', kind: 'Typed', spec: { values } });
  // An object of the other copy in this one's chart.
  new [one, two][1 - at].k8s.ApiObject(chart, 'Other', { apiVersion: 'example.com/v1', kind: 'Typed', spec: { values } });
  app.synth();
}
