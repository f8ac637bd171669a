// The folders of the package as members of its root.
exports.provider = require('./lib/provider');
exports.s3Bucket = require('./lib/s3-bucket');
