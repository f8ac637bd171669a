import * as assert from 'node:assert/strict';
import { test } from 'node:test';

import { mangled, mightHold } from '../src/mangled';
import { listToken, mapToken, numberFamily, numberIndex, split } from '../src/tokens';

test('a text is cut at its tokens', () => {
  assert.deepEqual(split('a${Token[Fn::Join.9]}b${TfToken[TOKEN.2]}'), [
    { kind: 'literal', text: 'a' },
    { kind: 'token', family: 'aws', key: 'Fn::Join.9' },
    { kind: 'literal', text: 'b' },
    { kind: 'token', family: 'tf', key: 'TOKEN.2' },
  ]);
});

test('a printed number is found, whoever printed it', () => {
  for (const text of ['-1.888154589708771e+289', '-1.888154589708771E289', '-1.888154589708771e289']) {
    assert.deepEqual(split(`port1${text}`), [
      { kind: 'literal', text: 'port1' },
      { kind: 'number', family: 'aws', value: -1.888154589708771e289 },
    ]);
  }
  assert.equal(numberIndex(-1.888154589708771e289), 98);
  assert.equal(numberFamily(-8.109562212591399e298), 'tf');
  assert.deepEqual(split('-1.888 and -8.109'), [{ kind: 'literal', text: '-1.888 and -8.109' }]);
});

test('an expression of Terraform is one piece only where a token stands in it', () => {
  assert.deepEqual(split('${HOME} ${${TfToken[TOKEN.1]}.arn}'), [
    { kind: 'literal', text: '${HOME} ' },
    { kind: 'hcl', text: '${${TfToken[TOKEN.1]}.arn}' },
  ]);
});

test('lists and maps that are tokens are told from others', () => {
  assert.deepEqual(listToken(['#{Token[TOKEN.95]}']), { family: 'aws', key: 'TOKEN.95' });
  assert.deepEqual(mapToken({ '&{TfToken[TOKEN.24]}': 'String Map Token Value' }), { family: 'tf', key: 'TOKEN.24' });
  assert.equal(listToken(['#{Token[TOKEN.95]}', 'b']), undefined);
  assert.equal(mapToken({ a: 1 }), undefined);
});

test('what is left of tokens is found in every form', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const token = '${Token[TOKEN.28]}';
  const forms: [string, RegExp][] = [
    [token.toLowerCase(), /letter case/],
    ['${TFTOKEN[TOKEN.19]}', /letter case/],
    [encodeURIComponent(token), /URL/],
    [token.slice(0, -1), /cut off/],
    ['#{Token[TOKEN.1]},x', /list/],
    ['-1.89e+289', /rounded/],
    [`https://x/${encodeURI(token)}`, /URL/],
    [new URL(`https://x/${token}/y`).href, /URL/],
    [encodeURIComponent(encodeURIComponent('${Token[Fn::Join.9]}')), /URL/],
    ['Token[TOKEN.27]}', /cut off/],
    ['{Token[Fn::Join.9]', /cut off/],
    ['n[TOKEN.27]}', /cut off/],
    ['a TOKEN.27]}', /cut off/],
    ['${Token[TOK', /cut off/],
    ['${Token[TOK/x', /cut off/],
    ['a-${TfTok', /cut off/],
    [`x${token.replace(/[^a-z0-9]/gi, '-').toLowerCase()}y`, /slug/],
    ['token_token_27', /slug/],
    [String(Math.abs(-1.888154589708771e289)), /rounded/],
    [(-1.888154589708771e289).toLocaleString('en'), /rounded/],
    [(-8.109562212591399e298).toLocaleString('de'), /rounded/],
    [BigInt(-8.109562212591399e298).toString(), /rounded/],
    [base64(token), /base64/],
    [base64(`a${token}`), /base64/],
    [base64(`ab${token}b`), /base64/],
    [base64('${TfToken[TOKEN.7]}'), /base64/],
    [`{"auth":"${base64(`user:${token}`)}"}`, /base64/],
  ];
  for (const [text, what] of forms) {
    assert.match(mangled(text)?.what ?? 'nothing', what, text);
    assert.ok(mightHold(text) || String(what) === '/base64/', text);
  }
});

test('what is left of a token is known by the names of the tokens that were made', () => {
  const texts = ['Join.9]}', '--token-fn--join-9--', 'Token[Fn::Jo', 'Fn::Join.9'];
  const known = globalThis as { __cdkTokenMap?: unknown };
  for (const text of texts) assert.equal(mangled(text), undefined, text);
  known.__cdkTokenMap = { stringTokenMap: new Map([['Fn::Join.9', {}]]) };
  try {
    for (const text of texts) assert.match(mangled(text)?.what ?? 'nothing', /cut off|slug/, text);
    for (const text of ['a[oin.10]}', 'token-fn-join-8', 'Join.9', '{"a":[1.9]}']) assert.equal(mangled(text), undefined, text);
  } finally {
    delete known.__cdkTokenMap;
  }
});

test('what belongs to others is left alone', () => {
  for (const text of ['$(VAR)', '${VAR}', '{{ .Values.token }}', 'token[1]', '${TOKEN}', '${Token}', 'Token', 'TOKEN.27', 'refresh_token.2', 'token: 1', 'token: token', '{"a":[1,2.5]}', base64OfNothing(), 'e+289', '1e289']) {
    assert.equal(mangled(text), undefined, text);
  }
  assert.equal(mightHold('an ordinary text'), false);
});

function base64OfNothing(): string {
  return Buffer.from('nothing of the kind stands in here: {tok').toString('base64');
}
