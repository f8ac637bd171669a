import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { test } from 'node:test';

import { modesOf, resolveArgs } from '../src/eager';
import { APPS, INDEX, run, scalars, withProgram } from './run';
import type { Run } from './run';

const [AWS, TERRAFORM, TEXTS] = ['aws.js', 'terraform.js', 'texts.js'].map((name) => path.join(APPS, name)) as [string, string, string];
const EAGER = { HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') };

function manifest(done: Run, folder = 'dist'): string {
  assert.equal(done.status, 0, done.stderr);
  return [...done.files(folder)].find(([name]) => name.startsWith('manifest'))?.[1] ?? assert.fail(done.stderr);
}

test('all references are resolved by one call, and values are written', () => {
  const done = run(AWS, { env: { ...EAGER, HANGAR_RESOLVE_ARGS: '["--state", "a=b c"]' } });
  const yaml = manifest(done);
  assert.equal(scalars(yaml).text, 'https://value/x');
  assert.match(yaml, /x-value: true/);
  assert.doesNotMatch(yaml.replace('$${cfn:A/B}', ''), /\$\{(?:cfn|expr):/);
  assert.ok([...done.files('dist').keys()].every((name) => name.endsWith('.yaml')), 'a folder that can be applied');
  const calls = (done.file('calls.jsonl') ?? '').trim().split('\n').map((line) => JSON.parse(line) as { args: string[]; input: string });
  assert.equal(calls.length, 1);
  assert.deepEqual(calls[0]?.args, ['resolve', '--batch', '--state', 'a=b c']);
  const { manifests } = JSON.parse(calls[0].input) as { manifests: { file: string }[] };
  assert.deepEqual(manifests.map((it) => it.file), ['dist/manifest-c82b06a1.k8s.yaml'], 'files without references are not asked for');
});

test('a chart or an object by itself has values where the app asks for them', () => {
  const edit = (text: string): string => `${text}\nconsole.log(JSON.stringify([chart.toJson()[0], map.toJson()]));\n`;
  const done = run(AWS, { hook: false, edit, env: { ...EAGER, RESOLVER: INDEX } });
  assert.equal(done.status, 0, done.stderr);
  const [first, second] = JSON.parse(done.stdout) as { data: Record<string, string> }[];
  assert.equal(first?.data.text, 'https://value/x');
  assert.deepEqual(second, first);
});

test('what the program says is shown, and nothing is written', () => {
  const failed = run(AWS, { env: { ...EAGER, STAND_IN: 'fail' } });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /error\[REF0004\]: stack `Storage` does not exist/);
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
  const mode = (env: NodeJS.ProcessEnv): string => modesOf({}, { HANGAR_MODE: 'eager', ...env }, (text) => notes.push(text)).files;
  assert.equal(mode({}), 'eager');
  assert.equal(notes.length, 0);
  for (const name of ['CDK_OUTDIR', 'CDKTF_OUTDIR', 'CDKTF_CONTEXT_JSON', 'CDKTN_OUTDIR']) assert.equal(mode({ [name]: 'x' }), 'defer', name);
  assert.match(notes.join('\n'), /under the CDK CLI.*\n.*under the CDKTF CLI/);
});

test('for a command that resolves files afterwards, texts have values at once, unless the stacks are not deployed', () => {
  const modes = (env: NodeJS.ProcessEnv) => modesOf({}, { HANGAR_MODE: 'resolve', ...env }, () => assert.fail('no note'));
  assert.deepEqual(modes({}), { files: 'defer', texts: 'eager' });
  assert.deepEqual(modes({ CDK_OUTDIR: 'x' }), { files: 'defer', texts: 'defer' });
  assert.deepEqual(modesOf({ option: 'defer' }, { HANGAR_MODE: 'resolve' }, () => undefined), { files: 'defer', texts: 'defer' });
});

test('a mode that there is not is refused', () => {
  assert.throws(() => modesOf({}, { HANGAR_MODE: 'lazy' }, () => undefined), /`defer` or `eager`/);
});

test('flags are words, or a list in JSON', () => {
  assert.deepEqual(resolveArgs(' --state  a=b '), ['--state', 'a=b']);
  assert.deepEqual(resolveArgs('["--state", "a=b c"]'), ['--state', 'a=b c']);
  for (const text of ['["--state"', '[1]']) assert.throws(() => resolveArgs(text), /HANGAR_RESOLVE_ARGS is .*JSON list of strings/);
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

const TYPES: Record<string, unknown> = { number: 'number', big: 'number', list: ['list', 'string'], numbers: ['list', 'number'], map: ['map', 'string'] };
const VALUES = {
  plain: 'example-bucket',
  quotes: `it's "quoted"`,
  json: '{"a": [1, true, null], "b": "c: d"}',
  list_like: '[a, b]',
  yes: 'yes',
  octal: '0123',
  exponent: '1e3',
  hex: '0x1F',
  date: '2024-01-01',
  null_like: 'null',
  tilde: '~',
  empty: '',
  blanks: '  both ends  ',
  lines: 'one\ntwo: 2\n\n# three\n',
  no_end: 'one\ntwo',
  colon: 'a: b',
  hash: 'a #b',
  dash: '- x',
  star: '*x &y !z %w @v `u',
  tab: 'a\tb',
  unicode: 'žluťoučký kůň 🐎 \u200b\u00a0',
  control: 'bell\u0007 back\\slash',
  reference: '${cfn:A/B} $${cfn:A/B} ${HOME}',
  long: 'word '.repeat(60),
};

test('eager writes what defer and hangar resolve write, to the byte, in whatever files', withProgram, () => {
  // Written as text, because JavaScript cannot hold the big one.
  const others = '"number":5432,"big":12345678901234567890,"list":["a","b: c"],"numbers":[80,443],"map":{"k":"v: w","n":"1"}';
  const type = ['object', Object.fromEntries([...Object.keys(VALUES).map((name) => [name, 'string']), ...Object.entries(TYPES)])];
  const state = STATE('id-1', 'OUTPUT', type).replace('"OUTPUT"', `{${JSON.stringify(VALUES).slice(1, -1)},${others}}`);
  const beside = { 'a state': state };
  const program = path.resolve(process.env.HANGAR_BIN ?? '');
  const args = ['--state', 'storage=a state'];
  const NAMES = Object.keys(VALUES).join(',');
  const deferred = run(TEXTS, { beside, env: { NAMES } });
  const eager = run(TEXTS, { beside, env: { NAMES, HANGAR_MODE: 'eager', HANGAR_BIN: program, HANGAR_RESOLVE_ARGS: JSON.stringify(args) } });
  assert.equal(deferred.status, 0, deferred.stderr);
  assert.equal(eager.status, 0, eager.stderr);
  const resolved = (input: string): string => {
    const done = spawnSync(program, ['resolve', '-f', '-', ...args], { cwd: deferred.folder, input, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  const [expected, written] = [deferred.files('dist'), eager.files('dist')];
  const lists = [...expected.keys()].filter((name) => name.endsWith('cloud-references.json'));
  assert.equal(lists.length, 4);
  for (const name of lists) expected.delete(name);
  assert.deepEqual([...written.keys()], [...expected.keys()]);
  assert.equal(written.size, 1 + 3 + 4 + 4 + 4);
  for (const [name, text] of expected) assert.equal(written.get(name), name.endsWith('.yaml') ? resolved(text) : text, name);
  assert.equal(eager.stdout, resolved(deferred.stdout));
  assert.match(eager.stdout, /^ {2}big: 12345678901234567890$/m);
  assert.match(eager.stdout, /^ {2}octal: "0123"$/m);
  // Nothing of a token is left, in names of files neither.
  assert.doesNotMatch(JSON.stringify([...expected]), /token/i);
});

test('the folder is that of hangar resolve --out', withProgram, () => {
  const program = path.resolve(process.env.HANGAR_BIN ?? '');
  const type = ['object', { name: 'string', port: 'number', ports: ['list', 'number'], zones: ['list', 'string'] }];
  const storage = STATE('id-1', { name: 'lake', port: 1, ports: [80], zones: ['a'] }, type);
  const beside = { 'storage.tfstate': storage, 'compute.tfstate': STATE('id-2', 'other', 'string') };
  const args = ['--state', 'storage=storage.tfstate', '--state', 'compute=compute.tfstate'];
  const eager = run(TERRAFORM, { beside, env: { HANGAR_MODE: 'eager', HANGAR_BIN: program, HANGAR_RESOLVE_ARGS: args.join(' ') } });
  const deferred = run(TERRAFORM, { beside });
  const done = spawnSync(program, ['resolve', '-f', 'out/dist', '--out', 'resolved', ...args], { cwd: deferred.folder, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(eager.status, 0, eager.stderr);
  assert.deepEqual(eager.files('out/dist'), deferred.files('resolved'));
  const values = scalars(manifest(eager, 'out/dist'));
  assert.deepEqual([values.id, values.other, values.upper, values.zones, values.portText, values.number], ['id-1', 'id-2', 'LAKE', 'a', 'port=1', '1']);
  for (const name of ['portPrinted', 'deep', 'sum']) assert.equal(values[name], '"1"', name);
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
