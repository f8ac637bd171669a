// A cdk8s app beside CDKTF stacks of Terraform's built-in resource, for the comparison with the published resolver.

const path = require('node:path');

const from = (name) => require(require.resolve(name, { paths: [process.env.BENCH_MODULES] }));
const tf = from('cdktf');
const k8s = from('cdk8s');

const out = process.env.BENCH_OUT;
const [stacks, uses] = [Number(process.env.BENCH_STACKS), Number(process.env.BENCH_USES)];
require('node:fs').mkdirSync(out, { recursive: true });
const tfApp = new tf.App({ outdir: path.join(out, 'cdktf.out') });
const resolvers = [];
if (process.env.BENCH_RESOLVER === 'published') {
  const { CdktfResolver } = from('@cdk8s/cdktf-resolver');
  resolvers.push(new CdktfResolver({ app: tfApp }));
}
const k8sApp = new k8s.App({ outdir: path.join(out, 'dist'), resolvers });
const chart = new k8s.Chart(k8sApp, 'manifest');
const data = {};
for (let at = 0; at < stacks; at += 1) {
  const stack = new tf.TerraformStack(tfApp, `bench-${stacks}-${at}`);
  new tf.LocalBackend(stack, { path: path.join(process.env.BENCH_STATES, `bench-${stacks}-${at}.tfstate`) });
  for (let item = 0; item < (stacks === 1 ? 1 : 10); item += 1) {
    // Each time an attribute is read it is another token, and the published resolver compares them as texts.
    const value = new tf.DataResource(stack, `Item${item}`, { input: `value-${item}` }).id;
    new tf.TerraformOutput(stack, `Out${item}`, { value });
    for (let use = 0; use < uses; use += 1) data[`${at}-${item}-${use}`] = value;
  }
}
new k8s.ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', data });
tfApp.synth();
k8sApp.synth();
