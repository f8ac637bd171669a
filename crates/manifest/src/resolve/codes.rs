//! The codes of what is wrong with a reference, never re-used.

use hangar_diag::Code;

/// It begins like a reference and is none.
pub const MALFORMED: Code = Code::new("REF0001");
/// There is no such stack.
pub const NO_STACK: Code = Code::new("REF0002");
/// A stack is being changed.
pub const IN_PROGRESS: Code = Code::new("REF0003");
/// A stack failed, or was rolled back.
pub const NOT_DEPLOYED: Code = Code::new("REF0004");
/// A stack has nothing of that name.
pub const NO_NAME: Code = Code::new("REF0005");
/// A resource has no such attribute.
pub const NO_ATTRIBUTE: Code = Code::new("REF0006");
/// A resource cannot be read.
pub const UNREADABLE: Code = Code::new("REF0007");
/// The identifier of a resource cannot be told.
pub const NO_IDENTIFIER: Code = Code::new("REF0008");
/// The caller may not ask.
pub const DENIED: Code = Code::new("REF0009");
/// A question could not be asked, or its answer not read.
pub const FAILED: Code = Code::new("REF0010");
/// An expression cannot be evaluated.
pub const EXPRESSION: Code = Code::new("REF0011");
/// A secret stands where everybody could read it.
pub const SECRET: Code = Code::new("REF0012");
/// A filter cannot make what it should.
pub const FILTER: Code = Code::new("REF0013");
/// The value cannot stand where the reference stands.
pub const MISPLACED: Code = Code::new("REF0014");
/// A token of the CDK or of CDKTF that nobody can resolve any more.
pub const RAW_TOKEN: Code = Code::new("REF0015");
/// There is no such export.
pub const NO_EXPORT: Code = Code::new("REF0016");
/// There is no such resource of the control plane, or property of it.
pub const NO_RESOURCE: Code = Code::new("REF0017");
/// There is no such state, resource or output of Terraform.
pub const NO_STATE: Code = Code::new("REF0018");
/// The lock has no value for it.
pub const NOT_LOCKED: Code = Code::new("REF0019");
/// A resolver of the user's refused a value, or failed.
pub const RESOLVER: Code = Code::new("REF0020");

/// Every code with its meaning in one line; the documentation is tested against it.
pub const ALL: &[(Code, &str)] = &[
    (MALFORMED, "A text starts like a reference but is not a valid one."),
    (NO_STACK, "The stack does not exist."),
    (IN_PROGRESS, "The stack is being changed."),
    (NOT_DEPLOYED, "The last change of the stack failed, or was rolled back."),
    (NO_NAME, "The stack has no output, resource or parameter with that name."),
    (NO_ATTRIBUTE, "The resource has no such attribute."),
    (UNREADABLE, "Resources of this type cannot be read, and no output has the value."),
    (NO_IDENTIFIER, "The Cloud Control identifier of a resource cannot be determined."),
    (DENIED, "The caller lacks a permission."),
    (FAILED, "A request failed, or its response could not be read."),
    (EXPRESSION, "An expression cannot be evaluated."),
    (SECRET, "A secret would be exposed, or cannot be read."),
    (FILTER, "A filter cannot convert the value."),
    (MISPLACED, "The value cannot replace its reference."),
    (RAW_TOKEN, "A token of the AWS CDK or of CDKTF that was never resolved."),
    (NO_EXPORT, "The export does not exist."),
    (NO_RESOURCE, "The control plane has no such resource, or the resource has no such property."),
    (NO_STATE, "The Terraform state does not exist."),
    (NOT_LOCKED, "The lock file has no value for a reference."),
    (RESOLVER, "A resolver failed, or rejected a value."),
];
