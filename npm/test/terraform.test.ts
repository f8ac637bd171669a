import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, FIXTURES, INDEX, run, scalars, treeIn, withFixtures } from './run';
import type { Run } from './run';

const [APP, TERRAIN] = [path.join(APPS, 'terraform.js'), path.join(APPS, 'terrain.js')];

function manifest(done: Run, folder = 'out/dist'): string {
  assert.equal(done.status, 0, done.stderr);
  return [...done.files(folder)].find(([name]) => name.endsWith('.yaml'))?.[1] ?? assert.fail(done.stderr);
}

const tf = (expression: string): unknown => ({ $tf: { stack: 'storage', expression } });

for (const LIBRARY of ['cdktf', 'cdktn']) {
  const hooked = run(APP, { env: { LIBRARY } });

  test(`${LIBRARY}: every kind of token becomes its reference`, () => {
    const yaml = manifest(hooked);
    const values = scalars(yaml);
    const expected = {
      id: '${tf:storage/terraform_data.Bucket#id}',
      other: '${tf:compute/terraform_data.Bucket#id}',
      text: 'https://${tf:storage/terraform_data.Bucket#id}/x',
      both: '${tf:storage/terraform_data.Bucket#id}:${tf:compute/terraform_data.Bucket#id}',
      portText: 'port=${tf:storage/terraform_data.Bucket#output.port}',
      portString: '${tf:storage/terraform_data.Bucket#output.port|text}',
      portPrinted: '${tf:storage/terraform_data.Bucket#output.port|text}',
      deep: '${tf:storage/terraform_data.Bucket#output.port|text}',
      expression: '${tf:storage/terraform_data.Bucket#id}',
      shell: '${HOME} ${tf:storage/terraform_data.Bucket#id}',
      list: '${tf:storage/terraform_data.Bucket#output.zones}',
      numbers: '${tf:storage/terraform_data.Bucket#output.ports}',
      number: '${tf:storage/terraform_data.Bucket#output.port|number}',
      map: '${tf:storage/terraform_data.Bucket#output}',
      raw: '${tf:storage/terraform_data.Bucket#output.name}',
    };
    for (const [name, reference] of Object.entries(expected)) assert.equal(values[name], reference, name);
    assert.match(yaml, /^ {4}\$\{tf:storage\/terraform_data\.Bucket#id\}: true$/m);
    assert.match(values.sum ?? '', /\|text\}$/);
    assert.deepEqual(treeIn(values.upper), tf('${upper(terraform_data.Bucket.output.name)}'));
    assert.deepEqual(treeIn(values.zones), tf('${join(",", terraform_data.Bucket.output.zones)}'));
  });

  test(`${LIBRARY}: repeated runs and either order of synthesis give the same bytes`, () => {
    assert.deepEqual(run(APP, { env: { LIBRARY } }).files('out/dist'), hooked.files('out/dist'));
    assert.deepEqual(run(APP, { env: { LIBRARY, ORDER: 'k8s-first' } }).files('out/dist'), hooked.files('out/dist'));
  });

  test(`${LIBRARY}: its own output is the same with the hook and without it`, () => {
    for (const ORDER of ['tf-first', 'k8s-first']) {
      // Without the hook cdk8s cannot write the one that is an object, and stops there.
      const edit = (text: string): string => text.replace("raw: at('name'),", '');
      const without = run(APP, { hook: false, edit, env: { LIBRARY, ORDER } });
      assert.match(manifest(without), /\$\{TfToken\[/);
      assert.equal(without.files('out/cdktf.out').size, 3);
      assert.deepEqual(run(APP, { edit, env: { LIBRARY, ORDER } }).files('out/cdktf.out'), without.files('out/cdktf.out'));
    }
  });

  test(`${LIBRARY}: the resolver gives what the hook gives`, () => {
    assert.equal(manifest(run(APP, { hook: false, env: { LIBRARY, RESOLVER: INDEX, HANGAR_MODE: 'defer' } })), manifest(hooked));
  });

  test(`${LIBRARY}: what cannot be resolved is refused by name, and nothing is written`, () => {
    const names = ['LOWERCASED', 'BASE64', 'TWO_STACKS'];
    const refused = run(APP, { env: { LIBRARY, BAD: names.join(',') } });
    assert.equal(refused.status, 1);
    for (const name of names) assert.ok(refused.stderr.includes(`/data/${name}: `), name);
    assert.match(refused.stderr, /combines values of the stacks compute, storage in one expression/);
    assert.deepEqual([...refused.files('out/dist').keys()], []);
  });
}

test('CDKTF, CDK Terrain and the AWS CDK in one program do not hinder each other', () => {
  const done = run(path.join(APPS, 'both.js'));
  const yaml = manifest(done, 'dist');
  assert.deepEqual(run(path.join(APPS, 'both.js'), { env: { FIRST: 'cdktn' } }).files('dist'), done.files('dist'));
  assert.doesNotMatch(yaml, /token/i);
  for (const name of ['cdktf', 'cdktn']) {
    const of = (rest: string): string => `\${tf:${name}/terraform_data.Bucket#${rest}}`;
    const items = ['output.port|number', 'output.zones', 'output.ports', 'output', 'output.raw'].map((rest) => `    - ${of(rest)}\n`);
    assert.ok(yaml.includes(`  ${name}:\n${items.join('')}`), yaml);
    assert.equal(scalars(yaml)[name], of('id'));
    assert.deepEqual(treeIn(scalars(yaml)[`${name}-upper`]), { $tf: { stack: name, expression: '${upper(terraform_data.Bucket.id)}' } });
  }
  assert.equal(scalars(yaml).all, '${cfn:Storage/Bucket83908E77#Ref} ${tf:cdktf/terraform_data.Bucket#id} ${tf:cdktn/terraform_data.Bucket#id}');
});

test('an app of CDK Terrain gives references, and its own output is the same with the hook and without it', () => {
  const [done, without] = [run(TERRAIN), run(TERRAIN, { hook: false })];
  const swapped = run(TERRAIN, { edit: (text) => text.replace('app.synth();\nk8sApp.synth();', 'k8sApp.synth();\napp.synth();') });
  const values = scalars(manifest(done));
  assert.equal(values.ID, '${tf:storage/terraform_data.Bucket#id}');
  assert.equal(values.OTHER, '${tf:compute/terraform_data.Bucket#id}');
  assert.deepEqual(treeIn(values.NAME), tf('${upper(terraform_data.Bucket.output.name)}'));
  assert.deepEqual(treeIn(values.ZONES), tf('${join(",", terraform_data.Bucket.output.zones)}'));
  assert.equal(without.files('out/cdktf.out').size, 3);
  assert.deepEqual(swapped.files('out/dist'), done.files('out/dist'));
  for (const it of [done, swapped]) assert.deepEqual(it.files('out/cdktf.out'), without.files('out/cdktf.out'));
});

test('the fixture app: each case is its reference, and the mangled one is refused', withFixtures, () => {
  const app = path.join(FIXTURES, 'cdktf', 'app.js');
  assert.match(run(app).stderr, /env\/11\/value \(LOWERCASED\): `\$\{tftoken\[token\.\d+\]\}`/);
  const edit = (text: string): string => text.replace('LOWERCASED: bucket.bucket.toLowerCase(),', '');
  const done = run(app, { edit });
  const values = scalars(manifest(done, 'out-tf/dist'));
  const expected = {
    PLAIN: '${tf:storage/aws_s3_bucket.Bucket#bucket}',
    ARN: '${tf:storage/aws_sqs_queue.Queue#arn}',
    CONCAT: 'https://${tf:storage/aws_s3_bucket.Bucket#bucket_domain_name}/x',
    TWO: '${tf:storage/aws_s3_bucket.Bucket#id}:${tf:storage/aws_sqs_queue.Queue#name}',
    SAME_ID_OTHER_STACK: '${tf:compute/aws_s3_bucket.Bucket#bucket}',
    NUMBER_IN_STRING: 'port=${tf:storage/aws_db_instance.Db#port}',
    NUMBER_AS_STRING: '${tf:storage/aws_db_instance.Db#port|text}',
    RAW_EXPR: '${tf:storage/aws_s3_bucket.Bucket#arn}',
    list: '${tf:storage/aws_route53_zone.Zone#name_servers}',
    number: '${tf:storage/aws_db_instance.Db#port|number}',
    map: '${tf:storage/aws_s3_bucket.Bucket#tags_all}',
  };
  for (const [name, reference] of Object.entries(expected)) assert.equal(values[name], reference, name);
  const trees = {
    FN_JOIN: '${join("-", ["pre", aws_s3_bucket.Bucket.bucket, "post"])}',
    FN_UPPER: '${upper(aws_s3_bucket.Bucket.bucket)}',
    LIST_JOINED: '${join(",", aws_route53_zone.Zone.name_servers)}',
    LIST_ELEMENT: '${element(aws_route53_zone.Zone.name_servers, 0)}',
    FQN: '${aws_s3_bucket.Bucket}',
  };
  for (const [name, expression] of Object.entries(trees)) assert.deepEqual(treeIn(values[name]), tf(expression), name);
  const swap = (text: string): string => edit(text).replace('app.synth(); k8sApp.synth();', 'k8sApp.synth(); app.synth();');
  const [without, swapped] = [run(app, { edit, hook: false }), run(app, { edit: swap })];
  assert.equal(without.files('out-tf/cdktf.out').size, 3);
  assert.deepEqual(swapped.files('out-tf/dist'), done.files('out-tf/dist'));
  for (const it of [done, swapped]) assert.deepEqual(it.files('out-tf/cdktf.out'), without.files('out-tf/cdktf.out'));
});

test('the fixture app that was applied gives what its port to CDK Terrain gives', withFixtures, () => {
  const app = path.join(FIXTURES, 'cdktf-live', 'app.js');
  const done = run(app);
  assert.deepEqual(done.files('out/dist'), run(TERRAIN).files('out/dist'));
  assert.deepEqual(run(app).files('out/dist'), done.files('out/dist'));
  const swapped = run(app, { edit: (text) => text.replace('app.synth(); k8s.synth();', 'k8s.synth(); app.synth();') });
  assert.deepEqual(swapped.files('out/dist'), done.files('out/dist'));
  const without = run(app, { hook: false });
  assert.equal(without.files('out/cdktf.out').size, 3);
  for (const it of [done, swapped]) assert.deepEqual(it.files('out/cdktf.out'), without.files('out/cdktf.out'));
});
