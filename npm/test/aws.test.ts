import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, FIXTURES, INDEX, installed, run, scalars, treeIn, withFixtures } from './run';

const APP = path.join(APPS, 'aws.js');

function manifest(done: ReturnType<typeof run>): string {
  assert.equal(done.status, 0, done.stderr);
  const yaml = [...done.files('dist')].find(([name]) => name.startsWith('manifest'))?.[1];
  return yaml ?? assert.fail(`no manifest: ${done.stderr}`);
}

const hooked = run(APP);
const BUCKET = { $ref: { stack: 'Storage', logicalId: 'Bucket83908E77', attr: 'Ref' } };

test('every kind of token becomes its reference', () => {
  const values = scalars(manifest(hooked));
  const place = '?account=111122223333&region=eu-west-1';
  const expected = {
    bucket: '${cfn:Storage/Bucket83908E77#Ref}',
    output: '${cfn:Storage/Bucket83908E77#Ref}',
    text: 'https://${cfn:Storage/Bucket83908E77#DomainName}/x',
    other: `\${cfn:Compute/Bucket83908E77#Ref${place}}`,
    nested: `\${cfn:Compute/NestedNestedStackNestedNestedStackResourceDEFDAA4D/Queue4A7E3555#Arn${place}}`,
    staged: '${cfn:Prod-App/Bucket83908E77#Ref}',
    mixed: `\${cfn:Storage/Bucket83908E77#Ref} in \${cfn:Compute/Bucket83908E77#Ref${place}}`,
    arn: 'arn:${cfn:Storage/AWS::Partition}:s3:${cfn:Storage/AWS::Region}:${cfn:Storage/AWS::AccountId}:${cfn:Storage/Bucket83908E77#Ref}',
    stackId: '${cfn:Storage/AWS::StackId}',
    queueName: '${cfn:Storage/Queue4A7E3555#QueueName}',
    portText: 'port=${cfn:Storage/Queue4A7E3555#Port}',
    portString: '${cfn:Storage/Queue4A7E3555#Port|text}',
    literal: '${cfn:By/Hand#Arn} ${HOME} $(VAR)',
    escaped: '"$${cfn:A/B}: ${cfn:Storage/Bucket83908E77#Ref}"',
    patched: '${cfn:Storage/Queue4A7E3555#Arn}',
    list: '${cfn:Storage/Zone#NameServers|list}',
    parameter: '${cfn:Storage/Names#Ref|list}',
    number: '${cfn:Storage/Queue4A7E3555#Port|number}',
    raw: '${cfn:Storage/Queue4A7E3555#Arn}',
    lazy: '${cfn:Storage/Bucket83908E77#Arn}',
  };
  for (const [name, reference] of Object.entries(expected)) assert.equal(values[name], reference, name);
  assert.deepEqual(treeIn(values.join), { 'Fn::Join': ['-', ['a', BUCKET]] });
  const [account, region] = ['111122223333', 'eu-west-1'];
  const other = { $ref: { stack: 'Compute', account, region, logicalId: 'Bucket83908E77', attr: 'Ref' } };
  const way = ['Compute', 'NestedNestedStackNestedNestedStackResourceDEFDAA4D'];
  const inner = { $ref: { stack: way, account, region, logicalId: 'Queue4A7E3555', attr: 'QueueName' } };
  assert.deepEqual(treeIn(values.two), { 'Fn::Join': ['-', [BUCKET, other, inner]] });
  assert.deepEqual(treeIn(values.region), { Ref: 'AWS::Region' });
  assert.deepEqual(treeIn(values.dollar), { 'Fn::Join': ['', ['$', BUCKET]] });
});

test('lists in texts of JSON are written without a resource being added to the stack', () => {
  const list = { $ref: { stack: 'Storage', logicalId: 'Zone', attr: 'NameServers' } };
  const pieces = ['{"b":"', BUCKET, '","l":', { 'Fn::ToJsonString': list }, ',"n":1}'];
  assert.deepEqual(treeIn(scalars(manifest(hooked)).json), { 'Fn::Join': ['', pieces] });
});

