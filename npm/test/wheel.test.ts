// Resolvers as RFC 002 of cdk8s has them, for apps in Python, with the wheel alone.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, PACKAGE } from './run';
import type { Run } from './run';
import { OWN, python, withWheel } from './wheel';

const STAND_IN = path.join(APPS, 'stand-in.js');
const REFERENCE = '${tf:storage/terraform_data.Bucket#id}';

function own(name: string, env: Record<string, string> = {}): Run {
  return python(OWN, { env: { CASE: name, HANGAR_BIN: STAND_IN, ...env } });
}

function spec(done: Run, chart = 'manifest'): string {
  assert.equal(done.status, 0, done.stderr);
  const [, text] = [...done.files('dist')].find(([name]) => name.startsWith(chart) && name.endsWith('.yaml')) ?? assert.fail(done.stderr);
  return text.slice(text.indexOf('spec:'));
}

test('Python: resolvers of the app and of a chart have effect', withWheel, () => {
  const done = own('app');
  assert.equal(spec(done), `spec:\n  id: ${REFERENCE}\n  type: LoadBalancer!\n`);
  assert.match(done.stdout, /^Service \['spec', 'type'\] 'LoadBalancer'$/m);
  assert.match(spec(done, 'other'), /type: LoadBalancer!/);
  const ofChart = own('chart');
  assert.match(spec(ofChart), /type: LoadBalancer!/);
  assert.match(spec(ofChart, 'other'), /type: LoadBalancer$/m);
  assert.match(spec(own('structure')), /type:\n {4}a:\n {6}- 1\n {6}- b: true\n/);
  assert.match(spec(own('cdkStyle')), /type: ClusterIP$/m);
  // cdk8s's own list does not see what a patch adds.
  assert.match(spec(own('list')), /type: LoadBalancer!$/m);
});

test('Python: the resolvers of the RFC write values, and no app writes a token', withWheel, () => {
  assert.ok(spec(own('none')).includes(REFERENCE));
  for (const name of ['aws', 'tf', 'cdktf']) {
    assert.match(spec(own(name)), /id: value$/m);
    assert.ok(spec(own(name, { HANGAR_MODE: 'defer' })).includes(REFERENCE));
    const missing = own(name, { HANGAR_BIN: '/nowhere/hangar' });
    assert.notEqual(missing.status, 0);
    assert.match(missing.stderr, /cannot start `\/nowhere\/hangar`/);
    assert.equal(missing.files('dist').size, 0);
  }
});

test('Python: finalize sees final values, and is an error where there are none', withWheel, () => {
  assert.match(spec(own('final')), /id: value final$/m);
  const alone = own('finalAlone');
  assert.notEqual(alone.status, 0);
  assert.match(alone.stderr, /`finalize` of a resolver cannot be called/);
  assert.equal(alone.files('dist').size, 0);
});

test('Python: the wheel works together with the hook of a command', withWheel, () => {
  const hooked = (name: string, env: Record<string, string>): Run => python(OWN, { hook: true, env: { CASE: name, HANGAR_BIN: STAND_IN, ...env } });
  assert.match(spec(hooked('final', { HANGAR_MODE: 'eager' })), /id: value final$/m);
  assert.ok(spec(hooked('app', { HANGAR_MODE: 'defer' })).endsWith(`  id: ${REFERENCE}\n  type: LoadBalancer!\n`));
});

test('Python: what is no resolver is refused', withWheel, () => {
  const done = own('wrong');
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /TypeError: the resolver of App is of type str; pass an object with a method resolve/);
});

test('Python: the wheel exports what the package exports', withWheel, () => {
  const index = fs.readFileSync(path.join(PACKAGE, 'src', 'index.ts'), 'utf8');
  const lists = [...index.matchAll(/^export \{([^}]*)\}/gm)].map(([, list = '']) => list.replace(/\/\/.*$/gm, ''));
  const names = lists.join().split(',').map((name) => name.replace(/^[^]* as /, '').trim()).filter((name) => name !== '');
  assert.ok(names.length >= 12, index);
  const edit = (): string => `import cdk8s, hangar_cdk8s\nfor name in sorted(set(hangar_cdk8s.__all__) - set(cdk8s.__all__) | {'App', 'Chart'}):\n    print(name, getattr(hangar_cdk8s, name) is not None)\n`;
  const done = python(OWN, { edit });
  assert.equal(done.status, 0, done.stderr);
  // In TypeScript, both are types.
  const expected = [...names, 'IValueResolver', 'Problem'].sort().map((name) => `${name} True\n`);
  assert.deepEqual(done.stdout.split('\n').sort().filter((line) => line !== '').map((line) => `${line}\n`), expected);
});

test('Python: refused values are exceptions with their places', withWheel, () => {
  const lower = own('lower');
  assert.notEqual(lower.status, 0);
  assert.match(lower.stdout, /^UnresolvedTokensError \[\('Service manifest-service-\w+', '\/spec\/id', '.*letter case was changed/m);
  assert.match(lower.stderr, /hangar_cdk8s\._errors\.UnresolvedTokensError: hangar: 1 value cannot be written/);
  assert.equal(lower.files('dist').size, 0);
  const calling = own('calling');
  assert.match(calling.stdout, /^TokenError .*letter case was changed.* \/ leave the string unchanged/m, calling.stderr);
  assert.ok(spec(calling).includes(`id: https://${REFERENCE}`));
});
