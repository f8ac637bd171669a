// The Python package, built from this checkout and installed into a folder.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

import { APPS, PACKAGE, run } from './run';
import type { Options, Run } from './run';

const PYTHON = process.env.HANGAR_TEST_PYTHON ?? 'python3';
const STUBS = path.join(PACKAGE, 'test', 'stubs', 'python');

const NEEDED = ['cdk8s', 'cdk8s_plus_33', 'aws_cdk', 'cdktf', 'setuptools', 'pip'];
const CHECK = `import importlib.util as u; exit(not all(map(u.find_spec, ${JSON.stringify(NEEDED)})))`;
const SKIPPED = { skip: `Python has not all of ${NEEDED.join(', ')} (HANGAR_TEST_PYTHON may say which has)` };

/** For tests that need the wheel. */
export const withWheel: { skip?: string } = spawnSync(PYTHON, ['-c', CHECK]).status === 0 ? {} : SKIPPED;

let built: string | undefined;

/** The folder of the installed wheel; made once. */
function installedWheel(): string {
  if (built !== undefined) return built;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hangar-wheel-'));
  process.on('exit', () => {
    fs.rmSync(folder, { recursive: true, force: true });
  });
  // setuptools writes beside its sources.
  fs.cpSync(path.join(PACKAGE, 'python'), path.join(folder, 'source'), { recursive: true });
  const pip = (...args: string[]): void => {
    const done = spawnSync(PYTHON, ['-m', 'pip', ...args, '--quiet', '--no-deps', '--no-index', '--disable-pip-version-check'], { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
  };
  pip('wheel', '--no-build-isolation', '--wheel-dir', 'wheels', './source');
  const [wheel = ''] = fs.readdirSync(path.join(folder, 'wheels'));
  built = path.join(folder, 'installed');
  pip('install', '--target', 'installed', path.join('wheels', wheel));
  return built;
}

/** Runs an app in Python with the wheel, without the hook if nothing else is said. */
export function python(app: string, options: Options = {}): Run {
  const PYTHONPATH = [installedWheel(), STUBS].join(path.delimiter);
  // The user's own cache, in which libraries are unpacked once.
  const env = { HOME: os.homedir(), PYTHONPATH, ...options.env };
  return run(app, { hook: false, ...options, program: PYTHON, env });
}

export const OWN = path.join(APPS, 'own.py');
