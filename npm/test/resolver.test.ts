// Resolvers as RFC 002 of cdk8s has them, with the package alone and with the hook.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import * as ts from 'typescript';

import { APPS, INDEX, PACKAGE, run } from './run';
import type { Run } from './run';

const OWN = path.join(APPS, 'own.js');
const ALONE = { hook: false };
const EAGER = { HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') };
const REFERENCE = '${tf:storage/terraform_data.Bucket#id}';

/** How an app comes to know of its `resolver`, and what that needs in its environment. */
const ways = {
  'the classes of the package': { hook: false, env: { PACKAGE: INDEX, CDK8S: 'package' } },
  'the classes of cdk8s, hooked': { hook: true, env: {} },
};

function own(name: string, env: Record<string, string> = {}, way: { hook: boolean; env: Record<string, string> } = ways['the classes of the package']): Run {
  return run(OWN, { hook: way.hook, env: { ...way.env, CASE: name, ...env } });
}

function spec(done: Run, chart = 'manifest'): string {
  assert.equal(done.status, 0, done.stderr);
  const [, text] = [...done.files('dist')].find(([name]) => name.startsWith(chart) && name.endsWith('.yaml')) ?? assert.fail(done.stderr);
  return text.slice(text.indexOf('spec:'));
}

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: a resolver is called for each value, and what it returns is written`, () => {
    const done = own('app', {}, way);
    assert.equal(spec(done), `spec:\n  id: ${REFERENCE}\n  ports:\n    - port: 80\n  type: LoadBalancer!\n`);
    assert.match(done.stdout, /^Service \["spec","type"\] "LoadBalancer"$/m);
    assert.match(done.stdout, /^Service \["spec","ports","0","port"\] 80$/m);
    assert.match(spec(done, 'other'), /type: LoadBalancer!/);
  });

  test(`${name}: a resolver of a chart is called for its objects only`, () => {
    const done = own('chart', {}, way);
    assert.match(spec(done), /type: LoadBalancer!/);
    assert.match(spec(done, 'other'), /type: LoadBalancer$/m);
  });

  test(`${name}: a resolver of that form in cdk8s's own list has effect, too`, () => {
    assert.match(spec(own('list', {}, way)), /type: LoadBalancer!/);
  });

  test(`${name}: cdk8s's own come first, then those of the chart, then those of the app`, () => {
    assert.match(spec(own('order', {}, way)), /type: ClusterIP-chart-app-list$/m);
  });
}

test('a resolver has effect wherever the manifest is asked for', () => {
  for (const ASK of ['yaml', 'chart', 'object']) {
    const done = own('app', { ASK });
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /LoadBalancer!/, ASK);
    assert.ok(done.stdout.includes(REFERENCE), ASK);
  }
});

test('a resolver may say it to the context, and may return tokens, structures and nothing', () => {
  assert.match(spec(own('cdkStyle')), /type: ClusterIP$/m);
  assert.ok(spec(own('token')).includes(`type: ${REFERENCE}`));
  assert.match(spec(own('object')), /type:\n {4}a:\n {6}- 1\n {6}- b: true\n/);
  assert.doesNotMatch(spec(own('removed')), /type/);
});

test('what is no resolver, or returns what no manifest can hold, is refused', () => {
  const refusals = { wrong: /the `resolver` of App is a string; pass an object with a method/, promise: /`resolve` of a resolver returned a promise .*\/spec\/type/ };
  for (const [name, message] of Object.entries(refusals)) {
    const done = own(name);
    assert.notEqual(done.status, 0);
    assert.match(done.stderr, message);
    assert.equal(done.files('dist').size, 0);
  }
});

test("a property of the app's own that has that name is no resolver", () => {
  assert.ok(spec(own('wrong', {}, ways['the classes of cdk8s, hooked'])).includes(REFERENCE));
});

test('with the package no app writes a token, with a resolver or without', () => {
  for (const name of ['none', 'hangar', 'app']) {
    for (const CDK8S of ['package', 'cdk8s']) {
      const done = own(name, { CDK8S });
      assert.ok(spec(done).includes(`id: ${REFERENCE}`), `${name}, ${CDK8S}`);
    }
  }
});

