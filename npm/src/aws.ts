// Tokens of aws-cdk-lib as trees. Each reference is resolved in the stack that owns it, because in any other scope the
// CDK would note a cross-stack reference; so the app's own templates stay as they are.

import { TokenError } from './problem';
import { IS_TEXT } from './reference';
import { tokenMap, listToken, numberFamily, split } from './tokens';
import { concatenated, isObject, MAX_DEPTH } from './tree';
import type { StackReference, Tree } from './tree';

/** The parts of constructs and stacks that are used. */
interface Construct {
  readonly node: { readonly scope?: Construct; readonly path: string };
}
interface Stack extends Construct {
  readonly stackName: string;
  readonly account: string;
  readonly region: string;
  readonly nestedStackResource?: Construct & { readonly logicalId: string };
}
interface Context {
  readonly preparing: false;
  readonly scope: Construct;
  readonly documentPath: string[];
  resolve(value: unknown, options?: { allowIntrinsicKeys?: boolean }): unknown;
  registerPostProcessor(processor: PostProcessor): void;
}
interface PostProcessor {
  postProcess(value: unknown, context: Context): unknown;
}
interface Resolvable {
  resolve(context: Context): unknown;
}
interface Reference extends Resolvable {
  readonly target: Construct;
}

const STACK = Symbol.for('@aws-cdk/core.Stack');
const REFERENCE = Symbol.for('@aws-cdk/core.Reference');
const TYPE_HINT = Symbol.for('@aws-cdk/core.resolvedTypeHint');
const OTHER_TYPES = [Symbol.for('@aws-cdk/core.TokenMap.NUMBER'), Symbol.for('@aws-cdk/core.TokenMap.LIST')];
/** Named as a function, so that the CDK writes it into texts of JSON as one. */
const LEAF = 'Fn::HangarReference';
const INTRINSIC_KEY = '$IntrinsicKey$';
const SLOT = /"@@hangar-list-(\d+)@@"/;

/** Whether an object is a token of the CDK's, as far as one can tell from outside. */
export function isAwsToken(value: object): value is Resolvable {
  return 'resolve' in value && typeof value.resolve === 'function' && (REFERENCE in value || 'creationStack' in value);
}

/** The tree of a token. */
export function awsTree(token: object): Tree {
  const walk = new Walk();
  const scope = isReference(token) ? token.target : anyScope();
  return walk.finished(walk.value(token, { scope, isJson: false, depth: 0 }));
}

/** The reference to an output, by its construct. */
export function outputPlace(output: Construct, logicalId: string): Tree | undefined {
  const stack = stackOf(output);
  if (stack === undefined) return undefined;
  const walk = new Walk();
  const key = String(walk.value(logicalId, { scope: stack, isJson: false, depth: 0 }));
  const place = walk.place(stack);
  if (typeof place.stack === 'string') return { $output: { ...place, key } as Tree };
  const [nested = '', ...above] = [...place.stack].reverse();
  const reference = { ...place, stack: above.reverse(), logicalId: nested, attr: `Outputs.${key}` };
  return { $ref: Object.defineProperty(reference, IS_TEXT, { value: true }) as Tree };
}

/** Whether a construct is a stack that is not nested in another one. */
export function isRootStack(construct: Construct): boolean {
  return isStack(construct) && construct.nestedStackResource === undefined;
}

/** The name of a stack, with the account and region that the app states for it. */
export function stackPlace(stack: Construct): Omit<StackReference, 'logicalId' | 'attr'> {
  return new Walk().place(stack as Stack);
}

interface At {
  readonly scope: Construct;
  /** Whether the value goes into a text of JSON (`stack.toJsonString`). */
  readonly isJson: boolean;
  readonly depth: number;
}

class Walk {
  /** Lists in texts of JSON. The CDK would add a custom resource to the stack for each. */
  private readonly lists: Tree[] = [];

  value(value: unknown, at: At): unknown {
    if (at.depth > MAX_DEPTH) throw new TokenError('the token contains itself', 'look for a Lazy that reads its own value');
    if (typeof value === 'string') return this.text(value, at);
    if (typeof value === 'number') return this.number(value, at);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return this.list(value, at);
    if ('resolve' in value && typeof value.resolve === 'function') return hinted(this.token(value as Resolvable, at), 'string');
    return this.object(value as Record<string, unknown>, at);
  }

