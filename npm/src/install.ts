// The hook in cdk8s: what `App.synth`, `App.synthYaml`, `Chart.toJson` and `Yaml.save` give has references in place of tokens.

import * as path from 'node:path';

import { convertedObject, isCollectionToken, isTokenObject, pointer, referenceFor } from './convert';
import { installConstructors } from './constructors';
import { modesOf } from './eager';
import type { Mode, StatedMode } from './eager';
import { finalTexts, finalObjects } from './final';
import { mangled, mightHold } from './mangled';
import { recordReturned, writeOut } from './output';
import { asTokenError } from './problem';
import { Session, withoutTokens } from './session';
import { isObject } from './tree';
import { givenResolver, IS_HANGAR, isUnseen, isValueResolver, unseenResolvers, ValueResolvers } from './value-resolver';
import type { ContextClass } from './value-resolver';

interface Construct {
  readonly node: { readonly path: string; readonly scope?: Construct; findAll(): Construct[] };
}
export interface ApiObject extends Construct {
  readonly kind: string;
  readonly name: string;
  readonly metadata?: { readonly name?: string };
  toJson(): unknown;
}
interface App extends Construct {
  readonly outdir: string;
  readonly resolvers: Resolver[];
  readonly charts: Chart[];
  synth(): void;
  synthYaml(): string;
  writeConstructMetadata?(objects: readonly ApiObject[]): void;
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
interface Yaml {
  save(file: string, docs: unknown[]): void;
  stringify(...docs: unknown[]): string;
}
/** The parts of cdk8s that are hooked. */
export interface Cdk8s {
  readonly App: { readonly prototype: App };
  readonly Chart: { readonly prototype: Chart };
  readonly ApiObject: { readonly prototype: ApiObject; isApiObject?(value: unknown): boolean };
  readonly Yaml: Yaml;
  readonly ResolutionContext?: ContextClass;
}

const INSTALLED = Symbol.for('hangar.installed');
const API_OBJECT = Symbol.for('cdk8s.ApiObject');
const CHART = Symbol.for('cdk8s.Chart');
/** Marks classes of jsii packages with their full names. */
const JSII_CLASS = Symbol.for('jsii.rtti');
/** Those that ask AWS or the CDKTF CLI for each value; under the hook they would see what is no token any more. */
const PUBLISHED = ['@cdk8s/awscdk-resolver.AwsCdkResolver', '@cdk8s/cdktf-resolver.CdktfResolver'];

/** What was hooked, by the prototype of its `App`. */
const libraries = new WeakMap<object, Cdk8s>();
const sessions = new WeakMap<App, Session>();
/** Those whose files are being made, the innermost last. */
const writing: Session[] = [];
const wrapped = new WeakSet<ApiObject>();
const noted = new Set<string>();
const HIDDEN = 'hangar: App or Chart of cdk8s was imported before hangar-cdk8s was loaded: `resolver` has no effect there; import App and Chart from hangar-cdk8s';
/** Is added to each app while it is synthesized. */
const CONVERTER: Resolver = Object.defineProperty({ resolve: offered }, IS_HANGAR, { value: true });
/** Who has the hook work for every app, whether it asks for it or not. */
let active: 'command' | 'package' | undefined;

/** From now on every app is synthesized with the hook, which a command put before the program. */
export function preload(): void {
  active = 'command';
}

/** The same for a program that loads the package itself. */
export function activate(): void {
  active ??= 'package';
}

/** What the resolver does with a value that cdk8s offers it. */
export function offered(context: ResolutionContext): void {
  const session = sessions.get(appOf(context.obj));
  if (!isTokenObject(context.value)) {
    if (session === undefined) offeredAlone(context);
    return;
  }
  if (session === undefined) {
    context.replaceValue(convertedObject(context.value as object));
    return;
  }
  try {
    context.replaceValue(convertedObject(context.value as object));
  } catch (error) {
    session.refuse(context.obj, pointer(context.key), asTokenError(error));
    context.replaceValue('');
  }
}

/** For a copy of cdk8s that was loaded too late for the hook: nothing comes after the resolver there. */
function offeredAlone(context: ResolutionContext): void {
  const { value } = context;
  const isScalar = typeof value === 'string' || typeof value === 'number';
  if (INSTALLED in appOf(context.obj) || (!isScalar && !isCollectionToken(value))) return;
  const replaced = referenceFor(value);
  if (replaced !== value) context.replaceValue(replaced);
}

/** Hooks one copy of cdk8s, by what its index exports and where that is. */
export function install(cdk8s: Cdk8s, index: string): void {
  const [app, chart, object] = [cdk8s.App.prototype, cdk8s.Chart.prototype, cdk8s.ApiObject.prototype];
  if (INSTALLED in app) return;
  Object.defineProperty(app, INSTALLED, { value: true });
  libraries.set(app, cdk8s);
  installConstructors(index);
  /* eslint-disable @typescript-eslint/unbound-method -- each is called with its object below */
  const { synth, synthYaml, writeConstructMetadata } = app;
  const { toJson: chartToJson } = chart;
  const { toJson: objectToJson } = object;
  /* eslint-enable @typescript-eslint/unbound-method */
  replace(app, 'synth', function (this: App): void {
    const perform = (): void => {
      synth.call(this);
    };
    within(this, this, perform, (session) => {
      session.guarded(() => {
        inside(session, perform);
      });
      writeOut(session, this.outdir, 'audited', process.env);
    });
  });
  replace(app, 'synthYaml', function (this: App): string {
    const perform = (): string => synthYaml.call(this);
    return within(this, this, perform, (session) => {
      const text = session.guarded(() => inside(session, perform));
      const [shown] = finalTexts(session, session.modes.texts, [{ file: 'synthYaml.yaml', text, documents: session.printed }], process.env);
      recordReturned(session, this.outdir, text, process.env);
      return shown?.text ?? text;
    });
  });
  replace(chart, 'toJson', function (this: Chart): unknown[] {
    const perform = (): unknown[] => chartToJson.call(this);
    // A chart by itself may go into a stack (`cluster.addCdk8sChart`), where tokens must stay tokens, unless the app asked.
    const owner = appOf(this);
    if (!sessions.has(owner) && !asksForIt(owner)) return perform();
    return within(owner, this, perform, (session) => {
      const json = session.guarded(perform);
      const shown = finalObjects(session, json, process.env);
      recordReturned(session, owner.outdir, JSON.stringify(json), process.env);
      return shown;
    });
  });
  // For objects that come to be during the synthesis itself, and for who asks a single object.
  replace(object, 'toJson', function (this: ApiObject): unknown {
    if (wrapped.has(this)) return objectToJson.call(this);
    const session = sessions.get(appOf(this));
    if (session !== undefined) return session.finished(this, () => objectToJson.call(this));
    const json = objectToJson.call(this);
    return this.toJson === object.toJson ? alone(this, json) : json;
  });
  if (writeConstructMetadata !== undefined) {
    replace(app, 'writeConstructMetadata', function (this: App, objects: readonly ApiObject[]): void {
      const session = sessions.get(this);
      const named = session === undefined ? objects : objects.map((it) => ({ name: withoutTokens(it.name), node: it.node }) as ApiObject);
      const write = (): void => {
        writeConstructMetadata.call(this, named);
      };
      if (session === undefined) write();
      else session.later.push(write);
    });
  }
  installYaml(cdk8s.Yaml);
}

function installYaml(yaml: Yaml): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- is called with its object below
  const { save, stringify } = yaml;
  replace(yaml, 'save', function (this: Yaml, file: string, docs: unknown[]): void {
    const session = writing.at(-1);
    if (session?.takes(file) === true) session.manifests.push({ file, text: this.stringify(...docs), documents: docs });
    else if (active === undefined || session !== undefined) save.call(this, file, docs);
    else savedAlone(this, file, docs);
  });
  // `App.synthYaml` ends with it.
  replace(yaml, 'stringify', function (this: Yaml, ...docs: unknown[]): string {
    const session = writing.at(-1);
    if (session !== undefined) session.printed = docs;
    return stringify.call(this, ...docs);
  });
}

