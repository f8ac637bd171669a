// Reads a package of types with Azure's own reader: every type is of a known kind, every reference leads to one, and
// each resource type has a body. Prints what the claims in `tests/it/bicep_types.rs` are about as one line of JSON.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const types = require('bicep-types');

const root = process.argv[2];
const index = types.readIndexJson(fs.readFileSync(path.join(root, 'index.json'), 'utf8'));
const files = new Map();

function fileOf(name) {
  if (!files.has(name)) {
    files.set(name, types.readTypesJson(fs.readFileSync(path.join(root, name), 'utf8')));
  }
  return files.get(name);
}

function typeOf(reference) {
  const found = reference instanceof types.CrossFileTypeReference && fileOf(reference.relativePath)[reference.index];
  if (!found) throw new Error(`nothing is at ${JSON.stringify(reference)}`);
  return found;
}

// Newer than the released reader.
const kinds = new Set([...Object.values(types.TypeBaseKind), 'NamespaceFunctionType']);

function check(value, file, where) {
  if (value instanceof types.TypeReference) {
    if (!file[value.index]) throw new Error(`${where}: nothing is at #/${value.index}`);
  } else if (value && typeof value === 'object') {
    for (const inner of Object.values(value)) check(inner, file, where);
  }
}

for (const [name, reference] of Object.entries(index.resources)) {
  const found = typeOf(reference);
  if (found.type !== 'ResourceType') throw new Error(`${name} is a ${found.type}`);
  if (`${found.name}@` !== name.slice(0, name.indexOf('@') + 1)) throw new Error(`${name} is called ${found.name}`);
  const body = fileOf(reference.relativePath)[found.body.index];
  if (!body.properties.name) throw new Error(`${name} has no name`);
}
for (const [name, file] of files) {
  for (const type of file) {
    if (!kinds.has(type.type)) throw new Error(`${name} has a ${type.type}`);
    check(type, file, name);
  }
}

// A type written out as text, to a depth.
function show(file, reference, depth) {
  const type = file[reference.index];
  switch (type.type) {
    case 'StringLiteralType': return `'${type.value}'`;
    case 'UnionType': return type.elements.map((it) => show(file, it, depth)).join(' | ');
    case 'ArrayType': return `${show(file, type.itemType, depth)}[]`;
    case 'ObjectType': {
      if (depth === 0) return type.name;
      const members = Object.entries(type.properties).map(
        ([name, it]) => `${name}(${types.getObjectTypePropertyFlagsLabels(it.flags).join()}): ${show(file, it.type, depth - 1)}`);
      return `{ ${members.join('; ')} }`;
    }
    default: {
      const { type: kind, ...limits } = type;
      return Object.keys(limits).length === 0 ? kind : `${kind}${JSON.stringify(limits)}`;
    }
  }
}

function property(resource, ...steps) {
  const reference = index.resources[resource];
  const file = fileOf(reference.relativePath);
  let type = file[typeOf(reference).body.index];
  let found;
  for (const step of steps) {
    while (type.type === 'ArrayType') type = file[type.itemType.index];
    if (type.type === 'UnionType') type = file[type.elements.find((it) => file[it.index].type === 'ArrayType').index];
    while (type.type === 'ArrayType') type = file[type.itemType.index];
    found = type.properties[step];
    type = file[found.type.index];
  }
  return `${types.getObjectTypePropertyFlagsLabels(found.flags).join()} ${show(file, found.type, 1)}`.trim();
}

const settings = index.settings;
const configuration = typeOf(settings.configurationType);
console.log(JSON.stringify({
  resources: Object.keys(index.resources).length,
  settings: [settings.name, settings.isSingleton, Object.keys(configuration.properties)],
  functions: index.namespaceFunctions.map((it) => typeOf(it)).map(
    (it) => `${it.name}(${it.parameters.map((p) => (p.flags === 1 ? p.name : `${p.name}?`)).join()})`),
  alias: property('AWS.SQS/Queue@default', 'alias'),
  delay: property('AWS.SQS/Queue@default', 'properties', 'DelaySeconds'),
  url: property('AWS.SQS/Queue@default', 'properties', 'QueueUrl'),
  tenancy: property('AWS.MemoryDB/Cluster@default', 'properties', 'DataTiering'),
  protocol: property('AWS.EC2/SecurityGroup@default', 'properties', 'SecurityGroupIngress', 'IpProtocol'),
  billing: property('AWS.DynamoDB/Table@default', 'properties', 'BillingMode'),
  password: property('AWS.RDS/DBInstance@default', 'properties', 'MasterUserPassword'),
  recipe: property('Hangar.Recipes/recipes@2023-10-01-preview', 'properties', 'source'),
}));
