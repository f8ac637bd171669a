// The same for CDKTF and for CDK Terrain: LIBRARY says which. `terraform_data` needs no provider.
const tf = require(process.env.LIBRARY ?? 'cdktf');
const k8s = require('cdk8s');

const resolvers = process.env.RESOLVER ? [new (require(process.env.RESOLVER).CdktfResolver)({ app: undefined })] : [];
require('fs').mkdirSync('out', { recursive: true });
const app = new tf.App({ outdir: 'out/cdktf.out' });
const storage = new tf.TerraformStack(app, 'storage');
const compute = new tf.TerraformStack(app, 'compute');
const bucket = new tf.DataResource(storage, 'Bucket', { input: { name: 'example-bucket', port: 5432, zones: ['a', 'b'] } });
const other = new tf.DataResource(compute, 'Bucket', { input: 'other' });
new tf.DataResource(compute, 'Consumer', { input: `c-${bucket.id}` });
const at = (...way) => tf.propertyAccess(bucket.output, way);

const data = {
  id: bucket.id,
  other: other.id,
  text: `https://${bucket.id}/x`,
  both: `${bucket.id}:${other.id}`,
  upper: tf.Fn.upper(tf.Fn.lookup(bucket.output, 'name', '')),
  zones: tf.Fn.join(',', tf.Token.asList(at('zones'))),
  portText: `port=${tf.Token.asNumber(at('port'))}`,
  portString: tf.Token.asString(tf.Token.asNumber(at('port'))),
  portPrinted: String(tf.Token.asNumber(at('port'))),
  deep: tf.Token.asString(at('port')),
  sum: tf.Token.asString(tf.Fn.sum([tf.Token.asNumber(at('port'))])),
  expression: '${' + bucket.fqn + '.id}',
  shell: `\${HOME} ${bucket.id}`,
};
const bad = {
  LOWERCASED: () => bucket.id.toLowerCase(),
  BASE64: () => Buffer.from(bucket.id).toString('base64'),
  TWO_STACKS: () => tf.Fn.join('-', [bucket.id, other.id]),
};
for (const name of (process.env.BAD ?? '').split(',').filter((it) => it !== '')) data[name] = bad[name]();

const k8sApp = new k8s.App({ outdir: 'out/dist', resolvers });
const chart = new k8s.Chart(k8sApp, 'Manifest');
new k8s.ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data });
new k8s.ApiObject(chart, 'Typed', {
  apiVersion: 'example.com/v1',
  kind: 'Typed',
  spec: {
    list: tf.Token.asList(at('zones')),
    numbers: tf.Token.asNumberList(at('ports')),
    number: tf.Token.asNumber(at('port')),
    map: tf.Token.asStringMap(bucket.output),
    raw: at('name'),
    key: { [bucket.id]: true },
  },
});
if (process.env.ORDER === 'k8s-first') {
  k8sApp.synth();
  app.synth();
} else {
  app.synth();
  k8sApp.synth();
}
