//! The repulsion of things that are near each other: a short-ranged potential that becomes infinite at contact.
//!
//! ```text
//! ψ(d) = 0                               d ≥ d̂
//!      = κ/2 (d̂ − d)²                    d̂/2 ≤ d < d̂
//!      = κd̂²/8 − κd̂²/4 · ln(2d/d̂)        d < d̂/2
//! ```
//! It is twice differentiable; λ = −ψ' is the normal force. Of its Hessian the positive part ψ'' a aᵀ ⊗ n nᵀ is kept, not how n turns. κ is
//! constant over a step, so that the sum of all ψ is a continuous function of x whose gradient is the force: every pair within d̂ counts, also
//! where several have the same nearest points.

use crate::math::nodes::Row;
use crate::math::small::{Mat3, axpy, dot};

/// Two things that are near: their nodes with weights a, so that r = Σ a_i x_i leads from the second to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Nodes; those of obstacles are numbered behind those of the system.
    pub nodes: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// How many of the four count.
    pub count: u8,
    /// Unit vector from the second to the first.
    pub normal: [f64; 3],
    /// d in m.
    pub distance: f64,
    /// d̂ in m.
    pub reach: f64,
    /// κ in N/m.
    pub stiffness: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How far the obstacle's surface goes in this step at the point of contact, for shapes that have no nodes; in m.
    pub carried: [f64; 3],
    /// How far it still has to go, in m.
    pub ahead: [f64; 3],
    /// Number of the obstacle, or [`crate::contact::BODIES`].
    pub obstacle: u32,
    /// The same for the same pair in every step.
    pub key: u64,
}

impl Pair {
    /// ψ, λ = −ψ' and ψ'' at the pair's distance.
    pub fn potential(&self) -> [f64; 3] {
        let (d, reach, k) = (self.distance, self.reach, self.stiffness);
        if d >= reach {
            [0.0; 3]
        } else if d >= 0.5 * reach {
            let gap = reach - d;
            [0.5 * k * gap * gap, k * gap, k]
        } else {
            let c = 0.25 * k * reach * reach;
            [0.5 * c - c * crate::math::elementary::ln(2.0 * d / reach), c / d, c / (d * d)]
        }
    }

    /// λ in N.
    pub fn force(&self) -> f64 {
        self.potential()[1]
    }

    /// The nodes that count, with their weights.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let count = self.count as usize;
        self.nodes[..count].iter().copied().zip(self.weights[..count].iter().copied())
    }

    /// Σ a_i v_i of rows.
    pub fn relative(&self, v: &[Row]) -> [f64; 3] {
        self.parts().fold([0.0; 3], |sum, (i, a)| axpy(sum, a, v[i as usize].xyz()))
    }
}

/// s·n nᵀ, by columns.
pub(in crate::contact) fn outer(s: f64, n: [f64; 3]) -> Mat3<f64> {
    std::array::from_fn(|c| std::array::from_fn(|r| s * n[r] * n[c]))
}

/// Friction of a pair with the normal force and the plane that it had when the list was made; frozen while an inner problem is solved.
///
/// With u the slip of this step and λ_t the tangential force remembered from the last one, t = λ_t − κu and the force is t·min(1, μλ/|t|): a
/// contact that sticks is a spring that keeps its tension, so that what rests does not creep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// The pair, with the normal and the weights of that time.
    pub pair: Pair,
    /// λ of that time in N.
    pub normal_force: f64,
    /// λ_t in N, in the plane across the normal.
    pub remembered: [f64; 3],
    /// t at the last iterate in N.
    pub before: [f64; 3],
    /// Share of the curvature across t that the block has along t too; see [`Friction::follow`].
    pub firm: f64,
}

/// What is left of [`Friction::firm`] after an iteration in which nothing turned.
const FIRM_LEFT: f64 = 0.3;

/// v without its part along n.
pub(in crate::contact) fn in_plane(v: [f64; 3], n: [f64; 3]) -> [f64; 3] {
    axpy(v, -dot(v, n), n)
}

impl Friction {
    /// t = λ_t − κu at y, where u is the slip since y_n.
    fn trial(&self, y: &[Row], y_n: &[Row]) -> [f64; 3] {
        let p = &self.pair;
        let (now, then) = (p.relative(y), p.relative(y_n));
        let moved: [f64; 3] = std::array::from_fn(|c| now[c] - then[c] - p.carried[c]);
        axpy(self.remembered, -p.stiffness, in_plane(moved, p.normal))
    }

    /// Follows an iterate: one whose t has turned round, or that has begun to slip, since the last one gets a block that resists along t too. The
    /// potential has a kink there, and Newton's method would go to and fro across it.
    pub fn follow(&mut self, y: &[Row], y_n: &[Row]) {
        let t = self.trial(y, y_n);
        let most = self.pair.friction * self.normal_force;
        let (now, then) = (dot(t, t).sqrt(), dot(self.before, self.before).sqrt());
        let turned = dot(t, self.before) < 0.0 && now.min(then) > most;
        let began = (now > most) != (then > most);
        self.firm = if turned || began { 1.0 } else { FIRM_LEFT * self.firm };
        self.before = t;
    }

