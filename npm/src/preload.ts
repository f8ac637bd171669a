// For `NODE_OPTIONS=--require=…/preload.js`: every cdk8s that a program loads gets the hook, and the program stays as it is.
//
// It runs in each process of node that such a command starts, so that it loads next to nothing before cdk8s is.

import * as fs from 'node:fs';
import * as path from 'node:path';
import Module, { createRequire } from 'node:module';

import { noteOldCdk8s, OLDEST_CDK8S, refuseRawTokens, refuseRawTokensIn } from './guard';
import type { Cdk8s } from './install';
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
    if (isOlder(file)) hookOld(file, exported);
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

/** Whether a copy of cdk8s is older than the hook supports. */
function isOlder(file: string): boolean {
  const numbers = (version: string): number[] => version.split('.').map((part) => parseInt(part, 10));
  const [found, oldest] = [numbers(versionOf(file)), numbers(OLDEST_CDK8S)];
  const at = oldest.findIndex((number, index) => number !== found[index]);
  return at !== -1 && (found[at] ?? 0) < (oldest[at] ?? 0);
}

function versionOf(file: string): string {
  try {
    const text = fs.readFileSync(path.join(path.dirname(file), '..', 'package.json'), 'utf8');
    const { name, version } = JSON.parse(text) as { name?: string; version?: string };
    return name === 'cdk8s' && version !== undefined ? version : OLDEST_CDK8S;
  } catch {
    return OLDEST_CDK8S;
  }
}

/** Only keeps an old cdk8s from returning tokens; its files are checked as they are written. */
function hookOld(file: string, exported: unknown): void {
  noteOldCdk8s(versionOf(file));
  const app = (exported as { App?: { prototype: { synthYaml?: () => string } } }).App?.prototype;
  const synthYaml = app?.synthYaml;
  if (app === undefined || synthYaml === undefined) return;
  app.synthYaml = function (): string {
    return refuseRawTokensIn(synthYaml.call(this));
  };
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
