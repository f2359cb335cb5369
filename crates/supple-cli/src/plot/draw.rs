//! The SVG of a plot: paper, grid, curves, axes, legend.
use std::fmt::Write;

use super::scale::Scale;
use super::style::{SHEET, style};
use super::{Plot, Series, escape};

/// The picture, and the rectangle of the axes in it, in pixels.
const WIDTH: f64 = 680.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = WIDTH - 18.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 360.0;
/// Where the legend starts, and the height of one of its rows.
const LEGEND: f64 = BOTTOM + 72.0;
const ROW: f64 = 24.0;
/// Width of a letter, on the safe side; and of what stands before a name in the legend.
const LETTER: f64 = 8.2;
const KEY: f64 = 58.0;
/// Pixels between markers of a curve.
const MARKER_EVERY: f64 = 70.0;

/// Writing into a string cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        let _ = write!($out, $($arg)*);
    }};
}

pub(super) fn svg(plot: &Plot) -> String {
    let xs = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p[0]));
    let ys = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p[1]));
    let x = Scale::fit(&plot.x, xs, LEFT, RIGHT);
    let y = Scale::fit(&plot.y, ys, BOTTOM, TOP);
    let columns = columns(&plot.series);
    let rows = plot.series.len().div_ceil(columns);
    let height = LEGEND + ROW * rows as f64;
    let mut out = String::new();
    put!(
        out,
        "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\"><title>{}</title><style>{SHEET}</style>",
        escape(&plot.title)
    );
    put!(out, "<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>");
    put!(out, "<text class=\"head\" x=\"{LEFT}\" y=\"24\">{}</text>", escape(&plot.title));
    axes(&mut out, plot, &x, &y);
    for (i, s) in plot.series.iter().enumerate() {
        curve(&mut out, s, s.style.unwrap_or(i), &x, &y);
    }
    for (i, s) in plot.series.iter().enumerate() {
        let wide = (WIDTH - LEFT) / columns as f64;
        let at = [LEFT + wide * (i % columns) as f64, LEGEND + ROW * (i / columns) as f64];
        key(&mut out, &s.name, s.style.unwrap_or(i), at);
    }
    out.push_str("</svg>");
    out
}

/// As many as the longest name leaves room for.
fn columns(series: &[Series]) -> usize {
    let longest = series.iter().map(|s| s.name.chars().count()).max().unwrap_or(1);
    (((WIDTH - LEFT) / (KEY + LETTER * longest as f64)) as usize).clamp(1, 4)
}

fn axes(out: &mut String, plot: &Plot, x: &Scale, y: &Scale) {
    for t in y.ticks() {
        if let Some(label) = &t.label {
            put!(out, "<path class=\"grid\" d=\"M{LEFT} {0:.1}H{RIGHT}\"/>", t.at);
            put!(
                out,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 10.0,
                t.at + 5.0
            );
        } else {
            put!(out, "<path class=\"frame\" d=\"M{LEFT} {:.1}h-4\"/>", t.at);
        }
    }
    for t in x.ticks() {
        if let Some(label) = &t.label {
            put!(out, "<path class=\"grid\" d=\"M{:.1} {TOP}V{BOTTOM}\"/>", t.at);
            put!(
                out,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                t.at,
                BOTTOM + 20.0
            );
        } else {
            put!(out, "<path class=\"frame\" d=\"M{:.1} {BOTTOM}v4\"/>", t.at);
        }
    }
    put!(
        out,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>",
        RIGHT - LEFT,
        BOTTOM - TOP
    );
    let middle = [0.5 * (LEFT + RIGHT), 0.5 * (TOP + BOTTOM)];
    put!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        middle[0],
        BOTTOM + 44.0,
        escape(&plot.x.title)
    );
    put!(
        out,
        "<text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        middle[1],
        escape(&plot.y.title)
    );
}

