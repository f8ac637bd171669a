// Only compiled: the spellings of RFC 002 of cdk8s have types, and what would be ignored at run time has none.
import * as k8s from 'cdk8s';
import { App, AwsCdkOutputResolver, AwsCdkResolver, CdkTfTokenResolver, Chart, Cron, ValueResolver } from 'hangar-cdk8s';
import type { IValueResolver, ResolutionContext } from 'hangar-cdk8s';

export class MyCustomResolver implements IValueResolver {

  public resolve(context: ResolutionContext, value: any): any {
    return context.key.join('.') === 'spec.type' && context.obj.kind === 'Service' ? 'ClusterIP' : value;
  }

}
class Final extends ValueResolver {
  finalize(context: ResolutionContext, value: any): any {
    return [context.key, value];
  }
}
class CdkStyle implements k8s.IResolver {
  resolve(context: k8s.ResolutionContext): void {
    context.replaceValue(1);
  }
}

const app = new App({ resolver: new MyCustomResolver(), resolvers: [new CdkStyle(), new MyCustomResolver()], outdir: 'dist' });
new Chart(app, 'Chart', { resolver: new MyCustomResolver(), namespace: 'a' });
new Chart(app, 'Style', { resolver: new CdkStyle() });

const k8sApp = new k8s.App({ resolver: new AwsCdkResolver() });
new k8s.App({ resolver: new AwsCdkOutputResolver({ mode: 'eager' }), resolvers: [new AwsCdkResolver()] });
const stack = {};
const resolver = new CdkTfTokenResolver(stack);
new k8s.Chart(k8sApp, 'Manifest', { resolver });
new k8s.Chart(k8sApp, 'Final', { resolver: new Final() });
Cron.daily();

// A class that loads nothing of the package compiles only with the classes of the package.
// @ts-expect-error
new k8s.App({ resolver: new MyCustomResolver() });
// @ts-expect-error
new k8s.Chart(k8sApp, 'Ignored', { resolver: new MyCustomResolver() });
// @ts-expect-error
new App({ resolver: 'mine' });
