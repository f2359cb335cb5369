//! Things that have entered each other.

use super::Simulation;
use crate::error::BuildError;
use crate::math::nodes::Row;

/// What something has entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// A triangle of a body: number of the body, and its nodes within the body.
    Triangle(usize, [usize; 3]),
    /// An obstacle, by its number.
    Obstacle(usize),
}

/// Two things that have entered each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intersection {
    /// Number of the body that has entered something.
    pub body: usize,
    /// What of it, by its nodes within the body: an edge that passes through a triangle, or a node that lies inside of a solid or an
    /// obstacle.
    pub nodes: Vec<usize>,
    /// What it has entered. For a node inside of a solid, the triangle that is nearest.
    pub entered: Entered,
}

impl Simulation {
    /// Everything that has entered something at the present state: bodies that may touch, and obstacles.
    pub fn intersections(&mut self) -> Vec<Intersection> {
        let x = std::mem::take(&mut self.state.x);
        let found = self.find_intersections(&x);
        self.state.x = x;
        found
    }

    fn find_intersections(&mut self, x: &[Row]) -> Vec<Intersection> {
        let mut node = vec![0; x.len()];
        for (i, &p) in self.place.iter().enumerate() {
            node[p as usize] = i;
        }
        let body_of = |system: u32| {
            let i = node[system as usize];
            let after = self.bodies.partition_point(|b| b.first_node <= i);
            (
                after.saturating_sub(1),
                i - self.bodies.get(after.saturating_sub(1)).map_or(0, |b| b.first_node),
            )
        };
        let poses: Vec<_> = self.state.poses.iter().map(|p| p[0]).collect();
        let mut all = Vec::new();
        let exec = self.exec.clone();
        let mut found: Vec<(Vec<u32>, Option<[u32; 3]>, usize)> = Vec::new();
        exec.install(|| {
            let tell = &mut |nodes: &[u32], t, o| found.push((nodes.to_vec(), t, o));
            self.contact.intersections(x, &poses, tell);
        });
        for (nodes, triangle, obstacle) in found {
            let body = nodes.first().map_or(0, |&i| body_of(i).0);
            let entered = match triangle {
                Some(t) => Entered::Triangle(body_of(t[0]).0, t.map(|i| body_of(i).1)),
                None => Entered::Obstacle(obstacle),
            };
            all.push(Intersection { body, nodes: nodes.iter().map(|&i| body_of(i).1).collect(), entered });
        }
        all
    }

    /// An intersection in words.
    pub fn describe(&self, i: &Intersection) -> String {
        let name = |b: usize| self.bodies.get(b).map_or("", |b| b.name.as_str());
        let what = match i.nodes[..] {
            [a] => format!("node {a} of body `{}` lies inside", name(i.body)),
            [a, b] => format!("edge {a}–{b} of body `{}` passes through", name(i.body)),
            _ => format!("body `{}` has entered", name(i.body)),
        };
        match i.entered {
            Entered::Triangle(b, [p, q, r]) => format!("{what} triangle {p}–{q}–{r} of body `{}`", name(b)),
            Entered::Obstacle(o) => {
                let obstacle = self.contact.obstacles().get(o).map_or("", |o| o.name.as_str());
                format!("{what} obstacle `{obstacle}`")
            }
        }
    }

    /// An error that names what has entered what at the present state, if anything; and the same for every state that is set from now
    /// on.
    pub fn refuse_intersections(&mut self) -> Result<(), BuildError> {
        let x = std::mem::take(&mut self.state.x);
        let checked = self.check_intersections(&x);
        self.state.x = x;
        self.refuse = true;
        checked
    }

    pub(super) fn check_intersections(&mut self, x: &[Row]) -> Result<(), BuildError> {
        let all = self.find_intersections(x);
        match all.first() {
            None => Ok(()),
            Some(first) => Err(BuildError::Intersecting { count: all.len(), first: self.describe(first) }),
        }
    }
}
