// Where an app keeps its files: a bucket, and a queue that is told of new ones.
extension aws
import { tag } from 'shared.bicep'

param name string
param tags tag[] = []

@description('For how many days a message is kept.')
param days int

resource files 'AWS.S3/Bucket@default' = {
  alias: '${name}-files'
  properties: {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true
      BlockPublicPolicy: true
      IgnorePublicAcls: true
      RestrictPublicBuckets: true
    }
    Tags: tags
  }
}

resource news 'AWS.SQS/Queue@default' = {
  alias: '${name}-news'
  properties: {
    MessageRetentionPeriod: days * 24 * 60 * 60
    Tags: tags
  }
}

output bucket string = files.properties.BucketName
output queue string = news.properties.QueueUrl
