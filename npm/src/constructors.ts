// App and Chart of cdk8s, so that the properties which they are constructed with are seen: cdk8s itself drops `resolver`.

import * as path from 'node:path';

import { observe } from './value-resolver';

type Constructor = abstract new (...args: unknown[]) => object;
type Exports = Record<string, unknown>;

/** Replaces both classes in the modules of one copy of cdk8s, whose index has just been loaded. */
export function installConstructors(index: string): void {
  const folder = path.dirname(index);
  replaceClass(require.cache[path.join(folder, 'app.js')]?.exports as Exports | undefined, 'App', 0);
  replaceClass(require.cache[path.join(folder, 'chart.js')]?.exports as Exports | undefined, 'Chart', 2);
}

/** The index of cdk8s passes on what its modules export at the time of use. */
function replaceClass(module: Exports | undefined, name: 'App' | 'Chart', argument: number): void {
  const original = module?.[name];
  if (module === undefined || typeof original !== 'function') return;
  module[name] = new Proxy(original as unknown as Constructor, {
    construct(target, args: unknown[], newTarget) {
      const construct = Reflect.construct(target, args, newTarget as Constructor) as object;
      observe(construct, (args[argument] as { resolver?: unknown } | undefined)?.resolver);
      return construct;
    },
  });
}
