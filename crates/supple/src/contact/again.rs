//! Pairs of bodies' parts that are known: from the step before, and as the iterates move them.

use super::Contact;
use super::frame;
use super::impact::Kind;
use super::near::{Rows, TOUCHING, Way};
use super::surfaces::Skin;
use super::tangle::Tangle;
use crate::math::nodes::Row;
use crate::math::small::{cross, dot, scale, sub};

/// The two numbers of such a key, and what they are of.
pub(super) fn pair_of(key: u64) -> Option<(Kind, usize, usize)> {
    let (first, second) = ((key >> 32) as usize, (key & ((1 << 30) - 1)) as usize);
    match key >> 30 & 3 {
        2 => Some((Kind::Node, first, second)),
        3 => Some((Kind::Edge, first, second)),
        _ => None,
    }
}

/// The direction between two things at a place where their nearest points have these weights: across a triangle, or across both
/// edges, where it is certain however near they are. None at borders and corners. Not of unit length.
fn direction(kind: Kind, weights: &[f64; 4], p: &[[f64; 3]; 4]) -> Option<[f64; 3]> {
    let inner = weights.iter().all(|w| w.abs() > 1e-6);
    let n = match kind {
        Kind::Node => cross(sub(p[2], p[1]), sub(p[3], p[1])),
        Kind::Edge => cross(sub(p[1], p[0]), sub(p[3], p[2])),
    };
    let size = |v: [f64; 3]| dot(v, v).sqrt();
    let parallel = kind == Kind::Edge && size(n) < 1e-3 * size(sub(p[1], p[0])) * size(sub(p[3], p[2]));
    (inner && !parallel).then_some(n)
}

impl Skin {
    /// Appends contacts of pairs that are known by their keys, where they are apart and not yet there.
    pub fn recall(&self, keys: &[u64], way: Way<'_>, tangle: &Tangle, out: &mut Vec<(Contact, f64)>) {
        let mut there: Vec<u64> = out.iter().map(|(c, _)| c.key).collect();
        there.sort_unstable();
        for &key in keys.iter().filter(|k| there.binary_search(k).is_err()) {
            let Some((kind, first, second)) = pair_of(key) else { continue };
            let nodes = match kind {
                Kind::Node => self.surfaces.triangles.get(second).map(|t| [first as u32, t[0], t[1], t[2]]),
                Kind::Edge => self
                    .edges
                    .get(first)
                    .zip(self.edges.get(second))
                    .map(|(e, f)| [e.nodes[0], e.nodes[1], f.nodes[0], f.nodes[1]]),
            };
            let Some(nodes) =
                nodes.filter(|_| kind == Kind::Edge || self.nodes.binary_search(&(first as u32)).is_ok())
            else {
                continue;
            };
            let (weights, between) = kind.nearest(&nodes.map(|i| way.x[i as usize].xyz()));
            let distance = dot(between, between).sqrt();
            if !self.may_touch(kind, &nodes)
                || tangle.involves(&nodes)
                || !(distance > TOUCHING * self.shortest(&nodes))
                || distance > self.reach(&nodes[..1]) + self.reach(&nodes[3..])
            {
                continue;
            }
            let normal = scale(1.0 / distance, between);
            out.extend(self.contact(Rows { kind, nodes, weights, normal, key, distance }, way));
        }
    }

    /// A contact where its two things are nearest at the iterate `x`, on the side that they were on; none if they have turned too
    /// far. A node that slides along a triangle that turns comes nearer by the product of both, which the plane of before
    /// does not see.
    pub fn turned(&self, c: &Contact, x: &[Row], x_n: &[Row], tangle: &Tangle) -> Option<Contact> {
        let (kind, ..) = pair_of(c.key)?;
        let nodes = [c.nodes[0], c.nodes[1], c.nodes[2], c.nodes[3]];
        if tangle.involves(&nodes) {
            return None;
        }
        let p = nodes.map(|i| x[i as usize].xyz());
        let (weights, _) = kind.nearest(&p);
        let n = direction(kind, &weights, &p)?;
        let size = dot(n, n).sqrt();
        let normal = scale(dot(n, c.side).signum() / size, n);
        // Also where there is no direction.
        if !(dot(normal, c.side) > 0.5) {
            return None;
        }
        let force = c.to_world(c.force);
        let mut next = Contact { frame: frame(normal), ..*c };
        next.weights[..4].copy_from_slice(&weights);
        let y = next.to_local(next.rel(x_n));
        next.origin = [c.origin[0], y[1], y[2]];
        next.force = next.law.project(next.to_local(force));
        Some(next)
    }
}
