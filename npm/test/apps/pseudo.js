// Two stacks of two accounts; one has outputs of pseudo parameters, which are the same tokens in every stack.
const cdk = require('aws-cdk-lib');
const iam = require('aws-cdk-lib/aws-iam');
const k8s = require('cdk8s');

const awsApp = new cdk.App({ outdir: 'cdk.out' });
const isOneRegion = process.env.PLACES === 'alike';
const places = process.env.PLACES === 'unstated' ? {} : { account: '444455556666', region: 'eu-west-1' };
const stackOf = (name, env) => {
  const stack = new cdk.Stack(awsApp, name, { env });
  const role = new iam.CfnRole(stack, 'Role', { assumeRolePolicyDocument: {} });
  return { stack, role };
};
const us = stackOf('Us', isOneRegion ? places : { account: '111122223333', region: 'us-east-1' });
const eu = stackOf('Eu', places);
new cdk.CfnOutput(us.stack, 'Account', { value: cdk.Aws.ACCOUNT_ID });
new cdk.CfnOutput(us.stack, 'Region', { value: cdk.Aws.REGION });
const joined = cdk.Fn.join('-', [cdk.Aws.REGION, 'x']);
new cdk.CfnOutput(us.stack, 'Joined', { value: joined });

const app = new k8s.App();
const chart = new k8s.Chart(app, 'chart');
const data = {
  role: `arn:aws:iam::${cdk.Aws.ACCOUNT_ID}:role/${eu.role.ref}`,
  host: `s3.${cdk.Aws.REGION}.amazonaws.com/${eu.role.attrArn}`,
  joined: `${joined}/${eu.role.ref}`,
};
if (process.env.ALONE) Object.assign(data, { alone: cdk.Aws.REGION, inText: `r=${cdk.Aws.REGION}`, sub: cdk.Fn.sub('${AWS::AccountId}!'), partition: `arn:${cdk.Aws.PARTITION}:iam::aws:policy/P` });
if (process.env.NAME) data.name = cdk.Aws.STACK_NAME;
new k8s.ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', data });
awsApp.synth();
app.synth();
