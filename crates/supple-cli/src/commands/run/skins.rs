//! Skins in exports: bodies that carry one are written and drawn as it, with its own vertices in their own order.
use miette::miette;
use supple::scene::Program;

use crate::export::Model;

/// Whether any body carries a skin.
pub fn are_there(program: &Program) -> bool {
    program.bodies.iter().any(|b| b.skin.is_some())
}

/// The same model with skins in place of the boundaries of tetrahedra. Their vertices come after all nodes.
pub fn with_skins(mut model: Model, program: &Program) -> Model {
    let mut first = model.nodes();
    for (body, look) in model.bodies.iter_mut().zip(&program.bodies) {
        if let Some(skin) = &look.skin {
            body.first_node = first;
            body.nodes = skin.vertices.len();
            body.tets = Vec::new();
            body.mids = Vec::new();
            body.surface = skin.triangles.clone();
            first += body.nodes;
        }
    }
    model
}

/// The skins' vertices where all nodes are at `x`.
pub fn positions(program: &Program, x: &[[f64; 3]]) -> miette::Result<Vec<[f64; 3]>> {
    let mut all = Vec::new();
    for (body, look) in program.simulation.bodies().iter().zip(&program.bodies) {
        if let Some(skin) = &look.skin {
            let own = x.get(body.first_node..body.first_node + body.nodes).unwrap_or(&[]);
            all.extend(skin.positions(own).map_err(|e| miette!("{}: {e}", body.name))?);
        }
    }
    Ok(all)
}
