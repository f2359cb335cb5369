//! What was done and what came out, in numbers and in words.

use super::Kind;
use super::clean::Clean;
use super::inside::centred_tree;
use super::tree::Tree;
use crate::exec::Exec;
use crate::math::small::{axpy, cross, dot, scale, sub};
use crate::mesh::quality::dihedral_angles;

/// Points of the surface from which the thickness is measured.
const THICKNESS_POINTS: usize = 2000;
/// Points of the surface whose distance from the body is measured.
const LOST_POINTS: usize = 10_000;
/// Points or tetrahedra that one thread looks at at a time.
const PIECE: usize = 128;

/// How a surface was filled. Shares are numbers from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FillReport {
    /// Vertices at the place of another one, which were taken as one.
    pub welded: usize,
    /// Triangles without area, which were dropped.
    pub degenerate: usize,
    /// Copies of other triangles, which were dropped.
    pub doubled: usize,
    /// Triangles that were turned because their neighbours face the other way.
    pub turned: usize,
    /// Shells: patches of triangles joined by edges.
    pub shells: usize,
    /// Shells that faced inwards and were turned whole.
    pub shells_turned: usize,
    /// Closed shells that face inwards and lie in another one.
    pub cavities: usize,
    /// Those of them that were filled, as asked.
    pub cavities_filled: usize,
    /// Edges at which the surface is open; the winding number closed it there.
    pub open_edges: usize,
    /// What was made.
    pub kind: Kind,
    /// Size of the lattice in m.
    pub size: f64,
    /// Whether that is the size by default, a thirtieth of the bounding box's diagonal.
    pub default_size: bool,
    /// Tetrahedra that were asked for.
    pub asked: Option<usize>,
    /// Lattices that were tried to get as many.
    pub passes: usize,
    /// Nodes of the body.
    pub nodes: usize,
    /// Tetrahedra of the body.
    pub tets: usize,
    /// Smallest and largest angle between faces, in radians.
    pub dihedral: [f64; 2],
    /// Volume of the body, with fill fractions, in m³.
    pub volume: f64,
    /// Volume inside of the surface in m³, if it is closed and its shells do not overlap.
    pub surface_volume: Option<f64>,
    /// Share by which the body's volume, and so its mass, is above that of the surface.
    pub volume_error: Option<f64>,
    /// Share of the surface's area that is further than half a size from the body.
    pub lost_area: f64,
    /// Parts of the body that share no face.
    pub parts: usize,
    /// Parts that were dropped.
    pub parts_dropped: usize,
    /// Their share of the volume.
    pub dropped_volume: f64,
    /// Nodes that were doubled, since tetrahedra met in them alone.
    pub split_nodes: usize,
    /// Tetrahedra that were dropped, since they hung on an edge.
    pub hinges_dropped: usize,
    /// Tetrahedra of a cage that were added, since others met in an edge or a node alone.
    pub joined: usize,
    /// Thickness of the body below 5 %, 50 % of its surface in m, if there is any.
    pub thickness: Option<[f64; 2]>,
    /// Share of the area below which the body is thinner than two sizes: there it is too stiff, or lost.
    pub thin: f64,
    /// Seconds that it took; 0 without a clock.
    pub seconds: f64,
}

impl FillReport {
    /// The size in m at which 95 % of the body would be two sizes thick or more.
    pub fn size_that_would_do(&self) -> Option<f64> {
        self.thickness.map(|[thin, _]| 0.5 * thin)
    }

    /// The share of tetrahedra above (or below) those asked for.
    pub fn count_error(&self) -> Option<f64> {
        self.asked.map(|n| self.tets as f64 / n as f64 - 1.0)
    }

    /// The report in words: one sentence for each thing that was done or is worth knowing.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut say = |yes: bool, text: String| {
            if yes {
                notes.push(text);
            }
        };
        let n =
            |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        say(
            self.welded > 0,
            format!("{} at the place of another were welded", n(self.welded, "vertex", "vertices")),
        );
        say(
            self.degenerate > 0,
            format!("{} without area dropped", n(self.degenerate, "triangle", "triangles")),
        );
        say(
            self.doubled > 0,
            format!("{} that came twice dropped", n(self.doubled, "triangle", "triangles")),
        );
        say(
            self.turned > 0,
            format!("{} turned to face as their neighbours do", n(self.turned, "triangle", "triangles")),
        );
        say(self.shells_turned > 0, format!("{} turned outwards", n(self.shells_turned, "shell", "shells")));
        let kept = self.cavities - self.cavities_filled;
        say(kept > 0, format!("{} kept (`cavities = \"fill\"` fills them)", n(kept, "cavity", "cavities")));
        say(self.cavities_filled > 0, format!("{} filled", n(self.cavities_filled, "cavity", "cavities")));
        say(
            self.open_edges > 0,
            format!(
                "the surface is open along {}: the winding number closed it",
                n(self.open_edges, "edge", "edges")
            ),
        );
        say(
            self.default_size,
            format!(
                "no size was given: {:.4} m, a thirtieth of the bounding box's diagonal, was taken",
                self.size
            ),
        );
        if let (Some(asked), Some(error)) = (self.asked, self.count_error()) {
            let far = error.abs() > 0.1;
            say(
                far,
                format!(
                    "{asked} tetrahedra were asked for: no size of the lattice gives a number closer than {}",
                    self.tets
                ),
            );
        }
        say(
            self.split_nodes > 0,
            format!(
                "{} doubled, at which tetrahedra met without a face",
                n(self.split_nodes, "node was", "nodes were")
            ),
        );
        say(
            self.hinges_dropped > 0,
            format!("{} that hung on an edge dropped", n(self.hinges_dropped, "tetrahedron", "tetrahedra")),
        );
        say(
            self.joined > 0,
            format!("{} added where others met without a face", n(self.joined, "tetrahedron", "tetrahedra")),
        );
        say(
            self.parts_dropped > 0,
            format!(
                "{} dropped, {} of the volume",
                n(self.parts_dropped, "part", "parts"),
                percent(self.dropped_volume)
            ),
        );
        let whole = if self.kind == Kind::Cage { "" } else { ", or `kind = \"cage\"`," };
        say(
            self.parts > self.shells.max(1),
            format!("the body falls into {} parts: a smaller size{whole} keeps it together", self.parts),
        );
        say(
            self.lost_area > 0.005,
            format!(
                "{} of the surface is further than half a size from the body: a smaller size{whole} keeps it",
                percent(self.lost_area)
            ),
        );
        if let Some(error) = self.volume_error {
            let text = format!(
                "the volume is {:+.1} % of the surface's off: scale the density for the true mass",
                100.0 * error
            );
            say(error.abs() > 0.005, text);
        }
        if let Some(size) = self.size_that_would_do() {
            let text = format!(
                "below {} of the surface the body is thinner than two sizes and too stiff to bend truly: a size of {size:.2e} m would do",
                percent(self.thin)
            );
            say(self.thin > 0.05, text);
        }
        notes
    }

    /// Takes over what cleaning did.
    pub(super) fn cleaned(&mut self, clean: &Clean) {
        self.welded = clean.welded;
        self.degenerate = clean.degenerate;
        self.doubled = clean.doubled;
        self.turned = clean.turned;
        self.shells = clean.shells;
        self.shells_turned = clean.shells_turned;
        self.cavities = clean.cavities;
        self.cavities_filled = clean.cavities_filled;
        self.open_edges = clean.open_edges;
    }
}

