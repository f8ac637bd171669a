// Manifests by other ways than App.synth; SAVE says which.
const tf = require('cdktf');
const k8s = require('cdk8s');

const bucket = new tf.DataResource(new tf.TerraformStack(new tf.App({ outdir: '.' }), 'storage'), 'Bucket', {});
const app = new k8s.App({ outdir: process.env.OUTDIR ?? 'dist' });
const chart = new k8s.Chart(app, 'Manifest');
const name = process.env.CHANGE === undefined ? bucket.id : bucket.id.toLowerCase();
new k8s.ApiObject(chart, 'Map', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data: {
    id: name,
    // An object that saves a file of its own when it is asked.
    own: k8s.Lazy.any({
      produce: () => {
        require('fs').mkdirSync('dist', { recursive: true });
        k8s.Yaml.save('dist/own.yaml', [{ own: '${HOME}' }]);
        return require('fs').readFileSync('dist/own.yaml', 'utf8');
      },
    }),
  },
});
if (process.env.SAVE === 'yaml') {
  const shared = { a: 1 };
  k8s.Yaml.save('saved.yaml', chart.toJson());
  k8s.Yaml.save('shared.yaml', [{ one: shared, two: shared }]);
} else if (process.env.SAVE === 'json') {
  require('fs').writeFileSync(process.env.JSON_FILE, JSON.stringify(chart.toJson(), null, 2));
} else if (process.env.SAVE === 'stringify') {
  process.stdout.write(k8s.Yaml.stringify(...chart.toJson()));
} else {
  app.synth();
  if (process.env.TWICE !== undefined) app.synth();
  new k8s.App({ outdir: 'empty' }).synth();
}
