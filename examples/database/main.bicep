// PostgreSQL in two private subnets, reachable only from inside its network. The password is a secure parameter:
// Hangar never prints it. A Secrets Manager secret contains it for the clients of the database.
//
//   hangar deploy examples/database/main.bicep -p password="$DATABASE_PASSWORD"
//   hangar plan examples/database/main.bicep -p password="$DATABASE_PASSWORD" -p storage=40
//
// The built-in simulator replaces AWS and stores the password: do not use a real one.
extension aws

@description('Prefix of all resource names.')
@minLength(1)
@maxLength(20)
param name string = 'shop'

@description('Password of the administrator.')
@secure()
@minLength(12)
param password string

@description('Size of the disk, in GiB.')
@minValue(20)
@maxValue(65536)
param storage int = 20

@description('Instance class of the database.')
@allowed(['db.t4g.micro', 'db.t4g.small', 'db.m7g.large'])
param size string = 'db.t4g.micro'

@description('Whether to run a standby instance in another zone.')
param standby bool = false

@description('Availability zones of the subnets.')
@minLength(2)
param zones array = ['us-east-1a', 'us-east-1b']

var cidr = '10.50.0.0/16'
var user = 'administrator'
var port = 5432
var tags = [{ Key: 'app', Value: name }]

resource vpc 'AWS.EC2/VPC@default' = {
  alias: '${name}-vpc'
  properties: {
    CidrBlock: cidr
    Tags: tags
  }
}

resource subnets 'AWS.EC2/Subnet@default' = [
  for (zone, i) in zones: {
    alias: '${name}-${zone}'
    properties: {
      VpcId: vpc.properties.VpcId
      CidrBlock: cidrSubnet(cidr, 24, i)
      AvailabilityZone: zone
      Tags: tags
    }
  }
]

resource subnetGroup 'AWS.RDS/DBSubnetGroup@default' = {
  alias: name
  properties: {
    DBSubnetGroupDescription: 'The private subnets of ${name}'
    SubnetIds: [for (zone, i) in zones: subnets[i].properties.SubnetId]
    Tags: tags
  }
}

resource access 'AWS.EC2/SecurityGroup@default' = {
  alias: name
  properties: {
    GroupDescription: 'Access to the database of ${name}'
    VpcId: vpc.properties.VpcId
    SecurityGroupIngress: [
      {
        IpProtocol: 'tcp'
        FromPort: port
        ToPort: port
        CidrIp: cidr
        Description: 'The network itself'
      }
    ]
    Tags: tags
  }
}

resource database 'AWS.RDS/DBInstance@default' = {
  alias: name
  properties: {
    Engine: 'postgres'
    EngineVersion: '17'
    DBInstanceClass: size
    AllocatedStorage: string(storage)
    DBName: name
    MasterUsername: user
    MasterUserPassword: password
    DBSubnetGroupName: subnetGroup.properties.DBSubnetGroupName
    VPCSecurityGroups: [access.properties.GroupId]
    MultiAZ: standby
    StorageEncrypted: true
    PubliclyAccessible: false
    DeletionProtection: false
    Tags: tags
  }
}

resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: name
  properties: {
    Description: 'Connection settings of the database ${name}'
    SecretString: string({
      host: database.properties.Endpoint.Address
      port: port
      username: user
      password: password
      dbname: name
    })
    Tags: tags
  }
}

output address string = database.properties.Endpoint.Address
output secretId string = secret.properties.Id
