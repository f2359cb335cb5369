//! What meets on its way through a step, and what is done about it: contacts at the time of impact; and, where even these did not
//! help, steps that are shortened.

use super::Contact;
use super::again::pair_of;
use super::impact::{Kind, meets};
use super::near::{Rows, Way, edge_key, node_key};
use super::slack::Near;
use super::surfaces::Skin;
use super::tangle::Tangle;
use crate::math::nodes::Row;
use crate::math::small::{axpy, dot, scale, sub};

/// Things meet when this share is left of their distance, or of the distance that they should keep: in the iteration, at the
/// end of a step, and once it has been shortened. Each is less strict than the one before, so that what passes one passes the next.
pub(super) const LEFT: f64 = 0.3;
const LEFT_AT_END: f64 = 0.2;
const LEFT_AFTER: f64 = 0.1;

/// Things nearer than this share of the distance that they should keep are too near: the share of their distance that must be left
/// is hardly less than all of it. Else nothing would be left after some steps that are shortened.
const NEAR: f64 = 0.05;

/// The share of that which must be left on the way through a step, where it matters.
const DIP: f64 = 0.05;

/// What to do about things that come too near on their straight ways, and end on their own sides as far away as they should: a node that
/// slides along a triangle that turns does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dips {
    /// They have not met, as long as nothing crosses at the end; nor has what others have met before.
    Pass,
    /// They have, whatever others have met.
    Meet,
}

/// Rounds after which bodies that still meet stay where they were.
const MOST_ROUNDS: usize = 30;

/// Two things that meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub contact: Contact,
    /// Local edge length in m.
    pub edge: f64,
    /// When, 0 to 1.
    pub time: f64,
}

impl Skin {
    /// Finds what comes within the share `left` of its distance on a way. What is tangled where it begins does not count.
    pub fn sweep(&mut self, way: Way<'_>, tangle: &Tangle, left: (f64, Dips), out: &mut Vec<Meeting>) {
        out.clear();
        if !way.to.iter().all(|r| r.is_finite()) {
            return;
        }
        self.pair_up(way.x, way.to);
        self.look_ahead(way);
        self.exec.collect(self.pairs.around_nodes(), out, |some, out| {
            let pairs = some.flat_map(|k| self.pairs.around_node(k));
            for (pair, (p, t)) in pairs {
                if self.slack.spares_face(Near::Apart, pair, (p, t)) {
                    continue;
                }
                let [a, b, c] = self.surfaces.triangles[t as usize];
                out.extend(self.meeting(Kind::Node, [p, a, b, c], node_key(p, t), way, tangle, left));
            }
        });
        self.exec.collect(self.pairs.edges.len(), out, |some, out| {
            for pair in some {
                let (number, other) = self.pairs.edges[pair];
                if self.slack.spares_edge(Near::Apart, pair, (number, other)) {
                    continue;
                }
                let [e, f] = [number, other].map(|i| self.edges[i as usize].nodes);
                let (nodes, key) = ([e[0], e[1], f[0], f[1]], edge_key(number, other));
                out.extend(self.meeting(Kind::Edge, nodes, key, way, tangle, left));
            }
        });
    }

    fn meeting(
        &self,
        kind: Kind,
        nodes: [u32; 4],
        key: u64,
        way: Way<'_>,
        tangle: &Tangle,
        (left, passing): (f64, Dips),
    ) -> Option<Meeting> {
        if nodes.iter().all(|&i| i as usize >= way.free) {
            return None;
        }
        let [from, to] = way.ends(&nodes);
        if kind.far_apart(&from, &to, self.apart(&nodes)) {
            return None;
        }
        let apart = kind.nearest(&from).1;
        let distance = dot(apart, apart).sqrt();
        // None moves far enough, whatever the direction.
        let mean: [f64; 3] =
            std::array::from_fn(|c| (0..4).map(|k| to[k][c] - from[k][c]).sum::<f64>() / 4.0);
        let most =
            (0..4).map(|k| sub(sub(to[k], from[k]), mean)).map(|d| dot(d, d).sqrt()).fold(0.0, f64::max);
        let far = distance > NEAR * self.apart(&nodes);
        if (far && 2.0 * most < (1.0 - left) * distance) || !(distance > 0.0) || tangle.involves(&nodes) {
            return None;
        }
        let keep = self.keep(kind, &nodes)?;
        let least = if distance > NEAR * keep {
            (left * distance.min(keep)).max((0.8 + 0.3 * left) * NEAR * keep)
        } else {
            (0.95 + 0.1 * left) * distance
        };
        let time = meets(kind, &from, &to, least)?;
        let end = kind.nearest(&to).1;
        let rest = dot(end, end).sqrt();
        let dips = rest >= least && dot(end, apart) > 0.5 * rest * distance;
        if dips && (passing == Dips::Pass || meets(kind, &from, &to, DIP * least).is_none()) {
            return None;
        }
        let at: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(from[i], time, sub(to[i], from[i])));
        let (weights, between) = kind.nearest(&at);
        let size = dot(between, between).sqrt();
        if !(size > 0.0) {
            return None;
        }
        let then = |i: u32| {
            axpy(way.x[i as usize].xyz(), time, sub(way.to[i as usize].xyz(), way.x[i as usize].xyz()))
        };
        let normal = scale(1.0 / size, between);
        if passing == Dips::Pass && self.is_of_others(key, &weights, (at[0], size), normal, then) {
            return None;
        }
        let normal = self.upright(key, &weights, normal, then);
        let (contact, edge) = self.contact(Rows { kind, nodes, weights, normal, key, distance }, way)?;
        Some(Meeting { contact, edge, time })
    }
}

