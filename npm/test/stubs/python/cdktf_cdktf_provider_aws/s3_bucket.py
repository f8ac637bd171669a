import cdktf


class S3Bucket(cdktf.TerraformResource):
    def __init__(self, scope, id):
        metadata = cdktf.TerraformProviderGeneratorMetadata(provider_name='aws')
        super().__init__(scope, id, terraform_resource_type='aws_s3_bucket', terraform_generator_metadata=metadata)

    @property
    def bucket(self):
        return self.get_string_attribute('bucket')