  private text(text: string, at: At): unknown {
    const pieces = split(text);
    if (pieces.every((piece) => piece.kind === 'literal')) return text;
    const parts = pieces.map((piece) => {
      switch (piece.kind) {
        case 'literal':
          return piece.text;
        case 'token':
          return piece.family === 'aws' ? this.value(found(piece.key), deeper(at)) : mixed();
        case 'number':
          return this.value(piece.value, deeper(at));
        case 'hcl':
          return mixed();
      }
    });
    return hinted(concatenated(parts as Tree[]), 'string');
  }

  private number(value: number, at: At): unknown {
    if (numberFamily(value) !== 'aws') return value;
    const token = tokenMap('aws')?.lookupNumberToken(value);
    return token === undefined ? value : hinted(this.value(token, deeper(at)), 'number');
  }

  private list(items: unknown[], at: At): unknown {
    const token = listToken(items);
    if (token?.family === 'aws') {
      const list = asList(this.value(found(token.key), deeper(at)));
      if (!at.isJson) return hinted(list, 'string-list');
      this.lists.push(list as Tree);
      return `@@hangar-list-${this.lists.length - 1}@@`;
    }
    return items.map((item) => this.value(item, deeper(at))).filter((item) => item !== undefined);
  }

  private object(object: Record<string, unknown>, at: At): unknown {
    const members = Object.entries(object).flatMap(([key, member], index): [string, unknown][] => {
      const value = this.value(member, deeper(at));
      if (value === undefined) return [];
      const name = this.value(key, deeper(at));
      if (typeof name === 'string') return [[name, value]];
      if (at.isJson) return [[`${INTRINSIC_KEY}${index}`, [name, value]]];
      throw new TokenError(`the key ${key} is not known before the deployment`, 'use CfnJson for such a map');
    });
    const hint = (object as { [TYPE_HINT]?: string })[TYPE_HINT];
    const result = Object.fromEntries(members);
    return hint === undefined ? result : hinted(result, hint);
  }

  private token(token: Resolvable, at: At): unknown {
    if (isReference(token)) return this.reference(token, deeper(at));
    return this.resolved(token, at);
  }

  private resolved(token: Resolvable, at: At): unknown {
    const processors: PostProcessor[] = [];
    const context: Context = {
      preparing: false,
      scope: at.scope,
      documentPath: [],
      resolve: (value, options) => this.value(value, { ...deeper(at), isJson: at.isJson || options?.allowIntrinsicKeys === true }),
      registerPostProcessor: (processor) => void processors.push(processor),
    };
    const value = this.value(untransformed(stackOf(at.scope), () => token.resolve(context)), deeper(at));
    return processors.reduce((done, processor) => processor.postProcess(done, context), value);
  }

  private reference(token: Reference, at: At): unknown {
    const stack = stackOf(token.target);
    if (stack === undefined) {
      throw new TokenError(`${token.target.node.path} does not belong to a stack`, 'use a construct that belongs to a stack');
    }
    const value = this.resolved(token, { ...at, scope: stack });
    const [logicalId, attr] = named(value);
    if (logicalId === undefined || attr === undefined) return value;
    // The CDK takes every attribute for text. What the app itself uses as a number or a list elsewhere is none.
    const isText = attr === 'Ref' || !OTHER_TYPES.some((type) => type in token);
    return { [LEAF]: { ...this.place(stack), logicalId, attr, ...(isText ? { isText } : {}), ...(isListParameter(token.target) ? { isList: true } : {}) } };
  }

  /** A stack, with the way down to it where it is nested. */
  place(stack: Stack): Omit<StackReference, 'logicalId' | 'attr'> {
    const below: string[] = [];
    let root = stack;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const resource: Stack['nestedStackResource'] = root.nestedStackResource;
      const parent: Stack | undefined = resource && stackOf(resource);
      if (resource === undefined || parent === undefined) break;
      below.unshift(String(this.value(resource.logicalId, { scope: parent, isJson: false, depth: 0 })));
      root = parent;
    }
    return {
      stack: below.length === 0 ? root.stackName : [root.stackName, ...below],
      ...(isConcrete(root.account) ? { account: root.account } : {}),
      ...(isConcrete(root.region) ? { region: root.region } : {}),
    };
  }

  /** The tree as others read it. */
  finished(value: unknown, depth = 0): Tree {
    if (depth > MAX_DEPTH) throw new TokenError('the token contains itself', 'look for a Lazy that reads its own value');
    if (typeof value === 'string') return this.withLists(value, depth);
    if (Array.isArray(value)) return value.map((item) => this.finished(item, depth + 1));
    if (value instanceof Date) return value.toISOString();
    if (!isObject(value)) return (value ?? null) as Tree;
    const leaf = value[LEAF];
    if (isObject(leaf)) {
      const reference = { ...leaf };
      delete reference.isText;
      delete reference.isList;
      if (leaf.isText === true) Object.defineProperty(reference, IS_TEXT, { value: true });
      return { $ref: reference as Tree };
    }
    const tree = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.finished(member, depth + 1)]));
    const join = tree['Fn::Join'];
    return Array.isArray(join) && join[0] === '' && Array.isArray(join[1]) ? concatenated(join[1]) : tree;
  }

  private withLists(text: string, depth: number): Tree {
    const [slot, index] = SLOT.exec(text) ?? [];
    if (slot === undefined) {
      if (text.includes('@@hangar-list-')) {
        throw new TokenError('a list is used in JSON that is nested in JSON', 'build the inner string with Fn.join');
      }
      return text;
    }
    const start = text.indexOf(slot);
    const list = this.finished(this.lists[Number(index)], depth + 1);
    const rest = this.withLists(text.slice(start + slot.length), depth + 1);
    return concatenated([text.slice(0, start), { 'Fn::ToJsonString': list }, rest]);
  }
}