impl Skin {
    /// True if two things that have met are not what has met: beside the edge or corner of a triangle there is another that is nearer, or beside
    /// an edge a face, or at a node an edge, that lies towards the other one. These have met before, where it is known who is on which side. What
    /// slides along a plane would else be stopped by every edge in it.
    fn is_of_others(
        &self,
        key: u64,
        weights: &[f64; 4],
        (at, distance): ([f64; 3], f64),
        normal: [f64; 3],
        x: impl Fn(u32) -> [f64; 3],
    ) -> bool {
        match pair_of(key) {
            Some((Kind::Node, node, triangle)) => {
                let of = [-weights[1], -weights[2], -weights[3]];
                let against = self.beside[node].iter().any(|&j| {
                    let e = sub(x(j), at);
                    dot(e, normal) < -0.5 * dot(e, e).sqrt()
                });
                against
                    || (of.iter().any(|w| *w <= 0.0)
                        && !self.is_lowest(&of, triangle as u32, at, distance, x))
            }
            Some((Kind::Edge, first, second)) => {
                let [e, f] = [first, second].map(|i| &self.edges[i]);
                // The end of an edge is a node, which meets the triangles there; but ropes have none.
                let end = weights.contains(&0.0) && e.faces().next().is_some() && f.faces().next().is_some();
                let one = self.lean(e, &x, normal)[0];
                let other = self.lean(f, &x, scale(-1.0, normal))[0];
                end || one.min(other) < -0.5
            }
            None => false,
        }
    }
}

impl Skin {
    /// A normal between two things, turned so that neither surface lies towards the other: what meets an edge or a corner in a plane meets the
    /// plane, and is not held up along it.
    fn upright(
        &self,
        key: u64,
        weights: &[f64; 4],
        normal: [f64; 3],
        x: impl Fn(u32) -> [f64; 3],
    ) -> [f64; 3] {
        // Directions along the surface around both, of which the normal may not point against any.
        let mut along: Vec<[f64; 3]> = Vec::new();
        let around = |i: u32| {
            let at = x(i);
            self.beside[i as usize].iter().map(|&j| sub(x(j), at)).collect::<Vec<_>>()
        };
        match pair_of(key) {
            Some((Kind::Edge, first, second)) => {
                along.extend(self.inward(&self.edges[first], &x));
                along.extend(self.inward(&self.edges[second], &x).map(|v| scale(-1.0, v)));
            }
            Some((Kind::Node, node, triangle)) => {
                let corners = self.surfaces.triangles[triangle];
                let on: Vec<u32> = (0..3).filter(|&k| weights[1 + k] < 0.0).map(|k| corners[k]).collect();
                match on[..] {
                    [i] => along.extend(around(i).iter().map(|v| scale(-1.0, *v))),
                    [i, j] => {
                        let edge = self.faces[i as usize].iter().flat_map(|&f| {
                            let t = self.surfaces.triangles[f as usize];
                            let third = t.iter().copied().find(|&k| k != i && k != j);
                            third.filter(|_| t.contains(&j))
                        });
                        let (a, e) = (x(i), sub(x(j), x(i)));
                        for k in edge {
                            let v = sub(x(k), a);
                            along.push(axpy(scale(-1.0, v), dot(v, e) / dot(e, e), e));
                        }
                    }
                    // Within a triangle there is no other normal.
                    _ => return normal,
                }
                along.extend(around(node as u32));
            }
            None => return normal,
        }
        let mut n = normal;
        // What one of them asks for may be against another.
        for _ in 0..3 {
            for v in &along {
                let against = dot(*v, n);
                if against < 0.0 {
                    n = axpy(n, -against / dot(*v, *v), *v);
                }
            }
        }
        let size = dot(n, n).sqrt();
        if size > 0.5 { scale(1.0 / size, n) } else { normal }
    }
}

