// The mode `eager`: all references of an app are resolved by one call of the program, before anything is written.

import { spawnSync } from 'node:child_process';

import { HangarError } from './problem';
import { isObject } from './tree';

/** When values are looked up: by `hangar resolve` later on, or while the app runs. */
export type Mode = 'defer' | 'eager';

/** What resolvers of an app say of the mode. */
export interface StatedMode {
  readonly option?: Mode;
  /** What holds if the environment says nothing. */
  readonly ofClass?: Mode;
}

/** The modes of one synthesis. */
export interface Modes {
  /** Of the files that `App.synth` and `Yaml.save` write. */
  readonly files: Mode;
  /** Of the manifests that the app gets as texts or objects, and may write to any place. */
  readonly texts: Mode;
}

/**
 * The modes that hold: from an option, else from `HANGAR_MODE`, else from the class of a resolver.
 *
 * `HANGAR_MODE=resolve` is set by `hangar run --resolve`, which resolves files after the app has ended, and finds nothing else.
 */
export function modesOf(stated: StatedMode, env: NodeJS.ProcessEnv, note: (text: string) => void): Modes {
  const wanted = stated.option ?? env.HANGAR_MODE ?? stated.ofClass ?? 'defer';
  if (wanted !== 'defer' && wanted !== 'eager' && wanted !== 'resolve') {
    throw new HangarError(`hangar: HANGAR_MODE is \`${wanted}\`; write \`defer\` or \`eager\``);
  }
  const cli = wanted === 'defer' ? undefined : deployingCli(env);
  if (cli === undefined) return wanted === 'resolve' ? { files: 'defer', texts: 'eager' } : { files: wanted, texts: wanted };
  if (wanted === 'eager') {
    note(`hangar: the app runs under ${cli}, before its stacks are deployed; references are written instead of values`);
  }
  return { files: 'defer', texts: 'defer' };
}

/** The CLI that runs this app in order to deploy it. */
export function deployingCli(env: NodeJS.ProcessEnv): string | undefined {
  if (env.CDK_OUTDIR !== undefined || env.CDK_CLI_ASM_VERSION !== undefined) return 'the CDK CLI';
  const isCdktf = Object.keys(env).some((name) => /^CDKT[FN]_(?:OUTDIR|CONTEXT_JSON|TARGET_STACK_ID)$/.test(name));
  return isCdktf ? 'the CDKTF CLI' : undefined;
}

/** The flags in `HANGAR_RESOLVE_ARGS`: with spaces between them, or a list in JSON. */
export function resolveArgs(text: string): string[] {
  if (!text.trimStart().startsWith('[')) return text.split(' ').filter((arg) => arg !== '');
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (Array.isArray(args) && args.every((arg) => typeof arg === 'string')) return args;
  throw new HangarError(`hangar: HANGAR_RESOLVE_ARGS is \`${text}\`; write flags separated by spaces, or a JSON list of strings`);
}

/** Texts with values in place of references, in the same order. `file` is what messages call them. */
export function resolvedTexts(manifests: readonly { readonly file: string; readonly text: string }[], env: NodeJS.ProcessEnv): string[] {
  if (manifests.length === 0) return [];
  const program = env.HANGAR_BIN ?? 'hangar';
  const input = JSON.stringify({ manifests: manifests.map(({ file, text }) => ({ file, text })) });
  const args = ['resolve', '--batch', ...resolveArgs(env.HANGAR_RESOLVE_ARGS ?? '')];
  const run = spawnSync(program, args, { input, encoding: 'utf8', env, maxBuffer: 1 << 30 });
  // A program that ends before it has read everything says itself what is wrong.
  if (run.error !== undefined && run.status === null) {
    const hint = 'put hangar on the PATH, or set HANGAR_BIN to its path';
    throw new HangarError(`hangar: cannot start \`${program}\`: ${run.error.message}\n  hint: ${hint}`);
  }
  if (run.status !== 0) {
    const how = run.signal ?? `exit code ${run.status}`;
    throw new HangarError(`hangar: \`${program} resolve\` failed (${how}); no manifest is written\n${run.stderr}`);
  }
  if (run.stderr !== '') process.stderr.write(run.stderr);
  const texts = answered(run.stdout);
  if (texts?.length !== manifests.length || texts.some((it, at) => it.file !== manifests[at]?.file)) {
    throw new HangarError(`hangar: \`${program} resolve --batch\` returned different manifests than requested; check that HANGAR_BIN and this package have the same version`);
  }
  return texts.map((it) => it.text);
}

function answered(stdout: string): { file: string; text: string }[] | undefined {
  try {
    const answer: unknown = JSON.parse(stdout);
    const manifests = isObject(answer) ? answer.manifests : undefined;
    return Array.isArray(manifests) ? (manifests as { file: string; text: string }[]) : undefined;
  } catch {
    return undefined;
  }
}

/** The same for JSON of an app that asks for it by itself. */
export function resolvedObjects(objects: readonly unknown[], names: readonly string[], env: NodeJS.ProcessEnv): unknown[] {
  const asked = objects.map((object, at) => ({ file: `${names[at] ?? 'object'}.json`, text: JSON.stringify(object) }));
  return resolvedTexts(asked, env).map((text) => exact(JSON.parse(text)));
}

/** A number that JavaScript cannot hold would become another one. */
export function exact(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const hint = 'use App.synth without `finalize` for this object, or HANGAR_MODE=defer';
    throw new HangarError(`hangar: a value is the number ${value}, which JavaScript rounds\n  hint: ${hint}`);
  }
  if (Array.isArray(value)) value.forEach(exact);
  else if (isObject(value)) Object.values(value).forEach(exact);
  return value;
}
