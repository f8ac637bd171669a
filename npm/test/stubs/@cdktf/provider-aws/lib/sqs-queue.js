const { resource } = require('./resource');
exports.SqsQueue = resource('aws_sqs_queue', { arn: ['arn', 'text'], name: ['name', 'text'] });
