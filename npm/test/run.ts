// Runs apps as their users do: in a process of their own, in a folder of their own, with the hook or without it.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export const PACKAGE = path.resolve(__dirname, '..', '..');
const BUNDLE = path.resolve(PACKAGE, '..', 'crates', 'cli', 'src', 'run', 'hangar-cdk8s.cjs');
export const INDEX = path.join(PACKAGE, 'build', 'src', 'index.js');
export const APPS = path.join(PACKAGE, 'test', 'apps');
export const FIXTURES = path.resolve(PACKAGE, '..', '..', 'shared', 'fixtures', 'cdk8s');
const STUBS = path.join(PACKAGE, 'test', 'stubs');

/** For tests over files that not every clone has. */
export const withFixtures = fs.existsSync(FIXTURES) ? {} : { skip: 'there is no ../shared/fixtures' };

/** For tests that need the program itself: `HANGAR_BIN` says where it is. */
export const withProgram = process.env.HANGAR_BIN === undefined ? { skip: 'HANGAR_BIN is not set' } : {};

export interface Run {
  readonly folder: string;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The text of a file that the app wrote; none where it wrote none. */
  file(name: string): string | undefined;
  /** All files of a folder that the app wrote, by their names. */
  files(name: string): Map<string, string>;
}

export interface Options {
  readonly hook?: boolean;
  readonly env?: Record<string, string>;
  readonly program?: string;
  /** What is given to the program, with `FILE` for the app; only that where nothing is said. */
  readonly args?: readonly string[];
  /** Files beside the app, by their names. */
  readonly beside?: Record<string, string>;
  /** Changes the app's text. */
  readonly edit?: (text: string) => string;
  readonly folder?: string;
}

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

/** The hook as `hangar run` puts it: one file, far from every app, in a folder whose name has a space. */
function hookOption(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar hook-'));
  folders.push(folder);
  const file = path.join(folder, 'hangar-cdk8s.cjs');
  fs.copyFileSync(BUNDLE, file);
  return `--require="${file.replaceAll('\\', '\\\\')}"`;
}

const HOOK = hookOption();

/** A program of a package. */
export function installed(name: string): string {
  return path.join(PACKAGE, 'node_modules', '.bin', name);
}

/** Runs a copy of an app. */
export function run(app: string, options: Options = {}): Run {
  const folder = options.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-cdk8s-'));
  folders.push(folder);
  const [file, modules] = [path.join(folder, path.basename(app)), path.join(folder, 'node_modules')];
  if (!fs.existsSync(modules)) fs.symlinkSync(path.join(PACKAGE, 'node_modules'), modules);
  fs.writeFileSync(file, (options.edit ?? ((text) => text))(fs.readFileSync(app, 'utf8')));
  for (const [name, text] of Object.entries(options.beside ?? {})) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    // The CDK's own look at its templates takes three quarters of a run, and has nothing to do with manifests.
    CDK_VALIDATION: 'false',
    NODE_PATH: [STUBS, path.join(PACKAGE, 'node_modules')].join(path.delimiter),
    ...(options.hook === false ? {} : { NODE_OPTIONS: HOOK }),
    ...options.env,
  };
  const args = (options.args ?? ['FILE']).map((arg) => arg.replace('FILE', path.basename(file)));
  const done = spawnSync(options.program ?? process.execPath, args, { cwd: folder, env, encoding: 'utf8', timeout: 120_000 });
  return {
    folder,
    status: done.status,
    stdout: done.stdout,
    stderr: done.stderr,
    file: (name) => read(path.join(folder, name)),
    files: (name) => readAll(path.join(folder, name), folder),
  };
}

function read(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

function readAll(folder: string, root: string): Map<string, string> {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return new Map(files.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8').replaceAll(root, '.')]));
}

/** The scalars of a list of environment variables, or of the members of an object, as the YAML writes them. */
export function scalars(yaml: string): Record<string, string> {
  const variables = [...yaml.matchAll(/- name: (\w+)\n +value: (.*)$/gm)];
  const members = [...yaml.matchAll(/^ {2}([\w-]+): (.+)$/gm)];
  return Object.fromEntries([...members, ...variables].map(([, name = '', value = '']) => [name, value]));
}

/** The tree that an expression carries. */
export function treeIn(reference: string | undefined): unknown {
  const [, base64 = ''] = /^\$\{expr:([\w-]+)(?:\|\w+)?\}$/.exec(reference ?? '') ?? [];
  return base64 === '' ? reference : (JSON.parse(Buffer.from(base64, 'base64url').toString('utf8')) as unknown);
}
