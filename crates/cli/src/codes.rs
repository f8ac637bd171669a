//! The codes of mistakes at the command line. A code is never used again for another mistake.

use hangar_diag::Code;

/// The command line is wrong.
pub(crate) const USAGE: Code = Code::new("CLI0001");
/// A file is not there.
pub(crate) const FILE_MISSING: Code = Code::new("CLI0002");
/// A folder stands where a file should.
pub(crate) const FILE_IS_FOLDER: Code = Code::new("CLI0003");
/// A file is not UTF-8.
pub(crate) const FILE_NOT_TEXT: Code = Code::new("CLI0004");
/// A file is larger than we read.
pub(crate) const FILE_TOO_LARGE: Code = Code::new("CLI0005");
/// A file is there and cannot be read.
pub(crate) const FILE_UNREADABLE: Code = Code::new("CLI0006");
/// Standard input is asked for twice.
pub(crate) const STDIN_TWICE: Code = Code::new("CLI0007");
/// Standard output cannot be written.
pub(crate) const OUTPUT_LOST: Code = Code::new("CLI0008");
/// Something that cannot be the user's doing.
pub(crate) const UNEXPECTED: Code = Code::new("CLI0009");
/// A file of properties does not hold an object.
pub(crate) const NOT_PROPERTIES: Code = Code::new("CLI0010");

/// A pair of `--properties` is not `KEY=VALUE`, or its value does not fit its key.
pub(crate) const BAD_PAIR: Code = Code::new("CLI0011");
/// Something would be deleted and nobody can be asked.
pub(crate) const NOT_CONFIRMED: Code = Code::new("CLI0012");
/// The person who was asked said no.
pub(crate) const DECLINED: Code = Code::new("CLI0013");
/// The id of an operation is not one.
pub(crate) const NOT_AN_OPERATION: Code = Code::new("CLI0014");
/// Account or region is missing.
pub(crate) const HALF_A_PLACE: Code = Code::new("CLI0015");
/// The id is not one that the command can work on.
pub(crate) const UNFIT_ID: Code = Code::new("CLI0016");

/// No alias stands for the AWS resource whose alias is to be forgotten.
pub(crate) const NOTHING_TO_DETACH: Code = Code::new("CLI0017");

/// The alias is not in state unknown, so that there is nothing to settle.
pub(crate) const NOT_IN_DOUBT: Code = Code::new("CLI0018");
/// Nobody says which account and region are meant.
pub(crate) const NO_PLACE: Code = Code::new("CLI0019");
/// Some of many did not succeed.
pub(crate) const NOT_ALL: Code = Code::new("CLI0020");
/// A list of resources to import is not one, or a resource in it is not.
pub(crate) const BAD_LIST: Code = Code::new("CLI0021");
/// A type cannot be listed.
pub(crate) const NOT_LISTED: Code = Code::new("CLI0022");

/// Something that has drifted could not be put right.
pub(crate) const NOT_CURED: Code = Code::new("CLI0023");
/// A file that should hold a secret does not.
pub(crate) const NOT_A_SECRET: Code = Code::new("CLI0024");

/// The value of a template's parameter is not one, or there is no such parameter.
pub(crate) const BAD_PARAMETER: Code = Code::new("CLI0025");
/// A file of parameters does not hold parameters.
pub(crate) const NOT_PARAMETERS: Code = Code::new("CLI0026");
/// A file of parameters is for another template.
pub(crate) const OTHER_TEMPLATE: Code = Code::new("CLI0027");
/// The files of a template are more than a server takes.
pub(crate) const TEMPLATE_TOO_LARGE: Code = Code::new("CLI0028");

/// What was named as the source of a recipe is none.
pub(crate) const BAD_SOURCE: Code = Code::new("CLI0029");
/// The files of a module are more than a server takes.
pub(crate) const MODULE_TOO_LARGE: Code = Code::new("CLI0030");
/// A file of a module cannot be sent along.
pub(crate) const MODULE_UNREADABLE: Code = Code::new("CLI0031");
/// The lock of a state is somebody else's.
pub(crate) const STATE_LOCKED: Code = Code::new("CLI0032");
/// There is no state to show.
pub(crate) const NO_STATE: Code = Code::new("CLI0034");
/// A state is no successor of the current one.
pub(crate) const OLD_STATE: Code = Code::new("CLI0035");
/// A file that should say how recipes run does not.
pub(crate) const NOT_SETTINGS: Code = Code::new("CLI0036");
/// A file cannot be written.
pub(crate) const FILE_UNWRITABLE: Code = Code::new("CLI0033");

