import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, FIXTURES, installed, run, withFixtures } from './run';
import type { Options, Run } from './run';

const PYTHON = process.env.HANGAR_TEST_PYTHON ?? 'python3';

function has(...modules: string[]): boolean {
  const code = `import importlib.util as u; exit(not all(map(u.find_spec, ${JSON.stringify(modules)})))`;
  return spawnSync(PYTHON, ['-c', code]).status === 0;
}

const without = (names: string): { skip: string } => ({ skip: `Python has no ${names} (HANGAR_TEST_PYTHON may say which has)` });
const withPython = has('cdk8s', 'aws_cdk') ? {} : without('cdk8s and aws-cdk-lib');
const withCdktf = has('cdk8s', 'cdktf') ? {} : without('cdk8s and cdktf');

/** With the cache of the user's own, in which libraries are unpacked once: that takes longer than all tests. */
function python(app: string, options: Options = {}): Run {
  const env = { HOME: os.homedir(), ...options.env };
  return run(app, { ...options, program: PYTHON, env });
}

test('an app in Python and its twin in JavaScript give the same bytes, in either order', withPython, () => {
  const app = path.join(APPS, 'app.py');
  const done = python(app);
  assert.equal(done.status, 0, done.stderr);
  const swap = (text: string): string => text.replace('aws_app.synth()\nk8s_app.synth()', 'k8s_app.synth()\naws_app.synth()');
  const swapped = python(app, { edit: swap });
  assert.equal(swapped.status, 0, swapped.stderr);
  const twin = run(path.join(APPS, 'twin.js'));
  assert.equal(twin.status, 0, twin.stderr);
  assert.match([...twin.files('dist').values()].join(''), /bucket: \$\{cfn:Storage\/Bucket83908E77#Ref\}/);
  for (const it of [done, swapped]) assert.deepEqual(it.files('dist'), twin.files('dist'));
});

test('an app in Python has values in eager', withPython, () => {
  const done = python(path.join(APPS, 'app.py'), { env: { HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') } });
  assert.equal(done.status, 0, done.stderr);
  assert.match([...done.files('dist').values()].join(''), /^ {2}text: https:\/\/value\/x$/m);
});

test('a changed token is refused in Python too', withPython, () => {
  const edit = (text: string): string => text.replace("'bucket': bucket.bucket_name,", "'bucket': bucket.bucket_name.lower(),");
  const refused = python(path.join(APPS, 'app.py'), { edit });
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /ConfigMap manifest-map-c8ba790c, \/data\/bucket: /);
  assert.deepEqual([...refused.files('dist').keys()], []);
});

test('the fixture app in Python and its twin in TypeScript give the same bytes', { ...withFixtures, ...withPython }, () => {
  const app = path.join(FIXTURES, 'aws', 'app.py');
  const done = python(app);
  assert.equal(done.status, 0, done.stderr);
  const twin = run(path.join(APPS, 'fixture-twin.ts'), { program: installed('tsx') });
  assert.equal(twin.status, 0, twin.stderr);
  assert.match([...done.files('dist').values()].join(''), /^ {2}U: https:\/\/\$\{cfn:Storage\/Bucket83908E77#DomainName\}\/x$/m);
  assert.deepEqual(done.files('dist'), twin.files('dist'));
  const plain = python(app, { hook: false });
  assert.ok(plain.files('cdk.out').size > 5);
  assert.deepEqual(done.files('cdk.out'), plain.files('cdk.out'));
});

test('an app of CDKTF in Python gives what one of CDK Terrain in JavaScript gives', withCdktf, () => {
  const app = path.join(APPS, 'terraform.py');
  // Libraries in a temporary folder of the process's own, as where a cache cannot be written.
  const done = python(app, { env: { JSII_RUNTIME_PACKAGE_CACHE: 'disabled' } });
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(done.files('out/dist'), run(path.join(APPS, 'terrain.js')).files('out/dist'));
  const plain = python(app, { hook: false });
  assert.equal(plain.files('out/cdktf.out').size, 3);
  assert.deepEqual(done.files('out/cdktf.out'), plain.files('out/cdktf.out'));
});
