# The same as own.js in Python: CASE says which resolvers the app and its chart have.
import os

import cdk8s as k8s
import cdktf
import jsii
from hangar_cdk8s import App, AwsCdkResolver, CdktfResolver, CdkTfTokenResolver, Chart, HangarResolver, TokenError, UnresolvedTokensError, ValueResolver


class Upper:
    def resolve(self, context, value):
        assert context.value == value
        print(context.obj.kind, context.key, repr(value))
        return f'{value}!' if context.key == ['spec', 'type'] else None


class Structure(ValueResolver):
    def resolve(self, context, value):
        return {'a': [1, {'b': True}]} if context.key == ['spec', 'type'] else value


class Final(ValueResolver):
    def finalize(self, context, value):
        return f'{value} final' if context.key == ['spec', 'id'] else value


@jsii.implements(k8s.IResolver)
class CdkStyle:
    def resolve(self, context):
        if context.value == 'LoadBalancer':
            context.replace_value('ClusterIP')


class Lower(ValueResolver):
    def resolve(self, context, value):
        return value.lower() if context.key == ['spec', 'id'] else value


class Calling(ValueResolver):
    def resolve(self, context, value):
        if context.key != ['spec', 'id']:
            return value
        try:
            HangarResolver().resolve(context, str(value).lower())
        except TokenError as error:
            print('TokenError', error.what, '/', error.hint)
        return HangarResolver().resolve(context, f'https://{value}')


stack = cdktf.TerraformStack(cdktf.App(outdir='.'), 'storage')
bucket = cdktf.DataResource(stack, 'Bucket')
cases = {
    'none': lambda: ({}, {}),
    'app': lambda: ({'resolver': Upper()}, {}),
    'chart': lambda: ({}, {'resolver': Upper()}),
    'structure': lambda: ({'resolver': Structure()}, {}),
    'cdkStyle': lambda: ({'resolver': CdkStyle()}, {}),
    'list': lambda: ({'resolvers': [CdkStyle(), HangarResolver()], 'resolver': Upper()}, {}),
    'aws': lambda: ({'resolver': AwsCdkResolver()}, {}),
    'tf': lambda: ({}, {'resolver': CdkTfTokenResolver(stack)}),
    'cdktf': lambda: ({'resolvers': [CdktfResolver(app=stack.node.root)]}, {}),
    'calling': lambda: ({'resolver': Calling()}, {}),
    'lower': lambda: ({'resolver': Lower()}, {}),
    'final': lambda: ({'resolver': AwsCdkResolver()}, {'resolver': Final()}),
    'finalAlone': lambda: ({'resolver': Final()}, {}),
    'wrong': lambda: ({'resolver': 'mine'}, {}),
}
app_props, chart_props = cases[os.environ['CASE']]()
app = App(outdir='dist', **app_props)
service = k8s.ApiObject(Chart(app, 'Manifest', **chart_props), 'Service', api_version='v1', kind='Service')
service.add_json_patch(k8s.JsonPatch.add('/spec', {'id': bucket.id, 'type': 'LoadBalancer'}))
other = k8s.ApiObject(k8s.Chart(app, 'Other'), 'Service', api_version='v1', kind='Service')
other.add_json_patch(k8s.JsonPatch.add('/spec', {'type': 'LoadBalancer'}))
try:
    app.synth()
except UnresolvedTokensError as error:
    print('UnresolvedTokensError', [(it.object, it.pointer, it.what) for it in error.problems])
    raise
