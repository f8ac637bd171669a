// Every form that a template of AWS takes when it is compiled: app.json beside it is what `hangar build` prints.
metadata owner = 'the tests'

import { Tags, tagged as withTags } from 'shared.bicep'
import * as shared from 'shared.bicep'

extension aws
extension aws with { region: region } as ireland

@description('Where the copies go.')
param region string = 'eu-west-1'

@minLength(1)
param zones string[] = ['a', 'b']

@secure()
param password string

@allowed(['small', 'large'])
param size string = 'small'

param tags Tags?

type Rule = {
  @minValue(1)
  port: int
  open: bool?
}

param rules Rule[] = []

var prefix = '${shared.name}-${size}'
var cidrs = [for (zone, i) in zones: '10.0.${i}.0/24']
var arn = files.properties.Arn
var bracket = '[not an expression]'
var merged = { ...shared.defaults, size: size }
var all = [...zones, 'z']

func isLarge(size string) bool => size == 'large'

resource vpc 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: '10.0.0.0/16'
    Tags: withTags(prefix, tags ?? {})
  }
}

@batchSize(1)
resource subnets 'AWS.EC2/Subnet@default' = [for (zone, i) in zones: {
  alias: 'net-${zone}'
  properties: {
    VpcId: vpc.properties.VpcId
    CidrBlock: cidrs[i]
    Tags: [for tag in shared.pairs: {
      Key: tag.Key
      Value: '${tag.Value}-${i}'
    }]
  }
}]

resource files 'AWS.S3/Bucket@default' = {
  alias: 'files'
  properties: {
    BucketName: toLower('${prefix}-files')
    Tags: [{ Key: '${prefix}-${bracket}', Value: all[^1] }]
  }
}

resource copies 'ireland:AWS.S3/Bucket@default' = if (isLarge(size)) {
  alias: 'copies'
  properties: { BucketName: '${prefix}-copies' }
  dependsOn: [files]
}

resource known 'AWS.S3/Bucket@default' existing = {
  name: 'known-bucket'
}

module net 'net.bicep' = [for zone in zones: {
  name: 'net-${zone}'
  params: {
    vpc: vpc.properties.VpcId
    ports: map(filter(rules, rule => rule.?open ?? true), (rule, i) => rule.port + i)
  }
}]

module keep 'net.bicep' = {
  params: {
    vpc: net[0].outputs.group
    ports: []
  }
}

output arn string = arn
output subnetIds array = [for i in range(0, length(zones)): subnets[i].properties.SubnetId]
output group string = keep.outputs.group
output known string? = known.?properties.Arn
output first int = empty(rules) ? 0 : rules[0]!.port
@secure()
output password string = password
output merged object = merged
