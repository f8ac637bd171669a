//! Names of AWS as Terraform writes them.

/// What names of one type have in common: `AWS::EC2::VPCEndpoint` is `awscc_ec2_vpc_endpoint` in hashicorp/awscc, and
/// where its words begin is that provider's affair.
pub(super) fn folded_type(cloud_formation: &str) -> Option<String> {
    let name = cloud_formation.strip_prefix("AWS::")?;
    Some(name.replace("::", "").to_ascii_lowercase())
}

/// The same of a type of hashicorp/awscc.
pub(super) fn folded_awscc(terraform: &str) -> Option<String> {
    Some(terraform.strip_prefix("awscc_")?.replace('_', ""))
}

/// The name of a property as hashicorp/aws would write it: `DBInstanceIdentifier` is `db_instance_identifier`.
pub(super) fn attribute(property: &str) -> String {
    let bytes = property.as_bytes();
    let mut text = String::with_capacity(property.len() + 4);
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let is_last_of_several = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let begins = byte.is_ascii_uppercase()
            && before.is_some_and(|before| !before.is_ascii_uppercase() || is_last_of_several);
        if begins {
            text.push('_');
        }
        text.push(char::from(byte.to_ascii_lowercase()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_property_begin_at_capitals_and_end_before_the_last_of_several() {
        assert_eq!(attribute("DBInstanceIdentifier"), "db_instance_identifier");
        assert_eq!(attribute("Ipv6CidrBlock"), "ipv6_cidr_block");
        assert_eq!(
            (attribute("PublicIp"), attribute("APIKeyId")),
            ("public_ip".to_owned(), "api_key_id".to_owned())
        );
    }

    #[test]
    fn a_type_of_awscc_is_known_whatever_its_words() {
        let vpc = folded_type("AWS::EC2::VPCEndpoint");
        assert_eq!(vpc, folded_awscc("awscc_ec2_vpc_endpoint"));
        assert_eq!((folded_type("Alexa::ASK::Skill"), folded_awscc("aws_vpc")), (None, None));
    }
}
