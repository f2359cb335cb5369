//! Nested dissection: cut the graph in two by a small set of nodes, order both parts the same way, and
//! eliminate the cut last.
//!
//! A cut is looked for along several "heights" of the nodes: their coordinates, the principal axes of the
//! cloud, and the distance in the graph from a node far out, which needs no positions at all. All cuts
//! along one height are counted at once (`Scan`); the best of all is then improved (`separator.rs`).

use super::ordering::{Graph, minimum_degree};
use super::separator::{A, B, CUT, refine};
use crate::exec::Exec;

/// Parts of at most this many nodes are ordered by minimum degree.
const LEAF: usize = 60;

/// A cut must leave at least this part of the nodes on either side, which bounds the depth of the recursion.
const SMALLEST: f64 = 0.1;

/// Heights are compared in this many steps.
const STEPS: usize = 512;

/// Parts of fewer nodes are not worth a thread of their own.
const PARALLEL: usize = 2000;

/// A part of the mesh, with its own numbering.
struct Part {
    graph: Graph,
    positions: Vec<[f64; 3]>,
    /// The numbers of its nodes in the whole.
    ids: Vec<u32>,
}

/// An order of elimination of the whole graph, new → old. Positions that are missing count as the origin.
pub(super) fn dissect(graph: &Graph, positions: &[[f64; 3]], exec: &Exec) -> Vec<u32> {
    let n = graph.n();
    let finite = |p: &[f64; 3]| if p.iter().all(|c| c.is_finite()) { *p } else { [0.0; 3] };
    let mut positions: Vec<[f64; 3]> = positions.iter().take(n).map(finite).collect();
    positions.resize(n, [0.0; 3]);
    let mut order = Vec::with_capacity(n);
    let graph = Graph { starts: graph.starts.clone(), ids: graph.ids.clone() };
    dissect_part(Part { graph, positions, ids: (0..n as u32).collect() }, &mut order, exec);
    order
}

/// Appends the nodes of a part in order of elimination.
fn dissect_part(part: Part, order: &mut Vec<u32>, exec: &Exec) {
    let n = part.graph.n();
    let sides = if n <= LEAF { None } else { bisect(&part.graph, &part.positions) };
    let Some(sides) = sides else {
        order.extend(minimum_degree(&part.graph).iter().map(|&v| part.ids[v as usize]));
        return;
    };
    let a = extract(&part, &sides, A);
    let b = extract(&part, &sides, B);
    let cut: Vec<u32> = (0..n).filter(|&v| sides[v] == CUT).map(|v| part.ids[v]).collect();
    drop(part);
    if n < PARALLEL {
        dissect_part(a, order, exec);
        dissect_part(b, order, exec);
    } else {
        let mut right = Vec::with_capacity(b.ids.len());
        exec.join(|| dissect_part(a, order, exec), || dissect_part(b, &mut right, exec));
        order.extend(right);
    }
    order.extend(cut);
}

/// The part of a part that lies on one side.
fn extract(part: &Part, sides: &[u8], side: u8) -> Part {
    let n = part.graph.n();
    let nodes: Vec<u32> = (0..n as u32).filter(|&v| sides[v as usize] == side).collect();
    let mut place = vec![u32::MAX; n];
    for (k, &v) in nodes.iter().enumerate() {
        place[v as usize] = k as u32;
    }
    let mut starts = Vec::with_capacity(nodes.len() + 1);
    let mut ids = Vec::with_capacity(nodes.iter().map(|&v| part.graph.of(v as usize).len()).sum());
    starts.push(0);
    for &v in &nodes {
        ids.extend(part.graph.of(v as usize).iter().map(|&w| place[w as usize]).filter(|&w| w != u32::MAX));
        starts.push(ids.len());
    }
    Part {
        graph: Graph { starts, ids },
        positions: nodes.iter().map(|&v| part.positions[v as usize]).collect(),
        ids: nodes.iter().map(|&v| part.ids[v as usize]).collect(),
    }
}

/// The side of each node, with no edge between [`A`] and [`B`]; none if no cut leaves two parts.
fn bisect(graph: &Graph, positions: &[[f64; 3]]) -> Option<Vec<u8>> {
    let n = graph.n();
    let distance = match distances(graph) {
        Ok(distance) => distance,
        Err(sides) => return Some(sides),
    };
    let mut best: Option<(f64, Vec<u8>)> = None;
    let mut consider = |heights: &[f64]| {
        if let Some(scan) = Scan::new(graph, heights)
            && best.as_ref().is_none_or(|(score, _)| scan.score < *score)
        {
            best = Some((scan.score, scan.sides(graph)));
        }
    };
    consider(&distance);
    let mut heights = vec![0.0; n];
    let axes = principal_axes(positions);
    let coordinates = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for axis in coordinates.iter().chain(&axes) {
        for (h, p) in heights.iter_mut().zip(positions) {
            *h = p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2];
        }
        consider(&heights);
    }
    let (_, mut sides) = best?;
    refine(graph, &mut sides);
    let has = |side| sides.contains(&side);
    if has(A) && has(B) { Some(sides) } else { None }
}

