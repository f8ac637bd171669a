// The mode `eager`: all references of all manifests are resolved by one call of the program, before any is written.

import { spawnSync } from 'node:child_process';

import { isObject } from './tree';

/** When values are looked up: by `hangar resolve` later on, or while the app runs. */
export type Mode = 'defer' | 'eager';

/** The mode that holds, from an option, else from `HANGAR_MODE`. */
export function modeOf(option: Mode | undefined, env: NodeJS.ProcessEnv, note: (text: string) => void): Mode {
  const wanted = option ?? env.HANGAR_MODE ?? 'defer';
  if (wanted !== 'defer' && wanted !== 'eager') {
    throw new Error(`hangar: HANGAR_MODE is \`${wanted}\`; write \`defer\` or \`eager\``);
  }
  const cli = wanted === 'eager' ? deployingCli(env) : undefined;
  if (cli === undefined) return wanted;
  note(`hangar: the app runs under ${cli}, before its stacks are deployed; references are written in place of values`);
  return 'defer';
}

/** The CLI that runs this app in order to deploy it. */
function deployingCli(env: NodeJS.ProcessEnv): string | undefined {
  if (env.CDK_OUTDIR !== undefined || env.CDK_CLI_ASM_VERSION !== undefined) return 'the CDK CLI';
  const isCdktf = Object.keys(env).some((name) => /^CDKT[FN]_(?:OUTDIR|CONTEXT_JSON|TARGET_STACK_ID)$/.test(name));
  return isCdktf ? 'the CDKTF CLI' : undefined;
}

/** The manifests with values in place of references, in the same order. */
export function resolvedManifests(manifests: readonly unknown[], env: NodeJS.ProcessEnv): unknown[] {
  if (manifests.length === 0) return [];
  const program = env.HANGAR_BIN ?? 'hangar';
  const input = manifests.map((manifest) => `${JSON.stringify(manifest)}\n`).join('---\n');
  const args = ['resolve', '-f', '-', ...(env.HANGAR_RESOLVE_ARGS ?? '').split(' ').filter((arg) => arg !== '')];
  const run = spawnSync(program, args, { input, encoding: 'utf8', env, maxBuffer: 1 << 30 });
  if (run.error !== undefined) {
    const hint = 'put hangar on the PATH, or its path into HANGAR_BIN';
    throw new Error(`hangar: cannot start \`${program}\`: ${run.error.message}\n  hint: ${hint}`);
  }
  if (run.status !== 0) {
    const how = run.signal ?? `exit code ${run.status}`;
    throw new Error(`hangar: \`${program} resolve\` failed (${how}), so that no manifest is written\n${run.stderr}`);
  }
  if (run.stderr !== '') process.stderr.write(run.stderr);
  const documents = run.stdout.split(/^---\n/m).map((text) => exact(JSON.parse(text) as unknown));
  if (documents.length !== manifests.length) {
    throw new Error(`hangar: \`${program} resolve\` gave ${documents.length} manifests for ${manifests.length}`);
  }
  return documents;
}

/** A number that JavaScript cannot hold would be written as another one. */
function exact(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error(`hangar: a value is the number ${value}, which JavaScript rounds; use HANGAR_MODE=defer`);
  }
  if (Array.isArray(value)) value.forEach(exact);
  else if (isObject(value)) Object.values(value).forEach(exact);
  return value;
}
