// From a tree to the shortest text that `hangar resolve` understands.

import { declaredStacks } from './outputs';
import { TokenError } from './problem';
import { dependsOnStack, stacksNamed, withStatedPlace } from './pseudo';
import { concatenated, isCall, isObject, MAX_DEPTH, soleMember, spread } from './tree';
import type { OutputReference, StackReference, StateExpression, StateOutput, Tree, Wanted } from './tree';

/** Marks a reference whose value is text for certain, so that `|text` need not say so. Never part of its JSON. */
export const IS_TEXT = Symbol('hangar.isText');

/** What stands in the manifest for a tree: a text, or a structure with such texts in it. */
export function written(tree: Tree, wanted: Wanted, depth = 0): Tree {
  if (depth > MAX_DEPTH) throw new TokenError('the value is nested too deeply', 'look for a value that contains itself');
  if (isCall(tree)) return text(tree, wanted);
  // A token that is such a text is read, or refused by name, as it would be by CloudFormation; a text of the app's own is not.
  if (typeof tree === 'string') return tree.includes('{{resolve:') ? expression({ 'Fn::Join': ['', [tree]] }, wanted) : escaped(tree);
  if (Array.isArray(tree)) return tree.map((item) => written(item, 'any', depth + 1));
  if (!isObject(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, member]) => [key, written(member, 'any', depth + 1)]));
}

/** The text for a tree that is to be evaluated. */
function text(call: Tree, wanted: Wanted): string {
  refuseNamesWithoutStack(call, 0);
  const tree = stacksNamed(call).length === 0 && dependsOnStack(call) ? withStatedPlace(call, declaredStacks()) : call;
  if (typeof tree === 'string') return escaped(tree);
  const pieces = spread(withPseudoParameters(tree));
  if (pieces.length === 1) return single(pieces[0] ?? '', wanted);
  const texts = pieces.map((piece) => (typeof piece === 'string' ? escaped(piece) : short(piece, 'any')));
  const isPlain = texts.every((it, at) => it !== undefined && !(it.startsWith('${') && texts[at - 1]?.endsWith('$')));
  // A dynamic reference of CloudFormation must be seen whole by who decides whether it may be read.
  const isDynamic = pieces.some((piece) => typeof piece === 'string' && piece.includes('{{resolve:'));
  if (!isPlain || isDynamic || wanted === 'number') return expression(tree, wanted);
  return texts.join('');
}

function single(tree: Tree, wanted: Wanted): string {
  return short(tree, wanted) ?? expression(tree, wanted);
}

/** The form without a tree, where there is one. */
function short(tree: Tree, wanted: Wanted): string | undefined {
  const [name, argument] = soleMember(tree) ?? [];
  if (name === '$ref') return ofStack(argument as unknown as StackReference, wanted);
  if (name === '$output') return ofOutput(argument as unknown as OutputReference, wanted);
  if (name === '$tfOutput') return ofStateOutput(argument as unknown as StateOutput, wanted);
  if (name === '$tf') return ofState(argument as unknown as StateExpression, wanted);
  return undefined;
}

function ofStack(reference: StackReference, wanted: Wanted): string {
  const [root = '', ...below] = [reference.stack, reference.logicalId].flat();
  const path = [leading(root), ...below.map((segment) => encoded(segment))].join('/');
  const isPseudo = reference.logicalId.startsWith('AWS::');
  const attribute = isPseudo ? '' : `#${encoded(reference.attr, '[]"')}`;
  return `\${cfn:${path}${attribute}${query(reference)}${filter(wanted, reference)}}`;
}

function query(reference: { readonly account?: string; readonly region?: string }): string {
  const place = (['account', 'region'] as const).flatMap((name) => {
    const value = reference[name];
    return value === undefined ? [] : [`${name}=${encoded(value)}`];
  });
  return place.length > 0 ? `?${place.join('&')}` : '';
}

/** Every output of a stack is text. */
function ofOutput(output: OutputReference, wanted: Wanted): string {
  return `\${cfn:${leading(output.stack)}/${encoded(output.key)}${query(output)}${wanted === 'text' ? '' : filter(wanted, output)}}`;
}

function ofStateOutput(output: StateOutput, wanted: Wanted): string {
  return `\${tf:${leading(output.stack)}/output.${encoded(output.name)}${filter(wanted === 'list' ? 'any' : wanted, output)}}`;
}

/** Whether a tree needs no expression, so that a person can read what is written for it. */
export function isShort(tree: Tree): boolean {
  const pieces = spread(tree);
  const isPseudo = (piece: Tree): boolean => pieces.length > 1 && soleMember(piece)?.[0] === 'Ref';
  return pieces.every((piece) => typeof piece === 'string' || short(piece, 'any') !== undefined || isPseudo(piece));
}

