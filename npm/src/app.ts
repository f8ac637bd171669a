// App and Chart with `resolver`, as RFC 002 of cdk8s has them.

import * as k8s from 'cdk8s';

import { attach } from './value-resolver';
import type { IValueResolver, ValueResolver } from './value-resolver';

export interface AppProps extends Omit<k8s.AppProps, 'resolver' | 'resolvers'> {
  /** Replaces values of all charts, after the resolvers of the charts. */
  readonly resolver?: IValueResolver | k8s.IResolver;
  /** Resolvers of cdk8s, which are called first, and value resolvers. */
  readonly resolvers?: (IValueResolver | k8s.IResolver)[];
}

export interface ChartProps extends Omit<k8s.ChartProps, 'resolver'> {
  /** Replaces values of the objects of this chart. */
  readonly resolver?: IValueResolver | k8s.IResolver;
}

/** The app of cdk8s, with `resolver`. */
export class App extends k8s.App {
  constructor(props: AppProps = {}) {
    super(props as k8s.AppProps);
    attach(this, 'App', props.resolver);
  }
}

/** The chart of cdk8s, with `resolver`. */
export class Chart extends k8s.Chart {
  constructor(scope: ConstructorParameters<typeof k8s.Chart>[0], id: string, props: ChartProps = {}) {
    super(scope, id, props as k8s.ChartProps);
    attach(this, 'Chart', props.resolver);
  }
}

// Only classes of this package, because others compile without loading it, and cdk8s by itself would ignore them.
declare module 'cdk8s/lib/app' {
  interface AppProps {
    /** Replaces values of all charts (hangar-cdk8s). */
    readonly resolver?: ValueResolver;
  }
}
declare module 'cdk8s/lib/chart' {
  interface ChartProps {
    /** Replaces values of the objects of this chart (hangar-cdk8s). */
    readonly resolver?: ValueResolver;
  }
}
