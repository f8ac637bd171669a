import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, run } from './run';

const PYTHON = process.env.HANGAR_TEST_PYTHON ?? 'python3';
const found = spawnSync(PYTHON, ['-c', 'import importlib.util as u; exit(not (u.find_spec("cdk8s") and u.find_spec("aws_cdk")))']);
const withPython = found.status === 0 ? {} : { skip: 'Python has no cdk8s and aws-cdk-lib (HANGAR_TEST_PYTHON may say which has)' };

test('an app in Python and its twin in JavaScript give the same bytes', withPython, () => {
  const python = run(path.join(APPS, 'app.py'), { program: PYTHON });
  assert.equal(python.status, 0, python.stderr);
  const twin = run(path.join(APPS, 'twin.js'));
  assert.equal(twin.status, 0, twin.stderr);
  assert.match([...twin.files('dist').values()].join(''), /bucket: \$\{cfn:Storage\/Bucket83908E77#Ref\}/);
  assert.deepEqual(python.files('dist'), twin.files('dist'));
});

test('a changed token is refused in Python too', withPython, () => {
  const edit = (text: string): string => text.replace("'bucket': bucket.bucket_name,", "'bucket': bucket.bucket_name.lower(),");
  const refused = run(path.join(APPS, 'app.py'), { program: PYTHON, edit });
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /ConfigMap manifest-map-c8ba790c, \/data\/bucket: /);
  assert.deepEqual([...refused.files('dist').keys()], []);
});
