// The last look at what leaves the program: a copy of cdk8s that the hook cannot see (bundled into the app, or brought by a loader of
// the app's own) would write tokens into its manifests, and so would an app that writes `Chart.toJson` or `Yaml.stringify` by itself.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import Module from 'node:module';
import { Duplex, Writable } from 'node:stream';

import { failAtExit, HangarError } from './problem';

const RAW = /[$#&]\{(?:Tf)?Token\[[A-Za-z0-9:._-]+\.\d+\]\}|-1\.888\d*e\+289|-8\.109\d*e\+298/;
/** A part of every token, to be looked for in bytes. */
const SIGNS = ['Token[', 'e+289', 'e+298'];
const STDERR = 2;

/* eslint-disable @typescript-eslint/no-explicit-any -- functions of Node, called as they were called */
type Callable = (this: any, ...args: any[]) => any;

/** Refuses manifests with tokens in files, in streams (standard output among them) and in the input of other programs. */
export function refuseRawTokens(): void {
  for (const name of ['writeFileSync', 'appendFileSync', 'writeFile', 'appendFile']) checked(fs, name, checkFile);
  for (const name of ['writeFile', 'appendFile']) {
    // eslint-disable-next-line @typescript-eslint/require-await -- a refusal is a rejected promise there
    checked(fs.promises, name, checkFile, (perform) => async () => perform());
  }
  // A program in another language has its values pass here, as it has cdk8s's.
  if (process.env.JSII_AGENT === undefined) {
    for (const name of ['writeSync', 'write']) checked(fs, name, checkStream);
    for (const { prototype } of [Writable, Duplex]) {
      for (const name of ['write', 'end']) checkedMethod(prototype, name);
    }
    for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
      checked(childProcess, name, checkInput);
    }
  }
  // For programs that import the functions by their names.
  Module.syncBuiltinESMExports();
}

/** Replaces a function by one that looks at its arguments first. */
function checked(owner: object, name: string, check: (...args: readonly unknown[]) => void, wrap = (perform: () => unknown) => perform): void {
  const functions = owner as Record<string, Callable>;
  const original = functions[name];
  if (original === undefined) return;
  const replaced: Callable = function (...args: unknown[]) {
    return wrap(() => {
      check(...args);
      return original.apply(this, args) as unknown;
    })();
  };
  functions[name] = Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original));
}

/** The same for streams, which a console writes to without looking at errors. */
function checkedMethod(prototype: object, name: string): void {
  const methods = prototype as Record<string, Callable>;
  const original = methods[name];
  if (original === undefined) return;
  methods[name] = function (this: object, ...args: unknown[]): unknown {
    checkStream((this as { fd?: unknown }).fd, args[0]);
    return original.apply(this, args) as unknown;
  };
}
/* eslint-enable @typescript-eslint/no-explicit-any */

function checkFile(file: unknown, data: unknown): void {
  const text = suspect(data);
  if (text === undefined) return;
  const name = typeof file === 'number' ? undefined : String(file);
  // Nothing but a manifest, or values for one, is YAML with tokens: the CDK and CDKTF write JSON.
  if (isManifest(text) || (name !== undefined && /\.ya?ml$/.test(name))) refuse(name === undefined ? 'the text is not written' : `${name} is not written`, text);
}

/** Logs and messages may have tokens in them; a text that goes to a stream is refused if it is a manifest. */
function checkStream(descriptor: unknown, data: unknown): void {
  const text = descriptor === STDERR ? undefined : suspect(data);
  if (text === undefined || !isManifest(text)) return;
  try {
    refuse('the text is not printed', text);
  } catch (error) {
    failAtExit(error as Error);
    throw error;
  }
}

function checkInput(command: unknown, ...rest: readonly unknown[]): void {
  const options = rest.find((it) => typeof it === 'object' && it !== null && !Array.isArray(it));
  const text = suspect((options as { input?: unknown } | undefined)?.input);
  if (text !== undefined && isManifest(text)) refuse(`the text is not passed to \`${String(command)}\``, text);
}

/** A text with a token in it. */
function suspect(data: unknown): string | undefined {
  if (typeof data === 'string') return RAW.test(data) ? data : undefined;
  if (!ArrayBuffer.isView(data)) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (!SIGNS.some((sign) => bytes.includes(sign))) return undefined;
  return suspect(bytes.toString('utf8'));
}

/** In YAML, or in JSON (`JSON.stringify(chart.toJson())`). Templates hold manifests as texts, where the quotes are escaped. */
function isManifest(data: string): boolean {
  return /^(?:- )?apiVersion: /m.test(data) || (/(?<!\\)"apiVersion"\s*:\s*"/.test(data) && /(?<!\\)"kind"\s*:\s*"/.test(data));
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
  if (RAW.test(text)) refuse('the YAML of the app is not written', text);
  return text;
}

/** Refuses a text with a token, with the token's place in it. */
function refuse(what: string, text: string): never {
  const [token = ''] = RAW.exec(text) ?? [];
  const because = `hangar: ${what} because it would contain the token \`${token}\` (${placeIn(text, token)})`;
  if (oldCdk8s !== undefined) {
    const why = `cdk8s ${oldCdk8s} is older than ${OLDEST_CDK8S}, the oldest version whose tokens Hangar replaces`;
    throw new HangarError(`${because}: ${why}\n  hint: install cdk8s ${OLDEST_CDK8S} or newer`);
  }
  const why = 'it is written by the app itself, or by a copy of cdk8s that the hook cannot see';
  const hint = 'write manifests with App.synth or Yaml.save, or print App.synthYaml; if the app is bundled, exclude cdk8s from the bundle, or use HangarResolver of hangar-cdk8s in the app';
  throw new HangarError(`${because}: ${why}\n  hint: ${hint}`);
}

/** `line 6, ConfigMap settings`. */
function placeIn(text: string, token: string): string {
  const at = text.indexOf(token);
  const line = `line ${text.slice(0, at).split('\n').length}`;
  const [start, end] = [text.lastIndexOf('\n---', at) + 1, text.indexOf('\n---', at)];
  const object = ofJson(text, token) ?? ofYaml(text.slice(start, end === -1 ? undefined : end));
  return [line, ...object].join(', ');
}

/** Kind and name of the object of a list, or of the only object, that holds a token. */
function ofJson(text: string, token: string): string[] | undefined {
  try {
    const [object] = [JSON.parse(text) as unknown].flat().filter((it) => JSON.stringify(it).includes(token));
    const { kind, metadata } = object as { kind: string; metadata?: { name?: unknown } };
    return [typeof metadata?.name === 'string' ? `${kind} ${metadata.name}` : kind];
  } catch {
    return undefined;
  }
}

function ofYaml(document: string): string[] {
  const [, kind] = /^kind: *"?([\w.-]+)/m.exec(document) ?? [];
  const [, name] = /^metadata:\n(?: .*\n)*? +name: *"?([\w.-]+)/m.exec(document) ?? [];
  return kind === undefined ? [] : [name === undefined ? kind : `${kind} ${name}`];
}
