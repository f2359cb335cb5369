//! No hinges: tetrahedra that meet in a node or an edge only are parted, or joined by more of them; parts are counted and dropped.

use super::lattice::Lattice;
use crate::mesh::tet_volume;
use std::collections::BTreeSet;

const NONE: u32 = u32::MAX;
/// Faces of (a, b, c, d) opposite of each corner.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
/// A part of fewer tetrahedra is a crumb…
const CRUMB: usize = 16;
/// … if it also has less than this share of the volume.
const CRUMB_SHARE: f64 = 0.01;

/// For each tetrahedron the neighbours opposite of its corners.
pub(super) fn neighbours(tets: &[[u32; 4]], vertices: usize) -> Vec<[u32; 4]> {
    // Faces by their lowest corner.
    let mut start = vec![0u32; vertices + 1];
    let lowest = |t: &[u32; 4], f: usize| FACES[f].map(|i| t[i]).into_iter().min().unwrap_or(0);
    for t in tets {
        for f in 0..4 {
            start[lowest(t, f) as usize + 1] += 1;
        }
    }
    for i in 1..start.len() {
        start[i] += start[i - 1];
    }
    let mut next = start.clone();
    let mut faces = vec![(0u64, 0u32); 4 * tets.len()];
    for (e, t) in tets.iter().enumerate() {
        for f in 0..4 {
            let mut corners = FACES[f].map(|i| t[i]);
            corners.sort_unstable();
            let at = &mut next[corners[0] as usize];
            faces[*at as usize] = (u64::from(corners[1]) << 32 | u64::from(corners[2]), (4 * e + f) as u32);
            *at += 1;
        }
    }
    let mut out = vec![[NONE; 4]; tets.len()];
    for v in 0..vertices {
        let bucket = &mut faces[start[v] as usize..start[v + 1] as usize];
        bucket.sort_unstable();
        for pair in bucket.windows(2) {
            let ((a, x), (b, y)) = (pair[0], pair[1]);
            if a == b {
                out[x as usize / 4][x as usize % 4] = y / 4;
                out[y as usize / 4][y as usize % 4] = x / 4;
            }
        }
    }
    out
}

/// Faces of one tetrahedron only, facing outwards.
pub(super) fn boundary(tets: &[[u32; 4]], vertices: usize) -> Vec<[u32; 3]> {
    const OUTWARDS: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let across = neighbours(tets, vertices);
    let faces = tets
        .iter()
        .zip(&across)
        .flat_map(|(t, across)| (0..4).filter(|&f| across[f] == NONE).map(|f| OUTWARDS[f].map(|i| t[i])));
    faces.collect()
}

/// Tetrahedra at each vertex.
struct Around {
    start: Vec<u32>,
    tets: Vec<u32>,
}

