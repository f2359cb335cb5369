//! A node near several triangles of one surface is near one surface.
//!
//! ```text
//! Σ over triangles ψ(d) − Σ over inner edges ψ(d) + Σ over inner corners ψ(d)
//! ```
//! by inclusion and exclusion (Li et al. 2023, *Convergent Incremental Potential Contact*). Above a flat or convex surface that is ψ of the distance to the
//! surface, once: what slides over edges feels none of them. Terms with the same nearest point cancel before they are formed; what is left
//! with a minus sign are edges and corners of valleys. It is continuous, since a node has one κ and one d̂ with all of another body.

use super::*;

/// Bits of a key above this one tell terms of the same node and triangle apart.
const SLOT: u32 = 28;

/// Where a node is nearest to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    Corner(u32),
    Edge(u32, u32),
    Triangle(u32),
}

/// The nearest point of a pair of a node and a triangle.
fn feature(p: &Pair, triangle: u32) -> Feature {
    let on: Vec<u32> = (1..4).filter(|&k| p.weights[k] != 0.0).map(|k| p.nodes[k]).collect();
    match on[..] {
        [i] => Feature::Corner(i),
        [i, j] => Feature::Edge(i.min(j), i.max(j)),
        _ => Feature::Triangle(triangle),
    }
}

/// The triangle of a pair of a node and a triangle, by its key.
fn triangle_of(key: u64) -> u32 {
    (key & ((1 << SLOT) - 1)) as u32
}

impl Barrier {
    /// Joins what nodes have with several triangles of another body, nearer than so many times d̂. `pairs` are of nodes and triangles, node after node; others follow.
    pub(super) fn unite(&self, pairs: &mut Vec<Pair>, reaches: f64) {
        let is_node = |p: &Pair| p.key >> 30 & 3 == 2 && p.count == 4;
        let other = |p: &Pair| self.skin.body[p.nodes[1] as usize];
        let joined = |two: &[Pair]| {
            let own = self.skin.body[two[0].nodes[0] as usize];
            is_node(&two[0])
                && is_node(&two[1])
                && two[0].nodes[0] == two[1].nodes[0]
                && two.iter().any(|p| other(p) != own)
                && !self.is_round(own)
        };
        let Some(first) = pairs.windows(2).position(joined) else { return };
        let mut out: Vec<Pair> = Vec::with_capacity(pairs.len());
        // Where the nodes of the first group begin nothing has changed yet.
        let start =
            pairs[..first].iter().rposition(|p| p.nodes[0] != pairs[first].nodes[0]).map_or(0, |k| k + 1);
        out.extend_from_slice(&pairs[..start]);
        let mut rest = &pairs[start..];
        while let Some(first) = rest.first() {
            let own = self.skin.body[first.nodes[0] as usize];
            let alone = !is_node(first) || other(first) == own || self.is_round(own);
            let count = if alone {
                1
            } else {
                let same = |p: &&Pair| is_node(p) && p.nodes[0] == first.nodes[0];
                rest.iter().take_while(same).count()
            };
            let (group, after) = rest.split_at(count);
            rest = after;
            if count == 1 {
                out.extend_from_slice(group);
                continue;
            }
            let mut bodies: Vec<u32> = group.iter().map(other).collect();
            bodies.sort_unstable();
            bodies.dedup();
            for b in bodies {
                let of: Vec<&Pair> = group.iter().filter(|p| other(p) == b).collect();
                if of.len() == 1 || b == own {
                    out.extend(of.into_iter().copied());
                } else {
                    self.unite_one(&of, reaches, &mut out);
                }
            }
        }
        *pairs = out;
    }

