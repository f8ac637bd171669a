using './main.bicep'
extends 'shared.bicepparam'
import { regions } from 'shared.bicep'
extensionConfig k8s with {
  namespace: 'default'
}
type local = string
var prefix = 'app'
@description('how many')
param count = 3
param name = '${prefix}-${readEnvironmentVariable('STAGE', 'dev')}'
param list = [for region in regions: {
  region: region
}]
