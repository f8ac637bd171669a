// Values of all kinds in all places, in all the ways that cdk8s can divide manifests into files.
const tf = require('cdktf');
const k8s = require('cdk8s');

require('fs').mkdirSync('out', { recursive: true });
const app = new tf.App({ outdir: 'out/cdktf.out' });
const bucket = new tf.DataResource(new tf.TerraformStack(app, 'storage'), 'Bucket', { input: {} });
const names = (process.env.NAMES ?? '').split(',');
const at = (...way) => tf.propertyAccess(bucket.output, way);
const text = (name) => tf.Token.asString(at(name));

function fill(k8sApp) {
  const chart = new k8s.Chart(k8sApp, 'Manifest');
  new k8s.ApiObject(chart, 'Whole', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { annotations: { 'example.com/name': text('plain') } },
    data: Object.fromEntries(names.map((name) => [name, text(name)])),
  });
  new k8s.ApiObject(chart, 'Parts', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: {
      ...Object.fromEntries(names.map((name) => [name, `<${text(name)}>`])),
      lines: `first\n  second: ${text('lines')}\n# third\n`,
      json: JSON.stringify({ plain: text('plain'), list: [text('plain')] }),
      folded: `${'word '.repeat(40)}${text('plain')}`,
      colon: `${text('plain')}: ${text('plain')}`,
      dollar: `$$${text('plain')} \${HOME} $(VAR) \${cfn:A/B}`,
    },
  });
  new k8s.ApiObject(new k8s.Chart(k8sApp, 'Other'), 'Typed', {
    apiVersion: 'example.com/v1',
    kind: 'Typed',
    metadata: { name: text('plain') },
    spec: {
      number: tf.Token.asNumber(at('number')),
      big: tf.Token.asNumber(at('big')),
      list: tf.Token.asList(at('list')),
      numbers: tf.Token.asNumberList(at('numbers')),
      map: tf.Token.asStringMap(at('map')),
      raw: at('map'),
      keys: { [text('plain')]: { [`${text('plain')}/x`]: [text('json')] } },
      literals: ['yes', '0123', 'null', "it's", '${HOME}', 'ě', 'a: b', 1.5, true, null],
    },
  });
  new k8s.ApiObject(new k8s.Chart(k8sApp, 'Plain'), 'Map', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } });
  return k8sApp;
}

for (const type of ['FILE_PER_APP', 'FILE_PER_CHART', 'FILE_PER_RESOURCE', 'FOLDER_PER_CHART_FILE_PER_RESOURCE']) {
  const options = { outdir: `dist/${type}`, yamlOutputType: k8s.YamlOutputType[type], recordConstructMetadata: true };
  fill(new k8s.App(options)).synth();
}
process.stdout.write(fill(new k8s.App()).synthYaml());
app.synth();
