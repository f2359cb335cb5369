//! Makes a separator smaller, node by node, in the manner of Fiduccia and Mattheyses.
//!
//! A node of the separator may move to one side if its neighbours on the other side join the separator.
//! Moves are made best first, for a while even if they make the separator larger, and then taken back to
//! the best state that was seen.

use super::ordering::Graph;
use std::collections::BinaryHeap;

/// One side.
pub(super) const A: u8 = 0;
/// The other side.
pub(super) const B: u8 = 1;
/// The separator.
pub(super) const CUT: u8 = 2;

/// Passes over the separator at most.
const PASSES: usize = 6;

/// No side may grow beyond this part of the whole.
const LARGEST: f64 = 0.6;

/// Improves sides that have no edge between [`A`] and [`B`], and keeps it so.
pub(super) fn refine(graph: &Graph, sides: &mut [u8]) {
    for _ in 0..PASSES {
        if !pass(graph, sides) {
            break;
        }
    }
}

/// How much smaller the separator gets if `v` leaves it for `side`.
fn gain(graph: &Graph, sides: &[u8], v: usize, side: u8) -> i32 {
    let mut gain = 1;
    for &w in graph.of(v) {
        gain -= (sides[w as usize] == 1 - side) as i32;
    }
    gain
}

/// One pass; true if it found something better.
fn pass(graph: &Graph, sides: &mut [u8]) -> bool {
    let n = graph.n();
    let mut size = [0usize; 3];
    for &side in sides.iter() {
        size[side as usize] += 1;
    }
    let limit = ((n as f64 * LARGEST) as usize).max(size[0].max(size[1]));
    let mut heap: BinaryHeap<(i32, u32, u8)> = BinaryHeap::new();
    for v in 0..n {
        if sides[v] == CUT {
            for side in [A, B] {
                heap.push((gain(graph, sides, v, side), v as u32, side));
            }
        }
    }
    let mut locked = vec![false; n];
    // What was changed, to take it back: node and former side.
    let mut log: Vec<(u32, u8)> = Vec::new();
    let better = |size: [usize; 3], than: [usize; 3]| {
        (size[2], size[0].abs_diff(size[1])) < (than[2], than[0].abs_diff(than[1]))
    };
    let start = size;
    let (mut best, mut best_len) = (size, 0);
    let mut idle = 0;
    let patience = 40 + size[2] / 8;
    while let Some((expected, v, side)) = heap.pop() {
        let u = v as usize;
        if sides[u] != CUT || locked[u] || size[side as usize] >= limit {
            continue;
        }
        let now = gain(graph, sides, u, side);
        if now != expected {
            // Entries go out of date downwards; upward changes have put in a new entry.
            if now < expected {
                heap.push((now, v, side));
            }
            continue;
        }
        locked[u] = true;
        sides[u] = side;
        log.push((v, CUT));
        size[side as usize] += 1;
        size[2] -= 1;
        for &w in graph.of(u) {
            let pulled = w as usize;
            if sides[pulled] != 1 - side {
                continue;
            }
            sides[pulled] = CUT;
            log.push((w, 1 - side));
            size[1 - side as usize] -= 1;
            size[2] += 1;
            if !locked[pulled] {
                for side in [A, B] {
                    heap.push((gain(graph, sides, pulled, side), w, side));
                }
            }
            for &t in graph.of(pulled) {
                if sides[t as usize] == CUT && t != w && !locked[t as usize] {
                    heap.push((gain(graph, sides, t as usize, side), t, side));
                }
            }
        }
        if better(size, best) {
            (best, best_len, idle) = (size, log.len(), 0);
        } else {
            idle += 1;
            if idle > patience {
                break;
            }
        }
    }
    for &(v, side) in log[best_len..].iter().rev() {
        sides[v as usize] = side;
    }
    better(best, start)
}
