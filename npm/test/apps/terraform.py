import os

import cdk8s
from cdktf import App, DataResource, Fn, LocalBackend, TerraformStack, Token

os.makedirs('out', exist_ok=True)
app = App(outdir='out/cdktf.out')
stacks = [TerraformStack(app, name) for name in ('storage', 'compute')]
for stack in stacks:
    LocalBackend(stack, path=os.path.abspath(f'out/{stack.node.id}.tfstate'))
bucket = DataResource(stacks[0], 'Bucket', input={'name': 'example-bucket', 'port': 5432, 'zones': ['a', 'b']})
other = DataResource(stacks[1], 'Bucket', input={'name': 'other'})

k8s_app = cdk8s.App(outdir='out/dist')
chart = cdk8s.Chart(k8s_app, 'Manifest')
patched = cdk8s.ApiObject(chart, 'Cm', api_version='v1', kind='ConfigMap')
patched.add_json_patch(cdk8s.JsonPatch.add('/data', {
    'ID': bucket.id,
    'NAME': Fn.upper(Fn.lookup(bucket.output, 'name', '')),
    'OTHER': other.id,
    'ZONES': Fn.join(',', Token.as_list(Fn.lookup(bucket.output, 'zones', ''))),
}))
app.synth()
k8s_app.synth()
