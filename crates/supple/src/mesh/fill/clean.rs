//! From triangles as they come to triangles whose inside can be asked for: equal vertices welded, triangles without area and copies
//! dropped, neighbours turned alike, shells turned outwards.

use std::collections::HashMap;

use super::error::{FillError, LEAST_DIAGONAL, MOST_DIAGONAL};
use super::{Cavities, Surface};
use crate::math::sets::Sets;
use crate::math::small::{add, cross, dot, scale, sub};

/// Distance at which vertices are welded, as a share of the bounding box's diagonal.
const WELD: f64 = 1e-9;
/// A triangle whose height is less than this share of its longest edge has no area.
const FLAT: f64 = 1e-12;
/// Share of a patch's area that must agree for its winding to be believed against the sign of its volume.
const CLEAR: f64 = 0.75;
/// Shells beyond these (the largest are looked at first) are not asked whether they lie in another one.
const MOST_SHELLS: usize = 256;

/// A cleaned surface, and what cleaning did.
#[derive(Clone, Debug, Default)]
pub(super) struct Clean {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Shell (patch joined by edges) of each triangle.
    pub shell: Vec<u32>,
    /// Lowest and highest corner.
    pub bounds: [[f64; 3]; 2],
    pub welded: usize,
    pub degenerate: usize,
    pub doubled: usize,
    pub turned: usize,
    pub shells: usize,
    pub shells_turned: usize,
    pub cavities: usize,
    pub cavities_filled: usize,
    /// Edges whose triangles do not cancel: 0 means closed.
    pub open_edges: usize,
}

impl Clean {
    pub fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }
    pub fn closed(&self) -> bool {
        self.open_edges == 0
    }
    pub fn diagonal(&self) -> f64 {
        let d = sub(self.bounds[1], self.bounds[0]);
        dot(d, d).sqrt()
    }
    pub fn centre(&self) -> [f64; 3] {
        std::array::from_fn(|c| self.bounds[0][c] + 0.5 * (self.bounds[1][c] - self.bounds[0][c]))
    }
    /// Volume that the triangles enclose, in m³; means something for closed surfaces only.
    pub fn volume(&self) -> f64 {
        let centre = self.centre();
        (0..self.triangles.len()).map(|t| cone(self.corners(t), centre)).sum()
    }
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| area(self.corners(t))).sum()
    }
    /// Lids: triangles that close the surface, from each edge at which it is open to the middle of its loop.
    pub fn lids(&self) -> Vec<[[f64; 3]; 3]> {
        let mut loops = Sets::new(self.vertices.len());
        // Directed edges that the lids must run through.
        let mut open: Vec<[u32; 2]> = Vec::new();
        for same in edges(&self.triangles).chunk_by(|a, b| a.0 == b.0) {
            let up = same.iter().filter(|e| e.2).count();
            let (low, high) = ((same[0].0 >> 32) as u32, same[0].0 as u32);
            let down = same.len() - up;
            open.extend(std::iter::repeat_n([high, low], up.saturating_sub(down)));
            open.extend(std::iter::repeat_n([low, high], down.saturating_sub(up)));
            if up != down {
                loops.join(low, high);
            }
        }
        let mut middles: HashMap<u32, ([f64; 3], f64)> = HashMap::new();
        for [a, b] in &open {
            let middle = middles.entry(loops.root(*a)).or_default();
            for v in [a, b] {
                middle.0 = add(middle.0, self.vertices[*v as usize]);
                middle.1 += 1.0;
            }
        }
        let lid = |[a, b]: [u32; 2]| {
            let (sum, count) = middles.get(&loops.root(a)).copied().unwrap_or_default();
            [self.vertices[a as usize], self.vertices[b as usize], scale(1.0 / count, sum)]
        };
        open.into_iter().map(lid).collect()
    }
    /// Turns everything.
    pub fn turn_all(&mut self) {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self.shells_turned = self.shells;
    }
}