/// A curve, in pieces where points are missing, and its markers.
fn curve(out: &mut String, s: &Series, number: usize, x: &Scale, y: &Scale) {
    let look = style(number);
    let (mut path, mut pen_down) = (String::new(), false);
    let (mut last, mut marks): (Option<[f64; 2]>, Vec<[f64; 2]>) = (None, Vec::new());
    // Curves that lie on each other have their markers at different places.
    let mut next_mark = LEFT + MARKER_EVERY * (0.15 + 0.37 * (number % 6) as f64 / 2.2);
    for p in &s.points {
        let (Some(px), Some(py)) = (x.at(p[0]), y.at(p[1])) else {
            pen_down = false;
            continue;
        };
        // Points closer than half a pixel are one point.
        if pen_down && last.is_some_and(|l| (l[0] - px).abs() < 0.5 && (l[1] - py).abs() < 0.5) {
            continue;
        }
        put!(path, "{}{px:.1} {py:.1}", if pen_down { 'L' } else { 'M' });
        pen_down = true;
        if px >= next_mark {
            marks.push([px, py]);
            next_mark = px + MARKER_EVERY;
        }
        last = Some([px, py]);
    }
    if let Some(end) = last.filter(|l| marks.last() != Some(l)) {
        marks.push(end);
    }
    let dash =
        if look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", look.dash) };
    put!(out, "<path class=\"line s{}\"{dash} d=\"{path}\"/>", look.colour);
    for [px, py] in marks {
        put!(
            out,
            "<path class=\"f{}\" transform=\"translate({px:.1} {py:.1})\" d=\"{}\"/>",
            look.colour,
            look.marker
        );
    }
}

/// A row of the legend: a piece of the line, its marker, the name.
fn key(out: &mut String, name: &str, number: usize, [x, y]: [f64; 2]) {
    let look = style(number);
    let dash =
        if look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", look.dash) };
    put!(out, "<path class=\"line s{}\"{dash} d=\"M{x:.1} {:.1}h36\"/>", look.colour, y - 5.0);
    put!(
        out,
        "<path class=\"f{}\" transform=\"translate({:.1} {:.1})\" d=\"{}\"/>",
        look.colour,
        x + 18.0,
        y - 5.0,
        look.marker
    );
    put!(out, "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 44.0, escape(name));
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    fn example(name: &str) -> Plot {
        let points = |f: f64| (0..40).map(|n| [f64::from(n), f.powi(n)]).collect();
        Plot {
            title: format!("{name} & <others>"),
            x: Axis::linear("iterations"),
            y: Axis::log("relative error").between(1e-12, 1.0),
            series: vec![Series::new(name, points(0.5)), Series::new("slow", points(0.9))],
        }
    }

    #[test]
    fn text_cannot_break_out() {
        let svg = example("\"/><script>alert(1)</script>\u{0}").svg();
        assert!(!svg.contains("<script") && !svg.contains("<others>") && !svg.contains('\u{0}'));
        assert!(svg.contains("&lt;script&gt;") && svg.contains("&amp; &lt;others&gt;"));
        // Every tag is closed: as many opened as closed or empty ones.
        let opened = svg.matches('<').count() - svg.matches("</").count();
        assert_eq!(opened, svg.matches("</").count() + svg.matches("/>").count());
    }

    #[test]
    fn the_same_numbers_give_the_same_bytes() {
        assert_eq!(example("a").svg(), example("a").svg());
    }

    #[test]
    fn the_legend_is_below_the_axes_and_inside_of_the_picture() {
        let many = Plot {
            series: (0..13).map(|i| Series::new(format!("method number {i}"), vec![[1.0, 1.0]])).collect(),
            ..example("a")
        };
        let svg = many.svg();
        let height: f64 = svg
            .split("height=\"")
            .nth(1)
            .and_then(|s| s.split('"').next())
            .and_then(|s| s.parse().ok())
            .unwrap_or(0.0);
        for i in 0..13 {
            let before = svg.split(&format!(">method number {i}<")).next().unwrap_or("");
            let y: f64 = before
                .rsplit("y=\"")
                .next()
                .and_then(|s| s.split('"').next())
                .and_then(|s| s.parse().ok())
                .unwrap_or(0.0);
            assert!(y > BOTTOM + 50.0 && y < height, "{i}: {y} of {height}");
        }
    }

    #[test]
    fn gaps_and_nonsense_are_left_out() {
        let mut plot = example("a");
        plot.series[0].points = vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 0.0], [3.0, 0.1], [4.0, 0.01]];
        let svg = plot.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let line = svg.split("class=\"line ").nth(1).unwrap_or("");
        let path = line.split(" d=\"").nth(1).and_then(|s| s.split('"').next()).unwrap_or("");
        assert_eq!(path.matches('M').count(), 2, "two pieces: {path}");
        plot.series.clear();
        assert!(plot.svg().ends_with("</svg>"));
    }
}
