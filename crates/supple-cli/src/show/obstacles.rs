//! Obstacles in pictures and pages: bodies that have nothing but a surface, or lines, after those that are simulated.
use supple::contact::frame;
use supple::scene::Program;

use crate::export::{Model, ModelBody};
use crate::picture::Bounds;

/// Colour of obstacles.
const COLOUR: [f32; 3] = [0.62, 0.64, 0.67];

/// Lines across a half-space, in each of two directions.
const LINES: u32 = 9;

/// What is drawn of an obstacle, in its own frame.
#[derive(Default)]
struct Drawn {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
}

/// What is drawn of an obstacle: the same in every frame. Nothing of one that is shown as the floor.
fn drawn(program: &Program, number: usize) -> Option<Drawn> {
    let shape = &program.simulation.obstacles().get(number)?.shape;
    if !shape.is_flat() {
        let (points, triangles) = shape.triangles();
        return (!triangles.is_empty()).then(|| Drawn { points, triangles, ..Drawn::default() });
    }
    if level(program, number).is_some() {
        return None;
    }
    // A plane has no end: lines around the point that is next to the middle of the bodies where they start.
    let mut bounds = Bounds::EMPTY;
    program.bodies.iter().flat_map(|b| b.rest).for_each(|p| bounds.include(p));
    let middle = std::array::from_fn(|c| 0.5 * (bounds.low[c] + bounds.high[c]));
    let at = shape.closest(program.obstacle_at(number, 0.0)?.undo(middle));
    let size = 0.75 * bounds.diagonal();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let [_, u, v] = frame(at.normal);
    let mut plane = Drawn::default();
    for [along, across] in [[u, v], [v, u]] {
        for line in 0..LINES {
            let off = size * (2.0 * f64::from(line) / f64::from(LINES - 1) - 1.0);
            let first = plane.points.len() as u32;
            for end in [-size, size] {
                plane.points.push(std::array::from_fn(|c| at.point[c] + off * across[c] + end * along[c]));
            }
            plane.lines.push([first, first + 1]);
        }
    }
    Some(plane)
}

/// Height of a half-space that is level and does not move.
fn level(program: &Program, number: usize) -> Option<f64> {
    let shape = &program.simulation.obstacles().get(number)?.shape;
    let (s, pose) = (shape.closest([0.0; 3]), program.obstacle_at(number, 0.0)?);
    let level = shape.is_flat() && !program.obstacle_moves(number) && pose.turn(s.normal)[1] > 1.0 - 1e-9;
    level.then(|| pose.apply(s.point)[1])
}

/// Height of the floor that bodies stand on: of the highest half-space that is level and does not move.
pub fn floor(program: &Program) -> Option<f64> {
    (0..program.simulation.obstacles().len()).filter_map(|i| level(program, i)).reduce(f64::max)
}

/// The same model with the obstacles.
pub fn with_obstacles(mut model: Model, program: &Program) -> Model {
    for (i, obstacle) in program.simulation.obstacles().iter().enumerate() {
        if let Some(drawn) = drawn(program, i) {
            let first_node = model.nodes();
            model.bodies.push(ModelBody {
                mids: Vec::new(),
                name: obstacle.name.clone(),
                first_node,
                nodes: drawn.points.len(),
                surface: drawn.triangles,
                edges: drawn.lines,
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
    for i in 0..program.simulation.obstacles().len() {
        if let (Some(drawn), Some(pose)) = (drawn(program, i), program.simulation.obstacle_pose(i)) {
            all.extend(drawn.points.into_iter().map(|p| pose.apply(p)));
        }
    }
    all
}