/** Documents that a program writes without an app: `Yaml.save(file, chart.toJson())`. */
function savedAlone(yaml: Yaml, file: string, docs: readonly unknown[]): void {
  const outdir = path.dirname(file);
  const session = new Session(modesOf({}, process.env, note), outdir, { resolvers: new ValueResolvers([], undefined), stringify: (docs) => yaml.stringify(...docs) });
  const replaced = session.guarded(() => docs.map((doc) => session.replaced(namedDocument(doc), doc)));
  session.manifests.push({ file, text: yaml.stringify(...replaced), documents: replaced });
  writeOut(session, outdir, 'alone', process.env);
}

/** Makes a session of what is done to an app; what is inside of another one belongs to that. */
function within<T>(app: App, scope: Construct, perform: () => T, performIn: (session: Session) => T): T {
  if (sessions.has(app)) {
    wrapObjects(app, scope);
    return perform();
  }
  return anew(app, scope, performIn);
}

function anew<T>(app: App, scope: Construct, performIn: (session: Session) => T): T {
  const session = sessionFor(app);
  const own = [...app.resolvers];
  app.resolvers.splice(0, own.length, ...hookedResolvers(own));
  sessions.set(app, session);
  const restore = wrapObjects(app, scope);
  try {
    return performIn(session);
  } finally {
    restore();
    sessions.delete(app);
    app.resolvers.splice(0, app.resolvers.length, ...own);
  }
}

