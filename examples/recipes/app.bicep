// A Terraform module beside resources of AWS, in one deployment: each waits for what it reads of the other.
// It needs no account and downloads no provider: `hangar deploy examples/recipes/app.bicep -p password=…`.
extension aws

param greeting string = 'hello'

@secure()
param password string

// The directory goes along; by its name the recipe is found again (`hangar recipe show hello`).
resource hello 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'hello'
  properties: {
    source: './hello'
    parameters: {
      greeting: greeting
      password: password
    }
  }
}

// What the module tells in `result.values` is known when it has run.
resource message 'AWS.SSM/Parameter@default' = {
  alias: 'message'
  properties: {
    Name: '/hello/message'
    Type: 'String'
    Value: hello.properties.status.values.greeting
  }
}

output said string = hello.properties.status.values.greeting
output made array = hello.properties.status.outputResources

// Its secrets are read apart, and stay secrets.
@secure()
output password string = hello.listSecrets().password
