// What is written: texts with references or with values, and with what resolvers of the app make of the final values.

import { mayHoldReferences } from './audit';
import { deployingCli, exact, resolvedObjects, resolvedTexts } from './eager';
import type { Mode } from './eager';
import { HangarError } from './problem';
import type { Manifest, Session } from './session';
import { isObject } from './tree';

/** Manifests as they are written. */
export function finalTexts(session: Session, mode: Mode, manifests: readonly Manifest[], env: NodeJS.ProcessEnv): Manifest[] {
  const finalized = manifests.map((it) => withFinalizers(session, mode, it.documents, env));
  if (mode === 'defer') {
    return manifests.map((it, at) => (finalized[at] === true ? rewritten(session, it, finalizedDocuments(session, it.documents)) : it));
  }
  // Everything is looked up by one call.
  const asked = manifests.filter((it, at) => finalized[at] !== true && mayHoldReferences(it.text));
  const documents = manifests.flatMap((it, at) => (finalized[at] === true ? it.documents.filter(holdsReferences) : []));
  const answers = resolvedTexts([...asked, ...documents.map(asJson)], env);
  const texts = new Map(asked.map((it, at) => [it, answers[at]]));
  const values = new Map(documents.map((it, at) => [it, parsed(answers[asked.length + at] ?? '')]));
  return manifests.map((it, at) => {
    if (finalized[at] !== true) return { ...it, text: texts.get(it) ?? it.text };
    return rewritten(session, it, finalizedDocuments(session, it.documents, values));
  });
}

/** The same for JSON that an app asks for by itself. */
export function finalObjects(session: Session, documents: readonly unknown[], env: NodeJS.ProcessEnv): unknown[] {
  const mode = session.modes.texts;
  const isFinalized = withFinalizers(session, mode, documents, env);
  const asked = mode === 'eager' ? documents.filter(holdsReferences) : [];
  const answers = resolvedObjects(asked, asked.map(nameOf), env);
  const values = new Map(asked.map((it, at) => [it, answers[at]]));
  if (isFinalized) return finalizedDocuments(session, documents, values);
  return documents.map((it) => (values.has(it) ? values.get(it) : it));
}

/** Whether resolvers of the app want to see final values of documents, and can. */
function withFinalizers(session: Session, mode: Mode, documents: readonly unknown[], env: NodeJS.ProcessEnv): boolean {
  const wanted = documents.filter((it) => isFinalized(session, it));
  const unknown = mode === 'eager' ? [] : wanted.filter(holdsReferences);
  if (unknown.length === 0) return wanted.length > 0;
  const names = [...new Set(unknown.map(nameOf))].sort().join(', ');
  const cli = deployingCli(env);
  if (cli !== undefined) {
    process.stderr.write(`hangar: \`finalize\` is not called for ${names}: under ${cli}, references are written instead of values\n`);
    return false;
  }
  const why = 'its values are inserted after the app ends';
  const hint = 'run the app with `hangar run --eager`, or with HANGAR_MODE=eager';
  throw new HangarError(`hangar: \`finalize\` of a resolver cannot be called for ${names}: ${why}; no manifest is written\n  hint: ${hint}`);
}

function isFinalized(session: Session, document: unknown): boolean {
  const object = session.objectOf(document);
  return object !== undefined && session.library.resolvers.isFinalized(object);
}

function finalizedDocuments(session: Session, documents: readonly unknown[], values = new Map<unknown, unknown>()): unknown[] {
  return documents.map((document) => {
    const value = values.has(document) ? values.get(document) : document;
    const object = session.objectOf(document);
    if (object === undefined) return value;
    return session.library.resolvers.finalized(object, value);
  });
}

function rewritten(session: Session, manifest: Manifest, documents: readonly unknown[]): Manifest {
  return { ...manifest, text: session.library.stringify(documents) };
}

function holdsReferences(document: unknown): boolean {
  return document !== undefined && mayHoldReferences(JSON.stringify(document));
}

function asJson(document: unknown): { file: string; text: string } {
  return { file: `${nameOf(document)}.json`, text: JSON.stringify(document) };
}

function parsed(text: string): unknown {
  return exact(JSON.parse(text));
}

/** `ConfigMap settings`. */
function nameOf(document: unknown): string {
  const { kind, metadata } = isObject(document) ? document : {};
  const name = isObject(metadata) ? metadata.name : undefined;
  return `${typeof kind === 'string' ? kind : 'document'} ${typeof name === 'string' ? name : ''}`;
}
