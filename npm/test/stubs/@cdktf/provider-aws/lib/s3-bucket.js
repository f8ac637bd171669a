const { resource } = require('./resource');
exports.S3Bucket = resource('aws_s3_bucket', {
  id: ['id', 'text'],
  bucket: ['bucket', 'text'],
  bucketDomainName: ['bucket_domain_name', 'text'],
  tagsAll: ['tags_all', 'map'],
});
