// What is known of an app while it is synthesized, from its first object to the last file.
//
// Invariant: nothing is written before everything is known, so that one token that cannot be replaced, or one value that
// cannot be looked up, keeps every manifest from being written.

import * as path from 'node:path';

import { referencesIn } from './audit';
import type { AuditRecord } from './audit';
import { converted, convertedText, pointer } from './convert';
import type { Way } from './convert';
import type { Modes } from './eager';
import { forgetOutputs } from './outputs';
import { asTokenError, UnresolvedTokensError } from './problem';
import type { Problem, TokenError } from './problem';
import { isObject } from './tree';
import type { Scope, ValueResolvers } from './value-resolver';

/** What has a name in messages. */
export interface Named {
  readonly kind: string;
  readonly name: string;
  readonly node: { readonly path: string; readonly scope?: Scope };
}

/** A text and where it belongs. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
  /** What the text was made of. */
  readonly documents: readonly unknown[];
}

/** The parts of an app that a session needs. */
export interface Library {
  readonly resolvers: ValueResolvers;
  stringify(documents: readonly unknown[]): string;
}

export class Session {
  readonly records: AuditRecord[] = [];
  readonly manifests: Manifest[] = [];
  /** The documents that were made a text last. */
  printed: readonly unknown[] = [];
  /** What is written beside the manifests, once these are. */
  readonly later: (() => void)[] = [];
  private readonly problems: Problem[] = [];
  private readonly objects = new WeakMap<object, Named>();
  /** How many objects are being asked for their JSON, one inside of the other. */
  private depth = 0;

  constructor(
    readonly modes: Modes,
    private readonly outdir: string,
    readonly library: Library,
  ) {
    forgetOutputs();
  }

  /** What an object gives, with references in the place of tokens. */
  finished(object: Named, toJson: () => unknown): unknown {
    this.depth += 1;
    let json: unknown;
    try {
      json = toJson();
    } finally {
      this.depth -= 1;
    }
    const manifest = this.replaced(object, this.library.resolvers.resolved(object, json));
    if (isObject(manifest)) this.objects.set(manifest, object);
    return manifest;
  }

  /** The object that gave a document. */
  objectOf(document: unknown): Named | undefined {
    return isObject(document) ? this.objects.get(document) : undefined;
  }

  /** The same for JSON that is there already. */
  replaced(object: Named, json: unknown): unknown {
    const manifest = converted(json, (place, error) => {
      this.refuse(object, place, error, itemName(json, place));
    });
    const references = found(manifest);
    if (references.length > 0) {
      const [name, way] = [shown(object), object.node.path];
      this.records.push(...references.map((it) => ({ object: name, ...it, path: way })));
    }
    return manifest;
  }

  /** Whether a file is one of the app's manifests. An object may save files of its own when it is asked for its JSON. */
  takes(file: string): boolean {
    const way = path.relative(path.resolve(this.outdir), path.resolve(file));
    return this.depth === 0 && !way.startsWith('..') && !path.isAbsolute(way);
  }

  refuse(object: Named, place: string, error: TokenError, item?: string): void {
    const { what, hint } = error;
    const named = item === undefined ? {} : { item };
    this.problems.push({ object: shown(object), pointer: place, ...named, path: object.node.path, what, hint });
  }

  /** Does what may fail because of what was refused before; that is told then, and not what came of it. */
  guarded<T>(perform: () => T): T {
    try {
      return perform();
    } finally {
      this.conclude();
    }
  }

  private conclude(): void {
    if (this.problems.length > 0) throw new UnresolvedTokensError(this.problems);
  }
}

/** `ConfigMap settings`. Numbers of tokens differ from run to run, so that a name with one is told by its reference. */
function shown(object: Named): string {
  return `${object.kind} ${withoutTokens(object.name)}`;
}

/** The `name` of the innermost item of a list on the way to a place. */
function itemName(json: unknown, place: string): string | undefined {
  const keys = place.split('/').slice(1).map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = json;
  let name: string | undefined;
  for (const key of keys) {
    const within: unknown = isObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[key] : undefined;
    if (Array.isArray(at)) name = isObject(within) && typeof within.name === 'string' && keys.at(-1) !== 'name' ? withoutTokens(within.name) : undefined;
    at = within;
  }
  return name;
}

/** A name with references in the place of tokens, as far as there are any. */
export function withoutTokens(name: string): string {
  try {
    const text = convertedText(name);
    return typeof text === 'string' ? text : name;
  } catch (error) {
    return asTokenError(error).what;
  }
}

interface Found {
  readonly pointer: string;
  readonly reference: string;
}

/** The references in a manifest, with their places. */
function found(manifest: unknown): Found[] {
  const all: Found[] = [];
  const at: Way = [];
  const look = (text: string): void => {
    for (const reference of referencesIn(text)) all.push({ pointer: pointer(at), reference });
  };
  const walk = (value: unknown): void => {
    if (typeof value === 'string') look(value);
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const key of Object.keys(value)) {
      at.push(key);
      if (!isList) look(key);
      walk((value as Record<string, unknown>)[key]);
      at.pop();
    }
  };
  walk(manifest);
  return all;
}
