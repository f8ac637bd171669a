// What keeps a manifest from being written, told so that it can be mended.

/** A value that cannot become a reference. */
export class TokenError extends Error {
  constructor(
    readonly what: string,
    readonly hint: string,
  ) {
    super(`${what} (${hint})`);
    this.name = 'TokenError';
  }
}

/** The same, with its place. */
export interface Problem {
  /** `CronJob report`. */
  readonly object: string;
  /** A JSON pointer into the object. */
  readonly pointer: string;
  /** The construct that writes the object; nothing where a program wrote it without one. */
  readonly path: string;
  readonly what: string;
  readonly hint: string;
}

/** All that is wrong with an app's manifests; none was written. */
export class UnresolvedTokensError extends Error {
  declare readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(UnresolvedTokensError.told(problems));
    // The message says it all; node prints what can be enumerated of an error once more.
    Object.defineProperty(this, 'name', { value: 'UnresolvedTokensError' });
    Object.defineProperty(this, 'problems', { value: problems });
  }

  private static told(problems: readonly Problem[]): string {
    const count = problems.length === 1 ? 'a value' : `${problems.length} values`;
    const construct = (it: Problem): string => (it.path === '' ? '' : `    construct: ${it.path}\n`);
    const lines = problems.map((it) => `  ${it.object}, ${it.pointer}: ${it.what}\n${construct(it)}    hint: ${it.hint}`);
    return `hangar: ${count} cannot be written, so that no manifest is\n${lines.join('\n')}`;
  }
}

/** Any error as one with a hint. */
export function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TokenError(`its token cannot be resolved: ${message}`, 'see whether the stack itself synthesizes');
}