test('a parameter that is a list is one where a function takes it', () => {
  const values = scalars(manifest(hooked));
  const list = { 'Fn::Split': [',', { $ref: { stack: 'Storage', logicalId: 'Names', attr: 'Ref' } }] };
  assert.deepEqual(treeIn(values.paramJoin), { 'Fn::Join': ['+', list] });
  assert.deepEqual(treeIn(values.paramItem), { 'Fn::Select': [1, list] });
  assert.deepEqual(treeIn(values.paramCount), { 'Fn::Length': list });
  assert.deepEqual(treeIn(values.paramJson), { 'Fn::Join': ['', ['{"l":', { 'Fn::ToJsonString': list }, '}']] });
});

test('dynamic references of tokens are for who may read them, and those of the app itself stay', () => {
  const values = scalars(manifest(hooked));
  assert.deepEqual(treeIn(values.secret), { 'Fn::Join': ['', ['{{resolve:secretsmanager:my-secret:SecretString:::}}']] });
  assert.deepEqual(treeIn(values.ssm), { 'Fn::Join': ['', ['a-{{resolve:ssm:/a/b}}']] });
  assert.match(values.dynamic ?? '', /^"?\{\{resolve:ssm:\/by\/hand\}\}"?$/);
});

test('what has no value is left out', () => {
  assert.doesNotMatch(manifest(hooked), /noValue/);
  assert.match(manifest(hooked), /^ {4}- first\n {4}- last$/m);
});

