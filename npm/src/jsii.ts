// The package for programs in other languages: what `python/hangar_cdk8s/_jsii/package/.jsii` names, over the same hook.

import { installPackage } from './package';
import { latestError, UnresolvedTokensError } from './problem';
import { AwsCdkResolver as AwsCdk, CdktfResolver as Cdktf, CdkTfTokenResolver as CdkTf, HangarResolver as Hangar } from './resolver';
import type { HangarResolverOptions } from './resolver';
import { attach } from './value-resolver';

installPackage();

export class HangarResolver extends Hangar {
  constructor(mode?: string) {
    super(optionsOf(mode));
  }
}

export class AwsCdkResolver extends AwsCdk {
  constructor(mode?: string) {
    super(optionsOf(mode));
  }
}

export class CdkTfTokenResolver extends CdkTf {
  constructor(mode?: string) {
    super(undefined, optionsOf(mode));
  }
}

export class CdktfResolver extends Cdktf {
  constructor(mode?: string) {
    super(optionsOf(mode));
  }
}

/** For exceptions of another language, which gets only the message. */
export const Errors = {
  /** The parts of the error with this message, before which jsii may have written a name; nothing for an error of another kind. */
  details(shown: string): object | undefined {
    const error = latestError();
    if (error === undefined || !shown.endsWith(error.message)) return undefined;
    const { message } = error;
    return error instanceof UnresolvedTokensError ? { message, problems: error.problems } : { message, what: error.what, hint: error.hint };
  },
};

/** For the classes of another language, which drop what cdk8s has no property for. */
export const Properties = {
  attach(construct: object, owner: 'App' | 'Chart', resolver?: object): void {
    attach(construct, owner, resolver);
  },
};

/** Every mode is checked when it is used. */
function optionsOf(mode: string | undefined): HangarResolverOptions {
  return mode === undefined ? {} : { mode: mode as 'defer' | 'eager' };
}