    /// The same for one node and one other body.
    fn unite_one(&self, of: &[&Pair], reaches: f64, out: &mut Vec<Pair>) {
        // What is nearest, how often it counts, and a pair that is there.
        let mut terms: Vec<(Feature, i32, Pair)> =
            of.iter().map(|p| (feature(p, triangle_of(p.key)), 1, **p)).collect();
        // Edges of two of these triangles or more, and corners all of whose triangles are here, with as many of these edges.
        let mut edges: Vec<([u32; 2], usize)> = Vec::new();
        let mut corners: Vec<u32> = Vec::new();
        for (k, p) in of.iter().enumerate() {
            let [_, a, b, c] = p.nodes;
            edges.extend([[a, b], [b, c], [c, a]].map(|[i, j]| ([i.min(j), i.max(j)], k)));
            corners.extend([a, b, c]);
        }
        edges.sort_unstable();
        corners.sort_unstable();
        let mut inner: Vec<u32> = Vec::new();
        for same in edges.chunk_by(|e, f| e.0 == f.0).filter(|same| same.len() > 1) {
            let ([i, j], k) = same[0];
            inner.extend([i, j]);
            if let Some((at, p)) = self.on_edge(of[k], [i, j], reaches) {
                terms.push((at, 1 - same.len() as i32, p));
            }
        }
        inner.sort_unstable();
        let times =
            |list: &[u32], i: u32| list.partition_point(|&v| v <= i) - list.partition_point(|&v| v < i);
        for same in corners.chunk_by(|a, b| a == b) {
            let i = same[0];
            if same.len() == self.skin.faces[i as usize].len() && times(&inner, i) == same.len() {
                let near = of.iter().find(|p| p.nodes[1..].contains(&i));
                terms.extend(near.and_then(|p| self.on_edge(p, [i, i], reaches)).map(|(at, p)| (at, 1, p)));
            }
        }
        // Triangles first, whose keys stay as they are.
        terms.sort_by_key(|t| (std::cmp::Reverse(t.0), t.2.key));
        let first = out.len();
        for same in terms.chunk_by(|a, b| a.0 == b.0) {
            let count: i32 = same.iter().map(|t| t.1).sum();
            if count != 0 {
                let (p, stiffness) = (same[0].2, f64::from(count) * same[0].2.stiffness);
                let slot =
                    out[first..].iter().filter(|o| triangle_of(o.key) == triangle_of(p.key)).count() as u64;
                out.push(Pair { stiffness, key: p.key | slot << SLOT, ..p });
            }
        }
    }

    /// The pair of a node and an edge, or a corner, of the triangle that it is a pair with; `None` if that is out of reach.
    fn on_edge(&self, p: &Pair, [i, j]: [u32; 2], reaches: f64) -> Option<(Feature, Pair)> {
        let at = |i: u32| self.y[i as usize].xyz();
        let (x, a) = (at(p.nodes[0]), at(i));
        let along = sub(at(j), a);
        let square = dot(along, along);
        let t = if square > 0.0 { (dot(sub(x, a), along) / square).clamp(0.0, 1.0) } else { 0.0 };
        let r = sub(x, axpy(a, t, along));
        let length = dot(r, r).sqrt();
        // d = |r| less what a shape's radius takes off, as in the pair itself.
        let offset = self.offset_of(p);
        let distance = length - offset;
        if distance >= reaches * p.reach || length == 0.0 {
            return None;
        }
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        for k in 1..4 {
            weights[k] = if p.nodes[k] == j && i != j { -t } else { 0.0 };
            weights[k] = if p.nodes[k] == i { t - 1.0 } else { weights[k] };
        }
        if i == j {
            weights =
                std::array::from_fn(|k| if k == 0 { 1.0 } else { -f64::from(u8::from(p.nodes[k] == i)) });
        }
        let near = Pair { weights, normal: scale(1.0 / length, r), distance, ..*p };
        Some((feature(&near, triangle_of(p.key)), near))
    }

    /// What is taken off the distance of a pair, in m.
    fn offset_of(&self, p: &Pair) -> f64 {
        let r = p.relative(&self.y);
        dot(r, r).sqrt() - p.distance
    }
}
