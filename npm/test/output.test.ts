import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { auditFile } from '../src/audit';
import { APPS, INDEX, run } from './run';
import type { Run } from './run';

const ALONE = path.join(APPS, 'alone.js');
const REFERENCE = '${tf:storage/terraform_data.Bucket#id}';

interface Line {
  outdir: string;
  mode: string;
  manifests: string[];
  others: string[];
  audit: string | null;
  returned?: string | null;
}

function journal(done: Run): Line[] {
  const text = (done.file('journal.jsonl') ?? '').replaceAll(fs.realpathSync(done.folder), '.').replaceAll(done.folder, '.');
  return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

const JOURNAL = { HANGAR_SYNTHESIZED: 'journal.jsonl' };

test('each synth is told to who has started the app, with the manifests that hold references', () => {
  const done = run(ALONE, { env: JOURNAL });
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(journal(done), [
    { outdir: './dist', mode: 'defer', manifests: ['./dist/manifest-c82b06a1.k8s.yaml'], others: [], audit: './dist/cloud-references.json' },
    { outdir: './empty', mode: 'defer', manifests: [], others: [], audit: null },
  ]);
});

test('an app that only asks for a text, or for JSON, is told as one without files', () => {
  const expected = [{ outdir: './dist', mode: 'defer', manifests: [], others: [], audit: null, returned: 'references' }];
  const yaml = run(ALONE, { env: JOURNAL, edit: (text) => text.replace(/^if [^]*/m, 'console.log(app.synthYaml());\n') });
  assert.ok(yaml.stdout.includes(REFERENCE), yaml.stderr);
  assert.deepEqual(journal(yaml), expected);
  const asking = (text: string): string =>
    text.replace("'dist' });", `'dist', resolvers: [new (require(${JSON.stringify(INDEX)}).HangarResolver)()] });`).replace(/^if [^]*/m, 'chart.toJson();\n');
  for (const hook of [true, false]) assert.deepEqual(journal(run(ALONE, { env: JOURNAL, edit: asking, hook })), expected);
});

test('under a command that resolves files afterwards, what an app asks for has values at once', () => {
  const env = { ...JOURNAL, HANGAR_MODE: 'resolve', HANGAR_BIN: path.join(APPS, 'stand-in.js') };
  const done = run(ALONE, { env, edit: (text) => text.replace(/^if [^]*/m, "require('fs').writeFileSync('all.yaml', app.synthYaml());\napp.synth();\n") });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.file('all.yaml') ?? '', /^ {2}id: value$/m);
  assert.ok(done.files('dist').get('manifest-c82b06a1.k8s.yaml')?.includes(REFERENCE));
  const [returned, written] = journal(done);
  assert.deepEqual([returned?.returned, written?.manifests], ['values', ['./dist/manifest-c82b06a1.k8s.yaml']]);
});

test('an app that is synthesized twice gives the same twice', () => {
  const [once, twice] = [run(ALONE), run(ALONE, { env: { ...JOURNAL, TWICE: 'yes' } })];
  assert.equal(twice.status, 0, twice.stderr);
  assert.deepEqual(twice.files('dist'), once.files('dist'));
  assert.deepEqual(journal(twice).map((line) => line.outdir), ['./dist', './dist', './empty']);
});

test('with values in the manifests none holds a reference', () => {
  const done = run(ALONE, { env: { ...JOURNAL, HANGAR_MODE: 'eager', HANGAR_BIN: path.join(APPS, 'stand-in.js') } });
  assert.equal(done.status, 0, done.stderr);
  const others = ['./dist/manifest-c82b06a1.k8s.yaml'];
  assert.deepEqual(journal(done)[0], { outdir: './dist', mode: 'eager', manifests: [], others, audit: null });
});

test('where it cannot be told nothing is written', () => {
  const done = run(ALONE, { env: { HANGAR_SYNTHESIZED: 'nowhere/journal.jsonl' } });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /cannot write to nowhere\/journal\.jsonl \(from HANGAR_SYNTHESIZED\)/);
  assert.deepEqual([...done.files('dist').keys()], ['own.yaml']);
});

test('what is refused is not told as written', () => {
  const done = run(ALONE, { env: { ...JOURNAL, CHANGE: 'yes' } });
  assert.equal(done.status, 1);
  assert.deepEqual(journal(done), []);
  assert.deepEqual([...done.files('dist').keys()], ['own.yaml']);
});

test('an app that catches what is refused fails all the same, and it is told once', () => {
  const refusal = /hangar: 1 value cannot be written/g;
  const caught = (what: string) => (text: string): string => text.replace(/^ {2}app\.synth\(\);$/m, `try { app.synth(); } catch (error) { ${what} }`);
  for (const what of ['', 'process.exit(0);', 'console.error(error);', 'console.log(error.message);', 'throw error;', 'Promise.reject(error);', 'process.exit(3);']) {
    const done = run(ALONE, { env: { CHANGE: 'yes' }, edit: caught(what) });
    assert.equal(done.status, what.includes('3') ? 3 : 1, what);
    assert.equal(`${done.stdout}${done.stderr}`.match(refusal)?.length, 1, `${what}: ${done.stderr}`);
  }
  const without = run(ALONE, { env: { CHANGE: 'yes' }, edit: caught('process.exit(4);'), hook: false });
  assert.doesNotMatch(without.stderr, refusal);
});

