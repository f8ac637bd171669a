// Tokens of the AWS CDK and of CDKTF in values: how they are encoded.

export type Family = 'aws' | 'tf';

/** A piece of a text. */
export type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'token'; readonly family: Family; readonly key: string }
  | { readonly kind: 'number'; readonly family: Family; readonly value: number }
  /** An expression of Terraform's language that a token of CDKTF stands in. */
  | { readonly kind: 'hcl'; readonly text: string };

/** The parts of both libraries' tables of tokens that are used. They are shared by all copies of a library. */
export interface TokenMap {
  lookupToken(key: string): object;
  lookupNumberToken(value: number): object | undefined;
  lookupNumberList?(values: number[]): object | undefined;
  readonly stringTokenMap: ReadonlyMap<string, object>;
  readonly numberTokenMap: ReadonlyMap<number, object>;
}

/** The table of a family's tokens; none where no token was made. */
export function tokenMap(family: Family): TokenMap | undefined {
  const known = globalThis as { __cdkTokenMap?: TokenMap; __cdktfTokenMap?: TokenMap };
  return family === 'aws' ? known.__cdkTokenMap : known.__cdktfTokenMap;
}

const KEY = '[A-Za-z0-9:._-]+';
const TOKEN = new RegExp(`\\$\\{(Tf)?Token\\[(${KEY})\\]\\}`, 'y');
const NUMBER = /-(?:1\.?888|8\.?109)\d*(?:[eE]\+?\d+)?/y;
const LIST = new RegExp(`^#\\{(Tf)?Token\\[(${KEY})\\]\\}$`);
const MAP = new RegExp(`^&\\{TfToken\\[(${KEY})\\]\\}$`);

/** The token that a list stands for. */
export function listToken(items: readonly unknown[]): { family: Family; key: string } | undefined {
  const [only] = items;
  const [, tf, key] = (items.length === 1 && typeof only === 'string' ? LIST.exec(only) : null) ?? [];
  return key === undefined ? undefined : { family: tf === undefined ? 'aws' : 'tf', key };
}

/** The token that a map of CDKTF stands for. */
export function mapToken(members: object): { family: Family; key: string } | undefined {
  const keys = Object.keys(members);
  const [, key] = (keys.length === 1 ? MAP.exec(keys[0] ?? '') : null) ?? [];
  return key === undefined ? undefined : { family: 'tf', key };
}

/** Whose token a number is: doubles whose two highest bytes are a mark. */
export function numberFamily(value: number): Family | undefined {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  const mark = bytes.readUInt16BE(0);
  return mark === 0xfbff ? 'aws' : mark === 0xfdff ? 'tf' : undefined;
}

/** The index that such a number carries. */
export function numberIndex(value: number): number {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.readUIntBE(2, 6);
}

/** A text in pieces. */
export function split(text: string): Piece[] {
  const mayHoldHcl = text.includes('${TfToken[');
  const pieces: Piece[] = [];
  let literal = '';
  let at = 0;
  const push = (piece: Piece, length: number): void => {
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    literal = '';
    pieces.push(piece);
    at += length;
  };
  while (at < text.length) {
    const sign = text[at] ?? '';
    if (sign === '$' || sign === '-') {
      const found = pieceAt(text, at, mayHoldHcl);
      if (found !== undefined) {
        push(found.piece, found.length);
        continue;
      }
    }
    literal += sign;
    at += 1;
  }
  if (literal !== '') pieces.push({ kind: 'literal', text: literal });
  return pieces;
}

function pieceAt(text: string, at: number, mayHoldHcl: boolean): { piece: Piece; length: number } | undefined {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(text);
  if (token !== null) {
    const family = token[1] === undefined ? 'aws' : 'tf';
    return { piece: { kind: 'token', family, key: token[2] ?? '' }, length: token[0].length };
  }
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text);
  if (number !== null) {
    const value = Number(number[0]);
    const family = numberFamily(value);
    return family && { piece: { kind: 'number', family, value }, length: number[0].length };
  }
  const hcl = mayHoldHcl && text.startsWith('${', at) ? braced(text, at) : undefined;
  return hcl?.slice(2).includes('${TfToken[') ? { piece: { kind: 'hcl', text: hcl }, length: hcl.length } : undefined;
}

/** A text from `${` to the brace that closes it. */
function braced(text: string, start: number): string | undefined {
  let depth = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}' && (depth -= 1) === 0) return text.slice(start, at + 1);
  }
  return undefined;
}
