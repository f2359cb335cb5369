//! Skins in exports: bodies that carry one are written and drawn as it, with its own vertices in their own order.
use std::sync::Arc;

use supple::scene::Program;

use crate::export::Model;

/// Whether any body carries a skin.
pub fn are_there(program: &Program) -> bool {
    program.bodies.iter().any(|b| b.skin.is_some())
}

/// The same model with skins in place of the boundaries of tetrahedra. Their vertices come after all nodes.
pub fn with_skins(mut model: Model, program: &Program) -> Model {
    let (mut first, mut normals) = (model.nodes(), 0);
    for (body, look) in model.bodies.iter_mut().zip(&program.bodies) {
        if let Some(skin) = &look.skin {
            body.first_node = first;
            body.nodes = skin.vertices.len();
            body.tets = Vec::new();
            body.mids = Vec::new();
            body.surface = skin.triangles.clone();
            body.attributes = Some(Arc::new(skin.attributes.clone())).filter(|a| !a.is_empty());
            body.first_normal = normals;
            first += body.nodes;
            normals += skin.attributes.normals.values.len();
        }
    }
    model
}

/// The skins alone, their vertices from 0.
pub fn alone(model: &Model, program: &Program) -> Model {
    let before = model.nodes();
    let mut model = with_skins(model.clone(), program);
    let mut skinned = program.bodies.iter().map(|look| look.skin.is_some());
    model.bodies.retain(|_| skinned.next() == Some(true));
    model.bodies.iter_mut().for_each(|body| body.first_node -= before);
    model.pins.clear();
    model
}

/// The normals of the skins' attributes where all nodes are at `x`.
pub fn normals(program: &Program, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, String> {
    let mut all = Vec::new();
    for (body, look) in program.simulation.bodies().iter().zip(&program.bodies) {
        if let Some(skin) = &look.skin {
            let own = x.get(body.first_node..body.first_node + body.nodes).unwrap_or(&[]);
            all.extend(skin.corner_normals(own).map_err(|e| format!("{}: {e}", body.name))?);
        }
    }
    Ok(all)
}

/// The skins' vertices where all nodes are at `x`.
pub fn positions(program: &Program, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, String> {
    let mut all = Vec::new();
    for (body, look) in program.simulation.bodies().iter().zip(&program.bodies) {
        if let Some(skin) = &look.skin {
            let own = x.get(body.first_node..body.first_node + body.nodes).unwrap_or(&[]);
            all.extend(skin.positions(own).map_err(|e| format!("{}: {e}", body.name))?);
        }
    }
    Ok(all)
}
