// What is left of tokens in a text when they were changed, so that nothing can resolve them any more.

import { tokenMap } from './tokens';

/** What was done to a token so that nothing can resolve it any more. */
export interface Mangled {
  readonly what: string;
  readonly hint: string;
}

const LEAVE = 'leave the string unchanged in the app, and change it where it is used';

/** Whether a text can hold anything of a token, at the price of one look. */
export function mightHold(text: string): boolean {
  return SIGNS.test(text) || (text.length > LONG && LONG_NUMBER.test(text));
}

const SIGNS = new RegExp(
  [
    'token(?:\\[|%|\\.\\d)', // whole, encoded, and the end of one
    'token[^a-z0-9]{0,3}[a-z]', // a slug
    '\\.\\d+\\]', // the end of one whose key is another
    '[$#&]\\{(?:Tf)?T(?:o|ok|oke|oken)?$',
    '-(?:1\\.?888|8\\.?109)',
    'e\\+?(?:289|298)',
  ].join('|'),
  'i',
);

/** A number token has some 290 digits where it is not written with an exponent. */
const LONG = 280;
const LONG_NUMBER = /(?:1\D?8\D?8\D?8|8\D?1\D?0\D?9)(?:[^\dA-Za-z]?\d){280}/;

/** What is left of tokens in a literal. */
export function mangled(literal: string): Mangled | undefined {
  const list = /#\{(?:Tf)?Token\[[^\]]{0,256}\.\d+\]\}/.exec(literal);
  if (list !== null) {
    const hint = 'use the whole list, Fn.select(0, list) for one item, or Fn.join(",", list) for a string';
    return { what: `${shown(list[0])} is an item of a list whose items are not known yet`, hint };
  }
  const changed = /[$#&]\{(?:tf)?token\[[^\]]{0,256}\.\d+\]\}/i.exec(literal);
  if (changed !== null) {
    return { what: `${shown(changed[0])} is a token whose letter case was changed (toLowerCase, toUpperCase)`, hint: LEAVE };
  }
  const url = ENCODED.exec(literal);
  if (url?.[0].includes('%') === true) return { what: `${shown(url[0])} is a token that was URL-encoded`, hint: LEAVE };
  const cut = cutToken(literal);
  if (cut !== undefined) return { what: `${shown(cut)} is a token with a part cut off`, hint: LEAVE };
  const slug = slugOfToken(literal);
  if (slug !== undefined) return { what: `${shown(slug)} is a token that was converted to a slug`, hint: LEAVE };
  const number = NUMBERS.exec(literal) ?? (literal.length > LONG ? LONG_NUMBER.exec(literal) : null);
  if (number !== null) {
    const hint = 'print the number unchanged, or use Token.asString';
    return { what: `${shown(number[0])} is a number token that was rounded, used in a calculation or printed in another format`, hint };
  }
  return mangledBase64(literal);
}

/** `%` may have been encoded once more. */
const ENCODED = new RegExp(
  ['(?:[$#&]|%(?:25)*2[346])', '(?:\\{|%(?:25)*7b)', '(?:tf)?token', '(?:\\[|%(?:25)*5b)', '[A-Za-z0-9:._%-]{0,256}?', '(?:\\]|%(?:25)*5d)', '(?:\\}|%(?:25)*7d)'].join(''),
  'i',
);

/** Rounded; and without its sign (`Math.abs`), where so many digits are there that it can be nothing else. */
const NUMBERS = /-\d(?:[.,]\d+)?[eE]\+?(?:289|298)(?!\d)|(?:1[.,]888|8[.,]109)\d*[eE]\+?(?:289|298)(?!\d)/;

/** A piece of a token, from its beginning, its end or its middle. Whole tokens are in no literal. */
function cutToken(literal: string): string | undefined {
  const plain = /[$#&]\{(?:Tf)?(?:Token\[[A-Za-z0-9:._-]*\]?|T(?:o(?:k(?:en?)?)?)?$)|\{?(?:Tf)?Token\[[A-Za-z0-9:._-]*\.\d+\]?\}?|[a-z]{0,8}\[?TOKEN\.\d+\]\}?|\[TOKEN\.\d+/.exec(literal);
  if (plain !== null) return plain[0];
  // What else stands in brackets may be the app's own, unless a token has that name.
  for (const [piece, key = ''] of literal.matchAll(/([A-Za-z0-9:._-]{0,128}[A-Za-z]{2}\.\d+)(?:\]\}?|$)/g)) {
    if (isEndOfKey(key, piece.endsWith(']') || piece.endsWith('}'))) return piece;
  }
  const [begin, start = ''] = /(?:Tf)?Token\[([A-Za-z:]{2,}[A-Za-z0-9:._-]*)$/.exec(literal) ?? [];
  return begin !== undefined && someKey((it) => it.startsWith(start)) ? begin : undefined;
}

function isEndOfKey(key: string, isClosed: boolean): boolean {
  return someKey((it) => it === key || (isClosed && it.endsWith(key)));
}

/** `--token-token-27--`: what is left of `${Token[TOKEN.27]}` where only letters and digits may stand. */
function slugOfToken(literal: string): string | undefined {
  const plain = /(?:tf)?token[^a-z0-9]{0,3}token[^a-z0-9]{0,3}\d+/i.exec(literal);
  if (plain !== null) return plain[0];
  const words = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (const [slug, key = ''] of literal.matchAll(/token[^a-z0-9]{1,3}([a-z][a-z0-9]{0,63}(?:[^a-z0-9]{1,3}[a-z0-9]{1,64}){1,8})/gi)) {
    const name = words(key);
    if (/\d/.test(name) && someKey((it) => it.includes('.') && words(it) === name)) return slug;
  }
  return undefined;
}

function someKey(is: (key: string) => boolean): boolean {
  for (const family of ['aws', 'tf'] as const) {
    for (const key of tokenMap(family)?.stringTokenMap.keys() ?? []) if (is(key)) return true;
  }
  return false;
}

/** The one kind that shows nothing of a token. */
export function mangledBase64(literal: string): Mangled | undefined {
  const word = inBase64(literal);
  if (word === undefined) return undefined;
  const hint = 'use Fn.base64 (in CDKTF: Fn.base64encode), or put the value into stringData of the Secret';
  return { what: `${shown(word)} is the base64 encoding of a token, not of its value`, hint };
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
