// A service: a queue with jobs, and a function that processes them and writes the results to a bucket. Its role
// allows only these actions.
//
//   hangar deploy examples/service/main.bicep
//   hangar deploy examples/service/main.bicep -p name=thumbnails -p memory=512
//   hangar plan examples/service/main.bicep -p memory=1024
extension aws

@description('Prefix of all resource names.')
@minLength(1)
@maxLength(20)
param name string = 'jobs'

@description('Memory of the function, in MiB.')
@minValue(128)
@maxValue(10240)
param memory int = 256

@description('Timeout of one job, in seconds.')
@minValue(1)
@maxValue(900)
param timeout int = 30

var tags = [{ Key: 'app', Value: name }]

resource failedJobs 'AWS.SQS/Queue@default' = {
  alias: '${name}-failed'
  properties: {
    MessageRetentionPeriod: 14 * 24 * 60 * 60
    Tags: tags
  }
}

resource queue 'AWS.SQS/Queue@default' = {
  alias: name
  properties: {
    // After this time, an unfinished job is delivered again. AWS recommends six times the function's timeout.
    VisibilityTimeout: timeout * 6
    RedrivePolicy: {
      deadLetterTargetArn: failedJobs.properties.Arn
      maxReceiveCount: 5
    }
    Tags: tags
  }
}

resource results 'AWS.S3/Bucket@default' = {
  alias: '${name}-results'
  properties: {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true
      BlockPublicPolicy: true
      IgnorePublicAcls: true
      RestrictPublicBuckets: true
    }
    VersioningConfiguration: {
      Status: 'Enabled'
    }
    Tags: tags
  }
}

resource role 'AWS.IAM/Role@default' = {
  alias: name
  properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17'
      Statement: [
        {
          Effect: 'Allow'
          Principal: { Service: 'lambda.amazonaws.com' }
          Action: 'sts:AssumeRole'
        }
      ]
    }
    ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole']
    Policies: [
      {
        PolicyName: 'work'
        PolicyDocument: {
          Version: '2012-10-17'
          Statement: [
            {
              Effect: 'Allow'
              Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
              Resource: queue.properties.Arn
            }
            {
              Effect: 'Allow'
              Action: 's3:PutObject'
              Resource: '${results.properties.Arn}/*'
            }
          ]
        }
      }
    ]
    Tags: tags
  }
}

resource worker 'AWS.Lambda/Function@default' = {
  alias: name
  properties: {
    Runtime: 'python3.13'
    Handler: 'index.handler'
    Code: {
      ZipFile: loadTextContent('worker.py')
    }
    Role: role.properties.Arn
    MemorySize: memory
    Timeout: timeout
    Environment: {
      Variables: {
        RESULTS: results.properties.BucketName
      }
    }
    Tags: tags
  }
}

resource trigger 'AWS.Lambda/EventSourceMapping@default' = {
  alias: name
  properties: {
    EventSourceArn: queue.properties.Arn
    FunctionName: worker.properties.FunctionName
    BatchSize: 10
    FunctionResponseTypes: ['ReportBatchItemFailures']
  }
}

output queueUrl string = queue.properties.QueueUrl
output bucket string = results.properties.BucketName
output function string = worker.properties.Arn
