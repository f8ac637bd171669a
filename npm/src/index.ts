// What a program may use of this package.

export type { AuditRecord } from './audit';
export type { Mode } from './eager';
export { TokenError, UnresolvedTokensError } from './problem';
export type { Problem } from './problem';
export { AwsCdkResolver, CdktfResolver, HangarResolver } from './resolver';
export type { HangarResolverOptions } from './resolver';
