// A network: a VPC, a public and a private subnet in each zone, an internet gateway and the routes to it.
//
//   hangar deploy examples/network/main.bicep
//   hangar deploy examples/network/main.bicep -p zones='["us-east-1a", "us-east-1b", "us-east-1c"]'
//   hangar plan examples/network/main.bicep --params examples/network/prod.bicepparam
//
// If you deploy it again, nothing changes. If you change a tag, only that tag is updated. No AWS account is needed:
// without `--aws real`, Hangar uses the built-in simulator.
extension aws

@description('Prefix of all resource names. Each network in a group needs a different prefix.')
@minLength(1)
@maxLength(20)
param name string = 'net'

@description('IPv4 range of the network.')
param cidr string = '10.0.0.0/16'

@description('Availability zones. Each gets a public and a private subnet.')
@minLength(1)
param zones array = ['us-east-1a', 'us-east-1b']

@description('Whether hosts get DNS names.')
param dns bool = true

var tags = [{ Key: 'app', Value: name }]

resource vpc 'AWS.EC2/VPC@default' = {
  alias: '${name}-vpc'
  properties: {
    CidrBlock: cidr
    EnableDnsSupport: dns
    EnableDnsHostnames: dns
    Tags: concat(tags, [{ Key: 'Name', Value: name }])
  }
}

resource gateway 'AWS.EC2/InternetGateway@default' = {
  alias: '${name}-gateway'
  properties: {
    Tags: tags
  }
}

resource attachment 'AWS.EC2/VPCGatewayAttachment@default' = {
  alias: '${name}-attachment'
  properties: {
    VpcId: vpc.properties.VpcId
    InternetGatewayId: gateway.properties.InternetGatewayId
  }
}

resource public 'AWS.EC2/Subnet@default' = [
  for (zone, i) in zones: {
    alias: '${name}-public-${zone}'
    properties: {
      VpcId: vpc.properties.VpcId
      CidrBlock: cidrSubnet(cidr, 24, i)
      AvailabilityZone: zone
      MapPublicIpOnLaunch: true
      Tags: concat(tags, [{ Key: 'Name', Value: '${name}-public-${zone}' }])
    }
  }
]

resource private 'AWS.EC2/Subnet@default' = [
  for (zone, i) in zones: {
    alias: '${name}-private-${zone}'
    properties: {
      VpcId: vpc.properties.VpcId
      CidrBlock: cidrSubnet(cidr, 24, i + 100)
      AvailabilityZone: zone
      Tags: concat(tags, [{ Key: 'Name', Value: '${name}-private-${zone}' }])
    }
  }
]

resource publicRoutes 'AWS.EC2/RouteTable@default' = {
  alias: '${name}-public'
  properties: {
    VpcId: vpc.properties.VpcId
    Tags: tags
  }
}

resource privateRoutes 'AWS.EC2/RouteTable@default' = [
  for zone in zones: {
    alias: '${name}-private-${zone}'
    properties: {
      VpcId: vpc.properties.VpcId
      Tags: tags
    }
  }
]

resource toInternet 'AWS.EC2/Route@default' = {
  alias: '${name}-to-internet'
  properties: {
    RouteTableId: publicRoutes.properties.RouteTableId
    DestinationCidrBlock: '0.0.0.0/0'
    GatewayId: gateway.properties.InternetGatewayId
  }
  // AWS accepts a route to a gateway only after the gateway is attached to the VPC.
  dependsOn: [attachment]
}

resource publicAssociations 'AWS.EC2/SubnetRouteTableAssociation@default' = [
  for (zone, i) in zones: {
    alias: '${name}-public-${zone}'
    properties: {
      SubnetId: public[i].properties.SubnetId
      RouteTableId: publicRoutes.properties.RouteTableId
    }
  }
]

resource privateAssociations 'AWS.EC2/SubnetRouteTableAssociation@default' = [
  for (zone, i) in zones: {
    alias: '${name}-private-${zone}'
    properties: {
      SubnetId: private[i].properties.SubnetId
      RouteTableId: privateRoutes[i].properties.RouteTableId
    }
  }
]

output vpcId string = vpc.properties.VpcId
output publicSubnetIds array = [for (zone, i) in zones: public[i].properties.SubnetId]
output privateSubnetIds array = [for (zone, i) in zones: private[i].properties.SubnetId]