/// Signed volume of the tetrahedron over a triangle.
fn cone([a, b, c]: [[f64; 3]; 3], apex: [f64; 3]) -> f64 {
    dot(sub(a, apex), cross(sub(b, apex), sub(c, apex))) / 6.0
}

/// Area of a triangle.
pub(super) fn area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    0.5 * dot(n, n).sqrt()
}

/// Checks and cleans.
pub(super) fn clean(surface: Surface, cavities: Cavities) -> Result<Clean, FillError> {
    let bounds = check(surface)?;
    let mut out = Clean { bounds, ..Clean::default() };
    let diagonal = out.diagonal();
    if !(LEAST_DIAGONAL..=MOST_DIAGONAL).contains(&diagonal) {
        if diagonal == 0.0 {
            return Err(FillError::Flat { reason: "all its vertices are the same point".into() });
        }
        return Err(FillError::Extent { diagonal });
    }
    let of = weld(surface.vertices, bounds, WELD * diagonal, &mut out);
    let mut seen = HashMap::with_capacity(surface.triangles.len());
    for t in surface.triangles {
        let t = t.map(|v| of[v as usize]);
        if degenerate(t, &out.vertices) {
            out.degenerate += 1;
            continue;
        }
        // The same triangle, wound the same way: the smallest corner first.
        let first = (0..3).min_by_key(|&i| t[i]).unwrap_or(0);
        let key = [t[first], t[(first + 1) % 3], t[(first + 2) % 3]];
        if seen.insert(key, ()).is_some() {
            out.doubled += 1;
            continue;
        }
        out.triangles.push(t);
    }
    if out.triangles.is_empty() {
        let reason = format!("none of its {} triangles has an area", surface.triangles.len());
        return Err(FillError::Flat { reason });
    }
    flat(&out, diagonal)?;
    turn_alike(&mut out);
    turn_shells(&mut out, cavities);
    Ok(out)
}

/// Finite vertices of triangles that exist; the box around those that triangles use.
fn check(surface: Surface) -> Result<[[f64; 3]; 2], FillError> {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    if vertices == 0 || triangles == 0 {
        return Err(FillError::Empty { vertices, triangles });
    }
    for (what, count) in [("vertices", vertices), ("triangles", triangles)] {
        if count >= (u32::MAX / 8) as usize {
            return Err(FillError::TooMany { what, count });
        }
    }
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for (triangle, t) in surface.triangles.iter().enumerate() {
        for &vertex in t {
            let Some(&position) = surface.vertices.get(vertex as usize) else {
                return Err(FillError::Index { triangle, vertex, vertices });
            };
            if position.iter().any(|c| !c.is_finite()) {
                return Err(FillError::NotFinite { vertex: vertex as usize, position });
            }
            for c in 0..3 {
                bounds[0][c] = bounds[0][c].min(position[c]);
                bounds[1][c] = bounds[1][c].max(position[c]);
            }
        }
    }
    // Beyond this, squares overflow before the diagonal is known.
    let largest = bounds.iter().flatten().fold(0.0f64, |m, c| m.max(c.abs()));
    if largest > 1e100 {
        return Err(FillError::Extent { diagonal: largest });
    }
    Ok(bounds)
}

