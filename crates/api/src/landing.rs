//! The page that a browser gets at `/`: what this server is, and where its documentation is.
//!
//! It needs no token, so it must hold nothing about the resources, the data directory or the machine. It is not part
//! of the API: programs, which do not ask for HTML, get the API's answer at this path.

use http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderValue};
use http::{HeaderMap, Method};

use crate::answer::Answer;

const MEDIA: &str = "text/html; charset=utf-8";

/// No script, no image, no frame around it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
);

/// Whether a request is a browser's for the page.
pub(crate) fn is_wanted(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    method == Method::GET && path == "/" && accepted.flat_map(|it| it.split(',')).any(is_html)
}

/// Whether a media range of `Accept` is HTML, and not refused by a weight of 0.
fn is_html(range: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let is_named = parts.next().is_some_and(|media| media.eq_ignore_ascii_case("text/html"));
    let is_refused = parts
        .any(|it| it.strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0));
    is_named && !is_refused
}

/// Returns the page. Base path and version come from the settings, not from the request.
pub(crate) fn page(base_path: &str, version: &str) -> Answer {
    let (base, version) = (escape(base_path), escape(version));
    let html = format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hangar</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }}
pre {{ overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: 4px; }}
</style>
</head>
<body>
<h1>Hangar {version}</h1>
<p>This is the HTTP API of Hangar, which deploys Bicep templates to AWS. It has no user interface: use
the <code>hangar</code> command, or any HTTP client.</p>
<p>Every request needs the token from the file <code>token</code> in the server's data directory:</p>
<pre>curl -H "Authorization: Bearer $(cat .hangar/token)" \
  http://127.0.0.1:7700{base}/planes/radius/local/resourceGroups</pre>
<ul>
<li><a href="{base}/openapi.json"><code>{base}/openapi.json</code></a>: the API as an OpenAPI document (needs the token)</li>
<li><a href="/healthz"><code>/healthz</code></a>, <a href="/readyz"><code>/readyz</code></a>: health</li>
<li><code>/metrics</code>: metrics (needs the token)</li>
<li><code>docs/api.md</code> in the source repository: the reference of the API</li>
<li><code>hangar --help</code>: the command line</li>
</ul>
</body>
</html>
"#
    );
    Answer::text(MEDIA, html).with_header(CONTENT_SECURITY_POLICY, POLICY)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(method: &Method, path: &str, accept: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        is_wanted(method, path, &headers)
    }

    #[test]
    fn only_a_browser_at_the_root_gets_the_page() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        assert!(wanted(&Method::GET, "/", browser));
        assert!(wanted(&Method::GET, "/", "application/json, TEXT/HTML;q=0.1"));
        assert!(!wanted(&Method::GET, "/planes", browser));
        assert!(!wanted(&Method::POST, "/", browser));
        for accept in ["*/*", "application/json", "text/html;q=0", "text/*"] {
            assert!(!wanted(&Method::GET, "/", accept), "{accept}");
        }
        assert!(!is_wanted(&Method::GET, "/", &HeaderMap::new()));
    }

    #[test]
    fn settings_are_escaped() {
        assert_eq!(escape("/a\"<b>&"), "/a&quot;&lt;b&gt;&amp;");
    }
}
