//! Where templates come from: the call itself, or what was put in the place of S3.

use hangar_manifest::cloudformation::text::{self, TemplateTextError};
use serde_json::Value;

use super::call::Source;
use crate::core::refusal::{Exception, Refusal};
use crate::core::state::Change;
use crate::core::world::World;

/// A template in the call may be this long, in bytes.
const MAX_BODY: usize = 51_200;

/// A template in S3 may be this long, in bytes.
pub const MAX_ASSET: usize = 1 << 20;

/// Reads the text of a template, in JSON or in YAML with its short forms.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let as_json = match serde_json::from_str(text) {
        Ok(template) => return Ok(template),
        Err(error) => error,
    };
    match text::parse(text) {
        Ok(template) => Ok(template),
        Err(_) if text.trim_start().starts_with(['{', '[']) => {
            Err(format!("Template format error: JSON not well-formed. ({as_json})"))
        }
        Err(TemplateTextError::NotMap | TemplateTextError::Empty) => {
            Err("Template format error: unsupported structure.".to_owned())
        }
        Err(error) => Err(format!("Template format error: YAML not well-formed. ({error})")),
    }
}

pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(Exception::Validation, message)
}

impl World {
    /// Puts a file where S3 would have it, or takes it away.
    pub fn put_asset(&mut self, bucket: &str, key: &str, content: Option<&str>) {
        let (bucket, key) = (bucket.into(), key.into());
        self.commit(Change::Asset { bucket, key, content: content.map(Into::into) });
    }

    /// A file that was put where S3 would have it.
    pub fn asset(&self, bucket: &str, key: &str) -> Option<&str> {
        self.state.assets.get(&(bucket.into(), key.into())).map(|content| &**content)
    }

    /// The text of a template; `previous` is what the stack has.
    pub(super) fn template_text(
        &self,
        source: &Source,
        previous: Option<&str>,
    ) -> Result<String, Refusal> {
        match (source, previous) {
            (Source::Body(text), _) if text.len() > MAX_BODY => Err(invalid(format!(
                "1 validation error detected: Value at 'templateBody' failed to satisfy constraint: \
                 Member must have length less than or equal to {MAX_BODY}"
            ))),
            (Source::Body(text), _) => Ok(text.clone()),
            (Source::Url(url), _) => self.template_at(url),
            (Source::Previous, Some(previous)) => Ok(previous.to_owned()),
            (Source::Previous, None) => {
                Err(invalid("Either Template URL or Template Body must be specified."))
            }
        }
    }

    fn template_at(&self, url: &str) -> Result<String, Refusal> {
        let Some((bucket, key)) = address(url) else {
            return Err(invalid("TemplateURL must be a supported URL."));
        };
        let Some(text) = self.asset(&bucket, &key) else {
            return Err(invalid(format!(
                "S3 error: The specified key does not exist. (hangar simulator: PUT \
                 /_simulator/assets/{bucket}/{key} first)"
            )));
        };
        Ok(text.to_owned())
    }
}

/// The bucket and the key that a URL of S3 names.
fn address(url: &str) -> Option<(String, String)> {
    let pair = |bucket: &str, key: &str| {
        (!bucket.is_empty() && !key.is_empty()).then(|| (bucket.to_owned(), key.to_owned()))
    };
    if let Some(rest) = url.strip_prefix("s3://") {
        let (bucket, key) = rest.split_once('/')?;
        return pair(bucket, key);
    }
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let rest = rest.split(['?', '#']).next()?;
    let (host, path) = rest.split_once('/')?;
    let host = host.strip_suffix(".cn").unwrap_or(host).strip_suffix(".amazonaws.com")?;
    // `s3`, `s3.eu-west-1` and `s3-eu-west-1` have the bucket in the path.
    if host == "s3" || host.starts_with("s3.") || host.starts_with("s3-") {
        let (bucket, key) = path.split_once('/')?;
        return pair(bucket, key);
    }
    let at = host
        .rfind(".s3.")
        .or_else(|| host.rfind(".s3-"))
        .or_else(|| host.strip_suffix(".s3").map(str::len))?;
    pair(&host[..at], path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_s3_lead_to_a_bucket_and_a_key() {
        let found = Some(("b.c".to_owned(), "k/l.json".to_owned()));
        for url in [
            "s3://b.c/k/l.json",
            "https://s3.amazonaws.com/b.c/k/l.json",
            "https://s3.eu-west-1.amazonaws.com/b.c/k/l.json",
            "https://s3-eu-west-1.amazonaws.com/b.c/k/l.json",
            "https://b.c.s3.eu-west-1.amazonaws.com/k/l.json",
            "https://b.c.s3.amazonaws.com/k/l.json?versionId=1",
            "https://b.c.s3-eu-west-1.amazonaws.com/k/l.json",
            "https://s3.cn-north-1.amazonaws.com.cn/b.c/k/l.json",
        ] {
            assert_eq!(address(url), found, "{url}");
        }
        for url in
            ["", "s3://b", "https://example.com/b/k", "https://s3.amazonaws.com/b", "ftp://x/y"]
        {
            assert_eq!(address(url), None, "{url}");
        }
    }
}
