// Copies of cdk8s that are too old for the hook: an app with tokens is refused, with the version that works.

import * as fs from 'node:fs';
import * as path from 'node:path';

import { noteOldCdk8s, OLDEST_CDK8S, refuseRawTokensIn } from './guard';

/** Whether a copy of cdk8s, known by its index, is older than the hook supports. */
export function isTooOld(index: string): boolean {
  const numbers = (version: string): number[] => version.split('.').map((part) => parseInt(part, 10));
  const [found, oldest] = [numbers(versionOf(index)), numbers(OLDEST_CDK8S)];
  const at = oldest.findIndex((number, position) => number !== found[position]);
  return at !== -1 && (found[at] ?? 0) < (oldest[at] ?? 0);
}

/** Only keeps it from returning tokens; its files are checked as they are written. */
export function hookOld(index: string, exported: unknown): void {
  noteOldCdk8s(versionOf(index));
  const app = (exported as { App?: { prototype: { synthYaml?: () => string } } }).App?.prototype;
  const synthYaml = app?.synthYaml;
  if (app === undefined || synthYaml === undefined) return;
  app.synthYaml = function (): string {
    return refuseRawTokensIn(synthYaml.call(this));
  };
}

function versionOf(index: string): string {
  try {
    const text = fs.readFileSync(path.join(path.dirname(index), '..', 'package.json'), 'utf8');
    const { name, version } = JSON.parse(text) as { name?: string; version?: string };
    return name === 'cdk8s' && version !== undefined ? version : OLDEST_CDK8S;
  } catch {
    return OLDEST_CDK8S;
  }
}
