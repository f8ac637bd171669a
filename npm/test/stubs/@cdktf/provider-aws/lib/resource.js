// A resource of a provider as generated classes are: an attribute that was not given is a token. Only what the tests use.
const { TerraformResource, TerraformProvider } = require('cdktf');

exports.resource = (type, attributes) => {
  class Resource extends TerraformResource {
    constructor(scope, id, config = {}) {
      super(scope, id, { terraformResourceType: type, terraformGeneratorMetadata: { providerName: 'aws' } });
      this.config = config;
    }
    synthesizeAttributes() {
      return this.config;
    }
  }
  const read = {
    text: (self, name) => self.getStringAttribute(name),
    number: (self, name) => self.getNumberAttribute(name),
    list: (self, name) => self.getListAttribute(name),
    map: (self, name) => self.getStringMapAttribute(name),
  };
  for (const [property, [name, kind]] of Object.entries(attributes)) {
    Object.defineProperty(Resource.prototype, property, {
      get() {
        return read[kind](this, name);
      },
    });
  }
  return Resource;
};

exports.AwsProvider = class AwsProvider extends TerraformProvider {
  constructor(scope, id, config) {
    super(scope, id, { terraformResourceType: 'aws', terraformGeneratorMetadata: { providerName: 'aws' }, terraformProviderSource: 'aws' });
    this.config = config;
  }
  synthesizeAttributes() {
    return this.config;
  }
};
