//! A scene as it is seen: the model of its bodies, with skins and obstacles, for pictures, exports and the viewer.
//!
//! | file | holds |
//! |---|---|
//! | `dress.rs` | colours, patterns and labels as the scene file has them |
//! | `obstacles.rs` | what bodies bump into, drawn |
//! | `skins.rs` | detailed surfaces in place of the boundaries of tetrahedra |
//! | `foresee.rs` | what a run is likely to reach, for the camera |
pub(crate) mod dress;
pub(crate) mod foresee;
pub(crate) mod obstacles;
pub(crate) mod skins;

use supple::scene::Program;

use crate::export::{Model, ModelBody};
use crate::picture::palette;

/// The bodies of a program, without skins and obstacles.
pub(crate) fn model(program: &Program) -> Model {
    let mut pins = Vec::new();
    let bodies = program
        .simulation
        .bodies()
        .iter()
        .zip(&program.bodies)
        .enumerate()
        .map(|(i, (b, look))| {
            pins.extend(look.pins.iter().map(|&p| b.first_node as u32 + p));
            ModelBody {
                name: b.name.clone(),
                first_node: b.first_node,
                nodes: b.nodes,
                tets: look.tets.clone(),
                mids: look.mids.clone(),
                surface: look.surface.clone(),
                edges: look.edges.clone(),
                colour: palette::body(i),
                sheet: (look.tets.is_empty() && !look.surface.is_empty()).then_some(0.0),
                ..ModelBody::default()
            }
        })
        .collect();
    // Pins of solids are inside of what is drawn; only those of nets are shown.
    pins.retain(|&p| {
        program.simulation.bodies().iter().zip(&program.bodies).any(|(b, look)| {
            !look.edges.is_empty() && (b.first_node..b.first_node + b.nodes).contains(&(p as usize))
        })
    });
    Model { bodies, pins }
}

/// Tetrahedra, triangles of sheets and springs of all bodies.
pub(crate) fn counts(program: &Program) -> [usize; 3] {
    let add = |[a, b, c]: [usize; 3], look: &supple::scene::Look| {
        [a + look.tets.len(), b + look.triangles(), c + look.edges.len()]
    };
    program.bodies.iter().fold([0; 3], add)
}
