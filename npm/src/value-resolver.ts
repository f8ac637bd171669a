// Resolvers that return a value for a value, as RFC 002 of cdk8s has them, and the ones of an object in their order.

import type { ResolutionContext } from 'cdk8s';

import { referencesIn } from './audit';
import { isCollectionToken, isTokenObject, pointer, referenceFor } from './convert';
import { HangarError } from './problem';
import { MAX_DEPTH } from './tree';

/** Replaces values of manifests: `new App({ resolver })` for a whole app, `new Chart(scope, id, { resolver })` for one chart. */
export interface IValueResolver {
  /**
   * Returns the value to write instead of `value`, a string, number or boolean of an object; `undefined` keeps it, `null` removes it.
   * Cloud values are still tokens at this point.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the signature of the RFC
  resolve(context: ResolutionContext, value: any): any;
  /** Like `resolve`, but for final values, just before they are written: cloud values have been looked up. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  finalize?(context: ResolutionContext, value: any): any;
}

/** The parts of a resolver that are called. */
interface Callable {
  readonly resolve?: (this: this, context: Context, value: unknown) => unknown;
  readonly finalize?: (this: this, context: Context, value: unknown) => unknown;
}
interface Context {
  readonly replaced: boolean;
  readonly replacedValue: unknown;
}
export type ContextClass = new (object: never, key: string[], value: unknown) => Context;

export interface Scope {
  readonly node: { readonly scope?: Scope };
}
interface ApiObject extends Scope {
  readonly kind: string;
  readonly name: string;
}

/** Marks resolvers of ours, and their `resolve`, by whichever copy of this package. */
export const IS_HANGAR = Symbol.for('hangar.resolver');
/** The resolver that an app or a chart was given. */
const GIVEN = Symbol.for('hangar.valueResolver');
/** Marks constructs whose properties were seen. */
const SEEN = Symbol.for('hangar.seen');
/** Resolvers that no app or chart was given yet, of all copies of this package. */
const MADE = Symbol.for('hangar.madeResolvers');

/** Base class for resolvers; methods that are not overridden keep the value. */
export class ValueResolver implements IValueResolver {
  /** So that TypeScript takes no class that this package does not know of where cdk8s itself has no `resolver`. */
  readonly #made = madeResolvers();

