// One manifest with tokens in it, to one with references.

import { awsTree, isAwsToken } from './aws';
import { isTfToken, tfTree } from './cdktf';
import { mangled, mangledBase64, mightHold } from './mangled';
import type { Mangled } from './mangled';
import { declaredOutput, withImports } from './outputs';
import { asTokenError, TokenError } from './problem';
import { dependsOnStack, isPseudoParameter, stacksNamed } from './pseudo';
import type { StackPlace } from './pseudo';
import { isShort, written } from './reference';
import { listToken, mapToken, numberFamily, numberIndex, split, tokenMap } from './tokens';
import type { Family, Piece } from './tokens';
import { concatenated, isObject, MAX_DEPTH } from './tree';
import type { Tree } from './tree';

/** Is told what is wrong, and where. */
export type Report = (pointer: string, error: TokenError) => void;

/** Where a value is: keys and indexes on the way to it. */
export type Way = (string | number)[];

/** A manifest with every token replaced, in keys too. What holds none is given back as it is, and not copied. */
export function converted(manifest: unknown, report: Report): unknown {
  return member(manifest, [], report);
}

/** Whether a value is an object that is a token itself. */
export function isTokenObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && (isTfToken(value) || isAwsToken(value));
}

/** Whether a list or a map is one token. */
export function isCollectionToken(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? listToken(value) : mapToken(value)) !== undefined;
}

/** What stands for a token that is an object. */
export function convertedObject(token: object): unknown {
  return written(isTfToken(token) ? tfTree(token) : withImports(awsTree(token)), 'any');
}

/** A value by itself with its tokens replaced. */
export function referenceFor(value: unknown): unknown {
  return converted(value, (_place, error) => {
    throw error;
  });
}

function member(value: unknown, at: Way, report: Report): unknown {
  try {
    if (at.length > MAX_DEPTH) throw new TokenError('the manifest is nested too deeply', 'look for an object that contains itself');
    if (typeof value === 'string') return convertedText(value);
    if (typeof value === 'number') return convertedNumber(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isTokenObject(value)) return convertedObject(value);
    const whole = collection(value);
    if (whole !== undefined) return whole;
  } catch (error) {
    report(pointer(at), asTokenError(error));
    return null;
  }
  if (Array.isArray(value)) return convertedItems(value, at, report);
  return isPlain(value) ? convertedMembers(value, at, report) : value;
}

/** What is written for `Aws.NO_VALUE`. A member or an item that is just that is left out, as CloudFormation does. */
const NO_VALUE = written({ Ref: 'AWS::NoValue' }, 'any');

function convertedItems(items: unknown[], at: Way, report: Report): unknown[] {
  let copy: unknown[] | undefined;
  items.forEach((item, index) => {
    at.push(index);
    const done = member(item, at, report);
    at.pop();
    if (done === item) return;
    copy ??= [...items];
    copy[index] = done;
  });
  return copy?.filter((item, index) => item !== NO_VALUE || items[index] === NO_VALUE) ?? items;
}

function convertedMembers(object: Record<string, unknown>, at: Way, report: Report): Record<string, unknown> {
  const keys = Object.keys(object);
  let copy: [string, unknown][] | undefined;
  keys.forEach((key, index) => {
    const item = object[key];
    at.push(key);
    const [name, done] = [convertedKey(key, at, report), member(item, at, report)];
    at.pop();
    if (name !== key || done !== item) copy ??= keys.slice(0, index).map((before) => [before, object[before]]);
    if (done !== NO_VALUE || item === NO_VALUE) copy?.push([name, done]);
  });
  return copy === undefined ? object : Object.fromEntries(copy);
}

function convertedKey(key: string, at: Way, report: Report): string {
  try {
    return convertedText(key) as string;
  } catch (error) {
    report(pointer(at), asTokenError(error));
    return key;
  }
}

/** A list or a map that is one token. */
function collection(value: object): unknown {
  const token = Array.isArray(value) ? listToken(value) : mapToken(value);
  if (token !== undefined) return written(treeOf(token.family, lookedUp(token)), 'list');
  const [only] = Array.isArray(value) ? (value as unknown[]) : [];
  // CDKTF marks its lists of numbers as the AWS CDK marks its numbers.
  if (typeof only === 'number' && numberFamily(only) === 'aws' && !isKnownToAws(only)) {
    const list = tokenMap('tf')?.lookupNumberList?.([only]);
    if (list !== undefined) return written(tfTree(list), 'any');
  }
  return undefined;
}

