//! Sliding constraints, attachments and stitches of a running simulation: what they bear, how they move, when they break.

use super::Simulation;
use crate::contact::{Guide, Link, Links, Pose, Skin};
use crate::error::BuildError;
use crate::math::nodes::Row;
use std::ops::Range;

/// What one call for links has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they are: `slide`, `attach` or `stitch`.
    pub kind: &'static str,
    /// Number of the body whose nodes are linked.
    pub body: u32,
    /// Numbers of its links.
    pub links: Range<usize>,
}

/// Links in the order of the system.
pub(super) fn renumber(links: &[Link], skins: &[Vec<[u32; 3]>], place: &[u32], x: &[Row]) -> Links {
    let to = |i: u32| place[i as usize];
    let links = links.iter().map(|l| {
        let guide = match &l.guide {
            Guide::Nodes(nodes, weights) => Guide::Nodes(nodes.map(to), *weights),
            other => other.clone(),
        };
        Link { node: to(l.node), guide, ..l.clone() }
    });
    let skins =
        skins.iter().map(|s| Skin::new(s.iter().map(|t| t.map(to)).collect(), |i| x[i as usize].xyz()));
    Links::new(links.collect(), skins.collect())
}

/// Breaks the links whose force is above what they bear; how many.
pub(super) fn tear(links: &[Link], forces: &[[f64; 3]], broken: &mut [bool]) -> usize {
    let mut count = 0;
    for ((l, f), broken) in links.iter().zip(forces).zip(broken) {
        let force = f.iter().map(|f| f * f).sum::<f64>().sqrt();
        if force > l.breaking && !*broken {
            *broken = true;
            count += 1;
        }
    }
    count
}

impl Simulation {
    /// The groups of links, in order of adding.
    pub fn link_groups(&self) -> &[Group] {
        &self.groups
    }

    fn group(&self, group: usize) -> Result<&Group, BuildError> {
        let count = self.groups.len();
        self.groups.get(group).ok_or(BuildError::NoLink { link: group, count })
    }

    /// Force of each link of a group on its node in the last step, in N; zeros before the first step.
    pub fn link_forces(&self, group: usize) -> Result<Vec<[f64; 3]>, BuildError> {
        let links = self.group(group)?.links.clone();
        let forces = self.state.link_forces.get(links.clone());
        Ok(forces.map_or_else(|| vec![[0.0; 3]; links.len()], <[_]>::to_vec))
    }

    /// Which links of a group are broken.
    pub fn broken_links(&self, group: usize) -> Result<Vec<bool>, BuildError> {
        Ok(self.state.broken[self.group(group)?.links.clone()].to_vec())
    }

    /// Moves the plane, line, curve or points of a group of links: at the end of the next step they are at this pose, relative to
    /// where they were added. What is carried by an obstacle or a body moves with it instead.
    pub fn move_link(&mut self, group: usize, pose: Pose) -> Result<(), BuildError> {
        let kind = self.group(group)?.kind;
        if !pose.is_finite() {
            return Err(BuildError::Link { kind, link: group, reason: "its motion is not finite".into() });
        }
        self.state.frames[group][1] = pose;
        Ok(())
    }

    /// As [`Simulation::move_link`], at once and without a motion.
    pub fn place_link(&mut self, group: usize, pose: Pose) -> Result<(), BuildError> {
        self.move_link(group, pose)?;
        self.state.frames[group][0] = pose;
        Ok(())
    }
}
