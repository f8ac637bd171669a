// Tokens of CDKTF, and of CDK Terrain after it, as trees. Each reference is resolved in the scope of its own stack,
// because in any other one CDKTF would add outputs and remote states to the app.

import * as path from 'node:path';
import { createRequire } from 'node:module';

import { TokenError } from './problem';
import { IS_TEXT } from './reference';
import { numberFamily, tokenMap } from './tokens';
import { isObject, MAX_DEPTH } from './tree';
import type { Tree } from './tree';

interface Stack {
  readonly node: { readonly id: string };
}
interface Context {
  readonly scope: unknown;
  resolve(value: unknown): unknown;
}
interface Resolvable {
  resolve(context: Context): unknown;
}
interface Fragments {
  mapTokens(context: Context): { join(concat: Concat): unknown; readonly firstValue: unknown };
}
interface Concat {
  join(left: unknown, right: unknown): unknown;
}
interface Resolver {
  resolveToken(token: Resolvable, context: Context, processor: { postProcess(value: unknown): unknown }): unknown;
  resolveString(fragments: Fragments, context: Context): unknown;
  resolveList(items: string[], context: Context): unknown;
  resolveNumberList(items: number[], context: Context): unknown;
  resolveMap(members: object, context: Context): unknown;
}
interface Tokenization {
  resolve(value: unknown, options: { scope: unknown; resolver: Resolver; preparing: false }): unknown;
}
interface Library {
  readonly Tokenization: Tokenization;
  readonly DefaultTokenResolver: new (concat: Concat) => Resolver;
  readonly StringConcat: new () => Concat;
}

const LIBRARIES = ['cdktf', 'cdktn'];

/** Whether an object is a token of CDKTF's, as far as one can tell from outside. */
export function isTfToken(value: object): boolean {
  if (!('resolve' in value) || typeof value.resolve !== 'function') return false;
  if ('originStack' in value || 'resolveArg' in value) return true;
  const jsii = Symbol.for('jsii.rtti');
  for (let type: unknown = value.constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    const { fqn } = (type as { [jsii]?: { fqn?: string } })[jsii] ?? {};
    if (fqn !== undefined && LIBRARIES.includes(fqn.split('.')[0] ?? '')) return true;
  }
  return 'creationStack' in value && tokenMap('aws') === undefined && tokenMap('tf') !== undefined;
}

/** The tree of a token, or of a text that holds some. */
export function tfTree(value: unknown, isNumber = isPrintedNumber(value)): Tree {
  const cdktf = library();
  const origins = new Set<Stack>();
  const base = new cdktf.DefaultTokenResolver(new cdktf.StringConcat());
  const resolver: Resolver = {
    resolveToken(token, context, processor) {
      if (!isFromStack(token)) return base.resolveToken(token, context, processor);
      origins.add(token.originStack);
      // Only the scope differs: what the token notes in the context must reach the one that was given.
      const home: Context = Object.create(context, { scope: { value: token.originStack } }) as Context;
      const resolved = token.resolve(home);
      return processor.postProcess(context.resolve(resolved));
    },
    resolveString: (fragments, context) => base.resolveString(fragments, context),
    resolveList: (items, context) => base.resolveList(items, context),
    resolveNumberList: (items, context) => base.resolveNumberList(items, context),
    resolveMap: (members, context) => base.resolveMap(members, context),
  };
  const resolved = cdktf.Tokenization.resolve(value, { scope: undefined, resolver, preparing: false });
  const stacks = [...origins].map((stack) => stack.node.id).sort();
  return leaves(resolved, stacks, isNumber, 0);
}

function leaves(value: unknown, stacks: string[], isNumber: boolean, depth: number): Tree {
  if (depth > MAX_DEPTH) throw new TokenError('the token contains itself', 'look for a Lazy that reads its own value');
  if (typeof value === 'string') return leaf(value, stacks, isNumber);
  if (Array.isArray(value)) return value.map((item) => leaves(item, stacks, isNumber, depth + 1));
  if (!isObject(value)) return (value ?? null) as Tree;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, leaves(member, stacks, isNumber, depth + 1)]));
}

function leaf(expression: string, stacks: string[], isNumber: boolean): Tree {
  if (!/(^|[^$])\$\{|%\{/.test(expression)) return expression.replaceAll('$${', '${');
  const [stack, other] = stacks;
  if (stack === undefined) {
    throw new TokenError(`\`${expression}\` names no stack`, 'use an attribute of a resource, which belongs to a stack');
  }
  if (other !== undefined) {
    const hint = 'use each value separately, and combine them in the manifest or with a template string';
    throw new TokenError(`\`${expression}\` combines values of the stacks ${stacks.join(', ')} in one expression`, hint);
  }
  const tf = { stack, expression };
  // A state knows whether an attribute is text. It must be said where the app printed a number, and of what lies deeper
  // or is calculated: that may be one, though the app has it as a string.
  if (!isNumber && ATTRIBUTE.test(expression)) Object.defineProperty(tf, IS_TEXT, { value: true });
  return { $tf: tf };
}

const ATTRIBUTE = /^\$\{(?:data\.)?[\w-]+\.[\w-]+\.[\w-]+\}$/;

/** `Token.asString(db.port)`. */
function isPrintedNumber(value: unknown): boolean {
  const inner = isObject(value) && 'value' in value ? value.value : undefined;
  return typeof inner === 'number' && numberFamily(inner) === 'tf';
}

function isFromStack(token: Resolvable): token is Resolvable & { readonly originStack: Stack } {
  return 'originStack' in token && isObject(token.originStack);
}

let known: Library | undefined;

/** The library that the app has loaded. Any copy resolves the tokens of all. */
function library(): Library {
  known ??= loaded() ?? required();
  if (known === undefined) {
    throw new TokenError('this is a token of CDKTF, but neither cdktf nor cdktn can be found', 'start the app in the folder of its node_modules');
  }
  return known;
}

function loaded(): Library | undefined {
  const index = new RegExp(`[\\\\/](?:${LIBRARIES.join('|')})(?:[\\\\/][^\\\\/]+){0,2}[\\\\/]lib[\\\\/]index\\.js$`);
  const files = Object.keys(require.cache).filter((name) => index.test(name));
  return files.map((file) => require.cache[file]?.exports as unknown).find(isLibrary);
}

function required(): Library | undefined {
  // A hook lies far from the app: where the app is, and where its cdk8s is, are the places to look from.
  const cdk8s = Object.keys(require.cache).filter((name) => /[\\/]cdk8s[\\/].*[\\/]app\.js$/.test(name));
  const files = [path.join(process.cwd(), 'index.js'), process.argv[1], ...cdk8s].filter((file) => file !== undefined);
  for (const file of files) {
    for (const name of LIBRARIES) {
      try {
        const exported: unknown = createRequire(path.resolve(file))(name);
        if (isLibrary(exported)) return exported;
      } catch {
        // The next one may be there.
      }
    }
  }
  return undefined;
}

function isLibrary(exported: unknown): exported is Library {
  return isObject(exported) && ['DefaultTokenResolver', 'StringConcat', 'Tokenization'].every((name) => name in exported);
}