/** The names in what a reference resolves to. */
function named(value: unknown): [logicalId?: string, attr?: string] {
  if (typeof value === 'string') {
    if (/^\$\{[A-Za-z0-9:]+(?:\.[^}]*)?\}$/.test(value)) {
      throw new TokenError(`${value} is a reference inside Fn::Sub`, 'use the attribute of the construct instead');
    }
    return [];
  }
  if (!isObject(value)) return [];
  if (typeof value.Ref === 'string') return [value.Ref, 'Ref'];
  const attribute = value['Fn::GetAtt'];
  if (typeof attribute === 'string') {
    const dot = attribute.indexOf('.');
    return [attribute.slice(0, dot), attribute.slice(dot + 1)];
  }
  const [logicalId, name] = Array.isArray(attribute) ? (attribute as unknown[]) : [];
  return typeof logicalId === 'string' && typeof name === 'string' ? [logicalId, name] : [];
}

/** Some functions (`Fn.len`) note in the stack of their scope that its template needs a transform. That of the app does not. */
function untransformed<T>(stack: Stack | undefined, resolve: () => T): T {
  if (stack === undefined || Object.hasOwn(stack, 'addTransform')) return resolve();
  const quiet = stack as { addTransform?: () => void };
  quiet.addTransform = () => undefined;
  try {
    return resolve();
  } finally {
    delete quiet.addTransform;
  }
}

/** `List<…>` and `CommaDelimitedList`, whose value a stack gives as one text. */
function isListParameter(target: Construct): boolean {
  const isParameter = 'valueAsList' in Object.getPrototypeOf(target);
  return isParameter && 'type' in target && typeof target.type === 'string' && /\bList<|CommaDelimitedList/.test(target.type);
}

/** A parameter where a function takes a list. */
function asList(value: unknown): unknown {
  const leaf = isObject(value) ? value[LEAF] : undefined;
  return isObject(leaf) && leaf.isList === true ? { 'Fn::Split': [',', value] } : value;
}

function isReference(token: object): token is Reference {
  return REFERENCE in token;
}

function isStack(construct: Construct): construct is Stack {
  return STACK in construct;
}

function stackOf(construct: Construct): Stack | undefined {
  for (let at: Construct | undefined = construct; at !== undefined; at = at.node.scope) {
    if (isStack(at)) return at;
  }
  return undefined;
}

/** A scope for tokens that do not say whose they are: that of the first one which does. */
function anyScope(): Construct {
  for (const token of tokenMap('aws')?.stringTokenMap.values() ?? []) {
    const stack = isReference(token) ? stackOf(token.target) : undefined;
    if (stack !== undefined) return stack;
  }
  return { node: { path: '' } };
}

function found(key: string): object {
  const token = tokenMap('aws')?.stringTokenMap.get(key);
  if (token === undefined) {
    throw new TokenError(`this program did not create the token \`${key}\``, 'check where the string with the token comes from');
  }
  return token;
}

function mixed(): never {
  throw new TokenError('a token of the AWS CDK contains a token of CDKTF', 'write the two tokens into the manifest separately');
}

function hinted<T>(value: T, hint: string): T {
  if (typeof value === 'object' && value !== null) {
    Object.defineProperty(value, TYPE_HINT, { value: hint, configurable: true });
  }
  return value;
}

function deeper(at: At): At {
  return { ...at, depth: at.depth + 1 };
}

function isConcrete(name: string): boolean {
  return !name.includes('${Token[') && !name.startsWith('unknown-');
}
