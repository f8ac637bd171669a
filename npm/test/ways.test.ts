// Every way in which apps are run: the same manifest comes of each.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import * as ts from 'typescript';

import { APPS, installed, run } from './run';
import type { Options, Run } from './run';

const MAIN = path.join(APPS, 'main.ts');
const MANIFEST = `apiVersion: v1
kind: ConfigMap
metadata:
  name: manifest-map-c8ba790c
data:
  bucket: \${cfn:Storage/Bucket83908E77#Ref}
`;
const FILE = 'manifest-c82b06a1.k8s.yaml';
/** Types are for the compiler, and it takes longer than everything else. */
const TSCONFIG = JSON.stringify({ compilerOptions: { module: 'commonjs', target: 'es2022' }, 'ts-node': { transpileOnly: true } });
const EAGER = { HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') };

function compiled(module: ts.ModuleKind): string {
  const compilerOptions = { module, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(fs.readFileSync(MAIN, 'utf8'), { compilerOptions }).outputText;
}

function isWritten(done: Run): void {
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.files('dist').get(FILE), MANIFEST);
}

const COMMON_JS = { 'main.js': compiled(ts.ModuleKind.CommonJS) };
const ES_MODULE = { 'main.js': compiled(ts.ModuleKind.ESNext), 'package.json': '{"type": "module"}' };

const ways: Record<string, Options> = {
  'TypeScript compiled to CommonJS': { beside: COMMON_JS, args: ['main.js'] },
  'TypeScript compiled to ES modules': { beside: ES_MODULE, args: ['main.js'] },
  'a name without an ending': { beside: COMMON_JS, args: ['./main'] },
  'ts-node': { beside: { 'tsconfig.json': TSCONFIG }, program: installed('ts-node') },
  'ts-node as a module': { beside: { 'tsconfig.json': TSCONFIG }, args: ['--require=ts-node/register', 'FILE'] },
  tsx: { program: installed('tsx') },
  'tsx with ES modules': { beside: { 'package.json': '{"type": "module"}' }, program: installed('tsx') },
  'tsx as a module': { args: ['--import=tsx', 'FILE'] },
};
for (const [name, options] of Object.entries(ways)) {
  test(`${name} runs with the hook`, () => {
    isWritten(run(MAIN, options));
  });
}

// The CLI would ask for newer versions of itself.
const CLI = { program: installed('cdk8s'), env: { CDK8S_CHECK_UPGRADE: 'false' } };

test('cdk8s synth runs with the hook', () => {
  const done = run(MAIN, { ...CLI, beside: { ...COMMON_JS, 'cdk8s.yaml': 'language: typescript\napp: node main.js\n' }, args: ['synth'] });
  isWritten(done);
  assert.ok(done.stdout.includes(FILE), done.stdout);
});

test('cdk8s synth runs with the hook where the app is npx ts-node', () => {
  const beside = { 'tsconfig.json': TSCONFIG, 'cdk8s.yaml': 'language: typescript\napp: npx ts-node main.ts\n' };
  isWritten(run(MAIN, { ...CLI, beside, args: ['synth'] }));
});

test('cdk8s synth --stdout prints references, and values in eager', () => {
  const beside = { ...COMMON_JS, 'cdk8s.yaml': 'language: typescript\napp: node main.js\n' };
  const printed = run(MAIN, { ...CLI, beside, args: ['synth', '--stdout'], env: { ...CLI.env, HANGAR_SYNTHESIZED: 'journal.jsonl' } });
  assert.equal(printed.stdout, MANIFEST);
  const { manifests } = JSON.parse(printed.file('journal.jsonl') ?? '') as { manifests: string[] };
  assert.equal(fs.existsSync(manifests[0] ?? ''), false, 'the CLI has taken its folder away');
  const eager = run(MAIN, { ...CLI, beside, args: ['synth', '--stdout'], env: { ...CLI.env, ...EAGER } });
  assert.equal(eager.stdout, MANIFEST.replace(/\$\{.*\}/, 'value'));
});

test('cdk8s synth fails where a value is refused, and writes nothing', () => {
  const main = COMMON_JS['main.js'].replace('bucket.bucketName', 'bucket.bucketName.toLowerCase()');
  const done = run(MAIN, { ...CLI, beside: { 'main.js': main }, args: ['synth', '--app', 'node main.js'] });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /ConfigMap manifest-map-c8ba790c, \/data\/bucket: .*letter case was changed/);
  assert.deepEqual([...done.files('dist').keys()], []);
});

