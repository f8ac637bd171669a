// Pseudo parameters (`Aws.REGION`, …) that stand beside no reference: one token for all stacks, so only the stacks can say whose it is.

import { TokenError } from './problem';
import { isObject, MAX_DEPTH, soleMember } from './tree';
import type { StackReference, Tree } from './tree';

/** A stack of the program, with the account and region that the app states for it. */
export type StackPlace = Omit<StackReference, 'logicalId' | 'attr'>;

const OF_PLACE = ['AWS::AccountId', 'AWS::Region', 'AWS::Partition', 'AWS::URLSuffix'];
const OF_STACK = ['AWS::StackName', 'AWS::StackId', 'AWS::NotificationARNs'];
const IN_SUB = /\$\{(AWS::[A-Za-z]+)\}/g;

/** Whether a tree is a pseudo parameter and nothing else. */
export function isPseudoParameter(tree: Tree): boolean {
  const [name, argument] = soleMember(tree) ?? [];
  return name === 'Ref' && typeof argument === 'string' && argument.startsWith('AWS::');
}

/** Whether the value of a tree depends on the stack or the region in which it is evaluated. */
export function dependsOnStack(tree: Tree, depth = 0): boolean {
  if (typeof tree === 'string') return tree.includes('${AWS::');
  if (depth > MAX_DEPTH || typeof tree !== 'object' || tree === null) return false;
  if (isPseudoParameter(tree)) return true;
  return Object.values(tree).some((member) => dependsOnStack(member, depth + 1));
}

/** The stacks that a tree names, by account, region and name of the root stack. */
export function stacksNamed(tree: Tree, depth = 0): StackPlace[] {
  if (depth > MAX_DEPTH || typeof tree !== 'object' || tree === null) return [];
  const [name, argument] = soleMember(tree) ?? [];
  if ((name === '$ref' || name === '$output') && isObject(argument)) {
    const { stack, account, region } = argument as unknown as StackReference;
    return [{ stack, ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) }];
  }
  return Object.values(tree).flatMap((member) => stacksNamed(member, depth + 1));
}

/** A text that is the same for two places of the same root stack. */
export function rootKey({ stack, account, region }: StackPlace): string {
  return JSON.stringify([[stack].flat()[0], account, region]);
}

/**
 * A tree without references, with the values of pseudo parameters that all stacks of the program state alike.
 *
 * A stack that states no account or region is deployed to those of the caller: then the parameter is left for `hangar resolve`.
 */
export function withStatedPlace(tree: Tree, stacks: readonly StackPlace[]): Tree {
  if (stacks.length === 0 || !dependsOnStack(tree)) return tree;
  const replaced = (at: Tree, depth: number): Tree => {
    if (depth > MAX_DEPTH || typeof at !== 'object' || at === null) return at;
    if (Array.isArray(at)) return at.map((item) => replaced(item, depth + 1));
    const [name, argument] = soleMember(at) ?? [];
    if (name === 'Ref' && typeof argument === 'string') return valueOf(argument, stacks) ?? at;
    if (name === 'Fn::Sub' && argument !== undefined) {
      const [text, ...variables] = Array.isArray(argument) ? argument : [argument];
      const whole = typeof text === 'string' ? text.replace(IN_SUB, (all, it: string) => literal(valueOf(it, stacks)) ?? all) : (text ?? '');
      return { 'Fn::Sub': Array.isArray(argument) ? [whole, ...variables.map((it) => replaced(it, depth + 1))] : whole };
    }
    return Object.fromEntries(Object.entries(at).map(([key, member]) => [key, replaced(member, depth + 1)]));
  };
  return replaced(tree, 0);
}

function literal(tree: Tree | undefined): string | undefined {
  return typeof tree === 'string' ? tree : undefined;
}

function valueOf(name: string, stacks: readonly StackPlace[]): Tree | undefined {
  if (OF_STACK.includes(name)) {
    const [only, other] = stacks;
    if (only === undefined || other !== undefined) throw ambiguous(name, stacks.map((it) => String([it.stack].flat()[0])));
    return { $ref: { ...only, logicalId: name, attr: 'Ref' } as unknown as Tree };
  }
  if (!OF_PLACE.includes(name)) return undefined;
  const values = stacks.map((it) => statedValue(name, it));
  if (values.includes(undefined)) return undefined;
  const distinct = [...new Set(values)];
  if (distinct.length > 1) throw ambiguous(name, stacks.map((it, at) => `${[it.stack].flat()[0]} (${values[at]})`));
  return distinct[0];
}

function statedValue(name: string, { account, region }: StackPlace): string | undefined {
  if (name === 'AWS::AccountId') return account;
  if (region === undefined || name === 'AWS::Region') return region;
  const isChina = region.startsWith('cn-');
  // Of the isolated partitions CloudFormation knows the suffix; here they are left to it.
  if (/^(?:us-iso|eu-iso|eusc-)/.test(region)) return undefined;
  if (name === 'AWS::URLSuffix') return isChina ? 'amazonaws.com.cn' : 'amazonaws.com';
  return isChina ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

function ambiguous(name: string, stacks: readonly string[]): TokenError {
  const hint = 'use an attribute of the intended stack (stack.account, stack.region, stack.stackName), or combine the parameter with a reference to that stack';
  return new TokenError(`${name} names no stack, and the stacks differ: ${[...stacks].sort().join(', ')}`, hint);
}
