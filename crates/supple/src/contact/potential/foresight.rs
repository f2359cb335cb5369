//! Which pairs will bear a force at the end of a way: not those that bear one where it begins.
//!
//! Newton's matrix knows the pairs of now. A way that it finds lets some of them go and runs into others, which are as stiff as the first, so that the
//! search cuts it short: most iterations of folding cloth went so. Therefore each pair is a spring that only pushes, with its force and stiffness
//! of now (κ from d̂ on if it is out of reach),
//!
//! ```text
//! λ(p) = max(0, λ₀ − k b·p)        m(p) = (g_B + K_B p/2)·p + Σ λ(p)²/2k
//! ```
//!
//! and m, which is convex, is minimised by Newton's method itself: solve with the springs that push, search along the way there exactly, see which
//! push now, again. `solve/barrier/aim.rs` does that.

use super::*;

/// Pairs out of reach that are looked at, in d̂.
const SOON: f64 = 2.0;

/// Most looks at the slope along a way, and how closely its zero is found.
const SEARCH: usize = 40;
const CLOSE: f64 = 1e-9;

/// A pair as a spring that only pushes.
#[derive(Clone, Copy, Debug)]
struct Spring {
    /// λ₀ in N, below zero if it is out of reach, and k in N/m.
    force: f64,
    stiffness: f64,
    /// b·p on the way so far, in m.
    approach: f64,
    /// True if the matrix has it.
    pushes: bool,
}

impl Spring {
    /// λ₀ − k s: its force where that is above zero.
    fn raw(&self, s: f64) -> f64 {
        self.force - self.stiffness * s
    }
}

/// The springs of an iterate.
#[derive(Debug, Default)]
pub struct Foresight {
    pairs: Vec<Pair>,
    springs: Vec<Spring>,
}

/// Takes nodes with their weights, a block, a force, both for weights one, and how far the surface of a shape still goes there.
pub type EachChange<'a> = dyn FnMut(&[(u32, f64)], &Mat3<f64>, [f64; 3], [f64; 3]) + 'a;

/// Adds force·b to the free nodes.
fn add_to(out: &mut [Row], p: &Pair, force: f64) {
    for (i, a) in p.parts() {
        if let Some(row) = out.get_mut(i as usize) {
            (0..3).for_each(|c| row.0[c] += a * force * p.normal[c]);
        }
    }
}

impl Foresight {
    /// The springs of an iterate, no way gone.
    pub fn begin(&mut self, b: &Barrier, obstacles: &[Obstacle]) {
        b.gather(&mut self.pairs, SOON, obstacles);
        self.pairs.retain(|p| p.stiffness > 0.0);
        self.springs.clear();
        self.springs.extend(self.pairs.iter().map(|p| {
            let [_, force, stiffness] = p.potential();
            match p.distance < p.reach {
                true => Spring { force, stiffness, approach: 0.0, pushes: true },
                false => {
                    let force = p.stiffness * (p.reach - p.distance);
                    Spring { force, stiffness: p.stiffness, approach: 0.0, pushes: false }
                }
            }
        }));
    }

    /// The nodes of each spring: the matrix needs room for them.
    pub fn nodes(&self) -> impl Iterator<Item = &[u32]> {
        self.pairs.iter().map(|p| &p.nodes[..p.count as usize])
    }

    /// The nodes of springs that are not in the matrix yet.
    pub fn beyond(&self) -> impl Iterator<Item = &[u32]> {
        let some = self.pairs.iter().zip(&self.springs).filter(|(_, s)| !s.pushes);
        some.map(|(p, _)| &p.nodes[..p.count as usize])
    }

    /// b·p of each pair on the way of all nodes of `y`.
    fn approaches<'a>(&'a self, ways: &'a [Row]) -> impl Iterator<Item = f64> + 'a {
        self.pairs.iter().map(|p| dot(p.normal, sub(p.relative(ways), p.ahead)))
    }

    /// Adds Σ λ b, with λ of now, to what nodes have.
    pub fn add_now(&self, out: &mut [Row]) {
        let all = self.pairs.iter().zip(&self.springs);
        all.for_each(|(p, s)| add_to(out, p, s.force.max(0.0)));
    }

    /// Adds Σ (λ − λ of now) b: λ of the springs of the matrix at the end of the ways of all nodes of `y`.
    pub fn add_change(&self, ways: &[Row], out: &mut [Row]) {
        for ((p, s), approach) in self.pairs.iter().zip(&self.springs).zip(self.approaches(ways)) {
            let then = if s.pushes { s.raw(approach) } else { 0.0 };
            add_to(out, p, then - s.force.max(0.0));
        }
    }

    /// The best share of a change of the way from what was gone so far to `ways`, 0 to 1, and goes it. `flat` and `bent` are slope and curvature of the
    /// rest of m along it.
    pub fn advance(&mut self, ways: &[Row], [flat, bent]: [f64; 2], whole: bool) -> f64 {
        let turns: Vec<f64> =
            self.approaches(ways).zip(&self.springs).map(|(end, s)| end - s.approach).collect();
        // Slope of m along the change, which grows, and its own slope.
        let slope = |t: f64| {
            let mut sum = [flat + t * bent, bent];
            for (s, d) in self.springs.iter().zip(&turns) {
                let raw = s.raw(s.approach + t * d);
                if raw > 0.0 {
                    sum = [sum[0] - raw * d, sum[1] + s.stiffness * d * d];
                }
            }
            sum
        };
        let (mut t, mut range) = (1.0, [0.0, 1.0]);
        let mut at = slope(1.0);
        if !whole && at[0] > 0.0 {
            // Newton's method, which ends where no spring lets go any more; halves where it leaves the range.
            for _ in 0..SEARCH {
                range[usize::from(at[0] > 0.0)] = t;
                let next = t - at[0] / at[1];
                let inside = range[0] < next && next < range[1];
                let last = std::mem::replace(&mut t, if inside { next } else { 0.5 * (range[0] + range[1]) });
                if (t - last).abs() <= CLOSE * t {
                    break;
                }
                at = slope(t);
            }
        }
        self.springs.iter_mut().zip(&turns).for_each(|(s, d)| s.approach += t * d);
        t
    }

    /// What the springs that push now, and those of the matrix that do not, would change in m at the end of the way, in J.
    pub fn error(&self) -> f64 {
        let of = |s: &Spring| {
            let raw = s.raw(s.approach);
            if (raw > 0.0) == s.pushes { 0.0 } else { 0.5 * raw * raw / s.stiffness }
        };
        self.springs.iter().map(of).sum()
    }

    /// Calls `f` with what blocks and right-hand sides change by, so that the springs of the matrix are those that push now.
    pub fn turn(&mut self, f: &mut EachChange<'_>) {
        let mut parts: Vec<(u32, f64)> = Vec::new();
        for (p, s) in self.pairs.iter().zip(&mut self.springs) {
            let pushes = s.raw(s.approach) > 0.0;
            if pushes != s.pushes {
                s.pushes = pushes;
                let sign = if pushes { 1.0 } else { -1.0 };
                parts.clear();
                parts.extend(p.parts());
                f(&parts, &outer(sign * s.stiffness, p.normal), scale(sign * s.force, p.normal), p.ahead);
            }
        }
    }
}
