// The package for programs in other languages: what `python/hangar_cdk8s/_jsii/package/.jsii` names, over the same hook.

import { installPackage } from './package';
import { AwsCdkResolver as AwsCdk, CdkTfTokenResolver as CdkTf, HangarResolver as Hangar } from './resolver';
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
