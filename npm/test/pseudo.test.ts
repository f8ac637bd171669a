import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, run, scalars, treeIn } from './run';
import type { Run } from './run';

const APP = path.join(APPS, 'pseudo.js');
const PLACE = '?account=444455556666&region=eu-west-1';

function values(done: Run): Record<string, string> {
  assert.equal(done.status, 0, done.stderr);
  return scalars([...done.files('dist')].find(([name]) => name.endsWith('.yaml'))?.[1] ?? '');
}

test('a pseudo parameter beside references to one stack is that of the stack, whatever another stack outputs', () => {
  const written = values(run(APP));
  assert.equal(written.role, `arn:aws:iam::\${cfn:Eu/AWS::AccountId${PLACE}}:role/\${cfn:Eu/Role#Ref${PLACE}}`);
  assert.equal(written.host, `s3.\${cfn:Eu/AWS::Region${PLACE}}.amazonaws.com/\${cfn:Eu/Role#Arn${PLACE}}`);
  const eu = { stack: 'Eu', account: '444455556666', region: 'eu-west-1', logicalId: 'Role', attr: 'Ref' };
  assert.deepEqual(treeIn(written.joined), { 'Fn::Join': ['', [{ 'Fn::Join': ['-', [{ Ref: 'AWS::Region' }, 'x']] }, '/', { $ref: eu }]] });
});

test('a pseudo parameter by itself is refused where the stacks state different places', () => {
  const refused = run(APP, { env: { ALONE: '1' } });
  assert.equal(refused.status, 1, refused.stderr);
  assert.match(refused.stderr, /\/data\/alone: AWS::Region names no stack, and the stacks differ: Eu \(eu-west-1\), Us \(us-east-1\)/);
  assert.match(refused.stderr, /\/data\/inText: AWS::Region names no stack/);
  assert.match(refused.stderr, /\/data\/sub: AWS::AccountId names no stack/);
  assert.doesNotMatch(refused.stderr, /\/data\/partition/);
  assert.deepEqual([...refused.files('dist').keys()], []);
});

test('a pseudo parameter by itself is what all stacks state', () => {
  const written = values(run(APP, { env: { ALONE: '1', PLACES: 'alike' } }));
  assert.deepEqual([written.alone, written.inText, written.partition], ['eu-west-1', 'r=eu-west-1', 'arn:aws:iam::aws:policy/P']);
  assert.deepEqual(treeIn(written.sub), { 'Fn::Sub': '444455556666!' });
});

test('a pseudo parameter by itself is left to the resolver where a stack states no place, and never an output', () => {
  const written = values(run(APP, { env: { ALONE: '1', PLACES: 'unstated' } }));
  assert.deepEqual(treeIn(written.alone), { Ref: 'AWS::Region' });
});

test('the name of a stack is refused where there are several', () => {
  const refused = run(APP, { env: { NAME: '1' } });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /\/data\/name: AWS::StackName names no stack/);
});
