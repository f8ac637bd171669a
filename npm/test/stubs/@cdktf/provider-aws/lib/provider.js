exports.AwsProvider = require('./resource').AwsProvider;
