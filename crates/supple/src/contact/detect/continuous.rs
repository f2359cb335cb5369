//! When a node meets a triangle, or an edge an edge, on straight ways.
//!
//! Conservative advancement, as in the additive method of Li et al. 2021: time goes on only as far as nothing can happen, again and
//! again, until the two are as near as they may come or the step is over. Two bounds are at hand. Things that move no faster than l
//! against each other keep their distance d for (d − least)/l. And the plane between them parts them as long as no corner has
//! come through it, which is a linear equation: things that slide along each other take one step, not thousands. Nothing is
//! missed, whatever the rounding.

use super::nearest_points::{segments_nearest, triangle_nearest};
use crate::math::small::{add, axpy, dot, scale, sub};

/// Steps in time after which the two count as having met.
const MOST: usize = 500;

/// What a pair of four points is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contact) enum Kind {
    /// A node, the first point, and a triangle.
    Node,
    /// An edge, the first two points, and another.
    Edge,
}

impl Kind {
    /// How many of the four points belong to the first thing.
    #[inline]
    pub fn split(self) -> usize {
        match self {
            Kind::Node => 1,
            Kind::Edge => 2,
        }
    }

    /// Where the two are nearest: weights that sum to zero, and the way from the second thing to the first.
    pub fn nearest(self, p: &[[f64; 3]; 4]) -> ([f64; 4], [f64; 3]) {
        match self {
            Kind::Node => {
                let near = triangle_nearest(p[0], [p[1], p[2], p[3]]);
                let w = near.weights;
                ([1.0, -w[0], -w[1], -w[2]], sub(p[0], near.point))
            }
            Kind::Edge => {
                let (s, t) = segments_nearest(p[0], p[1], p[2], p[3]);
                let here = axpy(p[0], s, sub(p[1], p[0]));
                ([1.0 - s, s, t - 1.0, -t], sub(here, axpy(p[2], t, sub(p[3], p[2]))))
            }
        }
    }

    /// True if the two stay further than a distance from each other along an axis, wherever they are between `from` and `to`.
    #[inline]
    pub fn far_apart(self, from: &[[f64; 3]; 4], to: &[[f64; 3]; 4], reach: f64) -> bool {
        let n = self.split();
        for c in 0..3 {
            let (mut a, mut b) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
            for k in 0..4 {
                let range = if k < n { &mut a } else { &mut b };
                let (low, high) = (from[k][c].min(to[k][c]), from[k][c].max(to[k][c]));
                *range = [range[0].min(low), range[1].max(high)];
            }
            if a[0] - reach > b[1] || b[0] - reach > a[1] {
                return true;
            }
        }
        false
    }

    /// Distance of the boxes around the two, which is no more than theirs.
    #[inline]
    pub fn box_distance(self, p: &[[f64; 3]; 4]) -> f64 {
        let n = self.split();
        let mut sum = 0.0;
        for c in 0..3 {
            let (mut a, mut b) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
            for k in 0..4 {
                let range = if k < n { &mut a } else { &mut b };
                *range = [range[0].min(p[k][c]), range[1].max(p[k][c])];
            }
            let gap = (a[0] - b[1]).max(b[0] - a[1]).max(0.0);
            sum += gap * gap;
        }
        sum.sqrt()
    }

    /// Distance of the two, or a smaller one that is above `most`: boxes tell enough of what is far away.
    #[inline]
    pub fn distance_beyond(self, p: &[[f64; 3]; 4], most: f64) -> f64 {
        let boxes = self.box_distance(p);
        if boxes > most { boxes } else { self.distance(p) }
    }

    /// Distance of the two.
    pub fn distance(self, p: &[[f64; 3]; 4]) -> f64 {
        length(self.nearest(p).1)
    }
}

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

/// When four points that move from `a` to `b` come within `least`, which is less than their distance, 0 to 1; at that time they are
/// still apart.
pub(in crate::contact) fn meets(kind: Kind, a: &[[f64; 3]; 4], b: &[[f64; 3]; 4], least: f64) -> Option<f64> {
    // What all do alike does not bring them nearer.
    let mut ways: [[f64; 3]; 4] = std::array::from_fn(|i| sub(b[i], a[i]));
    let mean = scale(0.25, ways.iter().fold([0.0; 3], |s, w| add(s, *w)));
    for w in &mut ways {
        *w = sub(*w, mean);
    }
    let split = kind.split();
    let fastest = |part: &[[f64; 3]]| part.iter().map(|w| length(*w)).fold(0.0, f64::max);
    let speed = fastest(&ways[..split]) + fastest(&ways[split..]);
    let slack = 0.1 * least.min(kind.distance(a) - least);
    let mut t = 0.0;
    for _ in 0..MOST {
        let at: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(a[i], t, ways[i]));
        let apart = kind.nearest(&at).1;
        let d = length(apart);
        if d <= least + slack {
            return Some(t);
        }
        if d - least > (1.0 - t) * speed {
            return None;
        }
        // The plane across the way between them, moved to where the nearer things would be `least` apart.
        let n = scale(1.0 / d, apart);
        let mut parted = f64::INFINITY;
        for i in 0..split {
            for j in split..4 {
                let closing = -dot(n, sub(ways[i], ways[j]));
                if closing > 0.0 {
                    parted = parted.min((dot(n, sub(at[i], at[j])) - least) / closing);
                }
            }
        }
        t += parted.max((d - least) / speed);
        // Also where something is not a number: that is told elsewhere.
        if !(t < 1.0) {
            return None;
        }
    }
    Some(t)
}
