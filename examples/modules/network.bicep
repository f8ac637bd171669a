// A network: a VPC with one subnet in each zone.
extension aws
import { tag } from 'shared.bicep'

@description('Prefix of all aliases.')
param name string

param cidr string

@minValue(1)
@maxValue(3)
param zones int = 2

param tags tag[] = []

resource vpc 'AWS.EC2/VPC@default' = {
  alias: name
  properties: {
    CidrBlock: cidr
    EnableDnsHostnames: true
    Tags: tags
  }
}

resource subnets 'AWS.EC2/Subnet@default' = [
  for i in range(0, zones): {
    alias: '${name}-${i}'
    properties: {
      VpcId: vpc.properties.VpcId
      CidrBlock: cidrSubnet(cidr, 24, i)
      AvailabilityZone: aws.availabilityZones(zones)[i]
      Tags: tags
    }
  }
]

output vpcId string = vpc.properties.VpcId
output subnetIds array = map(range(0, zones), i => subnets[i].properties.SubnetId)
