//! Sheets as they are drawn: rounded between their vertices, and with their thickness.
//!
//! A sheet of few triangles is a smooth one that was sampled. Between two vertices it is drawn where the planes at right angles to their normals
//! say, three quarters of the way to them: Phong tessellation (Boubekeur and Alexa, ACM Trans. Graph. 27(5), 2008).
use super::scene::{Colour, Drawable, Painted, Wire};

/// Triangles up to which a sheet is rounded once more.
const MOST: usize = 5_000;
/// How many times at most.
const LEVELS: usize = 2;
/// How far towards the planes.
const ALPHA: f64 = 0.75;
/// Cosine between the normals of a vertex and of a face around it below which it lies on a sharp edge.
const SHARP: f64 = 0.75;

type P = [f64; 3];

fn plus(a: P, s: f64, b: P) -> P {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: P) -> P {
    let length = dot(a, a).sqrt();
    if length > 0.0 && length.is_finite() { a.map(|c| c / length) } else { [0.0; 3] }
}

/// Normals at the vertices: sums over the faces around, by their areas.
fn normals(positions: &[P], triangles: &[[u32; 3]]) -> Vec<P> {
    let mut sums = vec![[0.0; 3]; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let n = cross(plus(b, -1.0, a), plus(c, -1.0, a));
        t.iter().for_each(|&v| sums[v as usize] = plus(sums[v as usize], 1.0, n));
    }
    sums.into_iter().map(unit).collect()
}

/// The same, but nothing where the surface has a sharp edge, which is not rounded.
fn round_normals(positions: &[P], triangles: &[[u32; 3]]) -> Vec<P> {
    let mut normals = normals(positions, triangles);
    let all = normals.clone();
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let n = unit(cross(plus(b, -1.0, a), plus(c, -1.0, a)));
        for &v in t {
            if dot(n, all[v as usize]) < SHARP {
                normals[v as usize] = [0.0; 3];
            }
        }
    }
    normals
}

/// Middles of edges, each made once.
struct Middles {
    /// Of each vertex the last edge that begins there, and of each edge the one before it, its other end and its middle.
    last: Vec<u32>,
    edges: Vec<(u32, u32)>,
    ends: Vec<[u32; 2]>,
}

const NONE: u32 = u32::MAX;

impl Middles {
    fn of(&mut self, a: u32, b: u32, count: usize) -> u32 {
        let (low, high) = (a.min(b), a.max(b));
        let mut at = self.last[low as usize];
        while at != NONE {
            let (before, other) = self.edges[at as usize];
            if other == high {
                return count as u32 + at;
            }
            at = before;
        }
        let new = self.edges.len() as u32;
        self.edges.push((self.last[low as usize], high));
        self.last[low as usize] = new;
        self.ends.push([low, high]);
        count as u32 + new
    }
}

/// Each triangle becomes four.
fn round(mesh: &mut Drawable) {
    let count = mesh.positions.len();
    let normals = round_normals(&mesh.positions, &mesh.triangles);
    let mut middles = Middles { last: vec![NONE; count], edges: Vec::new(), ends: Vec::new() };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[p, q]| middles.of(p, q, count));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    mesh.triangles = triangles;
    for &[a, b] in &middles.ends {
        let (p, q) = (mesh.positions[a as usize], mesh.positions[b as usize]);
        let middle = plus(p, 0.5, plus(q, -1.0, p));
        let onto = |at: P, n: P| plus([0.0; 3], dot(plus(middle, -1.0, at), n), n);
        let off = plus(onto(p, normals[a as usize]), 1.0, onto(q, normals[b as usize]));
        mesh.positions.push(plus(middle, -0.5 * ALPHA, off));
    }
    let mean = |list: &mut Vec<[f32; 3]>| {
        for &[a, b] in &middles.ends {
            let of = |v: u32| list.get(v as usize).copied().unwrap_or([0.5; 3]);
            let (p, q) = (of(a), of(b));
            list.push([0, 1, 2].map(|k| 0.5 * (p[k] + q[k])));
        }
    };
    if let Colour::PerVertex(colours) = &mut mesh.colour {
        mean(colours);
    }
    if let Some(Painted { places, .. }) = &mut mesh.pattern {
        mean(places);
    }
}

