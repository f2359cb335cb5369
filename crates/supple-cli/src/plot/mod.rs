//! Line plots as SVG text: small, the same bytes for the same numbers, and good inside of an HTML page as well as alone.
//!
//! ```
//! use supple_cli::plot::{Axis, Plot, Series};
//! let plot = Plot {
//!     title: "Halving".into(),
//!     x: Axis::linear("iterations"),
//!     y: Axis::log("error"),
//!     series: vec![Series::new("½ⁿ", (0..20).map(|n| [f64::from(n), 0.5f64.powi(n)]).collect())],
//! };
//! assert!(plot.svg().starts_with("<svg "));
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Plot`], [`Axis`], [`Series`]: what is to be plotted |
//! | `scale.rs` | from values to places; ticks, at powers of ten on a logarithmic axis |
//! | `style.rs` | colours, dashes and markers of the series; the style sheet, light and dark |
//! | `draw.rs` | the SVG: frame, grid, curves, legend below the axes |
//!
//! Series differ in colour, dash and marker, so that no one has to tell colours apart.
mod draw;
mod scale;
mod style;

/// A plot.
#[derive(Debug, Clone, Default)]
pub struct Plot {
    /// Above the plot, and its name for those who cannot see it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// How values are spread over it.
    pub kind: Kind,
    /// From where to where; `None` fits it to the values. What lies outside is drawn on the border.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// An axis with even steps.
    pub fn linear(title: impl Into<String>) -> Axis {
        Axis { title: title.into(), kind: Kind::Linear, range: None }
    }
    /// An axis with even factors.
    pub fn log(title: impl Into<String>) -> Axis {
        Axis { title: title.into(), kind: Kind::Log, range: None }
    }
    /// The same axis from `low` to `high`.
    pub fn between(mut self, low: f64, high: f64) -> Axis {
        self.range = Some([low, high]);
        self
    }
}

/// How values are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm.
    Log,
}

/// A curve.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points in order; those that are not finite, or not positive on a logarithmic axis, leave a gap.
    pub points: Vec<[f64; 2]>,
    /// Which colour, dash and marker; `None` takes the next.
    pub style: Option<usize>,
}

impl Series {
    /// A curve with the next style.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Series {
        Series { name: name.into(), points, style: None }
    }
}

impl Plot {
    /// The plot as an `<svg>` element.
    pub fn svg(&self) -> String {
        draw::svg(self)
    }
}

/// Text made safe between tags and inside of quoted attributes of XML and HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML at all.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
