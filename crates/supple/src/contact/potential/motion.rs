//! How far things have gone against each other since distances were taken: what has not come near needs no look.

use super::*;

/// The motion of a node, or of the corners of a triangle or an edge: since distances were taken, and at the end of a way.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    /// Mean way gone, and gone at the end of the way to come, in m.
    gone: [f64; 3],
    end: [f64; 3],
    /// The largest deviation of a corner from these means, in m.
    spread: f64,
    /// The longest way to come of a corner, in m.
    way: f64,
}

impl Moved {
    #[inline]
    fn over(nodes: &[Moved], of: &[u32]) -> Moved {
        let mut all = Moved::default();
        let share = 1.0 / of.len() as f64;
        for &i in of {
            let m = &nodes[i as usize];
            all.gone = axpy(all.gone, share, m.gone);
            all.end = axpy(all.end, share, m.end);
            all.way = all.way.max(m.way);
        }
        for &i in of {
            let m = &nodes[i as usize];
            let (g, e) = (sub(m.gone, all.gone), sub(m.end, all.end));
            all.spread = all.spread.max(dot(g, g)).max(dot(e, e));
        }
        all.spread = all.spread.sqrt();
        all
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
    pub fn set(&mut self, skin: &Skin, [seen, y, to]: [&[Row]; 3]) {
        self.nodes.resize(y.len(), Moved::default());
        for &i in &skin.nodes {
            let i = i as usize;
            let way = sub(to[i].xyz(), y[i].xyz());
            self.nodes[i] = Moved {
                gone: sub(y[i].xyz(), seen[i].xyz()),
                end: sub(to[i].xyz(), seen[i].xyz()),
                spread: 0.0,
                way: dot(way, way).sqrt(),
            };
        }
        let nodes = &self.nodes;
        let (triangles, edges) = (&skin.surfaces.triangles, &skin.edges);
        self.triangles.clear();
        skin.exec.collect(triangles.len(), &mut self.triangles, |some, out| {
            out.extend(triangles[some].iter().map(|t| Moved::over(nodes, t)));
        });
        self.edges.clear();
        skin.exec.collect(edges.len(), &mut self.edges, |some, out| {
            out.extend(edges[some].iter().map(|e| Moved::over(nodes, &e.nodes)));
        });
    }

    /// How much nearer two things can have come, at most, at any time of the way. What they do alike brings them no nearer: on the way that
    /// holds within a body, whose nodes all go the same share of it.
    #[inline]
    fn nearer(&self, c: &Candidate) -> f64 {
        let [i, j] = c.things.map(|t| t as usize);
        let (a, b) = match c.kind {
            Kind::Node => (&self.nodes[i], &self.triangles[j]),
            Kind::Edge => (&self.edges[i], &self.edges[j]),
        };
        let gone = sub(a.gone, b.gone);
        let gone = dot(gone, gone);
        let relative = if c.same {
            let end = sub(a.end, b.end);
            gone.max(dot(end, end)).sqrt()
        } else {
            gone.sqrt() + a.way + b.way
        };
        (relative + a.spread + b.spread) * (1.0 + 1e-12)
    }

    /// True if two things stay further apart than where they are active.
    #[inline]
    pub fn spares(&self, c: &Candidate) -> bool {
        f64::from(c.apart) - f64::from(c.within) > self.nearer(c)
    }
}