/** A type, a name and a path of attributes; everything else is an expression. */
const TRAVERSAL = /^\$\{((?:data\.)?[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*)\.([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*)\}$/;
const NO_TYPES = /^(?:module|var|local|each|count|path|terraform|self)\./;

function ofState(leaf: StateExpression, wanted: Wanted): string | undefined {
  const [, address, path] = TRAVERSAL.exec(leaf.expression) ?? [];
  if (address === undefined || path === undefined || NO_TYPES.test(address)) return undefined;
  // A state knows the types of what it holds: a list is a list there.
  const shown = wanted === 'list' ? 'any' : wanted;
  return `\${tf:${leading(leaf.stack)}/${address}#${path}${filter(shown, leaf)}}`;
}

function expression(tree: Tree, wanted: Wanted): string {
  if (spread(tree).some((piece) => soleMember(piece)?.[0] === '$tfOutput')) {
    throw new TokenError('an output of a Terraform stack is used in an expression', 'use the output as a separate value');
  }
  const json = JSON.stringify(sorted(tree, 0));
  const [name] = soleMember(tree) ?? [];
  const shown = wanted === 'number' ? '|number' : wanted === 'text' && (name === '$tf' || name === 'Fn::Length') ? '|text' : '';
  return `\${expr:${Buffer.from(json, 'utf8').toString('base64url')}${shown}}`;
}

function filter(wanted: Wanted, leaf: object): string {
  switch (wanted) {
    case 'number':
      return '|number';
    case 'list':
      return '|list';
    case 'text':
      return IS_TEXT in leaf ? '' : '|text';
    case 'any':
      return '';
  }
}

/** The same tree with the members of objects in one order, so that one token has one text. */
function sorted(tree: Tree, depth: number): Tree {
  if (depth > MAX_DEPTH) throw new TokenError('the value is nested too deeply', 'look for a value that contains itself');
  if (Array.isArray(tree)) return tree.map((item) => sorted(item, depth + 1));
  if (!isObject(tree)) return tree;
  const members = Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member, depth + 1)]));
}

/** Pseudo parameters beside references to one stack only: those of that stack, as a template of it would have it. */
function withPseudoParameters(tree: Tree): Tree {
  const pieces = spread(tree);
  const stacks = new Map(pieces.flatMap(stackOf).map((it) => [JSON.stringify([it.stack, it.account, it.region]), it]));
  const [stack] = stacks.values();
  if (stack === undefined || stacks.size !== 1) return tree;
  const replaced = pieces.map((piece): Tree => {
    const [name, argument] = soleMember(piece) ?? [];
    if (name !== 'Ref' || typeof argument !== 'string') return piece;
    return { $ref: { ...stack, logicalId: argument, attr: 'Ref' } as unknown as Tree };
  });
  return concatenated(replaced);
}

function stackOf(piece: Tree): Omit<StackReference, 'logicalId' | 'attr'>[] {
  const [name, argument] = soleMember(piece) ?? [];
  if (name !== '$ref') return [];
  const { stack, account, region } = argument as unknown as StackReference;
  return [{ stack, ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) }];
}

/** Names of a template say nothing outside of it. */
function refuseNamesWithoutStack(tree: Tree, depth: number): void {
  if (depth > MAX_DEPTH || typeof tree !== 'object' || tree === null) return;
  const [name, argument] = soleMember(tree) ?? [];
  const isPseudo = typeof argument === 'string' && argument.startsWith('AWS::');
  if ((name === 'Ref' && !isPseudo) || name === 'Fn::GetAtt') {
    const hint = 'use an attribute of the construct (bucket.bucketArn, resource.getAtt(…)), which belongs to a stack';
    throw new TokenError(`${name} ${JSON.stringify(argument)} names no stack`, hint);
  }
  if (name !== undefined && ['Fn::If', 'Fn::FindInMap', 'Fn::GetAZs', 'Fn::Transform'].includes(name)) {
    const hint = 'declare a CfnOutput with exactly this value; the reference then uses that output';
    throw new TokenError(`${name} can only be evaluated inside its template`, hint);
  }
  if (name === '$ref' || name === '$tf' || name === '$output' || name === '$tfOutput') return;
  for (const member of Object.values(tree)) refuseNamesWithoutStack(member, depth + 1);
}

/** `${cfn:…` of a literal, so that it is read as that literal. */
export function escaped(literal: string): string {
  return literal.replace(/\$\{(?=(?:cfn|tf|ucp|expr):[\p{L}/._%~])/gu, '$$$&');
}

/** `%XX` for all that could mean something in a reference. */
function encoded(name: string, also = ''): string {
  return Array.from(name, (sign) => (/[\w.:-]/.test(sign) || also.includes(sign) ? sign : percent(sign))).join('');
}

/** The same for what stands first in a reference: `${tf:-x}` and `${tf:0:5}` are the shell's. */
function leading(name: string): string {
  const rest = encoded(name);
  return /^[0-9:-]/.test(rest) ? percent(rest.charAt(0)) + rest.slice(1) : rest;
}

function percent(sign: string): string {
  return Array.from(Buffer.from(sign, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