test('cdk8s synth --format helm has the list for audit beside the templates', () => {
  const args = ['synth', '--app', 'node main.js', '--format', 'helm', '--chart-version', '1.0.0'];
  const done = run(MAIN, { ...CLI, beside: COMMON_JS, args });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.files('dist').get(`templates/${FILE}`), MANIFEST);
  assert.deepEqual([...done.files('dist').keys()], ['Chart.yaml', 'README.md', 'cloud-references.json', `templates/${FILE}`]);
});

test('two copies of cdk8s, of aws-cdk-lib and of cdktf work together', () => {
  // With links kept as they are, two ways to a library are two copies of it.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-copies-'));
  fs.mkdirSync(path.join(folder, 'lib'));
  fs.symlinkSync(path.resolve(APPS, '..', '..', 'node_modules'), path.join(folder, 'lib', 'node_modules'));
  const done = run(path.join(APPS, 'copies.js'), { folder, args: ['--preserve-symlinks', '--preserve-symlinks-main', 'FILE'] });
  assert.equal(done.status, 0, done.stderr);
  const manifests = [...done.files('dist')].filter(([name]) => name.endsWith('.yaml'));
  assert.equal(manifests.length, 2);
  for (const [name, text] of manifests) {
    assert.doesNotMatch(text, /token/i, name);
    for (const at of [0, 1]) {
      const bucket = `cfn:Storage${at}/Bucket83908E77`;
      const data = `tf:storage${at}/terraform_data.Data`;
      const items = [`\${${bucket}#Ref}`, `text \${${bucket}#Arn}`, `\${${data}#id}`, `\${${data}#output|number}`];
      for (const item of items) assert.equal(text.split(`- ${item}\n`).length, 3, `${name}: ${item}`);
    }
  }
});

test('a copy of cdk8s that the hook cannot see writes no token', () => {
  // As in a bundle: the library is there, but not under its name.
  const beside = { 'main.js': COMMON_JS['main.js'].replace('require("cdk8s")', 'require("./bundled/index.js")') };
  const folder = run(MAIN, { beside, hook: false, args: ['-e', '0'] }).folder;
  fs.cpSync(path.join(folder, 'node_modules', 'cdk8s', 'lib'), path.join(folder, 'bundled'), { recursive: true });
  fs.cpSync(path.join(folder, 'node_modules', 'cdk8s', 'package.json'), path.join(folder, 'package.json'));
  const done = run(MAIN, { folder, args: ['main.js'], env: { NODE_PATH: path.join(folder, 'node_modules', 'cdk8s', 'node_modules') } });
  assert.equal(done.status, 1, done.stderr);
  assert.match(done.stderr, /hangar: dist\/manifest-c82b06a1\.k8s\.yaml is not written because it would contain the token `\$\{Token\[TOKEN\.\d+\]\}`/);
  assert.deepEqual([...done.files('dist').keys()], []);
});

test('threads and processes that a synthesis starts are not disturbed, and have the hook', () => {
  const done = run(path.join(APPS, 'workers.js'), { env: { HANGAR_SYNTHESIZED: 'journal.jsonl' } });
  assert.equal(done.status, 0, done.stderr);
  const manifests = [...done.files('dist')].filter(([name]) => name.endsWith('.yaml')).map(([, text]) => text);
  assert.equal(manifests.length, 2);
  assert.equal(manifests[0], manifests[1]);
  assert.match(manifests.join(), /id: \$\{tf:storage\/terraform_data\.Bucket#id\}/);
  assert.equal(done.file('journal.jsonl')?.split('\n').length, 3);
});
