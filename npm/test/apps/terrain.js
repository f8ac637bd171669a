// An app of CDK Terrain, the successor of CDKTF, with values that a local state can give.
const path = require('path');
const { App, DataResource, Fn, LocalBackend, TerraformStack, Token, propertyAccess } = require('cdktn');
const k8s = require('cdk8s');

require('fs').mkdirSync('out', { recursive: true });
const app = new App({ outdir: 'out/cdktf.out' });
const [storage, compute] = ['storage', 'compute'].map((name) => {
  const stack = new TerraformStack(app, name);
  new LocalBackend(stack, { path: path.resolve(`out/${name}.tfstate`) });
  return stack;
});
const bucket = new DataResource(storage, 'Bucket', { input: { name: 'example-bucket', port: 5432, zones: ['a', 'b'] } });
const other = new DataResource(compute, 'Bucket', { input: 'other' });

const k8sApp = new k8s.App({ outdir: 'out/dist' });
new k8s.ApiObject(new k8s.Chart(k8sApp, 'Manifest'), 'Cm', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data: {
    ID: bucket.id,
    NAME: Fn.upper(Fn.lookup(bucket.output, 'name', '')),
    ZONES: Fn.join(',', Token.asList(propertyAccess(bucket.output, ['zones']))),
    OTHER: other.id,
  },
});
app.synth();
k8sApp.synth();
