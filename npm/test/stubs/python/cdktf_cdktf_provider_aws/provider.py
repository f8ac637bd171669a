import cdktf
import jsii


class AwsProvider(cdktf.TerraformProvider):
    def __init__(self, scope, id, *, region):
        metadata = cdktf.TerraformProviderGeneratorMetadata(provider_name='aws')
        super().__init__(scope, id, terraform_resource_type='aws', terraform_generator_metadata=metadata, terraform_provider_source='aws')
        self._region = region

    @jsii.member(jsii_name='synthesizeAttributes')
    def _synthesize_attributes(self):
        return {'region': self._region}
