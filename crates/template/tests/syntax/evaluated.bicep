metadata author = 'test'
targetScope = 'resourceGroup'
extension aws
extension aws with { region: 'eu-west-1', account: '123456789012' } as ireland
import kubernetes as kubernetes

@description('what it is called')
@minLength(1)
@maxLength(20)
param name string = 'net-${uniqueString(resourceGroup().id)}'
@allowed(['dev', 'prod'])
param stage string = 'dev'
param count int = 3
param zones string[] = ['a', 'b', 'c']
param size ('small' | 'large')? = 'small'
@secure()
param password string = newGuid()
param stamp string = utcNow('yyyy-MM-dd')

var isProd = stage == 'prod'
var tags = { Stage: stage, Size: size ?? 'none', ...(isProd ? { Guard: 'on' } : {}) }
var list = [for (key, i) in items(tags): { Key: key.key, Value: '${key.value}-${i}' }]
var cidrs = map(range(0, count), i => cidrSubnet('10.0.0.0/16', 24, i))
var total = reduce(range(0, 5), 0, (sum, x) => sum + x)
var ids = [vpc.properties.VpcId, ...map(subnets, s => s.properties.SubnetId)]

resource vpc 'AWS.EC2/VPC@default' = {
  alias: '${name}-vpc'
  properties: {
    CidrBlock: '10.0.0.0/16'
    Tags: list
  }

  resource gateway 'AWS.EC2/InternetGateway@default' = {
    alias: '${vpc.alias}-gateway'
    properties: { Tags: concat(list, [{ Key: 'vpc', Value: vpc.properties.VpcId }]) }
  }
}

@batchSize(2)
resource subnets 'AWS.EC2/Subnet@default' = [for (zone, i) in zones: if (i < count) {
  alias: '${name}-${zone}'
  properties: {
    VpcId: vpc.properties.VpcId
    CidrBlock: cidrs[i]
    AvailabilityZone: '${aws.region()}${zone}'
    MapPublicIpOnLaunch: isProd ? true : null
  }
  dependsOn: [vpc::gateway]
}]

resource database 'AWS.RDS/DBInstance@default' = if (!isProd) {
  alias: 'db'
  properties: {
    MasterUserPassword: password
    Engine: 'postgres'
    DBSubnetGroupName: subnets[0].properties.SubnetId
    AllocatedStorage: string(total * 10)
  }
}

@nullIfNotFound()
resource logs 'ireland:AWS.S3/Bucket@default' existing = {
  name: '${name}-logs'
}

resource copy 'ireland:AWS.S3/Bucket@default' = {
  alias: 'copy'
  properties: {
    BucketName: toLower('${database.?properties.Engine ?? 'none'}-${logs.?properties.BucketName ?? stamp}')
    Rules: [for id in ids: { Id: id, Region: ireland.region() }]
  }
}

output vpcId string = vpc.properties.VpcId
output subnetIds array = [for (zone, i) in zones: subnets[i].properties.SubnetId]
output first string? = subnets[?0].?properties.SubnetId
@secure()
output secret string = database.properties.MasterUserPassword
output sum int = total > 9 && !isProd ? total : -total
