// The production network: a different IPv4 range and three zones.
//
//   hangar deploy examples/network/prod.bicepparam -g prod --create-group --aws-region eu-west-1
//   NETWORK_CIDR=10.30.0.0/16 hangar plan examples/network/prod.bicepparam -g prod
using 'main.bicep'

param name = 'prod'
param cidr = readEnvironmentVariable('NETWORK_CIDR', '10.20.0.0/16')
param zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']
