//! Obstacles in pictures and pages: bodies that have nothing but a surface, after those that are simulated.
use supple::contact::frame;
use supple::scene::Program;

use crate::export::{Model, ModelBody};
use crate::picture::Bounds;

/// Colour of obstacles.
const COLOUR: [f32; 3] = [0.62, 0.64, 0.67];

/// Cells across the part of a half-space that is drawn: light is interpolated between their corners.
const CELLS: u32 = 12;

/// What is drawn of an obstacle, in its own frame.
#[derive(Default)]
struct Drawn {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// What is drawn of an obstacle: the same in every frame. Nothing of one that is shown as the floor.
fn drawn(program: &Program, number: usize) -> Option<Drawn> {
    let shape = &program.simulation.obstacles().get(number)?.shape;
    if !shape.is_flat() {
        let (points, triangles) = shape.triangles();
        return (!triangles.is_empty()).then_some(Drawn { points, triangles });
    }
    if level(program, number).is_some() {
        return None;
    }
    // A plane has no end: a square around the point that is next to the middle of the bodies where they start, without what lies within
    // other half-spaces. It is seen from the front alone, so that one looks into what several of them enclose.
    let mut bounds = Bounds::EMPTY;
    program.bodies.iter().flat_map(|b| b.rest).for_each(|p| bounds.include(p));
    let middle = std::array::from_fn(|c| 0.5 * (bounds.low[c] + bounds.high[c]));
    let (pose, moves) = (program.obstacle_at(number, 0.0)?, program.obstacle_moves(number));
    let at = shape.closest(pose.undo(middle));
    let size = 0.75 * bounds.diagonal();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let [n, u, v] = frame(at.normal);
    let turns = (0..3)
        .map(|c| n[c] * (u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3]))
        .sum::<f64>();
    let [u, v] = if turns > 0.0 { [u, v] } else { [v, u] };
    let others = if moves { Vec::new() } else { walls(program, number) };
    let mut plane = Drawn::default();
    for cell in 0..CELLS * CELLS {
        let [a, b] = [cell % CELLS, cell / CELLS];
        let corner = |[a, b]: [u32; 2]| -> [f64; 3] {
            let [a, b] = [a, b].map(|k| size * (2.0 * f64::from(k) / f64::from(CELLS) - 1.0));
            std::array::from_fn(|c| at.point[c] + a * u[c] + b * v[c])
        };
        let cell = [[a, b], [a + 1, b], [a + 1, b + 1], [a, b + 1]].map(corner).to_vec();
        let cell = others.iter().fold(cell, |cell, (point, normal)| {
            let (point, tip) = (pose.undo(*point), pose.undo(std::array::from_fn(|c| point[c] + normal[c])));
            before(&cell, point, std::array::from_fn(|c| tip[c] - point[c]))
        });
        let first = plane.points.len() as u32;
        plane.triangles.extend((2..cell.len() as u32).map(|k| [first, first + k - 1, first + k]));
        plane.points.extend(cell);
    }
    (!plane.triangles.is_empty()).then_some(plane)
}

/// A point and the normal of each other half-space that does not move.
fn walls(program: &Program, number: usize) -> Vec<([f64; 3], [f64; 3])> {
    let all = program.simulation.obstacles().iter().enumerate();
    all.filter(|(i, o)| *i != number && o.shape.is_flat() && !program.obstacle_moves(*i))
        .filter_map(|(i, o)| {
            let (s, pose) = (o.shape.closest([0.0; 3]), program.obstacle_at(i, 0.0)?);
            Some((pose.apply(s.point), pose.turn(s.normal)))
        })
        .collect()
}

/// What of a convex polygon lies before a plane, on the side of its normal.
fn before(polygon: &[[f64; 3]], point: [f64; 3], normal: [f64; 3]) -> Vec<[f64; 3]> {
    let height = |p: [f64; 3]| (0..3).map(|c| (p[c] - point[c]) * normal[c]).sum::<f64>();
    let mut cut = Vec::new();
    for (k, &a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let (ha, hb) = (height(a), height(b));
        if ha >= 0.0 {
            cut.push(a);
        }
        if (ha >= 0.0) != (hb >= 0.0) {
            cut.push(std::array::from_fn(|c| a[c] + ha / (ha - hb) * (b[c] - a[c])));
        }
    }
    cut
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
