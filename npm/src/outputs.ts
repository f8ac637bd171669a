// Outputs that an app declares for a value. Where a value has no reference of its own, the output of just that value is one.

import { outputPlace } from './aws';
import { TokenError } from './problem';
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
  readonly logicalId: string;
}
interface TerraformOutput extends Construct {
  readonly value: unknown;
  readonly friendlyUniqueId: string;
  readonly cdktfStack: Construct;
}

/** The output whose value is a text of the app's, token and all. */
export function declaredOutput(text: string): Tree | undefined {
  const aws = outputs('aws').find((it) => it.value === text) as CfnOutput | undefined;
  if (aws !== undefined) return outputPlace(aws, aws.logicalId);
  const tf = outputs('tf').find((it) => it.value === text) as TerraformOutput | undefined;
  return tf && { $tfOutput: { stack: tf.cdktfStack.node.id, name: tf.friendlyUniqueId } };
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
  throw new TokenError(`the export \`${name}\` is that of ${names.join(' and of ')}`, 'use the value of the one output that is meant (output.value)');
}

/** Outputs may be declared between one synthesis and the next. */
export function forgetOutputs(): void {
  delete known.aws;
  delete known.tf;
}

const known: Partial<Record<Family, { tokens: number; outputs: (CfnOutput | TerraformOutput)[] }>> = {};

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
  known[family] = { tokens: map.size, outputs: found };
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
