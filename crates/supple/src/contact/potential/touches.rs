//! What touches what at the end of a step, with forces: for those who measure.

use super::{Barrier, Pair};
use crate::contact::{BODIES, ContactSet, LINKS};
use crate::math::nodes::Row;
use crate::math::small::{axpy, scale};

/// One contact that bears a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Where, on the first of the two, in m.
    pub point: [f64; 3],
    /// Unit normal, towards the first of the two.
    pub normal: [f64; 3],
    /// Force on the first of the two in N, friction included.
    pub force: [f64; 3],
    /// A node of the first of the two, and of the second, in the order of the system; none of an obstacle.
    pub nodes: [Option<u32>; 2],
    /// Number of the obstacle, if the second of the two is one.
    pub obstacle: Option<u32>,
}

impl ContactSet {
    /// The contacts that bear a force at `x`, the end of a step. Those of links are not among them.
    pub fn touches(&self, x: &[Row], out: &mut Vec<Touch>) {
        out.clear();
        if self.by_potential() {
            self.barrier.touches(out);
        }
        for c in self.contacts().iter().filter(|c| c.obstacle != LINKS && c.force != [0.0; 3]) {
            out.push(Touch {
                point: x.get(c.nodes[0] as usize).map_or([0.0; 3], |r| r.xyz()),
                normal: c.frame[0],
                force: c.to_world(c.force),
                nodes: [Some(c.nodes[0]), None],
                obstacle: (c.obstacle != BODIES).then_some(c.obstacle),
            });
        }
    }
}

impl Barrier {
    fn touches(&self, out: &mut Vec<Touch>) {
        let mut keys = Vec::new();
        for p in self.pairs.iter().filter(|p| p.force() != 0.0) {
            keys.push((p.key, out.len()));
            out.push(self.touch(p, scale(p.force(), p.normal)));
        }
        keys.sort_unstable();
        for f in &self.friction {
            let force = f.at(&self.y, &self.y_n).1;
            if force == [0.0; 3] {
                continue;
            }
            match keys.binary_search_by_key(&f.pair.key, |k| k.0) {
                Ok(k) => {
                    let at = &mut out[keys[k].1];
                    // The pair may have been turned round.
                    let sign = if self.turned(&f.pair) { -1.0 } else { 1.0 };
                    at.force = axpy(at.force, sign, force);
                }
                Err(_) => out.push(self.touch(&f.pair, force)),
            }
        }
    }

    /// True if the first side of a pair is an obstacle.
    fn turned(&self, p: &Pair) -> bool {
        p.nodes[0] as usize >= self.nodes
    }

    /// A pair with the body first, and the force on it.
    fn touch(&self, p: &Pair, force: [f64; 3]) -> Touch {
        let turned = self.turned(p);
        let sign = if turned { -1.0 } else { 1.0 };
        let side = |first: bool| p.parts().filter(move |part| (part.1 > 0.0) == (first != turned));
        let mut point = [0.0; 3];
        let mut total = 0.0;
        for (i, a) in side(true) {
            point = axpy(point, a.abs(), self.y[i as usize].xyz());
            total += a.abs();
        }
        let node = |first: bool| {
            // The corner with the greatest share.
            side(first)
                .map(|(i, a)| (i, a.abs()))
                .reduce(|m, p| if p.1 > m.1 { p } else { m })
                .map(|(i, _)| i)
                .filter(|&i| (i as usize) < self.nodes)
        };
        let obstacle = (p.obstacle != BODIES).then_some(p.obstacle);
        Touch {
            point: if total > 0.0 { scale(1.0 / total, point) } else { point },
            normal: scale(sign, p.normal),
            force: scale(sign, force),
            nodes: [node(true), if obstacle.is_some() { None } else { node(false) }],
            obstacle,
        }
    }
}