impl Around {
    fn new(tets: &[[u32; 4]], vertices: usize) -> Around {
        let mut start = vec![0u32; vertices + 1];
        tets.iter().flatten().for_each(|&v| start[v as usize + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut out = vec![0; 4 * tets.len()];
        for (e, t) in tets.iter().enumerate() {
            for &v in t {
                out[next[v as usize] as usize] = e as u32;
                next[v as usize] += 1;
            }
        }
        Around { start, tets: out }
    }
    fn of(&self, v: usize) -> &[u32] {
        &self.tets[self.start[v] as usize..self.start[v + 1] as usize]
    }
}

/// Groups the tetrahedra of a list by faces that contain all of `corners`: the number of groups, and the group of each.
fn fans(list: &[u32], tets: &[[u32; 4]], across: &[[u32; 4]], corners: &[u32], group: &mut Vec<u32>) -> u32 {
    group.clear();
    group.resize(list.len(), NONE);
    let mut count = 0;
    let mut stack = Vec::new();
    for first in 0..list.len() {
        if group[first] != NONE {
            continue;
        }
        group[first] = count;
        stack.push(list[first]);
        while let Some(e) = stack.pop() {
            let e = e as usize;
            for f in (0..4).filter(|&f| !corners.contains(&tets[e][f])) {
                if let Some(at) = list.iter().position(|&other| other == across[e][f])
                    && group[at] == NONE
                {
                    group[at] = count;
                    stack.push(across[e][f]);
                }
            }
        }
        count += 1;
    }
    count
}

/// Edges of the boundary that more than two of its faces share.
fn pinched_edges(tets: &[[u32; 4]], across: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<u64> = Vec::new();
    for (t, across) in tets.iter().zip(across) {
        for f in (0..4).filter(|&f| across[f] == NONE) {
            let [a, b, c] = FACES[f].map(|i| t[i]);
            for (p, q) in [(a, b), (b, c), (c, a)] {
                edges.push(u64::from(p.min(q)) << 32 | u64::from(p.max(q)));
            }
        }
    }
    edges.sort_unstable();
    let pinched = edges.chunk_by(|a, b| a == b).filter(|same| same.len() > 2);
    pinched.map(|same| [(same[0] >> 32) as u32, same[0] as u32]).collect()
}

/// Vertices of the boundary.
fn on_boundary(tets: &[[u32; 4]], across: &[[u32; 4]], vertices: usize) -> Vec<bool> {
    let mut on = vec![false; vertices];
    for (t, across) in tets.iter().zip(across) {
        for f in (0..4).filter(|&f| across[f] == NONE) {
            FACES[f].iter().for_each(|&i| on[t[i] as usize] = true);
        }
    }
    on
}

/// What tidying did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tidied {
    /// Copies of nodes that were made.
    pub split: usize,
    /// Tetrahedra dropped because they hung on an edge.
    pub hinges: usize,
    /// Tetrahedra added to join others.
    pub added: usize,
    /// Parts that are left.
    pub parts: usize,
    /// Parts that were dropped, and their share of the volume.
    pub dropped: usize,
    pub dropped_volume: f64,
}

/// Gives each fan of tetrahedra around a node a copy of the node, and drops what then still hangs on an edge.
pub(super) fn part(vertices: &mut Vec<[f64; 3]>, tets: &mut Vec<[u32; 4]>, done: &mut Tidied) {
    let mut group = Vec::new();
    loop {
        let across = neighbours(tets, vertices.len());
        let around = Around::new(tets, vertices.len());
        let on = on_boundary(tets, &across, vertices.len());
        for v in (0..on.len()).filter(|&v| on[v]) {
            let list = around.of(v);
            let count = fans(list, tets, &across, &[v as u32], &mut group);
            for fan in 1..count {
                let copy = vertices.len() as u32;
                vertices.push(vertices[v]);
                done.split += 1;
                for (&e, _) in list.iter().zip(&group).filter(|(_, g)| **g == fan) {
                    tets[e as usize].iter_mut().filter(|w| **w == v as u32).for_each(|w| *w = copy);
                }
            }
        }
        // Copies change no neighbours: those across faces have the same copy.
        let pinched = pinched_edges(tets, &across);
        if pinched.is_empty() {
            return;
        }
        let around = Around::new(tets, vertices.len());
        let mut drop = BTreeSet::new();
        for edge in pinched {
            let list: Vec<u32> = around
                .of(edge[0] as usize)
                .iter()
                .copied()
                .filter(|&e| tets[e as usize].contains(&edge[1]))
                .collect();
            let count = fans(&list, tets, &across, &edge, &mut group);
            let mut volume = vec![0.0; count as usize];
            for (&e, &g) in list.iter().zip(&group) {
                volume[g as usize] += tet_volume(tets[e as usize].map(|v| vertices[v as usize]));
            }
            let keep = (0..volume.len()).rev().max_by(|&a, &b| volume[a].total_cmp(&volume[b])).unwrap_or(0);
            drop.extend(list.iter().zip(&group).filter(|(_, g)| **g as usize != keep).map(|(e, _)| *e));
        }
        done.hinges += drop.len();
        let mut number = 0;
        tets.retain(|_| {
            number += 1;
            !drop.contains(&(number - 1))
        });
    }
}

/// Counts parts joined by faces; drops crumbs, or all but the largest part. Returns whether each tetrahedron stays.
pub(super) fn parts(
    vertices: &[[f64; 3]],
    tets: &[[u32; 4]],
    largest_only: bool,
    done: &mut Tidied,
) -> Vec<bool> {
    let across = neighbours(tets, vertices.len());
    let mut part = vec![NONE; tets.len()];
    let (mut sizes, mut volumes): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut stack = Vec::new();
    for first in 0..tets.len() {
        if part[first] != NONE {
            continue;
        }
        let number = sizes.len() as u32;
        let (mut size, mut volume) = (0, 0.0);
        part[first] = number;
        stack.push(first as u32);
        while let Some(e) = stack.pop() {
            size += 1;
            volume += tet_volume(tets[e as usize].map(|v| vertices[v as usize]));
            for &other in across[e as usize].iter().filter(|o| **o != NONE) {
                if part[other as usize] == NONE {
                    part[other as usize] = number;
                    stack.push(other);
                }
            }
        }
        sizes.push(size);
        volumes.push(volume);
    }
    let total: f64 = volumes.iter().sum();
    let largest = (0..volumes.len()).rev().max_by(|&a, &b| volumes[a].total_cmp(&volumes[b])).unwrap_or(0);
    let stays: Vec<bool> = (0..sizes.len())
        .map(|p| {
            let crumb = sizes[p] < CRUMB && volumes[p] < CRUMB_SHARE * total;
            p == largest || !(largest_only || crumb)
        })
        .collect();
    done.parts = stays.iter().filter(|s| **s).count();
    done.dropped = sizes.len() - done.parts;
    done.dropped_volume = (0..sizes.len()).filter(|&p| !stays[p]).map(|p| volumes[p]).sum::<f64>() / total;
    part.iter().map(|&p| stays[p as usize]).collect()
}

/// Keeps the tetrahedra marked so, and the vertices that they use.
pub(super) fn keep(vertices: &mut Vec<[f64; 3]>, tets: &mut Vec<[u32; 4]>, stays: &[bool]) {
    let mut marks = stays.iter();
    tets.retain(|_| marks.next() == Some(&true));
    let mut number = vec![NONE; vertices.len()];
    tets.iter().flatten().for_each(|&v| number[v as usize] = 0);
    for (next, n) in number.iter_mut().filter(|n| **n == 0).enumerate() {
        *n = next as u32;
    }
    let mut used = number.iter();
    vertices.retain(|_| used.next() != Some(&NONE));
    tets.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
}

/// Adds lattice tetrahedra around nodes and edges where the chosen ones meet without a face, until there are none.
pub(super) fn join(lattice: &Lattice, chosen: &mut Vec<u64>, done: &mut Tidied) {
    let before = chosen.len();
    let mut group = Vec::new();
    loop {
        let (nodes, tets) = compact(lattice, chosen.iter().copied());
        let across = neighbours(&tets, nodes.len());
        let around = Around::new(&tets, nodes.len());
        let on = on_boundary(&tets, &across, nodes.len());
        let mut add: Vec<u64> = Vec::new();
        for [a, b] in pinched_edges(&tets, &across) {
            let (a, b) = (nodes[a as usize], nodes[b as usize]);
            add.extend(lattice.tets_at(a).filter(|&n| lattice.tet(n).is_some_and(|t| t.contains(&b))));
        }
        for v in (0..nodes.len()).filter(|&v| on[v]) {
            if fans(around.of(v), &tets, &across, &[v as u32], &mut group) > 1 {
                add.extend(lattice.tets_at(nodes[v]));
            }
        }
        let count = chosen.len();
        if add.is_empty() {
            done.added = count - before;
            return;
        }
        chosen.extend(add);
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.len() == count {
            done.added = count - before;
            return;
        }
    }
}

/// Lattice tetrahedra as a mesh of their own: its nodes' numbers in the lattice, and the tetrahedra.
pub(super) fn compact(lattice: &Lattice, chosen: impl Iterator<Item = u64>) -> (Vec<usize>, Vec<[u32; 4]>) {
    let mut number = vec![NONE; lattice.node_count()];
    let mut nodes = Vec::new();
    let tets = chosen
        .filter_map(|n| lattice.tet(n))
        .map(|t| {
            t.map(|v| {
                if number[v] == NONE {
                    number[v] = nodes.len() as u32;
                    nodes.push(v);
                }
                number[v]
            })
        })
        .collect();
    (nodes, tets)
}
