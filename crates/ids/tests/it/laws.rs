//! The laws of names, each a function of any text which panics where the law is broken.
//!
//! The fuzz targets include this file and run the same functions, so it uses nothing but the crate.

use hangar_ids::{
    AccountId, Arn, Identifier, ResourceId, TypeName, codes, decode, encode_identifier, encode_name,
};

/// An id is read or refused at a place; what is read prints, normalises and is rebuilt unchanged.
pub(crate) fn resource_id(text: &str) {
    match ResourceId::parse(text) {
        Ok(id) => an_id_is_sound(&id),
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
}

/// An ARN is read or refused at a place; its id, where it has one, is sound and keeps its name.
pub(crate) fn arn(text: &str) {
    let arn = match Arn::parse(text) {
        Ok(arn) => arn,
        Err(refused) => return the_place_is_in_the_text(&refused, text),
    };
    assert_eq!(arn.to_string(), text);
    let parts = [arn.partition(), arn.service(), arn.region(), arn.account(), arn.resource()];
    assert_eq!(format!("arn:{}", parts.join(":")), text);
    match arn.to_resource_id(Some("123456789012")) {
        Ok(id) => {
            an_id_is_sound(&id);
            assert_eq!(id.name(), Some(arn.parts().name));
            assert_eq!(id.types().len(), 1, "{id} is not one type and one name");
            assert!(id.extensions().is_empty());
            assert!(id.is_aws_identifier());
        }
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
}

/// The smaller names are read or refused at a place, and print as they were read.
pub(crate) fn names(text: &str) {
    match TypeName::parse(text) {
        Ok(name) => {
            assert!(text == name.ucp() || text == name.cloud_formation());
            assert_eq!(TypeName::parse(&name.ucp()), Ok(name.clone()));
            assert_eq!(TypeName::parse(&name.cloud_formation()), Ok(name));
        }
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
    match AccountId::parse(text) {
        Ok(account) => assert_eq!(account.padded().len(), 12),
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
    match hangar_ids::Region::parse(text) {
        Ok(region) => assert!(text.is_ascii() && region.as_str() == text),
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
    let additional = [vec!["Arn"]];
    for wanted in [&["Id"][..], &["RestApiId", "StageName"]] {
        match Identifier::read(text, wanted, &additional) {
            Ok(named) => {
                assert_eq!(Identifier::parse(named.identifier.as_str()), Ok(named.identifier));
            }
            Err(refused) => the_place_is_in_the_text(&refused, text),
        }
    }
    match decode(text) {
        Ok(plain) => {
            assert_eq!(decode(&encode_identifier(&plain)).as_ref(), Ok(&plain));
            assert_eq!(decode(&encode_name(&plain)), Ok(plain));
        }
        Err(refused) => the_place_is_in_the_text(&refused, text),
    }
}

/// Everything that must hold of an id, however it was made.
pub(crate) fn an_id_is_sound(id: &ResourceId) {
    let printed = id.to_string();
    let again = ResourceId::parse(&printed).unwrap_or_else(|d| panic!("{printed} is refused: {d}"));
    assert_same(&again, id);
    assert_eq!(again.to_string(), printed);

    let normalized = ResourceId::parse(id.normalized()).expect("the normalised form is an id");
    assert_eq!(&normalized, id);
    assert_eq!(normalized.normalized(), id.normalized());
    assert_eq!(normalized.to_string(), id.normalized());

    assert_eq!(id.kind().is_collection(), id.name().is_none() && printed != "/");
    the_parts_rebuild_it(id);
    if let Some(parent) = id.parent() {
        assert!(parent.to_string().len() < printed.len());
        an_id_is_sound(&parent);
    }
}

/// The collection and the name, or the parent and the type, give the id back.
fn the_parts_rebuild_it(id: &ResourceId) {
    if let (Some(collection), Some(name)) = (id.collection(), id.name()) {
        assert!(collection.kind().is_collection());
        assert_same(&collection.append_name(name).expect("its own name"), id);
    }
    let last_type = id.extensions().last().or(id.types().last());
    let Some(parent) = id.parent().filter(|_| id.kind().is_collection()) else { return };
    let rebuilt = match last_type {
        Some(segment) => parent.append_type(segment.type_text()),
        None => parent.append_scope_collection(id.scopes().last().expect("a scope").type_text()),
    };
    assert_same(&rebuilt.expect("its own type"), id);
}

/// Equal, in spelling too.
fn assert_same(a: &ResourceId, b: &ResourceId) {
    assert_eq!(a, b);
    assert_eq!(a.kind(), b.kind());
    assert_eq!((a.scopes(), a.types(), a.extensions()), (b.scopes(), b.types(), b.extensions()));
}

fn the_place_is_in_the_text(refused: &hangar_diag::Diagnostic, text: &str) {
    let span = refused.span().unwrap_or_else(|| panic!("{refused} has no place in {text:?}"));
    assert!(text.get(span.start..span.end).is_some(), "{refused}: {span:?} is not in {text:?}");
    assert!(codes::ALL.iter().any(|(code, _)| *code == refused.code), "{refused} is not listed");
    assert!(!refused.hints.is_empty(), "{refused} does not say what to do next");
}
