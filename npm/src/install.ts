// The hook in cdk8s: what `App.synth`, `App.synthYaml` and `Chart.toJson` give has references in place of tokens.
//
// Invariant: an app is rehearsed whole before anything of it is written, so that one token that cannot be replaced keeps
// every manifest from being written.

import { referencesIn, writeAudit } from './audit';
import type { AuditRecord } from './audit';
import { converted, convertedObject, isCollectionToken, isTokenObject, pointer } from './convert';
import { modeOf, resolvedManifests } from './eager';
import type { Mode } from './eager';
import { asTokenError, UnresolvedTokensError } from './problem';
import type { Problem, TokenError } from './problem';
import { isObject } from './tree';

interface Construct {
  readonly node: { readonly path: string; readonly scope?: Construct; findAll(): Construct[] };
}
export interface ApiObject extends Construct {
  readonly kind: string;
  readonly name: string;
  toJson(): unknown;
}
interface App extends Construct {
  readonly outdir: string;
  readonly resolvers: Resolver[];
  readonly charts: Chart[];
  synth(): void;
  synthYaml(): string;
}
interface Chart extends Construct {
  toJson(): unknown[];
}
export interface ResolutionContext {
  readonly obj: ApiObject;
  readonly key: string[];
  readonly value: unknown;
  replaceValue(value: unknown): void;
}
interface Resolver {
  resolve(context: ResolutionContext): void;
}
/** The parts of cdk8s that are hooked. */
export interface Cdk8s {
  readonly App: { readonly prototype: App };
  readonly Chart: { readonly prototype: Chart };
  readonly ApiObject: { readonly prototype: ApiObject; isApiObject?(value: unknown): boolean };
}

/** Marks resolvers of ours, by whichever copy of this package. */
export const IS_HANGAR = Symbol.for('hangar.resolver');
const INSTALLED = Symbol.for('hangar.installed');
const API_OBJECT = Symbol.for('cdk8s.ApiObject');
/** Those that ask AWS or the CDKTF CLI for each value; under the hook they would see what is no token any more. */
const PUBLISHED = ['AwsCdkResolver', 'CdktfResolver', 'CdkTfResolver'];

/** What is known of an app while it is synthesized. */
class Session {
  readonly records: AuditRecord[] = [];
  problems: Problem[] = [];
  /** Objects with references, in order, by their JSON; in `eager` mode then what they are resolved to. */
  readonly deferred = new Map<string, unknown>();
  stage: 'rehearsal' | 'performance' = 'rehearsal';

  constructor(readonly mode: Mode) {}

  /** What is written for an object. */
  finished(object: ApiObject, json: unknown): unknown {
    const report = (place: string, error: TokenError): void => {
      this.refuse(object, place, error);
    };
    const manifest = converted(json, report);
    const references = found(manifest, []);
    if (this.stage === 'rehearsal') {
      const [name, path] = [`${object.kind} ${object.name}`, object.node.path];
      this.records.push(...references.map((it) => ({ object: name, ...it, path })));
      if (references.length > 0) this.deferred.set(JSON.stringify(manifest), manifest);
      return manifest;
    }
    if (this.problems.length > 0) throw new UnresolvedTokensError(this.problems);
    if (this.mode === 'defer' || references.length === 0) return manifest;
    const resolved = this.deferred.get(JSON.stringify(manifest));
    if (resolved === undefined) {
      throw new Error(`hangar: ${object.node.path} was another object the second time it was asked for; use HANGAR_MODE=defer`);
    }
    return structuredClone(resolved);
  }

  refuse(object: ApiObject, place: string, error: TokenError): void {
    const { what, hint } = error;
    this.problems.push({ object: `${object.kind} ${object.name}`, pointer: place, path: object.node.path, what, hint });
  }

  /** After the rehearsal. */
  conclude(): void {
    if (this.problems.length > 0) throw new UnresolvedTokensError(this.problems);
    if (this.mode === 'eager') {
      const texts = [...this.deferred.keys()];
      const values = resolvedManifests([...this.deferred.values()], process.env);
      texts.forEach((text, at) => this.deferred.set(text, values[at]));
    }
    this.stage = 'performance';
  }
}

const sessions = new WeakMap<App, Session>();
const wrapped = new WeakSet<ApiObject>();
/** Is added to each app while it is synthesized. */
let preloaded: Resolver | undefined;

/** From now on every app is synthesized with the hook, whether it asks for it or not. */
export function preload(): void {
  const resolver = { [IS_HANGAR]: true, resolve: offered };
  preloaded ??= resolver;
}

/** What the resolver does with a value that cdk8s offers it. */
export function offered(context: ResolutionContext): void {
  const session = sessions.get(appOf(context.obj));
  if (!isTokenObject(context.value)) {
    if (session === undefined) offeredAlone(context);
    return;
  }
  try {
    context.replaceValue(convertedObject(context.value as object));
  } catch (error) {
    if (session === undefined) throw error;
    session.refuse(context.obj, pointer(context.key), asTokenError(error));
    context.replaceValue('');
  }
}

/** For a copy of cdk8s that was loaded too late for the hook: nothing comes after the resolver there. */
function offeredAlone(context: ResolutionContext): void {
  const { value } = context;
  const isScalar = typeof value === 'string' || typeof value === 'number';
  if (INSTALLED in appOf(context.obj) || (!isScalar && !isCollectionToken(value))) return;
  const replaced = converted(value, (_place, error) => {
    throw error;
  });
  if (replaced !== value) context.replaceValue(replaced);
}

