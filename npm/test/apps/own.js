// An app with resolvers of its own, as RFC 002 of cdk8s has them. CASE says which, CDK8S where App and Chart come from.
const tf = require('cdktf');
const k8s = require('cdk8s');

const hangar = process.env.PACKAGE ? require(process.env.PACKAGE) : {};
const { App, Chart } = process.env.CDK8S === 'package' ? hangar : k8s;
const seen = [];
const print = (context, value) => void seen.push(`${context.obj.kind} ${JSON.stringify(context.key)} ${JSON.stringify(value)}`);
class Upper {
  resolve(context, value) {
    print(context, value);
    return context.key.join('.') === 'spec.type' ? `${value}!` : undefined;
  }
}
class Suffix {
  constructor(suffix) {
    this.suffix = suffix;
  }
  resolve(context, value) {
    return context.key[0] === 'spec' && typeof value === 'string' ? value + this.suffix : value;
  }
}
class CdkStyle {
  resolve(context) {
    if (context.key.join('.') === 'spec.type' && context.value === 'LoadBalancer') context.replaceValue('ClusterIP');
  }
}
class Final {
  finalize(context, value) {
    print(context, value);
    return context.key.join('.') === 'spec.id' ? `${value} final` : value;
  }
}
const finalOf = (result) => ({ finalize: (context, value) => (context.key.join('.') === 'spec.id' ? result() : value) });
const result = (value) => ({ resolve: (context, it) => (context.key.join('.') === 'spec.type' ? value : it) });

const bucket = new tf.DataResource(new tf.TerraformStack(new tf.App({ outdir: '.' }), 'storage'), 'Bucket', {});
const cases = {
  none: () => [{}, {}],
  app: () => [{ resolver: new Upper() }, {}],
  chart: () => [{}, { resolver: new Upper() }],
  list: () => [{ resolvers: [new Upper()] }, {}],
  order: () => [{ resolvers: [new Suffix('-list'), new CdkStyle()], resolver: new Suffix('-app') }, { resolver: new Suffix('-chart') }],
  cdkStyle: () => [{ resolver: new CdkStyle() }, {}],
  token: () => [{ resolver: result(bucket.id) }, {}],
  object: () => [{ resolver: result({ a: [1, { b: true }] }) }, {}],
  removed: () => [{ resolver: result(null) }, {}],
  promise: () => [{ resolver: result(Promise.resolve('a')) }, {}],
  wrong: () => [{ resolver: 'mine' }, {}],
  hangar: () => [{ resolver: new hangar.HangarResolver({ mode: process.env.MODE }) }, {}],
  tf: () => [{}, { resolver: new hangar.CdkTfTokenResolver() }],
  aws: () => [{ resolver: new hangar.AwsCdkResolver() }, {}],
  final: () => [{ resolver: new Final() }, {}],
  finalToken: () => [{ resolver: finalOf(() => bucket.id) }, {}],
  finalReference: () => [{ resolver: finalOf(() => '${tf:storage/terraform_data.Bucket#id}') }, {}],
  unseen: () => [{ resolver: new (class Mine extends hangar.ValueResolver {})() }, {}],
};
const [appProps, chartProps] = cases[process.env.CASE]();
const app = new App({ outdir: 'dist', ...appProps });
const chart = new Chart(app, 'Manifest', chartProps);
const id = process.env.TOKEN === 'no' ? 'literal' : bucket.id;
const service = new k8s.ApiObject(chart, 'Service', { apiVersion: 'v1', kind: 'Service', spec: { type: 'LoadBalancer', id, ports: [{ port: 80 }] } });
new k8s.ApiObject(new Chart(app, 'Other'), 'Service', { apiVersion: 'v1', kind: 'Service', spec: { type: 'LoadBalancer' } });
switch (process.env.ASK) {
  case 'yaml':
    console.log(app.synthYaml());
    break;
  case 'chart':
    console.log(JSON.stringify(chart.toJson()));
    break;
  case 'object':
    console.log(JSON.stringify([service.toJson()]));
    break;
  default:
    app.synth();
    console.log(seen.join('\n'));
}
