// A queue for jobs, and a second queue for the jobs that failed too often.
//
//   hangar plan main.bicep                        show what would change
//   hangar deploy main.bicep                      create or update the queues
//   hangar deploy main.bicep -p environment=test  the same under other names
//   hangar destroy main.bicep                     delete them again
//
// AWS is a built-in simulator, so that no account is needed, unless you pass
// `--aws real`.

extension aws

// A parameter. Set it with `-p environment=test`, or in a .bicepparam file.
@description('The environment, used in the names of all resources.')
@minLength(1)
@maxLength(20)
param environment string = 'dev'

// A resource. Its `alias` is the name by which Hangar finds it again: deploying
// this file twice creates one queue, not two. `properties` are those of the AWS
// type; `hangar schema show AWS.SQS/Queue` lists them.
resource failedJobs 'AWS.SQS/Queue@default' = {
  alias: 'failed-jobs-${environment}'
  properties: {
    MessageRetentionPeriod: 14 * 24 * 60 * 60
  }
}

resource jobs 'AWS.SQS/Queue@default' = {
  alias: 'jobs-${environment}'
  properties: {
    VisibilityTimeout: 60
    RedrivePolicy: {
      // A reference to a property that AWS sets: `failedJobs` is created first.
      deadLetterTargetArn: failedJobs.properties.Arn
      maxReceiveCount: 3
    }
  }
}

// An output. Print it with `hangar output main.bicep queueUrl`.
output queueUrl string = jobs.properties.QueueUrl