/// Smallest and largest angle between faces.
pub(super) fn dihedral(vertices: &[[f64; 3]], tets: &[[u32; 4]], exec: &Exec) -> [f64; 2] {
    let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; tets.len().div_ceil(PIECE)];
    exec.for_each_chunk(&mut ranges, 1, |piece, range| {
        let range = &mut range[0];
        for t in &tets[piece * PIECE..tets.len().min((piece + 1) * PIECE)] {
            for angle in dihedral_angles(t.map(|v| vertices[v as usize])) {
                *range = [range[0].min(angle), range[1].max(angle)];
            }
        }
    });
    ranges.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// Points spread evenly over a surface: triangle and position.
pub(super) fn spread(clean: &Clean, count: usize) -> Vec<(usize, [f64; 3])> {
    let areas: Vec<f64> = (0..clean.triangles.len()).map(|t| super::clean::area(clean.corners(t))).collect();
    let total: f64 = areas.iter().sum();
    let mut out = Vec::with_capacity(count);
    let (mut t, mut before) = (0, 0.0);
    for i in 0..count {
        let at = total * (i as f64 + 0.5) / count as f64;
        while t + 1 < areas.len() && before + areas[t] < at {
            before += areas[t];
            t += 1;
        }
        // A low-discrepancy sequence over the triangle (Roberts 2018), folded from the square.
        let (u, v) =
            ((0.754_877_666_246_692_7 * i as f64).fract(), (0.569_840_290_998_053_2 * i as f64).fract());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let [a, b, c] = clean.corners(t);
        out.push((t, axpy(axpy(a, u, sub(b, a)), v, sub(c, a))));
    }
    out
}

/// Thicknesses below the surface in m, ascending, at points spread evenly over it: the way along the inward normal to where the body ends.
pub(super) fn thicknesses(clean: &Clean, exec: &Exec) -> Vec<f64> {
    let tree = centred_tree(clean);
    let centre = clean.centre();
    let points = spread(clean, THICKNESS_POINTS);
    let least = 1e-7 * clean.diagonal();
    let mut out = vec![f64::NAN; points.len()];
    exec.for_each_chunk(&mut out, PIECE, |piece, out| {
        for (i, way) in out.iter_mut().enumerate() {
            let (t, p) = points[piece * PIECE + i];
            let [a, b, c] = clean.corners(t);
            let n = cross(sub(b, a), sub(c, a));
            let inwards = scale(-1.0 / dot(n, n).sqrt(), n);
            *way = tree.ray(sub(p, centre), inwards, least).unwrap_or(f64::NAN);
        }
    });
    out.retain(|w| w.is_finite());
    out.sort_unstable_by(f64::total_cmp);
    out
}

/// Share of the area further than half a lattice unit from the body's boundary and not in it; `to_lattice` places points.
pub(super) fn lost_area(
    clean: &Clean,
    to_lattice: impl Fn([f64; 3]) -> [f64; 3] + Sync,
    vertices: &[[f64; 3]],
    boundary: &[[u32; 3]],
    exec: &Exec,
) -> f64 {
    let tree = Tree::new(boundary.iter().map(|t| t.map(|v| vertices[v as usize]))).with_moments();
    let points = spread(clean, LOST_POINTS);
    let mut lost = vec![false; points.len()];
    exec.for_each_chunk(&mut lost, PIECE, |piece, lost| {
        for (i, lost) in lost.iter_mut().enumerate() {
            let p = to_lattice(points[piece * PIECE + i].1);
            *lost = tree.nearest(p, 0.25).is_none() && tree.winding(p) < 0.5;
        }
    });
    lost.iter().filter(|l| **l).count() as f64 / points.len() as f64
}
