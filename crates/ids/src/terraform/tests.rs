//! Examples and laws of Terraform's addresses.

use proptest::prelude::*;

use super::*;
use crate::codes;

#[test]
fn what_terraform_prints_reads_and_prints_back() {
    for text in [
        "aws_vpc.main",
        "data.aws_caller_identity.me",
        "aws_subnet.s[0]",
        r#"aws_subnet.s["a"]"#,
        "module.a.aws_vpc.main",
        r#"module.a[0].module.b["k/v"].data.aws_vpc.main["x.y"]"#,
        r#"module.a["]"].aws_vpc.main["\"]"]"#,
        r#"aws_vpc.main["$${x} %%{y} $ {"]"#,
        r#"aws_vpc.main["\n\r\t\\\u0001é"]"#,
        "module.data.aws_vpc.module",
        "azurerm_x.with-dash_1",
    ] {
        let address = TerraformAddress::parse(text).unwrap_or_else(|d| panic!("{text}: {d}"));
        assert_eq!(address.to_string(), text);
    }
}

#[test]
fn the_parts_of_an_address_are_told_apart() {
    let address = TerraformAddress::parse(r#"module.a[1].module.b["k.v"].data.t.n["z"]"#).unwrap();
    let calls: Vec<_> = address
        .module()
        .calls()
        .iter()
        .map(|call| (call.name.as_str(), call.key.clone()))
        .collect();
    let text = |text: &str| Some(InstanceKey::Text(text.to_owned()));
    assert_eq!(calls, [("a", Some(InstanceKey::Index(1))), ("b", text("k.v"))]);
    assert_eq!(address.mode(), ResourceMode::Data);
    assert_eq!((address.resource_type(), address.name()), ("t", "n"));
    assert_eq!(address.key().cloned(), text("z"));
}

#[test]
fn the_index_of_old_versions_is_read_and_printed_as_new_ones_do() {
    let address = TerraformAddress::parse("module.a.aws_subnet.b.3").unwrap();
    assert_eq!(address.to_string(), "module.a.aws_subnet.b[3]");
}

#[test]
fn a_module_path_is_read_without_a_resource() {
    assert_eq!(ModulePath::parse(""), Ok(ModulePath::default()));
    let path = r#"module.a.module.b["c"]"#;
    assert_eq!(ModulePath::parse(path).map(|path| path.to_string()).as_deref(), Ok(path));
    assert!(ModulePath::parse("module.a.aws_vpc.b").is_err());
}

#[test]
fn what_is_not_an_address_is_refused_at_its_byte() {
    for (text, start, end) in [
        ("", 0, 0),
        ("aws_vpc", 7, 7),
        ("aws_vpc.", 8, 8),
        ("aws_vpc.a[", 10, 10),
        ("aws_vpc.a[x]", 10, 11),
        ("aws_vpc.a[99999999999999999999]", 10, 11),
        (r#"aws_vpc.a["b]"#, 13, 13),
        (r#"aws_vpc.a["\q"]"#, 11, 12),
        (r#"aws_vpc.a["\ud800"]"#, 11, 12),
        ("aws_vpc.a[0]x", 12, 13),
        ("aws_vpc.a.b", 10, 11),
        ("module.a", 8, 8),
        ("module..b.c", 7, 8),
        ("aws vpc.a", 3, 4),
    ] {
        let refused = TerraformAddress::parse(text).expect_err(text);
        let found = (refused.code, refused.span());
        assert_eq!(
            found,
            (codes::TERRAFORM_ADDRESS, Some(hangar_diag::Span { start, end })),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn any_key_prints_and_reads_back(key in any::<String>(), module_key in any::<String>()) {
        let address = TerraformAddress {
            module: ModulePath(vec![ModuleCall { name: "m".to_owned(), key: Some(InstanceKey::Text(module_key)) }]),
            mode: ResourceMode::Managed,
            resource_type: "t".to_owned(),
            name: "n".to_owned(),
            key: Some(InstanceKey::Text(key)),
        };
        prop_assert_eq!(TerraformAddress::parse(&address.to_string()), Ok(address));
    }

    #[test]
    fn no_text_panics(text in any::<String>(), tail in "[a.\\[\\]\"$%{\\\\u0-9]{0,20}") {
        let _ = TerraformAddress::parse(&text);
        let _ = TerraformAddress::parse(&format!("module.a[\"{tail}"));
        let _ = TerraformAddress::parse(&format!("a.b{tail}"));
    }
}