function inside<T>(session: Session, perform: () => T): T {
  writing.push(session);
  try {
    return perform();
  } finally {
    writing.pop();
  }
}

/** Says a thing once. */
function note(text: string): void {
  if (!noted.has(text)) process.stderr.write(`${text}\n`);
  noted.add(text);
}

/** A session with the resolvers that an app and its charts were given. */
function sessionFor(app: App): Session {
  const given = givenTo(app);
  const isHidden = [app, ...app.node.findAll().filter((it) => CHART in it)].some(isUnseen);
  const unseen = isHidden ? unseenResolvers() : [];
  if (isHidden && ![...given, ...unseen].some((it) => IS_HANGAR in it)) note(HIDDEN);
  const modes = modesOf(statedMode([...given, ...unseen]), process.env, note);
  const library = libraryOf(app);
  const own = [givenResolver(app), ...app.resolvers.filter(isValueResolver)].filter((it) => it !== undefined);
  const resolvers = new ValueResolvers(own.filter((it) => !isLeftOut(it)), library?.ResolutionContext);
  return new Session(modes, app.outdir, { resolvers, stringify: (docs) => library?.Yaml.stringify(...docs) ?? '' });
}

/** All resolvers of an app and its charts, also those of cdk8s. */
function givenTo(app: App): object[] {
  const ofConstructs = app.node.findAll().flatMap((it) => givenResolver(it) ?? []);
  return [...app.resolvers, ...ofConstructs];
}

function libraryOf(app: App): Cdk8s | undefined {
  for (let at: object | null = app; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const library = libraries.get(at);
    if (library !== undefined) return library;
  }
  return undefined;
}

/** Whether an app has a resolver of ours, or one that only we call. */
function asksForIt(app: App): boolean {
  return givenTo(app).some((it) => IS_HANGAR in it || !app.resolvers.includes(it as Resolver) || isValueResolver(it));
}

/** The resolvers that cdk8s itself calls while an app is synthesized. */
function hookedResolvers(own: readonly Resolver[]): Resolver[] {
  const called = own.filter((it) => !isLeftOut(it) && !isValueResolver(it));
  // Before those of another copy of this package, which knows nothing of the session, and before cdk8s's own.
  const found = called.findIndex((it) => IS_HANGAR in it || isBuiltIn(it));
  const at = found === -1 ? called.length : found;
  return [...called.slice(0, at), CONVERTER, ...called.slice(at)];
}

function isBuiltIn(resolver: object): boolean {
  return fqnOf(resolver.constructor)?.startsWith('cdk8s.') === true;
}

