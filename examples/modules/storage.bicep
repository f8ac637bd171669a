// Storage of an app: a bucket for files, and a queue for messages about new files.
extension aws
import { tag } from 'shared.bicep'

param name string
param tags tag[] = []

@description('Retention of messages, in days.')
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
