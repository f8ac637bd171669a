// For `NODE_OPTIONS=--require=…/preload.js`: every cdk8s that a program loads gets the hook, and the program stays as it is.
//
// It runs in each process of node that such a command starts, so that it loads next to nothing before cdk8s is.

import * as fs from 'node:fs';
import * as path from 'node:path';
import Module, { createRequire } from 'node:module';

import { refuseRawTokens } from './guard';
import type { Cdk8s } from './install';
import { hookOld, isTooOld } from './old';
import { tellFromNowOn } from './problem';

interface Loader {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
  _resolveFilename(request: string, parent: unknown, ...more: unknown[]): string;
}

const loader = Module as unknown as Loader;
const resolveFilename = loader._resolveFilename.bind(loader);
const seen = new Set<string>();
/** Python and others unpack libraries into folders named after version and digest. */
const CDK8S = /[\\/]cdk8s(?:[\\/][^\\/]+){0,2}[\\/]lib[\\/]index\.js$/;

// Of all that could be hooked this is the one that has returned before a module runs: the CDK writes stack traces into its
// output, and no frame of ours may stand in them.
loader._resolveFilename = (request, parent, ...more) => {
  const file = resolveFilename(request, parent, ...more);
  if (CDK8S.test(file) && !seen.has(file)) {
    seen.add(file);
    const exported = loader._load(file, parent, false);
    if (isTooOld(file)) hookOld(file, exported);
    else if (isCdk8s(exported)) hook(exported, file);
  }
  return file;
};

function hook(cdk8s: Cdk8s, index: string): void {
  /* eslint-disable @typescript-eslint/no-require-imports -- only once cdk8s is there */
  const { install, preload } = require('./install') as typeof import('./install');
  /* eslint-enable @typescript-eslint/no-require-imports */
  preload();
  install(cdk8s, index);
}

function isCdk8s(exported: unknown): exported is Cdk8s {
  if (typeof exported !== 'object' || exported === null) return false;
  return ['App', 'Chart', 'ApiObject'].every((name) => typeof (exported as Record<string, unknown>)[name] === 'function')
    && 'LazyResolver' in exported;
}

/** Modules that are imported pass by the loader above: for a program of that kind cdk8s is loaded beforehand. */
function loadBeforehand(main: string): void {
  try {
    createRequire(main)('cdk8s');
  } catch {
    // A program without cdk8s; there is nothing to hook.
  }
}

function isImporting(main: string): boolean {
  const flags = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')].join(' ');
  if (/--(?:import|loader|experimental-loader)\b/.test(flags) || main.endsWith('.mjs') || main.endsWith('.mts')) return true;
  if (main.endsWith('.cjs') || main.endsWith('.cts')) return false;
  for (let folder = path.dirname(main); ; folder = path.dirname(folder)) {
    try {
      const { type } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as { type?: string };
      return type === 'module';
    } catch {
      if (folder === path.dirname(folder)) return false;
    }
  }
}

tellFromNowOn();
refuseRawTokens();
const main = process.argv[1];
if (main !== undefined) {
  const file = resolved(main);
  if (isImporting(file)) loadBeforehand(file);
}

function resolved(name: string): string {
  try {
    return fs.realpathSync(createRequire(path.join(process.cwd(), 'index.js')).resolve(path.resolve(name)));
  } catch {
    return path.resolve(name);
  }
}