/// A command that was to be run cannot be started.
pub(crate) const NOT_STARTED: Code = Code::new("CLI0037");
/// A command synthesized no cdk8s app, or its manifests are gone.
pub(crate) const NOT_SYNTHESIZED: Code = Code::new("CLI0038");
/// What should be a batch of manifests is none.
pub(crate) const NOT_A_BATCH: Code = Code::new("CLI0039");

/// A file that should hold a plan does not, or not all of it.
pub(crate) const NOT_A_PLAN: Code = Code::new("CLI0040");
/// A plan of another version.
pub(crate) const OTHER_PLAN: Code = Code::new("CLI0041");
/// An option says something else than the plan that is to be applied.
pub(crate) const PLAN_CONTRADICTED: Code = Code::new("CLI0042");
/// A plan lacks something, or has something that would fail.
pub(crate) const PLAN_UNFIT: Code = Code::new("CLI0043");
/// What would be done is not what was planned.
pub(crate) const PLAN_MOVED: Code = Code::new("CLI0044");
/// A resource could not be read, so that the template for what exists leaves it out.
pub(crate) const NOT_WRITTEN: Code = Code::new("CLI0045");
/// A plan of the template for what exists changes a resource all the same.
pub(crate) const WRITTEN_OTHERWISE: Code = Code::new("CLI0046");
/// The template for what exists has more resources than a deployment takes.
pub(crate) const TOO_MANY_WRITTEN: Code = Code::new("CLI0047");
/// A file that should be formatted is no template in Bicep.
pub(crate) const NOT_A_TEMPLATE: Code = Code::new("CLI0050");
/// A folder has no template to format.
pub(crate) const NOTHING_TO_FORMAT: Code = Code::new("CLI0051");
/// A template was not formatted, for it would have been another one.
pub(crate) const NOT_FORMATTED: Code = Code::new("CLI0052");
/// There is no deployment of that name or template.
pub(crate) const NO_DEPLOYMENT: Code = Code::new("CLI0060");
/// A template has several deployments.
pub(crate) const AMBIGUOUS_DEPLOYMENT: Code = Code::new("CLI0061");
/// A file of learned forms holds something else.
pub(crate) const NOT_LEARNED_FORMS: Code = Code::new("CLI0062");
/// AWS cannot be reached from this machine; what was asked for stays open.
pub(crate) const AWS_OUT_OF_REACH: Code = Code::new("CLI0095");

/// There are no AWS credentials.
pub(crate) const NO_CREDENTIALS: Code = Code::new("CLI0100");
/// The AWS credentials have expired.
pub(crate) const CREDENTIALS_EXPIRED: Code = Code::new("CLI0101");
/// AWS rejects the credentials.
pub(crate) const CREDENTIALS_REJECTED: Code = Code::new("CLI0102");
/// No region is known.
pub(crate) const NO_REGION: Code = Code::new("CLI0103");
/// AWS cannot be reached to check the credentials.
pub(crate) const AWS_UNREACHABLE: Code = Code::new("CLI0104");
/// The file that `AWS_CA_BUNDLE` names cannot be used.
pub(crate) const CA_BUNDLE: Code = Code::new("CLI0105");
/// The account of the credentials cannot be found out.
pub(crate) const NO_ACCOUNT: Code = Code::new("CLI0106");

/// The file or the environment variable with the value of a secure parameter cannot be read.
pub(crate) const SECURE_VALUE: Code = Code::new("CLI0110");
/// The group does not exist, and the command was not allowed to create it.
pub(crate) const GROUP_MISSING: Code = Code::new("CLI0111");

/// `hangar init` would overwrite a template.
pub(crate) const TEMPLATE_EXISTS: Code = Code::new("CLI0120");
/// The folder of `hangar init` is a file.
pub(crate) const NOT_A_FOLDER: Code = Code::new("CLI0121");
/// A deployment has no output of the name.
pub(crate) const NO_OUTPUT: Code = Code::new("CLI0123");
/// The value of a secure output was asked for.
pub(crate) const SECRET_OUTPUT: Code = Code::new("CLI0124");

/// The control plane refused.
pub(crate) const API_REFUSED: Code = Code::new("API0001");
/// The control plane cannot be reached.
pub(crate) const API_UNREACHABLE: Code = Code::new("API0002");
/// What answered is no control plane of ours.
pub(crate) const API_FOREIGN: Code = Code::new("API0003");
/// The control plane wants another token.
pub(crate) const API_UNAUTHORIZED: Code = Code::new("API0004");
/// The URL of the server cannot be used.
pub(crate) const API_BAD_URL: Code = Code::new("API0005");
/// One part of what the control plane refused.
pub(crate) const API_DETAIL: Code = Code::new("API0006");
/// The person who waited had enough; the operation goes on.
pub(crate) const INTERRUPTED: Code = Code::new("API0007");
/// The control plane did not answer in time.
pub(crate) const API_SLOW: Code = Code::new("API0008");
/// An operation ended badly.
pub(crate) const OPERATION_FAILED: Code = Code::new("API0009");
/// The token file cannot be read.
pub(crate) const TOKEN_UNREADABLE: Code = Code::new("API0010");
/// A warning of the control plane.
pub(crate) const API_WARNING: Code = Code::new("API0011");
/// AWS accepted a write, and a read does not show all of it.
pub(crate) const NOT_EFFECTIVE: Code = Code::new("API0012");

