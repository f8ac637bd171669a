// A Terraform module and AWS resources in one deployment. Each waits for the values that it reads from the other.
// No account and no provider download is needed: `hangar deploy examples/recipes/app.bicep -p password=…`.
extension aws

param greeting string = 'hello'

@secure()
param password string

// The directory is sent with the deployment. The name identifies the recipe (`hangar recipe show hello`).
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

// The module's `result.values` are known after it has run.
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

// Secrets are read with `listSecrets` and stay secret.
@secure()
output password string = hello.listSecrets().password