/// For each vertex the number of the first one at its place.
fn weld(vertices: &[[f64; 3]], bounds: [[f64; 3]; 2], near: f64, out: &mut Clean) -> Vec<u32> {
    // Cells are much larger than the tolerance, so that few vertices are near the side of one.
    let size = 64.0 * near;
    let cell =
        |p: [f64; 3]| -> [i64; 3] { std::array::from_fn(|c| ((p[c] - bounds[0][c]) / size).floor() as i64) };
    let mut first: HashMap<[i64; 3], u32> = HashMap::with_capacity(vertices.len());
    let mut next: Vec<u32> = Vec::with_capacity(vertices.len());
    let mut of = Vec::with_capacity(vertices.len());
    for &p in vertices {
        // Vertices that no triangle uses may be anything.
        if p.iter().any(|c| !c.is_finite()) {
            of.push(0);
            continue;
        }
        let (low, high) = (cell(p.map(|c| c - near)), cell(p.map(|c| c + near)));
        let mut found = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut at = first.get(&[x, y, z]).copied();
                    while let Some(v) = at {
                        let d = sub(out.vertices[v as usize], p);
                        if dot(d, d) <= near * near && found.is_none_or(|f| v < f) {
                            found = Some(v);
                        }
                        at = Some(next[v as usize]).filter(|&v| v != u32::MAX);
                    }
                }
            }
        }
        of.push(match found {
            Some(v) => {
                out.welded += 1;
                v
            }
            None => {
                let v = out.vertices.len() as u32;
                out.vertices.push(p);
                next.push(first.insert(cell(p), v).unwrap_or(u32::MAX));
                v
            }
        });
    }
    of
}

fn degenerate(t: [u32; 3], vertices: &[[f64; 3]]) -> bool {
    if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
        return true;
    }
    let p = t.map(|v| vertices[v as usize]);
    let longest = (0..3).map(|i| sub(p[(i + 1) % 3], p[i])).map(|e| dot(e, e)).fold(0.0, f64::max);
    2.0 * area(p) <= FLAT * longest
}

/// All in one plane?
fn flat(surface: &Clean, diagonal: f64) -> Result<(), FillError> {
    let widest =
        (0..surface.triangles.len()).map(|t| surface.corners(t)).max_by(|a, b| area(*a).total_cmp(&area(*b)));
    let Some([a, b, c]) = widest else { return Ok(()) };
    let n = cross(sub(b, a), sub(c, a));
    let n = scale(1.0 / dot(n, n).sqrt(), n);
    if surface.vertices.iter().any(|p| dot(sub(*p, a), n).abs() > 1e-9 * diagonal) {
        return Ok(());
    }
    Err(FillError::Flat { reason: "all its triangles lie in one plane".into() })
}

/// Edges of all triangles: lower and higher end, triangle and whether it runs upwards; in order.
fn edges(triangles: &[[u32; 3]]) -> Vec<(u64, u32, bool)> {
    let mut edges: Vec<(u64, u32, bool)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            edges.push((u64::from(a.min(b)) << 32 | u64::from(a.max(b)), t as u32, a < b));
        }
    }
    edges.sort_unstable();
    edges
}

/// Makes neighbours across edges of exactly two triangles run the same way round, patch by patch, where they do not. Numbers the shells.
fn turn_alike(out: &mut Clean) {
    let edges = edges(&out.triangles);
    // Neighbours: (other triangle, whether it agrees), at most three.
    let mut across = vec![[(u32::MAX, true); 3]; out.triangles.len()];
    let mut put = |t: u32, other: u32, agree: bool| {
        if let Some(free) = across[t as usize].iter_mut().find(|a| a.0 == u32::MAX) {
            *free = (other, agree);
        }
    };
    let mut joined = Vec::new();
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        match *same {
            [(_, a, up), (_, b, other)] if a != b => {
                put(a, b, up != other);
                put(b, a, up != other);
            }
            _ => joined.extend(same.windows(2).map(|w| [w[0].1, w[1].1])),
        }
    }
    // Patches by neighbours of pairs; `turn` is relative to the patch's first triangle.
    let mut patch = vec![u32::MAX; out.triangles.len()];
    let mut turn = vec![false; out.triangles.len()];
    let mut patches = 0;
    let mut stack = Vec::new();
    let mut members = Vec::new();
    for start in 0..out.triangles.len() {
        if patch[start] != u32::MAX {
            continue;
        }
        patch[start] = patches;
        stack.push(start as u32);
        members.clear();
        let mut disagree = false;
        while let Some(t) = stack.pop() {
            members.push(t as usize);
            for &(other, agree) in across[t as usize].iter().filter(|a| a.0 != u32::MAX) {
                disagree |= !agree;
                if patch[other as usize] == u32::MAX {
                    patch[other as usize] = patches;
                    turn[other as usize] = turn[t as usize] ^ !agree;
                    stack.push(other);
                }
            }
        }
        patches += 1;
        if disagree {
            settle(out, &members, &turn);
        }
    }
    // Shells are patches joined by any edge.
    let mut shells = Sets::new(patches as usize);
    for [a, b] in joined {
        shells.join(patch[a as usize], patch[b as usize]);
    }
    let mut number = vec![u32::MAX; patches as usize];
    for p in patch {
        let r = shells.root(p) as usize;
        if number[r] == u32::MAX {
            number[r] = out.shells as u32;
            out.shells += 1;
        }
        out.shell.push(number[r]);
    }
    out.open_edges = self::edges(&out.triangles)
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|same| 2 * same.iter().filter(|e| e.2).count() != same.len())
        .count();
}

