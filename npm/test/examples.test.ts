// The two examples of RFC 002 of cdk8s, with the package alone: examples/cdk8s/aws-resolver and cdktf-resolver.

import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { installed, PACKAGE, run, withProgram } from './run';
import type { Options, Run } from './run';
import { python, withWheel } from './wheel';

const EXAMPLES = path.resolve(PACKAGE, '..', 'examples', 'cdk8s');
const PROGRAM = path.resolve(process.env.HANGAR_BIN ?? '');
const FILE = 'manifest-c82b06a1.k8s.yaml';
/** CloudFormation chooses the end of the name. */
const CHOSEN = /aws-bucket83908e77-\w+/;

/** A folder whose packages are those of this one, and this one itself. */
function folder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-example-'));
  const [from, to] = [path.join(PACKAGE, 'node_modules'), path.join(made, 'node_modules')];
  fs.mkdirSync(path.join(to, 'hangar-cdk8s'), { recursive: true });
  for (const name of fs.readdirSync(from)) fs.symlinkSync(path.join(from, name), path.join(to, name));
  fs.copyFileSync(path.join(PACKAGE, 'package.json'), path.join(to, 'hangar-cdk8s', 'package.json'));
  fs.symlinkSync(path.join(PACKAGE, 'build', 'src'), path.join(to, 'hangar-cdk8s', 'lib'));
  return made;
}

/** Deploys to the simulator of a folder. */
function deploy(cwd: string, ...args: string[]): void {
  fs.writeFileSync(path.join(cwd, 'other.json'), '{"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}');
  const env = { PATH: process.env.PATH, HOME: cwd };
  const done = spawnSync(PROGRAM, ['simulator', 'deploy', ...args, '--data-dir', '.hangar'], { cwd, encoding: 'utf8', env });
  assert.equal(done.status, 0, done.stderr);
}

const languages: Record<string, { skip?: string; run: (example: string, options: Options) => Run }> = {
  TypeScript: { run: (example, options) => run(path.join(EXAMPLES, example, 'main.ts'), { ...options, hook: false, program: installed('tsx') }) },
  Python: { ...withWheel, run: (example, options) => python(path.join(EXAMPLES, example, 'main.py'), options) },
};

function expected(example: string): string {
  return fs.readFileSync(path.join(EXAMPLES, example, 'manifest.k8s.yaml'), 'utf8');
}

for (const [language, { run: start, ...skipped }] of Object.entries(languages)) {
  test(`the example for the AWS CDK in ${language} writes the name of the deployed bucket`, { ...withProgram, ...skipped }, () => {
    const options = { folder: folder(), env: { HANGAR_BIN: PROGRAM } };
    deploy(options.folder, 'other.json', '--stack', 'Other');
    const early = start('aws-resolver', options);
    assert.notEqual(early.status, 0);
    assert.match(early.stderr, /Are you sure you deployed the CDK stack\?/);
    assert.equal(early.files('dist').size, 0);
    // As the CDK's own CLI runs it before the deployment.
    const synthesized = start('aws-resolver', { ...options, env: { ...options.env, CDK_OUTDIR: 'cdk.out' } });
    assert.equal(synthesized.status, 0, synthesized.stderr);
    deploy(options.folder, 'cdk.out');
    const done = start('aws-resolver', options);
    assert.equal(done.status, 0, done.stderr);
    const written = done.files('dist').get(FILE) ?? assert.fail('no manifest');
    assert.match(written, CHOSEN);
    assert.equal(written.replace(CHOSEN, ''), expected('aws-resolver').replace(CHOSEN, ''));
  });

  test(`the example for CDKTF in ${language} writes the name from the state`, { ...withProgram, ...skipped }, () => {
    const options = { folder: folder(), env: { HANGAR_BIN: PROGRAM } };
    const early = start('cdktf-resolver', options);
    assert.notEqual(early.status, 0);
    assert.match(early.stderr, /state `Stack` does not exist/);
    assert.equal(early.files('dist').size, 0);
    fs.writeFileSync(path.join(options.folder, 'terraform.Stack.tfstate'), STATE);
    const done = start('cdktf-resolver', options);
    assert.equal(done.status, 0, done.stderr);
    assert.equal(done.files('dist').get(FILE), expected('cdktf-resolver'));
  });
}

const STATE = JSON.stringify({
  version: 4,
  terraform_version: '1.11.4',
  serial: 1,
  lineage: 'f7cb8d4e-0000-0000-0000-000000000000',
  outputs: {},
  resources: [
    {
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'Bucket',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ schema_version: 0, attributes: { id: 'terraform-20261118000000000100000001', bucket: 'terraform-20261118000000000100000001' } }],
    },
  ],
});