test('keys of maps and lists in typed objects are covered', () => {
  const yaml = manifest(hooked);
  assert.match(yaml, /^ {4}x-\$\{cfn:Storage\/Bucket83908E77#Ref\}: true$/m);
  assert.match(yaml, /^ {8}- args: \$\{cfn:Storage\/Zone#NameServers\|list\}$/m);
  assert.match(yaml, /^ {6}targetPort: \$\{cfn:Storage\/Queue4A7E3555#Port\|number\}$/m);
});

test('repeated runs and either order of synthesis give the same bytes', () => {
  const files = hooked.files('dist');
  assert.deepEqual(run(APP).files('dist'), files);
  assert.deepEqual(run(APP, { env: { ORDER: 'k8s-first' } }).files('dist'), files);
});

test("the CDK's own output is the same with the hook and without it", () => {
  for (const ORDER of ['aws-first', 'k8s-first']) {
    // Once with the report that the CDK makes of its templates.
    const env = { RAW: 'no', ORDER, CDK_VALIDATION: String(ORDER === 'aws-first') };
    const without = run(APP, { hook: false, env });
    assert.match(manifest(without), /\$\{Token\[/);
    assert.equal(without.files('cdk.out').has('validation-report.json'), ORDER === 'aws-first');
    assert.match(without.file('cdk.out/Storage.metadata.json') ?? '', /aws\.js:\d/, 'with stack traces, in which a hook would show');
    assert.ok(without.files('cdk.out').size > 5);
    assert.deepEqual(run(APP, { env }).files('cdk.out'), without.files('cdk.out'));
  }
});

test("twins of apps in Python: the CDK's own output is the same with the hook and without it", () => {
  const runs = [['twin.js', process.execPath], ['fixture-twin.ts', installed('tsx')]] as const;
  for (const [name, program] of runs) {
    const [done, without] = [true, false].map((hook) => run(path.join(APPS, name), { program, hook }));
    assert.ok((without?.files('cdk.out').size ?? 0) > 5, without?.stderr);
    assert.deepEqual(done?.files('cdk.out'), without?.files('cdk.out'));
  }
});

test('the resolver gives what the hook gives', () => {
  const resolved = run(APP, { hook: false, env: { RESOLVER: INDEX, HANGAR_MODE: 'defer' } });
  assert.equal(manifest(resolved), manifest(hooked));
  assert.equal(manifest(run(APP, { env: { RESOLVER: INDEX } })), manifest(hooked));
});

test('the list for audit names object, place, reference and construct, in one order', () => {
  const { references } = JSON.parse(hooked.file('dist/cloud-references.json') ?? '{}') as { references: Record<string, string>[] };
  assert.deepEqual(references.find((it) => it.pointer === '/data/patched'), {
    object: 'ConfigMap manifest-map-c8ba790c',
    pointer: '/data/patched',
    reference: '${cfn:Storage/Queue4A7E3555#Arn}',
    path: 'Manifest/Map',
  });
  const key = references.find((it) => it.pointer === '/spec/key/x-${cfn:Storage~1Bucket83908E77#Ref}');
  assert.equal(key?.reference, '${cfn:Storage/Bucket83908E77#Ref}');
  const places = references.map((it) => `${it.object ?? ''}\n${it.pointer ?? ''}\n${it.reference ?? ''}`);
  assert.deepEqual(places, [...places].sort());
});

test('what cannot be resolved any more is refused by name, all at once, and nothing is written', () => {
  const bad = ['LOWERCASED', 'UPPERCASED', 'BASE64', 'BASE64_1', 'BASE64_2', 'CUT', 'URL', 'ITEM', 'ROUNDED', 'DOUBLED'];
  const other = ['NO_STACK', 'CONDITION', 'FOREIGN', 'ABSOLUTE', 'LOCAL', 'HREF', 'END', 'SLUG'];
  const refused = run(APP, { env: { BAD: [...bad, ...other].join(',') } });
  assert.equal(refused.status, 1);
  for (const name of [...bad, ...other]) assert.ok(refused.stderr.includes(`ConfigMap manifest-map-c8ba790c, /data/${name}: `), name);
  assert.match(refused.stderr, /hangar: 18 values cannot be written/);
  assert.match(refused.stderr, /construct: Manifest\/Map/);
  assert.deepEqual([...refused.files('dist').keys()], []);
});

test('a chart that goes into a stack keeps its tokens under the hook', () => {
  const edit = (text: string): string => `${text}\nconsole.log(JSON.stringify(chart.toJson()).includes('\${Token['));\n`;
  assert.match(run(APP, { edit, env: { RAW: 'no' } }).stdout, /^true$/m);
  assert.match(run(APP, { edit, hook: false, env: { RESOLVER: INDEX, HANGAR_MODE: 'defer' } }).stdout, /^false$/m);
});

test("a resolver of the app's own is called, also where it has the name of a published one", () => {
  for (const name of ['AwsCdkResolver', 'CdktfResolver', 'CdkTfResolver']) {
    const edit = (text: string): string =>
      text.replace('const k8sApp', `class ${name} { resolve(context) { if (context.value === 'job') context.replaceValue('mine'); } }\nresolvers.push(new ${name}());\nconst k8sApp`);
    const done = run(APP, { edit });
    assert.equal(done.status, 0, done.stderr);
    assert.match([...done.files('dist').values()].join(''), /image: mine/, name);
    assert.doesNotMatch(done.stderr, /disabled/);
  }
});

test('published resolvers of the app are left out under the hook', () => {
  const edit = (text: string): string =>
    text.replace('const k8sApp', 'class AwsCdkResolver { static [Symbol.for("jsii.rtti")] = { fqn: "@cdk8s/awscdk-resolver.AwsCdkResolver", version: "0.0.720" }; resolve() { throw new Error("asked"); } }\nresolvers.push(new AwsCdkResolver());\nconst k8sApp');
  const done = run(APP, { edit });
  assert.equal(manifest(done), manifest(hooked));
  assert.match(done.stderr, /are disabled/);
});

test('a module that is imported has the hook too', () => {
  const done = run(path.join(APPS, 'imported.mjs'));
  assert.equal(scalars(manifest(done)).bucket, '${cfn:Storage/Bucket83908E77#Ref}');
});

test('the fixture app: each case is its reference, and the mangled ones are refused', withFixtures, () => {
  const app = path.join(FIXTURES, 'aws', 'app.js');
  const refused = run(app);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /env\/22\/value \(LOWERCASED\): `\$\{token\[token\.\d+\]\}`/);
  assert.match(refused.stderr, /env\/23\/value \(BASE64\): `JHtUb2tlb\w+=*` is the base64 encoding of a token/);
  assert.deepEqual([...refused.files('out-aws/dist').keys()], []);
  const edit = (text: string): string => text.replace(/^ {2}(?:LOWERCASED|BASE64):.*\n/gm, '');
  const done = run(app, { edit, env: { RAW: '1' } });
  assert.equal(done.status, 0, done.stderr);
  const yaml = [...done.files('out-aws/dist')].find(([name]) => name.endsWith('.yaml'))?.[1] ?? '';
  const values = scalars(yaml);
  const place = '?account=111122223333&region=eu-west-1';
  const expected = {
    PLAIN_REF: '${cfn:Storage/Bucket83908E77#Ref}',
    GETATT_ARN: '${cfn:Storage/Queue4A7E3555#Arn}',
    CONCAT: 'https://${cfn:Storage/Bucket83908E77#DomainName}/x',
    TWO_TOKENS: '${cfn:Storage/Bucket83908E77#Ref}:${cfn:Storage/Queue4A7E3555#QueueName}',
    SAME_LOGICAL_ID_OTHER_STACK: '${cfn:Compute/Bucket83908E77#Ref}',
    IN_STAGE: `\${cfn:Prod-App/Bucket83908E77#Arn${place}}`,
    IN_NESTED_STACK: `\${cfn:Prod-App/NestedNestedStackNestedNestedStackResourceDEFDAA4D/Queue4A7E3555#Ref${place}}`,
    NUMBER_IN_STRING: `port=\${cfn:Prod-App/Db#Endpoint.Port${place}}`,
    NUMBER_AS_STRING: `\${cfn:Prod-App/Db#Endpoint.Port${place}|text}`,
    PSEUDO_REGION_STAGE: 'eu-west-1',
    CFN_PARAM: `\${cfn:Prod-App/Replicas#Ref${place}}`,
    LAZY: '${cfn:Storage/Bucket83908E77#Ref}',
    JSON_BLOB: `'{"b":"\${cfn:Storage/Bucket83908E77#Ref}","p":\${cfn:Prod-App/Db#Endpoint.Port${place}}}'`,
    STACK_TOJSON: `'{"b":"\${cfn:Storage/Bucket83908E77#Ref}","q":"\${cfn:Storage/Queue4A7E3555#Ref}"}'`,
    STAGE_NAME_REF: `\${cfn:Prod-App/Stage#Ref${place}}`,
    list: `\${cfn:Prod-App/Zone#NameServers${place}|list}`,
    number: `\${cfn:Prod-App/Db#Endpoint.Port${place}|number}`,
    rawReference: `\${cfn:Prod-App/Db#Endpoint.Address${place}}`,
  };
  for (const [name, reference] of Object.entries(expected)) assert.equal(values[name], reference, name);
  const [account, region, stack] = ['111122223333', 'eu-west-1', 'Prod-App'];
  const servers = { $ref: { stack, account, region, logicalId: 'Zone', attr: 'NameServers' } };
  const secret = { $ref: { stack, account, region, logicalId: 'SecretA720EF05', attr: 'Ref' } };
  const queue = { $ref: { stack: 'Storage', logicalId: 'Queue4A7E3555', attr: 'Arn' } };
  const trees = {
    FN_JOIN: { 'Fn::Join': ['-', ['pre', BUCKET, 'post']] },
    FN_SUB: { 'Fn::Sub': ['x-${A}', { A: BUCKET }] },
    FN_SELECT_SPLIT: { 'Fn::Select': [5, { 'Fn::Split': [':', queue] }] },
    LIST_JOINED: { 'Fn::Join': [',', servers] },
    LIST_ELEMENT: { 'Fn::Select': [0, servers] },
    PSEUDO_REGION: { Ref: 'AWS::Region' },
    PSEUDO_ACCOUNT: { Ref: 'AWS::AccountId' },
    PARTITION: { Ref: 'AWS::Partition' },
    SECRET_DYNREF: { 'Fn::Join': ['', ['{{resolve:secretsmanager:', secret, ':SecretString:::}}']] },
    IMPORT_VALUE: { 'Fn::ImportValue': 'some-export' },
  };
  for (const [name, tree] of Object.entries(trees)) assert.deepEqual(treeIn(values[name]), tree, name);
  const swapped = run(app, { edit, env: { RAW: '1', ORDER: 'k8sfirst' } });
  assert.deepEqual(swapped.files('out-aws/dist'), done.files('out-aws/dist'));
  const again = run(app, { edit, env: { RAW: '1' } });
  assert.deepEqual(again.files('out-aws/dist'), done.files('out-aws/dist'));
  for (const [ORDER, withHook] of [['awsfirst', done], ['k8sfirst', swapped]] as const) {
    // What only the hook can write is no part of the stacks.
    const plain = run(app, { edit, hook: false, env: { ORDER } });
    assert.ok(plain.files('out-aws/cdk.out').size > 5);
    assert.deepEqual(withHook.files('out-aws/cdk.out'), plain.files('out-aws/cdk.out'));
  }
});
