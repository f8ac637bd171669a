//! The bytes that one change replaces, and what with.

use serde_json::Value;

use super::super::block::Block;
use super::super::scalar::{Scalar, Style};
use super::super::stream::Stream;
use super::super::write;
use super::{Change, MAX_VALUE_DEPTH, Manner, Patch, SpliceError, named, text};

/// Adds the patches of a change.
pub(super) fn patches(
    stream: &Stream<'_>,
    change: &Change<'_>,
    manner: Manner,
    patches: &mut Vec<Patch>,
) -> Result<(), SpliceError> {
    let scalar = &stream.scalars()[change.scalar];
    let Value::String(new) = &*change.value else {
        let Some(new) = write::flow(&change.value, MAX_VALUE_DEPTH) else {
            let (object, pointer, span) = named(stream, change.scalar);
            return Err(SpliceError::TooDeep { object, pointer, span });
        };
        patches.push(instead(stream, change.scalar, new)?);
        return Ok(());
    };
    if manner == Manner::InPlace
        && let Some(found) = text::in_place(stream.text(), scalar, change.parts, new)
    {
        patches.extend(found);
        return Ok(());
    }
    if let Some(patch) = block(stream.text(), scalar, new) {
        patches.push(patch);
        return Ok(());
    }
    let new = match scalar.style {
        Style::Plain if write::fits_plain(new, scalar.in_flow) => new.clone(),
        Style::SingleQuoted if write::fits_single_quotes(new) => write::single_quoted(new),
        _ => write::double_quoted(new),
    };
    patches.push(instead(stream, change.scalar, new)?);
    Ok(())
}

/// The whole scalar replaced by something on one line.
fn instead(stream: &Stream<'_>, index: usize, new: String) -> Result<Patch, SpliceError> {
    let (text, scalar) = (stream.text(), &stream.scalars()[index]);
    let range = scalar.span.start..scalar.span.end;
    if scalar.is_unwritten() {
        // After `-`, an anchor or a tag; of `key:` the parser tells the place before the colon.
        let before = &text[..range.start];
        let rest = text[range.start..].trim_start_matches([' ', '\t']);
        let at = if scalar.anchored || scalar.tag.is_some() || before.ends_with('-') {
            range.start
        } else if rest.starts_with(':') {
            text.len() - rest.len() + 1
        } else {
            let (object, pointer, span) = named(stream, index);
            return Err(SpliceError::Unwritten { object, pointer, span });
        };
        return Ok(Patch { range: at..at, text: format!(" {new}") });
    }
    // A remark beside the header of a block stays beside the value.
    if matches!(scalar.style, Style::Literal | Style::Folded)
        && let Some(block) = Block::of(text, scalar)
    {
        return Ok(Patch { range, text: new + block.remark });
    }
    Ok(Patch { range, text: new })
}

/// A block written anew, where it can hold the text.
fn block(text: &str, scalar: &Scalar<'_>, new: &str) -> Option<Patch> {
    if !matches!(scalar.style, Style::Literal | Style::Folded) {
        return None;
    }
    let block = Block::of(text, scalar)?;
    let body = text::block_body(&block, &scalar.text, new)?;
    let is_one_line = !body.contains('\n') && body.trim() == body;
    if scalar.style == Style::Folded && !is_one_line {
        return None;
    }
    let mut out = String::new();
    for (at, line) in body.split('\n').enumerate() {
        if at > 0 {
            out.push_str(block.line_break);
        }
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', block.indent));
            out.push_str(line);
        }
    }
    Some(Patch { range: block.start..scalar.span.end, text: out })
}
