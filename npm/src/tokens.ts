// Tokens of the AWS CDK and of CDKTF in values: how they are encoded, and what is left of them when they were changed.

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

/** Whether a text can hold anything of a token, at the price of one look. */
export function mightHold(text: string): boolean {
  return /token\[|token%5b|-(?:1\.?888|8\.?109)|e\+?(?:289|298)/i.test(text);
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

/** What was done to a token so that nothing can resolve it any more. */
export interface Mangled {
  readonly what: string;
  readonly hint: string;
}

const LEAVE = 'leave the text as it is in the app, and change it where it is used';

/** What is left of tokens in a literal. */
export function mangled(literal: string): Mangled | undefined {
  const list = /#\{(?:Tf)?Token\[[^\]]{0,256}\.\d+\]\}/.exec(literal);
  if (list !== null) {
    const hint = 'use the list as a whole, Fn.select(0, list) for an item of it, or Fn.join(",", list) for a text';
    return { what: `${shown(list[0])} is a list whose items are not known yet, taken apart`, hint };
  }
  const changed = /[$#&]\{(?:tf)?token\[[^\]]{0,256}\.\d+\]\}/i.exec(literal);
  if (changed !== null) {
    return { what: `${shown(changed[0])} is a token whose letters were changed (toLowerCase, toUpperCase)`, hint: LEAVE };
  }
  const url = /%24%7b(?:tf)?token%5b[^%]{0,256}%5d%7d/i.exec(literal);
  if (url !== null) return { what: `${shown(url[0])} is a token that was encoded for a URL`, hint: LEAVE };
  const cut = /[$#&]\{(?:Tf)?Token\[(?:[A-Za-z0-9:._-]*\]?)$/.exec(literal);
  if (cut !== null) return { what: `${shown(cut[0])} is a token whose end was cut off`, hint: LEAVE };
  const number = /-\d(?:[.,]\d+)?[eE]\+?(?:289|298)(?!\d)/.exec(literal);
  if (number !== null) {
    const hint = 'print the number as it is, or use Token.asString';
    return { what: `${shown(number[0])} is a number token that was rounded or calculated with`, hint };
  }
  return mangledBase64(literal);
}

/** The one kind that shows nothing of a token. */
export function mangledBase64(literal: string): Mangled | undefined {
  const word = inBase64(literal);
  if (word === undefined) return undefined;
  const hint = 'use Fn.base64, or put the value into stringData of the Secret';
  return { what: `${shown(word)} is base64 of a token and not of its value`, hint };
}

function shown(text: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 77)}…` : text}\``;
}

/** What the beginnings of tokens are in base64, at each of the three places that a byte can have in its group. */
const NEEDLES = ['{Token[', '{TfToken[', '{token[', '{tftoken['].flatMap((begin) =>
  [0, 1, 2].map((before) => {
    const whole = Buffer.from('\0'.repeat(before) + begin).toString('base64');
    // Only characters that hold no bit of what stands before or behind.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + begin.length) * 8) / 6));
  }),
);

const NEEDLE = new RegExp(NEEDLES.map((needle) => needle.replace(/[+/]/g, '\\$&')).join('|'));

function inBase64(literal: string): string | undefined {
  if (literal.length < 16 || !NEEDLE.test(literal)) return undefined;
  for (const [word] of literal.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)) {
    const isOne = [0, 1, 2, 3].some((skip) => {
      const decoded = Buffer.from(word.slice(skip), 'base64').toString('latin1');
      return /[$#&]\{(?:tf)?token\[[^\]]{0,256}\.\d/i.test(decoded);
    });
    if (isOne) return word;
  }
  return undefined;
}
