// A synthesis that uses other threads and processes, one of which synthesizes too.
const { execFileSync } = require('child_process');
const { Worker, isMainThread } = require('worker_threads');

if (isMainThread) {
  if (execFileSync(process.execPath, ['-p', '1 + 1'], { encoding: 'utf8' }) !== '2\n') throw new Error('another process is disturbed');
  new Worker(__filename).on('error', (error) => {
    throw error;
  });
}
const tf = require('cdktf');
const k8s = require('cdk8s');
const bucket = new tf.DataResource(new tf.TerraformStack(new tf.App({ outdir: '.' }), 'storage'), 'Bucket', {});
const app = new k8s.App({ outdir: isMainThread ? 'dist/main' : 'dist/worker' });
new k8s.ApiObject(new k8s.Chart(app, 'Manifest'), 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data: { id: bucket.id } });
app.synth();
