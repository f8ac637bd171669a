// The last look at what is written: a copy of cdk8s that the hook cannot see (bundled into the app, or brought by a loader of
// the app's own) would write tokens into its manifests, and so would an app that writes JSON of its own; nobody would be told.

import fs from 'node:fs';

import { HangarError } from './problem';

const RAW = /[$#]\{(?:Tf)?Token\[[A-Za-z0-9:._-]+\.\d+\]\}|-1\.888\d*e\+289|-8\.109\d*e\+298/;

/** Refuses manifests with tokens in them. */
export function refuseRawTokens(): void {
  const { writeFileSync } = fs;
  fs.writeFileSync = (file, data, ...more) => {
    if (typeof file === 'string' && typeof data === 'string' && /\.(?:ya?ml|json)$/.test(file)) {
      const [token] = isManifest(data) ? (RAW.exec(data) ?? []) : [];
      if (token !== undefined) refuse(file, token);
    }
    writeFileSync(file, data, ...more);
  };
}

/** In YAML, or in JSON (`JSON.stringify(chart.toJson())`). Templates hold manifests as texts, where the quotes are escaped. */
function isManifest(data: string): boolean {
  return /^apiVersion: /m.test(data) || (/(?<!\\)"apiVersion"\s*:\s*"/.test(data) && /(?<!\\)"kind"\s*:\s*"/.test(data));
}

/** The oldest cdk8s that has resolvers as the hook needs them. */
export const OLDEST_CDK8S = '2.66.0';
let oldCdk8s: string | undefined;

/** Notes that the program has loaded a cdk8s that the hook cannot use; only an app with tokens is refused because of it. */
export function noteOldCdk8s(version: string): void {
  oldCdk8s = version;
}

/** Refuses a text that an old cdk8s returns in place of writing it. */
export function refuseRawTokensIn(text: string): string {
  const [token] = RAW.exec(text) ?? [];
  if (token !== undefined) refuse('the YAML of the app', token);
  return text;
}

function refuse(file: string, token: string): never {
  if (oldCdk8s !== undefined) {
    const why = `cdk8s ${oldCdk8s} is older than ${OLDEST_CDK8S}, the oldest version whose tokens Hangar replaces`;
    throw new HangarError(`hangar: ${file} is not written because it would contain the token \`${token}\`: ${why}\n  hint: install cdk8s ${OLDEST_CDK8S} or newer`);
  }
  const why = 'it is written by the app itself, or by a copy of cdk8s that the hook cannot see';
  const hint = 'write it with App.synth or Yaml.save; if the app is bundled, exclude cdk8s from the bundle, or use HangarResolver of hangar-cdk8s in the app';
  throw new HangarError(`hangar: ${file} is not written because it would contain the token \`${token}\`: ${why}\n  hint: ${hint}`);
}