    /// Continues from the same pair in the previous list: it is not firm because the list is new.
    pub fn carry(&mut self, last: &Friction, y: &[Row], y_n: &[Row]) {
        let most = self.pair.friction * self.normal_force;
        let slips = |t: [f64; 3], most: f64| dot(t, t).sqrt() > most;
        let was = slips(last.before, last.pair.friction * last.normal_force);
        self.before = self.trial(y, y_n);
        self.firm = if slips(self.before, most) == was { last.firm } else { 1.0 };
    }

    /// Its potential in J, and the force on the first side in N.
    pub fn at(&self, y: &[Row], y_n: &[Row]) -> (f64, [f64; 3]) {
        let t = self.trial(y, y_n);
        let (size, most, k) = (dot(t, t).sqrt(), self.pair.friction * self.normal_force, self.pair.stiffness);
        if size <= most {
            (0.5 * size * size / k, t)
        } else {
            ((most * size - 0.5 * most * most) / k, t.map(|t| t * most / size))
        }
    }

    /// How far it gives way in this step while it sticks, |f − λ_t|/κ in m; 0 if it slips.
    pub fn gives(&self, y: &[Row], y_n: &[Row]) -> f64 {
        let t = self.trial(y, y_n);
        let slips = dot(t, t).sqrt() > self.pair.friction * self.normal_force;
        let d: [f64; 3] = std::array::from_fn(|c| t[c] - self.remembered[c]);
        if slips { 0.0 } else { dot(d, d).sqrt() / self.pair.stiffness }
    }

    /// Its block of the matrix for weights one, which is positive.
    pub fn curvature(&self, y: &[Row], y_n: &[Row]) -> Mat3<f64> {
        let t = self.trial(y, y_n);
        let (size, most, k) = (dot(t, t).sqrt(), self.pair.friction * self.normal_force, self.pair.stiffness);
        let n = self.pair.normal;
        let share = if size <= most { k } else { k * most / size };
        let mut block = outer(-share, n);
        for c in 0..3 {
            block[c][c] += share;
        }
        if size > most {
            let along = outer((1.0 - self.firm) * share, t.map(|t| t / size));
            for c in 0..3 {
                for r in 0..3 {
                    block[c][r] -= along[c][r];
                }
            }
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(distance: f64) -> Pair {
        Pair {
            nodes: [0; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            normal: [0.0, 0.0, 1.0],
            distance,
            reach: 2e-3,
            stiffness: 700.0,
            friction: 0.4,
            carried: [0.0; 3],
            ahead: [0.0; 3],
            obstacle: 0,
            key: 0,
        }
    }

    /// Force and stiffness are the derivatives of ψ by central differences, and all three are continuous at d̂/2 and d̂.
    #[test]
    fn the_potential_is_smooth() {
        for d in [1e-5, 3e-4, 9e-4, 1.1e-3, 1.9e-3, 2.1e-3] {
            let h = 1e-4 * d;
            let [a, b] = [d - h, d + h].map(|d| pair(d).potential());
            let [_, force, stiffness] = pair(d).potential();
            assert!(((a[0] - b[0]) / (2.0 * h) - force).abs() <= 1e-6 * force.max(1e-9), "{d}");
            assert!(((a[1] - b[1]) / (2.0 * h) - stiffness).abs() <= 1e-6 * stiffness.max(1e-9), "{d}");
        }
        for d in [1e-3, 2e-3] {
            let [a, b] = [d * (1.0 - 1e-12), d * (1.0 + 1e-12)].map(|d| pair(d).potential());
            // The third is continuous at d̂/2; at d̂ it is that of a spring that lets go.
            let size = [700.0 * 4e-6, 700.0 * 2e-3, 700.0];
            for k in 0..if d < 1.5e-3 { 3 } else { 2 } {
                assert!((a[k] - b[k]).abs() <= 1e-10 * size[k], "{d} {k}: {a:?} {b:?}");
            }
        }
    }

    /// The force of friction is −∂/∂x of its potential, its block the derivative of the force, sticking and slipping; it never leaves the cone.
    #[test]
    fn friction_has_a_potential() {
        let y_n = [Row::default()];
        for slip in [[1e-5, 2e-5, 3e-5], [1e-3, -2e-3, 1e-3]] {
            let f = Friction {
                pair: pair(1e-3),
                normal_force: 0.2,
                remembered: [0.03, -0.02, 0.0],
                before: [0.0; 3],
                firm: 0.0,
            };
            let at = |s: [f64; 3]| f.at(&[Row([s[0], s[1], s[2], 0.0])], &y_n);
            let (_, force) = at(slip);
            assert!(dot(force, force).sqrt() <= 0.4 * 0.2 * (1.0 + 1e-12) && force[2].abs() < 1e-15);
            let block = f.curvature(&[Row([slip[0], slip[1], slip[2], 0.0])], &y_n);
            for c in 0..3 {
                let step =
                    |s: f64| -> [f64; 3] { std::array::from_fn(|k| slip[k] + if k == c { s } else { 0.0 }) };
                let (a, b) = (at(step(-1e-8)), at(step(1e-8)));
                assert!(((a.0 - b.0) / 2e-8 - force[c]).abs() <= 1e-6, "{c}");
                for r in 0..3 {
                    let slope = (a.1[r] - b.1[r]) / 2e-8;
                    assert!((slope - block[c][r]).abs() <= 1e-5 * 700.0, "{c} {r}: {slope} {}", block[c][r]);
                }
            }
        }
    }
}
