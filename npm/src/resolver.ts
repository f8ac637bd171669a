// Resolvers that an app gives to cdk8s itself, in place of `hangar run`.

import type { IResolver, ResolutionContext } from 'cdk8s';

import { referenceFor } from './convert';
import type { Mode } from './eager';
import { offered } from './install';
import { installPackage } from './package';
import { IS_HANGAR, ValueResolver } from './value-resolver';

export interface HangarResolverOptions {
  /** When values are looked up; the default is `HANGAR_MODE`, then the default of the class. */
  readonly mode?: Mode;
}

/** Writes references instead of the tokens of the AWS CDK, CDKTF and CDK Terrain. */
export class HangarResolver extends ValueResolver implements IResolver {
  readonly mode: Mode | undefined;
  /** The mode if neither the options nor the environment set one. */
  readonly defaultMode: Mode = 'defer';

  constructor(options: HangarResolverOptions = {}) {
    super();
    // Another copy may have been loaded since.
    installPackage();
    this.mode = options.mode;
    Object.defineProperty(this, IS_HANGAR, { value: true });
  }

  /** Returns the reference for a value that holds tokens. cdk8s calls it without a value, and takes it from the context. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the signature of the RFC
  override resolve(context: ResolutionContext, ...given: [value?: any]): any {
    if (given.length === 0) offered(context);
    else return referenceFor(given[0]);
  }
}
// eslint-disable-next-line @typescript-eslint/unbound-method -- only marked
Object.defineProperty(HangarResolver.prototype.resolve, IS_HANGAR, { value: true });

/** Writes values of deployed AWS CDK stacks. Outputs are not required. */
export class AwsCdkResolver extends HangarResolver {
  override readonly defaultMode: Mode = 'eager';
}

/** Writes values of CDKTF and CDK Terrain states. */
export class CdkTfTokenResolver extends HangarResolver {
  override readonly defaultMode: Mode = 'eager';

  /** The stack, which the RFC passes, is not used: each token names its stack. */
  constructor(_stack?: object, options: HangarResolverOptions = {}) {
    super(options);
  }
}

/** Replaces the class with this name in `@cdk8s/cdktf-resolver`. The app is not used: each token names its stack. */
export class CdktfResolver extends HangarResolver {
  override readonly defaultMode: Mode = 'eager';

  constructor(props: HangarResolverOptions & { readonly app?: unknown } = {}) {
    super(props);
  }
}
