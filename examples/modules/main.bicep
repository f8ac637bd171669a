// An app with two modules. Neither module depends on the other, so Hangar deploys them in parallel.
//
//   hangar lint examples/modules/*.bicep
//   hangar deploy examples/modules/main.bicep
//   hangar deploy examples/modules/large.bicepparam
extension aws
import { sizeOf, tagsOf } from 'shared.bicep'

@minLength(1)
@maxLength(20)
param name string = 'shop'

param size sizeOf = 'small'

var settings = {
  small: { zones: 1, days: 1 }
  large: { zones: 3, days: 14 }
}
var chosen = settings[size]
var tags = tagsOf(name, size)

module network 'network.bicep' = {
  params: {
    name: name
    cidr: '10.0.0.0/16'
    zones: chosen.zones
    tags: tags
  }
}

module storage 'storage.bicep' = {
  params: {
    name: name
    days: chosen.days
    tags: tags
  }
}

// Depends only on the VPC of the network module.
resource inside 'AWS.EC2/SecurityGroup@default' = {
  alias: '${name}-inside'
  properties: {
    GroupDescription: 'Workloads of ${name}'
    VpcId: network.outputs.vpcId
    Tags: tags
  }
}

output vpcId string = network.outputs.vpcId
output subnetIds array = network.outputs.subnetIds
output bucket string = storage.outputs.bucket
