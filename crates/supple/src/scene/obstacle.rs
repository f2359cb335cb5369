//! Obstacles of a scene, and the nodes that may touch them.

use super::{Content, Scene};
use crate::contact::{Obstacle, Touching};
use crate::error::BuildError;
use crate::mesh::surface;

/// Number of an obstacle in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObstacleId(pub usize);

impl Scene {
    /// Adds something that bodies cannot enter. Nodes on the surface of solids and all nodes of nets stay out of it; pinned
    /// nodes do not care.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, BuildError> {
        let name = &obstacle.name;
        let wrong = |reason: String| BuildError::Obstacle {
            obstacle: name.escape_debug().take(60).collect(),
            reason,
        };
        if name.is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
            return Err(wrong("it needs a name of at most 200 bytes without control characters".into()));
        }
        if self.obstacles.iter().any(|o| o.name == *name) {
            return Err(wrong("there is an obstacle of that name already".into()));
        }
        obstacle.check().map_err(wrong)?;
        self.obstacles.push(obstacle);
        Ok(ObstacleId(self.obstacles.len() - 1))
    }

    /// The nodes that may touch, numbered over all bodies, with the length of the shortest edge at each.
    pub(super) fn touching(&self) -> Vec<Touching> {
        let mut all = Vec::new();
        if self.obstacles.is_empty() {
            return all;
        }
        let mut first = 0;
        for b in &self.bodies {
            let mut edge = vec![f64::INFINITY; b.positions.len()];
            let mut join = |i: u32, j: u32| {
                let (p, q) = (b.positions[i as usize], b.positions[j as usize]);
                let d = (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt();
                for k in [i, j] {
                    edge[k as usize] = edge[k as usize].min(d);
                }
            };
            let mut outside = vec![true; b.positions.len()];
            match &b.content {
                Content::Solid { mesh, .. } => {
                    outside.fill(false);
                    for [i, j, k] in surface(mesh.tets()) {
                        join(i, j);
                        join(j, k);
                        join(k, i);
                        for v in [i, j, k] {
                            outside[v as usize] = true;
                        }
                    }
                }
                Content::Springs(list) => list.iter().for_each(|s| join(s.nodes[0], s.nodes[1])),
            }
            for (i, edge) in edge.iter().enumerate().filter(|(i, _)| outside[*i]) {
                // A node without edges, or with one of no length, has no size of its own.
                let edge = if *edge > 0.0 && edge.is_finite() { *edge } else { 0.1 };
                all.push(Touching { node: (first + i) as u32, edge });
            }
            first += b.positions.len();
        }
        all
    }
}
