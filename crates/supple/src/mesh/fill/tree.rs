//! A tree over triangles: winding numbers, distances and rays.
//!
//! The winding number is (1/4π) Σ Ω over all triangles (Jacobson, Kavan, Sorkine-Hornung 2013), with far parts of the tree taken as a
//! dipole and its first moment (Barill et al. 2018): with r = p − q, 4πw ≈ d·r/|r|³ + tr M/|r|³ − 3 rᵀMr/|r|⁵.

use crate::math::elementary::atan2;
use crate::math::small::{add, axpy, cross, dot, scale, sub};

/// A part of the tree is taken whole if it is further away than this many of its radii.
const FAR: f64 = 2.5;
/// Triangles of a leaf.
const LEAF: usize = 8;
/// Depth of a balanced tree over 2³² things, and some more.
const DEPTH: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Moments {
    centre: [f64; 3],
    /// (βR)², R the radius around the centre.
    far: f64,
    dipole: [f64; 3],
    /// M by columns: Σ A (c − p) nᵀ.
    moment: [[f64; 3]; 3],
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    bounds: [[f64; 3]; 2],
    /// A leaf's triangles are `first..first + count`; an inner node has count 0, its first child behind it and its second at `first`.
    first: u32,
    count: u32,
}

/// Triangles in the order of the tree.
#[derive(Clone, Debug, Default)]
pub(in crate::mesh) struct Tree {
    corners: Vec<[[f64; 3]; 3]>,
    /// Number of each triangle in the caller's order.
    pub order: Vec<u32>,
    branches: Vec<Branch>,
    moments: Vec<Moments>,
}

/// The signed solid angle of a triangle seen from a point (van Oosterom, Strackee 1983); 0 in its own plane.
pub(super) fn solid_angle(t: [[f64; 3]; 3], q: [f64; 3]) -> f64 {
    let [a, b, c] = t.map(|p| sub(p, q));
    let (x, y) = half_angle(a, b, c);
    if y == 0.0 { 0.0 } else { 2.0 * atan2(y, x) }
}

