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

export const AUDIT_FILE = 'cloud-references.json';

const REFERENCE = /(?<!\$)\$\{(?:cfn|tf|ucp|expr):[\p{L}/._%~][^}\n]*\}/gu;

/** The references in a text. */
export function referencesIn(text: string): string[] {
  return text.includes('${') ? (text.match(REFERENCE) ?? []) : [];
}

/** Writes the list, in one order whatever the order of the objects was. An app without any has no list. */
export function writeAudit(outdir: string, records: readonly AuditRecord[]): void {
  const file = path.join(outdir, AUDIT_FILE);
  if (records.length === 0) {
    fs.rmSync(file, { force: true });
    return;
  }
  const lines = [...new Set(records.map((it) => JSON.stringify(it)))].map((it) => JSON.parse(it) as AuditRecord).sort(byPlace);
  fs.writeFileSync(file, `${JSON.stringify({ version: 1, references: lines }, null, 2)}\n`);
}

function byPlace(a: AuditRecord, b: AuditRecord): number {
  for (const key of ['object', 'pointer', 'reference', 'path'] as const) {
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  }
  return 0;
}
