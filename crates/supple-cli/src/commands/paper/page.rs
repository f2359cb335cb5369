//! The page: sections with claims, tables and pictures, in one file without anything from outside.
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use super::Context;
use super::style::SHEET;
use crate::export::png::write_png;
use crate::picture::Image;
use crate::plot::{Plot, escape};

/// What the paper says, and what was measured.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// The claim in our words.
    pub text: String,
    /// The paper's number.
    pub paper: String,
    /// Ours, in this run.
    pub here: String,
    /// Whether it holds here; none where there is nothing to hold.
    pub holds: Option<bool>,
}

impl Claim {
    /// A claim with its numbers.
    pub fn new(
        text: impl Into<String>,
        paper: impl Into<String>,
        here: impl Into<String>,
        holds: Option<bool>,
    ) -> Claim {
        Claim { text: text.into(), paper: paper.into(), here: here.into(), holds }
    }
}

/// A part of the page.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// Anchor on the page, and its name in `paper.json`.
    pub id: &'static str,
    /// Heading.
    pub title: String,
    /// What the paper claims.
    pub claims: Vec<Claim>,
    /// What follows the claims, as HTML.
    pub html: String,
    /// All its numbers.
    pub data: Value,
}

impl Section {
    /// For `paper.json`.
    pub fn json(&self) -> Value {
        let claims = self
            .claims
            .iter()
            .map(|c| json!({ "claim": c.text, "paper": c.paper, "here": c.here, "holds": c.holds }));
        json!({ "id": self.id, "title": self.title, "claims": claims.collect::<Vec<_>>(), "data": self.data })
    }
}

/// Text as HTML; what stands between backticks is set as code.
fn rich(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in escape(text).split('`').enumerate() {
        out += match i {
            0 => "",
            i if i % 2 == 1 => "<code>",
            _ => "</code>",
        };
        out += part;
    }
    if text.matches('`').count() % 2 == 1 { out + "</code>" } else { out }
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", rich(text))
}

/// A table of plain text; the first column is left-aligned, the others are numbers.
pub(super) fn table(caption: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |tag: &str, row: &mut dyn Iterator<Item = &str>| -> String {
        row.map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect()
    };
    let mut out = format!("<div class=\"wide\"><table><caption>{}</caption><thead><tr>", escape(caption));
    out += &cells("th", &mut head.iter().copied());
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        out += &cells("td", &mut row.iter().map(String::as_str));
        out += "</tr>";
    }
    out + "</tbody></table></div>\n"
}

/// Plots beside each other where there is room.
pub(super) fn plots(plots: &[Plot]) -> String {
    let all: String = plots.iter().map(|p| format!("<figure>{}</figure>", p.svg())).collect();
    format!("<div class=\"plots\">{all}</div>\n")
}

/// A picture inside of the page.
pub(super) fn picture(image: &Image, description: &str) -> miette::Result<String> {
    let mut png = Vec::new();
    write_png(&mut png, image).map_err(|e| miette::miette!("a picture cannot be encoded: {e}"))?;
    Ok(format!(
        "<figure><img alt=\"{0}\" width=\"{1}\" height=\"{2}\" src=\"data:image/png;base64,{3}\"><figcaption>{0}</figcaption></figure>\n",
        escape(description),
        image.width(),
        image.height(),
        BASE64_STANDARD.encode(&png)
    ))
}

/// The claims of a section as a table that becomes a list on a narrow screen.
fn claims(list: &[Claim]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<table class=\"claims\"><thead><tr><th>claim</th><th>in the paper</th><th>in this run</th><th></th></tr></thead><tbody>",
    );
    for c in list {
        let (class, mark) = match c.holds {
            Some(true) => ("yes", "✓ holds"),
            Some(false) => ("no", "✗ does not hold"),
            None => ("open", "–"),
        };
        out += &format!(
            "<tr><td>{}</td><td data-label=\"paper\">{}</td><td data-label=\"this run\">{}</td><td class=\"{class}\">{mark}</td></tr>",
            rich(&c.text),
            rich(&c.paper),
            rich(&c.here)
        );
    }
    out + "</tbody></table>\n"
}

/// The whole page.
pub(super) fn page(c: &Context, sections: &[Section]) -> String {
    let all = || sections.iter().flat_map(|s| &s.claims);
    let count = |wanted: Option<bool>| all().filter(|c| c.holds == wanted).count();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>ADMM ⊇ Projective Dynamics, measured again</title><style>{SHEET}</style></head><body><main>\n\
         <h1>ADMM ⊇ Projective Dynamics, measured again</h1>\n"
    );
    out += &paragraph(
        "The claims of Narain, Overby and Brown, “ADMM ⊇ Projective Dynamics: Fast Simulation of General Constitutive Models” \
         (SCA 2016), the paper's numbers, and what this program measured in one run. The paper's times are from a Xeon E5-1650 \
         with 6 cores at 3.5 GHz.",
    );
    let size = if c.quick { "Small bodies and few repeats (--quick). " } else { "" };
    out += &paragraph(&format!(
        "{size}This machine: {} thread(s), {:.2} GHz, lanes {}. Of {} claims {} hold in this run and {} do not; {} have no yes or no.",
        c.threads(),
        c.machine.ghz,
        c.machine.lanes,
        all().count(),
        count(Some(true)),
        count(Some(false)),
        count(None)
    ));
    out += "<nav><ul>";
    for s in sections {
        out += &format!("<li><a href=\"#{}\">{}</a></li>", s.id, escape(&s.title));
    }
    out += "</ul></nav>\n";
    for s in sections {
        out += &format!("<section id=\"{}\"><h2>{}</h2>\n", s.id, escape(&s.title));
        out += &claims(&s.claims);
        out += &s.html;
        out += "</section>\n";
    }
    out + "</main></body></html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_tables_is_text() {
        let t = table("a & b", &["<i>"], &[vec!["\"<script>\"".into()]]);
        assert!(t.contains("&lt;script&gt;") && t.contains("&lt;i&gt;") && t.contains("a &amp; b"));
    }
}