/// A deployment ended badly.
pub(crate) const DEPLOYMENT_FAILED: Code = Code::new("API0013");
/// A resource of a deployment failed.
pub(crate) const RESOURCE_FAILED: Code = Code::new("API0014");

/// A run of a recipe ended badly.
pub(crate) const RECIPE_FAILED: Code = Code::new("API0015");

/// The control plane was asked to listen where other machines reach it.
pub(crate) const SERVER_EXPOSED: Code = Code::new("SRV0001");
/// The control plane cannot listen on its address.
pub(crate) const SERVER_ADDRESS: Code = Code::new("SRV0002");
/// The data directory cannot be made, read or written.
pub(crate) const DATA_DIR: Code = Code::new("SRV0003");
/// Another process holds the data directory and does not answer.
pub(crate) const DATA_DIR_HELD: Code = Code::new("SRV0004");
/// Another server serves the data directory.
pub(crate) const DATA_DIR_SERVED: Code = Code::new("SRV0005");
/// The store cannot be opened, or is not as it was written.
pub(crate) const STORE: Code = Code::new("SRV0006");
/// The key cannot be read, or is not this store's.
pub(crate) const KEY: Code = Code::new("SRV0007");
/// The data directory belongs to another AWS.
pub(crate) const OTHER_AWS: Code = Code::new("SRV0008");
/// The control plane cannot be set up as its arguments say.
pub(crate) const SERVER_SETUP: Code = Code::new("SRV0009");

/// The data directory was used, and does not say with which AWS.
pub(crate) const AWS_LOST: Code = Code::new("SRV0010");
/// The data directory was used, and its store is gone.
pub(crate) const STORE_LOST: Code = Code::new("SRV0011");

/// The copy's file is there already.
pub(crate) const BACKUP_EXISTS: Code = Code::new("BAK0001");
/// The copy cannot be written.
pub(crate) const BACKUP_FAILED: Code = Code::new("BAK0002");
/// The copy would be written over what the data directory lives on.
pub(crate) const BACKUP_IN_PLACE: Code = Code::new("BAK0003");
/// The file to restore is not a copy that can be used.
pub(crate) const UNFIT_COPY: Code = Code::new("BAK0004");
/// There is a store where one is to be restored.
pub(crate) const RESTORE_OVER_STORE: Code = Code::new("BAK0005");
/// The copy cannot be put into its place.
pub(crate) const RESTORE_FAILED: Code = Code::new("BAK0006");
/// The store is not a file.
pub(crate) const NOT_A_FILE_STORE: Code = Code::new("BAK0007");

/// A store that replicas share, where one is meant that is the directory's own, or the other way round.
pub(crate) const REPLICA: Code = Code::new("SRV0012");

/// The simulator was asked to listen where other machines reach it.
pub(crate) const SIMULATOR_EXPOSED: Code = Code::new("SIM0001");
/// The simulator cannot listen on its address.
pub(crate) const SIMULATOR_ADDRESS: Code = Code::new("SIM0002");
/// The simulator's state file cannot be opened, read or written.
pub(crate) const SIMULATOR_STATE: Code = Code::new("SIM0003");
/// Another simulator uses the state file.
pub(crate) const SIMULATOR_STATE_IN_USE: Code = Code::new("SIM0004");
/// The file is not one that a simulator wrote.
pub(crate) const SIMULATOR_STATE_FOREIGN: Code = Code::new("SIM0005");
/// The state file is damaged.
pub(crate) const SIMULATOR_STATE_DAMAGED: Code = Code::new("SIM0006");
/// An unfinished write was taken off the end of the state file.
pub(crate) const SIMULATOR_STATE_CUT: Code = Code::new("SIM0007");
/// Stacks were to be put into something that is not on this machine.
pub(crate) const SIMULATOR_NOT_LOCAL: Code = Code::new("SIM0008");
/// Nobody answers where a simulator should, or something else does.
pub(crate) const SIMULATOR_NOT_THERE: Code = Code::new("SIM0009");
/// What was to be deployed to a simulator is neither a template nor an assembly.
pub(crate) const SIMULATOR_ASSEMBLY: Code = Code::new("SIM0010");
/// A stack of the simulator was refused, or failed.
pub(crate) const SIMULATOR_STACK: Code = Code::new("SIM0011");