/** A text with its tokens replaced. It may become a structure, where one token alone is one. */
export function convertedText(text: string): Tree {
  if (!mightHold(text)) {
    refuse(mangledBase64(text));
    return text;
  }
  const pieces = split(text);
  for (const piece of pieces) if (piece.kind === 'literal') refuse(mangled(piece.text));
  if (pieces.every((piece) => piece.kind === 'literal')) return text;
  const beside = pieces.flatMap((piece) => (pieces.length > 1 && piece.kind === 'token' ? stacksNamedBy(piece) : []));
  const whole = (): Tree => {
    const trees = pieces.map((piece) => (piece.kind === 'token' ? orOutput(textOf(piece), beside, () => pieceTree(piece)) : pieceTree(piece)));
    const [only] = trees;
    return trees.length === 1 && only !== undefined ? only : concatenated(trees);
  };
  const result = written(pieces.length === 1 ? whole() : orOutput(text, beside, whole), 'text');
  return typeof result === 'number' || typeof result === 'boolean' ? String(result) : result;
}

/** A tree; or the output that the app declares for the text of it, where it has no short form or none at all. */
function orOutput(text: string, beside: readonly StackPlace[], make: () => Tree): Tree {
  let tree: Tree;
  try {
    tree = make();
  } catch (error) {
    const output = declaredOutput(text, 'all');
    if (output !== undefined) return output;
    throw error;
  }
  // A pseudo parameter is one token for all stacks: an output of one of them says nothing about the others.
  if (isShort(tree) || isPseudoParameter(tree)) return tree;
  // What can be evaluated is not made to depend on an output that the deployed stack may not have.
  return declaredOutput(text, canBeWritten(tree) ? 'unconditional' : 'all', dependsOnStack(tree) ? beside : []) ?? tree;
}

function canBeWritten(tree: Tree): boolean {
  try {
    written(tree, 'any');
    return true;
  } catch {
    return false;
  }
}

/** The stacks that a token of the AWS CDK names. */
function stacksNamedBy(piece: Extract<Piece, { kind: 'token' }>): StackPlace[] {
  try {
    return piece.family === 'aws' ? stacksNamed(pieceTree(piece)) : [];
  } catch {
    // Reported when the piece itself is converted.
    return [];
  }
}

function textOf({ family, key }: { family: Family; key: string }): string {
  return `\${${family === 'aws' ? '' : 'Tf'}Token[${key}]}`;
}

function pieceTree(piece: Piece): Tree {
  switch (piece.kind) {
    case 'literal':
      return piece.text;
    case 'hcl':
      return tfTree(piece.text);
    case 'token':
      return treeOf(piece.family, lookedUp(piece));
    case 'number':
      return numberTree(piece.value, piece.family);
  }
}

function convertedNumber(value: number): Tree {
  const family = numberFamily(value);
  if (family !== undefined) return written(numberTree(value, family), 'number');
  // No manifest has such a number: one that was calculated with a token.
  const size = Math.abs(value);
  const isLost = value < 0 ? size > 1e285 && size < 1e302 : (size > 1e288 && size < 1e291) || (size > 1e297 && size < 1e300);
  if (isLost) {
    throw new TokenError(`${value} is a number token that was used in a calculation`, 'do the calculation where the number is used');
  }
  return value;
}

function numberTree(value: number, family: Family): Tree {
  let token: object | undefined;
  try {
    token = tokenMap(family)?.lookupNumberToken(value);
  } catch {
    // Told below, with what to do.
  }
  if (token === undefined) {
    throw new TokenError(`${value} is a number token that this program did not create`, 'check whether it was used in a calculation');
  }
  return family === 'aws' ? awsTree(token) : tfTree(token, true);
}

function treeOf(family: Family, token: object): Tree {
  return family === 'aws' ? withImports(awsTree(token)) : tfTree(token);
}

function lookedUp({ family, key }: { family: Family; key: string }): object {
  const token = tokenMap(family)?.stringTokenMap.get(key);
  if (token === undefined) {
    throw new TokenError(`this program did not create the token \`${key}\``, 'check where the string with the token comes from');
  }
  return token;
}

function refuse(found: Mangled | undefined): void {
  if (found !== undefined) throw new TokenError(found.what, found.hint);
}

function isKnownToAws(value: number): boolean {
  return tokenMap('aws')?.numberTokenMap.has(numberIndex(value)) ?? false;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return isObject(value) && (prototype === Object.prototype || prototype === null);
}

/** A JSON pointer. */
export function pointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