/// The distance of every node from one far out. If the graph is not connected, two sides without a cut.
fn distances(graph: &Graph) -> Result<Vec<f64>, Vec<u8>> {
    let n = graph.n();
    let mut level = vec![u32::MAX; n];
    let mut queue: Vec<u32> = Vec::with_capacity(n);
    let mut start = 0;
    for _ in 0..2 {
        level.fill(u32::MAX);
        queue.clear();
        queue.push(start);
        level[start as usize] = 0;
        let mut at = 0;
        while at < queue.len() {
            let v = queue[at] as usize;
            at += 1;
            for &w in graph.of(v) {
                if level[w as usize] == u32::MAX {
                    level[w as usize] = level[v] + 1;
                    queue.push(w);
                }
            }
        }
        start = queue[queue.len() - 1];
        if queue.len() < n {
            return Err(components(graph));
        }
    }
    Ok(level.iter().map(|&l| l as f64).collect())
}

/// The connected components on two sides, of sizes as equal as taking them in order makes them.
fn components(graph: &Graph) -> Vec<u8> {
    let n = graph.n();
    let mut sides = vec![CUT; n];
    let mut queue: Vec<u32> = Vec::new();
    let mut filled = 0;
    for root in 0..n {
        if sides[root] != CUT {
            continue;
        }
        let side = if 2 * filled < n { A } else { B };
        queue.clear();
        queue.push(root as u32);
        sides[root] = side;
        let mut at = 0;
        while at < queue.len() {
            for &w in graph.of(queue[at] as usize) {
                if sides[w as usize] == CUT {
                    sides[w as usize] = side;
                    queue.push(w);
                }
            }
            at += 1;
        }
        filled += queue.len();
        if filled == n && side == A {
            // The last component is the large one: it alone is the other side.
            for &v in &queue {
                sides[v as usize] = B;
            }
        }
    }
    sides
}

/// The best of the cuts along one height: the nodes up to a height that touch nodes above it.
struct Scan {
    /// Smaller is better.
    score: f64,
    /// The height of each node in steps.
    step: Vec<u16>,
    /// Nodes up to this step are [`A`] or [`CUT`].
    at: u16,
}

impl Scan {
    fn new(graph: &Graph, heights: &[f64]) -> Option<Scan> {
        let n = graph.n();
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high.partial_cmp(&low) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        let scale = (STEPS - 1) as f64 / (high - low);
        let step: Vec<u16> = heights.iter().map(|h| ((h - low) * scale) as u16).collect();
        // How many nodes lie at each step, and how the size of the cut changes from step to step.
        let (mut nodes, mut change) = ([0usize; STEPS], [0isize; STEPS]);
        for v in 0..n {
            let mine = step[v];
            let mut highest = mine;
            for &w in graph.of(v) {
                highest = highest.max(step[w as usize]);
            }
            nodes[mine as usize] += 1;
            change[mine as usize] += 1;
            change[highest as usize] -= 1;
        }
        let mut best: Option<(f64, u16)> = None;
        let (mut below, mut cut) = (0, 0isize);
        for at in 0..STEPS {
            below += nodes[at];
            cut += change[at];
            let (a, b) = (below as f64 - cut as f64, (n - below) as f64);
            if a.min(b) >= SMALLEST * n as f64 {
                // Few nodes in the cut, and sides of similar size.
                let score = (cut as f64 + 1.0) / (a * b);
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, at as u16));
                }
            }
        }
        best.map(|(score, at)| Scan { score, step, at })
    }

    fn sides(&self, graph: &Graph) -> Vec<u8> {
        let mut sides = vec![B; graph.n()];
        for v in 0..graph.n() {
            if self.step[v] <= self.at {
                let cut = graph.of(v).iter().any(|&w| self.step[w as usize] > self.at);
                sides[v] = if cut { CUT } else { A };
            }
        }
        sides
    }
}

/// The axes along which a cloud is longest, shortest and in between: eigenvectors of its covariance.
fn principal_axes(positions: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let n = positions.len().max(1) as f64;
    let mut mean = [0.0; 3];
    for p in positions {
        for c in 0..3 {
            mean[c] += p[c] / n;
        }
    }
    let mut m = [[0.0; 3]; 3];
    for p in positions {
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += (p[i] - mean[i]) * (p[j] - mean[j]);
            }
        }
    }
    // Jacobi rotations; `v` holds the eigenvectors as rows.
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (d, b) = (m[q][q] - m[p][p], 2.0 * m[p][q]);
            let h = (d * d + b * b).sqrt();
            if h <= 0.0 || !h.is_finite() {
                continue;
            }
            let t = if d < 0.0 { -b / (h - d) } else { b / (h + d) };
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            for k in 0..3 {
                (m[k][p], m[k][q]) = (c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
                (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
            }
        }
    }
    v
}
