//! The order of elimination: which permutation of the nodes keeps the factor small.
//!
//! Nested dissection (`dissection.rs`), or approximate minimum degree where that is better on a small graph. The result is postordered by its elimination tree, which changes no fill but makes
//! the columns of equal pattern neighbours.

use super::dissection::dissect;
use super::system::Cliques;
use crate::exec::Exec;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Up to this many nodes both orders are tried.
const COMPARED: usize = 5000;

/// "No parent" in an elimination tree.
pub(super) const NONE: u32 = u32::MAX;

/// An order of elimination with little fill, as new → old: the node `order[k]` is to become node `k`.
///
/// `positions` (one per node, m) guide the dissection of large meshes; they may be wrong or missing, at the
/// price of more fill. The same input gives the same order, on any number of threads.
pub fn order(cliques: &Cliques, positions: &[[f64; 3]], exec: &Exec) -> Vec<u32> {
    let (starts, ids) = cliques.adjacency(false);
    let graph = Graph { starts, ids };
    // On small graphs minimum degree may win, and then both are cheap to compare.
    let candidate = (graph.n() <= COMPARED).then(|| postordered(&graph, minimum_degree(&graph)));
    let candidate = candidate.map(|order| (fill(&graph, &order), order));
    let dissected = postordered(&graph, dissect(&graph, positions, exec));
    match candidate {
        Some((least, order)) if least < fill(&graph, &dissected) => order,
        _ => dissected,
    }
}

/// The inverse of a permutation: from new → old to old → new, and back.
pub fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (k, &v) in order.iter().enumerate() {
        inverse[v as usize] = k as u32;
    }
    inverse
}

/// Neighbours of each node, without the node itself, ascending.
pub(super) struct Graph {
    pub starts: Vec<usize>,
    pub ids: Vec<u32>,
}

impl Graph {
    pub fn n(&self) -> usize {
        self.starts.len() - 1
    }
    pub fn of(&self, v: usize) -> &[u32] {
        &self.ids[self.starts[v]..self.starts[v + 1]]
    }
}

/// Approximate minimum degree, new → old; the given order if the graph is too large for 32-bit counts.
pub(super) fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let n = graph.n();
    let mut order: Vec<u32> = (0..n as u32).collect();
    if n < 2 || graph.ids.len() > (u32::MAX / 4) as usize {
        return order;
    }
    // The upper triangle is all that the routine asks for.
    let mut starts = Vec::with_capacity(n + 1);
    let mut ids = Vec::with_capacity(graph.ids.len() / 2);
    starts.push(0u32);
    for v in 0..n {
        ids.extend(graph.of(v).iter().copied().filter(|&w| (w as usize) < v));
        starts.push(ids.len() as u32);
    }
    let upper = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &ids);
    let mut back = vec![0u32; n];
    let Ok(mut memory) = MemBuffer::try_new(amd::order_scratch::<u32>(n, ids.len())) else {
        return order;
    };
    let done = amd::order(&mut order, &mut back, upper, amd::Control::default(), MemStack::new(&mut memory));
    if done.is_err() {
        return (0..n as u32).collect();
    }
    order
}

/// The elimination tree of the graph under an order: the parent of each position, [`NONE`] for roots.
fn elimination_tree(graph: &Graph, order: &[u32], place: &[u32]) -> Vec<u32> {
    let mut parent = vec![NONE; order.len()];
    // Shortcuts towards the root of the part of the tree that is known so far.
    let mut ancestor = vec![NONE; order.len()];
    for (k, &v) in order.iter().enumerate() {
        let k = k as u32;
        for &w in graph.of(v as usize) {
            let mut i = place[w as usize];
            while i < k {
                let up = ancestor[i as usize];
                ancestor[i as usize] = k;
                if up == k {
                    break;
                }
                if up == NONE {
                    parent[i as usize] = k;
                    break;
                }
                i = up;
            }
        }
    }
    parent
}

/// The same elimination, every subtree of the elimination tree in one run. Of the children of a node the
/// one with the largest subtree comes last, next to its parent: it is the one worth merging with it.
fn postordered(graph: &Graph, order: Vec<u32>) -> Vec<u32> {
    let n = order.len();
    let parent = elimination_tree(graph, &order, &inverse(&order));
    let mut size = vec![1u32; n];
    for k in 0..n {
        if parent[k] != NONE {
            size[parent[k] as usize] += size[k];
        }
    }
    // Children in the order of (size, number): counting them into place from a sorted list.
    let mut by_size: Vec<u32> = (0..n as u32).collect();
    by_size.sort_by_key(|&k| size[k as usize]);
    let (mut first, mut next) = (vec![NONE; n], vec![NONE; n]);
    let mut roots = Vec::new();
    for &k in &by_size {
        // Pushed in front: the list runs from the largest to the smallest.
        match parent[k as usize] {
            NONE => roots.push(k),
            p => {
                next[k as usize] = first[p as usize];
                first[p as usize] = k;
            }
        }
    }
    // Parents before children, largest child first: a postorder backwards.
    let mut reversed = Vec::with_capacity(n);
    let mut stack = roots;
    while let Some(k) = stack.pop() {
        reversed.push(order[k as usize]);
        let from = stack.len();
        let mut child = first[k as usize];
        while child != NONE {
            stack.push(child);
            child = next[child as usize];
        }
        stack[from..].reverse();
    }
    reversed.reverse();
    reversed
}

/// How many numbers the factor has under an order.
fn fill(graph: &Graph, order: &[u32]) -> usize {
    let (n, place) = (order.len(), inverse(order));
    let (mut parent, mut seen) = (vec![NONE; n], vec![NONE; n]);
    let mut count = n;
    for k in 0..n {
        seen[k] = k as u32;
        for &w in graph.of(order[k] as usize) {
            // The row k of the factor: all nodes on the way from its neighbours up to k.
            let mut i = place[w as usize] as usize;
            while i < k && seen[i] != k as u32 {
                seen[i] = k as u32;
                count += 1;
                if parent[i] == NONE {
                    parent[i] = k as u32;
                }
                i = parent[i] as usize;
            }
        }
    }
    count
}
