import * as assert from 'node:assert/strict';
import { test } from 'node:test';

import { escaped, IS_TEXT, written } from '../src/reference';
import type { Tree } from '../src/tree';
import { treeIn } from './run';

const arn: Tree = { $ref: { stack: 'Storage', logicalId: 'Bucket', attr: 'Arn' } };

test('an attribute is a short reference', () => {
  assert.equal(written(arn, 'any'), '${cfn:Storage/Bucket#Arn}');
  assert.equal(written(arn, 'number'), '${cfn:Storage/Bucket#Arn|number}');
  assert.equal(written(arn, 'list'), '${cfn:Storage/Bucket#Arn|list}');
});

test('text is said where it is not certain', () => {
  const certain = { stack: 'S', logicalId: 'B', attr: 'Arn', [IS_TEXT]: true };
  assert.equal(written({ $ref: certain as unknown as Tree }, 'text'), '${cfn:S/B#Arn}');
  assert.equal(written(arn, 'text'), '${cfn:Storage/Bucket#Arn|text}');
});

test('a nested stack is named by the way down, and a place where it is known', () => {
  const tree: Tree = { $ref: { stack: ['App', 'Nested'], logicalId: 'Q', attr: 'Ref', account: '111122223333', region: 'eu-west-1' } };
  assert.equal(written(tree, 'any'), '${cfn:App/Nested/Q#Ref?account=111122223333&region=eu-west-1}');
});

test('a text is a text with references in it', () => {
  assert.equal(written({ 'Fn::Join': ['', ['https://', arn, '/x']] }, 'text'), 'https://${cfn:Storage/Bucket#Arn}/x');
});

test('pseudo parameters beside one stack are those of that stack', () => {
  const tree: Tree = { 'Fn::Join': ['', [{ Ref: 'AWS::Region' }, ':', arn]] };
  assert.equal(written(tree, 'text'), '${cfn:Storage/AWS::Region}:${cfn:Storage/Bucket#Arn}');
  const two: Tree = { 'Fn::Join': ['', [{ Ref: 'AWS::Region' }, arn, { $ref: { stack: 'Other', logicalId: 'B', attr: 'Arn' } }]] };
  assert.deepEqual(treeIn(written(two, 'text') as string), two);
});

test('everything else is a tree whose members have one order', () => {
  const tree: Tree = { 'Fn::Join': ['-', ['a', { $ref: { stack: 'S', logicalId: 'B', attr: 'Ref' } }]] };
  const other: Tree = { 'Fn::Join': ['-', ['a', { $ref: { attr: 'Ref', logicalId: 'B', stack: 'S' } }]] };
  assert.equal(written(tree, 'any'), written(other, 'any'));
  assert.deepEqual(treeIn(written(tree, 'any') as string), tree);
  assert.match(written(tree, 'number') as string, /\|number\}$/);
});

test('a dollar before a reference does not escape it', () => {
  const tree: Tree = { 'Fn::Join': ['', ['$', arn]] };
  assert.deepEqual(treeIn(written(tree, 'text') as string), tree);
});

test('a dynamic reference is seen whole', () => {
  const tree: Tree = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', arn, ':SecretString:::}}']] };
  assert.deepEqual(treeIn(written(tree, 'text') as string), tree);
});

test('literals that look like references are escaped, and others are left alone', () => {
  assert.equal(escaped('${cfn:A/B} ${tf:x/y.z#a}'), '$${cfn:A/B} $${tf:x/y.z#a}');
  for (const text of ['${HOME}', '$(VAR)', '${tf:-none}', '${expr:0:5}', '{{ .Values.a }}']) assert.equal(escaped(text), text);
});

test('signs that mean something in a reference are encoded', () => {
  const tree: Tree = { $ref: { stack: 'a/b', logicalId: 'x|y', attr: 'k}%' } };
  assert.equal(written(tree, 'any'), '${cfn:a%2Fb/x%7Cy#k%7D%25}');
  assert.equal(written({ $tf: { stack: '1st', expression: '${a_b.c.d}' } }, 'any'), '${tf:%31st/a_b.c#d}');
});

test('a traversal is short, an expression is not', () => {
  const of = (expression: string): Tree => written({ $tf: { stack: 's', expression } }, 'any');
  assert.equal(of('${aws_x.b.c.d[0].e}'), '${tf:s/aws_x.b#c.d[0].e}');
  assert.equal(of('${data.aws_x.b.c}'), '${tf:s/data.aws_x.b#c}');
  for (const long of ['${aws_x.b}', '${module.m.out}', '${var.a.b}', '${aws_x.b[0].c}', '${upper(aws_x.b.c)}', 'x${aws_x.b.c}']) {
    assert.deepEqual(treeIn(of(long) as string), { $tf: { stack: 's', expression: long } }, long);
  }
});

test('names without a stack are refused', () => {
  assert.throws(() => written({ Ref: 'Bucket' }, 'any'), /names no stack/);
  assert.throws(() => written({ 'Fn::Sub': ['${A}', { A: { 'Fn::GetAtt': ['B', 'Arn'] } }] }, 'any'), /names no stack/);
  assert.throws(() => written({ 'Fn::If': ['C', arn, ''] }, 'any'), /inside its template/);
});

test('a structure keeps its shape', () => {
  assert.deepEqual(written({ a: [arn, 1, null], b: 'x' }, 'any'), { a: ['${cfn:Storage/Bucket#Arn}', 1, null], b: 'x' });
});

test('a tree that never ends is refused', () => {
  let tree: Tree = arn;
  for (let depth = 0; depth < 300; depth += 1) tree = [tree];
  assert.throws(() => written(tree, 'any'), /too deeply/);
});
