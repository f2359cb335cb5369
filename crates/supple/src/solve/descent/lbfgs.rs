//! The memory of L-BFGS: pairs of steps and what they did to the gradient.

use crate::math::nodes::{Row, axpy, dot};

/// A pair of steps: s = x⁺ − x, y = g⁺ − g.
#[derive(Debug, Default)]
struct Pair {
    s: Vec<Row>,
    y: Vec<Row>,
    sy: f64,
    alpha: f64,
}

/// The last pairs, in a ring.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pairs: Vec<Pair>,
    used: usize,
    newest: usize,
}

pub(super) fn room(rows: &mut Vec<Row>, n: usize) {
    if rows.len() != n {
        *rows = vec![Row::default(); n];
    }
}

impl Pairs {
    /// Room for so many pairs of so many nodes, all forgotten.
    pub fn prepare(&mut self, n: usize, history: usize) {
        self.pairs.resize_with(history, Pair::default);
        for pair in &mut self.pairs {
            room(&mut pair.s, n);
            room(&mut pair.y, n);
        }
        self.forget();
    }

    /// Forgets all pairs.
    pub fn forget(&mut self) {
        (self.used, self.newest) = (0, 0);
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The pair so many steps ago.
    fn slot(&self, ago: usize) -> usize {
        (self.newest + self.pairs.len() - ago) % self.pairs.len()
    }

    /// q ← B⁻¹q by the two loops; `first` is v ← B₀⁻¹v, which receives sᵀy/yᵀy of the last pair.
    pub fn apply(&mut self, q: &mut [Row], first: impl FnOnce(&mut [Row], Option<f64>)) {
        for ago in 0..self.used {
            let slot = self.slot(ago);
            let pair = &mut self.pairs[slot];
            pair.alpha = dot(&pair.s, q) / pair.sy;
            axpy(q, -pair.alpha, &pair.y);
        }
        let gamma = match self.used {
            0 => None,
            _ => {
                let pair = &self.pairs[self.slot(0)];
                Some(pair.sy / dot(&pair.y, &pair.y))
            }
        };
        first(q, gamma);
        for ago in (0..self.used).rev() {
            let pair = &self.pairs[self.slot(ago)];
            let beta = dot(&pair.y, q) / pair.sy;
            axpy(q, pair.alpha - beta, &pair.s);
        }
    }

    /// Keeps the step between two points, each with its gradient, if it says anything about the curvature.
    pub fn learn(&mut self, (from, gradient): (&[Row], &[Row]), (to, next): (&[Row], &[Row])) {
        if self.pairs.is_empty() {
            return;
        }
        let slot = (self.newest + 1) % self.pairs.len();
        let pair = &mut self.pairs[slot];
        for i in 0..pair.s.len() {
            for c in 0..4 {
                pair.s[i].0[c] = to[i].0[c] - from[i].0[c];
                pair.y[i].0[c] = next[i].0[c] - gradient[i].0[c];
            }
        }
        pair.sy = dot(&pair.s, &pair.y);
        let (ss, yy) = (dot(&pair.s, &pair.s), dot(&pair.y, &pair.y));
        if pair.sy > 1e-10 * (ss * yy).sqrt() {
            self.newest = slot;
            self.used = (self.used + 1).min(self.pairs.len());
        } else {
            // Its slot may have been that of the oldest pair, which is gone.
            self.used = self.used.min(self.pairs.len() - 1);
        }
    }
}