test('the resolvers of the RFC write values by themselves, and references under a command that says so', () => {
  for (const name of ['tf', 'aws']) {
    assert.match(spec(own(name, { HANGAR_BIN: EAGER.HANGAR_BIN })), /id: value$/m);
    assert.ok(spec(own(name, { HANGAR_MODE: 'defer' })).includes(REFERENCE));
    assert.ok(spec(run(OWN, { env: { PACKAGE: INDEX, CASE: name } })).includes(REFERENCE));
    const missing = own(name, { HANGAR_BIN: '/nowhere/hangar' });
    assert.notEqual(missing.status, 0);
    assert.match(missing.stderr, /cannot start `\/nowhere\/hangar`/);
    assert.equal(missing.files('dist').size, 0);
  }
});

test('a resolver that an app of a class taken earlier cannot be seen to have is refused', () => {
  // `require('cdk8s')` comes first there, and its classes are taken out before the package is loaded.
  const edit = (text: string): string => text.replace("const k8s = require('cdk8s');", "const k8s = { ...require('cdk8s') };");
  const env = { PACKAGE: INDEX, CDK8S: 'cdk8s' };
  const done = run(OWN, { ...ALONE, edit, env: { ...env, CASE: 'unseen' } });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /the resolver Mine would have no effect.*\n {2}hint: import App and Chart from hangar-cdk8s/);
  assert.match(spec(run(OWN, { ...ALONE, edit, env: { ...env, CASE: 'aws', HANGAR_BIN: EAGER.HANGAR_BIN } })), /id: value$/m);
  assert.match(run(OWN, { ...ALONE, edit, env: { ...env, CASE: 'app' } }).stderr, /`resolver` has no effect there; import App and Chart from hangar-cdk8s/);
});

test('finalize sees values that were looked up, and its result is written', () => {
  const done = own('final', EAGER);
  assert.match(spec(done), /id: value final$/m);
  assert.match(done.stdout, /^Service \["spec","id"\] "value"$/m);
  assert.doesNotMatch(done.stdout, /tf:|Token/);
  for (const ASK of ['yaml', 'chart', 'object']) {
    const asked = own('final', { ...EAGER, ASK });
    assert.equal(asked.status, 0, asked.stderr);
    assert.match(asked.stdout, /value final/, ASK);
  }
  assert.match(spec(run(OWN, { env: { CASE: 'final', ...EAGER } })), /id: value final$/m);
});

test('finalize where values come after the app is an error, unless there are none', () => {
  for (const ASK of ['', 'yaml', 'chart', 'object']) {
    const done = own('final', { ASK });
    assert.notEqual(done.status, 0, ASK);
    assert.match(done.stderr, /`finalize` of a resolver cannot be called for Service manifest-service-\w+: .*\n {2}hint: run the app with `hangar run --eager`/);
    assert.equal(done.files('dist').size, 0);
  }
  assert.match(spec(own('final', { TOKEN: 'no' })), /id: literal final$/m);
  // The stacks are not deployed yet, and must be.
  const deploying = own('final', { ...EAGER, CDK_OUTDIR: 'cdk.out' });
  assert.ok(spec(deploying).includes(`id: ${REFERENCE}`));
  assert.match(deploying.stderr, /`finalize` is not called for Service manifest-service-\w+: under the CDK CLI/);
});

test('finalize may return nothing that would have to be looked up', () => {
  for (const [name, what] of [['finalToken', 'a token'], ['finalReference', 'a reference']]) {
    const done = own(name ?? '', EAGER);
    assert.notEqual(done.status, 0);
    assert.ok(done.stderr.includes(`\`finalize\` of a resolver returned ${what}`), done.stderr);
    assert.equal(done.files('dist').size, 0);
  }
});

test('the spellings of the RFC have types', () => {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: [],
    paths: { 'hangar-cdk8s': [path.join(PACKAGE, 'build', 'src', 'index.d.ts')] },
  };
  const program = ts.createProgram([path.join(APPS, 'types.ts')], options);
  const told = ts.getPreEmitDiagnostics(program).map((it) => ts.flattenDiagnosticMessageText(it.messageText, '\n'));
  assert.deepEqual(told, []);
});
