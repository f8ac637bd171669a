// All of cdk8s, with `resolver` for App and Chart, and the resolvers of Hangar.

import 'cdk8s';

import { installPackage } from './package';

installPackage();

export * from 'cdk8s';
export { App, Chart } from './app';
export type { AppProps, ChartProps } from './app';
export type { AuditRecord } from './audit';
export type { Mode } from './eager';
export { TokenError, UnresolvedTokensError } from './problem';
export type { Problem } from './problem';
export {
  AwsCdkResolver,
  // The other names that the RFC has for them.
  AwsCdkResolver as AwsCdkOutputResolver,
  AwsCdkResolver as AwsCdkTokenResolver,
  CdkTfTokenResolver,
  CdkTfTokenResolver as CdkTfResolver,
  CdktfResolver,
  HangarResolver,
} from './resolver';
export type { HangarResolverOptions } from './resolver';
export { ValueResolver } from './value-resolver';
export type { IValueResolver } from './value-resolver';