/** The full name of a class in a jsii package. */
function fqnOf(type: unknown): string | undefined {
  if (typeof type !== 'function' || !Object.hasOwn(type, JSII_CLASS)) return undefined;
  return (type as unknown as Record<symbol, { fqn?: string }>)[JSII_CLASS]?.fqn;
}

/** Under a command the published resolvers would be offered what is no token any more. */
function isLeftOut(resolver: object): boolean {
  if (active !== 'command' || IS_HANGAR in resolver || !isPublished(resolver)) return false;
  note('hangar: resolvers of the app that query the cloud for each value are disabled');
  return true;
}

/** Whether a resolver does what a published one does. A subclass with a `resolve` of its own is the app's. */
function isPublished(resolver: object): boolean {
  let owner: object | null = resolver;
  while (owner !== null && !Object.hasOwn(owner, 'resolve')) owner = Object.getPrototypeOf(owner) as object | null;
  const type: unknown = owner !== null && Object.hasOwn(owner, 'constructor') ? owner.constructor : undefined;
  const fqn = fqnOf(type);
  return fqn !== undefined && PUBLISHED.includes(fqn);
}

/** One object by itself, of an app that asked. */
function alone(object: ApiObject, json: unknown): unknown {
  const app = appOf(object);
  if (!asksForIt(app)) return json;
  const session = sessionFor(app);
  const manifest = session.guarded(() => session.finished(object, () => json));
  const [shown] = finalObjects(session, [manifest], process.env);
  recordReturned(session, app.outdir, JSON.stringify(manifest), process.env);
  return shown;
}

/** The mode that resolvers ask for: by an option, and by their classes. */
function statedMode(resolvers: readonly object[]): StatedMode {
  const stated = resolvers as readonly { readonly mode?: Mode; readonly defaultMode?: Mode }[];
  const option = stated.find((it) => it.mode !== undefined)?.mode;
  const ofClass = active === 'package' && stated.some((it) => IS_HANGAR in it && it.defaultMode === 'eager') ? 'eager' : undefined;
  return { ...(option === undefined ? {} : { option }), ...(ofClass === undefined ? {} : { ofClass }) };
}

/** Typed objects have a `toJson` of their own that maps over lists: what comes out of the last one is converted. */
function wrapObjects(app: App, scope: Construct): () => void {
  const renamed: (() => void)[] = [];
  for (const construct of scope.node.findAll()) {
    if (!isApiObject(construct)) continue;
    renamed.push(...renamedFor(construct));
    if (wrapped.has(construct)) continue;
    wrapped.add(construct);
    const toJson = construct.toJson.bind(construct);
    const finished = (): unknown => {
      const session = sessions.get(app);
      return session === undefined ? alone(construct, toJson()) : session.finished(construct, toJson);
    };
    Object.defineProperty(construct, 'toJson', { value: finished, configurable: true, writable: true });
  }
  return () => {
    for (const restore of renamed) restore();
  };
}

/** cdk8s makes names of files from names of objects, and numbers of tokens are others in each run. */
function renamedFor({ metadata }: ApiObject): (() => void)[] {
  const name = metadata?.name;
  if (metadata === undefined || typeof name !== 'string' || !mightHold(name)) return [];
  const [before, reference] = [Object.getOwnPropertyDescriptor(metadata, 'name'), withoutTokens(name)];
  if (before?.configurable !== true || mangled(reference) !== undefined) return [];
  Object.defineProperty(metadata, 'name', { ...before, value: reference });
  return [() => Object.defineProperty(metadata, 'name', before)];
}

function isApiObject(construct: Construct): construct is ApiObject {
  return API_OBJECT in construct;
}

function appOf(construct: Construct): App {
  let at = construct;
  while (at.node.scope !== undefined) at = at.node.scope;
  return at as App;
}

function namedDocument(json: unknown): { kind: string; name: string; node: { path: string } } {
  const { kind, metadata } = isObject(json) ? json : {};
  const name = isObject(metadata) ? metadata.name : undefined;
  return { kind: typeof kind === 'string' ? kind : 'document', name: typeof name === 'string' ? name : '', node: { path: '' } };
}

function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
