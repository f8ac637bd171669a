// What keeps a manifest from being written, told so that it can be mended.

import { format } from 'node:util';

/** A value that cannot become a reference. */
export class TokenError extends Error {
  constructor(
    readonly what: string,
    readonly hint: string,
  ) {
    super(`${what} (${hint})`);
    this.name = 'TokenError';
    keep(this);
  }
}

let latest: TokenError | UnresolvedTokensError | undefined;

function keep(error: TokenError | UnresolvedTokensError): void {
  latest = error;
}

/** The error that was made last: languages that get only the message of an error ask for the rest. */
export function latestError(): TokenError | UnresolvedTokensError | undefined {
  return latest;
}

/** What the program or its environment is to blame for, and not the app; the message says it all. */
export class HangarError extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, 'name', { value: 'HangarError' });
    tell(this);
  }
}

/** The same as a token's error, with its place. */
export interface Problem {
  /** `CronJob report`. */
  readonly object: string;
  /** A JSON pointer into the object. */
  readonly pointer: string;
  /** The `name` of the item of a list that the place is in, as of a variable of a container. */
  readonly item?: string;
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
    keep(this);
    tell(this);
  }

  private static told(problems: readonly Problem[]): string {
    const count = problems.length === 1 ? '1 value' : `${problems.length} values`;
    const construct = (it: Problem): string => (it.path === '' ? '' : `    construct: ${it.path}\n`);
    const item = (it: Problem): string => (it.item === undefined ? '' : ` (${it.item})`);
    const lines = problems.map((it) => `  ${it.object}, ${it.pointer}${item(it)}: ${it.what}\n${construct(it)}    hint: ${it.hint}`);
    return `hangar: ${count} cannot be written; no manifest is written\n${lines.join('\n')}`;
  }
}

/** Any error as one with a hint. */
export function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TokenError(`its token cannot be resolved: ${message}`, 'check whether the stack itself synthesizes');
}

let isHooked = false;

/** Under the hook nobody has asked for our errors: from now on each is told by its message, whatever the app does with it. */
export function tellFromNowOn(): void {
  isHooked = true;
}

/** Is called where an error is made. To catch and throw it again would show our files as the place of other errors. */
function tell(error: Error): void {
  if (!isHooked) return;
  // A program in another language has the error thrown there, and prints it.
  if (process.env.JSII_AGENT === undefined) failAtExit(error);
  if (process.listenerCount('uncaughtException') > 0) return;
  // The way to the error leads through code that its reader does not have.
  process.once('uncaughtException', (uncaught: unknown) => {
    const isOurs = uncaught instanceof UnresolvedTokensError || uncaught instanceof HangarError;
    const text = isOurs ? uncaught.message : format(uncaught);
    process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
    process.exit(1);
  });
}

const failed = new WeakSet<Error>();

/** An app that catches an error and goes on would end as if its manifests were written. */
export function failAtExit(error: Error): void {
  if (failed.has(error)) return;
  failed.add(error);
  const [first = ''] = error.message.split('\n');
  let isPrinted = false;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      isPrinted ||= typeof args[0] === 'string' && args[0].includes(first);
      return write(...args);
    };
  }
  process.on('exit', () => {
    if (!isPrinted) process.stderr.write(error.message.endsWith('\n') ? error.message : `${error.message}\n`);
    if (process.exitCode === undefined || process.exitCode === 0) process.exitCode = 1;
  });
}
