//! How far things have gone against each other since distances were taken: what has not come near needs no look.
//!
//! All candidates are gone through in each iteration, so motions are half a cache line each, in single precision, rounded so that they are never too short.

use super::*;

/// Rounding of single precision, and a length in m below which its squares vanish.
const ROUNDING: f64 = 1e-6;
const NOTHING: f64 = 1e-18;

/// The motion of a node, or of the corners of a triangle or an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    /// Mean way gone since distances were taken, and mean way to come, in m.
    gone: [f32; 3],
    way: [f32; 3],
    /// The largest deviation of a corner from where the means lead, now or at the end of the way, and of its way to come from their mean, in m.
    spread: f32,
    way_spread: f32,
}

#[inline]
fn length(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

#[inline]
fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

impl Moved {
    fn over(of: &[u32], [seen, y, to]: [&[Row]; 3]) -> Moved {
        let share = 1.0 / of.len() as f64;
        let ways = |i: u32| {
            let i = i as usize;
            [sub(y[i].xyz(), seen[i].xyz()), sub(to[i].xyz(), y[i].xyz())]
        };
        let (mut gone, mut way) = ([0.0; 3], [0.0; 3]);
        for &i in of {
            let [g, w] = ways(i);
            (gone, way) = (axpy(gone, share, g), axpy(way, share, w));
        }
        let (mut spread, mut way_spread) = (0.0f64, 0.0f64);
        for &i in of {
            let [g, w] = ways(i);
            let (g, w) = (sub(g, gone), sub(w, way));
            let end = add(g, w);
            spread = spread.max(dot(g, g)).max(dot(end, end));
            way_spread = way_spread.max(dot(w, w));
        }
        let lost = ROUNDING * (dot(gone, gone).sqrt() + dot(way, way).sqrt()) + NOTHING;
        Moved {
            gone: gone.map(|v| v as f32),
            way: way.map(|v| v as f32),
            spread: (spread.sqrt() * (1.0 + ROUNDING) + lost) as f32,
            way_spread: (way_spread.sqrt() * (1.0 + ROUNDING) + lost) as f32,
        }
    }
}

/// The motion of all nodes, triangles and edges of surfaces.
#[derive(Debug, Default)]
pub(in crate::contact) struct Motion {
    nodes: Vec<Moved>,
    triangles: Vec<Moved>,
    edges: Vec<Moved>,
}

impl Motion {
    /// Of ways from `seen` to `y` and on to `to`.
    pub fn set(&mut self, skin: &Skin, at: [&[Row]; 3]) {
        self.nodes.resize(at[0].len(), Moved::default());
        for &i in &skin.nodes {
            self.nodes[i as usize] = Moved::over(&[i], at);
        }
        let (triangles, edges) = (&skin.surfaces.triangles, &skin.edges);
        self.triangles.resize(triangles.len(), Moved::default());
        self.edges.resize(edges.len(), Moved::default());
        skin.exec.for_each_chunk(&mut self.triangles, CHUNK, |k, chunk| {
            let all = chunk.iter_mut().zip(&triangles[k * CHUNK..]);
            all.for_each(|(m, t)| *m = Moved::over(t, at));
        });
        skin.exec.for_each_chunk(&mut self.edges, CHUNK, |k, chunk| {
            let all = chunk.iter_mut().zip(&edges[k * CHUNK..]);
            all.for_each(|(m, e)| *m = Moved::over(&e.nodes, at));
        });
    }

    #[inline]
    fn both(&self, kind: Kind, [i, j]: [u32; 2]) -> [&Moved; 2] {
        match kind {
            Kind::Node => [&self.nodes[i as usize], &self.triangles[j as usize]],
            Kind::Edge => [&self.edges[i as usize], &self.edges[j as usize]],
        }
    }

    /// True if two things stay further apart than where they are active, at any time of the way. What they do alike brings them no nearer: on
    /// the way that holds within a body, whose nodes all go the same share of it.
    #[inline]
    pub fn spares(&self, kind: Kind, c: &Candidate) -> bool {
        let [a, b] = self.both(kind, c.things);
        let gone = minus(a.gone, b.gone);
        let relative = if c.same {
            let way = minus(a.way, b.way);
            length(gone).max(length([gone[0] + way[0], gone[1] + way[1], gone[2] + way[2]]))
        } else {
            length(gone) + length(a.way) + length(b.way) + a.way_spread + b.way_spread
        };
        c.slack > (relative + a.spread + b.spread) * (1.0 + ROUNDING as f32)
    }

    /// How much nearer two things can come on the way, at most, in m.
    #[inline]
    pub fn nearer(&self, kind: Kind, c: &Candidate) -> f64 {
        let [a, b] = self.both(kind, c.things);
        let relative = if c.same { length(minus(a.way, b.way)) } else { length(a.way) + length(b.way) };
        f64::from(relative + a.way_spread + b.way_spread) * (1.0 + ROUNDING)
    }
}

/// Triangles or edges that one thread takes at a time.
const CHUNK: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    /// Two edges on random ways, of sizes from far below to far above their distance and far from the origin: what is spared never comes nearer than it
    /// may, and what is said of a way is a bound of it.
    #[test]
    fn what_is_spared_stays_away() {
        let mut seed = 7u64;
        let (mut spared, mut kept) = (0, 0);
        for trial in 0..20_000 {
            let mut number = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 33) as f64 / 2f64.powi(30) - 1.0
            };
            let size = [1e-5, 1e-2, 1.0, 30.0][trial % 4];
            let (far, same) = ([0.0, 1e3][trial / 4 % 2], trial / 8 % 2 == 0);
            let common: [f64; 3] = std::array::from_fn(|_| far * number());
            let seen: [[f64; 3]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| far + number()));
            let mut moved = |p: &[[f64; 3]; 4]| -> [[f64; 3]; 4] {
                p.map(|p| std::array::from_fn(|c| p[c] + common[c] + size * number()))
            };
            let y = moved(&seen);
            let to = moved(&y);
            let rows = |p: &[[f64; 3]; 4]| p.map(Row::new);
            let at = [rows(&seen), rows(&y), rows(&to)];
            let of = |two: [u32; 2]| Moved::over(&two, [&at[0], &at[1], &at[2]]);
            let motion = Motion { edges: vec![of([0, 1]), of([2, 3])], ..Motion::default() };
            let apart = Kind::Edge.distance(&seen);
            let within = apart * 0.5;
            let slack = (apart - within - 1e-6 * (apart + within)) as f32;
            let c = Candidate { things: [0, 1], slack, same };
            let (spares, nearer) = (motion.spares(Kind::Edge, &c), motion.nearer(Kind::Edge, &c));
            spared += usize::from(spares);
            kept += usize::from(!spares);
            let start = Kind::Edge.distance(&y);
            for k in 0..=8 {
                // Of different bodies each goes a share of its own.
                let s = f64::from(k) / 8.0;
                let shares = if same { [s, s] } else { [s, 1.0 - s] };
                let now: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(y[i], shares[i / 2], sub(to[i], y[i])));
                let d = Kind::Edge.distance(&now);
                assert!(!spares || d >= within, "{trial}: {d} {within}");
                assert!(d >= start - nearer - 1e-12 * (1.0 + far), "{trial}: {d} {start} {nearer}");
            }
        }
        assert!(spared > 500 && kept > 500, "{spared} {kept}");
    }
}
