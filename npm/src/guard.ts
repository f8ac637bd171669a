// The last look at what is written: a copy of cdk8s that the hook cannot see (bundled into the app, or brought by a loader of
// the app's own) would write tokens into its manifests, and nobody would be told.

import fs from 'node:fs';

import { HangarError } from './problem';

const RAW = /[$#]\{(?:Tf)?Token\[[A-Za-z0-9:._-]+\.\d+\]\}|-1\.888\d*e\+289|-8\.109\d*e\+298/;

/** Refuses manifests with tokens in them. */
export function refuseRawTokens(): void {
  const { writeFileSync } = fs;
  fs.writeFileSync = (file, data, ...more) => {
    if (typeof file === 'string' && typeof data === 'string' && /\.ya?ml$/.test(file)) {
      const [token] = /^apiVersion: /m.test(data) ? (RAW.exec(data) ?? []) : [];
      if (token !== undefined) refuse(file, token);
    }
    writeFileSync(file, data, ...more);
  };
}

function refuse(file: string, token: string): never {
  const why = 'the copy of cdk8s that writes it was not seen by the hook';
  const hint = 'where the app is bundled, leave cdk8s out of the bundle; or use HangarResolver of hangar-cdk8s in the app';
  throw new HangarError(`hangar: ${file} would hold the token \`${token}\`, so that it is not written: ${why}\n  hint: ${hint}`);
}
