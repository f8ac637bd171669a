// Outputs that an app declares for a value. Where a value has no reference of its own, the output of just that value is one.

import { isRootStack, outputPlace, stackPlace } from './aws';
import { TokenError } from './problem';
import { rootKey, stacksNamed } from './pseudo';
import type { StackPlace } from './pseudo';
import { tokenMap } from './tokens';
import type { Family } from './tokens';
import { isObject, MAX_DEPTH, soleMember } from './tree';
import type { Tree } from './tree';

interface Construct {
  readonly node: { readonly scope?: Construct; readonly id: string; readonly path: string; findAll(): Construct[] };
}
interface CfnOutput extends Construct {
  readonly value: unknown;
  readonly exportName?: string;
  readonly condition?: object;
  readonly logicalId: string;
}
interface TerraformOutput extends Construct {
  readonly value: unknown;
  readonly friendlyUniqueId: string;
  readonly cdktfStack: Construct;
}

/** Which outputs may stand for a value: an output with a condition may be missing from a deployed stack. */
export type Usable = 'all' | 'unconditional';

/**
 * The output whose value is a text of the app's, token and all.
 *
 * `beside` are the stacks whose references stand in the same text; a value that depends on its stack must be an output of theirs.
 */
export function declaredOutput(text: string, usable: Usable, beside: readonly StackPlace[] = []): Tree | undefined {
  const wanted = new Set(beside.map(rootKey));
  const isUsable = (it: CfnOutput): boolean => usable === 'all' || it.condition === undefined;
  const declared = (outputs('aws') as readonly CfnOutput[]).filter((it) => it.value === text && isUsable(it));
  const places = declared.flatMap((it) => outputPlace(it, it.logicalId) ?? []);
  const fitting = wanted.size === 0 ? places : places.filter((it) => stacksNamed(it).every((stack) => wanted.has(rootKey(stack))));
  if (new Set(fitting.flatMap((it) => stacksNamed(it)).map(rootKey)).size > 1) {
    const names = declared.map((it) => it.node.path).sort();
    throw new TokenError(`${names.join(' and ')} are outputs of this value in different stacks`, 'create a separate value for each stack');
  }
  const [aws] = fitting;
  if (aws !== undefined) return aws;
  const tf = outputs('tf').find((it) => it.value === text) as TerraformOutput | undefined;
  return tf && { $tfOutput: { stack: tf.cdktfStack.node.id, name: tf.friendlyUniqueId } };
}

/** The stacks of the program's AWS CDK apps, without nested ones. */
export function declaredStacks(): StackPlace[] {
  outputs('aws');
  return known.aws?.stacks ?? [];
}

/** The same tree with outputs of this program in the place of imports, which say nothing of account and region. */
export function withImports(tree: Tree, depth = 0): Tree {
  if (depth > MAX_DEPTH || typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => withImports(item, depth + 1));
  const [name, argument] = soleMember(tree) ?? [];
  if (name === '$ref') return tree;
  if (name === 'Fn::ImportValue' && typeof argument === 'string') return imported(argument) ?? tree;
  return Object.fromEntries(Object.entries(tree).map(([key, member]) => [key, withImports(member, depth + 1)]));
}

function imported(name: string): Tree | undefined {
  const exporting = (outputs('aws') as readonly CfnOutput[]).filter((it) => it.exportName === name);
  const [only, other] = exporting;
  if (only === undefined || other === undefined) return only && outputPlace(only, only.logicalId);
  const names = exporting.map((it) => it.node.path).sort();
  throw new TokenError(`the export \`${name}\` belongs to several outputs: ${names.join(', ')}`, 'use the value of the intended output (output.value)');
}

/** Outputs may be declared between one synthesis and the next. */
export function forgetOutputs(): void {
  delete known.aws;
  delete known.tf;
}

const known: Partial<Record<Family, { tokens: number; outputs: (CfnOutput | TerraformOutput)[]; stacks: StackPlace[] }>> = {};

/** All outputs of the apps whose tokens are there; looked for again where there are more tokens. */
function outputs(family: Family): readonly (CfnOutput | TerraformOutput)[] {
  const map = tokenMap(family)?.stringTokenMap;
  if (map === undefined) return [];
  const before = known[family];
  if (before?.tokens === map.size) return before.outputs;
  const roots = new Set<Construct>();
  for (const token of map.values()) {
    const owner = 'target' in token ? token.target : 'originStack' in token ? token.originStack : undefined;
    if (isConstruct(owner)) roots.add(rootOf(owner));
  }
  const all = [...roots].flatMap((root) => root.node.findAll());
  const found = family === 'aws' ? all.filter(isCfnOutput) : all.filter(isTerraformOutput);
  known[family] = { tokens: map.size, outputs: found, stacks: family === 'aws' ? all.filter(isRootStack).map(stackPlace) : [] };
  return found;
}

function isConstruct(value: unknown): value is Construct {
  return isObject(value) && isObject(value.node) && typeof value.node.findAll === 'function';
}

function isCfnOutput(construct: Construct): construct is CfnOutput {
  return ['importValue', 'exportName', 'value', 'logicalId'].every((name) => name in construct);
}

function isTerraformOutput(construct: Construct): construct is TerraformOutput {
  return ['value', 'sensitive', 'staticId', 'friendlyUniqueId', 'cdktfStack'].every((name) => name in construct);
}

function rootOf(construct: Construct): Construct {
  let at = construct;
  while (at.node.scope !== undefined) at = at.node.scope;
  return at;
}
