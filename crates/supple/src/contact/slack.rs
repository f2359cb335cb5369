//! How far pairs are from coming near, so that most of them need no look.
//!
//! When lists of pairs are new, the distance of each is found once, less the one at which it matters: its slack. As long as both things have
//! moved less than that from where they were, the way through the present step included, they cannot be near. What all
//! nodes do alike does not count.

use super::near::Way;
use super::surfaces::Skin;
use crate::math::nodes::Row;
use crate::math::small::{add, dot, scale, sub};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Room for rounding of numbers that are kept in single precision.
const ROUNDING: f32 = 1e-6;

/// A distance that matters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Near {
    /// Contacts are made within reach.
    Reach,
    /// Things stay apart.
    Apart,
}

/// Slack of pairs, in m, for each [`Near`]; as bits, since threads write them.
type Pair = [AtomicU32; 2];

/// Slack of each pair of the lists.
#[derive(Debug, Default)]
pub(super) struct Slack {
    /// True once all are known.
    known: bool,
    /// Where nodes were then.
    at: Vec<Row>,
    /// Of nodes with triangles, and of edges with edges.
    faces: Vec<Pair>,
    edges: Vec<Pair>,
    /// How far each node, triangle and edge goes from there.
    node: Vec<f32>,
    triangle: Vec<f32>,
    edge: Vec<f32>,
}

fn unknown(list: &mut Vec<Pair>, count: usize) {
    list.clear();
    list.resize_with(count, || [f32::NEG_INFINITY; 2].map(|v| AtomicU32::new(v.to_bits())));
}

impl Slack {
    /// Lists of so many pairs are new.
    pub fn forget(&mut self, faces: usize, edges: usize) {
        self.known = false;
        unknown(&mut self.faces, faces);
        unknown(&mut self.edges, edges);
    }

    /// True if a node and a triangle, pair `pair` of their list, cannot be near on the way that was looked at.
    pub fn spares_face(&self, near: Near, pair: usize, (node, triangle): (u32, u32)) -> bool {
        let far = self.node[node as usize] + self.triangle[triangle as usize];
        f32::from_bits(self.faces[pair][near as usize].load(Relaxed)) > far
    }
    /// The same for two edges.
    pub fn spares_edge(&self, near: Near, pair: usize, (edge, other): (u32, u32)) -> bool {
        let far = self.edge[edge as usize] + self.edge[other as usize];
        f32::from_bits(self.edges[pair][near as usize].load(Relaxed)) > far
    }

    /// The distance of a pair where the way begins is at least this, and the distances that matter; unless that is known.
    pub fn learn_face(&self, pair: usize, of: impl Fn() -> (f64, [f64; 2])) {
        self.learn(&self.faces[pair], of);
    }
    /// The same for two edges.
    pub fn learn_edge(&self, pair: usize, of: impl Fn() -> (f64, [f64; 2])) {
        self.learn(&self.edges[pair], of);
    }

    fn learn(&self, pair: &Pair, of: impl Fn() -> (f64, [f64; 2])) {
        if !self.known {
            let (distance, matter) = of();
            for (slack, matter) in pair.iter().zip(matter) {
                slack.store(less(distance - matter).to_bits(), Relaxed);
            }
        }
    }
}

/// In single precision, surely not more.
fn less(v: f64) -> f32 {
    (v - v.abs() * f64::from(ROUNDING)) as f32
}

impl Skin {
    /// How far things go on a way from where slack was found. Call before any pair is asked for.
    pub(super) fn look_ahead(&mut self, way: Way<'_>) {
        if self.pairs.is_empty() {
            return;
        }
        let mut slack = std::mem::take(&mut self.slack);
        if !slack.known {
            slack.at.clear();
            slack.at.extend_from_slice(way.x);
        }
        let count = self.nodes.len().max(1) as f64;
        let mut mean = [[0.0; 3]; 2];
        for &i in &self.nodes {
            let (at, x, to) = (slack.at[i as usize].xyz(), way.x[i as usize].xyz(), way.to[i as usize].xyz());
            mean = [add(mean[0], sub(x, at)), add(mean[1], sub(to, x))];
        }
        let mean = mean.map(|m| scale(1.0 / count, m));
        let length = |v: [f64; 3]| dot(v, v).sqrt();
        slack.node.resize(way.x.len(), 0.0);
        for &i in &self.nodes {
            let (at, x, to) = (slack.at[i as usize].xyz(), way.x[i as usize].xyz(), way.to[i as usize].xyz());
            let far = length(sub(sub(x, at), mean[0])) + length(sub(sub(to, x), mean[1]));
            slack.node[i as usize] = far as f32 * (1.0 + ROUNDING) + f32::MIN_POSITIVE;
        }
        let node = &slack.node;
        let most = |nodes: &[u32]| nodes.iter().map(|&i| node[i as usize]).fold(0.0, f32::max);
        slack.triangle.clear();
        slack.triangle.extend(self.surfaces.triangles.iter().map(|t| most(t)));
        slack.edge.clear();
        slack.edge.extend(self.edges.iter().map(|e| most(&e.nodes)));
        self.slack = slack;
    }

    /// Every pair has been looked at where the way begins.
    pub(super) fn slack_is_known(&mut self) {
        self.slack.known = true;
    }
}