/// Two layers as far from each other as the sheet is thick, and a rim where it ends.
fn thicken(mesh: &mut Drawable, thickness: f64) {
    let count = mesh.positions.len();
    let normals = normals(&mesh.positions, &mesh.triangles);
    let mut borders: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(3 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        borders.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], [p, q])));
    }
    borders.sort_unstable();
    let lone = |i: usize| {
        let same = |j: usize| borders.get(j).is_some_and(|b| b.0 == borders[i].0);
        !same(i + 1) && !(i > 0 && same(i - 1))
    };
    let rim: Vec<[u32; 2]> = (0..borders.len()).filter(|&i| lone(i)).map(|i| borders[i].1).collect();
    let layer = |side: f64| {
        let each = mesh.positions.iter().zip(&normals);
        each.map(|(p, n)| plus(*p, 0.5 * side * thickness, *n)).collect::<Vec<P>>()
    };
    let (above, below) = (layer(1.0), layer(-1.0));
    let n = count as u32;
    let under: Vec<[u32; 3]> = mesh.triangles.iter().map(|&[a, b, c]| [a + n, c + n, b + n]).collect();
    mesh.triangles.extend(under);
    // The rim has vertices of its own, so that its edges are sharp.
    mesh.positions = [above.clone(), below.clone()].concat();
    let double = |list: &mut Vec<[f32; 3]>| {
        list.resize(count, [0.5; 3]);
        let own = list.clone();
        list.extend(&own);
        for &[a, b] in &rim {
            list.extend([a, b, a, b].map(|v| own[v as usize]));
        }
    };
    if let Colour::PerVertex(colours) = &mut mesh.colour {
        double(colours);
    }
    if let Some(Painted { places, .. }) = &mut mesh.pattern {
        double(places);
    }
    for &[a, b] in &rim {
        let first = mesh.positions.len() as u32;
        let (a, b) = (a as usize, b as usize);
        mesh.positions.extend([above[a], above[b], below[a], below[b]]);
        mesh.triangles.extend([[first, first + 2, first + 1], [first + 1, first + 2, first + 3]]);
    }
}

/// A sheet as it is drawn, where a length of `pixel` is too small to be seen; none if it is drawn as it is.
pub(crate) fn drawn(mesh: &Drawable, pixel: f64) -> Option<Drawable> {
    let thickness = mesh.sheet.filter(|_| mesh.wire == Wire::Off)?;
    let known = |v: &u32| mesh.positions.get(*v as usize).is_some_and(|p| p.iter().all(|c| c.is_finite()));
    let mut sheet = mesh.clone();
    sheet.triangles.retain(|t| t.iter().all(known));
    for _ in 0..LEVELS {
        if sheet.triangles.len() <= MOST {
            round(&mut sheet);
        }
    }
    if thickness > pixel && thickness.is_finite() {
        thicken(&mut sheet, thickness);
        sheet.two_sided = false;
    }
    Some(sheet)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A part of a cylinder of radius 1 around z, of n by 2 quadrilaterals.
    fn arch(n: u32) -> Drawable {
        let mut mesh = Drawable { two_sided: true, sheet: Some(0.0), ..Drawable::default() };
        for i in 0..=n {
            let angle = 2.0 * f64::from(i) / f64::from(n) + 0.5;
            mesh.positions.extend([0.0, 0.5, 1.0].map(|z| [angle.cos(), angle.sin(), z]));
        }
        for i in 0..n {
            for j in 0..2 {
                let [a, b, c, d] = [3 * i + j, 3 * i + j + 3, 3 * i + j + 4, 3 * i + j + 1];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        mesh
    }

    #[test]
    fn a_sampled_cylinder_comes_nearer_to_the_cylinder() {
        let coarse = arch(6);
        let fine = drawn(&coarse, 1.0).unwrap();
        assert_eq!(fine.triangles.len(), 16 * coarse.triangles.len());
        // Middles of triangles: how far they are off the cylinder, at most, away from the border, where normals are not those of the cylinder.
        let off = |m: &Drawable| {
            let inner = |p: &P| (0.9..2.1).contains(&p[1].atan2(p[0]));
            let middles = m.triangles.iter().map(|t| {
                let sum = t.iter().fold([0.0; 3], |s, &v| plus(s, 1.0 / 3.0, m.positions[v as usize]));
                (sum, (1.0 - sum[0].hypot(sum[1])).abs())
            });
            middles.filter(|(p, _)| inner(p)).map(|m| m.1).fold(0.0, f64::max)
        };
        assert!(off(&fine) < 0.45 * off(&coarse), "{} of {}", off(&fine), off(&coarse));
        // The vertices that were there stay.
        assert_eq!(fine.positions[..coarse.positions.len()], coarse.positions[..]);
        // What is flat stays flat.
        let mut flat = coarse.clone();
        flat.positions.iter_mut().for_each(|p| p[1] = 0.25);
        assert!(drawn(&flat, 1.0).unwrap().positions.iter().all(|p| p[1] == 0.25));
    }

    #[test]
    fn a_thick_sheet_is_closed() {
        let mut sheet = arch(6);
        sheet.sheet = Some(0.05);
        let solid = drawn(&sheet, 1e-3).unwrap();
        assert!(!solid.two_sided);
        // Volume by the divergence theorem: area times thickness.
        let volume: f64 = solid
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| solid.positions[v as usize]);
                dot(a, cross(b, c)) / 6.0
            })
            .sum();
        assert!((volume / (2.0 * 0.05) - 1.0).abs() < 0.02, "{volume}");
        // Too thin to be seen: one layer. Bad input is left out.
        assert!(drawn(&sheet, 0.1).unwrap().two_sided);
        sheet.positions[4] = [f64::NAN; 3];
        sheet.triangles.push([0, 1, 999]);
        let rest = drawn(&sheet, 1e-3).unwrap();
        assert!(rest.triangles.iter().flatten().all(|&v| rest.positions[v as usize][0].is_finite()));
    }
}
