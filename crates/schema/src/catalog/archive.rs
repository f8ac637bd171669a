//! A file of many small documents under sorted names, read in place.
//!
//! Opening looks at the header and the names only; one document is inflated when it is asked for.
//! It knows nothing of what the documents say.
//!
//! ```text
//! magic 8 | version u32 | count u32 | length of names u32      (numbers little-endian)
//! count × { end of name u32, end of packed bytes u32, inflated length u32 }
//! names, one after another, sorted by their ASCII-lower form
//! packed bytes, one zlib stream after another: its checksum shows a damaged document
//! ```

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use thiserror::Error;

/// Documents by name, over bytes that live as long as the program.
///
/// Names are looked up ignoring ASCII case and printed as they were packed.
///
/// ```
/// use hangar_schema::{Archive, BUNDLED};
///
/// let archive = Archive::open(BUNDLED)?;
/// assert_eq!(archive.spelling("aws::ec2::vpc"), Some("AWS::EC2::VPC"));
/// let json = archive.find("AWS::EC2::VPC").expect("VPC is a public type")?;
/// assert!(json.starts_with(b"{"));
/// # Ok::<(), hangar_schema::ArchiveError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Archive {
    records: &'static [u8],
    names: &'static str,
    packed: &'static [u8],
}

/// Why an archive cannot be read or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ArchiveError {
    /// The bytes do not begin as an archive of this version does.
    #[error("the catalog does not start with the header of version {VERSION}")]
    Header,
    /// The bytes end before what the header promises.
    #[error("the catalog ends inside its index")]
    Truncated,
    /// The names are not UTF-8.
    #[error("the catalog's names are not valid text")]
    Names,
    /// An index record points outside the file or is out of order.
    #[error("record {record} of the catalog's index is damaged")]
    Record {
        /// Its place in the index, from 0.
        record: usize,
    },
    /// A document does not inflate to what the index says.
    #[error("document {record} of the catalog is damaged")]
    Document {
        /// Its place in the index, from 0.
        record: usize,
    },
    /// A document is larger than one may be.
    #[error("document {record} has {size} bytes, more than {MAX_DOCUMENT}")]
    TooLarge {
        /// Its place in the index, from 0.
        record: usize,
        /// Its inflated size.
        size: usize,
    },
    /// All documents together do not fit in 32-bit offsets.
    #[error("the catalog would be larger than 4 GiB")]
    Full,
}

/// No document may inflate to more. The largest type has about 0.2 MB.
const MAX_DOCUMENT: usize = 4 << 20;

const MAGIC: &[u8; 8] = b"HANGARC\n";
const VERSION: u32 = 1;
const HEADER: usize = 20;
const RECORD: usize = 12;
/// The slowest and smallest: packing happens once, on a developer's machine.
const LEVEL: u8 = 10;

impl Archive {
    /// Opens an archive in place; cost does not depend on the documents.
    pub fn open(bytes: &'static [u8]) -> Result<Self, ArchiveError> {
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(ArchiveError::Header)?;
        if !header.starts_with(MAGIC) || number(header, 8) != Some(VERSION as usize) {
            return Err(ArchiveError::Header);
        }
        let count = number(header, 12).ok_or(ArchiveError::Header)?;
        let names_length = number(header, 16).ok_or(ArchiveError::Header)?;
        let (records, rest) = count
            .checked_mul(RECORD)
            .and_then(|length| rest.split_at_checked(length))
            .ok_or(ArchiveError::Truncated)?;
        let (names, packed) = rest.split_at_checked(names_length).ok_or(ArchiveError::Truncated)?;
        let names = std::str::from_utf8(names).map_err(|_| ArchiveError::Names)?;
        Ok(Self { records, names, packed })
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.records.len() / RECORD
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Every name, sorted ignoring ASCII case. A damaged record has no name and is left out.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let archive = *self;
        (0..archive.len()).filter_map(move |record| archive.name(record).ok())
    }

    /// The name as it was packed, looked up ignoring ASCII case.
    pub fn spelling(&self, name: &str) -> Option<&'static str> {
        self.position(name).ok().flatten().and_then(|record| self.name(record).ok())
    }

    /// The document of that name, inflated; at most 4 MiB.
    pub fn find(&self, name: &str) -> Option<Result<Vec<u8>, ArchiveError>> {
        match self.position(name) {
            Ok(Some(record)) => Some(self.inflate(record)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Makes the bytes of an archive. Of entries whose names differ only in case the last stays.
    ///
    /// The same entries give the same bytes, whatever their order.
    pub fn pack(
        entries: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Vec<u8>, ArchiveError> {
        let sorted: BTreeMap<String, (String, Vec<u8>)> = entries
            .into_iter()
            .map(|(name, document)| (name.to_ascii_lowercase(), (name, document)))
            .collect();
        let mut records = Vec::new();
        let mut names = String::new();
        let mut packed = Vec::new();
        for (record, (name, document)) in sorted.values().enumerate() {
            if document.len() > MAX_DOCUMENT {
                return Err(ArchiveError::TooLarge { record, size: document.len() });
            }
            names.push_str(name);
            packed.extend(compress_to_vec_zlib(document, LEVEL));
            for value in [names.len(), packed.len(), document.len()] {
                records.extend(to_number(value)?);
            }
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(to_number(sorted.len())?);
        bytes.extend(to_number(names.len())?);
        bytes.extend(records);
        bytes.extend(names.into_bytes());
        bytes.extend(packed);
        Ok(bytes)
    }

    fn position(&self, name: &str) -> Result<Option<usize>, ArchiveError> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match compare_ignoring_case(self.name(middle)?, name) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Some(middle)),
            }
        }
        Ok(None)
    }

    fn name(&self, record: usize) -> Result<&'static str, ArchiveError> {
        let damaged = ArchiveError::Record { record };
        self.range(record, 0).and_then(|range| self.names.get(range)).ok_or(damaged)
    }

    fn inflate(&self, record: usize) -> Result<Vec<u8>, ArchiveError> {
        let damaged = ArchiveError::Record { record };
        let size = number(self.records, record * RECORD + 8).ok_or(damaged)?;
        if size > MAX_DOCUMENT {
            return Err(ArchiveError::TooLarge { record, size });
        }
        let packed =
            self.range(record, 4).and_then(|range| self.packed.get(range)).ok_or(damaged)?;
        let document = decompress_to_vec_zlib_with_limit(packed, size)
            .map_err(|_| ArchiveError::Document { record })?;
        if document.len() == size { Ok(document) } else { Err(ArchiveError::Document { record }) }
    }

    /// From where the record before ends to where this one does, by the field at `field`.
    fn range(&self, record: usize, field: usize) -> Option<Range<usize>> {
        let end = number(self.records, record * RECORD + field)?;
        let start = match record.checked_sub(1) {
            Some(before) => number(self.records, before * RECORD + field)?,
            None => 0,
        };
        (start <= end).then_some(start..end)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*four)).ok()
}

fn to_number(value: usize) -> Result<[u8; 4], ArchiveError> {
    u32::try_from(value).map(u32::to_le_bytes).map_err(|_| ArchiveError::Full)
}

fn compare_ignoring_case(a: &str, b: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower))
}

#[cfg(test)]
mod tests;
