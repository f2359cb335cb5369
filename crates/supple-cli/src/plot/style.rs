//! Colours, dashes and markers of the series, and the style sheet.

/// A colour, a dash pattern and a marker.
pub(super) struct Style {
    /// Number of its colour: classes `s0`, `s1`, … of lines and `f0`, `f1`, … of markers.
    pub colour: usize,
    /// Lengths of dashes and gaps in pixels; empty is a whole line.
    pub dash: &'static str,
    /// The marker's outline around the origin.
    pub marker: &'static str,
}

/// Numbers of colours; see [`SHEET`].
const COLOURS: usize = 7;
const DASHES: [&str; 5] = ["", "9 4", "2 4", "12 4 2 4", "6 3"];
const MARKERS: [&str; 6] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.4 3.2H-4.4z",
    "M0-5L5 0L0 5L-5 0z",
    "M-4.4-3.2H4.4L0 4.8z",
    "M-4.5-1.3h3.2v-3.2h2.6v3.2h3.2v2.6h-3.2v3.2h-2.6v-3.2h-3.2z",
];

/// The style of a number; all numbers have one, the first 210 differ.
pub(super) fn style(index: usize) -> Style {
    Style {
        colour: index % COLOURS,
        dash: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

/// Applies to everything of class `plot`; twice on a page does no harm.
///
/// The colours are Okabe and Ito's for all kinds of eyes, but for yellow, which white paper swallows; the first is the text's.
/// No variables: many programs that show SVG files do not know them.
pub(super) const SHEET: &str = "\
.plot{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\
.plot text{fill:#1b1f24;font-size:14px}\
.plot .tick{fill:#57606a}\
.plot .head{font-size:16px;font-weight:600}\
.plot .grid{stroke:#d8dee4;fill:none}\
.plot .frame{stroke:#57606a;fill:none}\
.plot .line{fill:none;stroke-width:2;stroke-linejoin:round}\
.plot .paper{fill:#ffffff}\
.plot .s0{stroke:#1b1f24}.plot .f0{fill:#1b1f24}\
.plot .s1{stroke:#d55e00}.plot .f1{fill:#d55e00}\
.plot .s2{stroke:#0072b2}.plot .f2{fill:#0072b2}\
.plot .s3{stroke:#009e73}.plot .f3{fill:#009e73}\
.plot .s4{stroke:#e69f00}.plot .f4{fill:#e69f00}\
.plot .s5{stroke:#cc79a7}.plot .f5{fill:#cc79a7}\
.plot .s6{stroke:#56b4e9}.plot .f6{fill:#56b4e9}\
@media(prefers-color-scheme:dark){\
.plot text{fill:#e6edf3}.plot .tick{fill:#9aa4af}.plot .grid{stroke:#333b45}.plot .frame{stroke:#9aa4af}\
.plot .paper{fill:#12161b}.plot .s0{stroke:#e6edf3}.plot .f0{fill:#e6edf3}.plot .s2{stroke:#3a9ad9}.plot .f2{fill:#3a9ad9}}";
