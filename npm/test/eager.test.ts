import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { test } from 'node:test';

import { modeOf } from '../src/eager';
import { APPS, run, scalars, withProgram } from './run';
import type { Run } from './run';

const [AWS, TERRAFORM] = [path.join(APPS, 'aws.js'), path.join(APPS, 'terraform.js')];
const EAGER = { HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') };

function manifest(done: Run, folder = 'dist'): string {
  assert.equal(done.status, 0, done.stderr);
  return [...done.files(folder)].find(([name]) => name.startsWith('manifest'))?.[1] ?? assert.fail(done.stderr);
}

test('all references are resolved by one call, and values are written', () => {
  const done = run(AWS, { env: EAGER });
  const yaml = manifest(done);
  assert.equal(scalars(yaml).text, 'https://value/x');
  assert.match(yaml, /x-value: true/);
  assert.doesNotMatch(yaml.replace('$${cfn:A/B}', ''), /\$\{(?:cfn|expr):/);
  assert.ok([...done.files('dist').keys()].every((name) => name.endsWith('.yaml')), 'a folder that can be applied');
  const calls = (done.file('calls.jsonl') ?? '').trim().split('\n').map((line) => JSON.parse(line) as { args: string[]; input: string });
  assert.equal(calls.length, 1);
  assert.deepEqual(calls[0]?.args, ['resolve', '-f', '-']);
  assert.equal(calls[0].input.split('\n---\n').length, 4, 'objects without references are not asked for');
});

test('what the program says is shown, and nothing is written', () => {
  const failed = run(AWS, { env: { ...EAGER, STAND_IN: 'fail' } });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /error\[REF0004\]: there is no stack `Storage`/);
  assert.deepEqual([...failed.files('dist').keys()], []);
});

test('a program that is not there is told with what to do', () => {
  const failed = run(AWS, { env: { HANGAR_MODE: 'eager', HANGAR_BIN: '/nowhere/hangar' } });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /cannot start `\/nowhere\/hangar`/);
  assert.match(failed.stderr, /HANGAR_BIN/);
});

test('under the CLI that deploys, references are written and a note says so', () => {
  const notes: string[] = [];
  const mode = (env: NodeJS.ProcessEnv): string => modeOf(undefined, { HANGAR_MODE: 'eager', ...env }, (text) => notes.push(text));
  assert.equal(mode({}), 'eager');
  assert.equal(notes.length, 0);
  for (const name of ['CDK_OUTDIR', 'CDKTF_OUTDIR', 'CDKTF_CONTEXT_JSON', 'CDKTN_OUTDIR']) assert.equal(mode({ [name]: 'x' }), 'defer', name);
  assert.match(notes.join('\n'), /under the CDK CLI.*\n.*under the CDKTF CLI/);
});

test('a mode that there is not is refused', () => {
  assert.throws(() => modeOf(undefined, { HANGAR_MODE: 'lazy' }, () => undefined), /`defer` or `eager`/);
});

const STATE = (id: string, output: unknown, type: unknown): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'f7cb8d4e-0000-0000-0000-000000000000',
    outputs: {},
    resources: [
      {
        mode: 'managed',
        type: 'terraform_data',
        name: 'Bucket',
        provider: 'provider["terraform.io/builtin/terraform"]',
        instances: [{ schema_version: 0, attributes: { id, output: { value: output, type } } }],
      },
    ],
  });

test('the program itself gives the values of a state, eagerly and afterwards', withProgram, () => {
  const output = { name: 'example-bucket', port: 5432, ports: [80, 443], zones: ['a', 'b'] };
  const type = ['object', { name: 'string', port: 'number', ports: ['list', 'number'], zones: ['list', 'string'] }];
  const beside = { 'storage.tfstate': STATE('id-1', output, type), 'compute.tfstate': STATE('id-2', 'other', 'string') };
  const args = ['--state', 'storage=storage.tfstate', '--state', 'compute=compute.tfstate'];
  const program = path.resolve(process.env.HANGAR_BIN ?? '');
  const eager = run(TERRAFORM, { beside, env: { HANGAR_MODE: 'eager', HANGAR_BIN: program, HANGAR_RESOLVE_ARGS: args.join(' ') } });
  const deferred = run(TERRAFORM, { beside });
  const yaml = manifest(eager, 'out/dist');
  const resolved = spawnSync(program, ['resolve', '-f', '-', ...args], { cwd: deferred.folder, input: manifest(deferred, 'out/dist'), encoding: 'utf8' });
  assert.equal(resolved.status, 0, resolved.stderr);
  const values = scalars(resolved.stdout);
  assert.deepEqual(
    [values.id, values.other, values.upper, values.zones, values.portText, values.number],
    ['id-1', 'id-2', 'EXAMPLE-BUCKET', 'a,b', 'port=5432', '5432'],
  );
  assert.match(yaml, /^ {2}portString: "5432"$/m);
  for (const [name, value] of Object.entries(scalars(yaml))) {
    if (!/^[[{]/.test(values[name] ?? '')) assert.equal(value, values[name], name);
  }
});

test("the seed's example: no name, no output, and the real name in the manifest", withProgram, () => {
  const program = path.resolve(process.env.HANGAR_BIN ?? '');
  const app = path.join(APPS, 'twin.js');
  const deferred = run(app);
  const { folder } = deferred;
  const template = path.join('cdk.out', 'Storage.template.json');
  const hangar = (args: string[]): string => {
    const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  const yaml = manifest(deferred);
  hangar(['simulator', 'deploy', template, '--stack', 'Storage', '--data-dir', '.hangar']);
  const [file = ''] = [...deferred.files('dist').keys()].filter((name) => name.endsWith('.yaml'));
  const resolved = hangar(['resolve', '-f', path.join('dist', file)]);
  assert.match(yaml, /bucket: \$\{cfn:Storage\/Bucket83908E77#Ref\}/);
  assert.match(resolved, /^ {2}bucket: storage-bucket83908e77-\w+$/m);
  assert.match(resolved, /^ {2}joined: a-storage-bucket83908e77-\w+$/m);
  const eager = run(app, { folder, env: { HANGAR_MODE: 'eager', HANGAR_BIN: program } });
  assert.equal(manifest(eager), resolved);
});
