// The list of all references that an app's manifests hold, beside the manifests.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** One reference and its place. */
export interface AuditRecord {
  readonly object: string;
  readonly pointer: string;
  readonly reference: string;
  /** The construct that writes the object. */
  readonly path: string;
}

const AUDIT_FILE = 'cloud-references.json';

const REFERENCE = /(?<!\$)\$\{(?:cfn|tf|ucp|expr):[\p{L}/._%~][^}\n]*\}/gu;

/** The references in a text. */
export function referencesIn(text: string): string[] {
  return text.includes('${') ? (text.match(REFERENCE) ?? []) : [];
}

/** Whether `hangar resolve` would find anything in a text; `$${cfn:…}` is one sign less to it. */
export function mayHoldReferences(text: string): boolean {
  return /\$\{(?:cfn|tf|ucp|expr):|ref\+tf/.test(text);
}

/** Where the list goes: beside the manifests, but for `cdk8s synth --format helm`, because Helm renders all of `templates`. */
export function auditFile(outdir: string): string {
  const parent = path.dirname(path.resolve(outdir));
  const isHelm = path.basename(path.resolve(outdir)) === 'templates' && fs.existsSync(path.join(parent, 'Chart.yaml'));
  return path.join(isHelm ? parent : path.resolve(outdir), AUDIT_FILE);
}

/** Writes the list, in one order whatever the order of the objects was. An app without any has no list. */
export function writeAudit(file: string, records: readonly AuditRecord[]): string | null {
  if (records.length === 0) {
    fs.rmSync(file, { force: true });
    return null;
  }
  const lines = [...new Set(records.map((it) => JSON.stringify(it)))].map((it) => JSON.parse(it) as AuditRecord).sort(byPlace);
  fs.writeFileSync(file, `${JSON.stringify({ version: 1, references: lines }, null, 2)}\n`);
  return file;
}

function byPlace(a: AuditRecord, b: AuditRecord): number {
  for (const key of ['object', 'pointer', 'reference', 'path'] as const) {
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  }
  return 0;
}