/// Turns the triangles of a patch alike: as most of its area is, or so that its volume is positive where that is not clear.
fn settle(out: &mut Clean, members: &[usize], turn: &[bool]) {
    let (mut kept, mut turned, mut volume) = (0.0, 0.0, 0.0);
    let apex = out.corners(members[0])[0];
    for &t in members {
        let corners = out.corners(t);
        let (share, v) = (area(corners), cone(corners, apex));
        if turn[t] {
            turned += share;
            volume -= v;
        } else {
            kept += share;
            volume += v;
        }
    }
    let clear = kept.max(turned) >= CLEAR * (kept + turned);
    let other = if clear { turned > kept } else { volume < 0.0 };
    for &t in members {
        if turn[t] != other {
            out.triangles[t].swap(1, 2);
            out.turned += 1;
        }
    }
}

/// A closed shell that is wound inwards is a cavity if it lies in another shell, and otherwise inside out.
fn turn_shells(out: &mut Clean, cavities: Cavities) {
    if out.shells == 1 {
        if out.closed() && out.volume() < 0.0 {
            out.turn_all();
        }
        return;
    }
    let centre = out.centre();
    let mut volume = vec![0.0; out.shells];
    let mut first = vec![usize::MAX; out.shells];
    for t in 0..out.triangles.len() {
        let shell = out.shell[t] as usize;
        volume[shell] += cone(out.corners(t), centre);
        first[shell] = first[shell].min(t);
    }
    let mut open = vec![false; out.shells];
    for same in edges(&out.triangles).chunk_by(|a, b| a.0 == b.0) {
        if 2 * same.iter().filter(|e| e.2).count() != same.len() {
            same.iter().for_each(|e| open[out.shell[e.1 as usize] as usize] = true);
        }
    }
    let mut inwards: Vec<usize> = (0..out.shells).filter(|&s| volume[s] < 0.0 && !open[s]).collect();
    inwards.sort_by(|a, b| volume[*a].total_cmp(&volume[*b]).then(a.cmp(b)));
    inwards.truncate(MOST_SHELLS);
    let mut turn = vec![false; out.shells];
    for &s in &inwards {
        let p = out.corners(first[s])[0];
        let others = (0..out.triangles.len()).filter(|&t| out.shell[t] as usize != s);
        let winding: f64 = others
            .map(|t| {
                // Shells that are to be turned count as they will be.
                let w = super::tree::solid_angle(out.corners(t), p);
                if turn[out.shell[t] as usize] { -w } else { w }
            })
            .sum::<f64>()
            / (4.0 * std::f64::consts::PI);
        if winding < 0.5 {
            turn[s] = true;
            out.shells_turned += 1;
        } else {
            out.cavities += 1;
            if cavities == Cavities::Fill {
                turn[s] = true;
                out.cavities_filled += 1;
            }
        }
    }
    for t in 0..out.triangles.len() {
        if turn[out.shell[t] as usize] {
            out.triangles[t].swap(1, 2);
        }
    }
}