test('JSON that an app writes past the hook holds no token', () => {
  for (const file of ['own.json', 'own.yaml', 'own.yml']) {
    const refused = run(ALONE, { env: { SAVE: 'json', JSON_FILE: file } });
    assert.equal(refused.status, 1, file);
    assert.match(refused.stderr, new RegExp(`^hangar: ${file} is not written because it would contain the token \`\\$\\{TfToken\\[.*\\(line 9, ConfigMap manifest-map-c8ba790c\\)`), file);
    assert.equal(refused.file(file), undefined);
  }
});

/** How an app may write a text by itself. */
const writes: Record<string, string> = {
  'to a file': "fs.writeFileSync('own.txt', text)",
  'with a callback': "fs.writeFile('own.txt', text, () => undefined)",
  'with a promise': "fs.promises.writeFile('own.txt', Buffer.from(text))",
  'at the end of a file': "fs.appendFileSync('own.txt', text)",
  'to a stream': "fs.createWriteStream('own.txt').end(text)",
  'to a descriptor': "fs.writeSync(fs.openSync('own.txt', 'w'), text)",
  'to the console': 'console.log(text)',
  'to standard output': 'process.stdout.write(text)',
  'to another program': "const child = require('child_process').spawn('cat', { stdio: ['pipe', 'inherit', 'inherit'] }); child.stdin.end(text)",
  'to another program at once': "process.stdout.write(require('child_process').execSync('cat', { input: text }))",
};
for (const [way, write] of Object.entries(writes)) {
  test(`a manifest that an app writes by itself ${way} holds no token`, () => {
    for (const [text, token] of [['k8s.Yaml.stringify(...chart.toJson())', 'TfToken'], ["'apiVersion: v1\\nkind: ConfigMap\\ndata:\\n  n: -1.8881545897087503e+289\\n'", 'e\\+289']]) {
      for (const hook of [true, false]) {
        const edit = (app: string): string => `${hook ? '' : `require(${JSON.stringify(INDEX)});\n`}${app.replace(/^if [^]*/m, `const fs = require('fs');\nconst text = ${text ?? ''};\n${write};\n`)}`;
        const done = run(ALONE, { edit, hook });
        assert.notEqual(done.status, 0, `${token}, ${hook}`);
        assert.match(done.stderr, new RegExp(`hangar: .* it would contain the token \`.*${token ?? ''}.*\\(line \\d+, ConfigMap`));
        assert.doesNotMatch(`${done.stdout}${done.file('own.txt') ?? ''}`, /Token\[|289/);
      }
    }
  });
}

test('logs may name tokens, and templates may hold them', () => {
  const edit = (app: string): string => app.replace(/^if [^]*/m, "console.log(bucket.id);\nrequire('fs').writeFileSync('tree.json', JSON.stringify({ id: bucket.id }));\n");
  const done = run(ALONE, { edit });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /^\$\{TfToken\[/);
});

test('values for a chart that an app writes hold no token', () => {
  const done = run(ALONE, { edit: (app) => app.replace(/^if [^]*/m, "require('fs').writeFileSync('values.yaml', k8s.Yaml.stringify({ id: bucket.id }));\n") });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /values\.yaml is not written because it would contain the token `.*` \(line 1\)/);
});

test('errors of others keep their own place', () => {
  const edit = (text: string): string => text.replace('produce: () => {', "produce: () => {\n        throw new Error('of the app');");
  const done = run(ALONE, { edit });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /^[^\n]*cdk8s[\\/]lib[\\/]api-object\.js:\d+\n +throw new Error/);
});

test('documents that a program saves itself have references too, and others are as they were', () => {
  const done = run(ALONE, { env: { ...JOURNAL, SAVE: 'yaml' } });
  assert.equal(done.status, 0, done.stderr);
  assert.ok(done.file('saved.yaml')?.includes(`  id: ${REFERENCE}\n`), done.file('saved.yaml'));
  assert.equal(done.file('shared.yaml'), 'one: &a1\n  a: 1\ntwo: *a1\n');
  assert.deepEqual(journal(done), [{ outdir: '.', mode: 'defer', manifests: ['./saved.yaml'], others: [], audit: null }]);
  const refused = run(ALONE, { env: { SAVE: 'yaml', CHANGE: 'yes' } });
  assert.match(refused.stderr, /ConfigMap manifest-map-c8ba790c, \/data\/id: .* letter case was changed/);
  assert.equal(refused.file('saved.yaml'), undefined);
});

test('a text of YAML may go into a stack, and keeps its tokens', () => {
  const done = run(ALONE, { env: { SAVE: 'stringify' }, edit: (text) => text.replace('process.stdout.write(k8s', 'console.log((k8s').replace("toJson()));", "toJson())).replace(/apiVersion/g, 'of a chart'));") });
  assert.match(done.stdout, /id: \$\{TfToken\[/, done.stderr);
});

test('the list for audit is not among the templates of a Helm chart', () => {
  const done = run(ALONE, { beside: { 'chart/Chart.yaml': 'name: a\n' }, env: { OUTDIR: 'chart/templates' } });
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual([...done.files('chart').keys()], ['Chart.yaml', 'cloud-references.json', 'templates/manifest-c82b06a1.k8s.yaml']);
  assert.equal(auditFile(path.join(done.folder, 'templates')), path.join(done.folder, 'templates', 'cloud-references.json'));
});
