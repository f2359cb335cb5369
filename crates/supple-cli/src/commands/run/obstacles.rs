//! Obstacles in pictures and pages: bodies that have nothing but a surface, after those that are simulated.
use supple::scene::Program;

use crate::export::{Model, ModelBody};

/// Colour of obstacles.
const COLOUR: [f32; 3] = [0.62, 0.64, 0.67];

/// The same model with the obstacles that have an end.
pub fn with_obstacles(mut model: Model, program: &Program) -> Model {
    for obstacle in program.simulation.obstacles() {
        let (points, triangles) = obstacle.shape.triangles();
        if !triangles.is_empty() {
            let first_node = model.nodes();
            model.bodies.push(ModelBody {
                name: obstacle.name.clone(),
                first_node,
                nodes: points.len(),
                surface: triangles,
                colour: COLOUR,
                obstacle: true,
                ..ModelBody::default()
            });
        }
    }
    model
}

/// The corners of these obstacles where they are now, in m.
pub fn corners(program: &Program) -> Vec<[f64; 3]> {
    let mut all = Vec::new();
    for (i, obstacle) in program.simulation.obstacles().iter().enumerate() {
        let (points, triangles) = obstacle.shape.triangles();
        if let Some(pose) = program.simulation.obstacle_pose(i).filter(|_| !triangles.is_empty()) {
            all.extend(points.into_iter().map(|p| pose.apply(p)));
        }
    }
    all
}