/// Bodies that must be shortened together, as trees.
struct Groups(Vec<u32>);

impl Groups {
    fn of(&self, mut body: u32) -> u32 {
        while self.0[body as usize] != body {
            body = self.0[body as usize];
        }
        body
    }
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Bodies of a step's end, and what is known about them.
pub(super) struct Islands<'a> {
    /// Body of each free node.
    pub body: &'a [u32],
    /// Mass of each node.
    pub mass: &'a [f64],
    /// Bodies that something holds, which is not a body that yields.
    pub held: &'a [bool],
}

/// Shortens the ways of bodies that meet until none do; gives back how many were shortened. Keys of what met go to `met`.
///
/// Bodies that meet are shortened together: x = x_n + D + s(d − D), d being the way of a node and D that of the centre of mass, or
/// none if the bodies are held. So nodes stay on the ways that they had relative to each other, as far as these were free; and
/// momentum is conserved. Each round joins groups that did not meet before, so there is an end.
pub(super) fn shorten(
    skin: &mut Skin,
    x_n: &[Row],
    x: &mut [Row],
    tangle: &Tangle,
    islands: &Islands<'_>,
    (found, met): (&mut Vec<Meeting>, &mut Vec<u64>),
) -> usize {
    let (free, bodies) = (islands.body.len(), islands.held.len());
    let mut groups = Groups((0..bodies as u32).collect());
    let mut shortened = vec![false; bodies];
    let mut dips = Dips::Pass;
    for round in 0..=MOST_ROUNDS {
        let left = if round == 0 { LEFT_AT_END } else { LEFT_AFTER };
        skin.sweep(Way { x: x_n, to: x, free }, tangle, (left, dips), found);
        let mut crossing = Vec::new();
        if found.is_empty() {
            crossing = skin.crosses(x, tangle);
        }
        // What dips on its way does no harm, unless something crosses at its end.
        if !crossing.is_empty() && dips == Dips::Pass {
            dips = Dips::Meet;
            skin.sweep(Way { x: x_n, to: x, free }, tangle, (left, dips), found);
        }
        if found.is_empty() && crossing.is_empty() {
            break;
        }
        met.extend(found.iter().map(|m| m.contact.key));
        // What crosses, and nothing has met: half the way, and in the end none.
        let crossing = crossing.iter().filter(|_| found.is_empty());
        let crossing =
            crossing.map(|c| ([skin.body[c.edge[0] as usize], skin.surfaces.body[c.triangle as usize]], 0.5));
        let meeting = found.iter().map(|m| (skin.bodies_of(&m.contact.nodes), m.time));
        let pairs: Vec<([u32; 2], f64)> = meeting.chain(crossing).collect();
        for ([a, b], _) in &pairs {
            groups.join(*a, *b);
        }
        let mut share = vec![1.0f64; bodies];
        for ([a, _], time) in &pairs {
            let group = groups.of(*a) as usize;
            share[group] = if round < MOST_ROUNDS { share[group].min(*time) } else { 0.0 };
        }
        let (mut mass, mut mean, mut held) = (vec![0.0; bodies], vec![[0.0; 3]; bodies], vec![false; bodies]);
        for b in 0..bodies {
            held[groups.of(b as u32) as usize] |= islands.held[b] || round == MOST_ROUNDS;
        }
        for (i, &b) in islands.body.iter().enumerate() {
            let g = groups.of(b) as usize;
            mass[g] += islands.mass[i];
            mean[g] = axpy(mean[g], islands.mass[i], sub(x[i].xyz(), x_n[i].xyz()));
        }
        for (i, &b) in islands.body.iter().enumerate() {
            let g = groups.of(b) as usize;
            if share[g] < 1.0 {
                let common = if held[g] { [0.0; 3] } else { scale(1.0 / mass[g], mean[g]) };
                let own = sub(sub(x[i].xyz(), x_n[i].xyz()), common);
                x[i] = Row::new(axpy(axpy(x_n[i].xyz(), 1.0, common), share[g], own));
                shortened[b as usize] = true;
            }
        }
    }
    shortened.iter().filter(|s| **s).count()
}
