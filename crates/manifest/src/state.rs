//! Terraform state in any of its forms, as one list of instances.
