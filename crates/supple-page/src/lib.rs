//! The page, as `build.rs` found or built it. It is one HTML file: script and style are inside.
use std::sync::LazyLock;

mod built {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// A page and what its security policy must allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// Hashes of its scripts and styles, as a policy writes them.
    pub script: String,
    /// The same of its styles.
    pub style: String,
}

/// Where a report puts its data: an element of the page, empty in the live viewer.
const DATA: &str = "<script type=\"text/plain\" id=\"data\"></script>";
/// The comment in which the bundler leaves the hashes.
const HASHES: [&str; 2] = ["<!-- script ", "<!-- style "];

static PAGE: LazyLock<Result<Page, String>> =
    LazyLock::new(|| built::BUILT.map_err(String::from).and_then(Page::new));

/// The page of this program, or why it has none and what to do.
pub fn embedded() -> Result<&'static Page, String> {
    PAGE.as_ref().map_err(|reason| {
        format!(
            "this program was built without the viewer's page: {reason}. Install Node.js with npm, then build again after \
             `touch crates/supple-page/build.rs`"
        )
    })
}

impl Page {
    /// Takes the page from the bundler.
    pub fn new(html: &str) -> Result<Page, String> {
        let hash = |mark: &str| {
            let (_, rest) = html.split_once(mark)?;
            let (hash, _) = rest.split_once(" -->")?;
            Some(hash.to_string())
        };
        match HASHES.map(hash) {
            [Some(script), Some(style)] if html.contains(DATA) => {
                Ok(Page { html: html.to_string(), script, style })
            }
            _ => Err("the page in the program is incomplete".into()),
        }
    }

    /// The policy: nothing but this page's own script and style; `connect` is whom it may talk to.
    pub fn policy(&self, connect: &str) -> String {
        format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; connect-src {connect}; base-uri 'none'; \
             form-action 'none'",
            self.script, self.style
        )
    }

    /// The page with its solver beside it (`supple.wasm`), and the service worker that keeps both, for any web server: `version` tells one
    /// version of the two from another.
    pub fn site(&self, version: &str) -> (String, String) {
        // The worker is made of text in the page, so that this policy holds in it too.
        let policy = self.policy("'self'").replacen(
            "; style-src",
            " 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src",
            1,
        );
        let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
        let html = self
            .html
            .replacen("<html lang=\"en\">", "<html lang=\"en\" data-solver=\"worker\">", 1)
            .replacen("<meta charset=\"utf-8\">", &format!("<meta charset=\"utf-8\">{policy}"), 1);
        (html, include_str!("offline.js").replacen("VERSION\"", &format!("{version}\""), 1))
    }

    /// The two parts of a page that needs no server, before and after its data. The data must not contain `<`.
    pub fn report(&self, title: &str) -> (String, &str) {
        let (before, after) = self.html.split_once(DATA).unwrap_or((&self.html, ""));
        let policy =
            format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", self.policy("'none'"));
        let escaped =
            title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        let before = before
            .replacen("<meta charset=\"utf-8\">", &format!("<meta charset=\"utf-8\">{policy}"), 1)
            .replacen("<title>supple</title>", &format!("<title>{escaped}</title>"), 1);
        (before + "<script type=\"text/plain\" id=\"data\">", after)
    }
}
