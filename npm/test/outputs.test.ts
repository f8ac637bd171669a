import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import { APPS, run, scalars, treeIn } from './run';

const APP = path.join(APPS, 'outputs.js');
const hooked = run(APP);

test('a value without a reference of its own is the output that is declared for it', () => {
  assert.equal(hooked.status, 0, hooked.stderr);
  const values = scalars([...hooked.files('dist')].find(([name]) => name.endsWith('.yaml'))?.[1] ?? '');
  const place = '?account=111122223333&region=eu-west-1';
  const expected = {
    size: `\${cfn:Settings/Size${place}}`,
    text: `size=\${cfn:Settings/Size${place}}/`,
    zones: `\${cfn:Settings/Zones${place}}`,
    chosen: `\${cfn:Settings/Chosen${place}}`,
    inner: `\${cfn:Settings/NestedNestedStackNestedNestedStackResourceDEFDAA4D#Outputs.Inner${place}}`,
    imported: `\${cfn:Settings/Zones${place}}`,
    variable: '${tf:storage/output.ZoneName|text}',
    local: 'local=${tf:storage/output.LocalName}',
  };
  for (const [name, reference] of Object.entries(expected)) assert.equal(values[name], reference, name);
  assert.match(values.queue ?? '', /^\$\{cfn:Settings\/Queue\w+#QueueName\?/, 'what has one keeps it');
  assert.deepEqual(treeIn(values.foreign), { 'Fn::ImportValue': 'of-another-program' });
});

test('an output under a condition does not take the place of an expression that can be evaluated', () => {
  const values = scalars([...hooked.files('dist')].find(([name]) => name.endsWith('.yaml'))?.[1] ?? '');
  const queue = /Queue\w+/.exec(values.queue ?? '')?.[0];
  const place = { stack: 'Settings', account: '111122223333', region: 'eu-west-1' };
  assert.deepEqual(treeIn(values.joined), { 'Fn::Join': ['-', [{ $ref: { ...place, logicalId: queue, attr: 'QueueName' } }, 'dead']] });
});

test('what is declared nowhere, or exported twice, is refused', () => {
  const refused = run(APP, { env: { BAD: 'yes' } });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /\/data\/undeclared: Fn::If can only be evaluated inside its template/);
  assert.match(refused.stderr, /\/data\/zone: Fn::GetAZs can only be evaluated inside its template\n[^\n]*\n *hint: declare a CfnOutput/);
  assert.match(refused.stderr, /\/data\/twice: the export `twice` belongs to several outputs: One\/Twice, Other\/Twice/);
});

test("outputs are found in either order of synthesis, and the libraries' own output is the same without the hook", () => {
  for (const ORDER of ['k8s-last', 'k8s-first']) {
    const [done, without] = [run(APP, { env: { ORDER } }), run(APP, { hook: false, env: { ORDER } })];
    assert.deepEqual(done.files('dist'), hooked.files('dist'));
    assert.ok(without.files('cdk.out').size > 3, without.stderr);
    for (const folder of ['cdk.out', 'cdktf.out']) assert.deepEqual(done.files(folder), without.files(folder));
  }
});
