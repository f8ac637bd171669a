// What a token stands for, as data: CloudFormation's functions with whole references in the place of names.

export type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

/** A value of a stack. `stack` is the way down to a nested one. */
export interface StackReference {
  readonly stack: string | string[];
  readonly logicalId: string;
  readonly attr: string;
  readonly account?: string;
  readonly region?: string;
}

/** A template of Terraform's language over the state of a stack. */
export interface StateExpression {
  readonly stack: string;
  readonly expression: string;
}

/** A declared output of a stack. */
export interface OutputReference {
  readonly stack: string;
  readonly key: string;
  readonly account?: string;
  readonly region?: string;
}

/** A declared output of a Terraform stack. It has no place inside of an expression. */
export interface StateOutput {
  readonly stack: string;
  readonly name: string;
}

/** What the place of a token asks for. */
export type Wanted = 'text' | 'number' | 'list' | 'any';

/** Beyond this a tree is taken to be endless. */
export const MAX_DEPTH = 200;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The one member of an object that is a function or a leaf. */
export function soleMember(tree: Tree): readonly [string, Tree] | undefined {
  if (!isObject(tree)) return undefined;
  const members = Object.entries(tree);
  return members.length === 1 ? members[0] : undefined;
}

/** Whether a tree is to be evaluated, and not a plain object, list or literal. */
export function isCall(tree: Tree): boolean {
  const name = soleMember(tree)?.[0];
  return name !== undefined && (name === 'Ref' || name.startsWith('Fn::') || ['$ref', '$output', '$tf', '$tfOutput'].includes(name));
}

/** Pieces that follow each other as one text; neighbouring literals become one. */
export function concatenated(pieces: readonly Tree[]): Tree {
  const flat: Tree[] = [];
  for (const piece of pieces.flatMap(spread)) {
    const last = flat.at(-1);
    if (isLiteral(piece) && isLiteral(last)) flat[flat.length - 1] = `${String(last)}${String(piece)}`;
    else flat.push(piece);
  }
  const only = flat[0];
  if (only === undefined) return '';
  return flat.length === 1 ? only : { 'Fn::Join': ['', flat] };
}

/** The pieces of a text that is joined with nothing between them. */
export function spread(tree: Tree): Tree[] {
  const member = soleMember(tree);
  if (member?.[0] !== 'Fn::Join' || !Array.isArray(member[1])) return [tree];
  const [delimiter, pieces] = member[1];
  return delimiter === '' && Array.isArray(pieces) ? pieces.flatMap(spread) : [tree];
}

function isLiteral(tree: Tree | undefined): tree is string | number | boolean {
  return typeof tree === 'string' || typeof tree === 'number' || typeof tree === 'boolean';
}
