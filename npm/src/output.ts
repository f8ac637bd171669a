// The end of a synthesis: manifests are resolved where that is asked for, then written, and told to who has started the app.

import * as fs from 'node:fs';
import * as path from 'node:path';

import { auditFile, mayHoldReferences, writeAudit } from './audit';
import { finalTexts } from './final';
import { HangarError } from './problem';
import type { Session } from './session';

/** Writes all that a session holds, with the list for audit where the manifests are those of an app. */
export function writeOut(session: Session, outdir: string, audited: 'audited' | 'alone', env: NodeJS.ProcessEnv): void {
  const journal = env.HANGAR_SYNTHESIZED === undefined ? undefined : opened(env.HANGAR_SYNTHESIZED);
  try {
    const mode = session.modes.files;
    const texts = finalTexts(session, mode, session.manifests, env);
    for (const { file, text } of texts) fs.writeFileSync(file, text);
    for (const write of session.later) write();
    // Manifests with values are applied as a folder, in which kubectl takes every `.json` for one.
    const audit = audited === 'alone' ? null : writeAudit(auditFile(outdir), mode === 'eager' ? [] : session.records);
    const left = mode === 'eager' ? [] : session.manifests.filter((it) => mayHoldReferences(it.text));
    const manifests = pathsOf(left);
    // They need no value; who writes the manifests with values elsewhere wants them there, too.
    const others = pathsOf(session.manifests).filter((file) => !manifests.includes(file));
    if (journal === undefined || (audited === 'alone' && manifests.length === 0)) return;
    const line = { outdir: path.resolve(outdir), mode, manifests, others, audit };
    fs.writeSync(journal, `${JSON.stringify(line)}\n`);
  } finally {
    if (journal !== undefined) fs.closeSync(journal);
  }
}

/** Records manifests that an app asked for without files. Where the app writes them is not known; `returned` says what they hold. */
export function recordReturned(session: Session, outdir: string, text: string, env: NodeJS.ProcessEnv): void {
  if (env.HANGAR_SYNTHESIZED === undefined) return;
  const journal = opened(env.HANGAR_SYNTHESIZED);
  const mode = session.modes.texts;
  const returned = !mayHoldReferences(text) ? null : mode === 'eager' ? 'values' : 'references';
  const line = { outdir: path.resolve(outdir), mode, manifests: [], others: [], audit: null, returned };
  try {
    fs.writeSync(journal, `${JSON.stringify(line)}\n`);
  } finally {
    fs.closeSync(journal);
  }
}

/** The files of manifests, each once. */
function pathsOf(manifests: readonly { readonly file: string }[]): string[] {
  return [...new Set(manifests.map((it) => path.resolve(it.file)))].sort();
}

/** Opened before anything is written: a program that waits for a line would take none for an app without manifests. */
function opened(file: string): number {
  try {
    return fs.openSync(file, 'a');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HangarError(`hangar: cannot write to ${file} (from HANGAR_SYNTHESIZED): ${why}`);
  }
}
