// The package as users install it: packed, unpacked beside cdk8s, and loaded with cdk8s versions that it does not support.

import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, INDEX, PACKAGE, run } from './run';

const APP = path.join(APPS, 'aws.js');

test('npm pack builds the package first', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-pack-'));
  try {
    // A clean checkout has no `lib`.
    for (const name of ['package.json', 'README.md', 'tsconfig.json', 'tsconfig.build.json', 'src']) {
      fs.cpSync(path.join(PACKAGE, name), path.join(folder, name), { recursive: true });
    }
    fs.symlinkSync(path.join(PACKAGE, 'node_modules'), path.join(folder, 'node_modules'));
    const packed = spawnSync('npm', ['pack', '--silent', '--offline'], { cwd: folder, encoding: 'utf8' });
    assert.equal(packed.status, 0, packed.stderr);
    const archive = fs.readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? assert.fail('no archive');
    assert.equal(spawnSync('tar', ['-xzf', archive], { cwd: folder }).status, 0);
    const unpacked = path.join(folder, 'package');
    fs.symlinkSync(path.join(PACKAGE, 'node_modules'), path.join(unpacked, 'node_modules'));
    const done = run(APP, { hook: false, env: { RESOLVER: path.join(unpacked, 'lib', 'index.js'), HANGAR_MODE: 'defer' } });
    assert.equal(done.status, 0, done.stderr);
    assert.match([...done.files('dist').values()].join(''), /\$\{cfn:Storage\/Bucket83908E77#Ref\}/);
    assert.ok(fs.existsSync(path.join(unpacked, 'lib', 'index.d.ts')));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/** An app with a token whose cdk8s says that it is of some version. */
function withVersion(version: string, last: string, edit = (text: string): string => text, hook = true): ReturnType<typeof run> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-cdk8s-'));
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(modules);
  for (const name of fs.readdirSync(path.join(PACKAGE, 'node_modules'))) {
    if (name !== 'cdk8s') fs.symlinkSync(path.join(PACKAGE, 'node_modules', name), path.join(modules, name));
  }
  fs.cpSync(path.join(PACKAGE, 'node_modules', 'cdk8s'), path.join(modules, 'cdk8s'), { recursive: true });
  const manifest = path.join(modules, 'cdk8s', 'package.json');
  fs.writeFileSync(manifest, fs.readFileSync(manifest, 'utf8').replace(/"version": "[^"]*"/, `"version": "${version}"`));
  return run(path.join(APPS, 'twin.js'), { folder, hook, env: { NODE_PATH: '' }, edit: (text) => edit(text.replace('k8sApp.synth();', last)) });
}

test('a cdk8s that is too old is refused by its version, with the version that works', () => {
  for (const last of ['k8sApp.synth();', 'console.log(k8sApp.synthYaml());']) {
    const done = withVersion('2.65.9', last);
    assert.equal(done.status, 1, done.stdout);
    assert.match(done.stderr, /cdk8s 2\.65\.9 is older than 2\.66\.0/);
    assert.match(done.stderr, /hint: install cdk8s 2\.66\.0 or newer/);
    assert.doesNotMatch(done.stdout, /apiVersion/);
    assert.equal(done.files('dist').size, 0);
  }
  const alone = withVersion('2.65.9', 'k8sApp.synth();', (text) => `require('cdk8s');\n${text}`.replace("require('cdk8s');", `require('cdk8s');\nrequire(${JSON.stringify(INDEX)});`), false);
  assert.notEqual(alone.status, 0, alone.stdout);
  assert.match(alone.stderr, /cdk8s 2\.65\.9 is older than 2\.66\.0/);
  const oldest = withVersion('2.66.0', 'k8sApp.synth();');
  assert.equal(oldest.status, 0, oldest.stderr);
  assert.match([...oldest.files('dist').values()].join(''), /\$\{cfn:/);
});