/** Hooks one copy of cdk8s. */
export function install(cdk8s: Cdk8s): void {
  const [app, chart, object] = [cdk8s.App.prototype, cdk8s.Chart.prototype, cdk8s.ApiObject.prototype];
  if (INSTALLED in app) return;
  Object.defineProperty(app, INSTALLED, { value: true });
  /* eslint-disable @typescript-eslint/unbound-method -- each is called with its object below */
  const { synth, synthYaml } = app;
  const { toJson: chartToJson } = chart;
  const { toJson: objectToJson } = object;
  /* eslint-enable @typescript-eslint/unbound-method */
  replace(app, 'synth', function (this: App): void {
    within(this, this.charts, chartToJson, (session) => {
      synth.call(this);
      // Manifests with values are applied as a folder, in which kubectl takes every `.json` for one.
      if (session !== undefined) writeAudit(this.outdir, session.mode === 'eager' ? [] : session.records);
    });
  });
  replace(app, 'synthYaml', function (this: App): string {
    return within(this, this.charts, chartToJson, () => synthYaml.call(this));
  });
  replace(chart, 'toJson', function (this: Chart): unknown[] {
    const perform = (): unknown[] => chartToJson.call(this);
    // A chart by itself may go into a stack (`cluster.addCdk8sChart`), where tokens must stay tokens, unless the app asked.
    return asksForIt(appOf(this)) ? within(appOf(this), [this], chartToJson, perform) : perform();
  });
  // For objects that come to be during the synthesis itself, and for who asks a single object.
  replace(object, 'toJson', function (this: ApiObject): unknown {
    const json = objectToJson.call(this);
    if (wrapped.has(this)) return json;
    const session = sessions.get(appOf(this));
    if (session !== undefined) return session.finished(this, json);
    return this.toJson === object.toJson ? alone(this, json) : json;
  });
}

/** Rehearses, then performs; what is inside of another one belongs to that. */
function within<T>(app: App, charts: Chart[], rehearse: () => unknown[], perform: (session?: Session) => T): T {
  const outer = sessions.get(app);
  if (outer !== undefined) {
    wrapObjects(app);
    return perform(outer);
  }
  if (preloaded === undefined && !asksForIt(app)) return perform();
  const note = (text: string): void => void process.stderr.write(`${text}\n`);
  const session = new Session(modeOf(optionOf(app), process.env, note));
  const own = [...app.resolvers];
  app.resolvers.splice(0, own.length, ...hookedResolvers(own, note));
  sessions.set(app, session);
  wrapObjects(app);
  try {
    for (const chart of charts) rehearse.call(chart);
    session.conclude();
    return perform(session);
  } finally {
    sessions.delete(app);
    app.resolvers.splice(0, app.resolvers.length, ...own);
  }
}

/** Whether an app has a resolver of ours. */
function asksForIt(app: App): boolean {
  return app.resolvers.some((it) => IS_HANGAR in it);
}

function hookedResolvers(own: readonly Resolver[], note: (text: string) => void): Resolver[] {
  if (preloaded === undefined) return [...own];
  const others = own.filter((it) => IS_HANGAR in it || !PUBLISHED.includes(it.constructor.name));
  if (others.length < own.length) note('hangar: resolvers of the app that ask the cloud for each value are left out');
  return others.some((it) => IS_HANGAR in it) ? others : [preloaded, ...others];
}

/** One object by itself, of an app that asked. */
function alone(object: ApiObject, json: unknown): unknown {
  if (!asksForIt(appOf(object))) return json;
  const session = new Session('defer');
  const manifest = session.finished(object, json);
  session.conclude();
  return manifest;
}

function optionOf(app: App): Mode | undefined {
  return app.resolvers.map((it) => (it as { mode?: Mode }).mode).find((mode) => mode !== undefined);
}

/** Typed objects have a `toJson` of their own that maps over lists: what comes out of the last one is converted. */
function wrapObjects(app: App): void {
  for (const construct of app.node.findAll()) {
    if (!isApiObject(construct) || wrapped.has(construct)) continue;
    wrapped.add(construct);
    const toJson = construct.toJson.bind(construct);
    const finished = (): unknown => {
      const json = toJson();
      const session = sessions.get(app);
      return session === undefined ? alone(construct, json) : session.finished(construct, json);
    };
    Object.defineProperty(construct, 'toJson', { value: finished, configurable: true, writable: true });
  }
}

function isApiObject(construct: Construct): construct is ApiObject {
  return API_OBJECT in construct;
}

function appOf(construct: Construct): App {
  let at = construct;
  while (at.node.scope !== undefined) at = at.node.scope;
  return at as App;
}

function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

/** The references in a manifest, with their places. */
function found(value: unknown, at: readonly string[]): { pointer: string; reference: string }[] {
  if (typeof value === 'string') return referencesIn(value).map((reference) => ({ pointer: pointer(at), reference }));
  if (Array.isArray(value)) return value.flatMap((item, index) => found(item, [...at, String(index)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const place = [...at, key];
    return [...referencesIn(key).map((reference) => ({ pointer: pointer(place), reference })), ...found(item, place)];
  });
}