  constructor() {
    this.#made.add(this);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the signature of the RFC
  resolve(_context: ResolutionContext, value: any): any {
    return value as unknown;
  }
}

function madeResolvers(): Set<object> {
  const known = globalThis as { [MADE]?: Set<object> };
  const made = known[MADE] ?? new Set();
  known[MADE] = made;
  return made;
}

/** Gives a resolver to an app or a chart. */
export function attach(construct: object, owner: 'App' | 'Chart', resolver: unknown): void {
  if (resolver !== undefined && resolver !== null && !isResolver(resolver)) {
    throw new HangarError(`hangar: the \`resolver\` of ${owner} is ${kindOf(resolver)}; pass an object with a method \`resolve(context, value)\``);
  }
  observe(construct, resolver);
}

/** Notes the `resolver` that a construct of cdk8s was constructed with. What is no resolver is a property of the app's own. */
export function observe(construct: object, resolver: unknown): void {
  Object.defineProperty(construct, SEEN, { value: true, configurable: true });
  if (!isResolver(resolver)) return;
  madeResolvers().delete(resolver);
  Object.defineProperty(construct, GIVEN, { value: resolver, configurable: true });
}

function isResolver(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ['resolve', 'finalize'].some((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}

/** The resolver that a construct was given. */
export function givenResolver(construct: object): object | undefined {
  return (construct as { [GIVEN]?: object })[GIVEN];
}

/** Whether the properties of a construct were hidden: its class was taken from cdk8s before this package was loaded. */
export function isUnseen(construct: object): boolean {
  return !(SEEN in construct);
}

/** Resolvers of ours that were constructed, and may have been given to a construct whose properties were hidden. */
export function unseenResolvers(): object[] {
  const made = [...madeResolvers()];
  const own = made.find((it) => !(IS_HANGAR in it));
  if (own !== undefined) {
    const why = 'it was not passed to an app or chart that Hangar sees, because App or Chart of cdk8s was imported before hangar-cdk8s was loaded';
    throw new HangarError(`hangar: ${nameOf(own)} would have no effect: ${why}\n  hint: import App and Chart from hangar-cdk8s`);
  }
  return made;
}

/** Whether a resolver in cdk8s's list `resolvers` takes the value as an argument, which cdk8s does not give it. */
export function isValueResolver(resolver: object): boolean {
  const { resolve } = resolver as Callable;
  return typeof resolve === 'function' && resolve.length >= 2 && !(IS_HANGAR in resolve);
}

/** The resolvers of one app. */
export class ValueResolvers {
  constructor(
    private readonly ofApp: readonly object[],
    private readonly contextClass: ContextClass | undefined,
  ) {}

  /** JSON of an object as its resolvers make it. */
  resolved(object: ApiObject, json: unknown): unknown {
    let done = json;
    for (const resolver of this.chain(object)) {
      const { resolve } = resolver;
      if (typeof resolve === 'function' && !(IS_HANGAR in resolve)) done = this.changed(object, done, resolver, 'resolve');
    }
    return done;
  }

  /** Whether an object has a resolver that wants final values. */
  isFinalized(object: ApiObject): boolean {
    return this.chain(object).some((it) => typeof it.finalize === 'function');
  }

  /** JSON of an object with final values as its resolvers make it. */
  finalized(object: ApiObject, json: unknown): unknown {
    let done = json;
    for (const resolver of this.chain(object)) {
      if (typeof resolver.finalize === 'function') done = this.changed(object, done, resolver, 'finalize');
    }
    return done;
  }

  /** Those of the charts around an object, the innermost first, then those of the app. */
  private chain(object: ApiObject): Callable[] {
    const chain: Callable[] = [];
    for (let at: Scope = object; at.node.scope !== undefined; at = at.node.scope) {
      const given = givenResolver(at);
      if (given !== undefined) chain.push(given);
    }
    return [...chain, ...this.ofApp];
  }

  private changed(object: ApiObject, json: unknown, resolver: Callable, method: 'resolve' | 'finalize'): unknown {
    return mapped(json, [], (key, value) => {
      const context = this.context(object, key, value);
      const returned = resolver[method]?.(context, value);
      // A resolver as cdk8s has them says it to the context.
      const result = context.replaced ? context.replacedValue : returned;
      const refuse = (why: string): never => {
        throw new HangarError(`hangar: \`${method}\` of ${nameOf(resolver)} returned ${why} for ${object.kind} ${object.name}, ${pointer(key)}`);
      };
      if (result !== value) check(result, method, refuse, 0);
      return result === undefined ? value : result;
    });
  }

  private context(object: ApiObject, key: readonly string[], value: unknown): Context {
    if (this.contextClass === undefined) throw new HangarError('hangar: this copy of cdk8s has no ResolutionContext; install cdk8s 2.66.0 or newer');
    return new this.contextClass(object as never, [...key], value);
  }
}

/** Refuses results that no manifest can hold. */
function check(result: unknown, method: 'resolve' | 'finalize', refuse: (why: string) => never, depth: number): void {
  if (depth > MAX_DEPTH) refuse('an object that is nested too deeply');
  if (method === 'finalize') refuseUnresolved(result, refuse);
  if (typeof result === 'function' || typeof result === 'symbol' || typeof result === 'bigint') refuse(`a ${typeof result}`);
  if (typeof result !== 'object' || result === null) return;
  if (method === 'resolve' && isTokenObject(result)) return;
  const prototype: unknown = Object.getPrototypeOf(result);
  if (!Array.isArray(result) && prototype !== Object.prototype && prototype !== null) {
    refuse(result instanceof Promise ? 'a promise (resolvers are synchronous)' : `${kindOf(result)} instead of plain data`);
  }
  for (const member of Object.values(result)) check(member, method, refuse, depth + 1);
}

/** Nothing comes after `finalize` that would look up a value. */
function refuseUnresolved(result: unknown, refuse: (why: string) => never): void {
  if (typeof result === 'string' && referencesIn(result).length > 0) refuse('a reference, which only `resolve` may return,');
  if (typeof result !== 'string' && typeof result !== 'number' && !Array.isArray(result)) return;
  let isToken = true;
  try {
    isToken = Array.isArray(result) ? isCollectionToken(result) : referenceFor(result) !== result;
  } catch {
    // One that cannot be replaced at all.
  }
  if (isToken) refuse('a token, which only `resolve` may return,');
}

type Change = (key: readonly string[], value: string | number | boolean) => unknown;

/** A copy of JSON with each value changed; `null` removes it. */
function mapped(value: unknown, key: string[], change: Change): unknown {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return change(key, value);
  if (Array.isArray(value)) return value.map((item, index) => mapped(item, [...key, `${index}`], change)).filter((item, index) => item !== null || value[index] === null);
  if (typeof value !== 'object' || value === null || isTokenObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const done = mapped(member, [...key, name], change);
    return done === null && member !== null ? [] : [[name, done]];
  });
  return Object.fromEntries(members);
}

function nameOf(resolver: object): string {
  const name = className(resolver);
  return name === undefined ? 'a resolver' : `the resolver ${name}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name = className(value);
  return name === undefined ? 'an object without that method' : `an instance of ${name}`;
}

function className(value: object): string | undefined {
  const name = 'constructor' in value && typeof value.constructor === 'function' ? value.constructor.name : '';
  return name === '' || name === 'Object' ? undefined : name;
}
