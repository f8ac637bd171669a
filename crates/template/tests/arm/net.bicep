extension aws

param vpc string
param ports int[]

resource group 'AWS.EC2/SecurityGroup@default' = {
  alias: 'group-${deployment().name}'
  properties: {
    GroupDescription: 'for ${length(ports)} ports'
    VpcId: vpc
  }
}

output group string = group.properties.GroupId
