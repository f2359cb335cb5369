//! Weights of hard constraints that follow their forces.
//!
//! A constraint has no stiffness from which its weight could follow; that of the rule comes from masses and the time step. The
//! proximal operator projects y = z + u, where u = λ/w² belongs to the force λ. What is pressed against its least length l has
//! |y| = l − |u|: with w² below λ/l the projection of y points the other way, the solution is no fixed point of the iteration, and
//! it cycles for ever. What is pulled has |y| = l + |u|, and turns the more slowly the greater u is. So |u|/|z| has an upper bound. Far
//! below it a weight is greater than need be, and forces settle slowly.
//!
//! A weight is that of the rule times a power of two, so that forces keep their bits when it changes.

use super::batch::Chunk;
use crate::math::real::BLOCK;

/// Greatest factor.
const MOST: f64 = 16_777_216.0;

/// How weights follow: `most` is the greatest |u|/|z|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reweight {
    /// As small as `most` allows, but not below the rule's: a function of the forces, whatever the weights were.
    ByForces(f64),
    /// As [`Reweight::ByForces`], but none gets smaller.
    Raise(f64),
    /// Those of the rule.
    ByRule,
}

impl Reweight {
    /// The factor for a constraint that has |u|/|z| = `ratio` with the factor `old`.
    fn factor(self, old: f64, ratio: f64) -> f64 {
        let (mut new, most) = match self {
            Reweight::ByRule => return 1.0,
            Reweight::ByForces(most) => (1.0, most),
            Reweight::Raise(most) => (old, most),
        };
        // Not a number where z vanishes: then it says nothing.
        while ratio * (old / new) > most && new < MOST {
            new *= 2.0;
        }
        new
    }
}

impl<const V: usize> Chunk<V> {
    /// Sets the weights; forces w²u stay. `numbers` is 3·D. Returns how many changed.
    pub fn reweight(&mut self, how: Reweight, numbers: usize) -> usize {
        let mut changed = 0;
        for p in 0..self.raised.len() {
            let at = p * numbers..(p + 1) * numbers;
            for l in 0..BLOCK {
                let (mut u2, mut z2) = (0.0, 0.0);
                for (u, z) in self.u[at.clone()].iter().zip(&self.z[at.clone()]) {
                    u2 += u.0[l] * u.0[l];
                    z2 += z.0[l] * z.0[l];
                }
                let old = self.raised[p].0[l];
                let new = how.factor(old, (u2 / z2).sqrt());
                if new == old {
                    continue;
                }
                let by = new / old;
                self.raised[p].0[l] = new;
                self.scale[4 * p].0[l] *= by;
                self.scale[4 * p + 2].0[l] *= by;
                self.u[at.clone()].iter_mut().for_each(|u| u.0[l] /= by);
                changed += 1;
            }
        }
        changed
    }

    /// Keeps u for the next step, as it were with the weights of the rule: that step finds its own.
    pub fn keep_forces(&mut self, numbers: usize) {
        for (q, (kept, u)) in self.kept.iter_mut().zip(&self.u).enumerate() {
            for l in 0..BLOCK {
                kept.0[l] = u.0[l] * self.raised[q / numbers].0[l];
            }
        }
    }

    /// Takes the kept u.
    pub fn take_forces(&mut self, numbers: usize) {
        for (q, (u, kept)) in self.u.iter_mut().zip(&self.kept).enumerate() {
            for l in 0..BLOCK {
                u.0[l] = kept.0[l] / self.raised[q / numbers].0[l];
            }
        }
    }
}
