// Makes the package work by itself: every copy of cdk8s that is loaded is hooked as soon as the package is.

import { refuseRawTokens } from './guard';
import { activate, install } from './install';
import type { Cdk8s } from './install';
import { hookOld, isTooOld } from './old';

/** Also in folders named after version and digest, into which Python and others unpack libraries. */
const INDEX = /[\\/]cdk8s(?:[\\/][^\\/]+){0,2}[\\/]lib[\\/]index\.js$/;

const seen = new Set<string>();
let isGuarded = false;

/** Hooks the copies of cdk8s that are loaded, so that no app of the program can write a token. */
export function installPackage(): void {
  for (const [file, module] of Object.entries(require.cache)) {
    if (!INDEX.test(file) || module === undefined || seen.has(file)) continue;
    seen.add(file);
    if (isTooOld(file)) hookOld(file, module.exports);
    else if (isCdk8s(module.exports)) install(module.exports, file);
  }
  activate();
  if (!isGuarded) refuseRawTokens();
  isGuarded = true;
}

function isCdk8s(exported: unknown): exported is Cdk8s {
  return typeof exported === 'object' && exported !== null && ['App', 'Chart', 'ApiObject', 'Yaml', 'LazyResolver'].every((name) => name in exported);
}
