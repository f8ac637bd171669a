// Resolvers for `new App({ resolvers: [...] })`, for who would rather change one line than set an environment variable.

import type { IResolver, ResolutionContext } from 'cdk8s';

import type { Mode } from './eager';
import { install, IS_HANGAR, offered } from './install';
import type { Cdk8s } from './install';

export interface HangarResolverOptions {
  /** When values are looked up; `HANGAR_MODE` where it is left out, else `defer`. */
  readonly mode?: Mode;
}

/** Writes references in place of the tokens of the AWS CDK, CDKTF and CDK Terrain. */
export class HangarResolver implements IResolver {
  readonly mode: Mode | undefined;

  constructor(options: HangarResolverOptions = {}) {
    this.mode = options.mode;
    Object.defineProperty(this, IS_HANGAR, { value: true });
    for (const cdk8s of copies()) install(cdk8s);
  }

  resolve(context: ResolutionContext): void {
    offered(context);
  }
}

/** In the place of the class of that name in `@cdk8s/awscdk-resolver`. No output need be declared. */
export class AwsCdkResolver extends HangarResolver {}

/** In the place of the class of that name in `@cdk8s/cdktf-resolver`. The app is not needed: its tokens know it. */
export class CdktfResolver extends HangarResolver {
  constructor(props: HangarResolverOptions & { readonly app?: unknown } = {}) {
    super(props);
  }
}

/** Every copy of cdk8s that is loaded, else the one beside this package. */
function copies(): Cdk8s[] {
  const index = /[\\/]cdk8s[\\/]lib[\\/]index\.js$/;
  const loaded = Object.entries(require.cache).filter(([file]) => index.test(file));
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- only where the app has not loaded it yet
  if (loaded.length === 0) return [require('cdk8s') as Cdk8s];
  return loaded.map(([, module]) => module?.exports as Cdk8s);
}
