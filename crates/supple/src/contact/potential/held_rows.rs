//! Rows that are held or led somewhere in a step: links, and ways out of what a body began in. They are stiff terms of the energy.
//!
//! ```text
//! link:     −λ·y + k/2 |y|²   over the rows that it holds; λ ← λ − k y   (augmented Lagrangian)
//! way out:  k/2 min(0, y)²    over the normal alone
//! ```

use crate::contact::{Contact, Law};
use crate::math::nodes::Row;
use crate::math::small::{Mat3, add, scale};

/// k of links, and of ways out, in units of the stiffness of their nodes: links end exact by their multipliers, in fewer rounds the larger it is.
const LINK: f64 = 1e3;
const OUT: f64 = 30.0;

/// Why a row is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A link, from both sides, with a multiplier.
    Link,
    /// Something began in something and comes out little by little.
    Out,
}

/// A row, and how stiff it is.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Nodes, weights, frame and place; λ in N.
    pub row: Contact,
    /// Why it is there.
    pub why: Why,
    /// k in N/m.
    pub stiffness: f64,
}

impl Held {
    /// A row that is as stiff as its nodes give, at first.
    pub fn new(row: Contact, why: Why) -> Held {
        Held { row, why, stiffness: 1.0 }
    }

    /// Takes its stiffness from 1/h of nodes in m/N.
    pub fn stiffen(&mut self, compliance: &[f64]) {
        let soft: f64 = self.parts().map(|(i, a)| a * a * compliance.get(i as usize).unwrap_or(&0.0)).sum();
        let times = if self.why == Why::Link { LINK } else { OUT };
        self.stiffness = if soft > 0.0 { times / soft } else { 0.0 };
    }

    /// Its nodes with their weights.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let count = self.row.count as usize;
        self.row.nodes[..count].iter().copied().zip(self.row.weights[..count].iter().copied())
    }

    /// y of the rows that count, zero for others.
    pub fn gap(&self, y: &[Row]) -> [f64; 3] {
        let g = self.row.gap(y);
        match (self.why, self.row.law) {
            (Why::Out, _) => [g[0].min(0.0), 0.0, 0.0],
            (Why::Link, Law::Hold(count)) => {
                std::array::from_fn(|r| if r < count as usize { g[r] } else { 0.0 })
            }
            (Why::Link, Law::Coulomb(_)) => [0.0; 3],
        }
    }

    /// Energy in J, and the force on the first side in N.
    pub fn at(&self, y: &[Row]) -> (f64, [f64; 3]) {
        let (g, k, l) = (self.gap(y), self.stiffness, self.multiplier());
        let energy = (0..3).map(|r| (0.5 * k * g[r] - l[r]) * g[r]).sum();
        (energy, self.row.to_world(std::array::from_fn(|r| l[r] - k * g[r])))
    }

    fn multiplier(&self) -> [f64; 3] {
        if self.why == Why::Link { self.row.law.project(self.row.force) } else { [0.0; 3] }
    }

    /// Its block of the matrix for weights one.
    pub fn curvature(&self, y: &[Row]) -> Mat3<f64> {
        let counts = |r: usize| match (self.why, self.row.law) {
            (Why::Out, _) => r == 0 && self.gap(y)[0] < 0.0,
            (Why::Link, Law::Hold(count)) => r < count as usize,
            (Why::Link, Law::Coulomb(_)) => false,
        };
        let rows = (0..3).filter(|&r| counts(r)).map(|r| self.row.frame[r]);
        rows.fold([[0.0; 3]; 3], |block, n| {
            std::array::from_fn(|c| add(block[c], scale(self.stiffness * n[c], n)))
        })
    }

    /// λ ← λ − k y of a link. How far it was from held, in m.
    pub fn learn(&mut self, y: &[Row]) -> f64 {
        if self.why == Why::Out {
            return 0.0;
        }
        let (g, k) = (self.gap(y), self.stiffness);
        self.row.force = std::array::from_fn(|r| self.row.force[r] - k * g[r]);
        (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(why: Why, law: Law) -> Held {
        let row = Contact {
            nodes: [0, 1, 1, 1, 1],
            weights: [1.0, -1.0, 0.0, 0.0, 0.0],
            count: 2,
            frame: crate::contact::frame([0.6, 0.0, 0.8]),
            origin: [0.01, 0.02, -0.01],
            law,
            force: [3.0, -2.0, 1.0],
            obstacle: 0,
            side: [0.0; 3],
            key: 0,
        };
        Held { stiffness: 50.0, ..Held::new(row, why) }
    }

    /// The force is −∂/∂x of the energy and the block its derivative, by central differences, where a row counts and where it does not.
    #[test]
    fn forces_and_blocks_are_derivatives() {
        for (why, law) in
            [(Why::Link, Law::Hold(1)), (Why::Link, Law::Hold(3)), (Why::Out, Law::Coulomb(0.3))]
        {
            for x in [[0.3, 0.1, -0.2], [-0.3, 0.1, -0.2]] {
                let h = held(why, law);
                let at = |x: [f64; 3]| [Row::new(x), Row::default()];
                let ((_, force), block) = (h.at(&at(x)), h.curvature(&at(x)));
                for c in 0..3 {
                    let step =
                        |s: f64| h.at(&at(std::array::from_fn(|k| x[k] + if k == c { s } else { 0.0 })));
                    let (a, b) = (step(-1e-6), step(1e-6));
                    assert!(((a.0 - b.0) / 2e-6 - force[c]).abs() < 1e-6, "{why:?} {law:?} {c}");
                    for r in 0..3 {
                        assert!(
                            ((a.1[r] - b.1[r]) / 2e-6 - block[c][r]).abs() < 1e-6,
                            "{why:?} {law:?} {c} {r}"
                        );
                    }
                }
            }
        }
    }

    /// A node of a spring that a link pulls elsewhere gets there, to rounding, by multipliers.
    #[test]
    fn multipliers_make_links_exact() {
        let mut h = held(Why::Link, Law::Hold(3));
        h.row.force = [0.0; 3];
        h.stiffen(&[1.0, 0.0]);
        let (mut x, spring) = ([0.0; 3], 1.0);
        for _ in 0..8 {
            // The minimum of ½|x|² + the link's energy, one Newton step since both are quadratic.
            let at = [Row::new(x), Row::default()];
            let ((_, f), k) = (h.at(&at), h.curvature(&at));
            for c in 0..3 {
                x[c] += (f[c] - spring * x[c]) / (k[c][c] + spring);
            }
            h.learn(&[Row::new(x), Row::default()]);
        }
        assert!(h.gap(&[Row::new(x), Row::default()]).iter().all(|g| g.abs() < 1e-12));
    }
}