/// Cosine and sine of half of the solid angle, times something positive.
#[inline]
fn half_angle(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> (f64, f64) {
    let [la, lb, lc] = [a, b, c].map(|v| dot(v, v).sqrt());
    (la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb, dot(a, cross(b, c)))
}

impl Tree {
    /// Over all triangles.
    pub fn new(triangles: impl ExactSizeIterator<Item = [[f64; 3]; 3]>) -> Tree {
        let corners: Vec<[[f64; 3]; 3]> = triangles.collect();
        let centres: Vec<[f64; 3]> = corners.iter().map(|[a, b, c]| add(add(*a, *b), *c)).collect();
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        let mut tree = Tree::default();
        if !corners.is_empty() {
            tree.split(&centres, &mut order, 0, corners.len());
        }
        tree.corners = order.iter().map(|&t| corners[t as usize]).collect();
        tree.order = order;
        for at in (0..tree.branches.len()).rev() {
            let b = tree.branches[at];
            let around = |b: [[f64; 3]; 2], p: [f64; 3]| -> [[f64; 3]; 2] {
                [std::array::from_fn(|c| b[0][c].min(p[c])), std::array::from_fn(|c| b[1][c].max(p[c]))]
            };
            let nothing = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            tree.branches[at].bounds = if b.count > 0 {
                tree.leaf(b).iter().flatten().fold(nothing, |b, p| around(b, *p))
            } else {
                let (left, right) = (tree.branches[at + 1].bounds, tree.branches[b.first as usize].bounds);
                left.into_iter().chain(right).fold(nothing, around)
            };
        }
        tree
    }

    fn leaf(&self, b: Branch) -> &[[[f64; 3]; 3]] {
        &self.corners[b.first as usize..(b.first + b.count) as usize]
    }

    fn split(&mut self, centres: &[[f64; 3]], order: &mut [u32], first: usize, end: usize) {
        let at = self.branches.len();
        self.branches.push(Branch {
            bounds: [[0.0; 3]; 2],
            first: first as u32,
            count: (end - first) as u32,
        });
        if end - first <= LEAF {
            return;
        }
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for &t in &order[first..end] {
            for c in 0..3 {
                low[c] = low[c].min(centres[t as usize][c]);
                high[c] = high[c].max(centres[t as usize][c]);
            }
        }
        let wide = sub(high, low);
        let axis = if wide[0] >= wide[1] && wide[0] >= wide[2] {
            0
        } else if wide[1] >= wide[2] {
            1
        } else {
            2
        };
        let middle = (first + end) / 2;
        order[first..end].select_nth_unstable_by(middle - first, |&i, &j| {
            centres[i as usize][axis].total_cmp(&centres[j as usize][axis]).then(i.cmp(&j))
        });
        self.split(centres, order, first, middle);
        let second = self.branches.len() as u32;
        self.split(centres, order, middle, end);
        self.branches[at].first = second;
        self.branches[at].count = 0;
    }

    /// Prepares winding numbers.
    pub fn with_moments(mut self) -> Tree {
        // Sums of A, A c, A n and A c nᵀ up the tree; then about each part's own centre.
        #[derive(Clone, Copy)]
        struct Sums {
            area: f64,
            centre: [f64; 3],
            dipole: [f64; 3],
            moment: [[f64; 3]; 3],
        }
        let zero = Sums { area: 0.0, centre: [0.0; 3], dipole: [0.0; 3], moment: [[0.0; 3]; 3] };
        let plus = |a: Sums, b: Sums| Sums {
            area: a.area + b.area,
            centre: add(a.centre, b.centre),
            dipole: add(a.dipole, b.dipole),
            moment: std::array::from_fn(|c| add(a.moment[c], b.moment[c])),
        };
        let mut sums = vec![zero; self.branches.len()];
        for at in (0..self.branches.len()).rev() {
            let b = self.branches[at];
            sums[at] = if b.count > 0 {
                self.leaf(b).iter().fold(zero, |s, &[p, q, r]| {
                    let n = scale(0.5, cross(sub(q, p), sub(r, p)));
                    let (area, centre) = (dot(n, n).sqrt(), scale(1.0 / 3.0, add(add(p, q), r)));
                    let moment = std::array::from_fn(|c| scale(n[c], centre));
                    plus(s, Sums { area, centre: scale(area, centre), dipole: n, moment })
                })
            } else {
                plus(sums[at + 1], sums[b.first as usize])
            };
        }
        let centre_of = |s: &Sums| scale(1.0 / s.area.max(f64::MIN_POSITIVE), s.centre);
        let mut reach = vec![0.0f64; self.branches.len()];
        for at in (0..self.branches.len()).rev() {
            let (b, centre) = (self.branches[at], centre_of(&sums[at]));
            let away = |p: [f64; 3]| dot(sub(p, centre), sub(p, centre)).sqrt();
            reach[at] = if b.count > 0 {
                self.leaf(b).iter().flatten().map(|p| away(*p)).fold(0.0, f64::max)
            } else {
                // No triangle reaches beyond the box.
                let far: [f64; 3] =
                    std::array::from_fn(|c| (b.bounds[1][c] - centre[c]).max(centre[c] - b.bounds[0][c]));
                let child = |at: usize| reach[at] + away(centre_of(&sums[at]));
                dot(far, far).sqrt().min(child(at + 1).max(child(b.first as usize)))
            };
        }
        self.moments = (0..self.branches.len())
            .map(|at| {
                let (s, centre) = (sums[at], centre_of(&sums[at]));
                let moment = std::array::from_fn(|c| axpy(s.moment[c], -s.dipole[c], centre));
                Moments { centre, far: (FAR * reach[at]).powi(2), dipole: s.dipole, moment }
            })
            .collect();
        self
    }

    /// The winding number around a point.
    pub fn winding(&self, q: [f64; 3]) -> f64 {
        let mut stack = [0u32; DEPTH];
        let mut depth = usize::from(!self.moments.is_empty());
        let (mut far, mut near) = (0.0, 0.0);
        while depth > 0 {
            depth -= 1;
            let at = stack[depth] as usize;
            let m = &self.moments[at];
            let r = sub(m.centre, q);
            let square = dot(r, r);
            if square > m.far {
                let inverse = 1.0 / square;
                let cube = inverse * inverse.sqrt();
                let trace = m.moment[0][0] + m.moment[1][1] + m.moment[2][2];
                let mr = axpy(axpy(scale(r[0], m.moment[0]), r[1], m.moment[1]), r[2], m.moment[2]);
                far += cube * (dot(m.dipole, r) + trace - 3.0 * dot(r, mr) * inverse);
                continue;
            }
            let b = self.branches[at];
            if b.count == 0 {
                if depth + 2 <= DEPTH {
                    (stack[depth], stack[depth + 1]) = (b.first, at as u32 + 1);
                    depth += 2;
                }
                continue;
            }
            // Half angles below π/2 add up by multiplying complex numbers: one arctangent for several triangles.
            let (mut x, mut y) = (1.0, 0.0);
            for t in self.leaf(b) {
                let [a, b, c] = t.map(|p| sub(p, q));
                let (u, v) = half_angle(a, b, c);
                if v == 0.0 {
                    continue;
                }
                if u > 0.0 && x > 0.0 {
                    (x, y) = (x * u - y * v, x * v + y * u);
                    if x <= 0.0 {
                        near += 2.0 * atan2(y, x);
                        (x, y) = (1.0, 0.0);
                    } else {
                        let size = 1.0 / (x + y.abs());
                        (x, y) = (x * size, y * size);
                    }
                } else {
                    near += 2.0 * atan2(v, u);
                }
            }
            near += 2.0 * atan2(y, x);
        }
        (far + near) / (4.0 * std::f64::consts::PI)
    }

    /// The nearest triangle that is nearer than √`most`: square of the distance, and the caller's number.
    pub fn nearest(&self, q: [f64; 3], most: f64) -> Option<(f64, u32)> {
        let gap = |at: u32| {
            let b = self.branches[at as usize].bounds;
            (0..3).map(|c| (b[0][c] - q[c]).max(q[c] - b[1][c]).max(0.0).powi(2)).sum::<f64>()
        };
        let mut stack = [(0u32, 0.0); DEPTH];
        let mut depth = usize::from(!self.branches.is_empty());
        if depth > 0 {
            stack[0] = (0, gap(0));
        }
        let (mut most, mut found) = (most, None);
        while depth > 0 {
            depth -= 1;
            let (at, away) = stack[depth];
            if away >= most {
                continue;
            }
            let b = self.branches[at as usize];
            if b.count > 0 {
                for (i, t) in self.leaf(b).iter().enumerate() {
                    let d = triangle_distance2(*t, q);
                    if d < most {
                        (most, found) = (d, Some(self.order[b.first as usize + i]));
                    }
                }
            } else if depth + 2 <= DEPTH {
                let (left, right) = ((at + 1, gap(at + 1)), (b.first, gap(b.first)));
                let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
                (stack[depth], stack[depth + 1]) = (far, near);
                depth += 2;
            }
        }
        found.map(|t| (most, t))
    }

    /// How far a ray goes from a point, in lengths of `way`, to the first triangle beyond `least` that it hits from behind: that it
    /// leaves the body through.
    pub fn ray(&self, from: [f64; 3], way: [f64; 3], least: f64) -> Option<f64> {
        let inverse = way.map(|w| 1.0 / w);
        let enter = |at: u32, most: f64| {
            let b = self.branches[at as usize].bounds;
            let (mut low, mut high) = (0.0f64, most);
            for c in 0..3 {
                let (s, t) = ((b[0][c] - from[c]) * inverse[c], (b[1][c] - from[c]) * inverse[c]);
                // A ray in the plane of a side gives NaN, which `min` and `max` pass over.
                low = low.max(s.min(t));
                high = high.min(s.max(t));
            }
            if low <= high { Some(low) } else { None }
        };
        let mut stack = [0u32; DEPTH];
        let mut depth = usize::from(!self.branches.is_empty());
        let mut most = f64::INFINITY;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            if enter(at, most).is_none() {
                continue;
            }
            let b = self.branches[at as usize];
            if b.count > 0 {
                for &[p, q, r] in self.leaf(b) {
                    let (e, f) = (sub(q, p), sub(r, p));
                    let s = cross(way, f);
                    let det = dot(e, s);
                    // det > 0: the ray comes from the front.
                    if !(det < 0.0) {
                        continue;
                    }
                    let d = sub(from, p);
                    let u = dot(d, s) / det;
                    let w = cross(d, e);
                    let v = dot(way, w) / det;
                    let t = dot(f, w) / det;
                    if u >= -1e-9 && v >= -1e-9 && u + v <= 1.0 + 1e-9 && t > least && t < most {
                        most = t;
                    }
                }
            } else if depth + 2 <= DEPTH {
                (stack[depth], stack[depth + 1]) = (b.first, at + 1);
                depth += 2;
            }
        }
        most.is_finite().then_some(most)
    }
}

/// Square of the distance of a point from a triangle (Ericson, *Real-Time Collision Detection*, 5.1.5).
pub(crate) fn triangle_distance2([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> f64 {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let square = |v: [f64; 3]| dot(v, v);
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return square(ap);
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return square(bp);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return square(axpy(ap, -d1 / (d1 - d3), ab));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return square(cp);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return square(axpy(ap, -d2 / (d2 - d6), ac));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return square(axpy(bp, -t, sub(c, b)));
    }
    let n = cross(ab, ac);
    let d = dot(n, ap);
    d * d / square(n)
}
