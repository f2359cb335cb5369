//! Rigid motions of bodies that nothing prevents.

use super::Simulation;
use crate::math::small::{add, cross, dot, scale, sub};
use serde::Serialize;

/// A rigid motion of a body that neither pins nor anchors prevent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RigidMode {
    /// The body.
    pub body: String,
    /// Its number.
    pub number: usize,
    /// Unit direction of a translation, or zero.
    pub translation: [f64; 3],
    /// Unit axis of a turn, or zero.
    pub axis: [f64; 3],
    /// A point that the axis passes through, in m.
    pub through: [f64; 3],
}

impl std::fmt::Display for RigidMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |v: [f64; 3]| {
            let axis = ["x", "y", "z"].into_iter().zip(v).find(|(_, c)| c.abs() > 1.0 - 1e-6);
            axis.map_or_else(|| format!("({:.3}, {:.3}, {:.3})", v[0], v[1], v[2]), |(n, _)| n.to_string())
        };
        if self.axis == [0.0; 3] {
            write!(f, "body `{}` can move along {}", self.body, name(self.translation))
        } else {
            let p = self.through;
            let at = format!("({:.3}, {:.3}, {:.3})", p[0], p[1], p[2]);
            write!(f, "body `{}` can turn about {} through {at}", self.body, name(self.axis))
        }
    }
}

type Mat6 = [[f64; 6]; 6];

/// Eigenvalues and eigenvectors (rows) of a symmetric matrix, by Jacobi's method.
fn eigen(mut a: Mat6) -> ([f64; 6], Mat6) {
    let mut v: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..60 {
        for p in 0..6 {
            for q in p + 1..6 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..6 {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..6 {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                    (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
                }
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

impl Simulation {
    /// Rigid motions of each body that neither pins nor anchors prevent: at most six. Bodies without elements are left out.
    pub fn rigid_modes(&self) -> Vec<RigidMode> {
        let held = self.held();
        let x = self.positions();
        let mut modes = Vec::new();
        for (number, b) in self.bodies.iter().enumerate() {
            let nodes = b.first_node..b.first_node + b.nodes;
            let mut fixed: Vec<(usize, [bool; 3])> =
                nodes.clone().map(|i| (i, held[i])).filter(|h| h.1 != [false; 3]).collect();
            let mine = self.anchors.iter().filter(|a| a.body as usize == number);
            fixed.extend(mine.map(|a| (b.first_node + a.node as usize, [true; 3])));
            let size = self.work.body_size.get(number).copied().unwrap_or(1.0);
            let middle = |ids: &mut dyn Iterator<Item = usize>| {
                let (mut sum, mut count) = ([0.0; 3], 0.0);
                for i in ids {
                    (sum, count) = (add(sum, x[i]), count + 1.0);
                }
                scale(1.0 / f64::max(count, 1.0), sum)
            };
            let through = match fixed.is_empty() {
                true => middle(&mut nodes.clone()),
                false => middle(&mut fixed.iter().map(|f| f.0)),
            };
            // How much each motion, translation and turn by 1/size, moves what is fixed.
            let mut a: Mat6 = [[0.0; 6]; 6];
            for (i, held) in &fixed {
                let r = scale(1.0 / size, sub(x[*i], through));
                for c in (0..3).filter(|&c| held[c]) {
                    let mut e = [0.0; 3];
                    e[c] = 1.0;
                    // Coordinate c of t + w × r.
                    let turn = cross(r, e);
                    let row = [e[0], e[1], e[2], turn[0], turn[1], turn[2]];
                    for p in 0..6 {
                        for q in 0..6 {
                            a[p][q] += row[p] * row[q];
                        }
                    }
                }
            }
            let (values, vectors) = eigen(a);
            let most = values.iter().copied().fold(0.0, f64::max);
            let free: Vec<[f64; 6]> =
                (0..6).filter(|&k| values[k] <= 1e-10 * most).map(|k| vectors[k]).collect();
            modes.extend(plain(&free).into_iter().map(|m| {
                let (t, w) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
                let (tt, ww) = (dot(t, t).sqrt(), dot(w, w).sqrt());
                let turns = ww > 1e-6;
                RigidMode {
                    body: b.name.clone(),
                    number,
                    translation: if turns { [0.0; 3] } else { scale(1.0 / tt, t) },
                    axis: if turns { scale(1.0 / ww, w) } else { [0.0; 3] },
                    // w × (x − p) = t + w × (x − through) for the point p of the axis that is next to it.
                    through: if turns { add(through, scale(size / (ww * ww), cross(w, t))) } else { through },
                }
            }));
        }
        modes
    }

    /// True if loads do work in a motion that nothing prevents: no pin, no contact, no link.
    pub(super) fn drives_rigid(&mut self, modes: &[RigidMode]) -> bool {
        if modes.is_empty() || self.touching() || !self.groups.is_empty() || !self.air.is_empty() {
            return false;
        }
        let (gravity, x) = (self.settings.world.gravity, self.positions());
        modes.iter().any(|m| {
            let Some(b) = self.bodies.get(m.number) else { return false };
            let (mut work, mut all) = (0.0, 0.0);
            for i in b.first_node..b.first_node + b.nodes {
                let p = self.place[i] as usize;
                let way = add(m.translation, cross(m.axis, sub(x[i], m.through)));
                let f = add(scale(self.mass[p], gravity), self.state.force[p].xyz());
                work += dot(f, way);
                all += dot(f, f).sqrt() * dot(way, way).sqrt();
            }
            // A translation with an outer force; a body that hangs from an axis turns until its load does no work.
            m.axis == [0.0; 3] && work.abs() > 1e-9 * all
        })
    }
}

/// The same space by vectors with as many zeros as can be, so that motions along and about the axes are named as such: Gauss–Jordan.
fn plain(vectors: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let mut rows = vectors.to_vec();
    let mut done = 0;
    // Turns first: what is left without turns is translations.
    for column in [3, 4, 5, 0, 1, 2] {
        let Some(pivot) =
            (done..rows.len()).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))
        else {
            break;
        };
        if rows[pivot][column].abs() < 1e-6 {
            continue;
        }
        rows.swap(done, pivot);
        let by = rows[done][column];
        rows[done] = rows[done].map(|v| v / by);
        let row = rows[done];
        for (_, other) in rows.iter_mut().enumerate().filter(|(k, _)| *k != done) {
            let factor = other[column];
            (0..6).for_each(|c| other[c] -= factor * row[c]);
        }
        done += 1;
    }
    for row in rows.iter_mut().flatten() {
        if row.abs() < 1e-9 {
            *row = 0.0;
        }
    }
    rows
}
