//! All that is in a group, in pages: references first, then each recipe with what it made.
//!
//! A page that begins among the references begins by a reference's place, one that begins after them by a recipe's: the
//! token of a page holds either.

use hangar_plan::record::{GroupName, RecipeName, RecipeRecord};
use hangar_store::{ReferenceFilter, ReferencePosition};
use serde_json::Value;

use super::lookup;
use super::reference::{self, Page};
use crate::error::{ApiError, Code};
use crate::head::View;
use crate::page;
use crate::render;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// After a reference, or at the first.
    Reference(Option<ReferencePosition>),
    /// After the references.
    Recipe(RecipePlace),
}

/// A place among the recipes and what they made: after so many entries of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RecipePlace {
    /// Its name in lower case; empty before the first.
    recipe: String,
    /// How many of its entries come before: itself, and some of what it made.
    entries: usize,
}

/// As many recipes are looked at together.
const TOGETHER: usize = 16;

impl Place {
    /// What a token holds.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        let wrong = || ApiError::new(Code::InvalidSkipToken, "not a token of this list");
        let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
        let Some(place) = text.strip_prefix(RECIPE) else {
            return reference::read_position(bytes).map(|place| Self::Reference(Some(place)));
        };
        let (recipe, entries) = place.split_once('\0').ok_or_else(wrong)?;
        let entries = entries.parse().map_err(|_| wrong())?;
        Ok(Self::Recipe(RecipePlace { recipe: recipe.to_owned(), entries }))
    }
}

impl RecipePlace {
    fn written(&self) -> Vec<u8> {
        format!("{RECIPE}{}\0{}", self.recipe, self.entries).into_bytes()
    }
}

/// What a place among recipes begins with: no group has an empty name, so no place of a reference does.
const RECIPE: &str = "\0recipe\0";

/// One page of what is in a group.
pub(super) async fn page(
    view: View<'_>,
    group: &GroupName,
    begin: Place,
    limit: usize,
) -> Result<Page, ApiError> {
    let filter = ReferenceFilter { group: Some(group.clone()), ..ReferenceFilter::default() };
    let (references, begin) = match begin {
        Place::Recipe(place) => (Vec::new(), place),
        Place::Reference(after) => {
            let page = reference::page(view, &filter, None, after, limit).await?;
            if page.next.is_some() {
                return Ok(page);
            }
            (page.values, RecipePlace::default())
        }
    };
    let (count, room) = (references.len(), limit.saturating_sub(references.len()));
    // One more than is shown tells whether there is a next page.
    let (mut places, entries) = entries(view, group, &begin, room + 1).await?;
    let values = page::fitting(references.into_iter().chain(entries.into_iter().take(room)));
    let shown = values.len() - count;
    let next = (shown < places.len()).then(|| {
        let last = if shown == 0 { begin } else { places.swap_remove(shown - 1) };
        view.seal.page_token(&reference::list_name(&filter, None), &last.written())
    });
    Ok(Page { values, next })
}

/// So many entries of recipes after a place, each with its own.
async fn entries(
    view: View<'_>,
    group: &GroupName,
    begin: &RecipePlace,
    wanted: usize,
) -> Result<(Vec<RecipePlace>, Vec<Value>), ApiError> {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    let mut add = |record: &RecipeRecord, skip: usize| {
        for (place, value) in entries_of(record).skip(skip).take(wanted - values.len()) {
            places.push(place);
            values.push(value);
        }
        values.len() >= wanted
    };
    let mut after = None;
    if !begin.recipe.is_empty() {
        let name = RecipeName { group: group.clone(), name: begin.recipe.clone() };
        let begun = lookup::find_recipe(view.reads, &name).await?;
        after = Some(begin.recipe.clone());
        if begun.is_some_and(|record| add(&record, begin.entries)) {
            return Ok((places, values));
        }
    }
    loop {
        let found = lookup::recipes(view.reads, group, after, TOGETHER).await?;
        let is_full = found.iter().any(|record| add(record, 0));
        if is_full || found.len() < TOGETHER {
            return Ok((places, values));
        }
        after = found.last().map(lookup::recipe_place);
    }
}

/// A recipe and what it made, each with the place after it.
fn entries_of(record: &RecipeRecord) -> impl Iterator<Item = (RecipePlace, Value)> {
    let made = record.status.resources.iter().map(|it| render::made(&record.name, it));
    let recipe = lookup::recipe_place(record);
    std::iter::once(render::listed(record)).chain(made).enumerate().map(move |(index, value)| {
        (RecipePlace { recipe: recipe.clone(), entries: index + 1 }, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_both_kinds_are_told_apart() {
        let place = RecipePlace { recipe: "net".into(), entries: 3 };
        assert_eq!(Place::read(&place.written()).unwrap(), Place::Recipe(place));
        let first = RecipePlace::default();
        assert_eq!(Place::read(&first.written()).unwrap(), Place::Recipe(first));
        let of_reference = Place::read(b"local/team\0aws.ec2/vpc\0net").unwrap();
        assert!(matches!(of_reference, Place::Reference(Some(it)) if it.alias == "net"));
        for odd in [&b"\0recipe\0net"[..], b"\0recipe\0net\0x", b"x", b"\xff"] {
            assert_eq!(Place::read(odd).unwrap_err().code(), "InvalidSkipToken", "{odd:?}");
        }
    }
}
